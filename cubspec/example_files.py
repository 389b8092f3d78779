"""Writes the synthetic birds in the dataset's own file format, with the localizers' predictions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from cubspec.birds.camera import bounding_box
from cubspec.data import Booleans, Dataset, Floats, InputError, Prediction
from cubspec.example import Example
from cubspec.lines import unreadable

CLASSES = 20


def write_example(made: Example, folder: str | Path) -> None:
    """Write a folder that every command takes as a dataset, and A.csv, B.csv and C.csv in it.

    Parameters
    ----------
    made : Example
    folder : must not exist, or be empty; nothing is left there where writing fails

    Raises
    ------
    InputError
        Where the folder holds something or cannot be written.
    """
    check_new_folder(folder)
    try:
        # Where the folder is a link, what it leads to is replaced.
        target = Path(folder).resolve()
        # Written beside the target and renamed, so that a folder is there whole or not at all.
        with (
            _parents_of(target) as near,
            tempfile.TemporaryDirectory(dir=near, prefix=".cubspec-") as temporary,
        ):
            inside = Path(temporary) / "example"
            _write_all(made, inside)
            os.replace(inside, target)
    except OSError as error:
        raise InputError(
            f"expected to be able to write, found: {error.strerror or error}", folder
        ) from None


@contextmanager
def _parents_of(target: Path) -> Iterator[Path]:
    """Make the folders above a path; yields the nearest, and removes them again after an error."""
    near = target.parent
    made = [each for each in target.parents if not each.exists()]
    try:
        near.mkdir(parents=True, exist_ok=True)
        yield near
    except BaseException:
        for each in made:
            with suppress(OSError):
                each.rmdir()
        raise


def check_new_folder(folder: str | Path) -> None:
    """Raise InputError where a folder holds something, is the working folder, or is a file."""
    target = Path(folder)
    try:
        if target.is_dir() and any(target.iterdir()):
            raise InputError("expected a new or an empty folder, found one with files", target)
        if os.path.lexists(target) and not target.is_dir():
            raise InputError("expected a new or an empty folder, found a file", target)
        # The folder is replaced, and a working folder that is replaced is one that is deleted.
        if target.is_dir() and target.samefile("."):
            raise InputError("expected a new or an empty folder, found the working folder", target)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise unreadable(target, error) from None


def _write_all(made: Example, folder: Path) -> None:
    (folder / "parts").mkdir(parents=True)
    dataset = made.dataset
    ids = dataset.image_id.tolist()
    classes = [number % CLASSES + 1 for number in ids]
    assert dataset.training is not None
    files: dict[str, Iterable[str]] = {
        "images.txt": (
            f"{i} {_class_name(c)}/bird_{i:06d}.jpg" for i, c in zip(ids, classes, strict=True)
        ),
        "train_test_split.txt": (
            f"{i} {int(flag)}" for i, flag in zip(ids, dataset.training.tolist(), strict=True)
        ),
        "classes.txt": (f"{c} {_class_name(c)}" for c in range(1, CLASSES + 1)),
        "image_class_labels.txt": (f"{i} {c}" for i, c in zip(ids, classes, strict=True)),
        "bounding_boxes.txt": (
            f"{i} {x!r} {y!r} {width!r} {height!r}"
            for i, (x, y, width, height) in zip(
                ids, bounding_box(made.birds.poses).tolist(), strict=True
            )
        ),
        "parts/parts.txt": (f"{p} {name}" for p, name in enumerate(dataset.parts, start=1)),
        "parts/part_locs.txt": _location_lines(ids, dataset.given.visible, dataset.given.location),
        "parts/part_click_locs.txt": _click_lines(ids, dataset),
    }
    for name, prediction in made.birds.predictions.items():
        files[f"{name}.csv"] = _prediction_lines(ids, dataset.parts, prediction)
    for name, lines in files.items():
        with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)


def _class_name(number: int) -> str:
    return f"{number:03d}.Synthetic_bird"


def _location_lines(ids: list[int], visible: Booleans, location: Floats) -> Iterator[str]:
    points = np.where(visible[..., np.newaxis], location, 0.0).tolist()
    for i, flags, row in zip(ids, visible.tolist(), points, strict=True):
        for part, (flag, (u, v)) in enumerate(zip(flags, row, strict=True), start=1):
            yield f"{i} {part} {u!r} {v!r} {int(flag)}"


def _click_lines(ids: list[int], dataset: Dataset) -> Iterator[str]:
    clicks = dataset.clicks
    assert clicks is not None
    for index, i in enumerate(ids):
        visible = clicks.visible[index].T
        points = clicks.location[index].transpose(1, 0, 2)
        points = np.where(visible[..., np.newaxis], points, 0.0).tolist()
        for part, (flags, row) in enumerate(zip(visible.tolist(), points, strict=True), start=1):
            for flag, (u, v) in zip(flags, row, strict=True):
                yield f"{i} {part} {u!r} {v!r} {int(flag)} 0"


def _prediction_lines(
    ids: list[int], parts: tuple[str, ...], prediction: Prediction
) -> Iterator[str]:
    yield "image_id,part,x,y,visible"
    points, visible = prediction.location.tolist(), prediction.visible.tolist()
    for i, flags, row in zip(ids, visible, points, strict=True):
        for part, flag, (u, v) in zip(parts, flags, row, strict=True):
            yield f"{i},{part},{u!r},{v!r},1" if flag else f"{i},{part},,,0"
