"""Text files that say one thing a line: reading them, and errors that name the line.

Fields stand between spaces or tabs. Lines end in LF or CRLF; a byte order mark and blank lines at
the end are passed over, and a blank line anywhere else is an error. So a line's number in an error
is its number in the file.

What a file cannot do without raises an error at the first line at fault. A reader that is to go on
past such lines takes `lenient_text`, `good_rows` and `find_faults`, which count them.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubspec.data import Booleans, Floats, InputError, Integers

LOCATION_LINE = np.dtype(
    [
        ("image_id", np.int64),
        ("part_id", np.int64),
        ("x", np.float64),
        ("y", np.float64),
        ("visible", np.int64),
    ]
)
"""The fields of a line of part_locs.txt (the dataset's README)."""

CLICK_LINE = np.dtype([*LOCATION_LINE.descr, ("time", np.float64)])
"""The fields of a line of part_click_locs.txt (the dataset's README)."""

LARGEST_ID = int(np.iinfo(np.int64).max)

WHOLE_NUMBER = re.compile(r"([+-]?)([0-9]+)")
NUMBER = re.compile(
    r"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
BLANKS = re.compile(r"[ \t]+")
BLOCK = 1 << 24
"""How many bytes of a long file are looked at together."""
PIECE = 10_000
"""How many lines of a file with faults are read together."""
PLAIN = b"0123456789+-.eEinftyaINFTYA \t\r\n"

Check = tuple[Booleans, Callable[[int], str]]
"""Which rows are at fault, and the message for one of them."""

T = TypeVar("T")

Reader = Callable[[str, int], T]
"""What a line says, from its text and its number; raises InputError where it says no such thing."""


@dataclass(frozen=True)
class Faults:
    """Lines that do not say what they should.

    Attributes
    ----------
    count : their number
    first : the error of the first of them, or None where there is none
    """

    count: int = 0
    first: InputError | None = None

    def __add__(self, other: Faults) -> Faults:
        """Both; of two first ones that of the earlier line, and this one's in the same line."""
        errors = [each.first for each in (self, other) if each.first]
        first = min(errors, key=lambda error: error.line or 0, default=None)
        return Faults(self.count + other.count, first)


@dataclass(frozen=True)
class PairLines:
    """What the lines of a file say, each of one pair of image and part.

    Attributes
    ----------
    file : the file, for messages
    parts : names of the p parts, in the order of their ids
    line : (m,) int, counted from 1
    image_id : (m,) int, at least 1
    part : (m,) int, position among the parts, counted from 0
    visible : (m,) bool
    location : (m, 2) float, pixels; finite where visible, NaN elsewhere
    """

    file: Path
    parts: tuple[str, ...]
    line: Integers
    image_id: Integers
    part: Integers
    visible: Booleans
    location: Floats

    def where(self, kept: Booleans) -> PairLines:
        """The same for some lines, an (m,) mask."""
        return PairLines(
            self.file,
            self.parts,
            self.line[kept],
            self.image_id[kept],
            self.part[kept],
            self.visible[kept],
            self.location[kept],
        )


def read_bytes(file: Path) -> bytes:
    """The content of a file; raises InputError where it cannot be read or is empty."""
    content = _content(file)
    if not content.strip():
        raise InputError("expected at least one line, found an empty file", file)
    return content


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except IsADirectoryError:
        raise InputError("expected a file, found a folder", file) from None
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None


def unreadable(file: Path, error: OSError | ValueError) -> InputError:
    """The error to raise where a path cannot be opened."""
    # A ValueError is what Python makes of a path with a NUL in it.
    reason = (isinstance(error, OSError) and error.strerror) or error
    return InputError(f"expected to be able to read this, found an error: {reason}", file)


def decode(content: bytes, file: Path) -> str:
    """The text of a file's content, without byte order mark and blank lines at the end.

    Raises
    ------
    InputError
        On a NUL byte, bytes that are not UTF-8 (as in UTF-16), or nothing but blanks.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode()
        fault = content.find(b"\0")
    except UnicodeDecodeError as error:
        fault = error.start
    if fault >= 0:
        line = content.count(b"\n", 0, fault) + 1
        raise InputError(f"expected UTF-8 text, found the byte 0x{content[fault]:02x}", file, line)
    text = text.rstrip(" \t\r\n")
    if not text:
        raise InputError("expected at least one line, found an empty file", file)
    return text


def read_text(file: Path) -> str:
    """The text of a file, without byte order mark and blank lines at the end.

    Raises
    ------
    InputError
        Where the file cannot be read, is empty or is not UTF-8 text.
    """
    return decode(read_bytes(file), file)


def parse_json(text: str, file: Path, constant: Callable[[str], Any] | None = None) -> Any:
    """What JSON text says.

    Parameters
    ----------
    text : the text
    file : where it is from, for messages
    constant : what makes a value of `NaN`, `Infinity` and `-Infinity`, or raises InputError; the
        float of that name unless given

    Raises
    ------
    InputError
        Where it is no JSON that Python can read, or an object has an entry twice.
    """

    def each_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(entries)
        if len(found) < len(entries):
            names = [name for name, _ in entries]
            twice = next(name for name in names if names.count(name) > 1)
            message = f"expected each entry once, found {shown(twice)} {names.count(twice)} times"
            raise InputError(message, file)
        return found

    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        message = f"expected JSON, found an error: {error.msg}"
        raise InputError(message, file, error.lineno) from None
    except RecursionError:
        raise InputError("expected JSON, found an error: too deep nesting", file) from None
    except InputError:
        raise
    except ValueError as error:
        # Python refuses whole numbers of thousands of digits.
        raise InputError(f"expected JSON, found an error: {error}", file) from None


def lenient_text(file: Path) -> str:
    """The text of a file as `read_text` returns it, whatever its bytes are, "" where it is empty.

    A byte that is not UTF-8 becomes a lone surrogate, which no field accepts.
    """
    content = _content(file).removeprefix(codecs.BOM_UTF8)
    return content.decode(errors="surrogateescape").rstrip(" \t\r\n")


def stripped_lines(text: str) -> list[str]:
    """The lines without blanks at their ends; none of an empty text."""
    lines = text.split("\n") if text else []
    return [line.removesuffix("\r").strip(" \t") for line in lines]


def split_lines(text: str, file: Path, fields: Sequence[str]) -> list[str]:
    """The lines without blanks at their ends; raises InputError on a blank line.

    Parameters
    ----------
    text : without blank lines at the end, as `decode` returns it
    file : for messages
    fields : names of the fields expected in a line, for messages
    """
    lines = stripped_lines(text)
    if "" in lines:
        raise blank_line(file, lines.index("") + 1, fields)
    return lines


def blank_line(file: Path, number: int, fields: Sequence[str]) -> InputError:
    """The error of a blank line where these fields are expected."""
    return InputError(f"expected {_listed(fields)}, found a blank line", file, number)


def split_fields(line: str, file: Path, number: int, fields: Sequence[str]) -> list[str]:
    """The fields of a line; raises InputError where there are not as many as have names."""
    if not line:
        raise blank_line(file, number, fields)
    words = BLANKS.split(line)
    if len(words) != len(fields):
        found = counted(len(words), "field")
        raise InputError(f"expected {_listed(fields)}, found {found}", file, number)
    return words


def sift(
    lines: Iterable[str], read: Reader[T], start: int = 1
) -> tuple[list[T], list[int], Faults]:
    """What the lines say that can be read, the numbers of those lines, and the others' faults.

    Parameters
    ----------
    lines : as `stripped_lines` returns them
    read : Reader
    start : the number of the first line
    """
    said, numbers, faults, first = [], [], 0, None
    for number, line in enumerate(lines, start=start):
        try:
            said.append(read(line, number))
            numbers.append(number)
        except InputError as error:
            faults += 1
            # A traceback would keep every frame alive.
            first = first or error.with_traceback(None)
    return said, numbers, Faults(faults, first)


def read_named(file: Path, fields: tuple[str, str]) -> tuple[list[int], list[str]]:
    """The ids and names of a file with a line each, `id name`; a name may contain spaces.

    Raises
    ------
    InputError
        Where the file cannot be read, a line has no name, an id is no whole number of at least 1,
        or an id stands in two lines.
    """
    read = name_reader(file, fields)
    lines = split_lines(read_text(file), file, fields)
    said = [read(line, number) for number, line in enumerate(lines, start=1)]
    ids, names = (list(each) for each in zip(*said, strict=True))
    check_ids(file, np.array(ids, dtype=np.int64), fields[0])
    return ids, names


def name_reader(file: Path, fields: tuple[str, str]) -> Reader[tuple[int, str]]:
    """What reads a line `id name` of a file."""

    def read(line: str, number: int) -> tuple[int, str]:
        if not line:
            raise blank_line(file, number, fields)
        first, *rest = BLANKS.split(line)
        if not rest:
            raise InputError(f"expected {_listed(fields)}, found 1 field", file, number)
        return whole_number(first, fields[0], file, number), " ".join(rest)

    return read


def check_ids(file: Path, ids: Integers, name: str) -> None:
    """Raise InputError at the first id that is below 1 or repeats one; line i + 1 holds ids[i]."""
    line = np.arange(1, len(ids) + 1)
    fail_at_first(file, line, *id_checks(ids, name, line))


def id_checks(ids: Integers, name: str, line: Integers) -> tuple[Check, Check]:
    """Which ids are below 1 or repeat one of an earlier line."""
    message = f"expected {name} to be at least 1, found {{}}"
    low: Check = (ids < 1, lambda row: message.format(ids[row]))
    return low, repeat_check(line, ids, lambda row: f"{name} {ids[row]}")


def read_rows(file: Path, fields: np.dtype[np.void]) -> NDArray[np.void]:
    """The numbers of a file; see `parse_rows`."""
    return parse_rows(read_text(file), file, fields)


def parse_rows(text: str, file: Path, fields: np.dtype[np.void]) -> NDArray[np.void]:
    """The numbers of a text, one row a line.

    Parameters
    ----------
    text : without blank lines at the end, as `decode` returns it
    file : for messages
    fields : names and types of a line's fields, in their order

    Returns
    -------
    rows : (m,) of that type; row i stands in line i + 1

    Raises
    ------
    InputError
        On a blank line, a wrong number of fields, or a field that is no number of its type. NaN
        and infinity are numbers.
    """
    rows = _parse_at_once(text, fields)
    return _parse_by_line(text, file, fields) if rows is None else rows


def _parse_at_once(text: str, fields: np.dtype[np.void]) -> NDArray[np.void] | None:
    # NumPy splits at any Unicode blank and skips blank lines: hence the check before and the one
    # after. What passes both means the same to it as to _parse_by_line.
    if not text.isascii() or text.encode().translate(None, PLAIN):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = np.loadtxt(io.StringIO(text), dtype=fields, comments=None, ndmin=1)
    except (ValueError, Warning):
        return None
    return rows if len(rows) == text.count("\n") + 1 else None


def _parse_by_line(text: str, file: Path, fields: np.dtype[np.void]) -> NDArray[np.void]:
    read = _row_reader(file, fields)
    lines = split_lines(text, file, fields.names or ())
    rows = [read(line, number) for number, line in enumerate(lines, start=1)]
    return np.array(rows, dtype=fields)


def good_rows(
    text: str, file: Path, fields: np.dtype[np.void]
) -> tuple[NDArray[np.void], Integers, Faults]:
    """The numbers of the lines that `parse_rows` would accept.

    Parameters
    ----------
    text : without blank lines at the end, as `lenient_text` returns it
    file : for messages
    fields : names and types of a line's fields, in their order

    Returns
    -------
    rows : (m,) of that type
    line : (m,) int, the line of each row
    faults : of the other lines
    """
    whole = _parse_at_once(text, fields) if text else None
    if whole is not None:
        return whole, np.arange(1, len(whole) + 1), Faults()
    lines, read = stripped_lines(text), _row_reader(file, fields)
    rows, numbers, faults = [np.zeros(0, dtype=fields)], [np.zeros(0, dtype=np.int64)], Faults()
    for start in range(0, len(lines), PIECE):
        piece = lines[start : start + PIECE]
        good, kept, more = _good_piece(piece, start + 1, read, fields)
        rows.append(good)
        numbers.append(kept)
        faults += more
    return np.concatenate(rows), np.concatenate(numbers), faults


def _good_piece(
    lines: Sequence[str], start: int, read: Reader[tuple[float, ...]], fields: np.dtype[np.void]
) -> tuple[NDArray[np.void], Integers, Faults]:
    # Line by line takes ten times as long, so only pieces with faults are read so.
    rows = _parse_at_once("\n".join(lines), fields)
    if rows is not None:
        return rows, np.arange(start, start + len(rows)), Faults()
    said, numbers, faults = sift(lines, read, start)
    return np.array(said, dtype=fields), np.array(numbers, dtype=np.int64), faults


def _row_reader(file: Path, fields: np.dtype[np.void]) -> Reader[tuple[float, ...]]:
    names = fields.names or ()
    convert = [whole_number if fields[name].kind == "i" else real_number for name in names]

    def read(line: str, number: int) -> tuple[float, ...]:
        words = split_fields(line, file, number, names)
        each = zip(convert, words, names, strict=True)
        return tuple(to(word, name, file, number) for to, word, name in each)

    return read


def count_lines(file: Path, fields: Sequence[str]) -> tuple[int, Faults]:
    """How many lines a file has, and the faults of those with another number of fields.

    For files too long to take their lines apart: what a field holds is not looked at.
    """
    counts = np.concatenate([np.zeros(0, np.int64), *map(_fields_of_lines, _blocks(file))])
    counts = counts[: int(np.flatnonzero(counts).max(initial=-1)) + 1]

    def message(row: int) -> str:
        found = counted(int(counts[row]), "field") if counts[row] else "a blank line"
        return f"expected {_listed(fields)}, found {found}"

    line = np.arange(1, len(counts) + 1)
    return len(counts), find_faults(file, line, (counts != len(fields), message))[1]


def _blocks(file: Path) -> Iterator[bytes]:
    """The content of a file in pieces of whole lines, which end in LF, without byte order mark."""
    try:
        with file.open("rb") as stream:
            block = stream.read(BLOCK).removeprefix(codecs.BOM_UTF8)
            while block:
                block += stream.readline()
                yield (block if block.endswith(b"\n") else block + b"\n").replace(b"\r\n", b"\n")
                block = stream.read(BLOCK)
    except IsADirectoryError:
        raise InputError("expected a file, found a folder", file) from None
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None


def _fields_of_lines(block: bytes) -> Integers:
    """The number of fields of each line."""
    byte = np.frombuffer(block, dtype=np.uint8)
    end = byte == ord("\n")
    first = ~(end | (byte == ord(" ")) | (byte == ord("\t")))
    first[1:] &= ~first[:-1]
    start = np.concatenate([[0], np.flatnonzero(end)[:-1] + 1])
    return np.add.reduceat(first, start, dtype=np.int64)


def whole_number(word: str, name: str, file: Path, line: int) -> int:
    """The whole number that a field holds; raises InputError where it holds none of 64 bits."""
    match = WHOLE_NUMBER.fullmatch(word)
    if match is None:
        raise InputError(f"expected a whole number as {name}, found {shown(word)}", file, line)
    sign, digits = match[1], match[2].lstrip("0") or "0"
    # Python refuses to convert thousands of digits.
    if len(digits) > len(str(LARGEST_ID)) or int(digits) > LARGEST_ID:
        raise InputError(
            f"expected {name} to be at most {LARGEST_ID}, found {shown(word)}", file, line
        )
    return int(sign + digits)


def real_number(word: str, name: str, file: Path, line: int) -> float:
    """The number that a field holds, NaN and infinity included; raises InputError on none."""
    if NUMBER.fullmatch(word) is None:
        raise InputError(f"expected a number as {name}, found {shown(word)}", file, line)
    return float(word)


def pair_lines(
    file: Path, rows: NDArray[np.void], parts: Sequence[str], line: Integers | None = None
) -> PairLines:
    """What rows with at least the fields of LOCATION_LINE say, after checking their values.

    Parameters
    ----------
    file : for messages
    rows : (m,) with those fields
    parts : names of the p parts, in the order of their ids
    line : (m,) int, the line of each row; where not given, row i stands in line i + 1

    Raises
    ------
    InputError
        At the first line with an image id below 1, a part id that is not 1 to p, a flag other than
        0 and 1, or visible without a finite location.
    """
    if line is None:
        line = np.arange(1, len(rows) + 1)
    fail_at_first(file, line, *pair_checks(rows, parts))
    location = np.stack([rows["x"], rows["y"]], axis=-1)
    visible = rows["visible"] == 1
    location[~visible] = np.nan
    image_id, part = rows["image_id"], rows["part_id"] - 1
    return PairLines(file, tuple(parts), line, image_id, part, visible, location)


def pair_checks(rows: NDArray[np.void], parts: Sequence[str]) -> tuple[Check, ...]:
    """Which rows with the fields of LOCATION_LINE hold values that no pair has."""
    image_id, part_id, flag = rows["image_id"], rows["part_id"], rows["visible"]
    location = np.stack([rows["x"], rows["y"]], axis=-1)
    nowhere = (flag == 1) & ~np.isfinite(location).all(axis=-1)
    return (
        (image_id < 1, lambda i: f"expected an image id of at least 1, found {image_id[i]}"),
        (
            (part_id < 1) | (part_id > len(parts)),
            lambda i: f"expected a part id from 1 to {len(parts)}, found {part_id[i]}",
        ),
        ((flag < 0) | (flag > 1), lambda i: f"expected visible to be 0 or 1, found {flag[i]}"),
        (
            nowhere,
            lambda i: f"expected finite x and y of a visible part, found {_point(location[i])}",
        ),
    )


def tabulate(lines: PairLines) -> tuple[Integers, Booleans, Booleans, Floats]:
    """Lines that each hold another pair, as a table of images and parts.

    Returns
    -------
    image_id : (n,) int, ascending
    present : (n, p) bool, whether a line holds the pair
    visible : (n, p) bool
    location : (n, p, 2) float, pixels; NaN where not visible

    Raises
    ------
    InputError
        At the first line whose pair an earlier line holds.
    """
    image_id, image = np.unique(lines.image_id, return_inverse=True)
    shape = (len(image_id), len(lines.parts))
    check_once(
        lines.file,
        lines.line,
        image * shape[1] + lines.part,
        lambda row: pair_name(lines.image_id[row], lines.part[row], lines.parts),
    )
    present, visible = np.zeros(shape, bool), np.zeros(shape, bool)
    location = np.full((*shape, 2), np.nan)
    present[image, lines.part] = True
    visible[image, lines.part] = lines.visible
    location[image, lines.part] = lines.location
    return image_id, present, visible, location


def fail_at_first(file: Path, line: Integers, *checks: Check) -> None:
    """Raise InputError for the first row that is at fault in any of the checks, if there is one."""
    _, faults = find_faults(file, line, *checks)
    if faults.first:
        raise faults.first


def find_faults(file: Path, line: Integers, *checks: Check) -> tuple[Booleans, Faults]:
    """Which rows are at fault in any of the checks, an (m,) mask, and the faults of their lines."""
    bad = np.zeros(len(line), dtype=np.bool_)
    for each, _ in checks:
        bad |= each
    if not bad.any():
        return bad, Faults()
    row = int(bad.argmax())
    message = next(say for each, say in checks if each[row])
    return bad, Faults(int(bad.sum()), InputError(message(row), file, int(line[row])))


def check_once(file: Path, line: Integers, key: Integers, name: Callable[[int], str]) -> None:
    """Raise InputError at the first row whose key an earlier row holds, and name its line too."""
    fail_at_first(file, line, repeat_check(line, key, name))


def repeat_check(line: Integers, key: Integers, name: Callable[[int], str]) -> Check:
    """Which rows hold the key of an earlier row; the message names the first such row's line."""
    order = np.argsort(key, kind="stable")
    again = np.zeros(len(key), dtype=np.bool_)
    again[order[1:]] = key[order[1:]] == key[order[:-1]]

    def message(row: int) -> str:
        first = int(line[(key == key[row]).argmax()])
        return f"expected {name(row)} once, found it here and in line {first}"

    return again, message


def pair_name(image_id: int, part: int, parts: Sequence[str]) -> str:
    """How messages name a pair; `part` is a position counted from 0."""
    return f"image {image_id}, part {part + 1} ({parts[part]})"


def counted(count: int, noun: str) -> str:
    """A count and its noun, such as "1 line" or "2 lines"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shown(value: Any) -> str:
    """A value as found, short enough for a message and on one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'field')} ({' '.join(names)})"


def _point(location: Floats) -> str:
    return " ".join(map(str, location.tolist()))
