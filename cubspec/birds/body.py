"""The body.

Written from docs/birds/body.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/birds/body/#body-solids
import numpy as np

from cubspec.data import PARTS, Floats

BODY = np.array([[0.0, 0.0, 0.0], [0.50, 0.22, 0.25]])
HEAD = np.array([[0.55, 0.0, 0.22], [0.14, 0.14, 0.14]])
SOLIDS = (BODY, HEAD)


# https://cubspec.example.org/birds/body/#body-direction
def on_solid(solid: Floats, direction: tuple[float, float, float]) -> Floats:
    """Find the point of a solid's surface in a direction from its centre.

    Parameters
    ----------
    solid : (2, 3) float, centre and semi-axes, body units
    direction : of any length but 0

    Returns
    -------
    (3,) float, body units
    """
    centre, axes = solid
    ray = np.array(direction)
    point: Floats = centre + ray / np.linalg.norm(ray / axes)
    return point


# https://cubspec.example.org/birds/body/#body-parts
LOCATIONS = {
    "back": on_solid(BODY, (0, 0, 1)),
    "beak": np.array([0.72, 0.0, 0.20]),
    "belly": on_solid(BODY, (0, 0, -1)),
    "breast": on_solid(BODY, (0.8, 0, -0.2)),
    "crown": on_solid(HEAD, (0, 0, 1)),
    "forehead": on_solid(HEAD, (0.6, 0, 0.8)),
    "left eye": on_solid(HEAD, (0.5, 0.75, 0.35)),
    "left leg": np.array([0.05, 0.08, -0.40]),
    "left wing": on_solid(BODY, (-0.1, 1, 0.3)),
    "nape": on_solid(HEAD, (-0.7, 0, 0.7)),
    "right eye": on_solid(HEAD, (0.5, -0.75, 0.35)),
    "right leg": np.array([0.05, -0.08, -0.40]),
    "right wing": on_solid(BODY, (-0.1, -1, 0.3)),
    "tail": np.array([-0.68, 0.0, 0.08]),
    "throat": on_solid(HEAD, (0.5, 0, -0.85)),
}
POINTS = np.stack([LOCATIONS[part] for part in PARTS])


# https://cubspec.example.org/birds/body/#body-noise
NOISE = {
    "back": 0.08,
    "beak": 0.02,
    "belly": 0.08,
    "breast": 0.08,
    "crown": 0.04,
    "forehead": 0.04,
    "left eye": 0.02,
    "left leg": 0.05,
    "left wing": 0.07,
    "nape": 0.04,
    "right eye": 0.02,
    "right leg": 0.05,
    "right wing": 0.07,
    "tail": 0.05,
    "throat": 0.04,
}
SPREAD = np.array([NOISE[part] for part in PARTS])
