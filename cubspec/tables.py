"""Results as text, Markdown, LaTeX, CSV and JSON.

A result becomes a `Document`, tables of strings with notes, which four functions write: `as_text`,
`as_markdown`, `as_latex`, and `print_document` for a terminal. CSV and JSON are written from the
result itself and round nothing.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any, Literal

from cubspec.choices import Measure, Signature, short_signatures
from cubspec.data import Floats
from cubspec.latex import latex_code, latex_text
from cubspec.measures.human import WORKERS
from cubspec.scoring import HUMAN, Result, Spread, is_human
from cubspec.truth.sigma import SIGMA

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console

UNDEFINED = "–"
DEFAULT_SIGMAS = ("sd-mean", "dist-median")
"""The units of the default table: the literal reading of the 2011 report, and the one under which
an annotator's mean distance from the ground truth is 1."""
DECIMALS = {"%": 2, "σ": 3}
SPREAD_UNITS = {
    "none": ("pixels", DECIMALS["σ"]),
    "area": ("units of the square root of the object's area", 5),
    "box": ("units of the square root of the area of the object's box", 5),
}
"""The unit of a spread by what it is relative to, and the decimals that it is printed with."""
AXES = ("u", "v")
GAP = 2
NARROWEST_LABEL = 8
WIDEST_HEADING = 20

Note = tuple[str, ...]
"""A sentence for the reader: prose and code in turn, prose first."""


@dataclass(frozen=True)
class Table:
    """Strings in rows and columns; the first column holds the rows' labels.

    Attributes
    ----------
    title : one line
    header : of each column, the lines of its heading; joined by | where a heading has one line
    rows : one string for each column
    notes : what a reader needs beside the document's context
    caption : what a reader needs who has nothing but the table
    words : how many columns, from the first, hold words; the others hold numbers
    """

    title: str
    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[Note, ...] = ()
    caption: tuple[Note, ...] = ()
    words: int = 1


@dataclass(frozen=True)
class Document:
    """Tables that share a context.

    Attributes
    ----------
    context : what every number stands on, as a signature writes it
    tables : Tables
    notes : how the tables and the context make full signatures
    """

    context: str
    tables: tuple[Table, ...]
    notes: tuple[Note, ...] = ()


def default_forms() -> tuple[Signature, ...]:
    """The short forms of the default table, in the order of every table."""
    return tuple(
        form
        for form in short_signatures()
        if form.values.get("sigma", DEFAULT_SIGMAS[0]) in DEFAULT_SIGMAS
        and form.values.get("avg", "micro") == "micro"
    )


def preselected_forms() -> tuple[Signature, ...]:
    """The short form of each measure with every choice at its preselected value."""
    return tuple(
        form
        for form in short_signatures()
        if all(form.values[each.key] == each.preselected for each in form.measure.choices)
    )


def default_document(result: Result) -> Document:
    """The numbers that papers print: a line for each row name, a column for each short form.

    Parameters
    ----------
    result : Result that holds `default_forms`, apart from those for which the dataset lacks a file
    """
    rows = papers_rows(result)
    forms = _held(result, default_forms())
    groups = [[form for form in forms if form.values.get("sigma") == s] for s in DEFAULT_SIGMAS]
    groups.append([form for form in forms if "sigma" not in form.values])
    tables = [table_by_row(result, rows, group) for group in groups if group]
    chosen = _held(result, preselected_forms())
    if result.by_part and chosen:
        tables += [table_by_part(result, row, chosen) for row in rows]
    return document_of(result, rows, forms, tables)


def papers_rows(result: Result) -> list[str]:
    """The rows that papers print: predictions, and the annotators put together in one way."""
    human = f"{HUMAN}|workers:{WORKERS.preselected}"
    return [name for name in result.rows if name == human or not is_human(name)]


def full_document(result: Result) -> Document:
    """Every number of a result: a line for each short form, a column for each row name."""
    rows, forms = list(result.rows), _held(result, short_signatures())
    tables = [_table_by_form(result, rows, group) for group in _by_measure(forms)]
    for row in result.by_part:
        of_parts = list(result.by_part[row].values())
        by_part = [form for form in short_signatures() if form.short in of_parts[0]]
        tables += [_parts_by_form(result, row, group) for group in _by_measure(by_part)]
    return document_of(result, rows, forms, tables)


