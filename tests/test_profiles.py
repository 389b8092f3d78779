"""Profiles hold the likeliest readings, say why, and say that they are readings."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cubspec.choices import Signature, short_signatures
from cubspec.cli import main
from cubspec.data import InputError
from cubspec.profiles import profile_of, profiles
from tests.writing import random_dataset, random_prediction, write_csv, write_cub

LIKELIEST = {
    "wah2011": ["report-error|sigma:sd-mean|none:zero|avg:micro"],
    "liu2013": [
        "PCP|sigma:dist-median|ref:median",
        "AE|sigma:dist-median|avg:micro",
        "FVR|of:invisible|avg:micro",
        "FIR|of:visible|avg:micro",
    ],
}
POSSIBLE = {
    "wah2011": r"report-error\|.*",
    "liu2013": r"(PCP|AE|FIR)\|.*|FVR\|of:invisible\|.*",
}
PAPERS = {"wah2011": "Wah et al. 2011", "liu2013": "Liu & Belhumeur 2013"}


@pytest.mark.parametrize("key", LIKELIEST)
def test_the_likeliest_readings(key: str) -> None:
    assert [form.short for form in profile_of(key).forms()] == LIKELIEST[key]
    assert [each.key for each in profiles()] == list(LIKELIEST)


@pytest.mark.parametrize(("key", "number"), [("wah2011", 42), ("liu2013", 35 + 21 + 3 + 9)])
def test_every_reading_that_is_not_excluded(key: str, number: int) -> None:
    found = [form.short for form in profile_of(key).forms(everything=True)]
    assert len(found) == number
    assert set(found) == {
        form.short for form in short_signatures() if re.fullmatch(POSSIBLE[key], form.short)
    }
    assert set(LIKELIEST[key]) <= set(found)


@pytest.mark.parametrize("key", LIKELIEST)
def test_every_choice_has_its_reason(key: str) -> None:
    for reading in profile_of(key).readings:
        assert list(reading.reasons) == list(reading.form.values)
        for reason in reading.reasons.values():
            assert re.fullmatch(r"[a-z0-9][^;]{10,130}[^. ]", reason)
        for excluded in reading.excluded:
            field, _, value = excluded.partition(":")
            assert value in reading.form.measure.choice(field).names
            assert reading.form.values[field] != value


def test_an_unknown_profile() -> None:
    with pytest.raises(InputError, match="found 'liu2012'; did you mean liu2013"):
        profile_of("liu2012")


DATASET = random_dataset(80, images=8)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Score a prediction in a folder that has one: status, standard output and error."""
    write_cub(tmp_path / "data", DATASET)
    write_cub(tmp_path / "no clicks", replace(DATASET, clicks=None))
    write_csv(tmp_path / "a.csv", DATASET.image_id, random_prediction(81, DATASET))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, data: str = "data") -> tuple[int, str, str]:
        status = main(["score", data, "a.csv", *arguments])
        return (status, *capsys.readouterr())

    return call


def mark(key: str, everything: bool) -> str:
    if everything:
        which = f"Every reading of {PAPERS[key]} that the evidence does not exclude"
    else:
        which = f"A reading of {PAPERS[key]}"
    return f"{which}, not the paper's own words."


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("key", LIKELIEST)
def test_json_holds_those_forms_and_records_the_profile(
    run: Run, key: str, everything: bool
) -> None:
    more = ["--all"] if everything else []
    status, out, _ = run("--profile", key, "--format", "json", *more)
    assert status == 0
    found, whole = json.loads(out), json.loads(run("--format", "json")[1])
    shorts = {form.short for form in profile_of(key).forms(everything)}
    for row, values in whole["rows"].items():
        assert found["rows"][row] == {s: value for s, value in values.items() if s in shorts}
        assert found["signatures"][row].keys() == shorts
    entry = found.pop("profile")
    assert found.keys() == whole.keys()
    assert (entry["name"], entry["all"]) == (key, everything)
    assert entry["mark"] == mark(key, everything)
    assert {short: list(reasons) for short, reasons in entry["reasons"].items()} == {
        short: list(Signature.parse(short).values) for short in LIKELIEST[key]
    }


