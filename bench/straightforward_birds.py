"""The example's tables as one would first write them: a loop over the birds, then whole arrays.

Compared with `cubspec example` by bench/example.py; prints the same scores.
"""

from __future__ import annotations

import numpy as np

BODY = (np.zeros(3), np.array([0.50, 0.22, 0.25]))
HEAD = (np.array([0.55, 0.0, 0.22]), np.full(3, 0.14))
WHERE = [
    (BODY, (0, 0, 1), 0.08),
    (None, (0.72, 0, 0.20), 0.02),
    (BODY, (0, 0, -1), 0.08),
    (BODY, (0.8, 0, -0.2), 0.08),
    (HEAD, (0, 0, 1), 0.04),
    (HEAD, (0.6, 0, 0.8), 0.04),
    (HEAD, (0.5, 0.75, 0.35), 0.02),
    (None, (0.05, 0.08, -0.40), 0.05),
    (BODY, (-0.1, 1, 0.3), 0.07),
    (HEAD, (-0.7, 0, 0.7), 0.04),
    (HEAD, (0.5, -0.75, 0.35), 0.02),
    (None, (0.05, -0.08, -0.40), 0.05),
    (BODY, (-0.1, -1, 0.3), 0.07),
    (None, (-0.68, 0, 0.08), 0.05),
    (HEAD, (0.5, 0, -0.85), 0.04),
]
NUMBER, SEED, ANNOTATORS = 2000, 0, 5


def body_points() -> np.ndarray:
    """The 15 parts in body units."""
    points = []
    for solid, direction, _ in WHERE:
        d = np.array(direction, dtype=float)
        points.append(d if solid is None else solid[0] + d / np.linalg.norm(d / solid[1]))
    return np.array(points)


def look(points: np.ndarray, scale: float, yaw: float, tilt: float) -> tuple:
    """Locations and visibility of one bird."""
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
    rotation = lean @ turn
    rotated = points @ rotation.T
    location = np.stack([80 - scale * rotated[:, 0], 80 - scale * rotated[:, 2]], axis=1)
    seen = np.ones(len(points), dtype=bool)
    toward = rotation.T @ np.array([0.0, 1.0, 0.0])
    for p, point in enumerate(points):
        for centre, axes in (BODY, HEAD):
            d, q = toward / axes, (point - centre) / axes
            a, b, c = d @ d, d @ q, q @ q - 1
            if b * b - a * c >= 0 and (-b + np.sqrt(b * b - a * c)) / a > 1e-6:
                seen[p] = False
    return location, seen


def draw() -> tuple:
    """Answers of the annotators and the localizers' predictions."""
    rng = np.random.default_rng(SEED)
    points, spread = body_points(), np.array([s for _, _, s in WHERE])
    scales = [rng.uniform(40, 80) for _ in range(NUMBER)]
    poses = [(rng.uniform(0, 2 * np.pi), rng.uniform(-15, 45)) for _ in range(NUMBER)]
    birds = [look(points, s, y, np.radians(e)) for s, (y, e) in zip(scales, poses, strict=True)]
    answers = [seen ^ (rng.random((ANNOTATORS, 15)) < 0.05) for _, seen in birds]
    clicks = []
    for (location, _), scale, answer in zip(birds, scales, answers, strict=True):
        noise = rng.standard_normal((ANNOTATORS, 15, 2)) * (scale * spread)[:, None]
        clicks.append(np.where(answer[..., None], location + noise, np.nan))
    shown = [seen ^ (rng.random(15) < 0.10) for _, seen in birds]
    near, far = [], []
    for (location, _), scale in zip(birds, scales, strict=True):
        noise = rng.standard_normal((15, 2)) * (scale * spread)[:, None]
        near.append(location + 1.5 * noise)
        far.append(location + 3 * noise)
    everything = np.ones((NUMBER, 15), dtype=bool)
    return np.array(clicks), {
        "A": (np.array(shown), np.array(near)),
        "B": (everything, np.array(near)),
        "C": (np.array(shown), np.array(far)),
    }


def consensus(clicks: np.ndarray) -> tuple:
    """Majority and median of each bird's clicks."""
    visible = np.zeros((NUMBER, 15), dtype=bool)
    location = np.full((NUMBER, 15, 2), np.nan)
    for bird, own in enumerate(clicks):
        seen = ~np.isnan(own[..., 0])
        for p in range(15):
            if 2 * seen[:, p].sum() > ANNOTATORS:
                visible[bird, p] = True
                location[bird, p] = np.median(own[seen[:, p], p], axis=0)
    return visible, location


def sigmas(clicks: np.ndarray, visible: np.ndarray, location: np.ndarray) -> dict:
    """The two units of the example's tables."""
    used = ~np.isnan(clicks[..., 0]) & visible[:, None]
    mean = (
        np.nansum(clicks, axis=1)
        / np.maximum((~np.isnan(clicks[..., 0])).sum(axis=1), 1)[..., None]
    )
    about = np.where(used[..., None], clicks - mean[:, None], 0)
    pairs = used.any(axis=1).sum(axis=0)
    number = used.sum(axis=(0, 1))
    away = np.where(used, np.linalg.norm(clicks - location[:, None], axis=-1), 0)
    return {
        "sd-mean": np.sqrt((about**2).sum(axis=(0, 1, 3)) / (2 * (number - pairs))),
        "dist-median": away.sum(axis=(0, 1)) / number,
    }


def scores(
    seen: np.ndarray, at: np.ndarray, truth: tuple, clicks: np.ndarray, unit: np.ndarray
) -> list:
    """The columns of the example's table for one row."""
    visible, location = truth
    both, neither, wrong = seen & visible, ~seen & ~visible, seen != visible
    away = np.linalg.norm(at - location, axis=-1) / unit
    capped = np.minimum(away, 5)
    near = np.linalg.norm(at[:, None] - clicks, axis=-1) / unit <= 1.5
    first = np.argmax(~np.isnan(clicks[..., 0]), axis=1)
    near_first = np.take_along_axis(near, first[:, None], axis=1)[:, 0]
    charge = np.where(both, capped, np.where(wrong, 5, 0))
    right = [(both & (away <= 1.5)), (both & near_first), (both & near.any(axis=1))]
    return [
        charge.mean(),
        charge[~neither].mean(),
        capped[both].mean(),
        *(100 * (neither | each).mean() for each in right),
        100 * (away[both] > 5).mean(),
    ]


def main() -> None:
    """Print the scores."""
    clicks, predictions = draw()
    truth = consensus(clicks)
    units = sigmas(clicks, *truth)
    for name, unit in units.items():
        rows = {key: scores(*each, truth, clicks, unit) for key, each in predictions.items()}
        human = []
        for w in range(ANNOTATORS):
            others = np.delete(clicks, w, axis=1)
            at = clicks[:, w]
            human.append(scores(~np.isnan(at[..., 0]), at, truth, others, unit))
        rows["Human"] = np.mean(human, axis=0).tolist()
        for row, values in rows.items():
            print(name, row, *(f"{value:.3f}" for value in values))
    for name, (seen, _) in predictions.items():
        false_visible, false_invisible = seen & ~truth[0], ~seen & truth[0]
        print(name, 100 * false_visible.mean(), 100 * false_visible.sum() / (~truth[0]).sum())
        print(name, 100 * false_invisible.mean(), 100 * false_invisible.sum() / truth[0].sum())


if __name__ == "__main__":
    main()
