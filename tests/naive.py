"""The scoring specification in plain loops, an independent check of the vectorized package.

Every measure is a mean of what its pairs score. A pair that a measure does not count scores
None, so that "nothing to count" is None until the very end; NaN means that a unit is missing,
and spreads by itself through every sum.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

Mark = tuple[bool, float | None, float | None]
Grid = Sequence[Sequence[Mark]]
Answers = Sequence[Sequence[Sequence[Mark]]]
Point = tuple[float, float]
Unit = tuple[float, ...]
Pool = Literal["all"] | Sequence[int]
Keys = dict[str, str]
Score = float | None

NAN = math.nan
CAP = 5.0
RADIUS = 1.5
TINY = 1e-9
SIGMAS = (
    "sd-mean",
    "sd-median",
    "dist-mean",
    "dist-median",
    "rms-median",
    "axes-mean",
    "toolbox",
)
AVERAGES = ("micro", "parts", "images")
MEASURES: dict[str, dict[str, tuple[str, ...]]] = {
    "report-error": {"sigma": SIGMAS, "none": ("zero", "skip"), "avg": AVERAGES},
    "AE": {"sigma": SIGMAS, "avg": AVERAGES},
    "PCP": {"sigma": SIGMAS, "ref": ("median", "mean", "one", "each", "any")},
    "FVR": {"of": ("all", "invisible", "predicted"), "avg": AVERAGES},
    "FIR": {"of": ("all", "visible", "predicted"), "avg": AVERAGES},
    "capped": {"sigma": SIGMAS},
}


class Pair(NamedTuple):
    """One prediction, or one answer, for one part of one image; None stands for not visible."""

    image: int
    part: int
    slot: int
    guess: Point | None
    truth: Point | None
    clicks: list[Point]
    others: list[Point]


class Row(NamedTuple):
    """What one line of a table is computed from: pairs, and their scores by bare signature."""

    pairs: list[Pair]
    scores: dict[str, list[Score]]
    by_slot: bool


# Section 1: from answers to a ground truth.


def place(mark: Mark) -> Point | None:
    """Return the location of a visible mark and None for one that is not visible."""
    visible, u, v = mark
    if not visible:
        return None
    if u is None or v is None:
        raise ValueError("visible without a location")
    return (u, v)


def clicks_of(answers: Sequence[Mark]) -> list[Point]:
    """Return the clicks among a pair's answers, in file order."""
    return [point for point in map(place, answers) if point is not None]


def middle(values: Iterable[float]) -> float:
    """Return the median, for an even number of values the mean of the two middle ones."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def consensus(answers: Sequence[Mark]) -> Mark:
    """Return a pair's strict majority and, where it says visible, the median of the clicks."""
    clicks = clicks_of(answers)
    if 2 * len(clicks) <= len(answers):
        return (False, None, None)
    return (True, middle(u for u, _ in clicks), middle(v for _, v in clicks))


def from_file(mark: Mark) -> Mark:
    """Return the dataset's own mark, without a location where it is not visible."""
    return mark if mark[0] else (False, None, None)


def ground_truth(answers: Answers | None, given: Grid, choice: str) -> list[list[Mark]]:
    """Return visibility and location of every pair by the choice 'given' or 'clicks'."""
    if choice == "given":
        return [[from_file(mark) for mark in row] for row in given]
    if choice != "clicks":
        raise ValueError(f"unknown truth {choice!r}: given or clicks")
    if answers is None:
        raise ValueError("truth 'clicks' needs answers")
    return [[consensus(pair) for pair in row] for row in answers]


# Section 2: the unit.


def mean_point(clicks: Sequence[Point]) -> Point:
    """Return the mean of one or more clicks."""
    k = len(clicks)
    return (sum(u for u, _ in clicks) / k, sum(v for _, v in clicks) / k)


def offsets(clicks: Sequence[Point], about: Point) -> list[Point]:
    """Return what each click is away from a point, per axis."""
    return [(u - about[0], v - about[1]) for u, v in clicks]


def squares(values: Iterable[float]) -> float:
    """Return the sum of the squares."""
    return sum(value * value for value in values)


def lengths(vectors: Iterable[Point]) -> float:
    """Return the sum of the vectors' lengths."""
    return sum(math.sqrt(squares(vector)) for vector in vectors)


def ratio(numerator: float, denominator: float) -> float:
    """Divide, with NaN where the denominator is 0."""
    return NAN if denominator == 0 else numerator / denominator


def deviation(values: Sequence[float]) -> float:
    """Return the population standard deviation of some values about their own mean."""
    mean = ratio(sum(values), len(values))
    return math.sqrt(ratio(squares(value - mean for value in values), len(values)))


