"""Results as text, Markdown, LaTeX, CSV and JSON, each read back."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from cubspec.choices import Signature, measures, short_signatures
from cubspec.data import Clicks, Dataset, InputError
from cubspec.predictions import PredictionFile
from cubspec.scoring import Result, Spread, score, spread
from cubspec.tables import (
    Document,
    Table,
    as_latex,
    as_markdown,
    as_text,
    cell_width,
    default_document,
    default_forms,
    full_document,
    one_line,
    preselected_forms,
    print_document,
    score_csv,
    score_json,
    spread_csv,
    spread_document,
    spread_json,
)
from tests.writing import random_dataset, random_prediction

ODD_NAME = 'x|y\n"é"_*&%$#{}~^\\<[漢]--\x1b[31m`σ`'
DATASET = random_dataset(40, images=9)
HUMAN_MEAN, HUMAN_POOLED = "Human|workers:mean", "Human|workers:pooled"


def scored(dataset: Dataset = DATASET, **chosen: Any) -> Result:
    """Two predictions scored, the second of which lacks an image."""
    first = random_prediction(41, dataset)
    second = random_prediction(42, dataset)
    present = np.ones_like(second.visible)
    present[0] = False
    file = PredictionFile(
        "second.npz", "npz", dataset.image_id, present, second.visible, second.location
    )
    kept = np.isin(dataset.parts, chosen.get("parts", dataset.parts))
    every_image = np.ones(len(dataset.image_id), dtype=bool)
    predictions = {"first.csv": first.only(every_image, kept), ODD_NAME: file}
    return score(dataset, predictions, split="all", missing="invisible", **chosen)


def without_spread(part: int) -> Dataset:
    """The dataset with every answer of a part the same."""
    clicks = DATASET.clicks
    assert clicks is not None
    location = clicks.location.copy()
    location[:, :, part] = np.where(clicks.visible[:, :, part, None], 7.0, np.nan)
    return replace(DATASET, clicks=Clicks(clicks.answered, clicks.visible, location))


RESULT = scored(per_part=True)
UNDEFINED = scored(without_spread(3), per_part=True)
WITHOUT_CLICKS = scored(replace(DATASET, clicks=None, clicks_name=None), per_part=True)
ONLY = scored(only=["PCP|sigma:toolbox|ref:each", "FVR|of:all|avg:parts"], per_part=True)
FROM_CLICKS = scored(truth="clicks", parts=["back", "tail"])
RESULTS = {
    "everything": RESULT,
    "undefined": UNDEFINED,
    "without clicks": WITHOUT_CLICKS,
    "from clicks": FROM_CLICKS,
}
SPREAD = spread(without_spread(3), pool="scored", split="train")


def shown(value: float, short: str) -> str:
    """How a table writes a value, decided here anew."""
    decimals = {"report-error": 3, "AE": 3}.get(short.split("|")[0], 2)
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


# What the formats say, read back into the same shape.

Cells = list[list[str]]


def split_text_table(block: str) -> tuple[str, Cells, Cells]:
    """Title, heading lines and rows of a table of text, cut where its rule says."""
    title, *lines = block.split("\n")
    rule = next(index for index, line in enumerate(lines) if re.fullmatch("-+(  -+)*", line))
    ends = [found.span() for found in re.finditer("-+", lines[rule])]
    # Wide characters take two cells.
    cut = [[by_cells(line, *span).strip() for span in ends] for line in lines]
    rows = [row for row, line in zip(cut, lines, strict=True) if is_row(line, ends)]
    return title, cut[:rule], [row for row in rows if row not in cut[: rule + 1]]


def by_cells(line: str, start: int, stop: int) -> str:
    found, place = "", 0
    for each in line:
        if start <= place < stop:
            found += each
        place += cell_width(each)
    return found


def is_row(line: str, ends: Sequence[tuple[int, int]]) -> bool:
    last = by_cells(line, *ends[-1]).strip()
    return re.fullmatch(r"[0-9.]+|–", last) is not None and cell_width(line) == ends[-1][1]


def unescape_markdown(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).replace("&lt;", "<").replace("&amp;", "&")


def split_markdown(text: str) -> list[tuple[str, Cells, str]]:
    """Title, all rows (the heading first) and caption of each table of Markdown."""
    tables = []
    for title, grid, caption in re.findall(r"\*\*(.*)\*\*\n\n((?:\|.*\n)+)\n(.*)\n", text):
        lines = [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1] for line in grid.splitlines()]
        assert len({len(line) for line in lines}) == 1
        assert lines.pop(1) == [" :-- ", *[" --: "] * (len(lines[0]) - 1)]
        rows = [[unescape_markdown(cell.strip()) for cell in line] for line in lines]
        tables.append((unescape_markdown(title), rows, caption))
    return tables


LATEX = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbar{}": "|",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\allowbreak{}": "",
    r"$\sigma$": "σ",
    r"\S{}": "§",
    "{[}": "[",
    "{*}": "*",
    "-{}": "-",
    "--": "–",
    **{f"\\{each}": each for each in "_&%#${}"},
}


def unescape_latex(text: str) -> str:
    known = "|".join(map(re.escape, sorted(LATEX, key=len, reverse=True)))
    assert not re.search(r"[\\~^#$%&_{}]", re.sub(known, "", text)), text
    return re.sub(known, lambda found: LATEX[found[0]], text)


def split_latex(text: str) -> list[tuple[str, Cells, Cells]]:
    """Caption, heading rows and rows of each table of LaTeX."""
    pattern = (
        r"\\begin\{table\}\n\\caption\{(.*)\}\n\\begin\{tabular\}\{(lr*)\}\n\\hline\n"
        r"((?:.* \\\\\n)+)\\hline\n((?:.* \\\\\n)+)\\hline\n\\end\{tabular\}\n\\end\{table\}\n"
    )
    tables = []
    for caption, columns, *grids in re.findall(pattern, text):
        heading, rows = (
            [
                [
                    unescape_latex(cell)
                    for cell in re.split(r"(?<!\\) ?& ?", line.removesuffix(r" \\"))
                ]
                for line in grid.splitlines()
            ]
            for grid in grids
        )
        assert {len(row) for row in [*heading, *rows]} == {len(columns)}
        tables.append((caption, heading, rows))
    assert re.sub(pattern, "", text).strip() == ""
    return tables


# A table holds the result.


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_default_document_holds_what_papers_print(result: Result) -> None:
    seen = set()
    for table in default_document(result).tables:
        if "by part" in table.title:
            continue
        assert [row[0] for row in table.rows] == [
            name for name in result.rows if name != HUMAN_POOLED
        ]
        sigma = re.match("sigma:[a-z-]+", table.title)
        for index, heading in enumerate(table.header[1:], start=1):
            short = "|".join([heading[0], *([sigma[0]] if sigma else []), *heading[1:]])
            seen.add(short)
            for row in table.rows:
                assert row[index] == shown(result.rows[row[0]][short], short)
    available = set(result.rows["first.csv"])
    assert seen == {form.short for form in default_forms()} & available


def test_default_forms_are_those_of_papers() -> None:
    shorts = [form.short for form in default_forms()]
    assert len(shorts) == 24
    assert all(short.endswith("|avg:micro") or "|avg:" not in short for short in shorts)
    assert sum("sigma:sd-mean" in short for short in shorts) == 9
    assert sum("sigma:dist-median" in short for short in shorts) == 9
    assert [form.short for form in preselected_forms()] == [
        "report-error|sigma:sd-mean|none:zero|avg:micro",
        "AE|sigma:sd-mean|avg:micro",
        "PCP|sigma:sd-mean|ref:median",
        "FVR|of:invisible|avg:micro",
        "FIR|of:visible|avg:micro",
        "capped|sigma:sd-mean",
    ]
    assert {form.short for form in preselected_forms()} <= set(shorts)


def test_default_document_needs_nothing_but_its_forms() -> None:
    narrowed = scored(only=[form.short for form in default_forms()], per_part=True)
    assert default_document(narrowed) == default_document(RESULT)


@pytest.mark.parametrize("result", [*RESULTS.values(), ONLY], ids=[*RESULTS, "only"])
def test_full_document_holds_every_number(result: Result) -> None:
    tables = [table for table in full_document(result).tables if "by part" not in table.title]
    found = {}
    for table in tables:
        assert tuple("|".join(heading) for heading in table.header) == ("", *result.rows)
        assert {row[0].split("|")[0] for row in table.rows} == {table.title.split(":")[0]}
        found |= {row[0]: row[1:] for row in table.rows}
    assert list(found) == list(result.rows["first.csv"])
    for short, cells in found.items():
        assert list(cells) == [shown(values[short], short) for values in result.rows.values()]


@pytest.mark.parametrize("result", [RESULT, UNDEFINED], ids=["everything", "undefined"])
def test_tables_by_part_hold_the_preselected_numbers(result: Result) -> None:
    tables = [table for table in default_document(result).tables if "by part" in table.title]
    rows = [name for name in result.rows if name != HUMAN_POOLED]
    assert [table.title for table in tables] == [f"{row}, by part, sigma:sd-mean" for row in rows]
    shorts = [form.short for form in preselected_forms()]
    for name, table in zip(rows, tables, strict=True):
        expected = [*result.by_part[name].items(), ("all parts", result.rows[name])]
        assert table.rows == tuple(
            (part, *(shown(values[short], short) for short in shorts)) for part, values in expected
        )


def test_full_document_holds_every_number_of_every_part() -> None:
    tables = [table for table in full_document(RESULT).tables if "by part" in table.title]
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for table in tables:
        row, _, measure = table.title.rpartition(", by part: ")
        assert [heading[0] for heading in table.header] == ["", *RESULT.parts]
        assert {line[0].split("|")[0] for line in table.rows} == {measure}
        found.setdefault(row, {}).update({line[0]: line[1:] for line in table.rows})
    assert list(found) == list(RESULT.rows)
    for row, lines in found.items():
        assert list(lines) == list(RESULT.by_part[row]["back"])
        for short, cells in lines.items():
            values = [RESULT.by_part[row][part][short] for part in RESULT.parts]
            assert list(cells) == [shown(value, short) for value in values]


def test_what_is_undefined_is_a_dash() -> None:
    table = default_document(UNDEFINED).tables[0]
    assert {cell for row in table.rows for cell in row[1:]} == {"–"}
    assert "--" in as_latex(default_document(UNDEFINED))
    _, _, rows = split_latex(as_latex(default_document(UNDEFINED)))[0]
    assert rows[0][1:] == ["–"] * 9


def test_infinity_is_undefined_too() -> None:
    short = "FVR|of:all|avg:micro"
    rows = {"a": {short: math.inf}}
    full = f"{short}|data:x|v:1|h:0"
    result = Result({"data": "x"}, ("back",), {}, rows, {"a": {short: full}})
    assert full_document(result).tables[0].rows == ((short, "–"),)
    assert json.loads(score_json(result))["rows"] == {"a": {short: None}}


# Text.


@pytest.mark.parametrize("make", [default_document, full_document])
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_text_read_back(result: Result, make: Callable[[Result], Document]) -> None:
    document = make(result)
    context, *blocks, _ = as_text(document).split("\n\n")
    assert context == document.context
    assert len(blocks) == len(document.tables)
    for block, table in zip(blocks, document.tables, strict=True):
        title, heading, rows = split_text_table(block)
        assert title == one_line(table.title)
        columns = zip(*heading, strict=True)
        for found, expected in zip(columns, table.header, strict=True):
            assert [line for line in found if line] == [one_line(line) for line in expected if line]
        assert rows == [[one_line(cell) for cell in row] for row in table.rows]


def test_text_says_every_note_once() -> None:
    lines = as_text(default_document(RESULT)).split("\n")
    notes = [line for line in lines if line.endswith(".")]
    assert len(notes) == len(set(notes))
    assert (
        "Read a heading downwards, with sigma:sd-mean after the measure: "
        "report-error|sigma:sd-mean|none:zero|avg:micro."
    ) in notes
    assert "Read a heading downwards: FVR|of:all|avg:micro." in notes
    assert (
        "report-error and AE in σ, lower is better; PCP in %, higher is better; capped in %."
    ) in notes


@pytest.mark.parametrize("result", [*RESULTS.values(), ONLY], ids=[*RESULTS, "only"])
@pytest.mark.parametrize("make", [default_document, full_document])
def test_text_says_how_to_write_full_signatures(
    result: Result, make: Callable[[Result], Document]
) -> None:
    document = make(result)
    if not document.tables:
        return
    opening, *notes = document.notes
    assert opening == (
        "A full signature is the short form, the first line, and the h given below its table.",
    )
    for table in document.tables:
        if "by part" not in table.title:
            below = ["".join(note) for note in table.notes]
            digests = said_digests(result, shorts_of(table), below)
            assert len(digests) >= len(shorts_of(table))
            check_signatures(result, document.context, ["".join(note) for note in notes], digests)


def shorts_of(table: Table) -> list[str]:
    """The short forms of a table's lines, or of its columns."""
    if table.rows[0][0] in map(str, short_signatures()):
        return [row[0] for row in table.rows]
    sigma = re.match("sigma:[a-z-]+", table.title)
    headings = [(h[0], *([sigma[0]] if sigma else []), *h[1:]) for h in table.header[1:]]
    return ["|".join(heading) for heading in headings]


