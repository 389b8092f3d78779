"""The lock holds every digest, and what was released stays in it."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from cubspec import lock
from cubspec.choices import context_choices, short_signatures
from cubspec.data import InputError
from cubspec.digests import installed_digests
from cubspec.lock import Line, history, installed_lock, outdated, parse_lock, renewed, written_lock

FILE = Path(lock.__file__).with_name("definitions.lock")
A, B, C = ("a" * 64, "b" * 64, "c" * 64)
DEV, TODAY = "2.0.0.dev0", "2027-03-04"


def line(version: str, name: str, digest: str, note: str = "First.") -> Line:
    return Line(version, name, digest, "2026-11-30", note)


def test_the_lock_is_up_to_date() -> None:
    found = outdated(installed_lock(), installed_digests(), version("cubspec"))
    assert found == [], 'run: python -m cubspec.lock --note "what changed"'


def test_the_lock_names_every_definition() -> None:
    names = {each.name for each in installed_lock()}
    assert names >= {form.short for form in short_signatures()}
    assert names >= {f"{k}:{v}" for k in ("truth", "workers") for v in context_choices()[k].names}


def test_the_file_is_as_it_is_written() -> None:
    assert written_lock(installed_lock()) == FILE.read_text("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "1.0.0 PCP",
        f"1.0.0 PCP {A} 2026-11-30",
        f"1.0.0 PCP {A[:-1]} 2026-11-30 note",
        f"1.0.0 PCP {A} yesterday note",
        "",
    ],
)
def test_a_line_that_says_something_else(text: str) -> None:
    with pytest.raises(InputError, match=r"^x:2: expected version, definition, digest, date and"):
        parse_lock(f"# heading\n{text}\n", "x")


def test_written_lines_read_back() -> None:
    lines = (line("1.0.0", "PCP|ref:any", A, "First, with a comma."), line(DEV, "truth:given", B))
    assert parse_lock(written_lock(lines)) == lines


def test_history_begins_with_the_newest() -> None:
    lines = [line("1.0.0", "x", A), line("1.0.0", "y", B), line("1.1.0", "x", C)]
    assert [each.digest for each in history("x", lines)] == [C, A]
    assert history("z", lines) == []


def test_what_is_outdated() -> None:
    lines = [line("1.0.0", "x", A), line("1.1.0", "x", B), line("1.0.0", "gone", C)]
    assert outdated(lines, {"x": B}, DEV) == []
    assert outdated(lines, {"x": A}, DEV) == [f"x has the digest {A}, its newest line {B}."]
    assert outdated(lines, {"x": B, "y": A}, DEV) == ["y has no line."]
    old = [line("1.9.0.dev0", "x", A)]
    assert outdated(old, {"x": A}, DEV) == ["x has a line of 1.9.0.dev0, which is not released."]
    assert outdated([line(DEV, "gone", A)], {}, DEV) == [
        f"gone has a line of {DEV}, which is not released."
    ]


def test_a_new_definition_gets_a_line() -> None:
    kept = line("1.0.0", "x", A)
    assert renewed([kept], {"x": A, "y": B}, DEV, TODAY, " New. ") == (
        kept,
        Line(DEV, "y", B, TODAY, "New."),
    )


def test_a_changed_definition_gets_a_line_beside_the_released_one() -> None:
    kept = line("1.0.0", "x", A)
    assert renewed([kept], {"x": B}, DEV, TODAY, "Changed.") == (
        kept,
        Line(DEV, "x", B, TODAY, "Changed."),
    )


def test_an_unreleased_line_is_replaced() -> None:
    lines = [line("1.0.0", "x", A), line(DEV, "x", B), line(DEV, "y", B)]
    assert renewed(lines, {"x": C, "y": B}, DEV, TODAY, "Again.") == (
        lines[0],
        Line(DEV, "x", C, TODAY, "Again."),
        lines[2],
    )


def test_a_change_taken_back_leaves_no_line() -> None:
    lines = [line("1.0.0", "x", A), line(DEV, "x", B), line(DEV, "gone", B)]
    assert renewed(lines, {"x": A}, DEV, TODAY, None) == (lines[0],)


def test_a_release_takes_over_the_unreleased_lines() -> None:
    lines = [line("1.0.0", "x", A), line(DEV, "x", B)]
    assert renewed(lines, {"x": B}, "2.0.0", TODAY, None) == (
        lines[0],
        replace(lines[1], version="2.0.0", date=TODAY),
    )


def test_a_definition_taken_away_keeps_its_released_lines() -> None:
    lines = (line("1.0.0", "x", A), line("1.0.0", "y", B))
    assert renewed(lines, {"x": A}, DEV, TODAY, None) == lines


@pytest.mark.parametrize("released", ["1.0.0", "1.0.1"])
def test_a_released_version_changes_nothing(released: str) -> None:
    said = r"expected a version with \.dev in pyproject\.toml for 1 changed .* x the first, found "
    with pytest.raises(InputError, match=said + released):
        renewed([line("1.0.0", "x", A)], {"x": B}, released, TODAY, "Changed.")


@pytest.mark.parametrize("note", [None, "", "  ", "two\nlines"])
def test_a_change_needs_a_note(note: str | None) -> None:
    with pytest.raises(InputError, match='expected --note "what changed", one line, for 1'):
        renewed([], {"x": A}, DEV, TODAY, note)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of its own for the command to write."""
    monkeypatch.setattr(lock, "__file__", str(tmp_path / "lock.py"))
    file = tmp_path / FILE.name
    file.write_text(FILE.read_text("utf-8"), "utf-8")
    return file


def test_the_command_leaves_a_lock_that_is_up_to_date(copy: Path) -> None:
    done = CliRunner().invoke(lock.main, [])
    assert (done.exit_code, done.output) == (0, "definitions.lock is up to date\n")
    assert copy.read_text("utf-8") == FILE.read_text("utf-8")


def test_the_command_writes_what_changed(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = {**installed_digests(), "truth:given": A, "truth:mine": B}
    monkeypatch.setattr(lock, "installed_digests", lambda: digests)
    monkeypatch.setattr(lock, "version", lambda _: DEV)
    done = CliRunner().invoke(lock.main, [])
    assert done.exit_code == 2
    assert done.output.startswith('cubspec: error: expected --note "what changed"')
    done = CliRunner().invoke(lock.main, ["--note", "Other truths."])
    assert done.exit_code == 0
    newest = {each.name: each for each in parse_lock(copy.read_text("utf-8"))}
    assert {name: each.digest for name, each in newest.items()} == digests
    assert newest["truth:given"].note == newest["truth:mine"].note == "Other truths."
    assert newest["truth:clicks"].note == history("truth:clicks", installed_lock())[0].note


def test_the_command_writes_a_lock_where_there_is_none(copy: Path) -> None:
    copy.unlink()
    assert CliRunner().invoke(lock.main, ["--note", "First."]).exit_code == 0
    assert len(parse_lock(copy.read_text("utf-8"))) == len(installed_digests())
