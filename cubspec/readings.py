"""Which readings of a paper's figures are arithmetically possible.

With what denominators can printed figures all be true? The page evidence/readings derives what is
used here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from itertools import combinations, product
from typing import Any

import numpy as np

from cubspec.choices import measure
from cubspec.data import Dataset, InputError
from cubspec.lines import shown
from cubspec.measures.distance import CAP
from cubspec.measures.visibility import FIR_OF, FVR_OF
from cubspec.published import Figure, Row, published_row, published_source
from cubspec.scoring import ground_truth, split_images
from cubspec.tables import UNDEFINED, Document, Note, Table, csv_text, json_text

FIGURES = ("PCP", "AE", "FVR", "FIR")
"""The measures whose printed figures are read, in the order of every table."""

RATES = {"FVR": FVR_OF, "FIR": FIR_OF}

POSSIBLE, NOT_MICRO, IMPOSSIBLE = "possible", "not with avg:micro", "impossible"
"""What a reading is; the last holds whatever the averaging."""


@dataclass(frozen=True)
class Interval:
    """A number that is known to lie in an interval.

    Attributes
    ----------
    text : as it is shown
    value, least, most : exact; of a percentage the share, so that 100 % is 1
    """

    text: str
    value: Fraction
    least: Fraction
    most: Fraction


INVISIBLE_SHARE = Interval(
    "20.03 % of all images' pairs, 19.76–20.29 % in 2,000 random halves of CUB-200-2011",
    Fraction(2003, 10000),
    Fraction(1976, 10000),
    Fraction(2029, 10000),
)
"""The pairs not visible in the ground truth, measured from the dataset's part_locs.txt."""

SHARES = ("hit_rate", "falsely_visible", "falsely_invisible")
"""The names of a reading's estimates in JSON and CSV."""

_PRINTED = re.compile(r"[0-9]{1,6}(\.[0-9]{1,15})?")


def printed(text: str, what: str, unit: str = "%") -> Interval:
    """What a printed figure says of the number that was rounded to it.

    Parameters
    ----------
    text : the figure as printed, such as 28.48
    what : what it is, for messages
    unit : "%" or "σ"

    Raises
    ------
    InputError
        Where it is no such number, or a percentage over 100.
    """
    found = _PRINTED.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"expected {what} as printed, digits with a decimal point, such as 28.48; "
            f"found {shown(text)}"
        )
    value, half = Fraction(found[0]), Fraction(1, 2 * 10 ** decimals_of(found[0]))
    if unit != "%":
        return Interval(found[0], value, max(value - half, Fraction(0)), value + half)
    if value > 100:
        raise InputError(f"expected {what} to be a percentage of at most 100, found {text}")
    least, most = max(value - half, Fraction(0)), min(value + half, Fraction(100))
    return Interval(found[0], value / 100, least / 100, most / 100)


def decimals_of(text: str) -> int:
    """How many decimals a number is printed with."""
    return len(text.partition(".")[2])


def invisible_share(dataset: Dataset, split: str) -> Interval:
    """The exact share of a split's pairs that are not visible in the dataset's own file."""
    visible = ground_truth(dataset, "given").visible[split_images(dataset, split)]
    share = Fraction(int(np.count_nonzero(~visible)), visible.size)
    text = f"{_percent(share, 4)} %, counted in the split {split} of {dataset.source}"
    return Interval(text, share, share, share)


def printed_invisible_share(text: str) -> Interval:
    """The share of pairs that are not visible, from a percentage as printed."""
    return replace(printed(text, "the invisible share"), text=f"{text.strip()} %, as given")


# Shares of pairs


@dataclass(frozen=True)
class Share:
    """A share of all pairs, as a sum of other shares.

    Attributes
    ----------
    terms : how often it holds the pairs invisible in the ground truth, the falsely visible ones,
        the falsely invisible ones, and all pairs
    """

    terms: tuple[Exact, Exact, Exact, Exact]

    def __add__(self, other: Share) -> Share:
        return self._with(other, 1)

    def __sub__(self, other: Share) -> Share:
        return self._with(other, -1)

    def __rmul__(self, factor: Fraction) -> Share:
        a, b, c, d = self.terms
        return Share((factor * a, factor * b, factor * c, factor * d))

    def _with(self, other: Share, sign: int) -> Share:
        a, b, c, d = (x + sign * y for x, y in zip(self.terms, other.terms, strict=True))
        return Share((a, b, c, d))

    def at(self, point: Point) -> Exact:
        """Its value at a point, times the point's last number."""
        (a, b, c, d), (u, v, w, everything) = self.terms, point
        return a * u + b * v + c * w + d * everything

    def whole(self) -> Point:
        """The terms times a positive number that makes them whole."""
        factor = math.lcm(*(each.denominator for each in self.terms))
        a, b, c, d = (int(factor * each) for each in self.terms)
        return a, b, c, d