def said_digests(
    result: Result, shorts: Sequence[str], notes: Sequence[str]
) -> dict[tuple[str, str], str]:
    """The h of every row and short form, as the notes say."""
    found = {}
    for note in notes:
        said = re.search(r"(?:column by column|line by line): ([0-9a-f ]+)\.$", note)
        if said:
            digests = said[1].split(" ")
            assert len(digests) == len(shorts)
            for row in subject(list(result.rows), note)[0] or result.rows:
                found |= {(row, short): h for short, h in zip(shorts, digests, strict=True)}
    return found


def check_signatures(
    result: Result, context: str, notes: Sequence[str], digests: dict[tuple[str, str], str]
) -> None:
    """Write every full signature as the notes say, and compare."""
    assert digests
    for (row, short), digest in digests.items():
        if row == HUMAN_POOLED and not any(HUMAN_POOLED in note for note in notes):
            continue
        text = rebuilt(list(result.rows), row, short, context, notes)
        full = result.signatures[row][short]
        assert str(Signature.parse(f"{text}|h:{digest}")) == full, (row, short, notes)


def rebuilt(rows: Sequence[str], row: str, short: str, context: str, notes: Sequence[str]) -> str:
    fields = context.split("|")
    for note in notes:
        named, said = subject(rows, note)
        if row in named:
            fields = changed(fields, said, short)
    return "|".join([short, *fields])