def checked(unit: Unit) -> Unit:
    """Return the unit, or NaN on all axes where one of them shows no spread."""
    if all(math.isfinite(value) and value >= TINY for value in unit):
        return unit
    return (NAN,) * len(unit)


def part_sigmas(pairs: Sequence[tuple[list[Point], Point]]) -> dict[str, Unit]:
    """Return the seven units of one part from its pairs of clicks and ground-truth location."""
    about_mean: list[Point] = []
    about_truth: list[Point] = []
    spare = 0
    for clicks, truth in pairs:
        about_mean += offsets(clicks, mean_point(clicks))
        about_truth += offsets(clicks, truth)
        spare += len(clicks) - 1
    total = len(about_truth)
    mean_u, mean_v = [u for u, _ in about_mean], [v for _, v in about_mean]
    truth_u, truth_v = [u for u, _ in about_truth], [v for _, v in about_truth]
    mean_both = squares(mean_u + mean_v)
    truth_both = squares(truth_u + truth_v)
    units: dict[str, Unit] = {
        "sd-mean": (math.sqrt(ratio(mean_both, 2 * spare)),),
        "sd-median": (math.sqrt(ratio(truth_both, 2 * total)),),
        "dist-mean": (ratio(lengths(about_mean), total),),
        "dist-median": (ratio(lengths(about_truth), total),),
        "rms-median": (math.sqrt(ratio(truth_both, total)),),
        "axes-mean": (
            math.sqrt(ratio(squares(mean_u), spare)),
            math.sqrt(ratio(squares(mean_v), spare)),
        ),
        "toolbox": (2 * deviation(truth_u), 2 * deviation(truth_v)),
    }
    return {name: checked(unit) for name, unit in units.items()}


def part_clicks(
    answers: Answers, truth: Grid, pool: Sequence[int], part: int
) -> list[tuple[list[Point], Point]]:
    """Return clicks and location of a part's pairs that are visible and have a click."""
    found: list[tuple[list[Point], Point]] = []
    for image in pool:
        location = place(truth[image][part])
        clicks = clicks_of(answers[image][part])
        if location is not None and clicks:
            found.append((clicks, location))
    return found


def part_count(truth: Grid) -> int:
    """Return the number of parts."""
    return len(truth[0]) if truth else 0


def sigmas(answers: Answers, truth: Grid, pool: Sequence[int]) -> dict[str, list[Unit]]:
    """Return, for each of the seven definitions, the unit of every part."""
    table: dict[str, list[Unit]] = {name: [] for name in SIGMAS}
    for part in range(part_count(truth)):
        units = part_sigmas(part_clicks(answers, truth, pool, part))
        for name in SIGMAS:
            table[name].append(units[name])
    return table


# Section 3: normalized distance.


def delta(a: Point, b: Point, unit: Unit) -> float:
    """Return the distance of two points in a unit of one or two numbers."""
    return math.sqrt(squares(((a[0] - b[0]) / unit[0], (a[1] - b[1]) / unit[-1])))


def capped_delta(a: Point, b: Point, unit: Unit) -> float:
    """Return the distance, 5 where it is more, and NaN where there is no unit."""
    distance = delta(a, b, unit)
    return CAP if distance > CAP else distance


# Section 4: what one pair scores, None where the measure does not count it.


def percent(yes: bool) -> float:
    """Return 100 for true and 0 for false."""
    return 100.0 if yes else 0.0


def report_error_of(pair: Pair, unit: Unit, none: str) -> Score:
    """Return what the 2011 report's error charges a pair."""
    if pair.guess is not None and pair.truth is not None:
        return capped_delta(pair.guess, pair.truth, unit)
    if pair.guess is None and pair.truth is None:
        return 0.0 if none == "zero" else None
    return CAP


def ae_of(pair: Pair, unit: Unit) -> Score:
    """Return the average error's distance of a both-visible pair."""
    if pair.guess is None or pair.truth is None:
        return None
    return capped_delta(pair.guess, pair.truth, unit)


def references(pair: Pair, truth: Point, ref: str) -> list[Point]:
    """Return the points that a choice of reference holds a prediction against."""
    if ref == "median":
        return [truth]
    if ref == "mean":
        return [mean_point(pair.clicks)] if pair.clicks else []
    if ref == "one":
        return pair.others[:1]
    return pair.others