def spread_document(spread: Spread) -> Document:
    """The annotators' spread of every part under every sigma."""
    unit, decimals = SPREAD_UNITS[spread.context.get("relative-to", "none")]
    header: list[tuple[str, ...]] = [("part",), ("clicks",), ("pairs",)]
    columns = [
        list(spread.parts),
        [str(each) for each in spread.clicks.tolist()],
        [str(each) for each in spread.pairs.tolist()],
    ]
    for name, values in spread.sigma.items():
        for axis, column in zip(AXES, values.T.tolist(), strict=False):
            header.append((name, axis) if values.shape[1] > 1 else (name,))
            columns.append([rounded(each, decimals) for each in column])
    notes: list[Note] = [
        (f"In {unit}; u is the horizontal axis and v the vertical one of a unit per axis.",)
    ]
    context = "|".join(_context(spread.context))
    rows = tuple(zip(*columns, strict=True))
    caption = (*notes, ("Context: ", context, "."))
    table = Table("σ, the annotators' spread", tuple(header), rows, tuple(notes), caption)
    return Document(context, (table,), () if unit == "pixels" else _oks_notes(spread))


def _oks_notes(spread: Spread) -> tuple[Note, ...]:
    """The rms-median of every part as Python code."""
    values = spread.sigma["rms-median"][:, 0].tolist()
    written = [format(each, ".6g") if math.isfinite(each) else "numpy.nan" for each in values]
    return (
        ("rms-median in this order, for ", "kpt_oks_sigmas", " of pycocotools, which doubles it:"),
        ("", f"numpy.array([{', '.join(written)}])"),
    )


def document_of(
    result: Result, rows: Sequence[str], forms: Sequence[Signature], tables: Iterable[Table]
) -> Document:
    """Tables with the context of their result, and how both make full signatures."""
    context = _context(result.context)
    notes: list[Note] = [
        ("A full signature is the short form, the first line, and the h given below its table.",)
    ]
    notes += _differences(result, rows, forms, context)
    return Document("|".join(context), tuple(tables), tuple(notes))


def table_by_row(result: Result, rows: Sequence[str], forms: Sequence[Signature]) -> Table:
    """Some rows of a result, a column for each form; the title names a sigma that all share."""
    shared = len({form.values.get("sigma") for form in forms}) == 1
    sigma = forms[0].values.get("sigma") if shared else None
    headings = [_heading(form) if shared else tuple(form.short.split("|")) for form in forms]
    return Table(
        title=f"sigma:{sigma}, {SIGMA.meaning(sigma)}" if sigma else listed(_measure_ids(forms)),
        header=(("",), *headings),
        rows=tuple((row, *_cells(forms, result.rows[row])) for row in rows),
        notes=(
            _reading(forms[0], sigma),
            *_digest_notes(result, rows, forms, "column"),
            _units(forms),
        ),
        caption=_caption_by_column(result, rows, forms, "Full signatures"),
    )


def _table_by_form(result: Result, rows: Sequence[str], forms: Sequence[Signature]) -> Table:
    measure = forms[0].measure
    cells = [_cells(forms, result.rows[row]) for row in rows]
    return Table(
        title=f"{measure.id}: {measure.title}",
        # The annotators' rows are named as a signature's fields are.
        header=(("",), *(tuple(row.split("|")) if is_human(row) else (row,) for row in rows)),
        rows=tuple(zip([form.short for form in forms], *cells, strict=True)),
        notes=(*_digest_notes(result, rows, forms, "line"), _units(forms)),
        caption=_caption_by_line(result, rows, forms),
    )


def table_by_part(result: Result, row: str, forms: Sequence[Signature]) -> Table:
    """The parts of one row of a result, a column for each form."""
    sigma = next((form.values["sigma"] for form in forms if "sigma" in form.values), None)
    by_part = result.by_part[row]
    lines = [(part, *_cells(forms, values)) for part, values in by_part.items()]
    return Table(
        title=f"{row}, by part" + (f", sigma:{sigma}" if sigma else ""),
        header=(("part",), *map(_heading, forms)),
        rows=(*lines, ("all parts", *_cells(forms, result.rows[row]))),
        notes=(_reading(forms[0], sigma), _units(forms)),
        caption=_caption_by_column(result, [row], forms, "Full signatures of all parts"),
    )


