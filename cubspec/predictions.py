"""Prediction files in four formats, read into arrays.

Which format a file has is told from its content, never from its name: a CSV table, the layout of
the dataset's own part_locs.txt, a NumPy archive (.npz), or COCO keypoint results (JSON).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubspec.choices import unknown
from cubspec.data import PARTS, Booleans, Floats, InputError, Integers, Prediction
from cubspec.lines import (
    LARGEST_ID,
    LOCATION_LINE,
    WHOLE_NUMBER,
    counted,
    decode,
    pair_lines,
    pair_name,
    parse_json,
    parse_rows,
    read_bytes,
    real_number,
    shown,
    tabulate,
    whole_number,
)

MISSING = ("error", "invisible")
"""What may be made of a pair that a file lacks."""

COLUMNS = ("image_id", "part", "x", "y", "visible")
FLAGS = {"0": 0, "1": 1, "false": 0, "true": 1}
ARRAYS = ("image_id", "xy", "visible")
ARCHIVE = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip archive begins, and how an empty one does."""
NORMALIZED = 1.5
"""Locations that are nowhere above this are hardly pixels."""


@dataclass(frozen=True)
class PredictionFile:
    """What a prediction file holds.

    Attributes
    ----------
    path : the file, for messages
    format : "csv", "part_locs", "npz" or "coco"
    image_id : (n,) int, ascending
    present : (n, p) bool, whether the file holds the pair
    visible : (n, p) bool
    location : (n, p, 2) float, pixels; finite where visible, NaN elsewhere
    visible_above : the value above which a COCO keypoint is visible; None in other formats
    notes : remarks for the reader, one sentence each
    parts : names of the p parts, in the order of their ids
    """

    path: str
    format: str
    image_id: Integers
    present: Booleans
    visible: Booleans
    location: Floats
    visible_above: float | None = None
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = PARTS


def read_predictions(
    path: str | Path, parts: Sequence[str] = PARTS, *, visible_above: float | None = None
) -> PredictionFile:
    """Read a prediction file of any of the four formats.

    Parameters
    ----------
    path : path
    parts : names of the p parts, in the order of their ids
    visible_above : float, optional
        The value that the third number of a COCO keypoint exceeds where the part is visible;
        0 unless given. No other format has use for it.

    Raises
    ------
    InputError
        Where the file cannot be read or is none of the four formats, and at the first thing in it
        that cannot be used; names the line, the array and index, or the entry.
    """
    if visible_above is not None and not math.isfinite(visible_above):
        raise InputError(f"expected --visible-above to be a finite number, found {visible_above}")
    file = Path(path)
    content = read_bytes(file)
    if content.startswith(ARCHIVE):
        found = _read_npz(content, file, tuple(parts))
    else:
        found = _read_text(decode(content, file), file, tuple(parts), visible_above)
    notes = list(found.notes)
    if visible_above is not None and found.format != "coco":
        notes.append("--visible-above has no effect, as the file is not a list of COCO results.")
    if _look_normalized(found.location[found.visible]):
        notes.append(
            f"Every location lies within 0 and {NORMALIZED}: "
            "they look like fractions of an image; pixels are expected."
        )
    return replace(found, notes=tuple(notes))


def align(
    file: PredictionFile, image_id: Integers, scored_parts: Booleans, *, missing: str = "error"
) -> tuple[Prediction, tuple[str, ...]]:
    """The predictions for some images and parts, with notes on the others.

    Parameters
    ----------
    file : PredictionFile
    image_id : (n,) int, the images wanted, in the order wanted
    scored_parts : (p,) bool, the parts wanted
    missing : {"error", "invisible"}
        What to make of a wanted pair that the file lacks: an error, or not visible.

    Returns
    -------
    prediction : Prediction
        Of the n images and the parts wanted.
    notes : one sentence each

    Raises
    ------
    InputError
        On a wanted pair that the file lacks (unless they are to be not visible), or another value
        of `missing`.
    """
    if missing not in MISSING:
        raise InputError(unknown("value of missing", missing, MISSING))
    place = np.searchsorted(file.image_id, image_id).clip(max=len(file.image_id) - 1)
    held = file.image_id[place] == image_id
    present = file.present[place][:, scored_parts] & held[:, None]
    lacking = np.argwhere(~present)
    notes = []
    if len(lacking) and missing == "error":
        image, part = lacking[0]
        first = pair_name(image_id[image], np.flatnonzero(scored_parts)[part], file.parts)
        raise InputError(
            f"expected a prediction for each of {counted(present.size, 'pair')} scored, "
            f"found none for {len(lacking)} of them, first {first}; --missing invisible takes such "
            "pairs as not visible",
            file.path,
        )
    if len(lacking):
        notes.append(
            f"The file holds no prediction for {len(lacking)} of {counted(present.size, 'pair')} "
            "scored; they count as predicted not visible."
        )
    ignored = ~np.isin(file.image_id, image_id)
    if ignored.any():
        predictions = counted(int(file.present[ignored].sum()), "prediction")
        images = counted(int(ignored.sum()), "image")
        notes.append(f"The file holds {predictions} for {images} not scored; they are ignored.")
    visible = file.visible[place][:, scored_parts] & present
    location = np.where(visible[..., None], file.location[place][:, scored_parts], np.nan)
    return Prediction(visible, location), tuple(notes)