def subject(rows: Sequence[str], note: str) -> tuple[Sequence[str], str]:
    """The rows that a note is about, and what it says of them."""
    for size in range(len(rows), 0, -1):
        for named in combinations(rows, size):
            *first, last = map(one_line, named)
            start = f"{', '.join(first)} and {last}: " if first else f"{last}: "
            if one_line(note).startswith(start):
                return named, one_line(note).removeprefix(start)
    return (), ""


def changed(fields: list[str], said: str, short: str) -> list[str]:
    ids = {each.id for each in measures()}
    for clause in said.removesuffix(".").split("; "):
        words, with_, less = re.fullmatch(
            r"(.*?)(?:with (\S+?))?(?: and )?(?:without (.*))?", clause
        ).groups()  # type: ignore[union-attr]
        named = set(re.findall(r"[A-Za-z-]+", words)) & ids
        if named and short.split("|")[0] not in named:
            continue
        dropped = re.split(", | and ", less or "")
        fields = [each for each in fields if each.partition(":")[0] not in dropped]
        fields += with_.split("|") if with_ else []
    return fields


def test_rebuilding_notices_a_missing_note() -> None:
    document = default_document(RESULT)
    digests = said_digests(RESULT, shorts_of(document.tables[0]), digest_notes(document.tables[0]))
    with pytest.raises((AssertionError, InputError)):
        check_signatures(RESULT, document.context, [], digests)


