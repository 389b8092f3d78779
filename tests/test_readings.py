"""Which readings of printed figures are possible, and which reproduce a human row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cubspec.choices import context_choices, measure
from cubspec.cli import main
from cubspec.cub import read_cub
from cubspec.data import Dataset, InputError, Prediction, Truth
from cubspec.measures.averages import AVG
from cubspec.measures.visibility import FIR_OF, FVR_OF, fir_pairs, fvr_pairs
from cubspec.readings import (
    ALL,
    BOTH_VISIBLE,
    DENOMINATOR,
    FALSELY_INVISIBLE,
    FALSELY_VISIBLE,
    FIGURES,
    IMPOSSIBLE,
    INVISIBLE,
    INVISIBLE_SHARE,
    LIMIT,
    NOT_MICRO,
    POSSIBLE,
    Interval,
    Reading,
    Span,
    corners,
    each_alone,
    given_row,
    invisible_share,
    picked_rows,
    printed,
    printed_invisible_share,
    reading,
    readings,
    readings_csv,
    readings_document,
    readings_json,
    region,
    row_figures,
    spans_of,
)
from cubspec.reproducing import (
    AXES,
    Reproduced,
    human_row,
    merged,
    reproduce,
    reproduction_csv,
    reproduction_document,
    reproduction_json,
)
from cubspec.scoring import SPLITS, score
from cubspec.site.tables import TABLES
from cubspec.tables import as_latex, as_markdown, as_text
from cubspec.truth.sigma import SIGMA
from tests.writing import random_dataset, write_cub

COMBINATIONS = [{"FVR": fvr, "FIR": fir} for fvr, fir in product(FVR_OF.names, FIR_OF.names)]

NO_BREAK = "\N{NO-BREAK SPACE}"


def percent(share: Fraction | float, decimals: int = 2) -> str:
    return format(float(100 * share), f".{decimals}f")


def figures_of(**texts: str) -> dict[str, Interval]:
    return row_figures(given_row(texts))


def verdicts(row: str, **of: str) -> set[str]:
    """The verdicts of the readings of a published row with these denominators."""
    found = readings(picked_rows([row])).rows[0].readings
    return {each.verdict for each in found if of.items() <= each.of.items()}


# Printed figures


@pytest.mark.parametrize(
    ("text", "unit", "least", "most"),
    [
        ("28.48", "%", "28.475", "28.485"),
        ("4.5", "%", "4.45", "4.55"),
        ("17", "%", "16.5", "17.5"),
        ("0.00", "%", "0", "0.005"),
        ("100.0", "%", "99.95", "100"),
        (" 060.030 ", "%", "60.0295", "60.0305"),
    ],
)
def test_a_printed_percentage_stands_for_what_rounds_to_it(
    text: str, unit: str, least: str, most: str
) -> None:
    found = printed(text, "FVR", unit)
    assert (found.least, found.most) == (Fraction(least) / 100, Fraction(most) / 100)
    assert found.value == Fraction(text.strip()) / 100


def test_an_error_is_no_percentage() -> None:
    found = printed("1.80", "AE", "σ")
    assert (found.value, found.least, found.most) == (
        Fraction(180, 100),
        Fraction(1795, 1000),
        Fraction(1805, 1000),
    )
    assert printed("120", "AE", "σ").value == 120


@pytest.mark.parametrize(
    "text", ["", "28,48", "-1", "+1", "1e1", ".5", "5.", "28.48%", "nan", "inf", "1" * 5000, "२"]
)
def test_what_is_not_printed_so_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected FIR as printed"):
        printed(text, "FIR")


def test_a_percentage_is_at_most_100() -> None:
    with pytest.raises(InputError, match=r"expected PCP to be a percentage of at most 100, found"):
        printed("100.01", "PCP")


def test_the_invisible_share_is_counted_exactly() -> None:
    dataset = random_dataset(5, images=40)
    for split in SPLITS:
        images = {"all": ..., "train": dataset.training, "test": ~dataset.training}[split]
        hidden = (~dataset.given.visible[images]).sum()
        share = Fraction(int(hidden), dataset.given.visible[images].size)
        found = invisible_share(dataset, split)
        assert (found.value, found.least, found.most) == (share, share, share)
    assert printed_invisible_share("20.0").most == Fraction(2005, 10000)


# The figures of Liu & Belhumeur, as worked out by hand


def test_only_invisible_is_left_of_fvr_in_their_best_row() -> None:
    assert verdicts("liu2013/consistency", FVR="all") == {IMPOSSIBLE}
    assert verdicts("liu2013/consistency", FVR="predicted") == {IMPOSSIBLE}
    assert verdicts("liu2013/consistency", FVR="invisible") == {POSSIBLE}


def test_their_figure_without_visibility_excludes_all_and_predicted_beside_their_fir() -> None:
    assert verdicts("liu2013/no-visibility", FVR="all") == {IMPOSSIBLE}
    assert verdicts("liu2013/no-visibility", FVR="predicted") == {POSSIBLE}
    for fir in FIR_OF.names:
        figures = figures_of(FVR="60.03", FIR="4.52")
        found = reading(figures, INVISIBLE_SHARE, {"FVR": "predicted", "FIR": fir})
        assert found.verdict == IMPOSSIBLE
    only = readings(picked_rows(["liu2013/no-visibility"])).rows[0].readings
    predicted = next(each for each in only if each.of == {"FVR": "predicted"})
    # FVR of predicted is at most u + FIR, so FIR would have to be 60.025 − 20.29 or more.
    assert predicted.falsely_invisible
    assert predicted.falsely_invisible.least >= Fraction("0.39735")


def test_their_rows_together_leave_only_invisible() -> None:
    together = readings(picked_rows(["liu2013"])).together
    possible = [each.of for each in together if each.verdict == POSSIBLE]
    assert possible == [{"FVR": "invisible", "FIR": fir} for fir in FIR_OF.names]
    assert all(each.reason.startswith("liu2013/") for each in together if each.of not in possible)


def test_their_human_rates_do_not_exclude_predicted_by_themselves() -> None:
    figures = figures_of(FVR="20.72", FIR="6.03")
    found = {
        tuple(of.values()): reading(figures, INVISIBLE_SHARE, of).verdict for of in COMBINATIONS
    }
    assert {found["all", fir] for fir in FIR_OF.names} == {IMPOSSIBLE}
    assert {found["invisible", fir] for fir in FIR_OF.names} == {POSSIBLE}
    assert found["predicted", "all"] == found["predicted", "visible"] == POSSIBLE
    assert verdicts("liu2013/human", FVR="predicted") == {NOT_MICRO}


@pytest.mark.parametrize(("fir", "expected"), [("visible", "91.6"), ("all", "93.1")])
def test_the_hit_rate_that_the_human_row_implies(fir: str, expected: str) -> None:
    figures = row_figures(human_row("liu2013"))
    found = reading(figures, INVISIBLE_SHARE, {"FVR": "invisible", "FIR": fir})
    assert found.hit_rate
    assert found.hit_rate.value
    assert percent(found.hit_rate.value, 1) == expected
    u, f, m = Fraction("0.2003"), Fraction("0.2072"), Fraction("0.0603")
    m = m / (1 - u) if fir == "all" else m
    by_hand = (Fraction("0.8472") - u * (1 - f)) / ((1 - u) * (1 - m))
    assert found.hit_rate.value == by_hand
    assert found.hit_rate.least < by_hand < found.hit_rate.most


def test_the_bounds_of_figures_by_themselves() -> None:
    alone = {
        (each.name, each.of): each
        for each in readings(picked_rows(["liu2013/consistency"])).rows[0].alone
    }
    expected = {
        ("PCP", ""): ("0", "1", True),
        ("AE", ""): ("0", "5", True),
        ("FVR", "all"): ("0", "0.2029", False),
        ("FVR", "invisible"): ("0", "1", True),
        ("FVR", "predicted"): ("0", "0.24815", False),
        ("FIR", "all"): ("0", "0.8024", True),
        ("FIR", "visible"): ("0", "1", True),
        ("FIR", "predicted"): ("0", "1", True),
    }
    found = {key: (each.least, each.most, each.possible) for key, each in alone.items()}
    assert found == {
        key: (Fraction(least), Fraction(most), possible)
        for key, (least, most, possible) in expected.items()
    }


def test_pcp_is_at_least_what_is_rightly_called_invisible() -> None:
    row = given_row({"PCP": "9.00", "FVR": "10.00", "AE": "5.02"})
    alone = {(each.name, each.of): each for each in readings([row]).rows[0].alone}
    assert alone["PCP", ""].least == Fraction("0.1976") - Fraction("0.10005")
    assert not alone["PCP", ""].possible
    assert not alone["AE", ""].possible
    assert alone["FVR", "predicted"].most == 1
    assert alone["FVR", "predicted"].bound == ""


def test_how_far_the_conclusion_is_from_flipping() -> None:
    (found,) = readings(picked_rows(["liu2013/consistency"])).rows
    alone = {each.of: each for each in found.alone if each.name == "FVR"}
    assert alone["all"].beyond == Fraction("0.28475") - Fraction("0.2029")
    assert alone["predicted"].beyond == Fraction("0.28475") - Fraction("0.24815")
    assert alone["invisible"].beyond < 0
    needed = {of: each.needed for of, each in alone.items()}
    assert needed == {
        "all": (Fraction("0.28475"), 1),
        "invisible": (0, 1),
        "predicted": (Fraction("0.28475") - Fraction("0.04525"), 1),
    }


def test_the_reason_names_the_fewest_figures() -> None:
    figures = row_figures(picked_rows(["liu2013/consistency"])[0])
    reasons = {
        tuple(of.values()): reading(figures, INVISIBLE_SHARE, of).reason for of in COMBINATIONS
    }
    assert reasons["all", "visible"] == "FVR of:all is at most 20.290 %, and 28.48 % is printed"
    assert reasons["predicted", "all"] == (
        "FVR of:predicted is at most 24.815 % beside FIR 4.52 %, and 28.48 % is printed"
    )
    assert reasons["invisible", "visible"] == ""


def test_figures_that_are_missing_leave_the_rest() -> None:
    only_pcp = readings([given_row({"PCP": "48.70"})]).rows[0].readings
    assert [each.of for each in only_pcp] == [{}]
    assert only_pcp[0].hit_rate
    assert only_pcp[0].hit_rate.value is None
    # At best every invisible pair is right: the rest of PCP is hits among the visible.
    least = (Fraction("0.48695") - Fraction("0.2029")) / (1 - Fraction("0.2029"))
    assert (only_pcp[0].hit_rate.least, only_pcp[0].hit_rate.most) == (least, 1)
    only_fir = readings([given_row({"FIR": "6.03"})]).rows[0].readings
    assert [each.of for each in only_fir] == [{"FIR": fir} for fir in FIR_OF.names]
    assert {each.hit_rate for each in only_fir} == {None}
    assert readings([given_row({"AE": "1.00"})]).rows[0].readings == ()


def test_figures_that_fit_only_before_rounding_give_ranges_alone() -> None:
    # As printed, more pairs are falsely visible than are invisible at 20.03 %.
    found = reading(figures_of(FVR="20.20", FIR="0.00"), INVISIBLE_SHARE, COMBINATIONS[0])
    assert found.verdict == POSSIBLE
    assert found.falsely_visible
    assert found.falsely_visible.value is None
    # As printed, no pair is wrong, but some are falsely visible.
    figures = figures_of(PCP="100.00", FVR="0.01", FIR="0.00")
    found = reading(figures, INVISIBLE_SHARE, {"FVR": "invisible", "FIR": "visible"})
    assert found.verdict == POSSIBLE
    assert found.hit_rate
    assert found.hit_rate.value is None
    assert found.hit_rate.most == 1
    assert found.falsely_visible
    assert found.falsely_visible.value == Fraction("0.2003") * Fraction("0.0001")


def test_a_row_without_a_rate_bears_on_all_its_denominators() -> None:
    one = replace(given_row({"FVR": "60.00"}), name="one")
    other = replace(given_row({"FVR": "5.00", "FIR": "5.00"}), name="other")
    together = readings([one, other]).together
    assert len(together) == len(COMBINATIONS)
    for each in together:
        if each.of["FVR"] == "all":
            assert each.verdict == IMPOSSIBLE
            assert each.reason.startswith("one: FVR of:all is at most 20.290 %")
        else:
            assert each.verdict == POSSIBLE


# Soundness


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """Pairs rightly invisible, falsely visible, hit, missed, falsely invisible."""
    largest = draw(st.sampled_from([1, 5, 60, 4000]))
    found = [draw(st.integers(0, largest)) for _ in range(5)]
    assume(sum(found))
    a, b, c, d, e = found
    return a, b, c, d, e


def true_rates(numbers: tuple[int, int, int, int, int], of: Mapping[str, str]) -> dict[str, Any]:
    """Exact figures of counts, None where undefined, straight from the definitions."""
    rightly, falsely_visible, hits, misses, falsely_invisible = numbers
    everything = sum(numbers)
    bottoms = {
        "FVR": {
            "all": everything,
            "invisible": rightly + falsely_visible,
            "predicted": falsely_visible + hits + misses,
        },
        "FIR": {
            "all": everything,
            "visible": hits + misses + falsely_invisible,
            "predicted": rightly + falsely_invisible,
        },
    }
    tops = {"FVR": falsely_visible, "FIR": falsely_invisible}
    rates: dict[str, Any] = {
        name: Fraction(tops[name], bottoms[name][value]) if bottoms[name][value] else None
        for name, value in of.items()
    }
    return {"PCP": Fraction(rightly + hits, everything), **rates}


def shares_around(draw: st.DrawFn, share: Fraction) -> Interval:
    """The true invisible share: exact, as printed, or somewhere in an interval."""
    kind = draw(st.sampled_from(["exact", "printed", "interval"]))
    if kind == "printed":
        return printed_invisible_share(percent(share))
    if kind == "exact":
        return Interval("", share, share, share)
    below, above = (draw(st.fractions(0, Fraction(1, 50), max_denominator=500)) for _ in range(2))
    return Interval("", share, max(share - below, Fraction(0)), min(share + above, Fraction(1)))


@settings(max_examples=2000, deadline=None)
@given(st.data(), counts(), st.sampled_from(COMBINATIONS), st.integers(0, 3))
def test_what_is_true_is_never_excluded(
    data: st.DataObject,
    numbers: tuple[int, int, int, int, int],
    of: dict[str, str],
    decimals: int,
) -> None:
    kept = data.draw(st.sets(st.sampled_from(["PCP", "FVR", "FIR"]), min_size=1))
    of = {name: value for name, value in of.items() if name in kept}
    rates = {name: rate for name, rate in true_rates(numbers, of).items() if name in kept}
    assume(None not in rates.values())
    invisible = shares_around(data.draw, Fraction(numbers[0] + numbers[1], sum(numbers)))
    figures = figures_of(**{name: percent(rate, decimals) for name, rate in rates.items()})
    found = reading(figures, invisible, of)
    assert found.verdict == POSSIBLE, found.reason
    within(found, numbers)


def within(found: Reading, numbers: tuple[int, int, int, int, int]) -> None:
    """Check that the true shares are in the ranges of a reading."""
    _, falsely_visible, hits, misses, falsely_invisible = numbers
    for estimate, top, bottom in (
        (found.hit_rate, hits, hits + misses),
        (found.falsely_visible, falsely_visible, sum(numbers)),
        (found.falsely_invisible, falsely_invisible, sum(numbers)),
    ):
        if estimate is not None and bottom:
            assert estimate.least <= Fraction(top, bottom) <= estimate.most


@settings(max_examples=300, deadline=None)
@given(counts(), st.sampled_from(COMBINATIONS))
def test_many_digits_leave_only_what_is_true(
    numbers: tuple[int, int, int, int, int], of: dict[str, str]
) -> None:
    rates = true_rates(numbers, of)
    rightly, falsely_visible, hits, misses, falsely_invisible = numbers
    assume(min(numbers) > 0)
    # Where a prediction says nothing of the truth, both rates of predicted pairs fit many numbers.
    says_nothing = rightly * (hits + misses) == falsely_visible * falsely_invisible
    assume(set(of.values()) != {"predicted"} or not says_nothing)
    invisible = Fraction(rightly + falsely_visible, sum(numbers))
    texts = {name: f"{float(100 * rate):.11f}" for name, rate in rates.items()}
    found = reading(figures_of(**texts), Interval("", invisible, invisible, invisible), of)
    assert found.verdict == POSSIBLE
    within(found, numbers)
    for estimate in found.estimates:
        assert estimate
        assert estimate.value is not None
        assert estimate.most - estimate.least < Fraction(1, 10**5)
        assert estimate.least <= estimate.value <= estimate.most


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from(COMBINATIONS), st.booleans())
def test_what_is_possible_has_numbers_that_give_the_figures(
    data: st.DataObject, of: dict[str, str], with_pcp: bool
) -> None:
    names = ("PCP", "FVR", "FIR") if with_pcp else ("FVR", "FIR")
    texts = {name: percent(data.draw(st.floats(0, 1)), 1) for name in names}
    figures = figures_of(**texts)
    points = region(figures, INVISIBLE_SHARE, spans_of(figures, of, exact=True))
    found = reading(figures, INVISIBLE_SHARE, of)
    assert bool(points) == (found.verdict == POSSIBLE)
    if not points:
        assert found.reason
        return
    # The mean of the corners is inside. Numbers of pairs that give it exactly:
    mean = [sum(Fraction(p[axis], p[3]) for p in points) / len(points) for axis in range(3)]
    invisible, falsely_visible, falsely_invisible = mean
    both = 1 - invisible - falsely_invisible
    rightly = invisible - falsely_visible
    least, most = rightly, rightly + both
    assert INVISIBLE_SHARE.least <= invisible <= INVISIBLE_SHARE.most
    bottoms = {
        ("FVR", "all"): Fraction(1),
        ("FVR", "invisible"): invisible,
        ("FVR", "predicted"): both + falsely_visible,
        ("FIR", "all"): Fraction(1),
        ("FIR", "visible"): 1 - invisible,
        ("FIR", "predicted"): rightly + falsely_invisible,
    }
    for name, top in (("FVR", falsely_visible), ("FIR", falsely_invisible)):
        rate = top / bottoms[name, of[name]]
        assert figures[name].least <= rate <= figures[name].most
    if with_pcp:
        assert least <= figures["PCP"].most
        assert most >= figures["PCP"].least


def random_visibility(draw: np.random.Generator, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Flags whose share differs a lot from image to image and from part to part."""
    odds = draw.choice([0.0, 0.1, 0.5, 0.9, 1.0, draw.random()], (size[0], 1))
    others = draw.choice([0.0, 0.5, 1.0, draw.random()], (1, size[1]))
    return draw.random(size) < np.where(draw.random(size) < draw.random(), odds, others)