def pcp_of(pair: Pair, unit: Unit, ref: str) -> Score:
    """Return the percentage to which a pair is correct."""
    if pair.guess is None or pair.truth is None:
        return percent(pair.guess is None and pair.truth is None)
    if math.isnan(unit[0]):
        return NAN
    points = references(pair, pair.truth, ref)
    hits = sum(delta(pair.guess, point, unit) <= RADIUS for point in points)
    if ref == "each":
        return 100 * hits / len(points) if points else 0.0
    return percent(hits > 0)


def fvr_of(pair: Pair, of: str) -> Score:
    """Return whether a pair is falsely visible, if it is in the denominator."""
    counted = {
        "all": True,
        "invisible": pair.truth is None,
        "predicted": pair.guess is not None,
    }
    return percent(pair.guess is not None and pair.truth is None) if counted[of] else None


def fir_of(pair: Pair, of: str) -> Score:
    """Return whether a pair is falsely invisible, if it is in the denominator."""
    counted = {
        "all": True,
        "visible": pair.truth is not None,
        "predicted": pair.guess is None,
    }
    return percent(pair.guess is None and pair.truth is not None) if counted[of] else None


def over_cap_of(pair: Pair, unit: Unit) -> Score:
    """Return whether a both-visible pair is farther off than the cap."""
    if pair.guess is None or pair.truth is None:
        return None
    if math.isnan(unit[0]):
        return NAN
    return percent(delta(pair.guess, pair.truth, unit) > CAP)


def pair_score(pair: Pair, measure: str, keys: Keys, units: Mapping[str, Unit]) -> Score:
    """Return what a pair scores under a measure, with the units of the pair's part."""
    if measure == "FVR":
        return fvr_of(pair, keys["of"])
    if measure == "FIR":
        return fir_of(pair, keys["of"])
    unit = units[keys["sigma"]]
    if measure == "report-error":
        return report_error_of(pair, unit, keys["none"])
    if measure == "AE":
        return ae_of(pair, unit)
    if measure == "PCP":
        return pcp_of(pair, unit, keys["ref"])
    return over_cap_of(pair, unit)


# Section 4: the averages.


def mean_counted(values: Iterable[Score]) -> Score:
    """Return the mean of the values that count, None where none does."""
    counted = [value for value in values if value is not None]
    return sum(counted) / len(counted) if counted else None


def average(pairs: Sequence[Pair], scores: Sequence[Score], avg: str) -> Score:
    """Return the mean over pairs, or over the means of parts or of images."""
    if avg == "micro":
        return mean_counted(scores)
    groups: dict[int, list[Score]] = {}
    for pair, value in zip(pairs, scores, strict=True):
        groups.setdefault(pair.part if avg == "parts" else pair.image, []).append(value)
    return mean_counted(mean_counted(group) for group in groups.values())


def average_slots(pairs: Sequence[Pair], scores: Sequence[Score], avg: str) -> Score:
    """Return the mean of the slots' values, weighted by the pairs that each slot answered."""
    slots: dict[int, list[int]] = {}
    for at, pair in enumerate(pairs):
        slots.setdefault(pair.slot, []).append(at)
    total, weights = 0.0, 0
    for chosen in slots.values():
        value = average([pairs[at] for at in chosen], [scores[at] for at in chosen], avg)
        if value is not None:
            total += value * len(chosen)
            weights += len(chosen)
    return total / weights if weights else None


# Signatures.


def choices(measure: str) -> list[Keys]:
    """Return every combination of a measure's keys, in the order of the tables."""
    names = MEASURES[measure]
    return [dict(zip(names, values, strict=True)) for values in product(*names.values())]


def short_form(measure: str, keys: Keys) -> str:
    """Return the short signature of a measure and its keys."""
    return "|".join([measure, *(f"{key}:{value}" for key, value in keys.items())])


def bare_form(measure: str, keys: Keys) -> str:
    """Return the short signature without its average, which names what single pairs score."""
    return short_form(measure, {key: value for key, value in keys.items() if key != "avg"})


def short_signatures() -> list[str]:
    """Return the 123 short signatures."""
    return [short_form(measure, keys) for measure in MEASURES for keys in choices(measure)]


# Rows and tables.


def prediction_pairs(
    answers: Answers | None, truth: Grid, prediction: Grid, scored: Sequence[int]
) -> list[Pair]:
    """Return the scored pairs of a prediction."""
    pairs: list[Pair] = []
    for image in scored:
        for part, mark in enumerate(truth[image]):
            clicks = [] if answers is None else clicks_of(answers[image][part])
            guess = place(prediction[image][part])
            pairs.append(Pair(image, part, 0, guess, place(mark), clicks, clicks))
    return pairs


