"""The tables of the page birds/example, as values that a notebook shows.

Their columns are those that were published with the birds' figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from cubspec.choices import Signature
from cubspec.example import HUMAN_ROW, LOCALIZERS, Example, example_forms
from cubspec.measures.pcp import REF
from cubspec.tables import DECIMALS

ROWS = {"Human": HUMAN_ROW, **{name: name for name in LOCALIZERS}}
OUTCOMES = {True: "holds", False: "does not hold", None: "not claimed"}


@dataclass(frozen=True)
class HtmlTable:
    """A table for a notebook.

    Attributes
    ----------
    caption : one line, plain text
    head : of each column, plain text
    rows : of each row its cells, plain text; the first one is the row's heading
    numbers : whether every cell but the headings is a number
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: bool

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{_breakable(cell)}</th>' for cell in self.head)
        body = "".join(
            f'<tr><th scope="row">{escape(first, quote=False)}</th>'
            + "".join(f"<td>{escape(cell, quote=False)}</td>" for cell in rest)
            + "</tr>"
            for first, *rest in self.rows
        )
        # The theme styles tables without a class only.
        kind = "numbers" if self.numbers else "words"
        return (
            f'<div class="{kind}"><table><caption>{escape(self.caption, quote=False)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def reference_table(made: Example, row: str) -> HtmlTable:
    """PCP of a row under each reference."""
    scores = made.result.rows[row]
    return _table(
        f"PCP of {row} in %, by the reference",
        ("ref", "what counts", "PCP"),
        (
            (value.name, value.meaning, f"{scores[f'PCP|sigma:sd-mean|ref:{value.name}']:.2f}")
            for value in REF.values
        ),
    )


def part_table(made: Example) -> HtmlTable:
    """The figures of each part."""
    columns = {
        "truth_visible": (made.parts.truth_visible, 3),
        "sd_mean_over_simulated": (made.parts.sd_mean_over_simulated, 4),
        "sd_mean_px": (made.parts.sd_mean, 2),
        "dist_median_px": (made.parts.dist_median, 2),
        "simulated_visible": (made.parts.simulated_visible, 3),
    }
    cells = [[f"{each:.{decimals}f}" for each in values] for values, decimals in columns.values()]
    rows = zip(made.result.parts, *cells, strict=True)
    return _table("Figures of each part", ("part", *columns), rows, numbers=True)


def rate_table(made: Example) -> HtmlTable:
    """How often each row is wrong about visibility."""
    columns = {
        form: form for form in example_forms() if "sigma" not in Signature.parse(form).values
    }
    return _scores(made, "Rates of wrong visibility, in %", columns)


def score_table(made: Example, sigma: str) -> HtmlTable:
    """The scores of each row in units of a sigma; the columns leave out sigma and avg."""
    unit = f"|sigma:{sigma}"
    columns = {
        form: form.replace(unit, "").removesuffix("|avg:micro")
        for form in example_forms()
        if Signature.parse(form).values.get("sigma") == sigma
    }
    return _scores(made, f"Scores with sigma:{sigma} and avg:micro", columns)


def outcome_table(made: Example, kind: str) -> HtmlTable:
    """What was measured for each check or each hypothesis, and whether it holds."""
    return _table(
        {"check": "Checks", "hypothesis": "Hypotheses"}[kind],
        ("no.", "what should hold", "measured", "outcome"),
        (
            (str(each.number), each.statement, each.measured, OUTCOMES[each.holds])
            for each in made.checks
            if each.kind == kind
        ),
    )


def printed(made: Example, row: str, form: str) -> str:
    """A number as the tables print it."""
    decimals = DECIMALS[Signature.parse(form).measure.unit]
    return f"{made.result.rows[ROWS[row]][form]:.{decimals}f}"


def _scores(made: Example, caption: str, columns: dict[str, str]) -> HtmlTable:
    rows = ((row, *(printed(made, row, form) for form in columns)) for row in ROWS)
    return _table(caption, ("row", *columns.values()), rows, numbers=True)


def _table(
    caption: str, head: Iterable[str], rows: Iterable[Iterable[str]], *, numbers: bool = False
) -> HtmlTable:
    return HtmlTable(caption, tuple(head), tuple(tuple(row) for row in rows), numbers)


def _breakable(text: str) -> str:
    """Text that may break inside of a name, as the columns of a phone need it."""
    return re.sub(r"(?<=\w)([|:_-])(?=\w)", r"\1<wbr>", escape(text, quote=False))
