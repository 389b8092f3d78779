"""The command line: options, formats, error lines, exit statuses, and what goes where."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import math
import os
import pty
import re
import signal
import stat
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import cubspec
from cubspec import read_cub, read_predictions, score, spread
from cubspec.choices import short_signatures
from cubspec.cli import FORMATS, commands
from cubspec.scoring import SPLITS, Result
from cubspec.tables import (
    as_latex,
    as_markdown,
    as_text,
    default_document,
    default_forms,
    full_document,
    score_csv,
    score_json,
    spread_csv,
    spread_document,
    spread_json,
)
from cubspec.truth.consensus import TRUTH
from cubspec.truth.sigma import POOL
from tests.running import Outcome, Run, running
from tests.writing import (
    random_dataset,
    random_prediction,
    write_coco,
    write_csv,
    write_cub,
    write_npz,
    write_part_locs,
)

DATASET = random_dataset(50, images=10)
FILES = {"a.csv": write_csv, "b.npz": write_npz, "c.txt": write_part_locs, "d.json": write_coco}
SHORTS = [form.short for form in short_signatures()]
DEFAULT = [form.short for form in default_forms()]
AE, FVR = "AE|sigma:sd-mean|avg:micro", "FVR|of:all|avg:micro"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of the dataset's files, and prediction files of every format."""
    root = tmp_path_factory.mktemp("cli")
    write_cub(root / "data", DATASET)
    write_cub(root / "no clicks", replace(DATASET, clicks=None))
    write_cub(root / "no split", replace(DATASET, training=None))
    for seed, (name, write) in enumerate(FILES.items()):
        write(root / name, DATASET.image_id, random_prediction(seed, DATASET))
    few = random_prediction(9, DATASET).only(np.arange(10) > 0, np.ones(15, dtype=bool))
    write_csv(root / "few.csv", DATASET.image_id[1:], few)
    write_csv(root / "e=f.csv", DATASET.image_id, random_prediction(7, DATASET))
    return root


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process, in that folder."""
    monkeypatch.chdir(folder)
    return running(capsys)


def scored(*files: str, data: str = "data", **chosen: Any) -> Result:
    """What Python gives for the same arguments; the working folder must be theirs."""
    above = chosen.pop("visible_above", None)
    predictions = {
        each.partition("=")[0]: read_predictions(each.rpartition("=")[2], visible_above=above)
        for each in files
    }
    return score(read_cub(data), predictions, **chosen)


def parsed(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


# Numbers are those of cubspec.score.

OPTIONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "defaults": ([], {}),
    "split": (["--split", "all"], {"split": "all"}),
    "train": (["--split=train"], {"split": "train"}),
    "truth": (["--truth", "clicks"], {"truth": "clicks"}),
    "pool": (["--pool", "scored"], {"pool": "scored"}),
    "pool of another split": (["--pool", "train", "--split", "test"], {"pool": "train"}),
    "only": (["--only", AE, "--only", FVR], {"only": [AE, FVR]}),
    "only, keys in any order": (["--only", "AE|avg:micro|sigma:sd-mean"], {"only": [AE]}),
    "all": (["--all"], {}),
    "per part": (["--per-part"], {"per_part": True}),
    "parts": (
        ["--parts", "tail, left eye,back", "--per-part"],
        {"parts": ["back", "left eye", "tail"], "per_part": True},
    ),
    "missing": (["--missing", "invisible"], {"missing": "invisible"}),
    "visible above": (["--visible-above", "1"], {"visible_above": 1.0}),
}


@pytest.mark.parametrize(("arguments", "chosen"), OPTIONS.values(), ids=OPTIONS)
def test_json_and_csv_hold_what_python_gives(
    run: Run, arguments: list[str], chosen: dict[str, Any]
) -> None:
    files = ["few.csv"] if "missing" in chosen else list(FILES)
    chosen = {"split": "all", **chosen} if "missing" in chosen else chosen
    arguments = [*arguments, *(["--split", "all"] if "missing" in chosen else [])]
    result = scored(*files, **chosen)
    done = run("score", "data", *files, *arguments, "--format", "json")
    assert done.status == 0
    assert done.out == score_json(result)
    found = parsed(done.out)
    assert found["cubspec"] == cubspec.__version__
    assert found["context"] == result.context
    assert list(found["rows"]) == [*files, "Human|workers:mean", "Human|workers:pooled"]
    for row, values in result.rows.items():
        assert list(found["rows"][row]) == chosen.get("only", SHORTS)
        for short, value in values.items():
            assert found["rows"][row][short] == (None if math.isnan(value) else value)
            assert found["signatures"][row][short] == result.signatures[row][short]
    assert ("parts" in found) == chosen.get("per_part", False)
    assert found["predictions"] == result.predictions
    done = run("score", "data", *files, *arguments, "--format", "csv")
    assert done.status == 0
    assert done.out == score_csv(result)


def test_json_says_how_each_file_was_read(run: Run) -> None:
    found = parsed(run("score", "data", *FILES, "--only", FVR, "--format", "json").out)
    assert found["predictions"] == {
        "a.csv": {"format": "csv", "missing": "error"},
        "b.npz": {"format": "npz", "missing": "error"},
        "c.txt": {"format": "part_locs", "missing": "error"},
        "d.json": {"format": "coco", "visible_above": 0, "missing": "error"},
    }
    above = run("score", "data", "d.json", "--only", FVR, "--format", "json", "--visible-above=2")
    assert parsed(above.out)["predictions"]["d.json"]["visible_above"] == 2
    assert parsed(above.out)["rows"]["d.json"] == {FVR: 0}


def test_csv_has_a_line_for_each_value(run: Run) -> None:
    done = run("score", "data", "a.csv", "--format", "csv", "--per-part")
    header, *lines = csv.reader(io.StringIO(done.out), strict=True)
    assert header == ["row", "part", "short", "value", "signature"]
    assert len(lines) == 3 * (123 + 15 * 69)
    assert len({tuple(line[:3]) for line in lines}) == len(lines)


WRITE = {"text": as_text, "markdown": as_markdown, "latex": as_latex}


@pytest.mark.parametrize("form", WRITE)
def test_tables(run: Run, form: str) -> None:
    write = WRITE[form]
    done = run("score", "data", "a.csv", "N=b.npz", "--format", form)
    assert done.status == 0
    assert done.out == write(default_document(scored("a.csv", "N=b.npz", only=DEFAULT)))
    done = run("score", "data", "a.csv", "--all", "--format", form)
    assert done.out == write(full_document(scored("a.csv")))
    done = run("score", "data", "a.csv", "--only", FVR, "--only", AE, "--format", form)
    assert done.out == write(full_document(scored("a.csv", only=[AE, FVR])))
    done = run("score", "data", "a.csv", "--per-part", "--format", form)
    assert done.out == write(default_document(scored("a.csv", only=DEFAULT, per_part=True)))
    done = run("score", "data", "a.csv", "--only", AE, "--per-part", "--format", form)
    assert done.out == write(full_document(scored("a.csv", only=[AE], per_part=True)))


def test_default_format_is_text(run: Run) -> None:
    plain = run("score", "data", "a.csv")
    assert plain == run("score", "data", "a.csv", "--format", "text")
    lines = plain.out.splitlines()
    assert lines[0].startswith(f"data:{DATASET.name}|clicks:{DATASET.clicks_name}|truth:given|")
    assert lines[0].endswith(f"|v:{cubspec.__version__}")
    assert [line for line in lines if line.startswith("Human|workers:mean  ")] != []
    assert [line for line in lines if line.startswith("Human|workers:pooled")] == []


def test_rows_are_named_as_given(run: Run) -> None:
    arguments = ["./a.csv", "A=a.csv", "e=f.csv", "x=e=f.csv", "Human being=b.npz"]
    done = run("score", "data", *arguments, "--only", FVR, "--format", "json")
    rows = list(parsed(done.out)["rows"])
    assert rows[:-2] == ["./a.csv", "A", "e=f.csv", "x", "Human being"]


def test_notes_go_to_stderr(run: Run) -> None:
    done = run("score", "data", "few.csv", "--missing", "invisible", "--split", "all")
    assert done.status == 0
    assert done.err == (
        "cubspec: note: few.csv: The file holds no prediction for 15 of 150 pairs scored; "
        "they count as predicted not visible.\n"
    )
    assert "few.csv: report-error, AE, PCP and capped with missing:invisible;" in done.out
    done = run("score", "data", "a.csv", "--visible-above", "1")
    assert done.status == 0
    assert "cubspec: note: a.csv: --visible-above has no effect" in done.err


def test_data_without_clicks(run: Run) -> None:
    done = run("score", "no clicks", "a.csv")
    assert done.status == 0
    assert "FVR and FIR\n" in done.out
    assert "sigma" not in done.out
    assert "Human" not in done.out
    assert "cubspec: note: no clicks/parts/part_click_locs.txt: not found; " in done.err
    found = parsed(run("score", "no clicks", "a.csv", "--format", "json").out)
    assert found["rows"].keys() == {"a.csv"}
    assert list(found["rows"]["a.csv"]) == [each for each in SHORTS if "sigma" not in each]
    assert found["sigma"] == {}
    assert "pool" not in found["context"]
    partly = run("score", "no clicks", "a.csv", "--only", AE, "--only", FVR, "--format", "json")
    assert partly.status == 0
    assert list(parsed(partly.out)["rows"]["a.csv"]) == [FVR]


def test_data_without_split(run: Run) -> None:
    done = run("score", "no split", "a.csv", "--split", "all", "--format", "json")
    assert done.status == 0
    assert parsed(done.out)["context"]["n"] == 10
    assert run("sigma", "no split").status == 0


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ([], {}),
        (["--truth", "clicks", "--pool", "train"], {"truth": "clicks", "pool": "train"}),
        (["--pool", "scored", "--split", "train"], {"pool": "scored", "split": "train"}),
    ],
)
def test_sigma(run: Run, arguments: list[str], chosen: dict[str, str]) -> None:
    result = spread(read_cub("data"), **chosen)
    expected = {
        **{name: write(spread_document(result)) for name, write in WRITE.items()},
        "csv": spread_csv(result),
        "json": spread_json(result),
    }
    for form, text in expected.items():
        done = run("sigma", "data", *arguments, "--format", form)
        assert done == Outcome(0, text, "")
    assert run("sigma", "data", *arguments).out == expected["text"]
    found = parsed(expected["json"])
    for name, values in result.sigma.items():
        assert list(found["sigma"][name].values()) == values.tolist()


# Input that cannot be used.

NO_FILE = "expected to be able to read this, found an error: No such file or directory"
ERRORS: dict[str, tuple[list[str], str | None]] = {
    "no folder": (
        ["score", "nowhere", "a.csv"],
        "nowhere: expected a folder, found nothing of that name",
    ),
    "neither file nor pair": (
        ["score", "data", "nope.csv"],
        "nope.csv: expected a prediction file or NAME=FILE, found nothing of that name",
    ),
    "no such file": (["score", "data", "A=nope.csv"], f"nope.csv: {NO_FILE}"),
    "a folder": (["score", "data", "data"], "data: expected a file, found a folder"),
    "no name": (
        ["score", "data", "=a.csv"],
        "expected NAME=FILE with a name and a file, found =a.csv",
    ),
    "no file": (["score", "data", "A="], "expected NAME=FILE with a name and a file, found A="),
    "name twice": (
        ["score", "data", "A=a.csv", "A=b.npz"],
        "expected each row name once, found A twice",
    ),
    "file twice": (
        ["score", "data", "a.csv", "a.csv"],
        "expected each row name once, found a.csv twice",
    ),
    "a file and its name": (
        ["score", "data", "a.csv", "a.csv=b.npz"],
        "expected each row name once, found a.csv twice",
    ),
    "lacking pairs": (
        ["score", "data", "few.csv", "--split", "all"],
        "few.csv: expected a prediction for each of 150 pairs scored, found none for 15 of them, "
        "first image 1, part 1 (back); --missing invisible takes such pairs as not visible",
    ),
    "unknown part": (
        ["score", "data", "a.csv", "--parts", "back,tial"],
        f"expected a part ({', '.join(DATASET.parts)}), found 'tial'; did you mean tail?",
    ),
    "part twice": (
        ["score", "data", "a.csv", "--parts", "back,back"],
        "expected each part once, found back twice",
    ),
    "no split": (
        ["score", "no split", "a.csv"],
        "no split/train_test_split.txt: expected the split for --split test, without which "
        "only --split all works; found no such file",
    ),
    "no clicks for sigma": (
        ["sigma", "no clicks"],
        "no clicks/parts/part_click_locs.txt: expected the annotators' clicks, found no such file",
    ),
    "no clicks for a form": (
        ["score", "no clicks", "a.csv", "--only", AE],
        "no clicks/parts/part_click_locs.txt: expected the annotators' clicks for a short form "
        "with sigma, found no such file",
    ),
    "no clicks for truth": (
        ["score", "no clicks", "a.csv", "--truth", "clicks"],
        "no clicks/parts/part_click_locs.txt: expected the annotators' clicks for truth:clicks, "
        "found no such file",
    ),
    "unknown form": (
        ["score", "data", "a.csv", "--only", "PCK"],
        "expected a measure (report-error, AE, PCP, FVR, FIR, capped), found 'PCK'; "
        "did you mean PCP?",
    ),
    "key missing": (
        ["score", "data", "a.csv", "--only", "FVR|of:all"],
        "FVR|of:all: expected the key avg (micro, parts, images), found no such key; "
        "a signature has no defaults",
    ),
    "only and all": (
        ["score", "data", "a.csv", "--only", FVR, "--all"],
        "Expected --only or --all, found both. See cubspec score --help.",
    ),
    "not finite": (
        ["score", "data", "d.json", "--visible-above", "nan"],
        "expected --visible-above to be a finite number, found nan",
    ),
    "no command": ([], "Missing command. See cubspec --help."),
    "unknown command": (["scor"], None),
    "no prediction": (
        ["score", "data"],
        "Missing argument 'PRED...'. See cubspec score --help.",
    ),
    "no data": (["sigma"], "Missing argument 'DATA'. See cubspec sigma --help."),
    "unknown option": (["sigma", "data", "--wat"], None),
    "unknown value": (
        ["sigma", "data", "--pool", "some"],
        "Invalid value for '--pool': 'some' is not one of 'all', 'train', 'scored'. "
        "See cubspec sigma --help.",
    ),
    "not a number": (
        ["score", "data", "a.csv", "--visible-above", "much"],
        "Invalid value for '--visible-above': 'much' is not a valid float. "
        "See cubspec score --help.",
    ),
    "line feeds": (
        ["score", "data", "no\nsuch\x1bfile"],
        r"no\nsuch\x1bfile: expected a prediction file or NAME=FILE, found nothing of that name",
    ),
    "a line feed in an option": (["score", "data", "a.csv", "--split", "a\nb"], None),
    "out is a folder": (
        ["sigma", "data", "--out", "data"],
        "data: expected a file to write to, found a folder",
    ),
    "out ends as a folder": (
        ["sigma", "data", "--out", "new/"],
        "new/: expected a file to write to, found a folder",
    ),
    "out in no folder": (
        ["sigma", "data", "--out", "nowhere/x"],
        "nowhere/x: expected a file to write to, found no such folder",
    ),
    "out is a device": (
        ["sigma", "data", "--out", "/dev/null"],
        "/dev/null: expected a file to write to, found a device or a pipe",
    ),
    "out is a prediction": (
        ["score", "data", "P=a.csv", "--out", "./a.csv"],
        "./a.csv: expected a file other than the input, found a.csv",
    ),
    "out is a file of the dataset": (
        ["sigma", "data", "--out", "data/parts/part_locs.txt"],
        "data/parts/part_locs.txt: expected a file other than the input, "
        "found data/parts/part_locs.txt",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), ERRORS.values(), ids=ERRORS)
def test_errors_are_one_line(run: Run, arguments: list[str], message: str | None) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    if message is not None:
        assert done.err == f"cubspec: error: {message}\n"
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", done.err)


@pytest.mark.parametrize("name", ["Human", "Human|workers:mean", "Human|x"])
def test_human_rows_keep_their_names(run: Run, name: str) -> None:
    done = run("score", "data", f"{name}=a.csv")
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"cubspec: error: expected a row name .* found [^\n]*\n", done.err)


def test_errors_name_the_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("image_id,part,x,y,visible\n1,back,3,4,1\n1,beak,3,4,yes\n")
    done = run("score", "data", f"bad={file}")
    assert done == Outcome(
        2,
        "",
        f"cubspec: error: {file}:3: expected visible to be 0, 1, true or false, found 'yes'\n",
    )


# A file instead of stdout.


def test_out_writes_the_same(run: Run, tmp_path: Path) -> None:
    for form in FORMATS:
        file = tmp_path / f"result.{form}"
        expected = run("score", "data", "a.csv", "--format", form)
        assert run("score", "data", "a.csv", "--format", form, "--out", str(file)) == replace(
            expected, out=""
        )
        assert file.read_bytes() == expected.out.encode()
    assert sorted(os.listdir(tmp_path)) == sorted(f"result.{form}" for form in FORMATS)


def test_out_has_the_usual_permissions(run: Run, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        run("sigma", "data", "--out", str(tmp_path / "new"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o604)
    run("sigma", "data", "--out", str(tmp_path / "new"))
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604


def test_out_replaces_what_a_link_leads_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    assert run("sigma", "data", "--out", str(tmp_path / "link")).status == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == run("sigma", "data").out


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_out_is_never_an_input(run: Run, tmp_path: Path, folder: Path, link: Any) -> None:
    link(folder / "a.csv", tmp_path / "other name")
    before = (folder / "a.csv").read_bytes()
    done = run("score", "data", "a.csv", "--out", str(tmp_path / "other name"))
    assert done.status == 2
    assert "expected a file other than the input, found a.csv" in done.err
    assert (folder / "a.csv").read_bytes() == before


def test_out_is_written_whole_or_not_at_all(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "result"
    file.write_text("old")
    monkeypatch.setattr(os, "replace", fail)
    done = run("sigma", "data", "--out", str(file))
    assert done == Outcome(
        2,
        "",
        f"cubspec: error: {file}: expected to be able to write this, "
        "found: No space left on device\n",
    )
    assert os.listdir(tmp_path) == ["result"]
    assert file.read_text() == "old"


def test_out_is_untouched_by_bad_input(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "result"
    assert run("score", "data", "few.csv", "--split", "all", "--out", str(file)).status == 2
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_out_in_a_folder_that_is_read_only(run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = run("sigma", "data", "--out", str(tmp_path / "new"))
    assert done.status == 2
    assert re.fullmatch("cubspec: error: .*/new: expected to be able to write .*\n", done.err)


# Help.


def test_help_states_the_choices_of_the_code() -> None:
    done = CliRunner().invoke(commands, ["score", "--help"], terminal_width=200)
    assert done.exit_code == 0
    for names in (SPLITS, TRUTH.names, POOL.names, FORMATS):
        assert f"[{'|'.join(names)}]" in done.output
    for command in ("score", "sigma"):
        assert command in CliRunner().invoke(commands, ["--help"]).output


# What only a process of its own shows.


def start(
    folder: Path, *arguments: str | bytes, env: dict[str, str] | None = None, **how: Any
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cubspec", *arguments],
        cwd=folder,
        env={**os.environ, **(env or {})},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how},
    )


def finish(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, (out or b"").decode(), (err or b"").decode()


def on_terminal(folder: Path, columns: int, *arguments: str, **env: str) -> tuple[int, str]:
    """Exit status and all output of a run whose stdout and stderr are a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    plain = {"TERM": "xterm-256color", "COLUMNS": "", "LINES": "", "NO_COLOR": ""}
    process = start(folder, *arguments, env={**plain, **env}, stdout=follower, stderr=follower)
    os.close(follower)
    found = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        found += piece
    os.close(leader)
    return process.wait(timeout=60), found.decode().replace("\r\n", "\n")


