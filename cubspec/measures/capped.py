"""Share over the cap (capped).

Written from docs/measures/capped.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/capped/#capped-definition
import numpy as np

from cubspec.choices import Measure
from cubspec.data import Floats, Pairs, Prediction, Truth
from cubspec.measures.distance import CAP, both_visible, distance_from_truth
from cubspec.truth.sigma import SIGMA


def capped_pairs(prediction: Prediction, truth: Truth, sigma: Floats) -> Pairs:
    """Give each both-visible pair 100 where its distance is over 5, else 0; leave out every other.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels
    """
    apart = distance_from_truth(prediction, truth, sigma)
    over = np.where(np.isnan(apart), np.nan, 100.0 * (apart > CAP))
    return Pairs(over, both_visible(prediction, truth))


# https://cubspec.example.org/measures/capped/#capped-definition
CAPPED = Measure(
    id="capped",
    title="Share over the cap",
    question="How much of a method's error does the cap of 5 hide?",
    unit="%",
    better="–",
    source="cubspec",
    page="measures/capped",
    choices=(SIGMA,),
    pairs=capped_pairs,
    definition=(
        "capped is the percentage, of all pairs of image and part that are visible in both "
        "prediction and ground truth, whose predicted location is more than 5 units of σ from the "
        "ground truth."
    ),
)
