"""Repeated clicks on the parts of anything, from a CSV file, and the spread of their annotators.

A line is what one annotator answered about one part of one object. The file holds answers and
nothing else, so the ground truth is their consensus, `truth:clicks`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from cubspec.choices import unknown
from cubspec.cub import clicks_of
from cubspec.data import Booleans, Clicks, Floats, InputError, Integers, Truth
from cubspec.lines import (
    Check,
    PairLines,
    counted,
    decode,
    fail_at_first,
    read_bytes,
    real_number,
    repeat_check,
    shown,
)
from cubspec.predictions import FLAGS, csv_records
from cubspec.scoring import Spread
from cubspec.truth.consensus import from_clicks, majority
from cubspec.truth.sigma import SIGMA, number_of_clicks, number_of_pairs

COLUMNS = ("object_id", "part", "annotator", "x", "y", "visible")
SIZES = ("area", "box_width", "box_height")
RELATIVE_TO = {"none": (), "area": ("area",), "box": ("box_width", "box_height")}
"""What offsets can be taken relative to: the columns that make an object's length, which is the
product of their square roots."""

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class RepeatedClicks:
    """What a CSV file of repeated clicks holds.

    Attributes
    ----------
    digest : the SHA-256 of the file, in hex
    objects : ids of the n objects, in the order in which they first appear
    answers : what its m lines say; image id i is object i - 1, and the parts are in the order in
        which they first appear
    sizes : by name of each column of sizes that the file has, (n,) float; NaN where it says nothing
    """

    digest: str
    objects: tuple[str, ...]
    answers: PairLines
    sizes: dict[str, Floats]


class _Line(NamedTuple):
    number: int
    object_id: str
    part: str
    annotator: str
    location: tuple[float, float]
    visible: bool
    sizes: dict[str, float]


def read_repeated_clicks(path: str | Path) -> RepeatedClicks:
    """Read a CSV file of repeated clicks.

    Parameters
    ----------
    path : path
        Of a file with the columns object_id, part, annotator, x, y, visible and, where offsets are
        to be relative, area or box_width and box_height; in any order, others are ignored.

    Raises
    ------
    InputError
        Where the file cannot be read, lacks a column, or at the first line that cannot be used:
        one with a field that holds no such thing, with an answer that an earlier line holds, or
        with another size of its object than an earlier line.
    """
    file = Path(path)
    content = read_bytes(file)
    records = csv_records(decode(content, file), file)
    _, header = next(records)
    columns = _columns(header, file)
    lines = [_line(fields, len(header), columns, file, number) for number, fields in records]
    if not lines:
        raise InputError("expected at least one answer, found only a header", file)
    objects, at = _numbered(line.object_id for line in lines)
    parts, part = _numbered(line.part for line in lines)
    number = np.array([line.number for line in lines])
    visible = np.array([line.visible for line in lines])
    location = np.array([line.location for line in lines])
    names = [name for name in SIZES if name in columns]
    sizes = {name: _first_said(_said(lines, name), at, len(objects)) for name in names}
    fail_at_first(
        file,
        number,
        (visible & ~np.isfinite(location).all(axis=1), lambda row: _no_location(lines[row])),
        _repeated(lines, number),
        *(_contradiction(lines, name, sizes[name][at]) for name in sizes),
    )
    location[~visible] = np.nan
    answers = PairLines(file, parts, number, at + 1, part, visible, location)
    return RepeatedClicks(hashlib.sha256(content).hexdigest(), objects, answers, sizes)


# An absurdly far click makes a spread that overflows, which is no unit: no warning.
@np.errstate(over="ignore", invalid="ignore")
def repeated_spread(repeated: RepeatedClicks, *, relative_to: str = "none") -> Spread:
    """Measure the annotators' spread of every part, in all seven ways.

    Parameters
    ----------
    repeated : RepeatedClicks
    relative_to : {"none", "area", "box"}
        What the offsets of each object are divided by: nothing, the root of its area, or the root
        of its box's.

    Raises
    ------
    InputError
        On another value of `relative_to`, or where an object whose clicks count has no positive
        finite size.
    """
    if relative_to not in RELATIVE_TO:
        raise InputError(unknown("value of relative_to", relative_to, RELATIVE_TO))
    parts = repeated.answers.parts
    by_part = [clicks_of_part(repeated, part) for part in range(len(parts))]
    length = _lengths(repeated, relative_to, _with_counted_clicks(repeated, by_part))
    measured = [scaled_clicks(clicks, length[objects]) for objects, clicks in by_part]
    cases = [(clicks, consensus(clicks)) for clicks in measured]
    sigma = {
        value.name: np.concatenate([value.function(*case) for case in cases])
        for value in SIGMA.values
    }
    return Spread(
        {
            "file": repeated.digest[:8],
            "truth": "clicks",
            "relative-to": relative_to,
            "n": len(repeated.objects),
        },
        parts,
        sigma,
        np.concatenate([number_of_clicks(*case) for case in cases]),
        np.concatenate([number_of_pairs(*case) for case in cases]),
        tuple(_without_spread(parts, sigma)),
    )


def clicks_of_part(repeated: RepeatedClicks, part: int) -> tuple[Integers, Clicks]:
    """The objects of which a part was asked, and their answers.

    Parameters
    ----------
    repeated : RepeatedClicks
    part : position among the parts

    Returns
    -------
    objects : (o,) int, positions among the objects, ascending
    clicks : Clicks of those objects, as many slots as the one with the most answers has, one part
    """
    # Part by part, as a table of all objects and all parts may be far larger than the file.
    own = repeated.answers.where(repeated.answers.part == part)
    own = replace(own, parts=own.parts[part : part + 1], part=np.zeros_like(own.part))
    numbers = np.unique(own.image_id)
    return numbers - 1, clicks_of(own, numbers)


def scaled_clicks(clicks: Clicks, length: Floats) -> Clicks:
    """Clicks in units of a length of each object's own.

    Every sigma is proportional to the clicks, and none depends on where an object lies; so this
    divides the offsets by the length.

    Parameters
    ----------
    clicks : Clicks of n objects, w slots and p parts
    length : (n,) float, pixels
    """
    return replace(clicks, location=clicks.location / length[:, np.newaxis, np.newaxis, np.newaxis])


def consensus(clicks: Clicks) -> Truth:
    """The ground truth that the answers alone make."""
    nothing = Truth.at(np.full((*majority(clicks).shape, 2), np.nan))
    return from_clicks(nothing, clicks)


def _columns(header: Sequence[str], file: Path) -> dict[str, int]:
    """Where each column stands, those of sizes only where there are any."""
    names = [name.strip() for name in header]
    for name in COLUMNS:
        if name not in names:
            raise InputError(f"expected the columns {', '.join(COLUMNS)}, found no {name}", file, 1)
    for name in (*COLUMNS, *SIZES):
        if names.count(name) > 1:
            found = f"{name} {names.count(name)} times"
            raise InputError(f"expected each column once, found {found}", file, 1)
    return {name: names.index(name) for name in (*COLUMNS, *SIZES) if name in names}


def _line(
    fields: Sequence[str], width: int, columns: dict[str, int], file: Path, number: int
) -> _Line:
    if len(fields) != width:
        found = counted(len(fields), "field") if fields else "a blank line"
        raise InputError(f"expected {counted(width, 'field')}, found {found}", file, number)
    words = {name: fields[at].strip() for name, at in columns.items()}
    for name in ("object_id", "part", "annotator"):
        if not words[name]:
            raise InputError(f"expected some text as {name}, found none", file, number)
    visible = FLAGS.get(words["visible"].lower())
    if visible is None:
        raise InputError(
            f"expected visible to be 0, 1, true or false, found {shown(words['visible'])}",
            file,
            number,
        )

    def value(name: str, needed: bool) -> float:
        word = words[name]
        return real_number(word, name, file, number) if word or needed else math.nan

    return _Line(
        number,
        words["object_id"],
        words["part"],
        words["annotator"],
        (value("x", bool(visible)), value("y", bool(visible))),
        bool(visible),
        {name: value(name, False) for name in SIZES if name in columns},
    )


def _numbered(names: Iterable[Name]) -> tuple[tuple[Name, ...], Integers]:
    """Each name once, in the order of first appearance, and the position of every one there."""
    place: dict[Name, int] = {}
    position = [place.setdefault(name, len(place)) for name in names]
    return tuple(place), np.array(position, dtype=np.int64)


def _no_location(line: _Line) -> str:
    x, y = line.location
    return f"expected finite x and y of a visible part, found {x} {y}"


def _repeated(lines: Sequence[_Line], number: Integers) -> Check:
    _, answer = _numbered((line.object_id, line.part, line.annotator) for line in lines)

    def name(row: int) -> str:
        line = lines[row]
        return (
            f"object_id {shown(line.object_id)}, part {shown(line.part)}, "
            f"annotator {shown(line.annotator)}"
        )

    return repeat_check(number, answer, name)


def _said(lines: Iterable[_Line], name: str) -> Floats:
    """The sizes that the lines say, (m,); NaN where one says none."""
    return np.array([line.sizes[name] for line in lines])


def _first_said(values: Floats, at: Integers, objects: int) -> Floats:
    """Of each object the first size that a line says, (objects,); NaN where none does."""
    said = ~np.isnan(values)
    found, first = np.unique(at[said], return_index=True)
    sizes = np.full(objects, np.nan)
    sizes[found] = values[said][first]
    return sizes


def _contradiction(lines: Sequence[_Line], name: str, sizes: Floats) -> Check:
    """Which lines say another size of their object than the first that says one, (m,) `sizes`."""
    values = _said(lines, name)

    def message(row: int) -> str:
        object_id = lines[row].object_id
        own = (line for line in lines if line.object_id == object_id)
        first = next(line for line in own if not math.isnan(line.sizes[name]))
        return (
            f"expected one {name} of object_id {shown(object_id)}, "
            f"found {values[row]} here and {first.sizes[name]} in line {first.number}"
        )

    return ~np.isnan(values) & (values != sizes), message


def _with_counted_clicks(
    repeated: RepeatedClicks, by_part: Iterable[tuple[Integers, Clicks]]
) -> Booleans:
    """Which objects have a part that most of its annotators call visible: (n,) bool."""
    found = np.zeros(len(repeated.objects), dtype=np.bool_)
    for objects, clicks in by_part:
        found[objects] |= majority(clicks)[:, 0]
    return found


def _lengths(repeated: RepeatedClicks, relative_to: str, needed: Booleans) -> Floats:
    """What the offsets of each object are divided by: (n,) float, 1 where none is needed."""
    file, line = repeated.answers.file, repeated.answers.line
    _, first = np.unique(repeated.answers.image_id, return_index=True)
    length = np.ones(len(repeated.objects))
    for name in RELATIVE_TO[relative_to]:
        if name not in repeated.sizes:
            expected = f"expected the column {name} for offsets relative to {relative_to}"
            raise InputError(f"{expected}, found no {name}", file, 1)
        size = np.where(needed, repeated.sizes[name], 1.0)
        fail_at_first(file, line[first], _no_size(repeated.objects, name, size))
        length *= np.sqrt(size)
    return length


def _no_size(objects: Sequence[str], name: str, size: Floats) -> Check:
    def message(row: int) -> str:
        found = "none" if math.isnan(size[row]) else size[row]
        return (
            f"expected a positive finite {name} of object_id {shown(objects[row])}, "
            f"whose clicks count, found {found}"
        )

    return ~(np.isfinite(size) & (size > 0)), message


def _without_spread(parts: Sequence[str], sigma: Mapping[str, Floats]) -> Iterator[str]:
    for index, part in enumerate(parts):
        without = [name for name, values in sigma.items() if np.isnan(values[index]).any()]
        if without:
            yield f"{part}: the clicks have no spread under sigma {', '.join(without)}."