def test_rebuilding_notices_a_digest_in_the_wrong_place() -> None:
    document = default_document(RESULT)
    notes = ["".join(note) for note in document.notes[1:]]
    shorts = shorts_of(document.tables[0])
    check_signatures(
        RESULT,
        document.context,
        notes,
        said_digests(RESULT, shorts, digest_notes(document.tables[0])),
    )
    digests = said_digests(RESULT, shorts[::-1], digest_notes(document.tables[0]))
    with pytest.raises(AssertionError):
        check_signatures(RESULT, document.context, notes, digests)


def digest_notes(table: Table) -> list[str]:
    return ["".join(note) for note in table.notes if " by " in note[0]]


# Markdown and LaTeX.


@pytest.mark.parametrize("make", [default_document, full_document])
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_markdown_read_back(result: Result, make: Callable[[Result], Document]) -> None:
    document = make(result)
    tables = split_markdown(as_markdown(document))
    assert len(tables) == len(document.tables)
    for (title, (heading, *rows), _), table in zip(tables, document.tables, strict=True):
        assert title == one_line(table.title)
        assert heading == [one_line("|".join(lines)) for lines in table.header]
        assert rows == [[one_line(cell) for cell in row] for row in table.rows]


@pytest.mark.parametrize("make", [default_document, full_document])
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_latex_read_back(result: Result, make: Callable[[Result], Document]) -> None:
    document = make(result)
    tables = split_latex(as_latex(document))
    assert len(tables) == len(document.tables)
    for (caption, heading, rows), table in zip(tables, document.tables, strict=True):
        plain = unescape_latex(re.sub(r"\\texttt\{((?:[^{}]|\{\})*)\}", r"\1", caption))
        said = " ".join("".join(note) for note in table.caption)
        assert plain == one_line(f"{table.title}. {said}")
        columns = zip(*heading, strict=True)
        for found, expected in zip(columns, table.header, strict=True):
            assert [line for line in found if line] == [one_line(line) for line in expected if line]
        assert rows == [[one_line(cell) for cell in row] for row in table.rows]


