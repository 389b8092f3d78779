"""The synthetic birds, scored: the dataset they make, their figures, checks and hypotheses.

The figures published for 2,000 birds and seed 0 stand beside what each check measures, and are
compared with it only for those birds; see the page birds/example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cubspec.birds.body import SPREAD
from cubspec.birds.camera import Poses, visible
from cubspec.birds.localizers import Birds, draw_birds
from cubspec.choices import Signature
from cubspec.data import PARTS, Clicks, Dataset, Floats, InputError, Pairs, Prediction, Truth
from cubspec.measures.average_error import AVERAGE_ERROR
from cubspec.measures.averages import micro
from cubspec.measures.distance import both_visible, distance_from_truth
from cubspec.measures.human import human_pairs
from cubspec.scoring import Result, score
from cubspec.truth.consensus import from_clicks

PUBLISHED = (2000, 0)
"""Number and seed of the birds whose figures are published."""

EXAMPLE_STEPS = 6
"""How often `make_example` says what it does next."""

SIGMAS = ("sd-mean", "dist-median")
HUMAN_ROW = "Human|workers:mean"
LOCALIZERS = ("A", "B", "C")


@dataclass(frozen=True)
class Check:
    """One statement about the birds, with what was measured.

    Attributes
    ----------
    kind : "check" or "hypothesis"
    number : as on the page birds/example
    statement : what should hold
    measured : what was measured, as text
    holds : whether it does; None where it is only claimed of the published birds, and these are
        others
    """

    kind: str
    number: int
    statement: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class PartFigures:
    """Figures of the 15 parts, each (15,) float.

    Attributes
    ----------
    truth_visible : share of the birds on which the ground truth is visible
    sd_mean_over_simulated : sigma sd-mean over the spread that the clicks were drawn with
    sd_mean : sigma sd-mean, pixels
    dist_median : sigma dist-median, pixels
    simulated_visible : share of the birds on which the part is simulated visible
    """

    truth_visible: Floats
    sd_mean_over_simulated: Floats
    sd_mean: Floats
    dist_median: Floats
    simulated_visible: Floats


@dataclass(frozen=True)
class Example:
    """Scored birds.

    Attributes
    ----------
    number : of birds
    seed : of the generator
    birds : Birds
    dataset : what the birds' annotators answered, as a dataset
    truth : the consensus of the answers
    result : Result
    parts : PartFigures
    checks : every check and hypothesis with its outcome
    """

    number: int
    seed: int
    birds: Birds
    dataset: Dataset
    truth: Truth
    result: Result
    parts: PartFigures
    checks: tuple[Check, ...]


def example_forms() -> tuple[str, ...]:
    """The short forms of the example's tables, column by column."""
    located = ["report-error|{}|none:zero|avg:micro", "report-error|{}|none:skip|avg:micro"]
    located += ["AE|{}|avg:micro", "PCP|{}|ref:median", "PCP|{}|ref:one", "PCP|{}|ref:any"]
    located += ["capped|{}"]
    rates = ["FVR|of:all|avg:micro", "FVR|of:invisible|avg:micro"]
    rates += ["FIR|of:all|avg:micro", "FIR|of:visible|avg:micro"]
    return tuple([*rates, *(form.format(f"sigma:{name}") for name in SIGMAS for form in located)])


def make_example(
    number: int = PUBLISHED[0],
    seed: int = PUBLISHED[1],
    *,
    only: Sequence[str] | None = None,
    per_part: bool = False,
    step: Callable[[str], None] = lambda _: None,
) -> Example:
    """Draw birds, score A, B, C and the annotators, and check what is known of them.

    Parameters
    ----------
    number : of birds, at least 1
    seed : at least 0
    only : short forms to compute beside those of the example's tables; all where not given
    per_part : whether to compute every part by itself too
    step : called with what is done next

    Raises
    ------
    InputError
        Where a number is out of range.
    """
    if number < 1:
        raise InputError(f"expected at least 1 bird, found {number}")
    if seed < 0:
        raise InputError(f"expected a seed of at least 0, found {seed}")
    step("drawing birds")
    birds = draw_birds(number, seed)
    dataset = example_dataset(birds, number, seed)
    forms = None if only is None else [*example_forms(), *only]
    result = score(
        dataset,
        birds.predictions,
        split="all",
        truth="clicks",
        only=forms,
        per_part=per_part,
        step=lambda row: step(f"scoring {row}"),
    )
    step("checking")
    truth = dataset.given
    parts = part_figures(birds, truth, result)
    made = Example(number, seed, birds, dataset, truth, result, parts, ())
    return replace(made, checks=(*checks(made), *hypotheses(made)))


