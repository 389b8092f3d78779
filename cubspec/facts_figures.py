"""The figures of a copy of the dataset that facts are compared with.

Lines that are malformed are left out everywhere. What is said of an image as a whole is counted
over the images that have a line for every part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cubspec.cub import IMAGES, SPLIT, clicks_digest, clicks_of
from cubspec.data import PARTS, Booleans, Clicks, Floats, InputError, Integers
from cubspec.facts_files import (
    ATTRIBUTE_LABELS,
    BOXES,
    CERTAINTIES,
    CLASSES,
    LABELS,
    PART_CLICKS,
    PART_LOCATIONS,
    PART_NAMES,
    Content,
)
from cubspec.lines import PairLines, find_faults, pair_lines, pair_name, tabulate
from cubspec.truth.consensus import majority, median_click, ratio

Value = int | float | str | None
Copy = Mapping[str, Content]

LARGEST_ID = 11_788
FULL_CLASS = 60
CERTAINTY_NAMES = ("not visible", "guessing", "probably", "definitely")
SIDES = ("left", "right")
PAIRED = ("eye", "wing", "leg")


@dataclass(frozen=True)
class Figure:
    """What a copy has.

    Attributes
    ----------
    value : None where it is undefined
    first : the first place at fault, where faults are counted and there is one
    file : the file that the figure is of, where that depends on the copy
    """

    value: Value
    first: str | None = None
    file: str | None = None


@dataclass(frozen=True)
class Locations:
    """What part_locs.txt says.

    Attributes
    ----------
    lines : one for each pair that it holds
    raw : (m, 2) float, the coordinates in each line, those of invisible parts too
    image_id : (n,) int, ascending
    present, visible : (n, p) bool
    location : (n, p, 2) float, pixels; NaN where not visible
    """

    lines: PairLines
    raw: Floats
    image_id: Integers
    present: Booleans
    visible: Booleans
    location: Floats


def image_ids(copy: Copy) -> tuple[Integers, str]:
    """The ids of the images that a copy holds, ascending, and the file that decides.

    Raises
    ------
    InputError
        Where that file has no line that can be read.
    """
    name = PART_LOCATIONS if PART_LOCATIONS in copy else IMAGES
    content = copy[name]
    if not len(content.rows):
        empty = InputError("expected at least one line, found an empty file", content.file)
        raise content.faults.first or empty
    return np.unique(content.rows["image_id" if name == PART_LOCATIONS else "id"]), name


# Coordinates may be as large as numbers get.
@np.errstate(over="ignore", invalid="ignore")
def figures(copy: Copy) -> dict[str, Figure]:
    """Every figure that the files of a copy allow, by the id of its fact."""
    image_id, decides = image_ids(copy)
    locations = _locations(copy[PART_LOCATIONS]) if PART_LOCATIONS in copy else None
    found = {
        "images": Figure(len(image_id), file=decides),
        "ids-beyond": _ids_beyond(image_id, decides, copy[decides].file),
        **_of_lines(copy),
        **_lacking(copy, image_id),
        **_of_split(copy, image_id),
        **_of_classes(copy, image_id),
        **_of_names(copy),
    }
    if locations is not None:
        found |= _of_pairs(locations)
        found |= _of_places(locations)
        found |= _of_patterns(locations.visible[locations.present.all(axis=1)])
    if locations is not None and BOXES in copy:
        found["locations-outside-box"] = _outside_box(locations, copy[BOXES])
    if locations is not None and PART_CLICKS in copy:
        found |= _of_answers(locations, copy[PART_CLICKS])
    return found


def _ids_beyond(image_id: Integers, decides: str, file: Path) -> Figure:
    beyond = image_id[image_id > LARGEST_ID]
    first = f"{file}: expected image ids up to {LARGEST_ID}, found {{}}"
    return Figure(len(beyond), first.format(beyond[0]) if beyond.size else None, decides)


def _of_lines(copy: Copy) -> dict[str, Figure]:
    found = {}
    for name, content in copy.items():
        stem = Path(name).stem
        faults = Figure(content.faults.count, _text(content.faults.first))
        found[f"lines-{stem}"] = Figure(content.lines)
        # Nothing says that these lines all have the fields of the README; in copies some do not.
        found["attribute-fields" if name == ATTRIBUTE_LABELS else f"malformed-{stem}"] = faults
    if PART_CLICKS in copy:
        found["answers"] = found["lines-part_click_locs"]
    return found


def _text(error: InputError | None) -> str | None:
    return None if error is None else str(error)


def _lacking(copy: Copy, image_id: Integers) -> dict[str, Figure]:
    found = {}
    for name in (IMAGES, SPLIT, LABELS, BOXES):
        if name in copy:
            key = "id" if name == IMAGES else "image_id"
            lacking = image_id[~np.isin(image_id, copy[name].rows[key])]
            first = f"{copy[name].file}: expected a line for image {{}}, found none"
            where = first.format(lacking[0]) if lacking.size else None
            found[f"lacking-{Path(name).stem}"] = Figure(len(lacking), where)
    return found


def _of_split(copy: Copy, image_id: Integers) -> dict[str, Figure]:
    if SPLIT not in copy:
        return {}
    rows = copy[SPLIT].rows
    training = rows["is_training_image"][np.isin(rows["image_id"], image_id)] == 1
    return {
        "split-train": Figure(int(training.sum())),
        "split-test": Figure(int((~training).sum())),
    }


def _of_classes(copy: Copy, image_id: Integers) -> dict[str, Figure]:
    if LABELS not in copy:
        return {}
    content = copy[LABELS]
    label = content.rows["class_id"]
    sizes = np.unique(label[np.isin(content.rows["image_id"], image_id)], return_counts=True)[1]
    found = {
        "classes": Figure(len(sizes)),
        "class-smallest": Figure(int(sizes.min()) if sizes.size else None),
        "class-largest": Figure(int(sizes.max()) if sizes.size else None),
        "classes-of-60": Figure(int((sizes == FULL_CLASS).sum())),
    }
    if CLASSES in copy:
        unlisted = ~np.isin(label, copy[CLASSES].rows["id"])
        message = f"expected a class of {CLASSES}, found class {{}}"
        found["classes-unlisted"] = _count(content, unlisted, lambda i: message.format(label[i]))
    return found


def _of_names(copy: Copy) -> dict[str, Figure]:
    found = {}
    for name, names in ((PART_NAMES, PARTS), (CERTAINTIES, CERTAINTY_NAMES)):
        if name in copy:
            found[f"names-{Path(name).stem}"] = _named_otherwise(copy[name], names)
    return found


def _named_otherwise(content: Content, names: Sequence[str]) -> Figure:
    named = dict(enumerate(names, start=1))
    said = list(zip(content.rows["id"].tolist(), content.names.tolist(), strict=True))
    wrong = np.array([named.get(each) != name for each, name in said], dtype=np.bool_)

    def message(row: int) -> str:
        each, name = said[row]
        wanted = named.get(each, f"an id from 1 to {len(names)}")
        return f"expected {wanted}, found {name if each in named else each}"

    return _count(content, wrong, message)


def _count(content: Content, wrong: Booleans, message: Callable[[int], str]) -> Figure:
    """How many rows are wrong, and what is wrong with the first."""
    _, faults = find_faults(content.file, content.line, (wrong, message))
    return Figure(faults.count, _text(faults.first))


def _locations(content: Content) -> Locations:
    raw = np.stack([content.rows["x"], content.rows["y"]], axis=-1)
    lines = pair_lines(content.file, content.rows, PARTS, content.line)
    return Locations(lines, raw, *tabulate(lines))


def _of_pairs(locations: Locations) -> dict[str, Figure]:
    present, visible = locations.present, locations.visible
    lacking = np.argwhere(~present)
    first = f"{locations.lines.file}: expected a line for {{}}, found none"
    where = [pair_name(locations.image_id[image], part, PARTS) for image, part in lacking[:1]]
    found = {
        "pairs": Figure(int(present.sum())),
        "lacking-pairs": Figure(len(lacking), first.format(*where) if where else None),
        "visible": Figure(int(visible.sum())),
        "visible-share": Figure(_percent(visible[present])),
        "digest": Figure(_digest(locations)),
    }
    for part, count in zip(PARTS, visible.sum(axis=0).tolist(), strict=True):
        found[f"visible-{part.replace(' ', '-')}"] = Figure(count)
    return found


def _percent(flags: Booleans) -> float | None:
    return float(100 * ratio(flags.sum(), np.array(flags.size))) if flags.size else None


def _digest(locations: Locations) -> str:
    # One answer a pair makes the lines that the digest of the ground truth is taken over, and
    # leaves out the pairs that have no line.
    answers = Clicks(
        locations.present[:, np.newaxis],
        locations.visible[:, np.newaxis],
        locations.location[:, np.newaxis],
    )
    return clicks_digest(locations.image_id, answers)


def _of_places(locations: Locations) -> dict[str, Figure]:
    lines, raw = locations.lines, locations.raw
    point = np.where(lines.visible[:, np.newaxis], raw, 0)
    fractional = (point % 1 != 0).any(axis=1)
    origin = lines.visible & (raw == 0).all(axis=1)
    elsewhere = ~lines.visible & (raw != 0).any(axis=1)
    return {
        "locations-fractional": _places(locations, fractional, "whole numbers as x and y"),
        "locations-at-origin": _places(locations, origin, "a visible part elsewhere than at 0 0"),
        "locations-of-invisible": _places(locations, elsewhere, "0 0 for an invisible part"),
    }


def _places(locations: Locations, wrong: Booleans, expected: str) -> Figure:
    def message(row: int) -> str:
        return f"expected {expected}, found {_spelled(locations.raw[row])}"

    lines = locations.lines
    _, faults = find_faults(lines.file, lines.line, (wrong, message))
    return Figure(faults.count, _text(faults.first))


def _spelled(numbers: Floats) -> str:
    return " ".join(map(repr, numbers.tolist()))


def _outside_box(locations: Locations, boxes: Content) -> Figure:
    """The visible parts outside the bounding box, whose border is inside."""
    lines, raw = locations.lines, locations.raw
    order = np.argsort(boxes.rows["image_id"])
    rows = boxes.rows[order]
    at = np.searchsorted(rows["image_id"], lines.image_id)
    known = np.isin(lines.image_id, rows["image_id"])
    box = rows[np.where(known, at, 0)] if len(rows) else np.zeros(len(at), dtype=rows.dtype)
    low = np.stack([box["x"], box["y"]], axis=-1)
    high = low + np.stack([box["width"], box["height"]], axis=-1)
    outside = ((raw < low) | (raw > high)).any(axis=1) & lines.visible & known

    def message(row: int) -> str:
        span = f"from {_spelled(low[row])} to {_spelled(high[row])}"
        box_of = f"the bounding box of image {lines.image_id[row]}"
        return f"expected x and y {span}, {box_of}, found {_spelled(raw[row])}"

    _, faults = find_faults(lines.file, lines.line, (outside, message))
    return Figure(faults.count, _text(faults.first))


def _of_patterns(visible: Booleans) -> dict[str, Figure]:
    """The figures of which parts, (n, p) bool, are visible together."""
    _, counts = np.unique(visible, axis=0, return_counts=True)
    first, second = [*sorted(counts.tolist(), reverse=True), 0, 0][:2]
    number = visible.sum(axis=1)
    images = np.bincount(number, minlength=len(PARTS) + 1).tolist()
    return {
        "patterns": Figure(len(counts)),
        "patterns-commonest": Figure(first),
        "patterns-second": Figure(second),
        **{f"patterns-{side}-hidden": _hidden(visible, side) for side in SIDES},
        **{f"visible-parts-{each}": Figure(count) for each, count in enumerate(images)},
        "visible-parts-mean": Figure(float(number.mean()) if number.size else None),
        **_of_paired(visible),
    }


def _hidden(visible: Booleans, side: str) -> Figure:
    """On how many images one side's eye and wing are hidden and every other part is visible."""
    hidden = [part in (f"{side} eye", f"{side} wing") for part in PARTS]
    return Figure(int((visible != np.array(hidden)).all(axis=1).sum()))


