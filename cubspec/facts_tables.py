"""How a copy of the dataset compares with the facts, as tables, CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from typing import Any

from cubspec.facts import Check, Fact, Measurement, Report, Skipped
from cubspec.facts_figures import Value
from cubspec.tables import UNDEFINED, Document, Note, Table, csv_text, json_text

RESULTS = {True: "ok", False: "FAILED"}
DIGITS = 8
"""How many digits of a digest a table shows; a signature shows as many."""


def facts_document(report: Report, *, brief: bool = True) -> Document:
    """The summary, what failed, every check, what was measured, and what was skipped.

    Parameters
    ----------
    report : Report
    brief : whether sources stand in the tables in few words, and in full below them
    """
    groups = groupby(report.checks, lambda check: check.fact.group)
    tables = [
        _summary_table(report),
        *([_failed_table(report.failed, brief)] if report.failed else []),
        *(_checks_table(title, list(checks), brief) for title, checks in groups),
        *([_measured_table(report.measurements)] if report.measurements else []),
        *([_skipped_table(report.skipped)] if report.skipped else []),
    ]
    copy = (f"{report.release.name}, {_images(report)}, judged by cubspec {version('cubspec')}.",)
    captioned = (replace(table, caption=(copy, *table.caption)) for table in tables)
    context = f"release:{report.release.name}|n:{report.images}|v:{version('cubspec')}"
    return Document(context, tuple(captioned), _legend(report.checks) if brief else ())


def _images(report: Report) -> str:
    return f"{report.images:,} image{'' if report.images == 1 else 's'}"


def _summary_table(report: Report) -> Table:
    about: Note = (report.release.about,)
    rows = (
        ("release", report.release.name),
        ("images", _cell(report.images)),
        ("checks passed", _cell(len(report.checks) - len(report.failed))),
        ("checks failed", _cell(len(report.failed))),
        ("figures measured, not judged", _cell(len(report.measurements))),
        ("facts skipped", _cell(len(report.skipped))),
    )
    return Table("Summary", (("",), ("found",)), rows, (about,), (about,))


def _failed_table(failed: Sequence[Check], brief: bool) -> Table:
    rows = tuple((check.fact.what, *_values(check), _source(check.fact, brief)) for check in failed)
    notes = _firsts(failed)
    header = (("",), ("expected",), ("found",), ("source",))
    caption = (*notes, *_legend(failed)) if brief else notes
    return Table("Failed checks", header, rows, notes, caption)


def _checks_table(title: str, checks: Sequence[Check], brief: bool) -> Table:
    rows = tuple(
        (check.fact.what, *_values(check), RESULTS[check.passed], _source(check.fact, brief))
        for check in checks
    )
    header = (("",), ("expected",), ("found",), ("",), ("source",))
    return Table(title, header, rows, caption=_legend(checks) if brief else ())


def _measured_table(measurements: Sequence[Measurement]) -> Table:
    rows = tuple((each.fact.what, _cell(each.value, each.fact.decimals)) for each in measurements)
    notes = _firsts(measurements)
    return Table("Measured, not judged", (("",), ("found",)), rows, notes, notes)


def _skipped_table(skipped: Iterable[Skipped]) -> Table:
    reasons = Counter(each.why for each in skipped)
    rows = tuple((why, str(count)) for why, count in reasons.items())
    note: Note = ("With ", "--format json", " or ", "csv", ", every fact skipped is named.")
    return Table("Skipped", (("why",), ("facts",)), rows, (note,), (note,))


def _firsts(found: Iterable[Check | Measurement]) -> tuple[Note, ...]:
    return tuple((f"First of the {each.fact.what}: {each.first}.",) for each in found if each.first)


def _source(fact: Fact, brief: bool) -> str:
    return fact.source.short if brief else fact.source.full


def _legend(checks: Iterable[Check]) -> tuple[Note, ...]:
    """What the few words for each source stand for."""
    full: dict[str, list[str]] = {}
    for source in dict.fromkeys(check.fact.source for check in checks):
        full.setdefault(source.short, []).append(source.full)
    return tuple((f"{short}: {'; '.join(names)}.",) for short, names in full.items())


def _values(check: Check) -> tuple[str, str]:
    decimals = check.fact.decimals
    return _cell(check.fact.expected, decimals), _cell(check.found, decimals)


def _cell(value: Value, decimals: int = 0) -> str:
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        return value[:DIGITS]
    return f"{value:,.{decimals}f}" if isinstance(value, float) else f"{value:,}"


def facts_json(report: Report) -> str:
    """The report as JSON: every figure unrounded, every source in full."""
    return json_text(
        {
            "cubspec": version("cubspec"),
            "release": report.release.name,
            "about": report.release.about,
            "images": report.images,
            "checks": [_check_entry(check) for check in report.checks],
            "measurements": [_measurement_entry(each) for each in report.measurements],
            "skipped": [
                {"id": each.fact.id, "what": each.fact.what, "why": each.why}
                for each in report.skipped
            ],
        }
    )


def _check_entry(check: Check) -> dict[str, Any]:
    return {
        "id": check.fact.id,
        "what": check.fact.what,
        "expected": check.fact.expected,
        "found": check.found,
        "passed": check.passed,
        "source": check.fact.source.full,
        "file": check.fact.file,
        "first": check.first,
    }


def _measurement_entry(each: Measurement) -> dict[str, Any]:
    return {
        "id": each.fact.id,
        "what": each.fact.what,
        "value": each.value,
        "file": each.fact.file,
        "first": each.first,
    }


def facts_csv(report: Report) -> str:
    """The report as CSV: a line for each check, measurement and fact that was skipped."""
    header = ("kind", "id", "what", "expected", "found", "passed", "source", "file", "note")
    lines: list[Sequence[object]] = [header]
    lines += [
        (*_start("check", check.fact), check.fact.expected, check.found, *_outcome(check))
        for check in report.checks
    ]
    lines += [
        (
            *_start("measurement", each.fact),
            None,
            each.value,
            None,
            None,
            each.fact.file,
            each.first,
        )
        for each in report.measurements
    ]
    lines += [
        (*_start("skipped", each.fact), None, None, None, None, each.fact.file, each.why)
        for each in report.skipped
    ]
    return csv_text(lines)


def _start(kind: str, fact: Fact) -> tuple[str, str, str]:
    return kind, fact.id, fact.what


def _outcome(check: Check) -> tuple[str, str, str, str | None]:
    passed = "true" if check.passed else "false"
    return passed, check.fact.source.full, check.fact.file, check.first