def _parts_by_form(result: Result, row: str, forms: Sequence[Signature]) -> Table:
    by_part = result.by_part[row]
    cells = [_cells(forms, values) for values in by_part.values()]
    return Table(
        title=f"{row}, by part: {forms[0].measure.id}",
        header=(("",), *((part,) for part in by_part)),
        rows=tuple(zip([form.short for form in forms], *cells, strict=True)),
        notes=(_units(forms),),
        caption=(_units(forms),),
    )


def _held(result: Result, forms: Iterable[Signature]) -> list[Signature]:
    """Those of the forms that every row of the result holds."""
    return [form for form in forms if all(form.short in row for row in result.rows.values())]


def _by_measure(forms: Iterable[Signature]) -> list[list[Signature]]:
    return [list(group) for _, group in groupby(forms, lambda form: form.measure.id)]


def _measure_ids(forms: Iterable[Signature]) -> list[str]:
    return list(dict.fromkeys(form.measure.id for form in forms))


def _cells(forms: Iterable[Signature], values: dict[str, float]) -> list[str]:
    return [rounded(values[form.short], DECIMALS[form.measure.unit]) for form in forms]


def rounded(value: float, decimals: int) -> str:
    """A value as tables print it."""
    return format(value, f".{decimals}f") if math.isfinite(value) else UNDEFINED


def _heading(form: Signature) -> tuple[str, ...]:
    """A short form without its sigma, which the title states."""
    keys = [f"{key}:{value}" for key, value in form.values.items() if key != "sigma"]
    return (form.measure.id, *keys)


def _reading(form: Signature, sigma: str | None) -> Note:
    if sigma is None or "sigma" not in form.values:
        return ("Read a heading downwards: ", form.short, ".")
    field = f"sigma:{sigma}"
    return ("Read a heading downwards, with ", field, " after the measure: ", form.short, ".")


def _columns(forms: Sequence[Signature], digests: Sequence[str]) -> Note:
    named = [f"{form.short}|h:{digest}" for form, digest in zip(forms, digests, strict=True)]
    parts = [text for each in named for text in (", ", each)]
    return ("Columns: ", *parts[1:], ".")


def _units(forms: Iterable[Signature]) -> Note:
    named: dict[tuple[str, str], list[Measure]] = {}
    for form in forms:
        same = named.setdefault((form.measure.unit, form.measure.better), [])
        if form.measure not in same:
            same.append(form.measure)
    said = []
    for (unit, better), found in named.items():
        wish = f", {better} is better" if better in ("higher", "lower") else ""
        said.append(f"{listed([each.id for each in found])} in {unit}{wish}")
    return ("; ".join(said) + ".",)


def listed(words: Sequence[str]) -> str:
    """Words as prose lists them: a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _context(context: dict[str, Any]) -> list[str]:
    fields = {**context, "v": version("cubspec")}
    return [f"{key}:{value}" for key, value in fields.items()]


def _added(result: Result, row: str, form: Signature) -> list[str]:
    """What the full signature of a number adds to its short form, apart from its h."""
    fields = result.signatures[row][form.short].split("|")[1 + len(form.values) :]
    return [field for field in fields if not field.startswith("h:")]


def _digests(
    result: Result, rows: Iterable[str], forms: Iterable[Signature]
) -> dict[tuple[str, ...], list[str]]:
    """The rows of each sequence of h, form by form; that of predictions first."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in sorted(rows, key=is_human):
        full = result.signatures[row]
        own = tuple(full[form.short].rpartition("|h:")[2] for form in forms)
        alike.setdefault(own, []).append(row)
    return alike


def _digest_notes(
    result: Result, rows: Iterable[str], forms: Sequence[Signature], each: str
) -> list[Note]:
    """The h of every number of a table; `each` is "column" or "line", whatever holds a form."""
    (first, _), *others = _digests(result, rows, forms).items()
    digests = {"": first, **{f"{listed(same)}: ": own for own, same in others}}
    return [
        (f"{subject}h, {each} by {each}: ", " ".join(own), ".") for subject, own in digests.items()
    ]


def _caption_by_column(
    result: Result, rows: Sequence[str], forms: Sequence[Signature], opening: str
) -> tuple[Note, ...]:
    """The full signatures of a table whose columns are forms."""
    columns = _columns(forms, next(iter(_digests(result, rows, forms))))
    _, *digests = _digest_notes(result, rows, forms, "column")
    common = _common(result, rows, forms)
    context: Note = (f"{opening}: these, then ", "|".join(common), ".")
    differences = _differences(result, rows, forms, common)
    return (columns, context, *differences, *digests, _units(forms))


