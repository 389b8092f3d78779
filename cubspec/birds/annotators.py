"""The annotators.

Written from docs/birds/annotators.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/birds/annotators/#annotators-definition
import numpy as np

from cubspec.birds.body import SPREAD
from cubspec.birds.camera import Poses
from cubspec.data import Clicks, Floats, Truth

ANNOTATORS = 5
FLIP_ANSWER = 0.05


def pixel_spread(poses: Poses) -> Floats:
    """Give the standard deviation of a click on each part of each bird: (n, p) float, pixels."""
    spread: Floats = poses.scale[:, np.newaxis] * SPREAD
    return spread


def draw_clicks(generator: np.random.Generator, poses: Poses, simulated: Truth) -> Clicks:
    """Draw the answers of five annotators.

    Parameters
    ----------
    generator : whose stream is read on
    poses : Poses of n birds
    simulated : Truth of the same birds, as `look` gives; every location is finite

    Returns
    -------
    Clicks of n images, 5 slots and p parts; every slot holds an answer
    """
    images, parts = simulated.visible.shape
    shape = (images, ANNOTATORS, parts)
    flipped = generator.random(shape) < FLIP_ANSWER
    visible = simulated.visible[:, np.newaxis] ^ flipped
    location = generator.standard_normal((*shape, 2))
    location *= pixel_spread(poses)[:, np.newaxis, :, np.newaxis]
    location += simulated.location[:, np.newaxis]
    location[~visible] = np.nan
    return Clicks(np.ones(shape, dtype=bool), visible, location)
