"""The annotators' spread σ.

Written from docs/truth/sigma.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/truth/sigma/#sigma-definition
import numpy as np

from cubspec.choices import Choice, Value
from cubspec.data import Booleans, Clicks, Floats, Integers, Truth
from cubspec.truth.consensus import ratio


def counted_clicks(clicks: Clicks, truth: Truth) -> Booleans:
    """Select the clicks of pairs that are visible in the ground truth.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts

    Returns
    -------
    (n, w, p) bool
    """
    return clicks.visible & truth.visible[:, np.newaxis]


def mean_click(clicks: Clicks) -> Floats:
    """Take the mean of each pair's clicks.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts

    Returns
    -------
    (n, p, 2) float, pixels; NaN where a pair has no click
    """
    points = np.where(clicks.visible[..., np.newaxis], clicks.location, 0)
    return ratio(points.sum(axis=1), clicks.visible.sum(axis=1)[..., np.newaxis])


def offsets(clicks: Clicks, truth: Truth, point: Floats) -> Floats:
    """Subtract a point of the pair from each of its clicks.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    point : (n, p, 2) float, pixels

    Returns
    -------
    (n, w, p, 2) float, pixels; 0 where no click is counted
    """
    counted = counted_clicks(clicks, truth)[..., np.newaxis]
    return np.where(counted, clicks.location - point[:, np.newaxis], 0)


def number_of_clicks(clicks: Clicks, truth: Truth) -> Integers:
    """Count K, the clicks of each part: (p,) int."""
    number: Integers = counted_clicks(clicks, truth).sum(axis=(0, 1))
    return number


def number_of_pairs(clicks: Clicks, truth: Truth) -> Integers:
    """Count the pairs of each part that are visible and have a click: (p,) int."""
    clicked = np.any(counted_clicks(clicks, truth), axis=1)
    number: Integers = clicked.sum(axis=0)
    return number


# https://cubspec.example.org/truth/sigma/#sigma-none
SMALLEST = 1e-9


def unit(spread: Floats) -> Floats:
    """Replace a spread that is no unit by NaN.

    Parameters
    ----------
    spread : (p, 1) or (p, 2) float, pixels

    Returns
    -------
    The same, NaN on every axis of a part where any axis is NaN, infinite or below 1e-9
    """
    usable = (np.isfinite(spread) & (spread >= SMALLEST)).all(axis=1, keepdims=True)
    return np.where(usable, spread, np.nan)


# https://cubspec.example.org/truth/sigma/#sigma-sd-mean
def sd_mean(clicks: Clicks, truth: Truth) -> Floats:
    """Sample standard deviation about the pair's mean click, pooled over both axes: (p, 1), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, mean_click(clicks)) ** 2).sum(axis=(0, 1, 3))
    freedom = number_of_clicks(clicks, truth) - number_of_pairs(clicks, truth)
    return unit(np.sqrt(ratio(squares, 2 * freedom))[:, np.newaxis])


# https://cubspec.example.org/truth/sigma/#sigma-sd-median
def sd_median(clicks: Clicks, truth: Truth) -> Floats:
    """Root mean square offset from the ground truth, pooled over both axes: (p, 1), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, truth.location) ** 2).sum(axis=(0, 1, 3))
    return unit(np.sqrt(ratio(squares, 2 * number_of_clicks(clicks, truth)))[:, np.newaxis])


# https://cubspec.example.org/truth/sigma/#sigma-dist-mean
def dist_mean(clicks: Clicks, truth: Truth) -> Floats:
    """Mean distance from the pair's mean click: (p, 1), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, mean_click(clicks)) ** 2).sum(axis=3)
    total = np.sqrt(squares).sum(axis=(0, 1))
    return unit(ratio(total, number_of_clicks(clicks, truth))[:, np.newaxis])


# https://cubspec.example.org/truth/sigma/#sigma-dist-median
def dist_median(clicks: Clicks, truth: Truth) -> Floats:
    """Mean distance from the ground truth: (p, 1), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, truth.location) ** 2).sum(axis=3)
    total = np.sqrt(squares).sum(axis=(0, 1))
    return unit(ratio(total, number_of_clicks(clicks, truth))[:, np.newaxis])


# https://cubspec.example.org/truth/sigma/#sigma-rms-median
def rms_median(clicks: Clicks, truth: Truth) -> Floats:
    """Root mean square distance from the ground truth: (p, 1), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, truth.location) ** 2).sum(axis=(0, 1, 3))
    return unit(np.sqrt(ratio(squares, number_of_clicks(clicks, truth)))[:, np.newaxis])


