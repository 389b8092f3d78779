"""Average error (AE).

Written from docs/measures/average_error.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/average_error/#ae-definition
import numpy as np

from cubspec.choices import Measure
from cubspec.data import Floats, Pairs, Prediction, Truth
from cubspec.measures.averages import AVG
from cubspec.measures.distance import CAP, both_visible, distance_from_truth
from cubspec.truth.sigma import SIGMA


def average_error_pairs(prediction: Prediction, truth: Truth, sigma: Floats) -> Pairs:
    """Charge each both-visible pair its capped distance, and leave out every other.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    capped = np.minimum(distance_from_truth(prediction, truth, sigma), CAP)
    return Pairs(capped, both_visible(prediction, truth))


# https://cubspec.example.org/measures/average_error/#ae-definition
AVERAGE_ERROR = Measure(
    id="AE",
    title="Average error",
    question="How far off is a method on the parts that it rightly calls visible?",
    unit="σ",
    better="lower",
    source="Liu & Belhumeur 2013, §4",
    page="measures/average_error",
    choices=(SIGMA, AVG),
    pairs=average_error_pairs,
    definition=(
        "AE is the mean, over pairs of image and part, of the distance of the predicted location "
        "from the ground truth in units of σ, at most 5 for each pair. The pairs that count are "
        "those visible in both prediction and ground truth."
    ),
)