@settings(max_examples=1000, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(COMBINATIONS),
    st.sampled_from(AVG.names),
    st.sampled_from(AVG.names),
)
def test_whatever_the_averaging_what_is_true_is_never_called_impossible(
    seed: int, of: dict[str, str], fvr_average: str, fir_average: str
) -> None:
    draw = np.random.default_rng(seed)
    size = (int(draw.integers(1, 6)), int(draw.integers(1, 6)))
    visible, predicted = random_visibility(draw, size), random_visibility(draw, size)
    nowhere = np.zeros((*size, 2))
    truth, prediction = Truth(visible, nowhere), Prediction(predicted, nowhere)
    hits = visible & predicted & random_visibility(draw, size)
    correct = hits | ~(visible | predicted)
    rates = {
        "FVR": AVG[fvr_average](fvr_pairs(prediction, truth, of["FVR"])),
        "FIR": AVG[fir_average](fir_pairs(prediction, truth, of["FIR"])),
    }
    assume(not any(np.isnan(rate) for rate in rates.values()))
    share = Fraction(int((~visible).sum()), visible.size)
    texts = {name: f"{rate:.2f}" for name, rate in rates.items()}
    figures = figures_of(PCP=f"{100 * correct.mean():.2f}", **texts)
    found = reading(figures, Interval("", share, share, share), of)
    assert found.verdict != IMPOSSIBLE, found.reason
    if fvr_average == fir_average == "micro":
        assert found.verdict == POSSIBLE, found.reason
    for each in each_alone(figures, Interval("", share, share, share)):
        if of.get(each.name, "") == each.of:
            assert each.possible
            assert each.needed
            assert each.needed[0] <= share <= each.needed[1]


