"""Tables of what a choice does to the numbers of the synthetic birds, made while the site is built.

Under each table stands a sentence that says what is seen in it. It is made from the printed
numbers, so that a reader can check it against the table: what prints alike is called level.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from cubspec import choices
from cubspec.choices import Choice, Measure, Signature, short_signatures
from cubspec.data import InputError
from cubspec.example import HUMAN_ROW, LOCALIZERS, Example, make_example
from cubspec.measures.averages import AVG
from cubspec.measures.human import WORKERS
from cubspec.scoring import HUMAN, score, split_images
from cubspec.site.cells import grid, link
from cubspec.tables import DECIMALS, UNDEFINED
from cubspec.truth.sigma import POOL, SIGMA

ROWS = {HUMAN: HUMAN_ROW, **{name: name for name in LOCALIZERS}}
"""The rows of a table by label, with their names in a result."""

MARK = r"\*"
PIXEL_DECIMALS = 2
UNITS = {"%": "%", "σ": "units of σ"}
DIFFERENCES = {"%": "points", "σ": "σ"}


@dataclass(frozen=True)
class Effect:
    """What a choice does to the numbers of some rows.

    Attributes
    ----------
    measure : Measure
    choice : the choice that is varied
    rows : by label, the number under each value of the choice, rounded as printed
    """

    measure: Measure
    choice: Choice
    rows: dict[str, tuple[float, ...]]


@cache
def published_birds() -> Example:
    """The birds whose figures are published, scored under every short form."""
    return make_example()


def effect(page: str, measure_id: str, key: str, held: str = "") -> str:
    """What a choice does to a measure, everything else being preselected.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    measure_id : the measure
    key : the choice that is varied
    held : another of its choices and the value to hold it at, such as `none:skip`
    """
    measure = choices.measure(measure_id)
    choice = measure.choice(key)
    forms = _varied(measure, choice, _held(measure, choice, held))
    results = published_birds().result.rows
    rows = {
        label: _as_printed([results[row][form.short] for form in forms], measure)
        for label, row in ROWS.items()
    }
    return _shown(page, Effect(measure, choice, rows), _pattern(forms[0].short, choice))


def effect_of_pool(page: str) -> str:
    """What the choice `pool` does to AE where the birds with odd numbers are scored."""
    form = next(each for each in _preselected_forms() if each.measure.id == "AE")
    results = [_scored_on_test(form.short, pool) for pool in POOL.names]
    rows = {
        label: _as_printed([numbers[row] for numbers in results], form.measure)
        for label, row in ROWS.items()
    }
    pattern = f"{form.short}|pool:…|split:test"
    return _shown(page, Effect(form.measure, POOL, rows), pattern)


def effect_of_workers(page: str) -> str:
    """What the choice `workers` does to the human row.

    The rows are the measures with everything else preselected, and whatever else prints differently
    with sigma preselected.
    """
    results = published_birds().result.rows
    preselected = [form.short for form in _preselected_forms()]
    rows = []
    for form in _with_preselected_sigma():
        of_form = [results[f"{HUMAN}|workers:{name}"][form.short] for name in WORKERS.names]
        numbers = _as_printed(of_form, form.measure)
        if form.short in preselected or _range(numbers):
            rows.append((form, numbers))
    return _shown_by_form(page, WORKERS, rows, f"the row {HUMAN}")


def effect_of_avg(page: str) -> str:
    """What the choice `avg` does to the numbers of A, under every measure that has it."""
    results = published_birds().result.rows["A"]
    rows = []
    for form in _with_preselected_sigma():
        if form.values.get(AVG.key) == AVG.preselected:
            varied = _varied(form.measure, AVG, form.values)
            of_form = [results[each.short] for each in varied]
            rows.append((form, _as_printed(of_form, form.measure)))
    return _shown_by_form(page, AVG, rows, "the localizer A")


def spread_of_parts(page: str) -> str:
    """The annotators' spread of every part under every value of the choice `sigma`."""
    made = published_birds()
    pixels = {
        part: [
            [round(axis, PIXEL_DECIMALS) for axis in made.result.sigma[name][index].tolist()]
            for name in SIGMA.names
        ]
        for index, part in enumerate(made.result.parts)
    }
    rows = {
        part: [" / ".join(format(axis, f".{PIXEL_DECIMALS}f") for axis in each) for each in cells]
        for part, cells in pixels.items()
    }
    caption = _caption("sigma:…", f"in pixels, {_birds(page)}; two numbers are u / v")
    table = _marked_grid(page, SIGMA, rows)
    return "\n\n".join([caption, table, _stretch(pixels)])