def _look_normalized(location: Floats) -> bool:
    return bool(location.size and (location >= 0).all() and (location <= NORMALIZED).all())


def _read_text(
    text: str, file: Path, parts: tuple[str, ...], visible_above: float | None
) -> PredictionFile:
    first = text.partition("\n")[0].strip()
    if text.lstrip()[:1] in ("[", "{"):
        return _read_coco(text, file, parts, visible_above)
    if "," in first:
        return _read_csv(text, file, parts)
    if re.match(r"[+-]?[0-9]", first):
        rows = parse_rows(text, file, LOCATION_LINE)
        table = tabulate(pair_lines(file, rows, parts))
        return PredictionFile(str(file), "part_locs", *table, parts=parts)
    raise InputError(
        f"expected a CSV header ({','.join(COLUMNS)}), a line of part_locs.txt "
        f"({' '.join(LOCATION_LINE.names or ())}), a list in JSON or a NumPy .npz archive, "
        f"found {shown(first) if first else 'a blank line'}",
        file,
        1,
    )


def _read_csv(text: str, file: Path, parts: tuple[str, ...]) -> PredictionFile:
    records = csv_records(text, file)
    _, header = next(records)
    column = _csv_columns(header, file)
    rows, lines = [], []
    for line, fields in records:
        if len(fields) != len(header):
            found = counted(len(fields), "field") if fields else "a blank line"
            raise InputError(f"expected {counted(len(header), 'field')}, found {found}", file, line)
        words = [fields[at].strip() for at in column]
        rows.append(_csv_row(words, parts, file, line))
        lines.append(line)
    if not rows:
        raise InputError("expected at least one prediction, found only a header", file)
    read = pair_lines(file, np.array(rows, dtype=LOCATION_LINE), parts, np.array(lines))
    return PredictionFile(str(file), "csv", *tabulate(read), parts=parts)


def csv_records(text: str, file: Path) -> Iterator[tuple[int, list[str]]]:
    """The records of a CSV text, each with the line that it begins in."""
    reader = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    line = 1
    try:
        for fields in reader:
            yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"expected a record of CSV, found an error: {error}", file, line) from None


def _csv_columns(header: list[str], file: Path) -> list[int]:
    """Where each of COLUMNS stands."""
    names = [name.strip() for name in header]
    for name in COLUMNS:
        if names.count(name) != 1:
            found = f"{name} {names.count(name)} times" if name in names else f"no {name}"
            raise InputError(
                f"expected the columns {', '.join(COLUMNS)}, each once, found {found}", file, 1
            )
    return [names.index(name) for name in COLUMNS]


def _csv_row(
    words: list[str], parts: tuple[str, ...], file: Path, line: int
) -> tuple[int, int, float, float, int]:
    image, part, x, y, flag = words
    visible = FLAGS.get(flag.lower())
    if visible is None:
        raise InputError(
            f"expected visible to be 0, 1, true or false, found {shown(flag)}", file, line
        )
    return (
        whole_number(image, "image_id", file, line),
        _csv_part(part, parts, file, line),
        math.nan if not (x or visible) else real_number(x, "x", file, line),
        math.nan if not (y or visible) else real_number(y, "y", file, line),
        visible,
    )