def example_dataset(birds: Birds, number: int, seed: int) -> Dataset:
    """The birds as a dataset: ids from 1, even ids for training, the consensus as ground truth."""
    image_id = np.arange(1, number + 1)
    nothing = np.zeros_like(birds.simulated.visible)
    none = Truth(nothing, np.full_like(birds.simulated.location, np.nan))
    return Dataset(
        image_id=image_id,
        parts=PARTS,
        given=from_clicks(none, birds.clicks),
        clicks=birds.clicks,
        training=image_id % 2 == 0,
        name=f"birds-{number}-{seed}",
    )


def part_figures(birds: Birds, truth: Truth, result: Result) -> PartFigures:
    """The figures of each part; the result must hold both sigmas of the example."""
    sd_mean = result.sigma["sd-mean"][:, 0]
    drawn = SPREAD * np.sqrt((birds.poses.scale**2).mean())
    return PartFigures(
        truth.visible.mean(axis=0),
        sd_mean / drawn,
        sd_mean,
        result.sigma["dist-median"][:, 0],
        birds.simulated.visible.mean(axis=0),
    )


def checks(made: Example) -> list[Check]:
    """The seven checks; 4, 5 and 6 are claimed of the published birds only."""
    published = (made.number, made.seed) == PUBLISHED
    found = _rates_of_oracle(made)
    perfect = {"report-error": 0.0, "AE": 0.0, "PCP": 100.0, "FVR": 0.0, "FIR": 0.0}
    side = visible(Poses(np.ones(1), np.zeros(1), np.zeros(1)))[0]
    seen = {part: bool(side[PARTS.index(part)]) for part in SIDE_VIEW}
    mismatches = mirror_mismatches()
    scores = {part: left_minus_right(made.birds.simulated, part) for part in PAIRED}
    ratio = made.parts.sd_mean_over_simulated
    apart = np.abs(made.parts.truth_visible - made.parts.simulated_visible)
    rows = made.result.rows["B"]
    rates = rows["FIR|of:visible|avg:micro"], rows["FVR|of:invisible|avg:micro"]
    fewest = fewest_clicks(made.dataset.clicks, made.truth)
    known = [abs(z) for z in scores.values() if not math.isnan(z)]
    small = max(known) < 4 if known else None
    return [
        Check(
            "check",
            1,
            "the ground truth as prediction: report-error 0, AE 0, PCP 100, FVR 0, FIR 0",
            ", ".join(f"{name} {_said(value, 'g')}" for name, value in found.items()),
            all(value == perfect[name] or math.isnan(value) for name, value in found.items()),
        ),
        Check(
            "check",
            2,
            "side view: left eye and wing visible, right ones hidden",
            ", ".join(f"{part} {'visible' if seen[part] else 'hidden'}" for part in seen),
            seen == SIDE_VIEW,
        ),
        Check(
            "check",
            3,
            "mirror: a left part at yaw ψ is visible exactly when the right one is at π − ψ",
            f"{mismatches} mismatches in {len(YAWS) * len(ELEVATIONS):,} poses × {len(PAIRED)}",
            mismatches == 0,
        ),
        Check(
            "check",
            4,
            "left minus right simulated visibility, in standard errors: "
            + ("+0.31 eye, +1.00 wing, +0.21 leg" if published else "less than 4 either way"),
            ", ".join(f"{_said(z, '+.2f')} {part}" for part, z in scores.items()),
            {part: f"{z:+.2f}" for part, z in scores.items()} == PAIRED if published else small,
        ),
        Check(
            "check",
            5,
            "sd-mean over the spread drawn with: within 0.9887–1.0255 for every part",
            f"{_said(ratio.min(), '.4f')} to {_said(ratio.max(), '.4f')}",
            bool((ratio.round(4) >= 0.9887).all() and (ratio.round(4) <= 1.0255).all())
            if published
            else None,
        ),
        Check(
            "check",
            6,
            "visible fractions of majority and simulation: at most 0.002 apart for every part",
            f"at most {apart.max():.4f} apart",
            bool((apart <= 0.002).all()) if published else None,
        ),
        Check(
            "check",
            6,
            "every visible pair has at least 3 clicks",
            f"fewest {fewest}" if fewest else "no visible pair",
            fewest is None or fewest >= 3,
        ),
        Check(
            "check",
            7,
            "B has FIR 0 and calls 100 % of hidden parts visible",
            f"FIR {_said(rates[0], '.2f')}, FVR of invisible {_said(rates[1], '.2f')}",
            all(
                value == expected or math.isnan(value)
                for value, expected in zip(rates, (0.0, 100.0), strict=True)
            ),
        ),
    ]