def finding(effect: Effect) -> str:
    """What is seen in a table, in one sentence.

    It says how far each row moves, what has no number, and whether the order of the localizers
    changes; it is made from the printed numbers.

    Parameters
    ----------
    effect : Effect
    """
    return "; ".join([_moves(effect), *_gaps(effect), *_order(effect)]) + "."


def _held(measure: Measure, varied: Choice, held: str) -> dict[str, str]:
    """The values of a measure's choices: preselected, apart from what is held."""
    values = {choice.key: choice.preselected for choice in measure.choices}
    if held:
        key, colon, name = held.partition(":")
        if not colon or key == varied.key:
            raise InputError(f"expected KEY:VALUE of another choice, found {held!r}")
        choice = measure.choice(key)
        choice[name]
        values[key] = name
    return values


def _varied(measure: Measure, choice: Choice, values: Mapping[str, str]) -> list[Signature]:
    return [Signature(measure, {**values, choice.key: name}) for name in choice.names]


def _preselected_forms() -> list[Signature]:
    return [
        Signature(measure, {choice.key: choice.preselected for choice in measure.choices})
        for measure in choices.measures()
    ]


def _with_preselected_sigma() -> list[Signature]:
    preselected = SIGMA.preselected
    return [
        form
        for form in short_signatures()
        if form.values.get(SIGMA.key, preselected) == preselected
    ]


@cache
def _scored_on_test(short: str, pool: str) -> dict[str, float]:
    """A number of every row, the images for testing being scored."""
    made = published_birds()
    images = split_images(made.dataset, "test")
    parts = np.ones(len(made.dataset.parts), dtype=bool)
    predictions = {name: each.only(images, parts) for name, each in made.birds.predictions.items()}
    result = score(made.dataset, predictions, split="test", truth="clicks", pool=pool, only=[short])
    return {row: values[short] for row, values in result.rows.items()}


def _as_printed(numbers: Iterable[float], measure: Measure) -> tuple[float, ...]:
    return tuple(float(format(each, f".{DECIMALS[measure.unit]}f")) for each in numbers)


def _written(value: float, unit: str) -> str:
    return UNDEFINED if math.isnan(value) else format(value, f".{DECIMALS[unit]}f")


def _shown(page: str, effect: Effect, pattern: str) -> str:
    measure, choice = effect.measure, effect.choice
    unit = UNITS[measure.unit]
    if measure.unit == "σ" and _changes_the_unit(choice):
        unit += ", each column's own"
    better = measure.better if measure.better in ("higher", "lower") else "neither high nor low"
    cells = {
        label: [_written(number, measure.unit) for number in numbers]
        for label, numbers in effect.rows.items()
    }
    caption = _caption(pattern, f"in {unit}, {_birds(page)}; {better} is better")
    return "\n\n".join([caption, _marked_grid(page, choice, cells), finding(effect)])


def _shown_by_form(
    page: str, choice: Choice, rows: Sequence[tuple[Signature, tuple[float, ...]]], whose: str
) -> str:
    cells = {
        _label(page, form, choice): [_written(number, form.measure.unit) for number in numbers]
        for form, numbers in rows
    }
    about = (
        f"{whose}, {_birds(page)}; errors in units of σ under "
        f"`{SIGMA.key}:{SIGMA.preselected}`, everything else in %"
    )
    caption = _caption(f"…|{choice.key}:…", about)
    return "\n\n".join([caption, _marked_grid(page, choice, cells), _furthest(choice, rows)])