def _caption_by_line(
    result: Result, rows: Sequence[str], forms: Sequence[Signature]
) -> tuple[Note, ...]:
    """The full signatures of a table whose lines are forms."""
    common = _common(result, rows, forms)
    context: Note = ("Full signatures: the short form, then ", "|".join(common), ", then h.")
    differences = _differences(result, rows, forms, common)
    digests = _digest_notes(result, rows, forms, "line")
    return (context, *differences, *digests, _units(forms))


def _common(result: Result, rows: Iterable[str], forms: Sequence[Signature]) -> list[str]:
    """What all full signatures add to their short forms, apart from h."""
    every = [_added(result, row, form) for row in rows for form in forms]
    return [field for field in every[0] if all(field in each for each in every)]


def _differences(
    result: Result, rows: Sequence[str], forms: Sequence[Signature], base: Sequence[str]
) -> list[Note]:
    """How the contexts of full signatures differ from a base, rows that differ alike together."""
    alike: dict[Note, list[str]] = {}
    for row in rows:
        alike.setdefault(_difference(result, row, forms, base), []).append(row)
    return [(f"{listed(same)}: {said[0]}", *said[1:]) for said, same in alike.items() if said]


def _difference(result: Result, row: str, forms: Sequence[Signature], base: Sequence[str]) -> Note:
    changes: dict[tuple[str, str], list[Signature]] = {}
    for form in forms:
        fields = _added(result, row, form)
        more = "|".join(field for field in fields if field not in base)
        less = listed([field.partition(":")[0] for field in base if field not in fields])
        changes.setdefault((more, less), []).append(form)
    said: list[str] = []
    for (more, less), same in changes.items():
        which = "" if len(same) == len(forms) else f"{listed(_measure_ids(same))} "
        words = [f"{which}with ", more] if more else []
        if less:
            words += [" and without " if more else f"{which}without ", less]
        if said and words:
            words[0] = f"; {words[0]}"
        said += words
    return (*said, ".") if said else ()