def _said(value: float, form: str) -> str:
    """A number as a check prints it; a dash where there is none."""
    return "–" if math.isnan(value) else format(value, form)


SIDE_VIEW = {"left eye": True, "right eye": False, "left wing": True, "right wing": False}
PAIRED = {"eye": "+0.31", "wing": "+1.00", "leg": "+0.21"}
YAWS = range(360)
ELEVATIONS = range(-15, 46, 5)


def _rates_of_oracle(made: Example) -> dict[str, float]:
    forms = [
        "report-error|sigma:sd-mean|none:zero|avg:micro",
        "AE|sigma:sd-mean|avg:micro",
        "PCP|sigma:sd-mean|ref:median",
        "FVR|of:invisible|avg:micro",
        "FIR|of:visible|avg:micro",
    ]
    oracle = {"truth": Prediction(made.truth.visible, made.truth.location)}
    rows = score(made.dataset, oracle, split="all", truth="clicks", only=forms).rows["truth"]
    return {Signature.parse(form).measure.id: rows[form] for form in forms}


def mirror_mismatches() -> int:
    """Poses and paired parts in which left at yaw ψ and right at π − ψ differ in visibility."""
    degrees = np.array([(yaw, elevation) for yaw in YAWS for elevation in ELEVATIONS], dtype=float)
    yaw, elevation = np.radians(degrees).T
    size = np.ones_like(yaw)
    there, back = visible(Poses(size, yaw, elevation)), visible(Poses(size, np.pi - yaw, elevation))
    left = [PARTS.index(f"left {part}") for part in PAIRED]
    right = [PARTS.index(f"right {part}") for part in PAIRED]
    return int((there[:, left] != back[:, right]).sum())


def left_minus_right(simulated: Truth, part: str) -> float:
    """Mean difference in visibility over its standard error; NaN where there is no error."""
    left = simulated.visible[:, PARTS.index(f"left {part}")].astype(float)
    difference = left - simulated.visible[:, PARTS.index(f"right {part}")]
    if len(difference) < 2 or np.ptp(difference) == 0:
        return math.nan
    return float(difference.mean() / (difference.std(ddof=1) / math.sqrt(len(difference))))


def fewest_clicks(clicks: Clicks | None, truth: Truth) -> int | None:
    """The fewest clicks of any visible pair; None where no pair is visible."""
    if clicks is None or not truth.visible.any():
        return None
    return int(clicks.visible.sum(axis=1)[truth.visible].min())


def uncapped_human_error(made: Example, sigma: str) -> float:
    """The annotators' AE without the cap, all answers pooled, in units of a sigma."""

    def pairs(prediction: Prediction, truth: Truth, sigma: Floats) -> Pairs:
        return Pairs(distance_from_truth(prediction, truth, sigma), both_visible(prediction, truth))

    assert made.dataset.clicks is not None
    clicks, unit = made.dataset.clicks, made.result.sigma[sigma]
    return micro(human_pairs(replace(AVERAGE_ERROR, pairs=pairs), made.truth, clicks, sigma=unit))


