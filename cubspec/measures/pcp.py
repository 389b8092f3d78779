"""Percentage of correctly estimated parts (PCP).

Written from docs/measures/pcp.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/pcp/#pcp-definition
import numpy as np

from cubspec.choices import Choice, Measure, Value
from cubspec.data import Booleans, Clicks, Floats, Pairs, Prediction, Truth
from cubspec.measures.distance import RADIUS, both_visible, distance, neither_visible
from cubspec.truth.consensus import ratio
from cubspec.truth.sigma import SIGMA, mean_click


def within(prediction: Prediction, reference: Floats, sigma: Floats) -> Booleans:
    """Say where the predicted location is within the radius of a reference.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    reference : (n, p, 2) float, pixels; NaN where there is none
    sigma : (p, 1) or (p, 2) float, pixels

    Returns
    -------
    (n, p) bool; False where there is no reference
    """
    return distance(prediction.location, reference, sigma) <= RADIUS


def within_clicks(prediction: Prediction, clicks: Clicks, sigma: Floats) -> Booleans:
    """Say which of the pair's clicks the predicted location is within the radius of.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    clicks : Clicks of the same images and parts, w slots
    sigma : (p, 1) or (p, 2) float, pixels

    Returns
    -------
    (n, w, p) bool; False where there is no click
    """
    return distance(prediction.location[:, np.newaxis], clicks.location, sigma) <= RADIUS


# https://cubspec.example.org/measures/pcp/#pcp-ref-median
def ref_median(prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats) -> Floats:
    """Score 1 within the radius of the ground truth: (n, p) float.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    clicks : not used
    sigma : (p, 1) or (p, 2) float, pixels
    """
    return within(prediction, truth.location, sigma).astype(float)


# https://cubspec.example.org/measures/pcp/#pcp-ref-mean
def ref_mean(prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats) -> Floats:
    """Score 1 within the radius of the pair's mean click: (n, p) float.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : not used
    clicks : Clicks of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    return within(prediction, mean_click(clicks), sigma).astype(float)


# https://cubspec.example.org/measures/pcp/#pcp-ref-one
def ref_one(prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats) -> Floats:
    """Score 1 within the radius of the pair's first click: (n, p) float.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : not used
    clicks : Clicks of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    first = clicks.visible.argmax(axis=1)[:, np.newaxis, :, np.newaxis]
    first_click = np.take_along_axis(clicks.location, first, axis=1)[:, 0]
    return within(prediction, first_click, sigma).astype(float)


# https://cubspec.example.org/measures/pcp/#pcp-ref-each
def ref_each(prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats) -> Floats:
    """Score the share of the pair's clicks within the radius, 0 without a click: (n, p) float.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : not used
    clicks : Clicks of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    number = clicks.visible.sum(axis=1)
    return ratio(within_clicks(prediction, clicks, sigma).sum(axis=1), np.maximum(number, 1))


# https://cubspec.example.org/measures/pcp/#pcp-ref-any
def ref_any(prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats) -> Floats:
    """Score 1 within the radius of at least one of the pair's clicks: (n, p) float.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : not used
    clicks : Clicks of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    return within_clicks(prediction, clicks, sigma).any(axis=1).astype(float)


# https://cubspec.example.org/measures/pcp/#pcp-code
def pcp_pairs(
    prediction: Prediction, truth: Truth, clicks: Clicks, sigma: Floats, ref: str
) -> Pairs:
    """Give each pair 100 where it is correct, 0 where it is not, or a share of 100 for `each`.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    clicks : Clicks of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    ref : value of the choice `ref`

    Returns
    -------
    Pairs; the value is NaN where the pair is visible in both and its part has no unit
    """
    near = REF[ref](prediction, truth, clicks, sigma)
    near = np.where(np.isnan(sigma).any(axis=-1), np.nan, near)
    right = np.where(both_visible(prediction, truth), near, neither_visible(prediction, truth))
    return Pairs(100.0 * right, np.ones_like(truth.visible))


# https://cubspec.example.org/measures/pcp/#pcp-code
REF = Choice(
    key="ref",
    question="Which point must the location be near?",
    page="measures/pcp",
    anchor="pcp-ref",
    values=(
        Value(
            "median",
            "within 1.5 σ of the ground truth",
            ref_median,
            "A pair visible in both is correct where its predicted location is at most 1.5 units "
            "of σ from the ground truth.",
        ),
        Value(
            "mean",
            "within 1.5 σ of the pair's mean click",
            ref_mean,
            "A pair visible in both is correct where its predicted location is at most 1.5 units "
            "of σ from the mean of the pair's clicks, and not where there is no click.",
        ),
        Value(
            "one",
            "within 1.5 σ of the pair's first click",
            ref_one,
            "A pair visible in both is correct where its predicted location is at most 1.5 units "
            "of σ from the pair's first click in the order of the file, and not where there is "
            "no click.",
        ),
        Value(
            "each",
            "the share of the pair's clicks that it is within 1.5 σ of",
            ref_each,
            "A pair visible in both counts as correct to the share of its clicks that are at "
            "most 1.5 units of σ from its predicted location, and not where there is no click.",
        ),
        Value(
            "any",
            "within 1.5 σ of at least one of the pair's clicks",
            ref_any,
            "A pair visible in both is correct where its predicted location is at most 1.5 units "
            "of σ from at least one of the pair's clicks.",
        ),
    ),
    preselected="median",
)

PCP = Measure(
    id="PCP",
    title="Percentage of correctly estimated parts",
    question="In how many pairs is a method right about visibility and location?",
    unit="%",
    better="higher",
    source="Liu & Belhumeur 2013, §4",
    page="measures/pcp",
    choices=(SIGMA, REF),
    pairs=pcp_pairs,
    definition=(
        "PCP is the percentage of all pairs of image and part that are correct. A pair visible in "
        "neither prediction nor ground truth is correct; a pair visible in only one of them is "
        "not."
    ),
)
