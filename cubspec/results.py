"""Results files, as `cubspec score --format json` writes them, read back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from cubspec.choices import CONTEXT, Signature, context_choices, unknown
from cubspec.data import InputError
from cubspec.lines import LARGEST_ID, parse_json, read_text, shown
from cubspec.predictions import MISSING
from cubspec.scoring import is_human

ENTRIES = ("context", "rows", "signatures", "predictions")
"""What a results file cannot do without."""

Place = tuple[str, str, str]
"""Row, part and short form; the part is empty for all parts together."""


@dataclass(frozen=True)
class Recorded:
    """What a results file says, and how to compute it again.

    Attributes
    ----------
    options : by name, what `score` takes: split, truth, pool and missing
    parts : ids of the parts scored, as in 1-7,9, or None where all were
    visible_above : by row of a prediction, the value above which a COCO keypoint is visible, or
        None in other formats
    values : the numbers, NaN where undefined
    signatures : by row and short form
    sigma : by name of the sigma and part, one number, or one for each axis
    """

    options: Mapping[str, str]
    parts: str | None
    visible_above: Mapping[str, float | None]
    values: Mapping[Place, float]
    signatures: Mapping[tuple[str, str], Signature]
    sigma: Mapping[tuple[str, str], tuple[float, ...]]

    @property
    def forms(self) -> list[str]:
        """Every short form of which there is a number, each once."""
        return list(dict.fromkeys(short for _, short in self.signatures))

    @property
    def per_part(self) -> bool:
        """Whether there are numbers of single parts."""
        return any(part for _, part, _ in self.values)


def read_results(path: str | Path) -> Recorded:
    """Read a results file.

    Parameters
    ----------
    path : path

    Raises
    ------
    InputError
        Where it cannot be read, or is no such file; names the first entry at fault.
    """
    file = Path(path)
    content = _loaded(file)
    try:
        return _recorded(content)
    except InputError as error:
        raise InputError(error.message, file) from None


def _loaded(file: Path) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise InputError(f"expected null where a number is undefined, found {constant}", file)

    return parse_json(read_text(file), file, refuse)


def _recorded(content: Any) -> Recorded:
    entries = _object(content, "the file")
    for name in ENTRIES:
        if name not in entries:
            raise InputError(
                f"expected the entry {name}, as cubspec score --format json writes it, found none"
            )
    context = _object(entries["context"], "context")
    signatures = _signatures(_object(entries["signatures"], "signatures"))
    values = dict(_values(_object(entries["rows"], "rows")))
    _check_alike(values, signatures)
    rows = dict.fromkeys(row for row, _ in signatures if not is_human(row))
    for row, parts in _object(entries.get("parts", {}), "parts").items():
        for part, own in _object(parts, f"parts of {row}").items():
            numbers = _numbers(own, f"parts of {row}, {part}")
            values |= {(row, part, short): number for short, number in numbers.items()}
    read = _object(entries["predictions"], "predictions")
    how = {row: _object(read.get(row, {}), f"predictions of {row}") for row in rows}
    return Recorded(
        options={**_options(context), "missing": _missing(how)},
        parts=_option(context, "parts", None),
        visible_above={row: _visible_above(row, each) for row, each in how.items()},
        values=values,
        signatures=signatures,
        sigma=dict(_sigma(_object(entries.get("sigma", {}), "sigma"))),
    )


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected {what} to be an object, found {shown(value)}")
    return value


def _number(value: Any, what: str) -> float:
    if value is None:
        return math.nan
    # A Boolean is an int to Python; and an int may be too large for a float.
    whole = type(value) is int and abs(value) <= LARGEST_ID
    if not (whole or (type(value) is float and math.isfinite(value))):
        raise InputError(f"expected {what} to be a number or null, found {shown(value)}")
    return float(value)


def _numbers(values: Any, what: str) -> dict[str, float]:
    return {
        name: _number(value, f"{what}, {name}") for name, value in _object(values, what).items()
    }


def _values(rows: dict[str, Any]) -> Iterator[tuple[Place, float]]:
    for row, values in rows.items():
        for short, value in _numbers(values, f"row {row}").items():
            yield (row, "", short), value


def _signatures(rows: dict[str, Any]) -> dict[tuple[str, str], Signature]:
    found = {}
    for row, signatures in rows.items():
        for short, text in _object(signatures, f"signatures of {row}").items():
            what = f"signature of {row}, {short}"
            if not isinstance(text, str):
                raise InputError(f"expected the {what} to be a text, found {shown(text)}")
            signature = Signature.parse(text)
            if signature.short != short or not signature.context:
                raise InputError(
                    f"expected the {what} to be a full signature of it, found {shown(text)}"
                )
            found[row, short] = signature
    return found


def _check_alike(
    values: Mapping[Place, float], signatures: Mapping[tuple[str, str], Signature]
) -> None:
    if not any(not is_human(row) for row, _, _ in values):
        raise InputError("expected a row of a prediction with a number, found none")
    numbered = {(row, short) for row, _, short in values}
    for row, short in sorted(numbered ^ signatures.keys()):
        lacking = "signature" if (row, short) in numbered else "number"
        raise InputError(f"expected a {lacking} of {row}, {short}, found none")


def _options(context: dict[str, Any]) -> dict[str, str]:
    pool = context_choices()["pool"].preselected
    options = {"split": None, "truth": None, "pool": pool}
    return {key: _option(context, key, default) or "" for key, default in options.items()}


def _option(context: dict[str, Any], key: str, default: str | None) -> str | None:
    value = context.get(key, default)
    allowed, check = CONTEXT[key]
    if value is None and key == "parts":
        return None
    if not isinstance(value, str) or not check(value):
        raise InputError(f"expected {key} in context to be {allowed}, found {shown(value)}")
    return value


def _missing(how: Mapping[str, dict[str, Any]]) -> str:
    found = [each.get("missing", MISSING[0]) for each in how.values()]
    for each in found:
        if each not in MISSING:
            raise InputError(unknown("value of missing", str(each), MISSING))
        if each != found[0]:
            raise InputError(
                f"expected missing to be the same for all, found {found[0]} and {each}"
            )
    return str(found[0])


def _visible_above(row: str, how: dict[str, Any]) -> float | None:
    if how.get("visible_above") is None:
        return None
    return _number(how["visible_above"], f"visible_above of {row}")


def _sigma(by_name: dict[str, Any]) -> Iterator[tuple[tuple[str, str], tuple[float, ...]]]:
    for name, parts in by_name.items():
        for part, numbers in _object(parts, f"sigma {name}").items():
            what = f"sigma {name} of {part}"
            if not isinstance(numbers, list):
                raise InputError(f"expected {what} to be a list, found {shown(numbers)}")
            yield (name, part), tuple(_number(each, what) for each in numbers)
