"""`verify` finds what differs and nothing else, and says what it cannot verify."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubspec import read_cub, verifying
from cubspec.choices import Signature
from cubspec.cli import main
from cubspec.data import InputError, Prediction
from cubspec.digests import combined, installed_digests, with_digest
from cubspec.lock import Line
from cubspec.results import read_results
from cubspec.verifying import changes_since, matched_rows, verify_signature
from tests.writing import random_dataset, random_prediction, write_coco, write_csv, write_cub

OWN = version("cubspec")
SHORT = "PCP|sigma:sd-mean|ref:median"
CONTEXT = dict(data="0a1b2c3d", clicks="9d01b7c2", truth="clicks", pool="all", split="all", n="7")
FULL = str(with_digest(Signature.parse(SHORT).full({**CONTEXT, "v": OWN})))
H = FULL.rpartition("|h:")[2]
OTHER_H = "00000000" if H != "00000000" else "11111111"
COVERED = "The digest covers the definition; to check a number, verify a results file."


# Signatures.


def test_a_signature_of_this_installation() -> None:
    verdict = verify_signature(FULL)
    assert verdict.holds
    assert verdict.said == (f"Verified: cubspec {OWN} has this definition, with the digest h:{H}.",)
    assert verdict.notes == (COVERED,)


def test_the_order_of_the_keys_does_not_matter() -> None:
    name, *fields = FULL.split("|")
    assert verify_signature("|".join([name, *reversed(fields)])) == verify_signature(FULL)


def test_another_version_with_the_same_digest() -> None:
    verdict = verify_signature(FULL.replace(f"|v:{OWN}", "|v:0.9"))
    assert verdict.holds
    assert verdict.notes == (
        f"Named is version 0.9, this is {OWN}; the digest is the same.",
        COVERED,
    )


def test_clicks_that_were_not_filled_in() -> None:
    verdict = verify_signature(FULL.replace(CONTEXT["clicks"], "00000000"))
    assert verdict.holds
    assert verdict.notes == (
        "clicks:00000000 stands for the digest of a copy's answers, which is still to be put in; "
        "cubspec score prints it.",
        COVERED,
    )


@pytest.mark.parametrize(
    ("split", "n", "noted"),
    [
        ("test", "5794", []),
        ("train", "5994", []),
        ("all", "11788", []),
        ("test", "12", ["n:12 is not the 5,794 images of the test split of CUB-200-2011."]),
        ("all", "5794", ["n:5794 is not the 11,788 images of CUB-200-2011."]),
    ],
)
def test_a_number_of_images_that_the_dataset_does_not_have(
    split: str, n: str, noted: list[str]
) -> None:
    context = {**CONTEXT, "data": "CUB-200-2011", "split": split, "n": n, "v": OWN}
    verdict = verify_signature(str(with_digest(Signature.parse(SHORT).full(context))))
    assert verdict.holds
    assert list(verdict.notes) == [*noted, COVERED]


def test_a_digest_that_nobody_knows() -> None:
    verdict = verify_signature(FULL.replace(H, OTHER_H))
    assert not verdict.holds
    first, second = verdict.said
    assert first == f"Not verified: cubspec {OWN} gives this definition h:{H}, found h:{OTHER_H}."
    assert second.startswith(f"The signature names this very version, {OWN}: either it is not as")
    _, second = verify_signature(FULL.replace(H, OTHER_H).replace(f"|v:{OWN}", "|v:77.0")).said
    assert second.startswith("The signature names version 77.0, and no definition that this ")


LINES = (
    Line("0.1.0", SHORT, "a" * 64, "2026-01-01", "First."),
    Line("0.1.0", "truth:clicks", "b" * 64, "2026-01-01", "First."),
    Line("0.2.0", SHORT, "c" * 64, "2026-02-02", "Radius of 2."),
    Line("0.3.0", SHORT, installed_digests()[SHORT], "2026-03-03", "Radius of 1.5."),
    Line("0.4.0", "truth:clicks", installed_digests()["truth:clicks"], "2026-04-04", "No ties."),
)


def with_h(*digests: str) -> str:
    return FULL.replace(f"|v:{OWN}|h:{H}", f"|v:0.1.0|h:{combined(digests)}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (with_h("a" * 64, "b" * 64), [LINES[2], LINES[3], LINES[4]]),
        (with_h("c" * 64, "b" * 64), [LINES[3], LINES[4]]),
        (with_h(installed_digests()[SHORT], "b" * 64), [LINES[4]]),
        (FULL, []),
        (with_h("d" * 64, "b" * 64), []),
    ],
)
def test_what_changed_since_a_signature(text: str, expected: list[Line]) -> None:
    assert changes_since(Signature.parse(text), LINES) == expected


def test_a_signature_of_an_earlier_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "installed_lock", lambda: LINES)
    verdict = verify_signature(with_h("c" * 64, "b" * 64))
    assert not verdict.holds
    assert verdict.said[1:] == (
        "The signature is of an earlier definition, after which these were changed:",
        f"{SHORT} in 0.3.0 (2026-03-03): Radius of 1.5.",
        "truth:clicks in 0.4.0 (2026-04-04): No ties.",
    )


def test_an_installation_that_was_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "installed_lock", lambda: LINES[:3])
    verdict = verify_signature(with_h("c" * 64, "b" * 64))
    assert not verdict.holds
    assert verdict.said[1:] == (
        f"The code of this installation is not as its lock has it: {SHORT}, truth:clicks.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SHORT, "a short form, without data, clicks, truth, pool, split, n, v, h"),
        ("FVR|of:all|avg:micro", "a short form, without data, truth, split, n, v, h"),
        (f"{SHORT}|data:0a1b2c3d|n:7", "expected the keys clicks (8 hex digits), truth (given or "),
        (FULL.replace(f"|h:{H}", ""), "expected the key h (8 hex digits), found no such key"),
        ("PCP|ref:medain", "did you mean median?"),
    ],
)
def test_what_is_not_a_full_signature(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        verify_signature(text)
    assert said in str(caught.value)


# Results files.

DATASET = random_dataset(70, images=8)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset, two prediction files, one of them in a second version, one of few images."""
    write_cub(tmp_path / "data", DATASET)
    write_cub(tmp_path / "no clicks", replace(DATASET, clicks=None))
    first = random_prediction(71, DATASET)
    write_csv(tmp_path / "first.csv", DATASET.image_id, first)
    write_csv(tmp_path / "moved.csv", DATASET.image_id, moved(first))
    write_coco(tmp_path / "second.json", DATASET.image_id, random_prediction(72, DATASET))
    few = random_prediction(73, DATASET).only(np.arange(8) > 0, np.ones(15, dtype=bool))
    write_csv(tmp_path / "few.csv", DATASET.image_id[1:], few)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def moved(prediction: Prediction) -> Prediction:
    """The same with one coordinate changed."""
    location = prediction.location.copy()
    image, part = np.argwhere(prediction.visible & DATASET.given.visible)[3]
    location[image, part, 0] += 400.0
    return Prediction(prediction.visible, location)


