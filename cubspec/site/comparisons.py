"""Tables of measures that are defined elsewhere, on the synthetic birds, beside those of cubspec.

What computes the other measures here serves these tables and is no part of the specification.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from cubspec.birds.camera import CENTRE, bounding_box
from cubspec.choices import Signature
from cubspec.data import Booleans, Clicks, Floats, Prediction, Truth
from cubspec.example import LOCALIZERS, Example
from cubspec.repeated_clicks import consensus, scaled_clicks
from cubspec.site.cells import grid, link
from cubspec.site.effects import published_birds
from cubspec.tables import DECIMALS
from cubspec.truth.consensus import ratio
from cubspec.truth.sigma import rms_median

FRACTION = 0.1
"""The tolerance of PCK in units of its normalizer."""

CROP = 1.1
"""The side of a padded crop in units of the longest side of the box."""

IMAGE_SIZE = 2 * CENTRE

OURS = (
    "PCP|sigma:sd-mean|ref:median",
    "report-error|sigma:sd-mean|none:zero|avg:micro",
    "AE|sigma:sd-mean|avg:micro",
)
"""The short forms that stand beside the other measures."""

SHARED = ("sigma", "avg")
"""Their keys whose values are the preselected ones, and not named in each row."""

OKS_DECIMALS = 3
PERCENT_DECIMALS = DECIMALS["%"]


def longest_side(box: Floats) -> Floats:
    """The longer of width and height: (n,) float, pixels, from (n, 4) boxes."""
    side: Floats = box[:, 2:].max(axis=1)
    return side


def padded_crop(box: Floats) -> Floats:
    """The side of a crop that is a tenth wider than the longest side: (n,) float, pixels."""
    return CROP * longest_side(box)


def diagonal(box: Floats) -> Floats:
    """The diagonal of the box: (n,) float, pixels."""
    return np.hypot(box[:, 2], box[:, 3])


def image_side(box: Floats) -> Floats:
    """The side of the square image: (n,) float, pixels."""
    return np.full(len(box), IMAGE_SIZE)


NORMALIZERS: dict[str, Callable[[Floats], Floats]] = {
    "longest side of the box": longest_side,
    f"{CROP} × longest side": padded_crop,
    "diagonal of the box": diagonal,
    f"image size, {IMAGE_SIZE:.0f} px": image_side,
}
"""What a tolerance of PCK can be a fraction of."""


def near(prediction: Prediction, truth: Truth, tolerance: Floats) -> Booleans:
    """Which pairs are predicted visible and within a tolerance of the ground truth.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    tolerance : (n,) float, pixels

    Returns
    -------
    (n, p) bool; False where the ground truth or the prediction is not visible
    """
    distance = np.linalg.norm(prediction.location - truth.location, axis=2)
    found: Booleans = prediction.visible & (distance <= tolerance[:, np.newaxis])
    return found


def keypoint_similarity(
    prediction: Prediction, truth: Truth, sigma: Floats, area: Floats
) -> Floats:
    """The OKS of each image over the parts visible in the ground truth.

    Parameters
    ----------
    prediction : Prediction of n images and p parts; a part not visible is as if infinitely far
    truth : Truth of the same images and parts
    sigma : (p,) float, in units of the root of the area; doubled here, as pycocotools does
    area : (n,) float, square pixels

    Returns
    -------
    (n,) float, 0 to 1; NaN where no part is visible
    """
    square = ((prediction.location - truth.location) ** 2).sum(axis=2)
    similarity = np.exp(-square / (2 * area[:, np.newaxis] * (2 * sigma) ** 2))
    counted = np.where(truth.visible & prediction.visible, similarity, 0)
    return ratio(counted.sum(axis=1), truth.visible.sum(axis=1))


def relative_spread(clicks: Clicks, length: Floats) -> Floats:
    """The rms-median of each part relative to a length of each object: (p,) float."""
    measured = scaled_clicks(clicks, length)
    return rms_median(measured, consensus(measured))[:, 0]


def percentages_near(normalize: Callable[[Floats], Floats], *, both: bool = False) -> list[float]:
    """The PCK of each localizer on the birds.

    Parameters
    ----------
    normalize : what the tolerance is a fraction of, from the boxes
    both : over the pairs visible in both, instead of all that are visible in the ground truth
    """
    made = published_birds()
    tolerance = FRACTION * normalize(bounding_box(made.birds.poses))
    found = []
    for name in LOCALIZERS:
        prediction = made.birds.predictions[name]
        over = made.truth.visible & prediction.visible if both else made.truth.visible
        found.append(100 * float(near(prediction, made.truth, tolerance)[over].mean()))
    return found


def mean_similarities() -> list[float]:
    """The mean OKS of each localizer on the birds, with their own sigma and the box as area."""
    made = published_birds()
    sigma, area = oks_of_birds(made)
    return [
        float(
            np.nanmean(keypoint_similarity(made.birds.predictions[name], made.truth, sigma, area))
        )
        for name in LOCALIZERS
    ]


def oks_of_birds(made: Example) -> tuple[Floats, Floats]:
    """Sigma of every part, (p,), and the area of every bird's box, (n,), whose root it is in."""
    width, height = bounding_box(made.birds.poses)[:, 2:].T
    area = width * height
    return relative_spread(made.birds.clicks, np.sqrt(area)), area