def _csv_part(word: str, parts: tuple[str, ...], file: Path, line: int) -> int:
    if WHOLE_NUMBER.fullmatch(word):
        return whole_number(word, "part", file, line)
    if word not in parts:
        raise InputError(unknown("part by id or name", word, parts), file, line)
    return parts.index(word) + 1


def _read_npz(content: bytes, file: Path, parts: tuple[str, ...]) -> PredictionFile:
    image_id, xy, visible = _load_arrays(content, file)
    shape = (image_id.size, len(parts))
    _check_array(file, "image_id", image_id, "iu", "whole numbers", (image_id.size,))
    _check_array(file, "xy", xy, "fiu", "numbers", (*shape, 2))
    _check_array(file, "visible", visible, "biuf", "booleans or 0 and 1", shape)
    if not image_id.size:
        raise InputError("expected at least one prediction, found empty arrays", file)
    _check_items(file, "image_id", image_id, (image_id < 1) | (image_id > LARGEST_ID), "an id")
    _check_items(file, "visible", visible, (visible != 0) & (visible != 1), "0 or 1")
    seen = visible == 1
    # Long doubles may not fit a double; then they are infinite, and refused below.
    with np.errstate(all="ignore"):
        location = xy.astype(np.float64)
    _check_items(
        file, "xy", xy, seen[..., None] & ~np.isfinite(location), "a finite number where visible"
    )
    order = np.argsort(image_id, kind="stable")
    ids = image_id.astype(np.int64)[order]
    again = np.flatnonzero(ids[1:] == ids[:-1])
    if again.size:
        places = sorted(order[again[0] : again[0] + 2].tolist())
        raise InputError(
            f"expected each id once in the array image_id, found {ids[again[0]]} "
            f"at {_place((places[0],))} and {_place((places[1],))}",
            file,
        )
    location[~seen] = np.nan
    return PredictionFile(
        path=str(file),
        format="npz",
        image_id=ids,
        present=np.ones(shape, bool),
        visible=seen[order],
        location=location[order],
        parts=parts,
    )


def _load_arrays(content: bytes, file: Path) -> list[NDArray[Any]]:
    # What NumPy and zipfile raise on a damaged archive is of a dozen kinds, documented nowhere.
    try:
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        names = list(archive.files)
    except Exception as error:
        raise InputError(
            f"expected a NumPy .npz archive, found an error: {_reason(error)}", file
        ) from None
    found: list[NDArray[Any]] = []
    for name in ARRAYS:
        if name not in names:
            raise InputError(
                f"expected the arrays {', '.join(ARRAYS)}, found no {name}; "
                f"the file holds {shown(', '.join(names)) if names else 'nothing'}",
                file,
            )
        try:
            array = archive[name]
        except Exception as error:
            raise InputError(
                f"expected to be able to read the array {name}, found an error: {_reason(error)}",
                file,
            ) from None
        if not isinstance(array, np.ndarray):
            raise InputError(f"expected {name} to be a NumPy array, found other data", file)
        found.append(array)
    return found


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _check_array(
    file: Path, name: str, array: NDArray[Any], kinds: str, meaning: str, shape: tuple[int, ...]
) -> None:
    if array.dtype.kind not in kinds:
        raise InputError(
            f"expected the array {name} to hold {meaning}, found the type {array.dtype}", file
        )
    if array.shape != shape:
        raise InputError(
            f"expected the array {name} to have the shape {shape}, found {array.shape}", file
        )


def _check_items(file: Path, name: str, array: NDArray[Any], bad: Booleans, expected: str) -> None:
    if bad.any():
        index = tuple(np.argwhere(bad)[0].tolist())
        raise InputError(
            f"expected {expected} in the array {name}, found {array[index]!s} at {_place(index)}",
            file,
        )