def _changes_the_unit(choice: Choice) -> bool:
    return choice.key in (SIGMA.key, POOL.key)


def _pattern(short: str, choice: Choice) -> str:
    return "|".join(
        f"{choice.key}:…" if field.startswith(f"{choice.key}:") else field
        for field in short.split("|")
    )


def _label(page: str, form: Signature, varied: Choice) -> str:
    measure = link(page, form.measure.address, f"`{form.measure.id}`")
    return f"{measure} {_values(form, varied)}".rstrip()


def _values(form: Signature, varied: Choice) -> str:
    """What a form holds, apart from the choice that is varied and the sigma."""
    apart = (varied.key, SIGMA.key)
    return ", ".join(f"{key}:{name}" for key, name in form.values.items() if key not in apart)


def _birds(page: str) -> str:
    made = published_birds()
    return link(page, "birds/index/#birds", f"{made.number:,} synthetic birds, seed {made.seed}")


def _caption(pattern: str, about: str) -> str:
    return f"`{pattern}`, {about}; {MARK} is preselected.\n{{ .effect }}"


def _marked_grid(page: str, choice: Choice, rows: Mapping[str, Iterable[str]]) -> str:
    """A table with a column for each value of a choice, the preselected one marked."""
    key = link(page, f"{choice.page}/#{choice.anchor}", f"`{choice.key}`")
    names = [link(page, choice.address(name), f"`{name}`") for name in choice.names]
    column = choice.names.index(choice.preselected)
    names[column] += MARK

    def marked(cells: Iterable[str]) -> list[str]:
        return [
            f"{cell} {{.preselected}}" if index == column else cell
            for index, cell in enumerate(cells)
        ]

    lines = [[label, *marked(cells)] for label, cells in rows.items()]
    return grid([key, *marked(names)], lines, numbers=True)


def _moves(effect: Effect) -> str:
    unit = effect.measure.unit
    moves = {label: _range(numbers) for label, numbers in effect.rows.items()}
    moving = [f"{label} by {_written(by, unit)}" for label, by in moves.items() if by]
    still = [label for label, by in moves.items() if not by and _has_numbers(effect, label)]
    if not moving:
        return "The choice leaves every row where it is"
    if unit != "σ" or not _changes_the_unit(effect.choice):
        moving[0] += f" {DIFFERENCES[unit]}"
    place = "it is" if len(still) == 1 else "they are"
    rest = f", and leaves {_listed(still)} where {place}" if still else ""
    return f"The choice moves {_listed(moving)}{rest}"


def _has_numbers(effect: Effect, label: str) -> bool:
    return not all(map(math.isnan, effect.rows[label]))


def _range(numbers: Iterable[float]) -> float:
    defined = [number for number in numbers if not math.isnan(number)]
    return max(defined) - min(defined) if defined else 0.0


def _gaps(effect: Effect) -> Iterator[str]:
    for label, numbers in effect.rows.items():
        names = [
            f"`{name}`"
            for name, number in zip(effect.choice.names, numbers, strict=True)
            if math.isnan(number)
        ]
        if names:
            yield f"{label} has no number under {_listed(names)}"


def _order(effect: Effect) -> Iterator[str]:
    """Who is ahead of whom among the localizers, and whether the choice changes it."""
    if effect.measure.better not in ("higher", "lower"):
        return
    ahead = {(a, b): _ahead(effect, a, b) for a in LOCALIZERS for b in LOCALIZERS if a != b}
    pairs = list(combinations(LOCALIZERS, 2))
    turned = [(a, b) for a, b in pairs if ahead[a, b] and ahead[b, a]]
    if turned:
        yield f"**the order changes**, with {_listed([_turn(effect, ahead, *p) for p in turned])}"
    else:
        yield _kept_order(effect, ahead)


