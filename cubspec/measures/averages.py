"""Averages.

Written from docs/measures/averages.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/averages/#avg
import numpy as np

from cubspec.choices import Choice, Value
from cubspec.data import Floats, Pairs
from cubspec.truth.consensus import ratio


def means(pairs: Pairs, axes: tuple[int, ...]) -> Floats:
    """Average the counted values over some axes.

    Parameters
    ----------
    pairs : Pairs of shape (n, p) or (n, w, p)
    axes : the axes to average over

    Returns
    -------
    float array of the remaining axes; NaN where nothing is counted or a counted value is NaN
    """
    total = np.where(pairs.counted, pairs.value, 0).sum(axis=axes)
    return ratio(total, pairs.counted.sum(axis=axes))


def mean_of_means(pairs: Pairs, axes: tuple[int, ...]) -> float:
    """Average over some axes, then over what remains, leaving out where nothing is counted."""
    something = np.any(pairs.counted, axis=axes)
    return float(means(Pairs(means(pairs, axes), something), (0,)))


# https://cubspec.example.org/measures/averages/#avg-micro
def micro(pairs: Pairs) -> float:
    """Average over all pairs at once.

    Parameters
    ----------
    pairs : Pairs of shape (n, p) or (n, w, p)
    """
    return float(means(pairs, tuple(range(pairs.value.ndim))))


# https://cubspec.example.org/measures/averages/#avg-parts
def by_part(pairs: Pairs) -> Floats:
    """Average each part by itself.

    Parameters
    ----------
    pairs : Pairs of shape (n, p) or (n, w, p)

    Returns
    -------
    (p,) float; NaN for a part with nothing to count
    """
    return means(pairs, tuple(range(pairs.value.ndim - 1)))


def parts(pairs: Pairs) -> float:
    """Average each part by itself, then over the parts.

    Parameters
    ----------
    pairs : Pairs of shape (n, p) or (n, w, p)
    """
    return mean_of_means(pairs, tuple(range(pairs.value.ndim - 1)))


# https://cubspec.example.org/measures/averages/#avg-images
def images(pairs: Pairs) -> float:
    """Average each image by itself, then over the images.

    Parameters
    ----------
    pairs : Pairs of shape (n, p) or (n, w, p)
    """
    return mean_of_means(pairs, tuple(range(1, pairs.value.ndim)))


# https://cubspec.example.org/measures/averages/#avg-code
AVG = Choice(
    key="avg",
    question="Over what is the mean taken?",
    page="measures/averages",
    anchor="avg",
    values=(
        Value(
            "micro",
            "mean over all pairs at once",
            micro,
            "The mean is over all pairs that count, at once.",
        ),
        Value(
            "parts",
            "mean over parts of each part's own mean",
            parts,
            "The mean is over each part's pairs that count, then over the parts that have any.",
        ),
        Value(
            "images",
            "mean over images of each image's own mean",
            images,
            "The mean is over each image's pairs that count, then over the images that have any.",
        ),
    ),
    preselected="micro",
)
