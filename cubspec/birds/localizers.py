"""The localizers.

Written from docs/birds/localizers.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/birds/localizers/#localizers-definition
from dataclasses import dataclass

import numpy as np

from cubspec.birds.annotators import draw_clicks, pixel_spread
from cubspec.birds.camera import Poses, draw_poses, look
from cubspec.data import Booleans, Clicks, Floats, Prediction, Truth

FLIP_PREDICTION = 0.10
ERROR_OF_A = 1.5
ERROR_OF_C = 3.0


def draw_predictions(
    generator: np.random.Generator, poses: Poses, simulated: Truth
) -> dict[str, Prediction]:
    """Draw what the three localizers predict.

    Parameters
    ----------
    generator : whose stream is read on
    poses : Poses of n birds
    simulated : Truth of the same birds, as `look` gives; every location is finite

    Returns
    -------
    Prediction by name of the localizer: A, B, C
    """
    flipped = generator.random(simulated.visible.shape) < FLIP_PREDICTION
    visible = simulated.visible ^ flipped
    error = generator.standard_normal(simulated.location.shape)
    error *= pixel_spread(poses)[..., np.newaxis]
    near = simulated.location + ERROR_OF_A * error
    far = simulated.location + ERROR_OF_C * error
    return {
        "A": predicted(visible, near),
        "B": predicted(np.ones_like(visible), near),
        "C": predicted(visible, far),
    }


def predicted(visible: Booleans, location: Floats) -> Prediction:
    """Make a prediction, without a location where it is not visible."""
    return Prediction(visible, np.where(visible[..., np.newaxis], location, np.nan))


# https://cubspec.example.org/birds/localizers/#localizers-draws
@dataclass(frozen=True)
class Birds:
    """Some synthetic birds, with all that is drawn for them.

    Attributes
    ----------
    poses : Poses of n birds
    simulated : Truth, exact; every location is finite, whether visible or not
    clicks : Clicks of five annotators
    predictions : Prediction by name of the localizer
    """

    poses: Poses
    simulated: Truth
    clicks: Clicks
    predictions: dict[str, Prediction]


def draw_birds(number: int, seed: int) -> Birds:
    """Draw some birds, their annotators' answers and the localizers' predictions.

    Parameters
    ----------
    number : of birds, at least 1
    seed : at least 0
    """
    generator = np.random.default_rng(seed)
    poses = draw_poses(generator, number)
    simulated = look(poses)
    clicks = draw_clicks(generator, poses, simulated)
    return Birds(poses, simulated, clicks, draw_predictions(generator, poses, simulated))
