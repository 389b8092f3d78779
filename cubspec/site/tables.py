"""MkDocs hook: tables of a page that are made from the code while the site is built.

A line `<!-- table: NAME ARGUMENT… -->` becomes what the function of that name in `TABLES` makes.
It takes the page's path and the arguments, and returns Markdown.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from mkdocs.structure.pages import Page

from cubspec import choices, site
from cubspec.choices import Choice, Measure, unknown
from cubspec.data import InputError
from cubspec.published import Row, published_source
from cubspec.readings import (
    RATES,
    Alone,
    Reading,
    alone_cells,
    alone_label,
    estimate_text,
    picked_rows,
    readings,
)
from cubspec.site import with_made
from cubspec.site.cells import grid, link, plain
from cubspec.site.citations import cite_block
from cubspec.site.comparisons import beside_ours, pck_of_birds, shortfall
from cubspec.site.effects import (
    effect,
    effect_of_avg,
    effect_of_pool,
    effect_of_workers,
    spread_of_parts,
)
from cubspec.site.listings import first_lines, scores_of_birds, spread_of_file
from cubspec.site.locked import lock
from cubspec.site.signatures import signatures
from cubspec.tables import UNDEFINED

REFERENCES = {
    "Liu & Belhumeur 2013": "references-liu-2013",
    "Wah et al. 2011": "references-wah-2011",
}
"""Where the list of references has a paper, by what a measure's source begins with."""

Table = Callable[..., str]

_PLACEHOLDER = re.compile(r"(?P<indent> *)<!-- *table: *(?P<words>.*?) *--> *")


def at_a_glance(page: str, measure_id: str) -> str:
    """One measure: id, unit, source, and its choices with all their values.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    measure_id : the measure
    """
    measure = choices.measure(measure_id)
    rows = [
        ("unit", measure.unit),
        ("better", measure.better),
        ("source", _source_link(page, measure.source)),
        *((_choice_link(page, each), _value_links(page, each)) for each in measure.choices),
        ("short signatures", _product(measure)),
    ]
    return grid(("id", _measure_link(page, measure)), rows)


def _source_link(page: str, source: str) -> str:
    paper, _, _ = source.partition(",")
    anchor = REFERENCES.get(paper)
    return link(page, f"dataset/index/#{anchor}", plain(source)) if anchor else plain(source)


def all_measures(page: str) -> str:
    """Every measure, one per row, with its choices and the number of its short signatures."""
    found = choices.measures()
    rows = [
        (
            _measure_link(page, each),
            plain(each.question),
            each.unit,
            each.better,
            ", ".join(_choice_link(page, choice) for choice in each.choices),
            str(_count(each)),
        )
        for each in found
    ]
    total = ("**all**", "", "", "", "", f"**{sum(_count(each) for each in found)}**")
    head = ("measure", "question {.wide}", "unit", "better", "choices", "short signatures")
    return grid(head, [*rows, total])


def values(page: str, choice: str) -> str:
    """Every value of a choice, with its meaning.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    choice : its key (`sigma`) or, where measures have different choices of the same key, what its
        anchors begin with (`fvr-of`); case is ignored
    """
    found = _choice(choice)
    rows = [
        (
            link(page, found.address(value.name), f"`{value.name}`"),
            plain(value.meaning) + (" (preselected)" if value.name == found.preselected else ""),
        )
        for value in found.values
    ]
    return grid((_choice_link(page, found), plain(found.question)), rows)


def published_figures(page: str, source: str) -> str:
    """What a paper prints: a row for each method, under the name that `cubspec readings` takes.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    source : the paper's key in published.toml
    """
    found = published_source(source)
    rows = [
        (f"`{row.name}`", plain(_printed(row)), plain(f"{row.method} ({row.where})"))
        for row in found.rows
    ]
    made = grid(("row", "printed {.wide}", "method {.wide}"), rows)
    return f"{made}\n\n{plain(found.title)}. About {plain(found.data)}."


def readings_of_row(page: str, row: str) -> str:
    """Every combination of denominators for a published row, and what it implies where possible.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    row : the row's name in published.toml
    """
    (found,) = readings(picked_rows([row])).rows
    rows = [
        (*_reading_cells(page, each), *map(estimate_text, each.estimates))
        for each in found.readings
    ]
    head = (*found.readings[0].of, "verdict", "*h*, %", "*a*, %", "*b*, %")
    return f"{grid(head, rows)}\n\n{_reasons(found.readings)}"


def readings_of_figures(page: str, row: str) -> str:
    """What each figure of a published row can be by itself, whatever the averaging.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    row : the row's name in published.toml
    """
    (found,) = readings(picked_rows([row])).rows
    rows = []
    for each in found.alone:
        verdict, bound, *numbers = alone_cells(each)
        rows.append((_figure_link(page, each), verdict, _unbroken(bound), *numbers))
    return grid(("figure", "verdict", "bound", "printed", "least", "most"), rows)


def readings_together(page: str, source: str) -> str:
    """Every combination of denominators, judged by all rows of a paper.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    source : the paper's key in published.toml
    """
    found = readings(picked_rows([source])).together
    made = grid((*found[0].of, "verdict"), [_reading_cells(page, each) for each in found])
    return f"{made}\n\n{_reasons(found)}"