def one_line(text: str) -> str:
    r"""The text with everything that does not print, such as a line feed, written as `\n` is."""
    return "".join(
        each if each.isprintable() or unicodedata.category(each) == "Zs" else _escaped(each)
        for each in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def as_text(document: Document) -> str:
    """A document as plain text, as wide as its tables are."""
    tables = [
        "\n".join([_text_table(table), *notes])
        for table, notes in zip(document.tables, _said_once(document.tables), strict=True)
    ]
    notes = "\n".join(map(_prose, document.notes))
    return "\n\n".join(filter(None, [document.context, *tables, notes])) + "\n"


def _said_once(tables: Iterable[Table]) -> Iterator[list[str]]:
    """The notes of each table that no table before it has."""
    said: set[str] = set()
    for table in tables:
        notes = [note for note in map(_prose, table.notes) if note not in said]
        said.update(notes)
        yield notes


def _text_table(table: Table) -> str:
    headings = _headings(table.header)
    height = len(headings[0])
    columns = [
        [*heading, *map(one_line, cells)]
        for heading, cells in zip(headings, zip(*table.rows, strict=True), strict=True)
    ]
    widths = list(map(_widest, columns))
    for column, width in zip(columns, widths, strict=True):
        column.insert(height, "-" * width)
    lines = [
        "  ".join(
            _padded(cell, width, right=index >= table.words)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in zip(*columns, strict=True)
    ]
    return "\n".join([one_line(table.title), *lines])


def _headings(header: Iterable[tuple[str, ...]]) -> list[list[str]]:
    """The lines of every heading, blank ones added so that all have as many."""
    lines = zip_longest(*header, fillvalue="")
    return [list(map(one_line, heading)) for heading in zip(*lines, strict=True)]


def _padded(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def cell_width(text: str) -> int:
    """How many cells of a terminal the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _prose(note: Note) -> str:
    return one_line("".join(note))


def print_document(document: Document, console: Console) -> None:
    """Print a document on a terminal, a table that is too wide in blocks of columns."""
    from rich.text import Text

    room = console.width
    console.print(Text(document.context, style="dim"), soft_wrap=True)
    for table, notes in zip(document.tables, _said_once(document.tables), strict=True):
        console.print()
        console.print(Text(one_line(table.title), style="bold"))
        for index, (grid, width) in enumerate(_grids(table, room)):
            if index:
                console.print()
            # Rich would cut digits off to fit a terminal narrower than one column.
            console.width = max(width, room)
            console.print(grid)
            console.width = room
        for note in notes:
            console.print(Text(note, style="dim"))
    if document.notes:
        console.print()
    for each in document.notes:
        console.print(Text(_prose(each), style="dim"))


def _grids(table: Table, room: int) -> Iterator[tuple[rich.table.Table, int]]:
    """The blocks of a table for a terminal of that many cells, each with its width."""
    cells = [list(map(one_line, column)) for column in zip(*table.rows, strict=True)]
    widths = [
        max(_widest(column), min(_widest(map(one_line, heading)), WIDEST_HEADING))
        for heading, column in zip(table.header, cells, strict=True)
    ]
    # Columns of words share the room, the narrow ones first, so that the wide ones get the rest.
    left = room - widths[0] - GAP * (table.words - 1)
    narrow_first = sorted(range(1, table.words), key=widths.__getitem__)
    for number, each in enumerate(narrow_first, start=1):
        widths[each] = min(widths[each], max(WIDEST_HEADING, left // (table.words - number)))
        left -= widths[each]
    widths[0] = min(widths[0], max(NARROWEST_LABEL, room - GAP - max(widths[1:])))
    measures = [heading[0] for heading in table.header]
    gap, blocks = min(
        ((gap, _blocks(measures, widths, gap, room)) for gap in (GAP, 1)),
        key=lambda chosen: len(chosen[1]),
    )
    for block in blocks:
        headings = _headings([table.header[each] for each in block])
        columns = [(cells[each], widths[each]) for each in block]
        words = sum(each < table.words for each in block)
        yield _grid(headings, columns, gap, words), _total(widths, block, gap)


def _blocks(measures: Sequence[str], widths: Sequence[int], gap: int, room: int) -> list[list[int]]:
    """The positions of the columns that stand side by side, the first column in every block.

    Columns under one measure stay together where they can.
    """
    blocks = [[0]]
    for _, group in groupby(range(1, len(widths)), lambda each: measures[each]):
        same = list(group)
        together = _total(widths, [0, *same], gap) <= room
        for piece in [same] if together else [[each] for each in same]:
            if blocks[-1] != [0] and _total(widths, blocks[-1] + piece, gap) > room:
                blocks.append([0])
            blocks[-1] += piece
    return blocks


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_width, texts))


def _total(widths: Sequence[int], columns: Sequence[int], gap: int) -> int:
    return sum(widths[each] for each in columns) + gap * (len(columns) - 1)


def _grid(
    headings: Sequence[list[str]], columns: Sequence[tuple[list[str], int]], gap: int, words: int
) -> rich.table.Table:
    """A block of a table, from the heading of each column and its cells and width."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0)
    for index, (heading, (_, width)) in enumerate(zip(headings, columns, strict=True)):
        text = Text("\n".join(heading))
        if index:
            # The box itself sets columns one cell apart.
            justify: Literal["left", "right"] = "left" if index < words else "right"
            grid.add_column(text, justify=justify, overflow="fold", width=width + gap - 1)
        else:
            grid.add_column(text, overflow="fold", width=width)
    for line in zip(*(cells for cells, _ in columns), strict=True):
        grid.add_row(*map(Text, line))
    return grid


def as_markdown(document: Document) -> str:
    """A document as Markdown: tables of GitHub's kind, each with a caption of its own."""
    return "\n".join(map(_markdown_table, document.tables))


def _markdown_table(table: Table) -> str:
    heading = [_markdown("|".join(lines)) for lines in table.header]
    rule = [":--" if each < table.words else "--:" for each in range(len(heading))]
    lines = [heading, rule, *(list(map(_markdown, row)) for row in table.rows)]
    caption = " ".join(_typeset(note, _markdown, "`{}`".format) for note in table.caption)
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{_markdown(table.title)}**\n\n{grid}\n\n{caption}\n"


def _markdown(text: str) -> str:
    entities = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"[\\`*_\[\]|~]", r"\\\g<0>", entities)


def _typeset(note: Note, prose: Callable[[str], str], code: Callable[[str], str]) -> str:
    return "".join(code(each) if index % 2 else prose(each) for index, each in enumerate(note))


def as_latex(document: Document) -> str:
    """A document as LaTeX that needs no package: a table environment for each table."""
    return "\n".join(map(_latex_table, document.tables))


def _latex_table(table: Table) -> str:
    heading = zip_longest(*table.header, fillvalue="")
    caption = " ".join(_typeset(note, _latex, _latex_code) for note in table.caption)
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(table.title)}. {caption}}}",
            rf"\begin{{tabular}}{{{_latex_columns(table)}}}",
            r"\hline",
            *map(_latex_row, heading),
            r"\hline",
            *map(_latex_row, table.rows),
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_columns(table: Table) -> str:
    words = rf"p{{{0.8 / max(table.words - 1, 1):.2f}\linewidth}}" * (table.words - 1)
    return "l" + words + "r" * (len(table.header) - table.words)


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(text: str) -> str:
    return latex_text(one_line(text))