def _of_paired(visible: Booleans) -> dict[str, Figure]:
    found = {}
    for part in PAIRED:
        both = visible[:, [PARTS.index(f"{side} {part}") for side in SIDES]]
        found[f"{part}s-both"] = Figure(int(both.all(axis=1).sum()))
        found[f"{part}s-neither"] = Figure(int((~both).all(axis=1).sum()))
    return found


def _of_answers(locations: Locations, content: Content) -> dict[str, Figure]:
    answers = pair_lines(content.file, content.rows, PARTS, content.line)
    held = np.isin(answers.image_id, locations.image_id)
    clicks = clicks_of(answers.where(held), locations.image_id)
    number = clicks.answered.sum(axis=1)[locations.present]
    clicked = locations.visible & clicks.visible.any(axis=1)
    agreed = majority(clicks) == locations.visible
    same = (median_click(clicks) == locations.location).all(axis=-1)
    return {
        "answers-min": Figure(int(number.min())),
        "answers-median": Figure(float(np.median(number))),
        "answers-max": Figure(int(number.max())),
        "majority-is-flag": Figure(_percent(agreed[locations.present])),
        "median-is-location": Figure(_percent(same[clicked])),
    }


def most_are_whole(copy: Copy) -> bool:
    """Whether at least half of the visible parts lie at whole pixels."""
    rows = copy[PART_LOCATIONS].rows
    point = np.stack([rows["x"], rows["y"]], axis=-1)[rows["visible"] == 1]
    return 2 * int((point % 1 == 0).all(axis=1).sum()) >= len(point)