def readings_margins(page: str, source: str) -> str:
    """How far printed figures are beyond the bounds that exclude them, whatever the averaging.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    source : the paper's key in published.toml
    """
    rows = []
    for found in readings(picked_rows([source])).rows:
        for each in (one for one in found.alone if not one.possible):
            _, bound, printed, _, most = alone_cells(each)
            beyond = f"{float(100 * each.beyond):.3f}"
            needed = f"{float(100 * each.needed[0]):.3f}" if each.needed else UNDEFINED
            figures = (_figure_link(page, each), _unbroken(bound), most, printed, beyond, needed)
            rows.append((plain(f"{found.row.method} ({found.row.where})"), *figures))
    head = ("row", "figure", "bound", "bound, %", "printed, %", "beyond by", "least *u*, %")
    return grid(head, rows)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


TABLES: dict[str, Table] = {
    "all-measures": all_measures,
    "at-a-glance": at_a_glance,
    "beside-ours": beside_ours,
    "cite": cite_block,
    "effect": effect,
    "effect-of-avg": effect_of_avg,
    "effect-of-pool": effect_of_pool,
    "effect-of-workers": effect_of_workers,
    "first-lines": first_lines,
    "lock": lock,
    "pck": pck_of_birds,
    "shortfall": shortfall,
    "scores-of-birds": scores_of_birds,
    "spread-of-file": spread_of_file,
    "published": published_figures,
    "readings": readings_of_row,
    "readings-alone": readings_of_figures,
    "readings-margins": readings_margins,
    "readings-together": readings_together,
    "signatures": signatures,
    "spread-of-parts": spread_of_parts,
    "values": values,
}
"""Every table by name."""


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Put the tables in their places."""
    return with_tables(markdown, page.file.src_uri, site.source(page))


def with_tables(markdown: str, page: str, whole: str | None = None) -> str:
    """A page's Markdown with its tables in their places.

    Parameters
    ----------
    markdown : the page, without its front matter
    page : its path, relative to the folder of the pages
    whole : the text of its file, for messages; `markdown` unless given

    Raises
    ------
    PluginError
        On an unknown table, or arguments that it cannot use; names page and line.
    """
    return with_made(markdown, page, "table", lambda line: _replaced(line, page), whole)


def _replaced(line: str, page: str) -> str:
    found = _PLACEHOLDER.fullmatch(line)
    if not found or not found["words"]:
        raise InputError(
            f"expected <!-- table: NAME ARGUMENT… --> alone on a line, found {line.strip()!r}"
        )
    name, *arguments = found["words"].split()
    if name not in TABLES:
        raise InputError(unknown("table", name, TABLES))
    try:
        inspect.signature(TABLES[name]).bind(page, *arguments)
    except TypeError:
        wanted = [word.upper() for word in inspect.signature(TABLES[name]).parameters][1:]
        raise InputError(
            f"expected {' '.join([name, *wanted])!r}, found {found['words']!r}"
        ) from None
    made = TABLES[name](page, *arguments).strip("\n")
    return "\n".join((found["indent"] + each).rstrip() for each in made.split("\n"))


def _measure_link(page: str, measure: Measure) -> str:
    return link(page, measure.address, f"`{measure.id}`")


def _choice_link(page: str, choice: Choice) -> str:
    return link(page, f"{choice.page}/#{choice.anchor}", f"`{choice.key}`")


def _value_links(page: str, choice: Choice) -> str:
    return ", ".join(link(page, choice.address(name), f"`{name}`") for name in choice.names)


def _count(measure: Measure) -> int:
    return math.prod(len(choice.values) for choice in measure.choices)


def _product(measure: Measure) -> str:
    sizes = [str(len(choice.values)) for choice in measure.choices]
    return f"{' × '.join(sizes)} = {_count(measure)}" if len(sizes) > 1 else str(_count(measure))


def _choice(name: str) -> Choice:
    declared = [choice for each in choices.measures() for choice in each.choices]
    declared += choices.context_choices().values()
    by_key: dict[str, set[str]] = {}
    by_anchor = {choice.anchor: choice for choice in declared}
    for choice in declared:
        by_key.setdefault(choice.key, set()).add(choice.anchor)
    found = dict(by_anchor)
    for key, anchors in by_key.items():
        if len(anchors) == 1:
            found.setdefault(key, by_anchor[min(anchors)])
    if name.lower() not in found:
        raise InputError(unknown("choice", name, sorted(found)))
    return found[name.lower()]


def _printed(row: Row) -> str:
    figures = [
        f"{each.measure} {each.printed} {each.unit}" + (f" {each.note}" if each.note else "")
        for each in row.figures
    ]
    return ", ".join(figures) + (f" ({row.note})" if row.note else "")


def _reading_cells(page: str, reading: Reading) -> tuple[str, ...]:
    """The denominators of a reading and its verdict."""
    of = [
        link(page, RATES[name].address(value), f"`{value}`") for name, value in reading.of.items()
    ]
    return (*of, reading.verdict)


def _figure_link(page: str, each: Alone) -> str:
    measure = choices.measure(each.name)
    address = measure.choice("of").address(each.of) if each.of else measure.address
    return link(page, address, f"`{alone_label(each)}`")


def _reasons(found: Iterable[Reading]) -> str:
    """A list of the reasons why readings are not possible, each once."""
    reasons = dict.fromkeys((each.verdict, each.reason) for each in found if each.reason)
    listed = "\n".join(f"- {verdict}: {plain(reason)}." for verdict, reason in reasons)
    return listed.replace(" %", "\N{NO-BREAK SPACE}%")
