"""The likeliest readings of the measures that a paper published, read from profiles.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from cubspec.choices import Signature, short_signatures, unknown
from cubspec.data import InputError
from cubspec.published import published_source
from cubspec.scoring import Result
from cubspec.tables import (
    Document,
    Note,
    Table,
    document_of,
    full_document,
    papers_rows,
    table_by_part,
    table_by_row,
)


@dataclass(frozen=True)
class Reading:
    """The likeliest reading of one measure of a paper.

    Attributes
    ----------
    form : Signature, a short form
    reasons : by key, in a few words
    excluded : KEY:VALUE of what the evidence excludes
    """

    form: Signature
    reasons: Mapping[str, str]
    excluded: tuple[str, ...]

    def forms(self, everything: bool) -> list[Signature]:
        """The reading itself, or every reading of its measure that is not excluded."""
        if not everything:
            return [self.form]
        return [
            form
            for form in short_signatures()
            if form.measure == self.form.measure
            and not any(f"{key}:{value}" in self.excluded for key, value in form.values.items())
        ]


@dataclass(frozen=True)
class Profile:
    """The readings of one paper.

    Attributes
    ----------
    key : first author and year
    paper : as the pages cite it
    readings : in the order of the paper's table
    """

    key: str
    paper: str
    readings: tuple[Reading, ...]

    def forms(self, everything: bool = False) -> list[Signature]:
        """The likeliest readings, or every reading that the evidence does not exclude."""
        return [form for reading in self.readings for form in reading.forms(everything)]

    def mark(self, everything: bool = False) -> str:
        """What every result says of its readings."""
        if everything:
            which = f"Every reading of {self.paper} that the evidence does not exclude"
        else:
            which = f"A reading of {self.paper}"
        return f"{which}, not the paper's own words."


@cache
def profiles() -> tuple[Profile, ...]:
    """Every profile, in the order of profiles.toml."""
    text = (files("cubspec") / "profiles.toml").read_text("utf-8")
    return tuple(map(_profile, tomllib.loads(text)["profile"]))


def profile_of(key: str) -> Profile:
    """The profile of that key; raises InputError with the nearest match where there is none."""
    for each in profiles():
        if each.key == key:
            return each
    raise InputError(unknown("profile", key, [each.key for each in profiles()]))


def _profile(entry: dict[str, Any]) -> Profile:
    readings = tuple(_reading(**each) for each in entry["reading"])
    return Profile(entry["key"], published_source(entry["key"]).paper, readings)


def _reading(*, short: str, reasons: dict[str, str], excluded: list[str]) -> Reading:
    return Reading(Signature.parse(short), reasons, tuple(excluded))


def profile_document(chosen: Profile, result: Result, *, everything: bool = False) -> Document:
    """The numbers of a profile, each table marked as readings.

    Parameters
    ----------
    chosen : Profile
    result : Result of its forms, apart from those for which the dataset lacks a file
    everything : whether the result holds every reading that is not excluded
    """
    if not everything:
        return _marked(
            _likeliest_document(chosen, result), chosen.mark(), lambda _: chosen.readings
        )

    def of_measure(table: Table) -> list[Reading]:
        name = table.rows[0][0].partition("|")[0]
        return [each for each in chosen.readings if each.form.measure.id == name]

    return _marked(full_document(result), chosen.mark(everything), of_measure)


def _marked(
    document: Document, mark: str, readings_in: Callable[[Table], Sequence[Reading]]
) -> Document:
    """A document each of whose tables says that it holds readings, and why these."""
    tables = []
    for table in document.tables:
        marks: tuple[Note, ...] = ((mark,), _likeliest(readings_in(table)))
        notes, caption = (*marks, *table.notes), (*marks, *table.caption)
        tables.append(replace(table, notes=notes, caption=caption))
    return replace(document, tables=tuple(tables))


def _likeliest_document(chosen: Profile, result: Result) -> Document:
    rows = papers_rows(result)
    held = [form for form in chosen.forms() if form.short in result.rows[rows[0]]]
    title = f"{chosen.key}, a reading"
    tables = [replace(table_by_row(result, rows, held), title=title)]
    if result.by_part:
        tables += [table_by_part(result, row, held) for row in rows]
    return document_of(result, rows, held, tables)


def _likeliest(readings: Sequence[Reading]) -> Note:
    """Why these readings are the likeliest, each value once."""
    reasons = {
        f"{key}:{reading.form.values[key]}": reason
        for reading in readings
        for key, reason in reading.reasons.items()
    }
    said: list[str] = []
    for value, reason in reasons.items():
        said += [f"{said.pop()}; " if said else "Likeliest is ", value, f", as {reason}"]
    return (*said[:-1], f"{said[-1]}.")


def profile_entry(chosen: Profile, *, everything: bool = False) -> dict[str, Any]:
    """What the JSON of a result says of its profile."""
    return {
        "name": chosen.key,
        "all": everything,
        "mark": chosen.mark(everything),
        "reasons": {each.form.short: dict(each.reasons) for each in chosen.readings},
    }
