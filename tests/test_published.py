"""The published figures: their form, and that they are those of the papers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from cubspec import published as module
from cubspec.choices import measures
from cubspec.data import InputError
from cubspec.published import Row, published, published_row, published_source

TEXT = (Path(module.__file__).parent / "published.toml").read_text("utf-8")
ROWS = [row for source in published() for row in source.rows]

OTHER_MEASURES = {"accuracy", "cap", "charge", "distance"}
"""What is printed of things that are no measure here."""

PRINTED = {
    "wah2011/report": {"report-error": "2.47"},
    "wah2011/annotator": {"distance": "1"},
    "wah2011/constants": {"cap": "5", "charge": "5"},
    "wah2011/true-parts": {"accuracy": "17.3"},
    "wah2011/detected-parts": {"accuracy": "10.3"},
    "liu2013/consistency": {"PCP": "59.74", "AE": "1.80", "FVR": "28.48", "FIR": "4.52"},
    "liu2013/consensus": {"PCP": "48.70", "AE": "2.13"},
    "liu2013/human": {"PCP": "84.72", "AE": "1.00", "FVR": "20.72", "FIR": "6.03"},
    "liu2013/no-visibility": {"AE": "1.85", "FVR": "60.03"},
    "welinder2010/image-size": {"accuracy": "0.6"},
    "welinder2010/colour": {"accuracy": "1.7"},
    "welinder2010/svm": {"accuracy": "19"},
}
"""Copied from the papers a second time, so that a slip in one copy shows."""


@pytest.mark.parametrize("name", PRINTED)
def test_the_figures_are_those_of_the_papers(name: str) -> None:
    row = published_row(name)
    assert {figure.measure: figure.printed for figure in row.figures} == PRINTED[name]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_has_the_form_that_the_file_asks_for(row: Row) -> None:
    assert re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", row.name)
    assert row.where.startswith(("§", "Table ", "Fig. "))
    assert row.method.strip()
    assert row.figures
    for figure in row.figures:
        own = {each.id: each.unit for each in measures()}
        assert figure.measure in own or figure.measure in OTHER_MEASURES
        assert re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", figure.printed)
        assert figure.unit in ("%", "σ", "SD")
        in_percent = figure.measure == "accuracy" or own.get(figure.measure) == "%"
        assert (figure.unit == "%") == in_percent
        assert not in_percent or float(figure.printed) <= 100


def test_no_name_stands_for_two_things() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    keys = [source.key for source in published()]
    assert len(set(keys)) == len(keys)
    for row in ROWS:
        shown = [(figure.measure, figure.note) for figure in row.figures]
        assert len(set(shown)) == len(shown), row.name


def test_the_comment_explains_every_field() -> None:
    comment = "\n".join(line for line in TEXT.split("\n") if line.startswith("#"))
    sources = tomllib.loads(TEXT)["source"]
    rows = [row for source in sources for row in source["row"]]
    figures = [figure for row in rows for figure in row["figures"]]
    used = {key for entry in (*sources, *rows, *figures) for key in entry} - {"row"}
    assert used == set(re.findall(r"^#  +(\w+)  ", comment, re.MULTILINE))


def test_a_row_gives_its_figures_in_the_order_asked_for() -> None:
    row = published_row("liu2013/no-visibility")
    assert list(row.printed(("FVR", "PCP", "AE")).items()) == [("FVR", "60.03"), ("AE", "1.85")]


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(InputError, match=r"found 'liu2014'; did you mean liu2013\?"):
        published_source("liu2014")
    with pytest.raises(InputError, match=r"found 'liu2013/humen'; did you mean liu2013/human\?"):
        published_row("liu2013/humen")