@pytest.mark.parametrize("result", [*RESULTS.values(), ONLY], ids=[*RESULTS, "only"])
@pytest.mark.parametrize("make", [default_document, full_document])
def test_captions_hold_the_full_signatures(
    result: Result, make: Callable[[Result], Document]
) -> None:
    for table in make(result).tables:
        if "by part" in table.title:
            continue
        caption = ["".join(note) for note in table.caption]
        shorts = shorts_of(table)
        digests = {}
        if caption[0].startswith("Columns: "):
            digests = said_columns(result, list(result.rows), caption.pop(0))
            assert [short for _, short in digests][: len(shorts)] == shorts
            opening, end = "Full signatures: these, then ", "."
        else:
            opening, end = "Full signatures: the short form, then ", ", then h."
        context, *notes = caption
        assert context.startswith(opening)
        digests |= said_digests(result, shorts, notes)
        context = context.removeprefix(opening).removesuffix(end)
        check_signatures(result, context, notes, digests)


def said_columns(result: Result, rows: Sequence[str], note: str) -> dict[tuple[str, str], str]:
    """The h of every row and short form, where the columns alone say it."""
    columns = note.removeprefix("Columns: ").removesuffix(".").split(", ")
    named = [column.split("|h:") for column in columns]
    return {(row, short): digest for row in rows for short, digest in named}