def pck_of_birds(page: str) -> str:
    """The PCK of the localizers under each normalizer, and what the normalizer alone does."""
    numbers = {label: percentages_near(normalize) for label, normalize in NORMALIZERS.items()}
    cells = {label: _written(each, PERCENT_DECIMALS) for label, each in numbers.items()}
    rows = [
        (label, f"{_median_tolerance(normalize):.1f}", *cells[label])
        for label, normalize in NORMALIZERS.items()
    ]
    what = f"PCK at {FRACTION} over the parts visible in the ground truth, in %"
    caption = _caption(page, f"{what}; px is the median tolerance in pixels")
    table = grid(("normalizer", "px", *LOCALIZERS), rows, numbers=True)
    return "\n\n".join([caption, table, _moves(cells), _of_both_visible()])


def beside_ours(page: str) -> str:
    """The birds under PCK, OKS and the measures of cubspec, with the order of the localizers."""
    pck = percentages_near(longest_side)
    rows = [
        _ranked(f"PCK at {FRACTION}, longest side, %", pck, PERCENT_DECIMALS, "higher"),
        _ranked("mean OKS", mean_similarities(), OKS_DECIMALS, "higher"),
        *(_our_row(page, short) for short in OURS),
    ]
    head = ("measure", *LOCALIZERS, "order")
    what = "PCK and OKS over the parts visible in the ground truth, ours under `sigma:sd-mean`"
    caption = _caption(page, f"{what}; best first in the order")
    return "\n\n".join([caption, grid(head, rows, numbers=True)])


def _our_row(page: str, short: str) -> list[str]:
    form = Signature.parse(short)
    rows = published_birds().result.rows
    measure = form.measure
    apart = (f"{key}:{value}" for key, value in form.values.items() if key not in SHARED)
    label = ", ".join([link(page, measure.address, f"`{measure.id}`"), *apart, measure.unit])
    numbers = [rows[name][short] for name in LOCALIZERS]
    return _ranked(label, numbers, DECIMALS[measure.unit], measure.better)


def _ranked(label: str, numbers: Sequence[float], decimals: int, better: str) -> list[str]:
    cells = _written(numbers, decimals)
    return [label, *cells, best_first(dict(zip(LOCALIZERS, cells, strict=True)), better)]


def best_first(cells: Mapping[str, str], better: str) -> str:
    """The order of rows by their printed numbers; what prints alike is level.

    >>> best_first({"A": "1.95", "B": "1.95", "C": "3.33"}, "lower")
    'A=B C'
    """
    sign = -1 if better == "higher" else 1
    values = sorted({float(cell) for cell in cells.values()}, key=lambda value: sign * value)
    groups = [[name for name, cell in cells.items() if float(cell) == each] for each in values]
    return " ".join("=".join(group) for group in groups)


def _median_tolerance(normalize: Callable[[Floats], Floats]) -> float:
    return FRACTION * float(np.median(normalize(bounding_box(published_birds().birds.poses))))


def _written(numbers: Iterable[float], decimals: int) -> list[str]:
    return [format(each, f".{decimals}f") for each in numbers]


def _moves(cells: Mapping[str, Sequence[str]]) -> str:
    """How far each localizer moves from one normalizer to another."""
    said = []
    for name, column in zip(LOCALIZERS, zip(*cells.values(), strict=True), strict=True):
        low, high = (pick(map(float, column)) for pick in (min, max))
        said.append(f"{name} from {low:.2f} to {high:.2f} %")
    return f"The normalizer alone moves {said[0]}, {said[1]} and {said[2]}."


def _of_both_visible() -> str:
    """What leaving out the pairs that a localizer calls not visible would do."""
    cells = _written(percentages_near(longest_side, both=True), PERCENT_DECIMALS)
    said = [f"{cell} % for {name}" for name, cell in zip(LOCALIZERS, cells, strict=True)]
    return (
        "A part that is visible in the ground truth and predicted not visible counts as missed. "
        f"Leaving such parts out would, with the longest side, give {said[0]}, {said[1]} and "
        f"{said[2]}."
    )


def _caption(page: str, what: str) -> str:
    made = published_birds()
    birds = link(page, "birds/index/#birds", f"{made.number:,} synthetic birds, seed {made.seed}")
    return f"{what}; {birds}.\n{{ .effect }}"


def variance_of_median(number: int) -> float:
    """The variance of the median of an odd number of standard normal numbers, or of two."""
    if number == 2:
        return 0.5
    half = (number - 1) // 2
    x = np.linspace(-9, 9, 20001)
    below = np.array([(1 + math.erf(each / math.sqrt(2))) / 2 for each in x.tolist()])
    density = below**half * (1 - below) ** half * np.exp(-(x**2) / 2)
    return float((x**2 * density).sum() / density.sum())


def shortfall(page: str) -> str:
    """How much too small a spread about the annotators' own consensus is."""
    rows = []
    for number in (2, 3, 5, 7):
        about_mean = (number - 1) / number
        about_median = 1 - 2 / number + variance_of_median(number)
        rows.append((str(number), f"{math.sqrt(about_mean):.3f}", f"{math.sqrt(about_median):.3f}"))
    head = ("clicks of a pair", "about their mean", "about their median")
    return "\n\n".join([grid(head, rows, numbers=True), _shortfall_of_birds()])


def _shortfall_of_birds() -> str:
    sigma = published_birds().result.sigma
    factor = (sigma["rms-median"] / (math.sqrt(2) * sigma["sd-mean"])).ravel()
    return (
        "On the synthetic birds, with up to five clicks a pair, `rms-median` is "
        f"{factor.min():.3f} to {factor.max():.3f} times "
        "√2\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}`sd-mean`, depending on the part."
    )