Exact = Fraction | int

Point = tuple[int, int, int, int]
"""Numbers of pairs: invisible, falsely visible, falsely invisible, all. Only ratios matter."""

INVISIBLE = Share((1, 0, 0, 0))
FALSELY_VISIBLE = Share((0, 1, 0, 0))
FALSELY_INVISIBLE = Share((0, 0, 1, 0))
ALL = Share((0, 0, 0, 1))
VISIBLE = ALL - INVISIBLE
BOTH_VISIBLE = VISIBLE - FALSELY_INVISIBLE
BOTH_INVISIBLE = INVISIBLE - FALSELY_VISIBLE
PREDICTED_VISIBLE = BOTH_VISIBLE + FALSELY_VISIBLE
PREDICTED_INVISIBLE = BOTH_INVISIBLE + FALSELY_INVISIBLE

ALWAYS = (FALSELY_VISIBLE, BOTH_INVISIBLE, FALSELY_INVISIBLE, BOTH_VISIBLE)
"""What is never negative."""

COUNT = {"FVR": FALSELY_VISIBLE, "FIR": FALSELY_INVISIBLE}

DENOMINATOR = {
    "FVR": {"all": ALL, "invisible": INVISIBLE, "predicted": PREDICTED_VISIBLE},
    "FIR": {"all": ALL, "visible": VISIBLE, "predicted": PREDICTED_INVISIBLE},
}

LIMIT = {
    "FVR": {
        "all": FALSELY_VISIBLE,
        "invisible": ALL,
        "predicted": INVISIBLE + FALSELY_INVISIBLE,
    },
    "FIR": {
        "all": FALSELY_INVISIBLE,
        "visible": ALL,
        "predicted": VISIBLE + FALSELY_VISIBLE,
    },
}
"""What a rate cannot exceed, whatever the averaging; nor is it below its count's share of all."""

BOUND = {
    ("FVR", "all"): "at most u",
    ("FVR", "predicted"): "at most u + FIR",
    ("FIR", "all"): "at most v",
    ("FIR", "predicted"): "at most v + FVR",
    ("PCP", ""): "at least u less FVR",
}
"""The bounds of LIMIT in words, u and v the invisible and the visible share."""


@dataclass(frozen=True)
class Span:
    """What a figure can be at one point.

    Attributes
    ----------
    least, most : numerator and denominator
    """

    least: tuple[Share, Share]
    most: tuple[Share, Share]

    def bounds(self, figure: Interval) -> Iterator[Share]:
        """What must not be negative where the figure is what was printed."""
        top, bottom = self.least
        yield figure.most * bottom - top
        top, bottom = self.most
        yield top - figure.least * bottom

    def defined(self, points: Sequence[Point]) -> bool:
        """Whether some point has something to divide by."""
        bottoms = (self.least[1], self.most[1])
        return all(any(each.at(point) > 0 for point in points) for each in bottoms)

    def over(self, points: Sequence[Point]) -> tuple[Fraction, Fraction]:
        """The smallest and the largest value at any point, between 0 and 1."""
        return min(_quotients(*self.least, points)), max(_quotients(*self.most, points))


def _quotients(top: Share, bottom: Share, points: Sequence[Point]) -> Iterator[Fraction]:
    """The quotients, limited to 0 and 1; at a bottom of 0 what they tend to nearby."""
    for point in points:
        over, under = top.at(point), bottom.at(point)
        if under > 0:
            yield min(max(Fraction(over, under), Fraction(0)), Fraction(1))
        elif over:
            yield Fraction(over > 0)
        # Where both are 0 the quotient nearby is what it is at the other points.


