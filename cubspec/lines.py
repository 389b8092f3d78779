"""Text files that say one thing a line: reading them, and errors that name the line.

Fields stand between spaces or tabs. Lines end in LF or CRLF; a byte order mark and blank lines at
the end are passed over, and a blank line anywhere else is an error. So a line's number in an error
is its number in the file.
"""

from __future__ import annotations

import codecs
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

WHOLE_NUMBER = re.compile(r"([+-]?)0*([0-9]+)")
NUMBER = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
BLANKS = re.compile(r"[ \t]+")
PLAIN = b"0123456789+-.eEinftyaINFTYA \t\r\n"

Check = tuple[Booleans, Callable[[int], str]]
"""Which rows are at fault, and the message for one of them."""


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
    try:
        content = file.read_bytes()
    except IsADirectoryError:
        raise InputError("expected a file, found a folder", file) from None
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    if not content.strip():
        raise InputError("expected at least one line, found an empty file", file)
    return content


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


def split_lines(text: str, file: Path, fields: Sequence[str]) -> list[str]:
    """The lines without blanks at their ends; raises InputError on a blank line.

    Parameters
    ----------
    text : without blank lines at the end, as `decode` returns it
    file : for messages
    fields : names of the fields expected in a line, for messages
    """
    lines = [line.removesuffix("\r").strip(" \t") for line in text.split("\n")]
    if "" in lines:
        raise InputError(
            f"expected {_listed(fields)}, found a blank line", file, lines.index("") + 1
        )
    return lines


def read_named(file: Path, fields: tuple[str, str]) -> tuple[list[int], list[str]]:
    """The ids and names of a file with a line each, `id name`; a name may contain spaces.

    Raises
    ------
    InputError
        Where the file cannot be read, a line has no name, an id is no whole number of at least 1,
        or an id stands in two lines.
    """
    ids: list[int] = []
    names: list[str] = []
    for number, line in enumerate(split_lines(read_text(file), file, fields), start=1):
        first, *rest = BLANKS.split(line)
        if not rest:
            raise InputError(f"expected {_listed(fields)}, found 1 field", file, number)
        ids.append(whole_number(first, fields[0], file, number))
        names.append(" ".join(rest))
    check_ids(file, np.array(ids, dtype=np.int64), fields[0])
    return ids, names


def check_ids(file: Path, ids: Integers, name: str) -> None:
    """Raise InputError at the first id that is below 1 or repeats one; line i + 1 holds ids[i]."""
    line = np.arange(1, len(ids) + 1)
    message = f"expected {name} to be at least 1, found {{}}"
    fail_at_first(file, line, (ids < 1, lambda row: message.format(ids[row])))
    check_once(file, line, ids, lambda row: f"{name} {ids[row]}")


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
    # NumPy skips blank lines and splits at any Unicode blank and at a lone carriage return. What
    # is left after these three checks means the same to it as to _parse_by_line.
    if not text.isascii() or text.encode().translate(None, PLAIN):
        return None
    if text.count("\r") != text.count("\r\n"):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = np.loadtxt(io.StringIO(text), dtype=fields, comments=None, ndmin=1)
    except (ValueError, Warning):
        return None
    return rows if len(rows) == text.count("\n") + 1 else None


def _parse_by_line(text: str, file: Path, fields: np.dtype[np.void]) -> NDArray[np.void]:
    names = fields.names or ()
    convert = [whole_number if fields[name].kind == "i" else real_number for name in names]
    rows: list[tuple[float, ...]] = []
    for number, line in enumerate(split_lines(text, file, names), start=1):
        words = BLANKS.split(line)
        if len(words) != len(names):
            found = counted(len(words), "field")
            raise InputError(f"expected {_listed(names)}, found {found}", file, number)
        each = zip(convert, words, names, strict=True)
        rows.append(tuple(to(word, name, file, number) for to, word, name in each))
    return np.array(rows, dtype=fields)


def whole_number(word: str, name: str, file: Path, line: int) -> int:
    """The whole number that a field holds; raises InputError where it holds none of 64 bits."""
    match = WHOLE_NUMBER.fullmatch(word)
    if match is None:
        raise InputError(f"expected a whole number as {name}, found {shown(word)}", file, line)
    sign, digits = match.groups()
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
    image_id, part_id, flag = rows["image_id"], rows["part_id"], rows["visible"]
    location = np.stack([rows["x"], rows["y"]], axis=-1)
    visible = flag == 1
    fail_at_first(
        file,
        line,
        (image_id < 1, lambda i: f"expected an image id of at least 1, found {image_id[i]}"),
        (
            (part_id < 1) | (part_id > len(parts)),
            lambda i: f"expected a part id from 1 to {len(parts)}, found {part_id[i]}",
        ),
        ((flag < 0) | (flag > 1), lambda i: f"expected visible to be 0 or 1, found {flag[i]}"),
        (
            visible & ~np.isfinite(location).all(axis=-1),
            lambda i: f"expected finite x and y of a visible part, found {_point(location[i])}",
        ),
    )
    location[~visible] = np.nan
    return PairLines(file, tuple(parts), line, image_id, part_id - 1, visible, location)


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
    faults = [(int(bad.argmax()), order) for order, (bad, _) in enumerate(checks) if bad.any()]
    if faults:
        row, order = min(faults)
        raise InputError(checks[order][1](row), file, int(line[row]))


def check_once(file: Path, line: Integers, key: Integers, name: Callable[[int], str]) -> None:
    """Raise InputError at the first row whose key an earlier row holds, and name its line too."""
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order][1:] == key[order][:-1]]
    if again.size:
        row = int(again.min())
        first = int(line[(key == key[row]).argmax()])
        raise InputError(
            f"expected {name(row)} once, found it here and in line {first}", file, int(line[row])
        )


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