def without_control(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"(?<![\w.])[0-9]+\.[0-9]{2,3}(?![\w.])", text))


def test_process_separates_results_and_messages(folder: Path) -> None:
    status, out, err = finish(start(folder, "score", "data", "a.csv", "--format", "json"))
    assert status == 0
    assert parsed(out)["rows"].keys() == {"a.csv", "Human|workers:mean", "Human|workers:pooled"}
    assert re.fullmatch(r"(cubspec: note: [^\n]+\n)*", err)
    status, out, err = finish(start(folder, "score", "data", "nope.csv"))
    assert (status, out) == (2, "")
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)


def test_version(folder: Path) -> None:
    script = Path(sys.executable).with_name("cubspec")
    found = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"cubspec {cubspec.__version__}\n"
    assert finish(start(folder, "--version")) == (0, found.stdout, "")


def test_help_starts_without_rich(folder: Path) -> None:
    code = (
        "import sys; from cubspec.cli import main; main(['score', '--help'])\n"
        "assert not any(each.startswith('rich') for each in sys.modules), 'rich is loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_piped_text_is_the_same_whatever_the_terminal(folder: Path) -> None:
    found = {
        finish(start(folder, "score", "data", "a.csv", "--per-part", env=env))
        for env in (
            {"COLUMNS": "40"},
            {"COLUMNS": "400", "FORCE_COLOR": "1", "TERM": "xterm-256color"},
            {"TERM": "dumb", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        )
    }
    ((status, out, _),) = found
    assert status == 0
    assert "σ" in out
    assert "\x1b" not in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) > 100


def test_terminal_shows_every_digit_in_its_width(folder: Path) -> None:
    arguments = ["score", "data", "a.csv", "--per-part"]
    plain = finish(start(folder, *arguments))[1]
    for columns in (80, 140):
        status, text = on_terminal(folder, columns, *arguments)
        assert status == 0
        assert "\x1b[1m" in text
        lines = without_control(text).split("\n")
        shown = [line for line in lines if not line.startswith(("cubspec: ", "data:", "\r"))]
        assert max(map(len, shown)) <= columns
        assert numbers(without_control(text)) == numbers(plain)
        assert "…" not in text


def test_terminal_without_colours_or_characters(folder: Path) -> None:
    status, text = on_terminal(folder, 80, "sigma", "data", NO_COLOR="1")
    assert status == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", text.split("data:")[1])
    status, text = on_terminal(folder, 80, "sigma", "data", PYTHONIOENCODING="ascii")
    assert status == 0
    assert r"\u03c3, the annotators' spread" in text
    assert text.isascii()


def test_reader_that_leaves(folder: Path) -> None:
    process = start(folder, "score", "data", "a.csv", "--format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert re.fullmatch(r"(cubspec: note: [^\n]+\n)*", err)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [["sigma", "data"], ["--help"]])
def test_full_disk(folder: Path, arguments: Sequence[str]) -> None:
    with open("/dev/full", "wb") as full:
        status, _, err = finish(start(folder, *arguments, stdout=full))
    assert status == 2
    assert err == (
        "cubspec: error: stdout: expected to be able to write, found: No space left on device\n"
    )


def test_closed_streams(folder: Path) -> None:
    def shell(redirection: str) -> tuple[int, str, str]:
        command = f'"{sys.executable}" -m cubspec sigma data {redirection}'
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    message = "cubspec: error: stdout: expected to be able to write, found it closed\n"
    assert shell(">&-") == (2, "", message)
    status, out, err = shell("2>&-")
    assert (status, err) == (0, "")
    assert out.startswith("data:")


def test_interrupt(folder: Path, tmp_path: Path) -> None:
    # Whoever opens a pipe to write waits for the reader, so the command is reading by then.
    os.mkfifo(tmp_path / "pipe")
    process = start(folder, "score", "data", f"P={tmp_path / 'pipe'}")
    with open(tmp_path / "pipe", "wb"):
        process.send_signal(signal.SIGINT)
        status, out, err = finish(process)
    assert (status, out, err.strip()) == (130, "", "")


def test_names_that_are_no_text(folder: Path) -> None:
    name = os.fsencode(folder) + b"/\xff\n.csv"
    try:
        with open(name, "wb") as stream:
            stream.write((folder / "a.csv").read_bytes())
    except OSError:
        pytest.skip("this file system has only names that are text")
    written = {
        "text": r"\udcff\n.csv",
        "markdown": r"\\udcff\\n.csv",
        "latex": r"\textbackslash{}udcff\textbackslash{}n.csv",
        "csv": "\\udcff\n.csv",
        "json": r"\udcff\n.csv",
    }
    assert written.keys() == set(FORMATS)
    for form, expected in written.items():
        arguments = ["--only", FVR, "--format", form]
        status, out, _ = finish(start(folder, "score", "data", name, *arguments))
        assert status == 0
        assert expected in out
    status, out, err = finish(start(folder, "score", "data", b"A=" + name + b"\n\xfe"))
    assert (status, out) == (2, "")
    assert err == f"cubspec: error: {folder}/\\udcff\\n.csv\\n\\udcfe: {NO_FILE}\n"
