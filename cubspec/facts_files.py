"""What a copy of the dataset holds, read past whatever lines are malformed.

A line is malformed where it has not the fields that the dataset's README gives it, where a field
holds no value of its kind, and where it says again what an earlier line has said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cubspec.cub import (
    CLICKS,
    IMAGES,
    LOCATIONS,
    NAMES,
    SPLIT,
    SPLIT_LINE,
    dataset_folder,
    find_file,
    split_check,
)
from cubspec.data import PARTS, InputError, Integers
from cubspec.lines import (
    BLANKS,
    CLICK_LINE,
    LOCATION_LINE,
    Check,
    Faults,
    Reader,
    count_lines,
    counted,
    find_faults,
    good_rows,
    id_checks,
    lenient_text,
    name_reader,
    pair_checks,
    pair_name,
    real_number,
    repeat_check,
    shown,
    sift,
    stripped_lines,
)

CLASSES = "classes.txt"
LABELS = "image_class_labels.txt"
BOXES = "bounding_boxes.txt"
PART_NAMES = f"parts/{NAMES}"
PART_LOCATIONS = f"parts/{LOCATIONS}"
PART_CLICKS = f"parts/{CLICKS}"
ATTRIBUTES = "attributes/attributes.txt"
CERTAINTIES = "attributes/certainties.txt"
ATTRIBUTE_LABELS = "attributes/image_attribute_labels.txt"
CLASS_ATTRIBUTES = "attributes/class_attribute_labels_continuous.txt"

LABEL_LINE = np.dtype([("image_id", np.int64), ("class_id", np.int64)])
BOX_LINE = np.dtype(
    [("image_id", np.int64), *((name, np.float64) for name in ("x", "y", "width", "height"))]
)
ATTRIBUTE_FIELDS = ("image_id", "attribute_id", "is_present", "certainty_id", "time")
PERCENTAGES = 312

NO_NAMES = np.zeros(0, dtype=np.object_)

Rows = NDArray[np.void]
Checks = Callable[[Rows, Integers], tuple[Check, ...]]
"""What may be wrong with the rows of a file, given with the line of each."""


@dataclass(frozen=True)
class Content:
    """What a file holds.

    Attributes
    ----------
    file : where it is
    lines : their number, malformed ones included
    faults : of the malformed lines
    rows : (m,) ids and numbers of the other lines, where they are read
    line : (m,) int, the line of each row
    names : (m,) str, where a line is an id and a name
    """

    file: Path
    lines: int
    faults: Faults
    rows: Rows
    line: Integers
    names: NDArray[np.object_]


def find_files(folder: str | Path) -> dict[str, Path]:
    """Where the files of a copy are, by the names that the dataset's README gives them.

    Parameters
    ----------
    folder : path
        The dataset's folder, the folder that holds it, or one in which all the files lie together.

    Raises
    ------
    InputError
        Where there is no such folder, none with part_locs.txt or else images.txt, or a file lies
        in two places.
    """
    given = Path(folder)
    root = dataset_folder(given, or_images=True)
    found = {name: find_file(root, Path(name).name, Path(name).parent.name) for name in READERS}
    # The archive of the release has this one beside the dataset's folder.
    found[ATTRIBUTES] = found[ATTRIBUTES] or find_file(given, Path(ATTRIBUTES).name, "")
    return {name: file for name, file in found.items() if file is not None}


def read_files(files: Mapping[str, Path]) -> dict[str, Content]:
    """What the files found hold; raises InputError where one cannot be opened."""
    return {name: READERS[name](file) for name, file in files.items()}


def _read_rows(file: Path, fields: np.dtype[np.void], *stages: Checks) -> Content:
    text = lenient_text(file)
    rows, line, faults = good_rows(text, file, fields)
    for checks in stages:
        bad, more = find_faults(file, line, *checks(rows, line))
        rows, line, faults = rows[~bad], line[~bad], faults + more
    return Content(file, _lines(text), faults, rows, line, NO_NAMES)


def _read_names(file: Path, noun: str) -> Content:
    text = lenient_text(file)
    read = name_reader(file, (f"{noun}_id", f"{noun}_name"))
    said, numbers, faults = sift(stripped_lines(text), _printable(read, file))
    rows = np.array([(each,) for each, _ in said], dtype=[("id", np.int64)])
    names = np.array([name for _, name in said], dtype=object)
    line = np.array(numbers, dtype=np.int64)
    bad, more = find_faults(file, line, *id_checks(rows["id"], f"{noun}_id", line))
    return Content(file, _lines(text), faults + more, rows[~bad], line[~bad], names[~bad])


def _printable(read: Reader[tuple[int, str]], file: Path) -> Reader[tuple[int, str]]:
    def checked(line: str, number: int) -> tuple[int, str]:
        each, name = read(line, number)
        if not name.isprintable():
            raise InputError(f"expected a printable name, found {shown(name)}", file, number)
        return each, name

    return checked


def _read_percentages(file: Path) -> Content:
    text = lenient_text(file)
    said, numbers, faults = sift(stripped_lines(text), partial(_percentages, file))
    rows = np.array([(each,) for each in said], dtype=[("percentage", np.float64, PERCENTAGES)])
    line = np.array(numbers, dtype=np.int64)
    return Content(file, _lines(text), faults, rows, line, NO_NAMES)


def _percentages(file: Path, line: str, number: int) -> list[float]:
    words = BLANKS.split(line)
    if len(words) != PERCENTAGES:
        found = counted(len(words), "field") if line else "a blank line"
        raise InputError(f"expected {PERCENTAGES} fields, found {found}", file, number)
    values = [real_number(word, "a percentage", file, number) for word in words]
    for value, word in zip(values, words, strict=True):
        if not 0 <= value <= 100:
            raise InputError(f"expected a number from 0 to 100, found {word}", file, number)
    return values


def _read_counts(file: Path) -> Content:
    lines, faults = count_lines(file, ATTRIBUTE_FIELDS)
    rows = np.zeros(0, dtype=[("image_id", np.int64)])
    return Content(file, lines, faults, rows, rows["image_id"], NO_NAMES)


def _lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def _pair_values(rows: Rows, line: Integers) -> tuple[Check, ...]:
    return pair_checks(rows, PARTS)


def _pair_repeats(rows: Rows, line: Integers) -> tuple[Check, ...]:
    image_id, part = rows["image_id"], rows["part_id"] - 1
    image = np.unique(image_id, return_inverse=True)[1]
    key = image * len(PARTS) + part
    return (repeat_check(line, key, lambda row: pair_name(image_id[row], part[row], PARTS)),)


def _image_ids(rows: Rows, line: Integers) -> tuple[Check, ...]:
    return id_checks(rows["image_id"], "image_id", line)


def _split_flags(rows: Rows, line: Integers) -> tuple[Check, ...]:
    return (split_check(rows),)


def _class_ids(rows: Rows, line: Integers) -> tuple[Check, ...]:
    ids = rows["class_id"]
    return ((ids < 1, lambda row: f"expected class_id to be at least 1, found {ids[row]}"),)


def _finite_boxes(rows: Rows, line: Integers) -> tuple[Check, ...]:
    sides = np.stack([rows[name] for name in ("x", "y", "width", "height")], axis=-1)
    infinite = ~np.isfinite(sides).all(axis=-1)
    message = "expected finite x, y, width and height, found {}"
    return ((infinite, lambda row: message.format(" ".join(map(str, sides[row].tolist())))),)


READERS: dict[str, Callable[[Path], Content]] = {
    IMAGES: partial(_read_names, noun="image"),
    SPLIT: lambda file: _read_rows(file, SPLIT_LINE, _split_flags, _image_ids),
    CLASSES: partial(_read_names, noun="class"),
    LABELS: lambda file: _read_rows(file, LABEL_LINE, _class_ids, _image_ids),
    BOXES: lambda file: _read_rows(file, BOX_LINE, _finite_boxes, _image_ids),
    PART_NAMES: partial(_read_names, noun="part"),
    PART_LOCATIONS: lambda file: _read_rows(file, LOCATION_LINE, _pair_values, _pair_repeats),
    PART_CLICKS: lambda file: _read_rows(file, CLICK_LINE, _pair_values),
    ATTRIBUTES: partial(_read_names, noun="attribute"),
    CERTAINTIES: partial(_read_names, noun="certainty"),
    ATTRIBUTE_LABELS: _read_counts,
    CLASS_ATTRIBUTES: _read_percentages,
}
"""How each file is read, by the name that the dataset's README gives it."""
