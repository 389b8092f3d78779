"""Figures that papers have published, read from published.toml, which says how to add more."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cubspec.choices import unknown
from cubspec.data import InputError


@dataclass(frozen=True)
class Figure:
    """One figure of a paper.

    Attributes
    ----------
    measure : the id of a measure, or a plain name where cubspec has no such measure
    printed : the figure with every digit that is printed
    unit : "%", "σ" or "SD"
    note : what tells it from other figures of its row, or ""
    """

    measure: str
    printed: str
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Row:
    """What a paper prints about one method.

    Attributes
    ----------
    name : source and row, as in liu2013/human
    paper : as the pages cite it
    where : the table, figure or section that prints it
    method : in the paper's own terms
    figures : Figures
    human : whether it is about the annotators themselves
    note : what a reader has to know to compare the figures, or ""
    """

    name: str
    paper: str
    where: str
    method: str
    figures: tuple[Figure, ...]
    human: bool = False
    note: str = ""

    def printed(self, measures: Iterable[str]) -> dict[str, str]:
        """The figures of some measures as printed, by measure, in the order asked for."""
        found = {each.measure: each.printed for each in self.figures}
        return {measure: found[measure] for measure in measures if measure in found}


@dataclass(frozen=True)
class Source:
    """A paper with its rows.

    Attributes
    ----------
    key : first author and year
    paper : as the pages cite it
    title : the reference
    data : the release that it is about
    rows : Rows
    """

    key: str
    paper: str
    title: str
    data: str
    rows: tuple[Row, ...]


@cache
def published() -> tuple[Source, ...]:
    """Every paper in published.toml, in the order of that file."""
    text = (files("cubspec") / "published.toml").read_text("utf-8")
    return tuple(map(_source, tomllib.loads(text)["source"]))


def published_source(key: str) -> Source:
    """The paper of that key; raises InputError with the nearest match where there is none."""
    for source in published():
        if source.key == key:
            return source
    raise InputError(unknown("published source", key, [source.key for source in published()]))


def published_row(name: str) -> Row:
    """The row of that name, SOURCE/ROW; raises InputError with the nearest match."""
    rows = [row for source in published() for row in source.rows]
    for row in rows:
        if row.name == name:
            return row
    raise InputError(unknown("published row", name, [row.name for row in rows]))


def _source(entry: dict[str, Any]) -> Source:
    rows = tuple(_row(entry["key"], entry["paper"], **row) for row in entry["row"])
    return Source(entry["key"], entry["paper"], entry["title"], entry["data"], rows)


def _row(source: str, paper: str, *, key: str, figures: list[dict[str, str]], **more: Any) -> Row:
    own = tuple(Figure(**figure) for figure in figures)
    return Row(f"{source}/{key}", paper, figures=own, **more)
