"""Consensus.

Written from docs/truth/consensus.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/truth/consensus/#consensus-words
import numpy as np

from cubspec.choices import Choice, Value
from cubspec.data import Booleans, Clicks, Floats, Integers, Truth


# https://cubspec.example.org/truth/consensus/#undefined
def ratio(top: Floats | Integers, bottom: Floats | Integers) -> Floats:
    """Divide, and give NaN where the bottom is 0.

    Parameters
    ----------
    top, bottom : arrays that broadcast; the bottom is not negative
    """
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    result = np.full(shape, np.nan)
    np.divide(top, bottom, out=result, where=np.greater(bottom, 0))
    return result


# https://cubspec.example.org/truth/consensus/#truth-given
def from_file(given: Truth, clicks: Clicks | None) -> Truth:
    """Take the ground truth of the dataset's own file as it is.

    Parameters
    ----------
    given : Truth of the file
    clicks : not used
    """
    return given


# https://cubspec.example.org/truth/consensus/#truth-clicks
def majority(clicks: Clicks) -> Booleans:
    """Call a pair visible where more than half of its answers do.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts

    Returns
    -------
    (n, p) bool
    """
    visible: Integers = clicks.visible.sum(axis=1)
    answers: Integers = clicks.answered.sum(axis=1)
    return 2 * visible > answers


def median_click(clicks: Clicks) -> Floats:
    """Take the median of each pair's clicks, each coordinate by itself.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts

    Returns
    -------
    (n, p, 2) float, pixels; NaN where a pair has no click
    """
    ordered = np.sort(clicks.location, axis=1)  # NaN sorts to the end
    number = clicks.visible.sum(axis=1)[:, np.newaxis, :, np.newaxis]
    lower = np.take_along_axis(ordered, np.maximum(number - 1, 0) // 2, axis=1)
    upper = np.take_along_axis(ordered, number // 2, axis=1)
    return ((lower + upper) / 2)[:, 0]


def from_clicks(given: Truth, clicks: Clicks) -> Truth:
    """Make the ground truth from the answers alone.

    Parameters
    ----------
    given : not used
    clicks : Clicks of n images, w slots and p parts
    """
    visible = majority(clicks)
    return Truth(visible, np.where(visible[..., np.newaxis], median_click(clicks), np.nan))


# https://cubspec.example.org/truth/consensus/#truth-code
TRUTH = Choice(
    key="truth",
    question="Where do the ground truth's visibility and location come from?",
    page="truth/consensus",
    anchor="truth",
    values=(
        Value(
            "given",
            "flag and location in the dataset's own file",
            from_file,
            "Visibility and location in the ground truth are those of the dataset's own file.",
        ),
        Value(
            "clicks",
            "strict majority of the answers, median of the clicks",
            from_clicks,
            "A pair is visible in the ground truth where more than half of its answers say so, "
            "and its location is the median of its clicks, each coordinate by itself.",
        ),
    ),
    preselected="given",
)