def _turn(effect: Effect, ahead: Mapping[tuple[str, str], list[str]], a: str, b: str) -> str:
    """Who of two is ahead under which values, in the order of the columns."""
    if effect.choice.names.index(ahead[a, b][0]) > effect.choice.names.index(ahead[b, a][0]):
        a, b = b, a
    return f"{a} ahead of {b} under {_codes(ahead[a, b])} but behind under {_codes(ahead[b, a])}"


def _ahead(effect: Effect, a: str, b: str) -> list[str]:
    """The values under which a is better than b."""
    sign = 1 if effect.measure.better == "higher" else -1
    numbers = zip(effect.choice.names, effect.rows[a], effect.rows[b], strict=True)
    return [name for name, of_a, of_b in numbers if sign * of_a > sign * of_b]


def _kept_order(effect: Effect, ahead: Mapping[tuple[str, str], list[str]]) -> str:
    """The order that no value contradicts, best first, and where some values have two level."""
    ordered = [label for label in LOCALIZERS if _has_numbers(effect, label)]
    behind = {a: sum(bool(ahead[b, a]) for b in ordered if b != a) for a in ordered}
    groups = [
        [each for each in ordered if behind[each] == place]
        for place in sorted(set(behind.values()))
    ]
    words = [_listed(group) + (" level" if len(group) > 1 else "") for group in groups]
    comma = ", " if len(groups) == len(ordered) else ", then "
    otherwise = " otherwise" if any(_gaps(effect)) else ""
    said = f"the localizers{otherwise} keep their order, best first {comma.join(words)}"
    return "; ".join([said, *_levels(effect, ahead)])


def _levels(effect: Effect, ahead: Mapping[tuple[str, str], list[str]]) -> Iterator[str]:
    """The values under which two print alike that others tell apart."""
    for a, b in combinations(LOCALIZERS, 2):
        apart = ahead[a, b] + ahead[b, a]
        numbers = zip(effect.choice.names, effect.rows[a], effect.rows[b], strict=True)
        level = [name for name, of_a, of_b in numbers if of_a == of_b]
        if apart and level:
            yield f"{a} and {b} are level under {_codes(level)}"


def _furthest(choice: Choice, rows: Sequence[tuple[Signature, tuple[float, ...]]]) -> str:
    """How many rows a choice leaves alone, and the row of each unit that it moves most."""
    still = sum(not _range(numbers) for _, numbers in rows)
    said = []
    for unit, difference in DIFFERENCES.items():
        same_unit = [row for row in rows if row[0].measure.unit == unit]
        form, numbers = max(same_unit, key=lambda row: _range(row[1]))
        by = f"{_written(_range(numbers), unit)} {difference}"
        said.append(f"`{form.measure.id}` {_values(form, choice)} by {by}")
    return (
        f"The choice leaves {still} of the {len(rows)} rows where they are; "
        f"of the others it moves most {_listed(said)}."
    )


def _stretch(pixels: Mapping[str, list[list[float]]]) -> str:
    """Which value makes a part's unit shortest and longest, and by how much."""
    ends = []
    for cells in pixels.values():
        by_length = sorted(
            (axis, name) for name, each in zip(SIGMA.names, cells, strict=True) for axis in each
        )
        ends.append((by_length[0], by_length[-1]))
    times = [longest[0] / shortest[0] for shortest, longest in ends]
    shortest, longest = ({each[end][1] for each in ends} for end in (0, 1))
    return (
        f"The shortest unit of every part is that of {_codes(shortest)}, the longest that of "
        f"{_codes(longest)}, {min(times):.2f} to {max(times):.2f} times as long."
    )


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _codes(names: Iterable[str]) -> str:
    return _listed([f"`{name}`" for name in names])
