"""The human row.

Written from docs/measures/human.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/measures/human/#human-definition
from collections.abc import Callable
from typing import Any

import numpy as np

from cubspec.choices import Choice, Measure, Value
from cubspec.data import Booleans, Clicks, Floats, Pairs, Prediction, Truth
from cubspec.truth.consensus import ratio

Average = Callable[[Pairs], float]


def slot_prediction(clicks: Clicks, slot: int) -> Prediction:
    """Take the answers of one slot as a prediction, not visible where the slot is empty.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    slot : from 0
    """
    return Prediction(clicks.visible[:, slot], clicks.location[:, slot])


# https://cubspec.example.org/measures/human/#human-reference
REFERENCES_WITHOUT_OWN_CLICK = ("one", "each", "any")


def other_clicks(clicks: Clicks, slot: int) -> Clicks:
    """Empty one slot.

    Parameters
    ----------
    clicks : Clicks of n images, w slots and p parts
    slot : from 0
    """
    others = (np.arange(clicks.visible.shape[1]) != slot)[:, np.newaxis]
    location = np.where(others[..., np.newaxis], clicks.location, np.nan)
    return Clicks(clicks.answered & others, clicks.visible & others, location)


def human_pairs(measure: Measure, truth: Truth, clicks: Clicks, **chosen: Any) -> Pairs:
    """Measure every answer as if it were a prediction.

    Parameters
    ----------
    measure : Measure
    truth : Truth of n images and p parts
    clicks : Clicks of the same images and parts, w slots
    chosen : what the measure's `pairs` takes beside prediction and truth, apart from `clicks`

    Returns
    -------
    Pairs of shape (n, w, p); empty slots are not counted
    """
    slots = []
    for slot in range(clicks.visible.shape[1]):
        if chosen.get("ref") in REFERENCES_WITHOUT_OWN_CLICK:
            chosen["clicks"] = other_clicks(clicks, slot)
        elif "ref" in chosen:
            chosen["clicks"] = clicks
        slots.append(measure.pairs(slot_prediction(clicks, slot), truth, **chosen))
    value = np.stack([pairs.value for pairs in slots], axis=1)
    counted = np.stack([pairs.counted for pairs in slots], axis=1)
    return Pairs(value, counted & clicks.answered)


# https://cubspec.example.org/measures/human/#workers-mean
def workers_mean(pairs: Pairs, answered: Booleans, average: Average) -> float:
    """Average each slot, then the slots, weighted by how many pairs each answered.

    Parameters
    ----------
    pairs : Pairs of shape (n, w, p), as `human_pairs` gives
    answered : (n, w, p) bool
    average : value of the choice `avg`
    """
    slots = [slot for slot in range(pairs.value.shape[1]) if pairs.counted[:, slot].any()]
    own = [average(Pairs(pairs.value[:, slot], pairs.counted[:, slot])) for slot in slots]
    weight: Floats = answered[:, slots].sum(axis=(0, 2)).astype(float)
    return float(ratio(np.dot(weight, own), weight.sum()))


# https://cubspec.example.org/measures/human/#workers-pooled
def workers_pooled(pairs: Pairs, answered: Booleans, average: Average) -> float:
    """Average all answers as one long prediction.

    Parameters
    ----------
    pairs : Pairs of shape (n, w, p), as `human_pairs` gives
    answered : not used
    average : value of the choice `avg`
    """
    return average(pairs)


# https://cubspec.example.org/measures/human/#workers-code
WORKERS = Choice(
    key="workers",
    question="How are the annotators put together in the human row?",
    page="measures/human",
    anchor="workers",
    values=(
        Value(
            "mean",
            "mean of the slots, weighted by the pairs each answered",
            workers_mean,
            "The answers at each position in the order of the file are scored as one method's, "
            "on the pairs that have such an answer; the numbers are averaged, weighted by how "
            "many scored pairs have it, and positions where no pair counts are left out.",
        ),
        Value(
            "pooled",
            "all answers together as one long prediction",
            workers_pooled,
            "All answers are scored together, as one long prediction.",
        ),
    ),
    preselected="mean",
    definition=(
        "Each of the annotators' answers is scored as a prediction, against the ground truth, "
        "which includes it; where clicks are the reference, an answer's own click is left out."
    ),
)