def test_other_averages_give_what_all_pairs_at_once_cannot() -> None:
    # One image is all wrong about one pair, the other right about many: FVR of invisible is 50 %.
    visible = np.array([[False, True, True, True], [False, False, False, False]])
    predicted = np.array([[True, True, True, True], [False, False, False, False]])
    truth, prediction = (
        Truth(visible, np.zeros((2, 4, 2))),
        Prediction(predicted, np.zeros((2, 4, 2))),
    )
    fvr = AVG["images"](fvr_pairs(prediction, truth, "invisible"))
    fir = AVG["images"](fir_pairs(prediction, truth, "visible"))
    assert (fvr, fir) == (50.0, 0.0)
    five_eighths = Fraction(5, 8)
    found = reading(
        figures_of(PCP="87.50", FVR="50.00", FIR="0.00"),
        Interval("", five_eighths, five_eighths, five_eighths),
        {"FVR": "invisible", "FIR": "visible"},
    )
    assert found.verdict == NOT_MICRO
    assert found.reason.startswith(("PCP is at most 68.7", "FVR of:invisible is at most 20.0"))


def test_the_corners_of_a_square() -> None:
    figures = figures_of(FVR="10", FIR="20")
    share = Interval("", Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    spans = spans_of(figures, {"FVR": "all", "FIR": "all"}, exact=True)
    found = {
        tuple(Fraction(each, point[3]) for each in point[:3])
        for point in region(figures, share, spans)
    }
    a, b = ("0.095", "0.105"), ("0.195", "0.205")
    assert found == {(Fraction(1, 2), Fraction(x), Fraction(y)) for x, y in product(a, b)}
    assert corners([]) == []


def test_a_rate_of_nothing_is_not_possible() -> None:
    nothing = Interval("", Fraction(0), Fraction(0), Fraction(0))
    found = {
        of: reading(figures_of(FVR="0.00"), nothing, {"FVR": of}) for of in ("all", "invisible")
    }
    assert found["all"].verdict == POSSIBLE
    assert found["invisible"].verdict == NOT_MICRO
    assert found["invisible"].reason == "a rate would be a share of nothing"


def test_a_quotient_whose_bottom_vanishes_tends_to_the_end() -> None:
    # At the first point nothing is visible in both, and the top is positive, negative or 0.
    points = [(5, 1, 5, 10), (5, 2, 1, 10)]
    for top, expected in (
        (FALSELY_VISIBLE, (Fraction(1, 2), 1)),
        (FALSELY_INVISIBLE - INVISIBLE - ALL, (0, 0)),
        (BOTH_VISIBLE, (1, 1)),
    ):
        assert Span((top, BOTH_VISIBLE), (top, BOTH_VISIBLE)).over(points) == expected


def test_every_denominator_has_its_share() -> None:
    assert tuple(DENOMINATOR["FVR"]) == tuple(LIMIT["FVR"]) == FVR_OF.names
    assert tuple(DENOMINATOR["FIR"]) == tuple(LIMIT["FIR"]) == FIR_OF.names


# What is written


def test_picked_rows() -> None:
    assert [row.name for row in picked_rows(["liu2013/human", "liu2013"])] == [
        "liu2013/human",
        "liu2013/consistency",
        "liu2013/consensus",
        "liu2013/no-visibility",
    ]
    for name in ("welinder2010", "wah2011/report"):
        with pytest.raises(InputError, match=f"any of PCP, AE, FVR, FIR, found none in {name}"):
            picked_rows([name])


def test_the_tables_hold_every_reading_with_its_reason() -> None:
    found = readings(picked_rows(["liu2013"]))
    document = readings_document(found)
    titles = [table.title for table in document.tables]
    assert len(titles) == 4 * 2 + 1
    assert titles[-1].startswith("All 4 rows together")
    readings_tables = document.tables[1:8:2]
    for row, table in zip(found.rows, readings_tables, strict=True):
        assert len(table.rows) == len(row.readings)
        for each, cells in zip(row.readings, table.rows, strict=True):
            assert cells[1] == each.verdict
            assert (cells[2] == "–") == (each.verdict == POSSIBLE)
    human = readings_tables[2]
    cells = {line[0]: line for line in human.rows}
    assert cells["FVR of:invisible, FIR of:visible"][3:] == (
        "91.61 (91.56–91.65)",
        "4.15 (4.09–4.21)",
        "4.82 (4.80–4.85)",
    )
    for write in (as_text, as_markdown, as_latex):
        text = write(document)
        assert "24.815" in text
        assert "19.76" in text


def test_json_and_csv_hold_the_same_numbers() -> None:
    found = readings([*picked_rows(["liu2013/human"]), given_row({"PCP": "48.70"})])
    content = json.loads(readings_json(found))
    assert content["invisible"]["most"] == 20.29
    entries = [(name, each) for name, row in content["rows"].items() for each in row["readings"]]
    assert len(content["together"]) == 9
    lines = list(csv.DictReader(io.StringIO(readings_csv(found))))
    assert [line["row"] for line in lines] == ["liu2013/human"] * 9 + ["given"] + ["together"] * 9
    for line, (name, each) in zip(lines, entries, strict=False):
        assert (line["row"], line["verdict"]) == (name, each["verdict"])
        assert (line["FVR of"] or None) == each["of"].get("FVR")
        for share in ("hit_rate", "falsely_visible", "falsely_invisible"):
            for end in ("value", "least", "most"):
                text = line[share if end == "value" else f"{share}_{end}"]
                assert (float(text) if text else None) == each[share][end]


# The human row of a dataset


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return random_dataset(11, images=60, ragged=True)


KNOWN = [
    dict(zip(AXES, values, strict=True))
    for values in zip(
        ("given", "clicks", "given", "clicks", "given", "clicks", "given"),
        ("test", "train", "all", "test", "train", "all", "test"),
        ("all", "train", "scored", "scored", "all", "train", "train"),
        ("mean", "pooled", "mean", "mean", "pooled", "mean", "pooled"),
        SIGMA.names,
        ("micro", "parts", "images", "parts", "images", "micro", "images"),
        ("median", "mean", "one", "each", "any", "median", "one"),
        ("invisible", "all", "predicted", "predicted", "invisible", "invisible", "all"),
        ("visible", "predicted", "all", "predicted", "all", "visible", "visible"),
        strict=True,
    )
]
"""Readings that together hold every value of every choice."""


def test_the_known_readings_hold_every_value() -> None:
    names = {
        **{key: context_choices()[key].names for key in ("truth", "pool", "workers")},
        "split": SPLITS,
        "sigma": SIGMA.names,
        "avg": AVG.names,
        "ref": measure("PCP").choice("ref").names,
        "FVR of": FVR_OF.names,
        "FIR of": FIR_OF.names,
    }
    for key in AXES:
        assert {each[key] for each in KNOWN} == set(names[key])


def computed(dataset: Dataset, chosen: Mapping[str, str]) -> dict[str, float]:
    """The four figures of one reading, each scored by itself."""
    shorts = {
        "PCP": f"PCP|sigma:{chosen['sigma']}|ref:{chosen['ref']}",
        "AE": f"AE|sigma:{chosen['sigma']}|avg:{chosen['avg']}",
        "FVR": f"FVR|of:{chosen['FVR of']}|avg:{chosen['avg']}",
        "FIR": f"FIR|of:{chosen['FIR of']}|avg:{chosen['avg']}",
    }
    context = {key: chosen[key] for key in ("truth", "pool", "split")}
    rows = score(dataset, {}, only=list(shorts.values()), **context).rows  # type: ignore[arg-type]
    return {name: rows[f"Human|workers:{chosen['workers']}"][s] for name, s in shorts.items()}


@pytest.mark.parametrize("chosen", KNOWN, ids=lambda chosen: chosen["sigma"])
def test_a_known_reading_is_found(dataset: Dataset, chosen: dict[str, str]) -> None:
    values = computed(dataset, chosen)
    row = given_row({name: f"{value:.2f}" for name, value in values.items()})
    found = reproduce(dataset, row, most=1)
    assert chosen in [each.chosen for each in found.best]
    for each in found.best:
        assert (each.rank, each.met) == (1, 4)
        assert each.values == pytest.approx(values, rel=1e-12)
        assert computed(dataset, each.chosen) == pytest.approx(values, rel=1e-12)
    (line,) = reproduction_document(found).tables[0].rows[:1]
    for key, cell in zip(AXES, line[1 : 1 + len(AXES)], strict=True):
        assert {each.chosen[key] for each in found.best} >= set(cell.split(", "))


def every_reading(dataset: Dataset) -> Iterator[tuple[dict[str, str], dict[str, float]]]:
    """Every reading with its figures, by plain loops over results that share nothing."""
    for truth, split, pool in product(*(("given", "clicks"), SPLITS, ("all", "train", "scored"))):
        result = score(dataset, {}, truth=truth, split=split, pool=pool)
        for workers, sigma, avg in product(("mean", "pooled"), SIGMA.names, AVG.names):
            row = result.rows[f"Human|workers:{workers}"]
            for ref, fvr, fir in product(
                measure("PCP").choice("ref").names, FVR_OF.names, FIR_OF.names
            ):
                values = truth, split, pool, workers, sigma, avg, ref, fvr, fir
                figures = {
                    "PCP": row[f"PCP|sigma:{sigma}|ref:{ref}"],
                    "AE": row[f"AE|sigma:{sigma}|avg:{avg}"],
                    "FVR": row[f"FVR|of:{fvr}|avg:{avg}"],
                    "FIR": row[f"FIR|of:{fir}|avg:{avg}"],
                }
                yield dict(zip(AXES, values, strict=True)), figures


def test_every_reading_is_tried_and_ranked(dataset: Dataset) -> None:
    # All images are scored, so the pools all and scored are tied.
    base = computed(dataset, KNOWN[2])
    texts = {
        "PCP": f"{base['PCP']:.1f}",
        "AE": f"{base['AE']:.1f}",
        "FVR": f"{base['FVR']:.0f}",
        "FIR": f"{base['FIR']:.2f}",
    }
    decimals = {"PCP": 1, "AE": 1, "FVR": 0, "FIR": 2}
    scores = []
    for chosen, values in every_reading(dataset):
        met = sum(f"{values[name]:.{decimals[name]}f}" == text for name, text in texts.items())
        steps = sum(
            abs(values[name] - float(text)) * 10 ** decimals[name] for name, text in texts.items()
        )
        scores.append((met, steps, chosen))
    found = reproduce(dataset, given_row(texts), most=25)
    assert found.tried == len(scores) == 7 * 3 * 2 * 2 * 3 * 3 * 5 * 3 * 3
    assert found.meeting == {n: sum(met == n for met, *_ in scores) for n in (4, 3, 2, 1, 0)}
    assert sum(found.meeting.values()) == found.tried
    scores.sort(key=lambda each: (-each[0], each[1]))
    for each, (met, steps, _) in zip(found.best, scores, strict=False):
        assert each.met == met
        assert each.steps == pytest.approx(steps, abs=1e-8)
    ranks: dict[int, list[Reproduced]] = {}
    for each in found.best:
        ranks.setdefault(each.rank, []).append(each)
    assert list(ranks) == list(range(1, 26))
    assert any(len(tied) > 1 for tied in ranks.values())
    assert [each.chosen for each in ranks[1]] == [
        chosen
        for met, steps, chosen in scores
        if met == scores[0][0] and abs(steps - scores[0][1]) <= 1e-9
    ]


def test_what_differs_by_little_is_not_tied() -> None:
    # With five full slots the two ways to put annotators together differ in few digits of AE.
    full = random_dataset(3, images=60)
    row = given_row({name: f"{value:.1f}" for name, value in computed(full, KNOWN[0]).items()})
    best = reproduce(full, row, most=8).best
    first = {each.rank: each for each in reversed(best)}
    for each in best:
        assert abs(each.steps - first[each.rank].steps) <= 1e-9
    gaps = [first[rank + 1].steps - first[rank].steps for rank in range(1, 8)]
    assert all(gap > 1e-9 for gap in gaps)
    assert min(gaps) < 1e-3


def test_what_differs_by_rounding_errors_is_tied(dataset: Dataset) -> None:
    # Weighted by their answers, the slots' PCPs have the PCP of all answers as their mean.
    row = given_row({"PCP": f"{computed(dataset, KNOWN[3])['PCP']:.2f}"})
    best = reproduce(dataset, row, most=1).best
    assert {each.chosen["workers"] for each in best} == {"mean", "pooled"}
    assert len({each.steps for each in best}) > 1


def test_a_signature_names_the_reading(dataset: Dataset) -> None:
    row = given_row({name: f"{value:.2f}" for name, value in computed(dataset, KNOWN[2]).items()})
    for each in reproduce(dataset, row, most=2).best:
        chosen = each.chosen
        for name, signature in each.signatures.items():
            context = {key: chosen[key] for key in ("truth", "pool", "split")}
            result = score(dataset, {}, only=[short_of(name, chosen)], **context)  # type: ignore[arg-type]
            own = result.signatures[f"Human|workers:{chosen['workers']}"]
            assert signature == own[short_of(name, chosen)]


def short_of(name: str, chosen: Mapping[str, str]) -> str:
    keys = measure(name).keys
    values = {key: chosen[f"{name} of"] if key == "of" else chosen[key] for key in keys}
    return "|".join([name, *(f"{key}:{value}" for key, value in values.items())])


def test_without_a_split_only_all_images_are_scored(dataset: Dataset) -> None:
    found = reproduce(replace(dataset, training=None), human_row("liu2013"), most=3)
    assert found.tried == 7 * 3 * 2 * 2 * 2 * 1 * 5 * 3 * 3
    assert {each.chosen["split"] for each in found.best} == {"all"}
    assert any("train_test_split.txt: not found" in note for note in found.notes)
    whole = reproduce(dataset, human_row("liu2013"), most=3)
    assert not any("train_test_split" in note for note in whole.notes)


def test_without_clicks_nothing_is_reproduced(dataset: Dataset) -> None:
    bare = replace(dataset, clicks=None, clicks_name=None, source="birds")
    with pytest.raises(InputError, match=r"^birds/parts/part_click_locs.txt: expected the annota"):
        reproduce(bare, human_row("liu2013"))


def test_undefined_figures_come_last_and_are_null() -> None:
    # Everything is visible, so no FVR of the invisible; and one click each, so no unit.
    draw = np.random.default_rng(0)
    location = draw.uniform(0, 99, (4, 15, 2))
    made = random_dataset(0, images=4)
    clicks = type(made.clicks).at(location[:, np.newaxis])  # type: ignore[union-attr]
    dataset = replace(made, given=Truth.at(location), clicks=clicks)
    found = reproduce(dataset, given_row({"AE": "1.00", "FVR": "0.00", "FIR": "0.00"}), most=1)
    # FVR of all and of predicted, FIR of all and of visible: 4 of 9 combinations meet both.
    tried = found.tried
    assert found.meeting == {3: 0, 2: tried * 4 // 9, 1: tried * 4 // 9, 0: tried // 9}
    assert {each.met for each in found.best} == {2}
    assert all(np.isnan(each.values["AE"]) and np.isnan(each.steps) for each in found.best)
    content = json.loads(reproduction_json(found))
    assert content["best"][0]["values"]["AE"] is None
    assert content["best"][0]["steps"] is None
    assert "nan" not in as_text(reproduction_document(found))
    assert ",nan," not in reproduction_csv(found)
    none_met = reproduce(dataset, given_row({"FVR": "50.00"}), most=2)
    undefined = {each.rank: np.isnan(each.steps) for each in none_met.best}
    assert undefined == {1: False, 2: True}


def test_boxes_that_differ_along_one_axis_are_written_together() -> None:
    ones = [tuple((value,) for value in each) for each in product("ab", "x", "12", *["k"] * 6)]
    assert merged(ones[:3]) == [
        (("a", "b"), ("x",), ("1",), *[("k",)] * 6),
        (("a",), ("x",), ("2",), *[("k",)] * 6),
    ]
    assert merged(ones) == [(("a", "b"), ("x",), ("1", "2"), *[("k",)] * 6)]


def test_a_reproduction_is_written_in_every_form(dataset: Dataset) -> None:
    found = reproduce(dataset, human_row("liu2013"), most=4)
    content = json.loads(reproduction_json(found))
    lines = list(csv.DictReader(io.StringIO(reproduction_csv(found))))
    assert len(content["best"]) == len(lines) == len(found.best)
    for entry, line, each in zip(content["best"], lines, found.best, strict=True):
        assert entry["reading"] == each.chosen == {key: line[key] for key in AXES}
        assert entry["values"] == each.values == {name: float(line[name]) for name in FIGURES}
        assert line["AE signature"] == each.signatures["AE"]
    table = reproduction_document(found).tables[0]
    combinations = 0
    for cells in table.rows:
        sizes = [len(cell.split(", ")) for cell in cells[1 : 1 + len(AXES)]]
        combinations += int(np.prod(sizes))
    assert combinations == len(found.best)


def test_only_a_row_of_annotators_is_reproduced() -> None:
    assert human_row("liu2013") == human_row("liu2013/human")
    with pytest.raises(InputError, match="such as liu2013/human; found none in liu2013/consist"):
        human_row("liu2013/consistency")


# The command, and the tables of the pages


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["readings", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_reads_figures(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--fir", "4.52", "--fvr", "28.48", "--pcp", "59.74", "--format", "json"]
    status, out, err = run(capsys, *options)
    assert (status, err) == (0, "")
    (row,) = json.loads(out)["rows"].values()
    assert row["figures"] == {"PCP": "59.74", "FVR": "28.48", "FIR": "4.52"}
    possible = {each["of"]["FVR"] for each in row["readings"] if each["verdict"] == POSSIBLE}
    assert possible == {"invisible"}


def test_the_command_reads_published_rows(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--row", "liu2013", "--format", "json")
    content = json.loads(out)
    assert status == 0
    assert list(content["rows"]) == [row.name for row in picked_rows(["liu2013"])]
    assert content["together"]


def test_the_command_takes_the_share_as_given_or_from_the_dataset(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, dataset: Dataset
) -> None:
    _, out, _ = run(capsys, "--fvr", "5", "--invisible", "20.0", "--format", "json")
    assert json.loads(out)["invisible"]["least"] == 19.95
    folder = write_cub(tmp_path / "cub", dataset)
    for split in ("test", "all"):
        options = ["--data", str(folder), "--fvr", "5", "--format", "json"]
        options += [] if split == "test" else ["--split", split]
        _, out, _ = run(capsys, *options)
        expected = float(100 * invisible_share(dataset, split).value)
        assert json.loads(out)["invisible"]["value"] == expected


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_the_command_reproduces_in_every_form(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, dataset: Dataset, form: str
) -> None:
    folder = write_cub(tmp_path / "cub", dataset)
    target = tmp_path / "result"
    options = ["--reproduce", "liu2013", str(folder), "--most", "2", "--format", form]
    status, out, err = run(capsys, *options, "--out", str(target))
    assert (status, out) == (0, "")
    assert "not the complete CUB-200-2011" in err
    found = reproduce(read_cub(folder), human_row("liu2013"), most=2)
    document = reproduction_document(found)
    expected = {
        "text": as_text(document),
        "markdown": as_markdown(document),
        "latex": as_latex(document),
        "csv": reproduction_csv(found),
        "json": reproduction_json(found),
    }
    assert target.read_text("utf-8") == expected[form]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Expected a figure, --row or --reproduce, found none."),
        (["--fvr", "28,48"], "expected FVR as printed, digits with a decimal point"),
        (["--fir", "100.1"], "expected FIR to be a percentage of at most 100, found 100.1"),
        (["--row", "liu2014"], "found 'liu2014'; did you mean liu2013?"),
        (["--row", "liu2013", "--ae", "1"], "found a figure and --row."),
        (["--ae", "1", "--invisible", "2", "--data", "x"], "found --invisible and --data."),
        (["--ae", "1", "--split", "all"], "Expected --data beside --split, found none."),
        (["--ae", "1", "--most", "1"], "Expected --reproduce beside --most, found none."),
        (["--ae", "1", "--data", "nowhere"], "nowhere: expected a folder"),
        (["--ae", "1", "--out", "."], ".: expected a file to write to, found a folder"),
        (["--reproduce", "liu2013", "nowhere"], "nowhere: expected a folder"),
        (["--reproduce", "welinder2010", "."], "found none in welinder2010"),
    ],
)
def test_bad_options_end_with_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *options)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("cubspec: error: ")
    assert message in err


def test_a_missing_file_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, dataset: Dataset
) -> None:
    bare = write_cub(tmp_path / "bare", dataset, without=["part_click_locs.txt"])
    status, _, err = run(capsys, "--reproduce", "liu2013", str(bare))
    assert status == 2
    assert err.startswith(f"cubspec: error: {bare / 'parts' / 'part_click_locs.txt'}: expected")
    whole = write_cub(tmp_path / "whole", dataset, without=["train_test_split.txt"])
    status, _, err = run(capsys, "--reproduce", "liu2013", str(whole), "--most", "1")
    assert status == 0
    assert f"cubspec: note: {whole / 'train_test_split.txt'}: not found; readings" in err


def test_the_tables_of_the_pages() -> None:
    page = "evidence/readings.md"
    table = TABLES["readings"](page, "liu2013/human")
    line = next(line for line in table.split("\n") if "91.61 (91.56–91.65)" in line)
    assert "[`invisible`](../measures/visibility.md#fvr-of-invisible)" in line
    assert "[`visible`](../measures/visibility.md#fir-of-visible)" in line
    reasons = [line for line in table.split("\n") if line.startswith("- ")]
    assert reasons[0].replace(NO_BREAK, " ") == (
        "- impossible: FVR of:all is at most 20.290 %, and 20.72 % is printed."
    )
    assert reasons[0].count(f"{NO_BREAK}%") == 2
    assert len(reasons) == len(set(reasons)) == 3
    margins = TABLES["readings-margins"](page, "liu2013").split("\n")[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in margins]
    assert [line[3:] for line in cells] == [
        ["20.290", "28.48", "8.185", "28.475"],
        ["24.815", "28.48", "3.660", "23.950"],
        ["20.290", "20.72", "0.425", "20.715"],
        ["20.290", "60.03", "39.735", "60.025"],
    ]
    together = TABLES["readings-together"](page, "liu2013")
    assert together.count("| possible |") == 3
    alone = TABLES["readings-alone"](page, "liu2013/human")
    bound = "at most u + FIR".replace(" ", NO_BREAK)
    assert f"| {bound} | 20.72 | 0.000 | 26.325 |" in alone
    printed_rows = TABLES["published"]("evidence/published.md", "liu2013")
    assert "PCP 84.72 %, AE 1.00 σ, FVR 20.72 %, FIR 6.03 %" in printed_rows
    assert "doi 10.1109/ICCV.2013.313" in printed_rows