def test_caption_of_a_table_by_part_holds_the_signatures_of_all_parts() -> None:
    for table in default_document(RESULT).tables[3:]:
        columns, context, *notes = ("".join(note) for note in table.caption)
        row = table.title.removesuffix(", by part, sigma:sd-mean")
        digests = said_columns(RESULT, [row], columns)
        assert [short for _, short in digests] == [form.short for form in preselected_forms()]
        opening = "Full signatures of all parts: these, then "
        assert context.startswith(opening)
        context = context.removeprefix(opening).removesuffix(".")
        for (_, short), digest in digests.items():
            text = rebuilt([row], row, short, context, notes)
            full = RESULT.signatures[row][short]
            assert str(Signature.parse(f"{text}|h:{digest}")) == full


TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


@given(TEXT, TEXT)
@settings(max_examples=300, deadline=None)
def test_any_name_survives_every_format(label: str, title: str) -> None:
    table = Table(
        title, (("",), ("a", label)), ((label, "1.00"), ("b", "–")), (), (("x ", "y", "."),)
    )
    document = Document("data:x", (table,))
    for text in (as_text(document), as_markdown(document), as_latex(document)):
        assert all(unicodedata.category(each)[0] != "C" for each in text.replace("\n", ""))
    ((_, heading, rows),) = split_latex(as_latex(document))
    assert [row[0].strip() for row in rows] == [one_line(label).strip(), "b"]
    assert [row[1].strip() for row in heading] == ["a", one_line(label).strip()]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain é 漢 σ –", "plain é 漢 σ –"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u2028\u202e\udcff", r"\u2028\u202e\udcff"),
        ("a\u00a0b", "a\u00a0b"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


# A terminal.


def printed(document: Document, width: int) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, highlight=False)
    print_document(document, console)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"(?<![\w.])[0-9]+\.[0-9]{2,3}(?![\w.])", text))


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80, 100, 140, 300])
@pytest.mark.parametrize("document", [default_document(RESULT), full_document(ONLY)])
def test_terminals_show_every_digit(document: Document, width: int) -> None:
    text = printed(document, width)
    assert numbers(text) == numbers(as_text(document))
    assert "…" not in text
    if width >= 40:
        tables = [line for line in text.split("\n") if "─" in line]
        assert max(map(cell_width, tables)) <= width


def test_wide_terminals_show_a_table_in_one_piece() -> None:
    document = default_document(scored(only=[form.short for form in default_forms()]))
    assert printed(document, 300).count("─\n") == 3
    assert printed(document, 300).count("report-error  ") > 0


def test_columns_of_a_measure_stay_together() -> None:
    plain = default_document(score(DATASET, {"a.csv": random_prediction(1, DATASET)}, split="all"))
    lines = printed(plain, 80).split("\n")
    headings = [line.split() for line in lines if re.match(r" +(report-error|PCP)", line)]
    assert headings == [["report-error", "report-error", "AE"], ["PCP"] * 5 + ["capped"]] * 2


# CSV and JSON.


def null(values: dict[str, float]) -> dict[str, float | None]:
    return {short: None if math.isnan(value) else value for short, value in values.items()}


@pytest.mark.parametrize("result", [*RESULTS.values(), ONLY], ids=[*RESULTS, "only"])
def test_json_read_back(result: Result) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    found = json.loads(score_json(result), parse_constant=refuse)
    assert list(found) == [
        *("cubspec", "context", "sigma", "rows", "signatures", "predictions"),
        *(["parts"] if result.by_part else []),
    ]
    assert found["context"] == result.context
    assert type(found["context"]["n"]) is int
    assert list(found["rows"]) == list(result.rows)
    assert found["rows"] == {row: null(values) for row, values in result.rows.items()}
    assert found["signatures"] == result.signatures
    assert found["predictions"] == {ODD_NAME: {"format": "npz", "missing": "invisible"}}
    assert list(found["sigma"]) == list(result.sigma)
    for name, values in result.sigma.items():
        rows = [[None if math.isnan(each) else each for each in row] for row in values.tolist()]
        assert found["sigma"][name] == dict(zip(result.parts, rows, strict=True))
    if result.by_part:
        assert found["parts"] == {
            row: {part: null(values) for part, values in parts.items()}
            for row, parts in result.by_part.items()
        }