def hypotheses(made: Example) -> list[Check]:
    """The six hypotheses, for both sigmas; claimed of the published birds only."""
    found: list[Check] = []
    for sigma in SIGMAS:
        found += _hypotheses_of_location(made, sigma)
    all_rates = [made.result.rows["B"][f"FVR|of:{of}|avg:micro"] for of in ("invisible", "all")]
    claimed = (made.number, made.seed) == PUBLISHED
    found.append(
        Check(
            "hypothesis",
            6,
            "FVR depends on its denominator: B's is 100.00 of the hidden parts, 37.85 of all",
            f"{_said(all_rates[0], '.2f')} and {_said(all_rates[1], '.2f')}",
            [f"{rate:.2f}" for rate in all_rates] == ["100.00", "37.85"] if claimed else None,
        )
    )
    return sorted(found, key=lambda check: check.number)


UNCAPPED = {"sd-mean": "1.074307", "dist-median": "1.000000"}
SPAN = {"sd-mean": ("52.30", "72.12"), "dist-median": ("54.45", "74.16")}
HIDDEN_BY_CAP = {"sd-mean": "25.02", "dist-median": "20.38"}


def _hypotheses_of_location(made: Example, sigma: str) -> list[Check]:
    rows = made.result.rows
    unit = f"sigma:{sigma}"
    ae = {name: rows[name][f"AE|{unit}|avg:micro"] for name in LOCALIZERS}
    zero, skip = (
        {name: rows[name][f"report-error|{unit}|none:{none}|avg:micro"] for name in LOCALIZERS}
        for none in ("zero", "skip")
    )
    pcp = {
        name: {ref: rows[name][f"PCP|{unit}|ref:{ref}"] for ref in ("median", "one", "any")}
        for name in LOCALIZERS
    }
    capped = rows["C"][f"capped|{unit}"]
    human = uncapped_human_error(made, sigma)
    claimed = (made.number, made.seed) == PUBLISHED

    def hypothesis(number: int, statement: str, measured: str, holds: bool) -> Check:
        said = f"{statement} (sigma {sigma})"
        return Check("hypothesis", number, said, measured, holds if claimed else None)

    references = all(p["one"] < p["median"] for p in (pcp["A"], pcp["C"]))
    span = _said(pcp["A"]["one"], ".2f"), _said(pcp["A"]["any"], ".2f")
    shown = {
        key: {name: _said(value, ".3f") for name, value in each.items()}
        for key, each in {"AE": ae, "zero": zero, "skip": skip}.items()
    }
    b_and_c = "; ".join(f"{key} {each['B']}, {each['C']}" for key, each in shown.items())
    return [
        hypothesis(
            1,
            f"the annotators' AE without the cap, pooled, is {UNCAPPED[sigma]}",
            _said(human, ".6f"),
            _said(human, ".6f") == UNCAPPED[sigma],
        ),
        hypothesis(
            2,
            "AE does not see visibility: A and B within 0.05, report-error over 0.5 apart",
            f"AE {shown['AE']['A']} and {shown['AE']['B']}, "
            f"report-error {shown['zero']['A']} and {shown['zero']['B']}",
            abs(ae["A"] - ae["B"]) < 0.05 and zero["B"] - zero["A"] > 0.5,
        ),
        hypothesis(
            3,
            "AE puts B before C, report-error none:zero puts C before B, none:skip B before C",
            f"B and C: {b_and_c}",
            ae["B"] < ae["C"] and zero["C"] < zero["B"] and skip["B"] < skip["C"],
        ),
        hypothesis(
            4,
            f"PCP depends on the reference: A spans {SPAN[sigma][0]} to {SPAN[sigma][1]}, "
            "one < median for A and C, any ≥ one",
            f"A {span[0]} to {span[1]}",
            references and span == SPAN[sigma] and all(p["any"] >= p["one"] for p in pcp.values()),
        ),
        hypothesis(
            5,
            f"the cap hides C's misses: {HIDDEN_BY_CAP[sigma]} % of its pairs are over it",
            f"{_said(capped, '.2f')} %",
            _said(capped, ".2f") == HIDDEN_BY_CAP[sigma],
        ),
    ]