def _place(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"


@dataclass(frozen=True)
class _Entry:
    """One COCO result; `keypoints` is (p, 3) float: u and v in pixels, and a value."""

    place: str
    image_id: int
    keypoints: Floats
    score: Any


def _read_coco(
    text: str, file: Path, parts: tuple[str, ...], visible_above: float | None
) -> PredictionFile:
    threshold = 0.0 if visible_above is None else visible_above
    results = _load_results(text, file)
    entries = [
        _entry(f"entry {number}", result, parts, threshold, file)
        for number, result in enumerate(results)
    ]
    best, notes = _best_entries(entries, file)
    image_id = np.array([entry.image_id for entry in best], dtype=np.int64)
    keypoints = np.stack([entry.keypoints for entry in best])
    value = keypoints[..., 2]
    if visible_above is None and not np.isin(value, (0, 1, 2)).all():
        notes.append(
            "The third values of the keypoints look like confidences rather than 0, 1 and 2; "
            "whatever is above 0 counts as visible. --visible-above says where visible begins."
        )
    visible = value > threshold
    return PredictionFile(
        path=str(file),
        format="coco",
        image_id=image_id,
        present=np.ones_like(visible),
        visible=visible,
        location=np.where(visible[..., None], keypoints[..., :2], np.nan),
        visible_above=threshold,
        notes=tuple(notes),
        parts=parts,
    )


def _load_results(text: str, file: Path) -> list[Any]:
    expected = "expected a list of COCO keypoint results ({image_id, keypoints, score})"
    results = parse_json(text, file)
    if not isinstance(results, list):
        found = "a COCO data set (annotations)" if "annotations" in results else "an object"
        raise InputError(f"{expected}, found {found}", file)
    if not results:
        raise InputError("expected at least one prediction, found an empty list", file)
    return results


def _entry(place: str, result: Any, parts: tuple[str, ...], threshold: float, file: Path) -> _Entry:
    if not isinstance(result, dict):
        raise InputError(f"{place}: expected an object, found {shown(result)}", file)
    for key in ("image_id", "keypoints"):
        if key not in result:
            raise InputError(f"{place}: expected {key}, found none", file)
    image_id = result["image_id"]
    if type(image_id) is not int or not 1 <= image_id <= LARGEST_ID:
        raise InputError(
            f"{place}: expected image_id to be a whole number from 1 to {LARGEST_ID}, "
            f"found {shown(image_id)}",
            file,
        )
    keypoints = _points(place, result["keypoints"], parts, threshold, file)
    return _Entry(place, image_id, keypoints, result.get("score"))


def _points(
    place: str, keypoints: Any, parts: tuple[str, ...], threshold: float, file: Path
) -> Floats:
    """Keypoints as (p, 3) float; finite values, and finite u and v where visible."""
    length = 3 * len(parts)
    expected = f"{place}: expected {length} numbers as keypoints (x, y, v of {len(parts)} parts)"
    if not isinstance(keypoints, list):
        raise InputError(f"{expected}, found {shown(keypoints)}", file)
    for at, one in enumerate(keypoints):
        if not _is_number(one):
            raise InputError(f"{expected}, found {shown(one)} at {_place((at,))}", file)
    if len(keypoints) != length:
        raise InputError(f"{expected}, found {len(keypoints)}", file)
    points = np.array(keypoints, dtype=np.float64).reshape(-1, 3)
    matters = np.ones_like(points, dtype=bool)
    matters[:, :2] = (points[:, 2] > threshold)[:, None]
    bad = np.flatnonzero(matters & ~np.isfinite(points))
    if bad.size:
        raise InputError(
            f"{place}: expected finite numbers as keypoints, "
            f"found {keypoints[bad[0]]} at {_place((int(bad[0]),))}",
            file,
        )
    return points


def _is_number(value: Any) -> bool:
    # A Boolean is an int to Python; and an int may be too large for a float.
    return type(value) is float or (type(value) is int and abs(value) <= LARGEST_ID)


def _best_entries(entries: list[_Entry], file: Path) -> tuple[list[_Entry], list[str]]:
    """Of each image the entry of highest score, the first on ties, by image id; with notes."""
    of_image: dict[int, list[_Entry]] = {}
    for entry in entries:
        of_image.setdefault(entry.image_id, []).append(entry)
    several = {image: each for image, each in of_image.items() if len(each) > 1}
    for image, each in several.items():
        for entry in each:
            if not _is_number(entry.score) or not math.isfinite(entry.score):
                found = "none" if entry.score is None else shown(entry.score)
                raise InputError(
                    f"{entry.place}: expected a finite number as score, as image {image} has "
                    f"{len(each)} entries, found {found}",
                    file,
                )
    best = [max(of_image[image], key=lambda entry: entry.score or 0) for image in sorted(of_image)]
    if not several:
        return best, []
    return best, [
        f"Of {counted(len(several), 'image')} the file holds several entries; the entry of highest "
        f"score is used, {counted(len(entries) - len(best), 'other')} ignored."
    ]
