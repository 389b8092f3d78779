"""False visibility and false invisibility (FVR, FIR).

Written from docs/measures/visibility.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/visibility/#visibility-definition
import numpy as np

from cubspec.choices import Choice, Measure, Value
from cubspec.data import Booleans, Pairs, Prediction, Truth
from cubspec.measures.averages import AVG


def falsely_visible(prediction: Prediction, truth: Truth) -> Booleans:
    """Select the pairs predicted visible that are not: (n, p) bool."""
    return prediction.visible & ~truth.visible


def falsely_invisible(prediction: Prediction, truth: Truth) -> Booleans:
    """Select the pairs predicted not visible that are visible: (n, p) bool."""
    return truth.visible & ~prediction.visible


# https://cubspec.example.org/measures/visibility/#fvr-of-all
def fvr_of_all(prediction: Prediction, truth: Truth) -> Booleans:
    """Count every pair: (n, p) bool."""
    return np.ones_like(truth.visible)


# https://cubspec.example.org/measures/visibility/#fvr-of-invisible
def fvr_of_invisible(prediction: Prediction, truth: Truth) -> Booleans:
    """Count the pairs that are not visible in the ground truth: (n, p) bool."""
    return ~truth.visible


# https://cubspec.example.org/measures/visibility/#fvr-of-predicted
def fvr_of_predicted(prediction: Prediction, truth: Truth) -> Booleans:
    """Count the pairs that are predicted visible: (n, p) bool."""
    return prediction.visible


# https://cubspec.example.org/measures/visibility/#fvr-code
def fvr_pairs(prediction: Prediction, truth: Truth, of: str) -> Pairs:
    """Give each pair of the denominator 100 where it is falsely visible, else 0.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    of : value of the choice `of`
    """
    value = np.where(falsely_visible(prediction, truth), 100.0, 0.0)
    return Pairs(value, FVR_OF[of](prediction, truth))


# https://cubspec.example.org/measures/visibility/#fvr-code
FVR_OF = Choice(
    key="of",
    question="Falsely visible pairs are a percentage of which pairs?",
    page="measures/visibility",
    anchor="fvr-of",
    values=(
        Value(
            "all",
            "of all pairs",
            fvr_of_all,
            "Every pair counts.",
        ),
        Value(
            "invisible",
            "of the pairs not visible in the ground truth",
            fvr_of_invisible,
            "The pairs that count are those not visible in the ground truth.",
        ),
        Value(
            "predicted",
            "of the pairs predicted visible",
            fvr_of_predicted,
            "The pairs that count are those predicted visible.",
        ),
    ),
    preselected="invisible",
)

FVR = Measure(
    id="FVR",
    title="False visibility rate",
    question="How often is a part called visible that is not?",
    unit="%",
    better="lower",
    source="Liu & Belhumeur 2013, §4",
    page="measures/visibility",
    choices=(FVR_OF, AVG),
    pairs=fvr_pairs,
    definition=(
        "FVR is the mean percentage of pairs of image and part that are predicted visible and are "
        "not visible in the ground truth."
    ),
)


# https://cubspec.example.org/measures/visibility/#fir-of-all
def fir_of_all(prediction: Prediction, truth: Truth) -> Booleans:
    """Count every pair: (n, p) bool."""
    return np.ones_like(truth.visible)


# https://cubspec.example.org/measures/visibility/#fir-of-visible
def fir_of_visible(prediction: Prediction, truth: Truth) -> Booleans:
    """Count the pairs that are visible in the ground truth: (n, p) bool."""
    return truth.visible


# https://cubspec.example.org/measures/visibility/#fir-of-predicted
def fir_of_predicted(prediction: Prediction, truth: Truth) -> Booleans:
    """Count the pairs that are predicted not visible: (n, p) bool."""
    return ~prediction.visible


# https://cubspec.example.org/measures/visibility/#fir-code
def fir_pairs(prediction: Prediction, truth: Truth, of: str) -> Pairs:
    """Give each pair of the denominator 100 where it is falsely invisible, else 0.

    Parameters
    ----------
    prediction : Prediction of n images and p parts
    truth : Truth of the same images and parts
    of : value of the choice `of`
    """
    value = np.where(falsely_invisible(prediction, truth), 100.0, 0.0)
    return Pairs(value, FIR_OF[of](prediction, truth))


# https://cubspec.example.org/measures/visibility/#fir-code
FIR_OF = Choice(
    key="of",
    question="Falsely invisible pairs are a percentage of which pairs?",
    page="measures/visibility",
    anchor="fir-of",
    values=(
        Value(
            "all",
            "of all pairs",
            fir_of_all,
            "Every pair counts.",
        ),
        Value(
            "visible",
            "of the pairs visible in the ground truth",
            fir_of_visible,
            "The pairs that count are those visible in the ground truth.",
        ),
        Value(
            "predicted",
            "of the pairs predicted not visible",
            fir_of_predicted,
            "The pairs that count are those predicted not visible.",
        ),
    ),
    preselected="visible",
)

FIR = Measure(
    id="FIR",
    title="False invisibility rate",
    question="How often is a part called not visible that is?",
    unit="%",
    better="lower",
    source="Liu & Belhumeur 2013, §4",
    page="measures/visibility",
    choices=(FIR_OF, AVG),
    pairs=fir_pairs,
    definition=(
        "FIR is the mean percentage of pairs of image and part that are visible in the ground "
        "truth and are not predicted visible."
    ),
)
