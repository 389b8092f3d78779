"""Which readings of a paper's human row reproduce what it printed.

Computes the annotators' row of a dataset under every reading and compares it with a printed one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import groupby, product
from pathlib import Path

import numpy as np

from cubspec.choices import Signature, context_choices, measure, short_signatures
from cubspec.cub import COMPLETE_NAME, SPLIT
from cubspec.data import Dataset, Floats, InputError, Integers
from cubspec.measures.averages import AVG
from cubspec.measures.pcp import REF
from cubspec.measures.visibility import FIR_OF, FVR_OF
from cubspec.published import Row
from cubspec.readings import (
    FIGURES,
    RATES,
    Figures,
    Interval,
    decimals_of,
    picked_rows,
    row_figures,
    row_title,
)
from cubspec.scoring import HUMAN, SPLITS, Result, click_file, score
from cubspec.tables import UNDEFINED, Document, Note, Table, csv_text, json_text
from cubspec.truth.sigma import SIGMA

AXES = ("truth", "split", "pool", "workers", "sigma", "avg", "ref", "FVR of", "FIR of")
"""What a reading of a human row chooses; all but the last three are shared by the measures."""

MEASURE_AXES = {
    "PCP": ("truth", "split", "pool", "workers", "sigma", "ref"),
    "AE": ("truth", "split", "pool", "workers", "sigma", "avg"),
    "FVR": ("truth", "split", "workers", "avg", "FVR of"),
    "FIR": ("truth", "split", "workers", "avg", "FIR of"),
}
"""What each figure depends on."""

SAME = 1e-9
"""Sums of steps that differ by no more are tied."""


@dataclass(frozen=True)
class Reproduced:
    """One reading of a human row, with what it computes.

    Attributes
    ----------
    rank : from 1; readings of the same rank are tied
    chosen : value by key of AXES
    met : how many figures it meets to rounding
    steps : the sum of the distances from the printed figures, each in its last printed digit; NaN
        where a figure is undefined
    values : by measure, what it computes
    signatures : by measure, the full signature
    """

    rank: int
    chosen: dict[str, str]
    met: int
    steps: float
    values: dict[str, float]
    signatures: dict[str, str]


@dataclass(frozen=True)
class Reproduction:
    """The readings of a human row that come nearest to a printed one.

    Attributes
    ----------
    row : the printed one
    context : what every number stands on
    tried : how many readings were computed
    meeting : how many of them meet so many figures, by number of figures, all first
    best : the readings of the best ranks, best first
    notes : remarks for the reader, one line each
    """

    row: Row
    context: dict[str, str]
    tried: int
    meeting: dict[int, int]
    best: tuple[Reproduced, ...]
    notes: tuple[str, ...] = ()


def human_row(name: str) -> Row:
    """The published row about annotators that a row's or a paper's name stands for.

    Raises
    ------
    InputError
        On an unknown name, and where there is not exactly one such row.
    """
    rows = [row for row in picked_rows([name]) if row.human]
    if len(rows) != 1:
        raise InputError(
            f"expected a published row of annotators, such as liu2013/human; "
            f"found {len(rows) or 'none'} in {name}"
        )
    return rows[0]


def reproduce(
    dataset: Dataset, row: Row, *, most: int = 10, step: Callable[[str], None] = lambda _: None
) -> Reproduction:
    """Compute the human row of a dataset under every reading and compare it with a printed one.

    Parameters
    ----------
    dataset : Dataset with clicks; without a split, only the readings that need none
    row : any of FIGURES, as printed
    most : how many ranks to give
    step : called with what is scored, before it is

    Raises
    ------
    InputError
        Where the dataset has no click file.
    """
    if dataset.clicks is None:
        raise InputError("expected the annotators' clicks, found no such file", click_file(dataset))
    figures = row_figures(row)
    axes = _axes(dataset)
    scored = _score_all(dataset, axes, step)
    values = {name: _values(name, scored, axes) for name in figures}
    met, steps = _compared(values, figures, tuple(map(len, axes.values())))
    every = _Every(axes, scored, values, met, steps)
    ranked = _ranked(met.ravel(), steps.ravel(), most)
    return Reproduction(
        row,
        _shared_context(dataset),
        met.size,
        {n: int(np.count_nonzero(met == n)) for n in range(len(figures), -1, -1)},
        tuple(every.reproduced(rank, position) for rank, position in ranked),
        _remarks(dataset, scored),
    )


Scored = dict[tuple[str, str, str], Result]
"""Results by truth, split and pool."""


@dataclass(frozen=True)
class _Every:
    """Every reading with what it computes, in arrays with an axis for each of AXES."""

    axes: dict[str, tuple[str, ...]]
    scored: Scored
    values: dict[str, Floats]
    met: Integers
    steps: Floats
    written: dict[tuple[str, ...], str] = field(default_factory=dict)

    def reproduced(self, rank: int, position: int) -> Reproduced:
        at = np.unravel_index(position, self.met.shape)
        chosen = {key: names[int(i)] for (key, names), i in zip(self.axes.items(), at, strict=True)}
        every = {name: np.broadcast_to(own, self.met.shape) for name, own in self.values.items()}
        return Reproduced(
            rank,
            chosen,
            int(self.met[at]),
            float(self.steps[at]),
            {name: float(own[at]) for name, own in every.items()},
            {name: self.signature(name, chosen) for name in self.values},
        )

    def signature(self, name: str, chosen: Mapping[str, str]) -> str:
        # Tied readings share most signatures, and there can be thousands of them.
        key = (name, *(chosen[each] for each in MEASURE_AXES[name]))
        if key not in self.written:
            self.written[key] = _signature(name, self.scored, chosen)
        return self.written[key]


def _axes(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """The values of every axis; without a split, no value that needs one."""
    context = context_choices()
    values = {
        "truth": context["truth"].names,
        "split": SPLITS,
        "pool": context["pool"].names,
        "workers": context["workers"].names,
        "sigma": SIGMA.names,
        "avg": AVG.names,
        "ref": REF.names,
        "FVR of": FVR_OF.names,
        "FIR of": FIR_OF.names,
    }
    if dataset.training is None:
        values["split"] = ("all",)
        values["pool"] = tuple(name for name in values["pool"] if name != "train")
    return values


def _score_all(
    dataset: Dataset, axes: Mapping[str, Sequence[str]], step: Callable[[str], None]
) -> Scored:
    """The human rows of every truth, split and pool, those that coincide computed once."""
    scored: Scored = {}
    for truth, split, pool in product(axes["truth"], axes["split"], axes["pool"]):
        # Where all images are scored, or the training ones, the pool `scored` is another one too.
        same = scored.get((truth, split, split)) if pool == "scored" else None
        # Visibility needs no unit, so one pool is enough for it.
        names = FIGURES if pool == axes["pool"][0] else ("PCP", "AE")
        if same is None:
            step(f"truth:{truth}, split:{split}, pool:{pool}")
            same = score(dataset, {}, truth=truth, split=split, pool=pool, only=_forms_of(names))
        scored[truth, split, pool] = same
    return scored


def _forms_of(names: Iterable[str]) -> list[str]:
    return [form.short for form in short_signatures() if form.measure.id in names]


def _values(name: str, scored: Scored, axes: Mapping[str, Sequence[str]]) -> Floats:
    """A figure under every reading: an array, of length 1 along what has no effect on it."""
    own = {key: names if key in MEASURE_AXES[name] else names[:1] for key, names in axes.items()}
    values = []
    for names in product(*own.values()):
        chosen = dict(zip(own, names, strict=True))
        result = scored[chosen["truth"], chosen["split"], chosen["pool"]]
        values.append(result.rows[_human(chosen)][_short(name, chosen)])
    return np.reshape(np.array(values), [len(names) for names in own.values()])


def _short(name: str, chosen: Mapping[str, str]) -> str:
    own = measure(name)
    of = chosen.get(f"{name} of", "")
    return Signature(own, {key: of if key == "of" else chosen[key] for key in own.keys}).short


def _human(chosen: Mapping[str, str]) -> str:
    return f"{HUMAN}|workers:{chosen['workers']}"


def _signature(name: str, scored: Scored, chosen: Mapping[str, str]) -> str:
    rate = name in RATES
    # Rates are in the result of the first pool alone.
    pools = {key[2]: result for key, result in scored.items() if key[:2] == _images(chosen)}
    result = next(iter(pools.values())) if rate else pools[chosen["pool"]]
    signature = Signature.parse(result.signatures[_human(chosen)][_short(name, chosen)])
    if rate:
        return str(signature)
    return str(replace(signature, context={**signature.context, "pool": chosen["pool"]}))


def _images(chosen: Mapping[str, str]) -> tuple[str, str]:
    return chosen["truth"], chosen["split"]


def _compared(
    values: Mapping[str, Floats], figures: Figures, shape: tuple[int, ...]
) -> tuple[Integers, Floats]:
    """How many figures every reading meets to rounding, and its sum of steps."""
    met, steps = np.zeros(shape, np.int64), np.zeros(shape)
    for name, figure in figures.items():
        own, decimals = values[name], decimals_of(figure.text)
        rounded = [format(each, f".{decimals}f") == figure.text for each in own.flat]
        met += np.reshape(rounded, own.shape)
        steps += np.abs(own - float(figure.text)) * 10.0**decimals
    return met, steps


def _ranked(met: Integers, steps: Floats, most: int) -> Iterator[tuple[int, int]]:
    """The rank and the position of every reading of the best ranks, in order."""
    far = np.where(np.isnan(steps), np.inf, steps)
    rank, first = 0, -1
    for at in np.lexsort((far, -met)).tolist():
        tied = first >= 0 and met[at] == met[first] and _same(far[at], far[first])
        if not tied:
            rank, first = rank + 1, at
        if rank > most:
            return
        yield rank, at


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= SAME


def _shared_context(dataset: Dataset) -> dict[str, str]:
    clicks = {} if dataset.clicks_name is None else {"clicks": dataset.clicks_name}
    return {"data": dataset.name, **clicks, "v": version("cubspec")}


def _remarks(dataset: Dataset, scored: Scored) -> tuple[str, ...]:
    remarks = dict.fromkeys(note for result in scored.values() for note in result.notes)
    if dataset.training is None:
        remarks[
            f"{Path(dataset.source) / SPLIT}: not found; readings that score one split, or measure "
            "σ on the training images, are left out."
        ] = None
    if dataset.name != COMPLETE_NAME:
        remarks[
            f"{dataset.source}: not the complete {COMPLETE_NAME}; nothing follows for a paper "
            "about that."
        ] = None
    return tuple(remarks)


# What is printed of a reproduction


def reproduction_document(found: Reproduction) -> Document:
    """The tables of `cubspec readings --reproduce`."""
    context = "|".join(f"{key}:{value}" for key, value in found.context.items())
    ranking: Note = (
        f"{found.tried:,} readings. They are ranked by how many figures they meet to rounding, "
        "then by steps: the distances from the printed figures, each counted in its last printed "
        "digit, summed. Readings of one rank are tied; values with commas between them give the "
        "same numbers.",
    )
    about: tuple[Note, ...] = (ranking, ("Context: ", context, "."))
    names = list(row_figures(found.row))
    numbers = (("met",), ("steps",), *((name,) for name in names))
    best = Table(
        title=row_title(found.row),
        header=(("rank",), *(tuple(key.split()) for key in AXES), *numbers),
        rows=tuple(_best_rows(found, names)),
        notes=(ranking,),
        caption=about,
        words=1 + len(AXES),
    )
    counts = Table(
        title="Figures met to rounding",
        header=(("figures met",), ("readings",)),
        rows=tuple((str(number), f"{count:,}") for number, count in found.meeting.items()),
        caption=about[1:],
    )
    return Document(context, (best, counts))


def _best_rows(found: Reproduction, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    figures = row_figures(found.row)
    for rank, group in groupby(found.best, lambda each: each.rank):
        by_cells: dict[tuple[str, ...], list[Box]] = {}
        for each in group:
            computed = [_computed(each.values[name], figures[name]) for name in names]
            cells = (str(each.met), _finite(each.steps), *computed)
            by_cells.setdefault(cells, []).append(tuple((each.chosen[key],) for key in AXES))
        for cells, tied in by_cells.items():
            for box in merged(tied):
                yield (str(rank), *(", ".join(values) for values in box), *cells)


def _computed(value: float, figure: Interval) -> str:
    """One decimal more than is printed, so that a reader sees how near to rounding it is."""
    return format(value, f".{decimals_of(figure.text) + 1}f") if math.isfinite(value) else UNDEFINED


def _finite(value: float) -> str:
    return format(value, ".2f") if math.isfinite(value) else UNDEFINED


Box = tuple[tuple[str, ...], ...]
"""Along every axis some values; it stands for every combination of them."""


def merged(boxes: Iterable[Box]) -> list[Box]:
    """Boxes written together where they differ along one axis only.

    Parameters
    ----------
    boxes : Boxes that share no combination
    """
    found = list(boxes)
    for axis in range(len(AXES)):
        alike: dict[Box, list[str]] = {}
        for box in found:
            alike.setdefault((*box[:axis], *box[axis + 1 :]), []).extend(box[axis])
        found = [(*rest[:axis], tuple(own), *rest[axis:]) for rest, own in alike.items()]
    return found


def reproduction_json(found: Reproduction) -> str:
    """The best readings as JSON, unrounded, null where undefined; tied ones each by itself."""
    best = [
        {
            "rank": each.rank,
            "met": each.met,
            "steps": _number(each.steps),
            "reading": each.chosen,
            "values": {name: _number(value) for name, value in each.values.items()},
            "signatures": each.signatures,
        }
        for each in found.best
    ]
    return json_text(
        {
            "cubspec": version("cubspec"),
            "context": found.context,
            "row": {"name": found.row.name, "figures": found.row.printed(FIGURES)},
            "tried": found.tried,
            "meeting": {str(number): count for number, count in found.meeting.items()},
            "best": best,
        }
    )


def reproduction_csv(found: Reproduction) -> str:
    """The best readings as CSV, one line for each, unrounded; tied ones share a rank."""
    names = list(row_figures(found.row))
    head = ("rank", "met", "steps", *names, *AXES, *(f"{name} signature" for name in names))
    lines: list[Sequence[object]] = [head]
    for each in found.best:
        values = [_number(value) for value in each.values.values()]
        start = (each.rank, each.met, _number(each.steps))
        lines.append((*start, *values, *each.chosen.values(), *each.signatures.values()))
    return csv_text(lines)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
