"""`cubspec example`: the published tables, every format, and the folder that it writes."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from cubspec.cli import main
from cubspec.example import example_forms, make_example
from cubspec.example_tables import ROWS

SEED0 = json.loads((Path(__file__).parent / "figures" / "seed0.json").read_text("utf-8"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    status = main(["example", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def rows_of(text: str, title: str) -> dict[str, list[str]]:
    """The lines of one table of the text format, by their first column."""
    block = text.split(f"{title}\n", 1)[1].split("\n\n", 1)[0].splitlines()
    rule = next(index for index, line in enumerate(block) if set(line) <= {"-", " "})
    lines = [re.split(r" {2,}", line) for line in block[rule + 1 :]]
    width = block[rule].count("  ") + 1
    return {line[0]: line[1:] for line in lines if len(line) == width}


def test_the_default_prints_the_published_tables(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys)
    assert (status, err) == (0, "")
    parts = rows_of(out, "Parts")
    assert list(parts) == list(SEED0["parts"])
    for part, figures in SEED0["parts"].items():
        assert list(map(float, parts[part])) == list(figures.values())
    human = {"Human": ROWS[0], "A": "A", "B": "B", "C": "C"}
    rates = rows_of(out, "FVR and FIR")
    assert list(rates) == list(ROWS)
    for row, figures in SEED0["visibility_percent"].items():
        assert list(map(float, rates[human[row]])) == list(figures.values())
    titles = re.findall(r"^sigma:(.*?), .*$", out, re.MULTILINE)
    assert titles == list(SEED0["scores"])
    for sigma in titles:
        title = next(line for line in out.splitlines() if line.startswith(f"sigma:{sigma}, "))
        scores = rows_of(out, title)
        assert list(scores) == list(ROWS)
        for row, figures in SEED0["scores"][sigma].items():
            assert list(map(float, scores[human[row]])) == list(figures.values())
    checks = out.split("Checks and hypotheses\n", 1)[1]
    assert len(re.findall(r"^(check|hypothesis) \d +holds ", checks, re.MULTILINE)) == 19
    assert "FAILS" not in out


def test_other_birds_are_shown_as_measured(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--birds", "50", "--seed", "3")
    assert status == 0
    assert len(re.findall(r"^hypothesis \d +as measured ", out, re.MULTILINE)) == 11
    assert len(re.findall(r"^check [1-7] +holds ", out, re.MULTILINE)) == 6
    assert "data:birds-50-3|truth:clicks|pool:all|split:all|n:50|" in out


def test_json_holds_everything_and_the_checks(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "--birds", "30", "--seed", "1", "--format", "json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    made = make_example(30, 1)
    assert list(found["rows"]) == ["A", "B", "C", "Human|workers:mean", "Human|workers:pooled"]
    for row, values in made.result.rows.items():
        assert len(found["rows"][row]) == 123
        for short, value in values.items():
            assert found["rows"][row][short] == (None if value != value else value)
    assert found["context"] == {
        "data": "birds-30-1",
        "truth": "clicks",
        "pool": "all",
        "split": "all",
        "n": 30,
    }
    assert [check["holds"] for check in found["checks"]] == [c.holds for c in made.checks]
    assert {check["kind"] for check in found["checks"]} == {"check", "hypothesis"}
    assert "parts" not in found


def test_csv_and_per_part(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--birds", "20", "--format", "csv", "--per-part")
    assert status == 0
    lines = list(csv.DictReader(io.StringIO(out)))
    assert sum(line["part"] == "" for line in lines) == 5 * 123
    assert sum(line["part"] == "left eye" for line in lines) == 5 * 69


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_all_holds_every_short_form(capsys: pytest.CaptureFixture[str], form: str) -> None:
    status, out, _ = run(capsys, "--birds", "20", "--all", "--format", form)
    assert status == 0
    assert out.count("report-error") > 42
    assert "Checks and hypotheses" in out


def test_per_part_adds_a_table_for_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--birds", "20", "--per-part")
    assert re.findall(r"^(.*), by part", out, re.MULTILINE) == list(ROWS)


def test_what_is_written_is_scored_alike(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "birds"
    options = ["--birds", "40", "--seed", "4", "--format", "json"]
    status, out, err = run(capsys, *options, "--write", str(folder))
    assert (status, err) == (0, "")
    files = [str(folder / f"{name}.csv") for name in "ABC"]
    command = ["score", str(folder), *files, "--split", "all", "--truth", "clicks"]
    assert main([*command, "--format", "json"]) == 0
    expected, found = json.loads(out)["rows"], json.loads(capsys.readouterr().out)["rows"]
    names = dict(zip("ABC", files, strict=True))
    for row, values in expected.items():
        other = found[names.get(row, row)]
        assert other.keys() == values.keys()
        for short, value in values.items():
            assert other[short] == pytest.approx(value, abs=1e-9)


def test_the_forms_are_the_published_ones() -> None:
    assert len(example_forms()) == 4 + 2 * 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--birds", "0"], "0 is not in the range x>=1"),
        (["--seed", "-1"], "-1 is not in the range x>=0"),
        (["--birds", "many"], "'many' is not a valid integer"),
        (["--write", __file__], "expected a new or an empty folder, found a file"),
        (["--write", str(Path(__file__).parent)], "expected a new or an empty folder, found one"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("cubspec: error: ")
    assert err.count("\n") == 1
    assert said in err
