"""The synthetic birds' figures, scores and checks as tables and as JSON."""

from __future__ import annotations

from dataclasses import asdict, replace

from cubspec.choices import Signature
from cubspec.data import PARTS
from cubspec.example import HUMAN_ROW, LOCALIZERS, SIGMAS, Check, Example, example_forms
from cubspec.tables import (
    Document,
    Table,
    document_of,
    full_document,
    preselected_forms,
    rounded,
    score_json,
    table_by_part,
    table_by_row,
)

ROWS = (HUMAN_ROW, *LOCALIZERS)
OUTCOMES = {True: "holds", False: "FAILS", None: "as measured"}


def example_document(made: Example, *, everything: bool = False) -> Document:
    """The tables of the example: parts, rates, scores, checks.

    Parameters
    ----------
    made : Example
    everything : whether to show every short form in place of those whose figures are published
    """
    result = made.result
    forms = [Signature.parse(text) for text in example_forms()]
    if everything:
        document = full_document(result)
        return replace(
            document, tables=(parts_table(made), *document.tables, checks_table(made.checks))
        )
    groups = [[form for form in forms if form.values.get("sigma") == s] for s in (None, *SIGMAS)]
    tables = [parts_table(made), *(table_by_row(result, ROWS, group) for group in groups)]
    if result.by_part:
        tables += [table_by_part(result, row, preselected_forms()) for row in ROWS]
    return document_of(result, ROWS, forms, [*tables, checks_table(made.checks)])


def parts_table(made: Example) -> Table:
    """The figures of each part."""
    parts = made.parts
    columns = [
        (parts.truth_visible, 3),
        (parts.sd_mean_over_simulated, 4),
        (parts.sd_mean, 2),
        (parts.dist_median, 2),
        (parts.simulated_visible, 3),
    ]
    cells = [[rounded(value, decimals) for value in column] for column, decimals in columns]
    note = (
        "Visible: the share of birds on which the part is visible in the ground truth, and in the "
        "simulation. Both sigmas in pixels; over drawn: sd-mean over the spread that the clicks "
        "were drawn with.",
    )
    return Table(
        title="Parts",
        header=(
            ("part",),
            ("visible", "truth"),
            ("sd-mean", "over drawn"),
            ("sd-mean",),
            ("dist-median",),
            ("visible", "simulated"),
        ),
        rows=tuple(zip(PARTS, *cells, strict=True)),
        notes=(note,),
        caption=(note,),
    )


def checks_table(checks: tuple[Check, ...]) -> Table:
    """Every check and hypothesis, with what was measured and whether it holds."""
    note = ("As measured: claimed of 2,000 birds and seed 0 only.",)
    return Table(
        title="Checks and hypotheses",
        header=(("",), ("outcome",), ("measured",), ("statement",)),
        words=4,
        rows=tuple(
            (f"{each.kind} {each.number}", OUTCOMES[each.holds], each.measured, each.statement)
            for each in checks
        ),
        notes=(note,),
        caption=(note,),
    )


def example_json(made: Example) -> str:
    """The result as JSON, with the checks."""
    return score_json(made.result, checks=[asdict(check) for check in made.checks])