def span(name: str, of: str, exact: bool) -> Span:
    """What a figure can be.

    Parameters
    ----------
    name : "PCP", "FVR" or "FIR"
    of : the rate's denominator; "" for PCP
    exact : whether it is taken over all pairs at once; otherwise whatever the averaging
    """
    if name == "PCP":
        return Span((BOTH_INVISIBLE, ALL), (BOTH_INVISIBLE + BOTH_VISIBLE, ALL))
    if exact:
        rate = (COUNT[name], DENOMINATOR[name][of])
        return Span(rate, rate)
    return Span((COUNT[name], ALL), (LIMIT[name][of], ALL))


def corners(bounds: Iterable[Share]) -> list[Point]:
    """The corners of the region in which no share is negative; none where there is no region.

    The region must be bounded.

    Parameters
    ----------
    bounds : Shares
    """
    planes = [each.whole() for each in bounds]
    found = set()
    for three in combinations(planes, 3):
        point = _meeting_point(*three)
        if point is not None and all(
            a * point[0] + b * point[1] + c * point[2] + d * point[3] >= 0 for a, b, c, d in planes
        ):
            found.add(point)
    return sorted(found)


def _meeting_point(p: Point, q: Point, r: Point) -> Point | None:
    """Where three planes meet; None where they do not meet in one point."""
    # The cofactors of a determinant, written out since this runs thousands of times.
    q0, q1, q2, q3 = q
    r0, r1, r2, r3 = r
    m01, m02, m03 = q0 * r1 - q1 * r0, q0 * r2 - q2 * r0, q0 * r3 - q3 * r0
    m12, m13, m23 = q1 * r2 - q2 * r1, q1 * r3 - q3 * r1, q2 * r3 - q3 * r2
    point = (
        p[1] * m23 - p[2] * m13 + p[3] * m12,
        -p[0] * m23 + p[2] * m03 - p[3] * m02,
        p[0] * m13 - p[1] * m03 + p[3] * m01,
        -p[0] * m12 + p[1] * m02 - p[2] * m01,
    )
    if point[3] == 0:
        return None
    factor = math.gcd(*point) * (1 if point[3] > 0 else -1)
    u, a, b, everything = (each // factor for each in point)
    return u, a, b, everything


# Readings of printed figures

Figures = Mapping[str, Interval]
"""Printed figures by measure, any of FIGURES."""


@dataclass(frozen=True)
class Estimate:
    """A share that the printed figures imply.

    Attributes
    ----------
    value : at the figures as printed; None where they do not give one
    least, most : over everything that rounds to the printed figures
    """

    value: Fraction | None
    least: Fraction
    most: Fraction


@dataclass(frozen=True)
class Reading:
    """One combination of denominators, with what it makes of a row's figures.

    Attributes
    ----------
    of : the denominator of each rate that is printed, by measure
    verdict : POSSIBLE, NOT_MICRO or IMPOSSIBLE
    reason : why it is not possible; "" where it is
    hit_rate : the share of the pairs visible in both that are within the radius
    falsely_visible, falsely_invisible : shares of all pairs
    """

    of: dict[str, str]
    verdict: str
    reason: str = ""
    hit_rate: Estimate | None = None
    falsely_visible: Estimate | None = None
    falsely_invisible: Estimate | None = None

    @property
    def estimates(self) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
        """What the figures imply, in the order of every table."""
        return self.hit_rate, self.falsely_visible, self.falsely_invisible


@dataclass(frozen=True)
class Alone:
    """What one figure can be whatever the averaging, given u and the other rate.

    Attributes
    ----------
    name : its measure
    of : its denominator, or ""
    figure : as printed
    least, most : shares; of AE the number
    bound : the bound in words, or ""
    needed : the least and the most invisible share with which the figure is possible; None where
        none is, and of AE, which does not depend on it
    """

    name: str
    of: str
    figure: Interval
    least: Fraction
    most: Fraction
    bound: str = ""
    needed: tuple[Fraction, Fraction] | None = None

    @property
    def possible(self) -> bool:
        """Whether the printed figure is within the bounds, to rounding."""
        return self.beyond <= 0

    @property
    def beyond(self) -> Fraction:
        """How far the printed figure is beyond the bounds; negative where it is within them."""
        return max(self.figure.least - self.most, self.least - self.figure.most)


@dataclass(frozen=True)
class RowReadings:
    """Everything that can be said of one row.

    Attributes
    ----------
    row : Row
    alone : each figure by itself
    readings : every combination of denominators; none without a rate and PCP
    """

    row: Row
    alone: tuple[Alone, ...]
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Readings:
    """Everything that can be said of rows whose figures are computed alike.

    Attributes
    ----------
    invisible : the share of pairs that are not visible in the ground truth
    rows : RowReadings
    together : every combination of denominators, possible where it is possible in every row;
        empty for a single row
    """

    invisible: Interval
    rows: tuple[RowReadings, ...]
    together: tuple[Reading, ...] = ()


def given_row(figures: Mapping[str, str]) -> Row:
    """A row of figures that no file holds, by measure as printed."""
    own = tuple(Figure(name, text, measure(name).unit) for name, text in figures.items())
    return Row("given", "", "", "the figures given", own)


def picked_rows(names: Iterable[str]) -> list[Row]:
    """The published rows of these names; a paper's key stands for all rows with such figures.

    Raises
    ------
    InputError
        On an unknown name, and on a row or paper without any of FIGURES.
    """
    found: dict[str, Row] = {}
    for name in names:
        rows = [published_row(name)] if "/" in name else published_source(name).rows
        usable = {row.name: row for row in rows if row.printed(FIGURES)}
        if not usable:
            raise InputError(
                f"expected a published row with any of {', '.join(FIGURES)}, found none in {name}"
            )
        found |= usable
    return list(found.values())


def readings(rows: Sequence[Row], invisible: Interval = INVISIBLE_SHARE) -> Readings:
    """Which readings of printed figures are arithmetically possible.

    Parameters
    ----------
    rows : of figures that are computed alike, such as those of one table
    invisible : the share of pairs that are not visible in the ground truth

    Raises
    ------
    InputError
        Where a figure is not a number as printed.
    """
    found = tuple(_row_readings(row, invisible) for row in rows)
    return Readings(invisible, found, _together(found) if len(found) > 1 else ())


def row_figures(row: Row) -> dict[str, Interval]:
    """The figures of a row that are read, by measure."""
    texts = row.printed(FIGURES)
    return {name: printed(text, name, measure(name).unit) for name, text in texts.items()}


def _row_readings(row: Row, invisible: Interval) -> RowReadings:
    figures = row_figures(row)
    rates = [name for name in RATES if name in figures]
    found = [reading(figures, invisible, of) for of in denominators(rates)]
    related = bool(rates) or "PCP" in figures
    return RowReadings(row, tuple(each_alone(figures, invisible)), tuple(found if related else ()))


def denominators(rates: Sequence[str]) -> Iterator[dict[str, str]]:
    """Every combination of the denominators of some rates."""
    for values in product(*(RATES[name].names for name in rates)):
        yield dict(zip(rates, values, strict=True))


def _together(rows: Sequence[RowReadings]) -> tuple[Reading, ...]:
    """Every combination of the denominators that any row has, judged by all rows."""
    names = [name for name in RATES if any(each.row.printed([name]) for each in rows)]
    found = []
    for of in denominators(names):
        worst = Reading(of, POSSIBLE)
        for row, own in ((each.row, own) for each in rows for own in each.readings):
            applies = own.of.items() <= of.items()
            if applies and _VERDICTS.index(own.verdict) > _VERDICTS.index(worst.verdict):
                worst = Reading(of, own.verdict, f"{row.name}: {own.reason}")
        found.append(worst)
    return tuple(found)


_VERDICTS = (POSSIBLE, NOT_MICRO, IMPOSSIBLE)


def each_alone(figures: Figures, invisible: Interval) -> Iterator[Alone]:
    """What each figure can be by itself, whatever the averaging, given u and the other rate."""
    for name, figure in figures.items():
        if name == "AE":
            yield Alone(name, "", figure, Fraction(0), Fraction(CAP), "at most the cap")
            continue
        others = {each: span(each, of, exact=False) for each, of in LOOSEST.items()}
        others = {each: own for each, own in others.items() if each in figures and each != name}
        for of in RATES[name].names if name in RATES else ("",):
            own = span(name, of, exact=False)
            least, most = own.over(region(figures, invisible, others))
            points = region(figures, ANY_SHARE, {**others, name: own})
            needed = Span((INVISIBLE, ALL), (INVISIBLE, ALL)).over(points) if points else None
            # A bound that rests on a rate which is not printed says nothing.
            bound = BOUND.get((name, of), "")
            said = all(each in others for each in RATES if each in bound)
            yield Alone(name, of, figure, least, most, bound if said else "", needed)


LOOSEST = {"FVR": "invisible", "FIR": "visible"}
"""The denominators under which a printed rate says no more than it does under any."""

ANY_SHARE = Interval("", Fraction(0), Fraction(0), Fraction(1))


def reading(figures: Figures, invisible: Interval, of: Mapping[str, str]) -> Reading:
    """Whether figures can all be true under some denominators, and what they then imply.

    Parameters
    ----------
    figures : printed figures
    invisible : the share of pairs that are not visible in the ground truth
    of : the denominator of each rate printed, by measure
    """
    kept = dict(of)
    for exact, verdict in ((False, IMPOSSIBLE), (True, NOT_MICRO)):
        spans = spans_of(figures, of, exact=exact)
        points = region(figures, invisible, spans)
        if not points:
            return Reading(kept, verdict, _reason(figures, invisible, spans, of))
    middle = _middle(figures, invisible, of)
    return Reading(
        kept,
        POSSIBLE,
        hit_rate=_hit_rate(figures, points, middle),
        falsely_visible=_estimate(FALSELY_VISIBLE, points, middle),
        falsely_invisible=_estimate(FALSELY_INVISIBLE, points, middle),
    )


def spans_of(figures: Figures, of: Mapping[str, str], *, exact: bool) -> dict[str, Span]:
    """What the rates can be under some denominators, and PCP where it is printed."""
    found = {name: span(name, value, exact) for name, value in of.items()}
    return found | ({"PCP": span("PCP", "", exact)} if "PCP" in figures else {})


def region(figures: Figures, invisible: Interval, spans: Mapping[str, Span]) -> list[Point]:
    """The corners of the region in which every span holds its printed figure.

    Parameters
    ----------
    figures : printed figures
    invisible : the share of pairs that are not visible in the ground truth
    spans : by measure
    """
    bounds = [*ALWAYS, INVISIBLE - invisible.least * ALL, invisible.most * ALL - INVISIBLE]
    for name, each in spans.items():
        bounds += each.bounds(figures[name])
    points = corners(bounds)
    # The region is convex: if each denominator is positive somewhere, all are at some point.
    return points if all(each.defined(points) for each in spans.values()) else []


def _reason(
    figures: Figures, invisible: Interval, spans: Mapping[str, Span], of: Mapping[str, str]
) -> str:
    """The fewest figures that exclude each other, as a bound on one of them."""
    for size in range(len(spans)):
        for name, own in spans.items():
            for beside in combinations([each for each in spans if each != name], size):
                points = region(figures, invisible, {each: spans[each] for each in beside})
                if not points or not own.defined(points):
                    continue
                bound = _bound(figures[name], *own.over(points))
                if bound:
                    label = f"{name} of:{of[name]}" if name in of else name
                    others = " and ".join(f"{each} {figures[each].text} %" for each in beside)
                    given = f" beside {others}" if beside else ""
                    return f"{label} is {bound}{given}, and {figures[name].text} % is printed"
    return "a rate would be a share of nothing"


def _bound(figure: Interval, least: Fraction, most: Fraction) -> str:
    """The bound that a printed figure is beyond, or ""."""
    if figure.least > most:
        return f"at most {_percent_up(most)} %"
    return f"at least {_percent_down(least)} %" if figure.most < least else ""


def _middle(figures: Figures, invisible: Interval, of: Mapping[str, str]) -> Point | None:
    """The point that the figures as printed give, if they give one that can be."""
    if any(name not in of for name in RATES):
        return None
    planes = [INVISIBLE - invisible.value * ALL]
    for name, value in of.items():
        planes.append(COUNT[name] - figures[name].value * DENOMINATOR[name][value])
    point = _meeting_point(*(plane.whole() for plane in planes))
    return point if point and all(each.at(point) >= 0 for each in ALWAYS) else None


def _estimate(share: Share, points: Sequence[Point], middle: Point | None) -> Estimate:
    value = None if middle is None else Fraction(share.at(middle), ALL.at(middle))
    return Estimate(value, *Span((share, ALL), (share, ALL)).over(points))


def _hit_rate(figures: Figures, points: Sequence[Point], middle: Point | None) -> Estimate | None:
    pcp = figures.get("PCP")
    if pcp is None or all(BOTH_VISIBLE.at(point) == 0 for point in points):
        return None
    hits = Span(
        (pcp.least * ALL - BOTH_INVISIBLE, BOTH_VISIBLE),
        (pcp.most * ALL - BOTH_INVISIBLE, BOTH_VISIBLE),
    )
    value = None
    if middle is not None and BOTH_VISIBLE.at(middle) > 0:
        right = (pcp.value * ALL - BOTH_INVISIBLE).at(middle)
        value = Fraction(right, BOTH_VISIBLE.at(middle))
    within = value is not None and 0 <= value <= 1
    return Estimate(value if within else None, *hits.over(points))


# What is printed of readings


def _percent(share: Fraction, decimals: int = 2) -> str:
    return format(float(100 * share), f".{decimals}f")


def _percent_down(share: Fraction, decimals: int = 3) -> str:
    """Rounded down, so that a lower bound stays one."""
    return _scaled(math.floor(100 * share * 10**decimals), decimals)


def _percent_up(share: Fraction, decimals: int = 3) -> str:
    """Rounded up, so that an upper bound stays one."""
    return _scaled(math.ceil(100 * share * 10**decimals), decimals)


def _scaled(number: int, decimals: int) -> str:
    return format(number / 10**decimals, f".{decimals}f")


def estimate_text(estimate: Estimate | None) -> str:
    """A percentage with its range, rounded outwards."""
    if estimate is None:
        return UNDEFINED
    span = f"{_percent_down(estimate.least, 2)}–{_percent_up(estimate.most, 2)}"
    return span if estimate.value is None else f"{_percent(estimate.value)} ({span})"


def alone_label(each: Alone) -> str:
    """A figure and its denominator."""
    return f"{each.name} of:{each.of}" if each.of else each.name


def alone_cells(each: Alone) -> tuple[str, ...]:
    """One figure by itself: the verdict, the bound in words, as printed, least, most."""
    if each.name == "AE":
        least, most = "0", format(float(each.most), "g")
    else:
        least, most = _percent_down(each.least), _percent_up(each.most)
    verdict = POSSIBLE if each.possible else IMPOSSIBLE
    return verdict, each.bound or UNDEFINED, each.figure.text, least, most


def reading_label(of: Mapping[str, str]) -> str:
    """A combination of denominators on one line."""
    return ", ".join(f"{name} of:{value}" for name, value in of.items()) or "no rate printed"


def row_title(row: Row) -> str:
    """What a row is and what it prints."""
    figures = ", ".join(
        f"{name} {text} {measure(name).unit}" for name, text in row.printed(FIGURES).items()
    )
    source = ", ".join(filter(None, (row.paper, row.where, row.method)))
    return f"{source}: {figures}"


VERDICT_LEGEND: Note = (
    f"{POSSIBLE}: some numbers of pairs give every figure of the row to rounding, the rates taken "
    f"over all pairs at once. {NOT_MICRO}: none do, but other averages are not excluded. "
    f"{IMPOSSIBLE}: none do, whatever the averaging.",
)
SHARES_LEGEND: Note = (
    "h: the pairs visible in both that are within the radius, of all pairs visible in both. "
    "Falsely visible and falsely invisible pairs are of all pairs. All in % and for rates taken "
    "over all pairs at once: at the figures as printed, and in parentheses over everything that "
    "rounds to them.",
)
HUMAN_LEGEND: Note = (
    "Of annotators, a pair counts once for every answer: exact where all pairs have equally many, "
    "and for all pairs at once under workers:pooled.",
)
ALONE_LEGEND: Note = (
    "In %, but AE in units of σ. What a figure can be whatever the averaging, given u and the "
    "other rate; v, the visible pairs, is what u leaves. AE says nothing about denominators.",
)


def readings_document(found: Readings) -> Document:
    """The tables of `cubspec readings`."""
    share: Note = (f"u, the pairs not visible in the ground truth: {found.invisible.text}.",)
    tables = []
    for each in found.rows:
        tables.append(_alone_table(each, share))
        if each.readings:
            tables.append(_readings_table(each, share))
    if found.together:
        tables.append(_together_table(found, share))
    return Document("".join(share), tuple(tables))


def _alone_table(found: RowReadings, share: Note) -> Table:
    return Table(
        title=f"{row_title(found.row)}; each figure by itself",
        header=(("figure",), ("verdict",), ("bound",), ("printed",), ("least",), ("most",)),
        rows=tuple((alone_label(each), *alone_cells(each)) for each in found.alone),
        notes=(ALONE_LEGEND,),
        caption=(share, ALONE_LEGEND),
        words=3,
    )


def _readings_table(found: RowReadings, share: Note) -> Table:
    legend = (VERDICT_LEGEND, SHARES_LEGEND, *((HUMAN_LEGEND,) if found.row.human else ()))
    return Table(
        title=row_title(found.row),
        header=(
            ("reading",),
            ("verdict",),
            ("reason",),
            ("h",),
            ("falsely", "visible"),
            ("falsely", "invisible"),
        ),
        rows=tuple(
            (*_verdict_cells(each), *map(estimate_text, each.estimates)) for each in found.readings
        ),
        notes=legend,
        caption=(share, *legend),
        words=3,
    )


def _together_table(found: Readings, share: Note) -> Table:
    return Table(
        title=f"All {len(found.rows)} rows together, if their figures are computed alike",
        header=(("reading",), ("verdict",), ("reason",)),
        rows=tuple(map(_verdict_cells, found.together)),
        notes=(VERDICT_LEGEND,),
        caption=(share, VERDICT_LEGEND),
        words=3,
    )


def _verdict_cells(each: Reading) -> tuple[str, ...]:
    return reading_label(each.of), each.verdict, each.reason or UNDEFINED


def readings_json(found: Readings) -> str:
    """Everything as JSON, unrounded: percentages, null where there is none."""
    return json_text(
        {
            "cubspec": version("cubspec"),
            "invisible": {"said": found.invisible.text, **_numbers(found.invisible)},
            "rows": {
                each.row.name: {
                    "figures": each.row.printed(FIGURES),
                    "alone": [_alone_entry(one) for one in each.alone],
                    "readings": [_reading_entry(one) for one in each.readings],
                }
                for each in found.rows
            },
            "together": [
                {"of": one.of, "verdict": one.verdict, "reason": one.reason or None}
                for one in found.together
            ],
        }
    )


def _numbers(each: Interval | Estimate | None, scale: int = 100) -> dict[str, float | None]:
    numbers = {name: getattr(each, name, None) for name in ("value", "least", "most")}
    return {name: None if n is None else float(scale * n) for name, n in numbers.items()}


def _alone_entry(each: Alone) -> dict[str, Any]:
    scale = 1 if each.name == "AE" else 100
    return {
        "figure": each.name,
        "of": each.of or None,
        "printed": _numbers(each.figure, scale),
        "least": float(scale * each.least),
        "most": float(scale * each.most),
        "verdict": POSSIBLE if each.possible else IMPOSSIBLE,
        "invisible_needed": None if each.needed is None else [float(100 * n) for n in each.needed],
    }


def _reading_entry(each: Reading) -> dict[str, Any]:
    return {
        "of": each.of,
        "verdict": each.verdict,
        "reason": each.reason or None,
        **dict(zip(SHARES, map(_numbers, each.estimates), strict=True)),
    }


def readings_csv(found: Readings) -> str:
    """The combinations as CSV, one line for each, unrounded; rows `together` judge all rows."""
    head = [f"{share}{end}" for share in SHARES for end in ("", "_least", "_most")]
    lines: list[Sequence[object]] = [("row", "FVR of", "FIR of", "verdict", "reason", *head)]
    entries = [(each.row.name, one) for each in found.rows for one in each.readings]
    for name, one in [*entries, *(("together", one) for one in found.together)]:
        numbers = [number for each in one.estimates for number in _numbers(each).values()]
        own = (one.of.get("FVR"), one.of.get("FIR"), one.verdict, one.reason)
        lines.append((name, *own, *numbers))
    return csv_text(lines)