def test_json_holds_all_short_forms_of_every_row() -> None:
    found = json.loads(score_json(RESULT))
    assert list(found["rows"]) == ["first.csv", ODD_NAME, HUMAN_MEAN, HUMAN_POOLED]
    for values in found["rows"].values():
        assert list(values) == [form.short for form in short_signatures()]
    assert score_json(RESULT).isascii()


@pytest.mark.parametrize("result", [*RESULTS.values(), ONLY], ids=[*RESULTS, "only"])
def test_csv_read_back(result: Result) -> None:
    header, *lines = csv.reader(io.StringIO(score_csv(result), newline=""), strict=True)
    assert header == ["row", "part", "short", "value", "signature"]
    expected = []
    for row, values in result.rows.items():
        for short, value in values.items():
            text = "" if math.isnan(value) else repr(float(value))
            expected.append([row, "", short, text, result.signatures[row][short]])
        for part, own in result.by_part.get(row, {}).items():
            for short, value in own.items():
                text = "" if math.isnan(value) else repr(float(value))
                expected.append([row, part, short, text, ""])
    assert lines == expected


# The spread.


def test_spread_table() -> None:
    document = spread_document(SPREAD)
    (table,) = document.tables
    assert [heading for heading in table.header[:4]] == [
        ("part",),
        ("clicks",),
        ("pairs",),
        ("sd-mean",),
    ]
    assert table.header[-4:] == (
        ("axes-mean", "u"),
        ("axes-mean", "v"),
        ("toolbox", "u"),
        ("toolbox", "v"),
    )
    values = np.concatenate(list(SPREAD.sigma.values()), axis=1).tolist()
    for part, row in enumerate(table.rows):
        counts = (str(SPREAD.clicks[part]), str(SPREAD.pairs[part]))
        cells = ["–" if math.isnan(each) else f"{each:.3f}" for each in values[part]]
        assert row == (SPREAD.parts[part], *counts, *cells)
    assert "–" in table.rows[3]
    assert "|pool:scored|split:train|n:" in document.context
    for write in (as_text, as_markdown, as_latex):
        assert "pool:scored" in write(document)


def spread_values(result: Spread, name: str, part: int) -> list[float | None]:
    return [None if math.isnan(each) else each for each in result.sigma[name][part].tolist()]


def test_spread_json() -> None:
    found = json.loads(spread_json(SPREAD))
    assert list(found) == ["cubspec", "context", "sigma", "clicks", "pairs"]
    assert found["context"] == SPREAD.context
    assert list(found["clicks"].values()) == SPREAD.clicks.tolist()
    assert list(found["pairs"].values()) == SPREAD.pairs.tolist()
    assert list(found["sigma"]) == list(SPREAD.sigma)
    for name, by_part in found["sigma"].items():
        assert list(by_part) == list(SPREAD.parts)
        for part, values in enumerate(by_part.values()):
            assert values == spread_values(SPREAD, name, part)


def test_spread_csv() -> None:
    header, *lines = csv.reader(io.StringIO(spread_csv(SPREAD)), strict=True)
    assert header == ["part", "sigma", "axis", "value", "clicks", "pairs"]
    expected = []
    for name in SPREAD.sigma:
        for index, part in enumerate(SPREAD.parts):
            values = spread_values(SPREAD, name, index)
            axes = ["u", "v"] if len(values) == 2 else [""]
            counts = [str(SPREAD.clicks[index]), str(SPREAD.pairs[index])]
            for axis, value in zip(axes, values, strict=True):
                expected.append([part, name, axis, "" if value is None else repr(value), *counts])
    assert lines == expected
