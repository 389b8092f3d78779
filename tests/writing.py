"""Random datasets and predictions, and the files that hold them, for the tests to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cubspec.cub import clicks_digest, truth_digest
from cubspec.data import PARTS, Clicks, Dataset, Floats, Integers, Prediction, Truth


@dataclass(frozen=True)
class Style:
    """How a text file is laid out.

    Attributes
    ----------
    line_end : what ends every line
    separator : what stands between the fields of files that have spaces there
    byte_order_mark : whether the file begins with one
    last_lines : what follows the last line, such as blank lines
    """

    line_end: str = "\n"
    separator: str = " "
    byte_order_mark: bool = False
    last_lines: str = ""


PLAIN = Style()


def random_dataset(
    seed: int,
    images: int = 8,
    *,
    workers: int = 5,
    ragged: bool = False,
    gaps: bool = False,
    whole: bool = True,
) -> Dataset:
    """A dataset as `read_cub` would return it, drawn at random.

    Parameters
    ----------
    seed : of every draw
    images : their number
    workers : the number of answers of a pair
    ragged : draw each pair's number of answers from 0 to `workers`
    gaps : leave out image ids at random
    whole : locations are whole pixels, as in the dataset; else they have fractions
    """
    draw = np.random.default_rng(seed)
    step = draw.integers(1, 4, images) if gaps else np.ones(images, dtype=np.int64)
    image_id = np.cumsum(step)
    size = (images, len(PARTS))
    given = _random_truth(draw, size, whole)
    answers = draw.integers(0, workers + 1, size) if ragged else np.full(size, workers)
    answers[0, 0] = workers
    clicks = _random_clicks(draw, given, answers, workers, whole)
    training = draw.random(images) < 0.5
    training[:2] = True, False
    return Dataset(
        image_id=image_id,
        parts=PARTS,
        given=given,
        clicks=clicks,
        training=training,
        name=truth_digest(image_id, given)[:8],
        clicks_name=clicks_digest(image_id, clicks)[:8],
    )


def _random_truth(draw: np.random.Generator, size: tuple[int, int], whole: bool) -> Truth:
    visible = draw.random(size) < 0.8
    location = draw.uniform(20, 480, (*size, 2))
    location = np.where(visible[..., None], location, np.nan)
    return Truth(visible, np.round(location) if whole else location)


def _random_clicks(
    draw: np.random.Generator, given: Truth, answers: Integers, workers: int, whole: bool
) -> Clicks:
    images, parts = given.visible.shape
    answered = np.arange(workers)[:, None] < answers[:, None, :]
    flipped = draw.random(answered.shape) < 0.05
    middle = np.where(given.visible[..., None], given.location, 250.0)[:, None]
    location = middle + draw.normal(0, 6, (images, workers, parts, 2))
    visible = answered & (given.visible[:, None] ^ flipped)
    location = np.where(visible[..., None], np.round(location) if whole else location, np.nan)
    return Clicks(answered, visible, location)


def random_prediction(seed: int, dataset: Dataset) -> Prediction:
    """What a method might predict for every pair of a dataset, drawn at random."""
    draw = np.random.default_rng(seed)
    given = dataset.given
    visible = given.visible ^ (draw.random(given.visible.shape) < 0.1)
    middle = np.where(given.visible[..., None], given.location, 250.0)
    location = middle + draw.normal(0, 9, given.location.shape)
    return Prediction(visible, np.where(visible[..., None], location, np.nan))


def write_cub(
    folder: Path,
    dataset: Dataset,
    *,
    flat: bool = False,
    style: Style = PLAIN,
    unsorted: int | None = None,
    without: Iterable[str] = (),
    other_images: Sequence[int] = (),
) -> Path:
    """Write a dataset's annotation files and return the folder, which is made where needed.

    Parameters
    ----------
    folder : where to
    dataset : a part without clicks or a split has no file of them
    flat : all files in the folder itself, instead of the parts' files in a folder `parts`
    style : of every file
    unsorted : seed of an order of the lines in which the answers of a pair keep their own order
    without : names of files to leave out
    other_images : more ids for images.txt and the split to list
    """
    place = folder if flat else folder / "parts"
    place.mkdir(parents=True, exist_ok=True)
    ids = [*dataset.image_id.tolist(), *other_images]
    files: dict[Path, list[tuple[object, ...]]] = {
        place / "parts.txt": list(enumerate(dataset.parts, start=1)),
        place / "part_locs.txt": location_lines(dataset.image_id, dataset.given),
        folder / "images.txt": [(each, f"{each:03}.Bird/bird_{each}.jpg") for each in ids],
    }
    if dataset.clicks is not None:
        files[place / "part_click_locs.txt"] = click_lines(dataset.image_id, dataset.clicks)
    if dataset.training is not None:
        flags = [*dataset.training.astype(int).tolist(), *(0 for _ in other_images)]
        files[folder / "train_test_split.txt"] = list(zip(ids, flags, strict=True))
    for file, lines in files.items():
        if file.name not in without:
            write_lines(file, lines if unsorted is None else _shuffled(lines, unsorted), style)
    return folder


def location_lines(image_id: Integers, said: Truth | Prediction) -> list[tuple[object, ...]]:
    """The fields of every line of part_locs.txt: `image_id part_id x y visible`."""
    return [
        (image, part, *(where if visible else (0.0, 0.0)), int(visible))
        for image, of_image, seen in zip(
            image_id.tolist(), said.location.tolist(), said.visible.tolist(), strict=True
        )
        for part, (where, visible) in enumerate(zip(of_image, seen, strict=True), start=1)
    ]


def click_lines(image_id: Integers, clicks: Clicks) -> list[tuple[object, ...]]:
    """The fields of every line of part_click_locs.txt: `image_id part_id x y visible time`."""
    image, part, slot = np.nonzero(clicks.answered.swapaxes(1, 2))
    visible = clicks.visible[image, slot, part]
    location = np.where(visible[:, None], clicks.location[image, slot, part], 0.0)
    time = 1000 + np.arange(len(image)) % 7919
    columns = (image_id[image], part + 1, *location.T, visible.astype(int), time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _shuffled(lines: Sequence[tuple[object, ...]], seed: int) -> list[tuple[object, ...]]:
    """The lines in another order; those that agree in their first two fields keep their order."""
    order = np.random.default_rng(seed).permutation(len(lines)).tolist()
    turn: dict[tuple[object, ...], int] = {}
    turns = []
    for line in lines:
        turns.append(turn.get(line[:2], 0))
        turn[line[:2]] = turns[-1] + 1
    return [lines[at] for at in sorted(range(len(lines)), key=lambda at: (turns[at], order[at]))]


def write_lines(file: Path, lines: Iterable[tuple[object, ...]], style: Style = PLAIN) -> Path:
    """Write fields, one tuple a line, and return the file."""
    return write_text(file, (style.separator.join(map(str, line)) for line in lines), style)


def write_text(file: Path, lines: Iterable[str], style: Style = PLAIN) -> Path:
    """Write lines and return the file."""
    text = "".join(line + style.line_end for line in lines) + style.last_lines
    file.write_bytes(text.encode("utf-8-sig" if style.byte_order_mark else "utf-8"))
    return file


def write_csv(
    file: Path,
    image_id: Integers,
    prediction: Prediction,
    *,
    parts: Sequence[str] = PARTS,
    by_name: bool = True,
    style: Style = PLAIN,
) -> Path:
    """Write predictions as CSV and return the file; parts by name or by id, no location as "".

    The style's separator has no use here.
    """
    lines = ["image_id,part,x,y,visible"]
    for image, part, x, y, visible in location_lines(image_id, prediction):
        name = parts[int(str(part)) - 1] if by_name else part
        lines.append(f"{image},{name},{x},{y},1" if visible else f"{image},{name},,,0")
    return write_text(file, lines, style)


def write_part_locs(
    file: Path, image_id: Integers, prediction: Prediction, *, style: Style = PLAIN
) -> Path:
    """Write predictions in the layout of part_locs.txt and return the file."""
    return write_lines(file, location_lines(image_id, prediction), style)


def write_npz(file: Path, image_id: Integers, prediction: Prediction) -> Path:
    """Write predictions as a NumPy archive and return the file."""
    with file.open("wb") as stream:
        np.savez(stream, image_id=image_id, xy=prediction.location, visible=prediction.visible)
    return file


def coco_results(
    image_id: Integers, prediction: Prediction, value: Floats | None = None
) -> list[dict[str, Any]]:
    """Predictions as COCO keypoint results, one for each image.

    Parameters
    ----------
    image_id : (n,) int
    prediction : of the same n images
    value : (n, p) float, optional
        The third value of every keypoint; 2 where visible and 0 elsewhere unless given.
    """
    third = np.where(prediction.visible, 2, 0) if value is None else value
    results: list[dict[str, Any]] = []
    for image, location, values in zip(
        image_id.tolist(), np.nan_to_num(prediction.location).tolist(), third.tolist(), strict=True
    ):
        keypoints = [each for (x, y), v in zip(location, values, strict=True) for each in (x, y, v)]
        results.append({"image_id": image, "category_id": 1, "keypoints": keypoints, "score": 0.9})
    return results


def write_json(file: Path, content: object) -> Path:
    """Write JSON and return the file."""
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def write_coco(
    file: Path, image_id: Integers, prediction: Prediction, value: Floats | None = None
) -> Path:
    """Write predictions as COCO keypoint results (see `coco_results`) and return the file."""
    return write_json(file, coco_results(image_id, prediction, value))