Capture = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(folder: Path, capsys: Capture) -> Run:
    """Run the command line in that folder: status, standard output and error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        return (status, *capsys.readouterr())

    return call


def score(run: Run, *arguments: str) -> dict[str, Any]:
    """Write results.json and return what it holds."""
    status, _, err = run("score", *arguments, "--format", "json", "--out", "results.json")
    assert status == 0, err
    return json.loads(Path("results.json").read_text("utf-8"))  # type: ignore[no-any-return]


OPTIONS: dict[str, list[str]] = {
    "defaults": [],
    "per part": ["--per-part"],
    "split and truth": ["--split", "all", "--truth", "clicks"],
    "pool": ["--pool", "train"],
    "parts": ["--parts", "tail,back,left eye", "--per-part"],
    "only": ["--only", SHORT, "--only", "FVR|of:all|avg:parts", "--per-part"],
    "profile": ["--profile", "liu2013"],
    "visible above": ["--visible-above", "1.5"],
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_results_verify_against_their_inputs(run: Run, options: list[str]) -> None:
    content = score(run, "data", "first.csv", "B=second.json", *options)
    numbers = sum(map(len, content["rows"].values()))
    by_part = [own for parts in content.get("parts", {}).values() for own in parts.values()]
    spreads = sum(map(len, content["sigma"].values()))
    assert run("verify", "results.json", "data", "first.csv", "second.json") == (
        0,
        f"Verified, all computed again: {numbers + sum(map(len, by_part))} numbers, "
        f"{spreads} spreads and {numbers} signatures.\n",
        "",
    )


def test_rows_that_the_file_lacks_are_noted(run: Run) -> None:
    content = score(run, "data", "first.csv")
    humans = [row for row in content["rows"] if row != "first.csv"]
    assert len(humans) == 2
    for entry in ("rows", "signatures"):
        content[entry] = {"first.csv": content[entry]["first.csv"]}
    Path("results.json").write_text(json.dumps(content), "utf-8")
    status, _, err = run("verify", "results.json", "data", "first.csv")
    assert status == 0
    assert err == "".join(
        f"cubspec: note: The file has no row {row}; its inputs give one.\n" for row in humans
    )


def test_an_entry_that_stands_twice(run: Run) -> None:
    score(run, "data", "first.csv")
    text = Path("results.json").read_text("utf-8")
    Path("results.json").write_text(text.replace('"rows": {', '"rows": {}, "rows": {', 1), "utf-8")
    assert run("verify", "results.json", "data", "first.csv") == (
        2,
        "",
        "cubspec: error: results.json: expected each entry once, found 'rows' 2 times\n",
    )


@pytest.mark.parametrize(
    "files",
    [
        ["first.csv", "B=second.json"],
        ["B=second.json", "first.csv"],
        ["B=second.json", "first.csv=first.csv"],
    ],
)
def test_predictions_are_matched_by_name_or_in_order(run: Run, files: list[str]) -> None:
    score(run, "data", "first.csv", "B=second.json")
    assert run("verify", "results.json", "data", *files)[0] == 0


def test_predictions_in_another_order_do_not_verify(run: Run) -> None:
    score(run, "data", "first.csv", "B=second.json")
    assert run("verify", "results.json", "data", "second.json", "first.csv")[0] == 1


def test_missing_pairs_and_data_without_clicks(run: Run) -> None:
    options = ["--split", "all", "--missing", "invisible"]
    content = score(run, "no clicks", "few.csv", *options)
    assert "missing:invisible" in content["signatures"]["few.csv"]["FVR|of:all|avg:micro"]
    status, out, _ = run("verify", "results.json", "no clicks", "few.csv")
    assert (status, out) == (0, "Verified, all computed again: 18 numbers and 18 signatures.\n")


def differing(before: dict[str, Any], after: dict[str, Any]) -> set[tuple[str, str]]:
    """Rows and short forms whose numbers are not the same."""
    return {
        (row, short)
        for row, values in before["rows"].items()
        for short, value in values.items()
        if value != after["rows"][row][short]
    }


def test_one_changed_coordinate_names_the_numbers_that_differ(run: Run) -> None:
    after = score(run, "data", "first.csv=moved.csv", "--split", "all")
    before = score(run, "data", "first.csv", "--split", "all")
    expected = differing(before, after)
    status, out, err = run("verify", "results.json", "data", "moved.csv")
    assert (status, err) == (1, "")
    *named, more, summary = out.splitlines()
    assert len(named) == 20
    assert more == f"… and {len(expected) - 20} more"
    assert summary == (
        f"Not verified: {len(expected)} of 369 numbers, 0 of 105 spreads and 0 of 369 signatures "
        "differ."
    )
    for line in named:
        found = re.fullmatch(r"(first\.csv), (\S+): (\S+), recomputed (\S+)", line)
        assert found
        row, short = found[1], found[2]
        assert (row, short) in expected
        assert float(found[3]) == before["rows"][row][short]
        assert float(found[4]) == after["rows"][row][short]


def test_a_changed_click_changes_spreads_and_signatures(run: Run) -> None:
    score(
        run,
        "data",
        "first.csv",
        "--split",
        "all",
        "--only",
        "FVR|of:all|avg:micro",
        "--only",
        SHORT,
    )
    clicks = DATASET.clicks
    assert clicks is not None
    location = clicks.location.copy()
    image, worker, part = np.argwhere(clicks.visible & DATASET.given.visible[:, None])[0]
    location[image, worker, part] += 50
    changed = replace(DATASET, clicks=replace(clicks, location=location))
    write_cub(Path("changed"), changed)
    status, out, _ = run("verify", "results.json", "changed", "first.csv")
    assert status == 1
    lines = out.splitlines()
    back = DATASET.parts[part]
    assert [line for line in lines if line.startswith(f"σ sd-mean, {back}: ")] != []
    assert [line for line in lines if line.startswith("σ ") and f", {back}: " not in line] == []
    name = read_cub("changed").clicks_name
    assert [line for line in lines if "clicks:" in line] == [
        f"5 signatures: clicks:{DATASET.clicks_name}, recomputed clicks:{name}",
    ]
    # One signature of the prediction rests on the clicks, and both of each annotators' row.
    assert lines[-1].endswith("1 of 15 spreads and 5 of 6 signatures differ.")


def test_a_billionth_is_tolerated_and_no_more(run: Run) -> None:
    content = score(run, "data", "first.csv", "--only", SHORT, "--split", "all")
    row = content["rows"]["first.csv"]
    value = row[SHORT]
    for factor, status in ((1 + 9e-10, 0), (1 - 9e-10, 0), (1 + 2e-9, 1), (1 - 2e-9, 1)):
        row[SHORT] = value * factor
        Path("results.json").write_text(json.dumps(content), "utf-8")
        assert run("verify", "results.json", "data", "first.csv")[0] == status


def edited(run: Run, edit: Callable[[dict[str, Any]], None], *options: str) -> tuple[int, str, str]:
    """Verify a results file after an edit."""
    content = score(run, "data", "first.csv", "--split", "all", *options)
    edit(content)
    Path("results.json").write_text(json.dumps(content), "utf-8")
    return run("verify", "results.json", "data", "first.csv")


def test_null_is_no_number_and_a_number_is_not_null(run: Run) -> None:
    def edit(content: dict[str, Any]) -> None:
        content["rows"]["first.csv"][SHORT] = None

    status, out, _ = edited(run, edit, "--only", SHORT)
    assert status == 1
    assert re.match(rf"first\.csv, {re.escape(SHORT)}: null, recomputed [0-9.]+\n", out)


def test_undefined_numbers_verify(run: Run) -> None:
    nobody = Prediction.at(np.full((8, 15, 2), math.nan))
    write_csv(Path("nobody.csv"), DATASET.image_id, nobody)
    content = score(run, "data", "nobody.csv")
    assert content["rows"]["nobody.csv"]["AE|sigma:sd-mean|avg:micro"] is None
    assert run("verify", "results.json", "data", "nobody.csv")[0] == 0


def test_another_version_with_the_same_digests_is_noted(run: Run) -> None:
    def edit(content: dict[str, Any]) -> None:
        text = json.dumps(content["signatures"]).replace(f"|v:{OWN}|", "|v:0.9|")
        content["signatures"] = json.loads(text)

    status, out, err = edited(run, edit)
    assert status == 0
    assert out.startswith("Verified, all computed again: 369 numbers, ")
    assert err == (f"cubspec: note: Named is version 0.9, this is {OWN}; the digest is the same.\n")


def test_another_digest_is_named(run: Run) -> None:
    def edit(content: dict[str, Any]) -> None:
        own = content["signatures"]["first.csv"]
        digests.append(own[SHORT].rpartition("h:")[2])
        own[SHORT] = own[SHORT].replace(digests[0], "00000000")

    digests: list[str] = []
    status, out, _ = edited(run, edit, "--only", SHORT)
    assert status == 1
    assert out.splitlines() == [
        f"first.csv, {SHORT}: h:00000000, recomputed h:{digests[0]}",
        "Not verified: 0 of 3 numbers, 0 of 15 spreads and 1 of 3 signatures differ.",
    ]


def test_a_row_that_the_data_cannot_give(run: Run) -> None:
    score(run, "data", "first.csv", "--split", "all", "--only", "FVR|of:all|avg:micro")
    status, out, _ = run("verify", "results.json", "no clicks", "first.csv")
    assert status == 1
    lines = out.splitlines()
    assert re.fullmatch(
        r"Human\|workers:mean, FVR\|of:all\|avg:micro: [0-9.]+, recomputed none", lines[0]
    )
    assert lines[-1].startswith("Not verified: 2 of 3 numbers")


def test_without_the_annotators_rows_the_rest_is_verified(run: Run) -> None:
    def edit(content: dict[str, Any]) -> None:
        for entry in ("rows", "signatures"):
            content[entry] = {"first.csv": content[entry]["first.csv"]}

    status, out, _ = edited(run, edit)
    assert status == 0
    assert "123 numbers, 105 spreads and 123 signatures" in out


# What cannot be verified.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected 2 prediction files, for first.csv, B, found 0"),
        (["first.csv"], "expected 2 prediction files, for first.csv, B, found 1"),
        (["first.csv"] * 3, "expected 2 prediction files, for first.csv, B, found 3"),
        (["first.csv", "C=second.json"], "expected a row (first.csv, B), found 'C'"),
        (["B=first.csv", "B=second.json"], "expected each row name once, found B twice"),
        (["first.csv", "nope.csv"], "nope.csv: expected a prediction file or NAME=FILE"),
        (["first.csv", "B=nope.csv"], "nope.csv: expected to be able to read this"),
    ],
)
def test_predictions_that_are_not_the_rows(run: Run, arguments: list[str], said: str) -> None:
    score(run, "data", "first.csv", "B=second.json")
    status, out, err = run("verify", "results.json", "data", *arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)
    assert said in err


def test_rows_in_order_fill_what_names_leave() -> None:
    rows = ["a", "b", "c"]
    assert matched_rows([(None, "1"), ("a", "2"), (None, "3")], rows) == {
        "a": "2",
        "b": "1",
        "c": "3",
    }


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("results.json", "Expected DATA and PRED after a results file, found neither."),
        ("nope.json", "nope.json: expected a signature or a results file, found no such file"),
        ("PCK", "found 'PCK'; did you mean PCP?"),
    ],
)
def test_targets_that_are_neither(run: Run, target: str, said: str) -> None:
    Path("results.json").write_text("{}", "utf-8")
    status, out, err = run("verify", target)
    assert (status, out) == (2, "")
    assert said in err
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)


GOOD_FULL = FULL.replace("|n:7|", "|n:8|")
GOOD: dict[str, Any] = {
    "context": {"truth": "clicks", "split": "all", "pool": "all"},
    "sigma": {},
    "rows": {"A": {SHORT: 50.0}},
    "signatures": {"A": {SHORT: GOOD_FULL}},
    "predictions": {"A": {"missing": "error"}},
}


def test_the_smallest_results_file_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text(json.dumps(GOOD), "utf-8")
    recorded = read_results(file)
    assert recorded.values == {("A", "", SHORT): 50.0}
    assert recorded.options == {
        "split": "all", "truth": "clicks", "pool": "all", "missing": "error",
    }  # fmt: skip
    assert (recorded.forms, recorded.per_part, recorded.parts) == ([SHORT], False, None)


def entry(path: str, value: Any) -> str:
    """The smallest results file with one entry changed, or without it where value is ...."""
    content = json.loads(json.dumps(GOOD))
    *way, last = path.split("/")
    inner = content
    for key in way:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(content)


MALFORMED = {
    "empty": ("", "expected at least one line, found an empty file"),
    "no JSON": ("{", "1: expected JSON, found an error: "),
    "NaN": ('{"rows": NaN}', "expected null where a number is undefined, found NaN"),
    "deep": ("[" * 100_000, "expected JSON, found an error: too deep nesting"),
    "a long number": ("9" * 5000, "expected JSON, found an error: Exceeds the limit"),
    "a list": ("[]", "expected the file to be an object, found []"),
    "a text": ('"x"', "expected the file to be an object, found 'x'"),
    "no rows": (entry("rows", ...), "expected the entry rows, as cubspec score --format json wri"),
    "no context": (entry("context", ...), "expected the entry context, as"),
    "rows as a list": (entry("rows", []), "expected rows to be an object, found []"),
    "rows without any": (entry("rows", {}), "expected a row of a prediction with a number"),
    "a row as a number": (entry("rows/A", 1), "expected row A to be an object, found 1"),
    "a value as a text": (entry(f"rows/A/{SHORT}", "50"), f"expected row A, {SHORT} to be a numb"),
    "a value as a flag": (entry(f"rows/A/{SHORT}", True), "to be a number or null, found True"),
    "a huge value": (entry(f"rows/A/{SHORT}", 10**400), "to be a number or null, found 1000000"),
    "a value without signature": (entry("rows/A/AE|x", 1), "expected a signature of A, AE|x, fo"),
    "a signature without value": (entry("rows/A", {}), "expected a row of a prediction with a nu"),
    "only annotators": (
        entry("rows", {"Human|workers:mean": {SHORT: 1}}), "expected a row of a prediction",
    ),
    "a signature as a number": (
        entry(f"signatures/A/{SHORT}", 1), f"expected the signature of A, {SHORT} to be a text",
    ),
    "a short signature": (
        entry(f"signatures/A/{SHORT}", SHORT), "to be a full signature of it, found 'PCP|",
    ),
    "another signature": (
        entry(f"signatures/A/{SHORT}", FULL.replace("median", "any")), "to be a full signature of",
    ),
    "no signature": (entry(f"signatures/A/{SHORT}", "PCK"), "found 'PCK'; did you mean PCP?"),
    "no truth": (entry("context/truth", ...), "expected truth in context to be given or clicks"),
    "a wrong split": (entry("context/split", "val"), "expected split in context to be all, train"),
    "wrong parts": (entry("context/parts", "3-1"), "expected parts in context to be part ids as"),
    "too many parts": (
        entry("context/parts", "14-16"), "expected parts in context to be part ids as",
    ),
    "a wrong missing": (
        entry("predictions/A/missing", "zero"), "expected a value of missing (error, invisible)",
    ),
    "a wrong visible_above": (
        entry("predictions/A/visible_above", "0"), "expected visible_above of A to be a number",
    ),
    "predictions as a list": (entry("predictions", []), "expected predictions to be an object"),
    "sigma as a list": (entry("sigma", {"sd-mean": {"back": 4.9}}), "of back to be a list, found"),
    "parts as a list": (entry("parts", {"A": {"back": []}}), "expected parts of A, back to be an"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_results_are_an_error_of_one_line(run: Run, text: str, said: str) -> None:
    Path("results.json").write_text(text, "utf-8")
    status, out, err = run("verify", "results.json", "data", "first.csv")
    assert (status, out) == (2, "")
    assert re.fullmatch(r"cubspec: error: (results\.json:)?[^\n]+\n", err)
    assert said in err


def test_results_that_are_a_folder_or_no_text(run: Run) -> None:
    status, _, err = run("verify", "data", "data", "first.csv")
    assert (status, err) == (2, "cubspec: error: data: expected a file, found a folder\n")
    Path("results.json").write_bytes(b"\xff\xfe{}")
    status, _, err = run("verify", "results.json", "data", "first.csv")
    assert (status, err) == (
        2,
        "cubspec: error: results.json:1: expected UTF-8 text, found the byte 0xff\n",
    )


def test_rows_read_in_two_ways(run: Run) -> None:
    content = score(run, "data", "first.csv", "B=second.json", "--split", "all")
    content["predictions"]["B"]["missing"] = "invisible"
    Path("results.json").write_text(json.dumps(content), "utf-8")
    status, _, err = run("verify", "results.json", "data", "first.csv", "second.json")
    assert status == 2
    assert "expected missing to be the same for all, found error and invisible" in err


def test_every_signature_that_score_writes_verifies(run: Run) -> None:
    content = score(run, "data", "first.csv")
    for signatures in content["signatures"].values():
        for text in signatures.values():
            assert verify_signature(text).holds


def test_the_exit_status_of_a_signature(run: Run) -> None:
    assert run("verify", FULL) == (
        0,
        f"Verified: cubspec {OWN} has this definition, with the digest h:{H}.\n",
        f"cubspec: note: {COVERED}\n",
    )
    assert run("verify", FULL.replace(H, OTHER_H))[0] == 1
    assert run("verify", SHORT)[0] == 2


def test_what_was_taken_out_of_a_results_file_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--birds", "20", "--write", "birds"]) == 0
    inputs = ["birds", "A=birds/A.csv", "B=birds/B.csv"]
    command = ["score", *inputs, "--split", "all", "--format", "json", "--out", "whole.json"]
    assert main(command) == 0
    whole = json.loads((tmp_path / "whole.json").read_text("utf-8"))
    short = "AE|sigma:sd-mean|avg:micro"
    without_spread, without_number = json.loads(json.dumps(whole)), json.loads(json.dumps(whole))
    del without_spread["sigma"]["toolbox"]["back"]
    del without_number["rows"]["A"][short], without_number["signatures"]["A"][short]
    for content, said in (
        (without_spread, "σ toolbox, back: none, recomputed "),
        (without_number, f"A, {short}: none, recomputed "),
    ):
        (tmp_path / "less.json").write_text(json.dumps(content), "utf-8")
        capsys.readouterr()
        assert main(["verify", "less.json", *inputs]) == 1
        assert said in capsys.readouterr().out