def human_pairs(answers: Answers, truth: Grid, scored: Sequence[int]) -> list[Pair]:
    """Return every answer to a scored pair, as a pair of its own."""
    pairs: list[Pair] = []
    for image in scored:
        for part, mark in enumerate(truth[image]):
            everyone = answers[image][part]
            clicks = clicks_of(everyone)
            for slot, answer in enumerate(everyone):
                others = clicks_of([other for at, other in enumerate(everyone) if at != slot])
                pairs.append(Pair(image, part, slot, place(answer), place(mark), clicks, others))
    return pairs


def pool_images(pool: Pool, count: int) -> Sequence[int]:
    """Return the indexes of the images whose clicks the unit is measured on."""
    if not isinstance(pool, str):
        return pool
    if pool != "all":
        raise ValueError("pool: 'all' or a list of image indexes")
    return range(count)


def units_of(answers: Answers | None, truth: Grid, pool: Pool) -> list[dict[str, Unit]]:
    """Return each part's units by name, none of them where there are no answers."""
    parts = range(part_count(truth))
    if answers is None:
        return [{} for _ in parts]
    table = sigmas(answers, truth, pool_images(pool, len(truth)))
    return [{name: table[name][part] for name in SIGMAS} for part in parts]


def scores_of(pairs: Sequence[Pair], units: Sequence[Mapping[str, Unit]]) -> dict[str, list[Score]]:
    """Return what the pairs score by bare signature, for the measures that have their unit."""
    scores: dict[str, list[Score]] = {}
    for measure in MEASURES:
        for keys in choices(measure):
            bare = bare_form(measure, keys)
            if bare not in scores and ("sigma" not in keys or all(units)):
                scores[bare] = [pair_score(pair, measure, keys, units[pair.part]) for pair in pairs]
    return scores


def rows_of(
    answers: Answers | None,
    truth: Grid,
    predictions: Mapping[str, Grid],
    pool: Pool,
    scored: Sequence[int] | None,
) -> dict[str, Row]:
    """Return the rows of a table: the predictions, then the human rows where there are answers."""
    units = units_of(answers, truth, pool)
    images = range(len(truth)) if scored is None else scored
    rows: dict[str, Row] = {}
    for name, prediction in predictions.items():
        pairs = prediction_pairs(answers, truth, prediction, images)
        rows[name] = Row(pairs, scores_of(pairs, units), False)
    if answers is not None:
        people = human_pairs(answers, truth, images)
        scores = scores_of(people, units)
        rows["Human|workers:mean"] = Row(people, scores, True)
        rows["Human|workers:pooled"] = Row(people, scores, False)
    return rows


def row_value(row: Row, bare: str, avg: str) -> float:
    """Return one of a row's numbers, NaN where there is nothing to count."""
    value = (average_slots if row.by_slot else average)(row.pairs, row.scores[bare], avg)
    return NAN if value is None else value


def row_values(row: Row, averages: Sequence[str]) -> dict[str, float]:
    """Return a row's numbers by short signature, for some averages where there is a choice."""
    values: dict[str, float] = {}
    for measure in MEASURES:
        for keys in choices(measure):
            bare, avg = bare_form(measure, keys), keys.get("avg", "micro")
            if bare in row.scores and avg in averages:
                values[short_form(measure, keys)] = row_value(row, bare, avg)
    return values


def only_part(row: Row, part: int) -> Row:
    """Return a row reduced to the pairs of one part."""
    chosen = [at for at, pair in enumerate(row.pairs) if pair.part == part]
    scores = {bare: [values[at] for at in chosen] for bare, values in row.scores.items()}
    return Row([row.pairs[at] for at in chosen], scores, row.by_slot)


def score(
    answers: Answers | None,
    given: Grid,
    predictions: Mapping[str, Grid],
    truth: str = "given",
    pool: Pool = "all",
    scored: Sequence[int] | None = None,
) -> dict[str, dict[str, float]]:
    """Return every row's numbers by short signature, over all images where none are named."""
    rows = rows_of(answers, ground_truth(answers, given, truth), predictions, pool, scored)
    return {name: row_values(row, AVERAGES) for name, row in rows.items()}


def by_part(
    answers: Answers | None,
    given: Grid,
    predictions: Mapping[str, Grid],
    truth: str = "given",
    pool: Pool = "all",
    scored: Sequence[int] | None = None,
) -> dict[str, list[dict[str, float]]]:
    """Return every row's numbers for each part alone, only avg:micro where there is a choice."""
    marks = ground_truth(answers, given, truth)
    rows = rows_of(answers, marks, predictions, pool, scored)
    parts = range(part_count(marks))
    return {
        name: [row_values(only_part(row, part), ("micro",)) for part in parts]
        for name, row in rows.items()
    }
