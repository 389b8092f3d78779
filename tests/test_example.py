"""The synthetic birds reproduce every published figure, and are drawn as the pages say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubspec.birds.annotators import draw_clicks
from cubspec.birds.body import POINTS, SPREAD
from cubspec.birds.camera import Poses, bounding_box, draw_poses, look, project, visible
from cubspec.birds.localizers import draw_birds
from cubspec.choices import measure, short_signatures
from cubspec.cub import read_cub
from cubspec.data import PARTS, Clicks, InputError, Prediction, Truth
from cubspec.example import (
    Example,
    fewest_clicks,
    left_minus_right,
    make_example,
    mirror_mismatches,
    uncapped_human_error,
)
from cubspec.example_files import write_example
from cubspec.predictions import read_predictions
from cubspec.scoring import score
from tests import naive

FIGURES = Path(__file__).parent / "figures"
SEED0 = json.loads((FIGURES / "seed0.json").read_text("utf-8"))
POSES = json.loads((FIGURES / "poses.json").read_text("utf-8"))
ROWS = {"Human": "Human|workers:mean", "A": "A", "B": "B", "C": "C"}


@pytest.fixture(scope="module")
def made() -> Example:
    """The published birds."""
    return make_example()


def printed(value: float, decimals: int) -> float:
    """What the published tables print."""
    return float(f"{value:.{decimals}f}")


def full_short_form(key: str, sigma: str | None = None) -> str:
    """The short form that a key of the published tables stands for."""
    name, *rest = key.split("|")
    fields = [name, *([f"sigma:{sigma}"] if sigma else []), *rest]
    known = measure(name)
    if "avg" in known.keys and "avg:micro" not in fields:
        fields.append("avg:micro")
    return "|".join(fields)


SCORES = [
    (sigma, row, key)
    for sigma, rows in SEED0["scores"].items()
    for row, values in rows.items()
    for key in values
]


@pytest.mark.parametrize(("sigma", "row", "key"), SCORES)
def test_published_scores(made: Example, sigma: str, row: str, key: str) -> None:
    value = made.result.rows[ROWS[row]][full_short_form(key, sigma)]
    decimals = 3 if measure(key.split("|")[0]).unit == "σ" else 2
    assert printed(value, decimals) == SEED0["scores"][sigma][row][key]


RATES = [(row, key) for row, values in SEED0["visibility_percent"].items() for key in values]


@pytest.mark.parametrize(("row", "key"), RATES)
def test_published_rates(made: Example, row: str, key: str) -> None:
    assert printed(made.result.rows[ROWS[row]][key], 2) == SEED0["visibility_percent"][row][key]


@pytest.mark.parametrize("part", PARTS)
def test_published_figures_of_parts(made: Example, part: str) -> None:
    index = PARTS.index(part)
    assert SEED0["parts"][part] == {
        "truth_visible": printed(made.parts.truth_visible[index], 3),
        "sd_mean_over_simulated": printed(made.parts.sd_mean_over_simulated[index], 4),
        "sd_mean_px": printed(made.parts.sd_mean[index], 2),
        "dist_median_px": printed(made.parts.dist_median[index], 2),
        "simulated_visible": printed(made.parts.simulated_visible[index], 3),
    }


def test_other_published_figures(made: Example) -> None:
    uncapped = {sigma: uncapped_human_error(made, sigma) for sigma in ("sd-mean", "dist-median")}
    assert printed(uncapped["sd-mean"], 6) == SEED0["human_AE_uncapped"]["sd-mean"]
    assert abs(uncapped["dist-median"] - 1) < 1e-14
    fewest = fewest_clicks(made.birds.clicks, made.truth)
    assert fewest == SEED0["fewest_clicks_on_a_truth_visible_part"]
    assert mirror_mismatches() == SEED0["mirror_mismatches_over_4680_poses"]
    for part, (left, right, z) in SEED0["left_right_simulated_visible_paired_z"].items():
        seen = dict(zip(PARTS, made.parts.simulated_visible, strict=True))
        assert (printed(seen[f"left {part}"], 3), printed(seen[f"right {part}"], 3)) == (
            left,
            right,
        )
        assert printed(left_minus_right(made.birds.simulated, part), 2) == z
    assert f"{left_minus_right(made.birds.simulated, 'wing'):.4f}" == "1.0047"
    side = visible(Poses(np.ones(1), np.zeros(1), np.zeros(1)))[0]
    for part, seen_from_the_side in SEED0["side_view_visible"].items():
        assert side[PARTS.index(part)] == seen_from_the_side


def test_nothing_published_is_left_out() -> None:
    compared = {"parts", "visibility_percent", "scores", "human_AE_uncapped", "side_view_visible"}
    compared |= {"fewest_clicks_on_a_truth_visible_part", "mirror_mismatches_over_4680_poses"}
    compared |= {"left_right_simulated_visible_paired_z", "oracle"}
    assert SEED0.keys() - compared == {"about", "birds", "seed", "human_rows"}
    assert set(SEED0["parts"]) == set(PARTS)


def test_the_oracle(made: Example) -> None:
    oracle = {"oracle": Prediction(made.truth.visible, made.truth.location)}
    row = score(made.dataset, oracle, split="all", truth="clicks").rows["oracle"]
    for sigma in ("sd-mean", "dist-median", "toolbox"):
        for key in ("report-error|none:zero", "AE", "PCP|ref:median"):
            assert row[full_short_form(key, sigma)] == SEED0["oracle"][key]
    assert row["FVR|of:invisible|avg:micro"] == SEED0["oracle"]["FVR"]
    assert row["FIR|of:visible|avg:micro"] == SEED0["oracle"]["FIR"]


@pytest.mark.parametrize("pose", POSES["poses"], ids=lambda pose: f"yaw{pose['yaw']}")
def test_three_poses(pose: dict[str, Any]) -> None:
    poses = Poses(
        np.array([float(pose["scale"])]),
        np.radians([float(pose["yaw"])]),
        np.radians([float(pose["elevation"])]),
    )
    location, seen = project(poses)[0].round(6), visible(poses)[0]
    found = {
        part: [*point, bool(flag)]
        for part, point, flag in zip(PARTS, location.tolist(), seen, strict=True)
    }
    assert found == pose["parts"]


def test_the_first_bird() -> None:
    expected = POSES["first_bird"]
    birds = draw_birds(2000, 0)
    assert birds.poses.scale[0] == expected["scale"]
    assert birds.poses.yaw[0] == expected["yaw_radians"]
    assert np.degrees(birds.poses.elevation[0]) == pytest.approx(
        expected["elevation_degrees"], rel=1e-15
    )
    points, flags = birds.simulated.location[0].round(6), birds.simulated.visible[0]
    for part, point, flag in zip(PARTS, points.tolist(), flags, strict=True):
        assert [*point, bool(flag)] == expected["simulated"][part]
    clicked = birds.clicks.location[0, 0].round(6)
    for part, point in zip(PARTS, clicked.tolist(), strict=True):
        assert (None if math.isnan(point[0]) else point) == expected["clicks_of_worker_0"][part]


def test_every_check_and_hypothesis_holds(made: Example) -> None:
    assert [check.number for check in made.checks if check.kind == "check"] == [
        *(1, 2, 3, 4, 5, 6, 6, 7)
    ]
    assert [check.number for check in made.checks if check.kind == "hypothesis"] == [
        *(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6)
    ]
    for check in made.checks:
        assert check.holds is True, check


@pytest.mark.parametrize("seed", [1, 2])
def test_other_seeds(seed: int) -> None:
    other = make_example(500, seed, only=())
    claimed = {check.number for check in other.checks if check.holds is not None}
    assert claimed == {1, 2, 3, 4, 6, 7}
    for check in other.checks:
        assert check.holds in (True, None), check
        assert check.kind == "check" or check.holds is None
    for part in ("eye", "wing", "leg"):
        assert abs(left_minus_right(other.birds.simulated, part)) < 4


def test_a_check_that_fails_says_so(made: Example) -> None:
    simulated = made.birds.simulated
    tilted = simulated.visible.copy()
    tilted[:, PARTS.index("left eye")] = True
    assert left_minus_right(Truth(tilted, simulated.location), "eye") > 4


@pytest.mark.parametrize(("number", "seed"), [(1, 0), (2, 5)])
@pytest.mark.filterwarnings("error")
def test_few_birds_are_scored_without_a_warning(number: int, seed: int) -> None:
    few = make_example(number, seed)
    assert few.dataset.name == f"birds-{number}-{seed}"
    assert len(few.result.rows) == 5
    assert all(len(row) == 123 for row in few.result.rows.values())
    assert not any("nan" in check.measured for check in few.checks)
    paired = next(check for check in few.checks if check.statement.startswith("left minus right"))
    assert (paired.holds is None) == ("+" not in paired.measured and "-" not in paired.measured)


@pytest.mark.parametrize(("number", "seed"), [(0, 0), (-1, 0), (1, -1)])
def test_numbers_out_of_range(number: int, seed: int) -> None:
    with pytest.raises(InputError, match="expected"):
        make_example(number, seed)


def test_signatures_of_the_birds(made: Example) -> None:
    assert made.result.signatures["A"]["AE|sigma:sd-mean|avg:micro"].startswith(
        "AE|sigma:sd-mean|avg:micro|data:birds-2000-0|truth:clicks|pool:all|split:all|n:2000|v:"
    )


def test_drawing_at_once_is_drawing_one_number_after_the_other() -> None:
    number, seed = 7, 3
    birds = draw_birds(number, seed)
    generator = np.random.default_rng(seed)
    scale = [generator.uniform(40, 80) for _ in range(number)]
    pose = [(generator.uniform(0, 2 * np.pi), generator.uniform(-15, 45)) for _ in range(number)]
    poses = Poses(np.array(scale), np.array([p[0] for p in pose]), np.radians([p[1] for p in pose]))
    for name in ("scale", "yaw", "elevation"):
        assert np.array_equal(getattr(birds.poses, name), getattr(poses, name)), name
    simulated = look(poses)
    assert np.array_equal(birds.simulated.location, simulated.location)
    slots = [(b, w, p) for b in range(number) for w in range(5) for p in range(len(PARTS))]
    answer = {s: simulated.visible[s[0], s[2]] ^ (generator.random() < 0.05) for s in slots}
    for b, w, p in slots:
        point = [
            generator.standard_normal() * (scale[b] * SPREAD[p]) + simulated.location[b, p, axis]
            for axis in (0, 1)
        ]
        assert birds.clicks.visible[b, w, p] == answer[b, w, p]
        expected = point if answer[b, w, p] else [np.nan, np.nan]
        assert np.array_equal(birds.clicks.location[b, w, p], expected, equal_nan=True)
    pairs = [(b, p) for b in range(number) for p in range(len(PARTS))]
    seen = {s: simulated.visible[s] ^ (generator.random() < 0.10) for s in pairs}
    for b, p in pairs:
        error = np.array([generator.standard_normal() * (scale[b] * SPREAD[p]) for _ in (0, 1)])
        for name, factor, flag in (("A", 1.5, seen[b, p]), ("B", 1.5, True), ("C", 3, seen[b, p])):
            own = birds.predictions[name]
            expected = simulated.location[b, p] + factor * error if flag else [np.nan, np.nan]
            assert own.visible[b, p] == flag
            assert np.array_equal(own.location[b, p], expected, equal_nan=True)


def test_a_part_is_hidden_exactly_when_a_ray_walked_toward_the_camera_enters_a_solid() -> None:
    poses = draw_poses(np.random.default_rng(4), 40)
    step = np.linspace(1e-4, 2.5, 20_001)
    solids = [((0, 0, 0), (0.50, 0.22, 0.25)), ((0.55, 0, 0.22), (0.14, 0.14, 0.14))]
    seen = visible(poses)
    for bird, (yaw, tilt) in enumerate(zip(poses.yaw, poses.elevation, strict=True)):
        toward = [np.sin(yaw) * np.cos(tilt), np.cos(yaw) * np.cos(tilt), np.sin(tilt)]
        for part, point in enumerate(POINTS):
            ray = point + step[:, np.newaxis] * toward
            depth = [(((ray - c) / np.array(a)) ** 2).sum(axis=1).min() for c, a in solids]
            if abs(min(depth) - 1) > 1e-3:  # too near a silhouette for steps of this length
                assert seen[bird, part] == (min(depth) > 1)


def test_the_box_is_tight_around_solids_and_points() -> None:
    poses = draw_poses(np.random.default_rng(5), 20)
    found = bounding_box(poses)
    turns = np.random.default_rng(6).standard_normal((40_000, 3))
    sphere = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    solids = [((0, 0, 0), (0.50, 0.22, 0.25)), ((0.55, 0, 0.22), (0.14, 0.14, 0.14))]
    surface = [np.array(centre) + sphere * np.array(axes) for centre, axes in solids]
    location = project(poses, np.concatenate([*surface, POINTS]))
    low, high = location.min(axis=1), location.max(axis=1)
    box_low, box_high = found[:, :2], found[:, :2] + found[:, 2:]
    assert (box_low <= low + 1e-9).all()
    assert (box_high >= high - 1e-9).all()
    assert np.abs(box_low - low).max() < 0.05
    assert np.abs(box_high - high).max() < 0.05


def plain(table: Truth | Prediction) -> list[list[tuple[bool, float | None, float | None]]]:
    """The table as the naive implementation takes it."""
    return [
        [
            (True, u, v) if flag else (False, None, None)
            for flag, (u, v) in zip(flags, row, strict=True)
        ]
        for flags, row in zip(table.visible.tolist(), table.location.tolist(), strict=True)
    ]


def plain_clicks(clicks: Clicks) -> list[list[list[tuple[bool, float | None, float | None]]]]:
    """The answers as the naive implementation takes them; every slot holds one."""
    slots = [
        plain(Truth(clicks.visible[:, w], clicks.location[:, w]))
        for w in range(clicks.visible.shape[1])
    ]
    images, parts = clicks.visible.shape[0], clicks.visible.shape[2]
    return [[[slot[i][p] for slot in slots] for p in range(parts)] for i in range(images)]


def test_the_naive_implementation_agrees_on_200_birds() -> None:
    made = make_example(200, 11)
    predictions = {name: plain(each) for name, each in made.birds.predictions.items()}
    answers = plain_clicks(made.birds.clicks)
    expected = naive.score(answers, plain(made.truth), predictions, "clicks")
    assert expected.keys() == made.result.rows.keys()
    for row, values in expected.items():
        assert len(values) == 123
        for short, value in values.items():
            assert made.result.rows[row][short] == pytest.approx(value, rel=1e-9, nan_ok=True), (
                f"{row} {short}"
            )


def test_what_is_written_scores_as_the_example_does(tmp_path: Path) -> None:
    made = make_example(60, 2)
    write_example(made, tmp_path / "birds")
    dataset = read_cub(tmp_path / "birds")
    files = {
        name: read_predictions(tmp_path / "birds" / f"{name}.csv")
        for name in made.birds.predictions
    }
    found = score(dataset, files, split="all", truth="clicks")
    assert found.rows.keys() == made.result.rows.keys()
    for row, values in made.result.rows.items():
        assert len(values) == len(short_signatures())
        for short, value in values.items():
            assert found.rows[row][short] == pytest.approx(value, abs=1e-9, nan_ok=True)
    assert np.array_equal(dataset.given.location, made.truth.location, equal_nan=True)
    assert dataset.training is not None
    assert dataset.image_id[dataset.training].tolist() == list(range(2, 61, 2))


def test_the_other_files_that_are_written(tmp_path: Path) -> None:
    made = make_example(45, 2, only=())
    folder = tmp_path / "new" / "birds"
    write_example(made, folder)
    lines = {f: (folder / f).read_text("utf-8").splitlines() for f in ("images.txt", "classes.txt")}
    assert len(lines["classes.txt"]) == 20
    assert len(lines["images.txt"]) == 45
    labels = (folder / "image_class_labels.txt").read_text("utf-8").split()
    assert [int(c) for c in labels[1::2]] == [i % 20 + 1 for i in range(1, 46)]
    boxes = np.loadtxt(folder / "bounding_boxes.txt")
    assert np.array_equal(boxes[:, 1:], bounding_box(made.birds.poses))
    clicks = np.loadtxt(folder / "parts" / "part_click_locs.txt")
    assert clicks.shape == (45 * 15 * 5, 6)
    assert not clicks[:, 5].any()
    assert not clicks[clicks[:, 4] == 0, 2:4].any()
    assert sorted(path.name for path in folder.iterdir()) == [
        *("A.csv", "B.csv", "C.csv", "bounding_boxes.txt", "classes.txt"),
        *("image_class_labels.txt", "images.txt", "parts", "train_test_split.txt"),
    ]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["birds"]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    made = make_example(2, 0, only=())
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="expected a new or an empty folder, found one with files"):
        write_example(made, tmp_path)
    with pytest.raises(InputError, match="expected a new or an empty folder, found a file"):
        write_example(made, tmp_path / "notes.txt")
    with pytest.raises(InputError, match="expected to be able to write"):
        write_example(made, tmp_path / "notes.txt" / "birds")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    write_example(made, tmp_path / "empty")
    assert (tmp_path / "empty" / "A.csv").is_file()


def test_answers_of_the_annotators_are_all_given() -> None:
    generator = np.random.default_rng(0)
    poses = draw_poses(generator, 3)
    clicks = draw_clicks(generator, poses, look(poses))
    assert clicks.answered.all()
    assert np.array_equal(np.isnan(clicks.location).any(axis=-1), ~clicks.visible)