def _latex_code(text: str) -> str:
    return latex_code(one_line(text))


def score_json(result: Result, **more: Any) -> str:
    """A result as JSON: every value unrounded under its short form, null where undefined.

    Parameters
    ----------
    result : Result
    more : further entries, ready for JSON
    """
    content = {
        "cubspec": version("cubspec"),
        "context": result.context,
        "sigma": _sigma_by_part(result.sigma, result.parts),
        "rows": {row: _finite(values) for row, values in result.rows.items()},
        "signatures": result.signatures,
        "predictions": result.predictions,
    }
    if result.by_part:
        content["parts"] = {
            row: {part: _finite(values) for part, values in by_part.items()}
            for row, by_part in result.by_part.items()
        }
    return json_text({**content, **more})


def spread_json(spread: Spread) -> str:
    """The annotators' spread as JSON: unrounded, null where undefined."""
    return json_text(
        {
            "cubspec": version("cubspec"),
            "context": spread.context,
            "sigma": _sigma_by_part(spread.sigma, spread.parts),
            "clicks": dict(zip(spread.parts, spread.clicks.tolist(), strict=True)),
            "pairs": dict(zip(spread.parts, spread.pairs.tolist(), strict=True)),
        }
    )


def _sigma_by_part(
    sigma: dict[str, Floats], parts: Sequence[str]
) -> dict[str, dict[str, list[float | None]]]:
    return {
        name: {
            part: list(map(_number, row)) for part, row in zip(parts, values.tolist(), strict=True)
        }
        for name, values in sigma.items()
    }


def _finite(values: dict[str, float]) -> dict[str, float | None]:
    return {short: _number(value) for short, value in values.items()}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def json_text(content: dict[str, Any]) -> str:
    """JSON as every command writes it."""
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def score_csv(result: Result, **more: str) -> str:
    """A result as CSV: a line for each value, unrounded; of a row's parts after the row itself.

    Parameters
    ----------
    result : Result
    more : further columns, the same on every line
    """
    lines: list[Sequence[object]] = [("row", "part", "short", "value", "signature", *more)]
    end = tuple(more.values())
    for row, values in result.rows.items():
        for short, value in values.items():
            lines.append((row, "", short, _number(value), result.signatures[row][short], *end))
        for part, own in result.by_part.get(row, {}).items():
            lines += [(row, part, short, _number(value), "", *end) for short, value in own.items()]
    return csv_text(lines)


def spread_csv(spread: Spread) -> str:
    """The annotators' spread as CSV: a line for each part, sigma and axis, unrounded."""
    lines: list[Sequence[object]] = [("part", "sigma", "axis", "value", "clicks", "pairs")]
    counts = list(zip(spread.clicks.tolist(), spread.pairs.tolist(), strict=True))
    for name, values in spread.sigma.items():
        axes = AXES if values.shape[1] > 1 else ("",)
        for part, row, count in zip(spread.parts, values.tolist(), counts, strict=True):
            for axis, value in zip(axes, row, strict=True):
                lines.append((part, name, axis, _number(value), *count))
    return csv_text(lines)


def csv_text(lines: Iterable[Sequence[object]]) -> str:
    """CSV as every command writes it; None is an empty field."""
    return "".join(map(_csv_line, lines))


def _csv_line(cells: Sequence[object]) -> str:
    # Before Python 3.13 only what may end a line is quoted: a line is first ended with CR and LF
    # so that a cell with either is.
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"
