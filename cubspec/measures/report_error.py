"""The report's error (report-error).

Written from docs/measures/report_error.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/report_error/#report-error-definition
import numpy as np

from cubspec.choices import Choice, Measure, Value
from cubspec.data import Floats, Pairs, Prediction, Truth
from cubspec.measures.averages import AVG
from cubspec.measures.distance import CAP, distance_from_truth, neither_visible
from cubspec.truth.sigma import SIGMA


def charge_visible(prediction: Prediction, truth: Truth, sigma: Floats) -> Floats:
    """Charge every pair that is visible in prediction, ground truth or both.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels

    Returns
    -------
    (n, p) float, units of σ; NaN where a part has no unit; of no meaning where neither is visible
    """
    capped = np.minimum(distance_from_truth(prediction, truth, sigma), CAP)
    return np.where(prediction.visible != truth.visible, CAP, capped)


# https://cubspec.example.org/measures/report_error/#report-error-none-zero
def none_zero(prediction: Prediction, truth: Truth, charged: Floats) -> Pairs:
    """Charge 0 where neither is visible.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    charged : (n, p) float, as `charge_visible` gives
    """
    neither = neither_visible(prediction, truth)
    return Pairs(np.where(neither, 0.0, charged), np.ones_like(neither))


# https://cubspec.example.org/measures/report_error/#report-error-none-skip
def none_skip(prediction: Prediction, truth: Truth, charged: Floats) -> Pairs:
    """Leave out the pairs where neither is visible.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    charged : (n, p) float, as `charge_visible` gives
    """
    return Pairs(charged, ~neither_visible(prediction, truth))


# https://cubspec.example.org/measures/report_error/#report-error-code
def report_error_pairs(prediction: Prediction, truth: Truth, sigma: Floats, none: str) -> Pairs:
    """Charge each pair its capped distance, or 5 for a wrong visibility.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    none : value of the choice `none`
    """
    pairs: Pairs = NONE[none](prediction, truth, charge_visible(prediction, truth, sigma))
    return pairs


# https://cubspec.example.org/measures/report_error/#report-error-code
NONE = Choice(
    key="none",
    question="What is a pair charged that is visible in neither?",
    page="measures/report_error",
    anchor="report-error-none",
    values=(
        Value(
            "zero",
            "a pair visible in neither is charged 0",
            none_zero,
            "A pair visible in neither is charged 0, and counts.",
        ),
        Value(
            "skip",
            "a pair visible in neither is left out",
            none_skip,
            "A pair visible in neither does not count.",
        ),
    ),
    preselected="zero",
)

REPORT_ERROR = Measure(
    id="report-error",
    title="The report's error",
    question="How far off is a method, if a wrong visibility costs as much as the worst miss?",
    unit="σ",
    better="lower",
    source="Wah et al. 2011, §4",
    page="measures/report_error",
    choices=(SIGMA, NONE, AVG),
    pairs=report_error_pairs,
    definition=(
        "report-error is the mean charge of a pair of image and part. A pair visible in both "
        "prediction and ground truth is charged the distance of its predicted location from the "
        "ground truth in units of σ, at most 5; a pair visible in only one of them is charged 5."
    ),
)
