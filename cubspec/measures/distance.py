"""Normalized distance.

Written from docs/measures/distance.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/distance/#distance-definition
import numpy as np

from cubspec.data import Booleans, Floats, Prediction, Truth


def distance(a: Floats, b: Floats, sigma: Floats) -> Floats:
    """Measure the normalized distance of locations.

    Parameters
    ----------
    a, b : (…, p, 2) float, pixels; NaN where there is no location
    sigma : (p, 1) or (p, 2) float, pixels; NaN where a part has no unit

    Returns
    -------
    (…, p) float, units of σ; NaN where a location or the unit is NaN
    """
    u = (a[..., 0] - b[..., 0]) / sigma[..., 0]
    v = (a[..., 1] - b[..., 1]) / sigma[..., -1]
    return np.sqrt(u**2 + v**2)


# https://cubspec.example.org/measures/distance/#distance-constants
CAP = 5.0
RADIUS = 1.5


# https://cubspec.example.org/measures/distance/#distance-pairs
def both_visible(prediction: Prediction, truth: Truth) -> Booleans:
    """Select the pairs that are visible in both: (n, p) bool."""
    return prediction.visible & truth.visible


def neither_visible(prediction: Prediction, truth: Truth) -> Booleans:
    """Select the pairs that are visible in neither: (n, p) bool."""
    return ~prediction.visible & ~truth.visible


def distance_from_truth(prediction: Prediction, truth: Truth, sigma: Floats) -> Floats:
    """Measure how far each predicted location is from the ground truth.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    sigma : (p, 1) or (p, 2) float, pixels

    Returns
    -------
    (n, p) float, units of σ; NaN where the pair is not visible in both or the part has no unit
    """
    apart = distance(prediction.location, truth.location, sigma)
    return np.where(both_visible(prediction, truth), apart, np.nan)
