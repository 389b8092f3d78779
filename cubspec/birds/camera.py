"""The camera.

Written from docs/birds/camera.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://cubspec.example.org/birds/camera/#camera-pose
from dataclasses import dataclass

import numpy as np

from cubspec.birds.body import POINTS, SOLIDS
from cubspec.data import Booleans, Floats, Truth


@dataclass(frozen=True)
class Poses:
    """How n birds stand before the camera.

    Attributes
    ----------
    scale : (n,) float, pixels per body unit
    yaw : (n,) float, radians
    elevation : (n,) float, radians
    """

    scale: Floats
    yaw: Floats
    elevation: Floats


# https://cubspec.example.org/birds/camera/#camera-projection
CENTRE = 80.0


def project(poses: Poses, points: Floats = POINTS) -> Floats:
    """Find where points of the bird appear in the image.

    Parameters
    ----------
    poses : Poses of n birds
    points : (p, 3) float, body units

    Returns
    -------
    (n, p, 2) float, pixels
    """
    x, y, z = points.T
    yaw, elevation = poses.yaw[:, np.newaxis], poses.elevation[:, np.newaxis]
    across = x * np.cos(yaw) - y * np.sin(yaw)
    toward = x * np.sin(yaw) + y * np.cos(yaw)
    up = z * np.cos(elevation) - toward * np.sin(elevation)
    scale = poses.scale[:, np.newaxis, np.newaxis]
    location: Floats = CENTRE - scale * np.stack([across, up], axis=-1)
    return location


# https://cubspec.example.org/birds/camera/#camera-visibility
TOLERANCE = 1e-6


def toward_camera(poses: Poses) -> Floats:
    """Point from the bird to the camera: (n, 3) float, unit vectors in body coordinates."""
    level = np.cos(poses.elevation)
    return np.stack(
        [np.sin(poses.yaw) * level, np.cos(poses.yaw) * level, np.sin(poses.elevation)], axis=-1
    )


def in_front(poses: Poses, points: Floats, solid: Floats) -> Floats:
    """Measure how far in front of each point a solid's nearest surface lies.

    Parameters
    ----------
    poses : Poses of n birds
    points : (p, 3) float, body units
    solid : (2, 3) float, centre and semi-axes, body units

    Returns
    -------
    (n, p) float, body units; minus infinity where the ray misses the solid
    """
    centre, axes = solid
    direction = toward_camera(poses) / axes
    start = (points - centre) / axes
    square = (direction**2).sum(axis=1)[:, np.newaxis]
    half = direction @ start.T
    discriminant = half**2 - square * ((start**2).sum(axis=1) - 1)
    root = (np.sqrt(np.maximum(discriminant, 0)) - half) / square
    return np.where(discriminant >= 0, root, -np.inf)


def visible(poses: Poses, points: Floats = POINTS) -> Booleans:
    """Say which points no solid hides.

    Parameters
    ----------
    poses : Poses of n birds
    points : (p, 3) float, body units

    Returns
    -------
    (n, p) bool
    """
    body, head = (in_front(poses, points, solid) for solid in SOLIDS)
    return (body <= TOLERANCE) & (head <= TOLERANCE)


def look(poses: Poses) -> Truth:
    """Simulate location and visibility of every part, exact and noiseless."""
    return Truth(visible(poses), project(poses))


# https://cubspec.example.org/birds/camera/#camera-box
def image_axes(poses: Poses) -> Floats:
    """Give the image's u and v axes in body coordinates: (n, 2, 3) float, pixels per body unit."""
    turn, tilt, still = poses.yaw, poses.elevation, np.zeros_like(poses.yaw)
    across = [np.cos(turn), -np.sin(turn), still]
    up = [-np.sin(turn) * np.sin(tilt), -np.cos(turn) * np.sin(tilt), np.cos(tilt)]
    scale = poses.scale[:, np.newaxis, np.newaxis]
    axes: Floats = -scale * np.stack([across, up]).transpose(2, 0, 1)
    return axes


def bounding_box(poses: Poses) -> Floats:
    """Find the tightest box around both solids and all points of each bird.

    Parameters
    ----------
    poses : Poses of n birds

    Returns
    -------
    (n, 4) float, pixels: left, top, width, height
    """
    axes = image_axes(poses)
    points = project(poses)
    low, high = points.min(axis=1), points.max(axis=1)
    for centre, semi_axes in SOLIDS:
        middle = CENTRE + axes @ centre
        reach = np.linalg.norm(axes * semi_axes, axis=2)
        low, high = np.minimum(low, middle - reach), np.maximum(high, middle + reach)
    return np.concatenate([low, high - low], axis=1)


# https://cubspec.example.org/birds/camera/#camera-draws
def draw_poses(generator: np.random.Generator, number: int) -> Poses:
    """Draw the poses of some birds.

    Parameters
    ----------
    generator : whose stream is read on
    number : of birds
    """
    scale = 40 + (80 - 40) * generator.random(number)
    turns, tilts = generator.random((number, 2)).T
    return Poses(scale, 2 * np.pi * turns, np.radians(-15 + (45 - -15) * tilts))