# https://cubspec.example.org/truth/sigma/#sigma-axes-mean
def axes_mean(clicks: Clicks, truth: Truth) -> Floats:
    """Sample standard deviation about the pair's mean click, of each axis: (p, 2), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    squares = (offsets(clicks, truth, mean_click(clicks)) ** 2).sum(axis=(0, 1))
    freedom = number_of_clicks(clicks, truth) - number_of_pairs(clicks, truth)
    return unit(np.sqrt(ratio(squares, freedom[:, np.newaxis])))


# https://cubspec.example.org/truth/sigma/#sigma-toolbox
def toolbox(clicks: Clicks, truth: Truth) -> Floats:
    """Twice the population standard deviation of the offsets, of each axis: (p, 2), pixels.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    truth : Truth of the same images and parts
    """
    number = number_of_clicks(clicks, truth)[:, np.newaxis]
    offset = offsets(clicks, truth, truth.location)
    mean_offset = ratio(offset.sum(axis=(0, 1)), number)
    counted = counted_clicks(clicks, truth)[..., np.newaxis]
    squares = np.where(counted, (offset - mean_offset) ** 2, 0).sum(axis=(0, 1))
    return unit(2 * np.sqrt(ratio(squares, number)))


# https://cubspec.example.org/truth/sigma/#sigma-code
SIGMA = Choice(
    key="sigma",
    question="Which spread of the annotators' clicks is the unit?",
    page="truth/sigma",
    anchor="sigma",
    values=(
        Value(
            "sd-mean",
            "pooled per-axis sample SD about the pair's mean click",
            sd_mean,
            "σ is the sample standard deviation of the clicks about their pair's mean click, "
            "pooled over pairs and axes: the root of the sum of squared distances over twice the "
            "sum of each pair's number of clicks less one.",
        ),
        Value(
            "sd-median",
            "per-axis root mean square about the ground truth",
            sd_median,
            "σ is the root mean square offset of the clicks from the ground truth, pooled over "
            "axes: the root of half the mean squared distance.",
        ),
        Value(
            "dist-mean",
            "mean distance from the pair's mean click",
            dist_mean,
            "σ is the mean distance of the clicks from their pair's mean click.",
        ),
        Value(
            "dist-median",
            "mean distance from the ground truth",
            dist_median,
            "σ is the mean distance of the clicks from the ground truth.",
        ),
        Value(
            "rms-median",
            "root mean square distance from the ground truth",
            rms_median,
            "σ is the root mean square distance of the clicks from the ground truth.",
        ),
        Value(
            "axes-mean",
            "sample SD about the pair's mean click, one per axis",
            axes_mean,
            "σ is a number for each axis, the sample standard deviation of that coordinate of "
            "the clicks about their pair's mean click, pooled over pairs: the root of the sum of "
            "squared offsets over the sum of each pair's number of clicks less one.",
        ),
        Value(
            "toolbox",
            "twice the population SD of click minus truth, one per axis",
            toolbox,
            "σ is a number for each axis, twice the population standard deviation, about their "
            "mean, of that coordinate's offsets of the clicks from the ground truth.",
        ),
    ),
    preselected="sd-mean",
    definition=(
        "A distance in units of σ is the Euclidean distance in pixels, each axis divided by the "
        "part's σ, which is measured on the annotators' clicks on pairs that are visible in the "
        "ground truth."
    ),
)


# https://cubspec.example.org/truth/sigma/#pool-all
def pool_all(scored: Booleans, training: Booleans | None) -> Booleans:
    """Select every image: (n,) bool, from two masks of the same shape."""
    return np.ones_like(scored)


# https://cubspec.example.org/truth/sigma/#pool-train
def pool_train(scored: Booleans, training: Booleans) -> Booleans:
    """Select the training images: (n,) bool, from two masks of the same shape."""
    return training


# https://cubspec.example.org/truth/sigma/#pool-scored
def pool_scored(scored: Booleans, training: Booleans | None) -> Booleans:
    """Select the scored images: (n,) bool, from two masks of the same shape."""
    return scored


# https://cubspec.example.org/truth/sigma/#pool-scored
POOL = Choice(
    key="pool",
    question="On whose clicks is the unit measured?",
    page="truth/sigma",
    anchor="pool",
    values=(
        Value(
            "all",
            "every image of the dataset",
            pool_all,
            "σ is measured on every image of the dataset.",
        ),
        Value(
            "train",
            "the training images of the dataset's split",
            pool_train,
            "σ is measured on the training images of the dataset's own split.",
        ),
        Value(
            "scored",
            "just the images that are scored",
            pool_scored,
            "σ is measured on just the images that are scored.",
        ),
    ),
    preselected="all",
)