@pytest.mark.parametrize("everything", [False, True])
def test_csv_says_it_on_every_line(run: Run, everything: bool) -> None:
    more = ["--all"] if everything else []
    out = run("--profile", "liu2013", "--format", "csv", "--per-part", *more)[1]
    plain = run("--format", "csv", "--per-part")[1]
    header, *lines = csv.reader(io.StringIO(out))
    head, *all_lines = csv.reader(io.StringIO(plain))
    assert header == [*head, "profile"]
    shorts = {form.short for form in profile_of("liu2013").forms(everything)}
    assert lines == [
        [*line, mark("liu2013", everything)] for line in all_lines if line[2] in shorts
    ]


@pytest.mark.parametrize("form", ["markdown", "latex"])
@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("key", LIKELIEST)
def test_every_caption_says_it(run: Run, key: str, everything: bool, form: str) -> None:
    more = ["--all"] if everything else []
    status, out, _ = run("--profile", key, "--format", form, "--per-part", *more)
    assert status == 0
    said = mark(key, everything).replace("&", {"markdown": "&amp;", "latex": r"\&"}[form])
    tables = out.count(r"\begin{table}") if form == "latex" else out.count("\n\n|")
    measures = len(LIKELIEST[key])
    # One table and one for each row, or one for each measure, of all parts and of each row.
    assert tables == (4 * measures if everything else 3)
    assert out.count(said) == tables
    assert out.count("Likeliest is ") == tables


def test_text_has_a_column_for_each_reading_as_the_paper_has(run: Run) -> None:
    out = run("--profile", "liu2013")[1]
    lines = out.splitlines()
    start = lines.index("liu2013, a reading")
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        ["PCP", "AE", "FVR", "FIR"],
        ["sigma:dist-median", "sigma:dist-median", "of:invisible", "of:visible"],
        ["ref:median", "avg:micro", "avg:micro", "avg:micro"],
    ]
    values = json.loads(run("--profile", "liu2013", "--format", "json")[1])["rows"]["a.csv"]
    decimals = (2, 3, 2, 2)
    printed = [f"{values[s]:.{d}f}" for s, d in zip(LIKELIEST["liu2013"], decimals, strict=True)]
    assert lines[start + 5].split() == ["a.csv", *printed]
    assert lines[start + 6].startswith("Human|workers:mean ")
    assert mark("liu2013", everything=False) in lines
    assert (
        "Likeliest is sigma:dist-median, as it gives the annotators an uncapped AE of 1 by "
        "construction, and 1.00 is printed for Human; ref:median, as 1.5 "
    ) in out
    assert out.count("avg:micro, as ") == 1


def test_text_says_it_of_every_measure(run: Run) -> None:
    out = run("--profile", "liu2013", "--all")[1]
    assert mark("liu2013", everything=True) in out.splitlines()
    assert out.count("Likeliest is ") == 4
    assert "Likeliest is of:visible, as it is the counterpart " in out


def test_without_clicks_there_is_what_needs_none(run: Run) -> None:
    status, out, _ = run("--profile", "liu2013", "--format", "json", data="no clicks")
    assert status == 0
    assert list(json.loads(out)["rows"]["a.csv"]) == LIKELIEST["liu2013"][2:]
    assert run("--profile", "liu2013", data="no clicks")[0] == 0
    status, out, err = run("--profile", "wah2011", data="no clicks")
    assert (status, out) == (2, "")
    assert "expected the annotators' clicks for a short form with sigma" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--profile", "liu2013", "--only", "AE"], "Expected --only or --profile, found both."),
        (["--profile", "liu"], "'liu' is not one of 'wah2011', 'liu2013'."),
    ],
)
def test_options_that_contradict(run: Run, arguments: list[str], said: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)
    assert said in err
