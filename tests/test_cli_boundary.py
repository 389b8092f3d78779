"""The command line where it meets bad input, other people's data, and streams that fail."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import cubspec.cli
import cubspec.example_files
from cubspec import read_cub
from cubspec.cli import main
from cubspec.facts_files import READERS
from cubspec.tables import csv_text
from tests.writing import random_dataset, random_prediction, write_csv, write_cub, write_npz

DATASET = random_dataset(51, images=6)
EXAMPLE = ("example", "--birds", "3")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a dataset, `d`, and predictions, a.csv."""
    write_cub(tmp_path / "d", replace(DATASET, training=None))
    write_csv(tmp_path / "a.csv", DATASET.image_id, random_prediction(1, DATASET))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process; gives exit status, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        return status, *capsys.readouterr()

    return call


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def process(
    folder: Path, *arguments: str, shell: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with a redirection of the shell's."""
    command = f'exec "$0" "$@" {shell}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, "-m", "cubspec", *arguments],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
    )


def assert_fails(outcome: tuple[int, str, str], said: str) -> None:
    status, out, err = outcome
    assert (status, out) == (2, "")
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)
    assert said in err


# A result never takes a place in the dataset.

PLACES = sorted({*READERS, *(os.path.basename(name) for name in READERS)})


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("command", [["score", "d", "A=a.csv", "--split", "all"], ["facts", "d"]])
def test_out_is_no_file_that_the_dataset_may_have(
    run: Run, folder: Path, name: str, command: list[str]
) -> None:
    (folder / "d" / "attributes").mkdir()
    before = contents(folder)
    assert_fails(run(*command, "--out", f"d/{name}"), "expected a file other than the input, found")
    assert contents(folder) == before


@pytest.mark.parametrize(
    "command",
    [
        ["sigma", "d"],
        ["readings", "--fvr", "20", "--data", "d", "--split", "all"],
        ["score", ".", "A=a.csv", "--split", "all"],
        ["sigma", "."],
        ["facts", "."],
    ],
)
@pytest.mark.parametrize("out", ["d/classes.txt", "link", "d/parts/../TRAIN_test_split.txt"])
def test_out_is_no_such_file_by_another_path(
    run: Run, folder: Path, command: list[str], out: str
) -> None:
    (folder / "link").symlink_to("d/bounding_boxes.txt")
    before = contents(folder)
    assert_fails(run(*command, "--out", out), "expected a file other than the input, found")
    assert contents(folder) == before


def test_out_is_no_second_dataset_in_the_folder_given(run: Run, folder: Path) -> None:
    assert_fails(run("sigma", ".", "--out", "part_locs.txt"), "the place of part_locs.txt")
    assert len(read_cub(folder).image_id) == 6


def test_out_may_lie_in_the_dataset_under_another_name(run: Run, folder: Path) -> None:
    assert run("sigma", "d", "--out", "d/parts/sigma.txt")[0] == 0
    assert (folder / "d/parts/sigma.txt").read_text("utf-8") == run("sigma", "d")[1]


# The example writes its folder and its result, or neither.


@pytest.mark.parametrize("out", ["w/A.csv", "w/new", "./w/../w/A.csv", "link/A.csv", "w"])
@pytest.mark.parametrize("there", [False, True])
def test_out_lies_outside_of_write(run: Run, folder: Path, out: str, there: bool) -> None:
    (folder / "link").symlink_to("w")
    if there:
        (folder / "w").mkdir()
    assert_fails(run(*EXAMPLE, "--write", "w", "--out", out), f"{out}: expected ")
    assert (folder / "w").exists() == there
    assert not there or os.listdir(folder / "w") == []


def test_write_lies_outside_of_out(run: Run, folder: Path) -> None:
    said = run(*EXAMPLE, "--write", "w2/birds", "--out", "w2")
    assert_fails(said, "w2: expected a file outside of --write w2/birds")
    assert not (folder / "w2").exists()


def test_write_and_out_beside_each_other(run: Run, folder: Path) -> None:
    assert run(*EXAMPLE, "--write", "w", "--out", "w.txt")[:2] == (0, "")
    assert "Checks and hypotheses" in (folder / "w.txt").read_text("utf-8")
    assert (folder / "w" / "A.csv").is_file()


def test_a_closed_stdout_is_found_before_writing(folder: Path) -> None:
    done = process(folder, *EXAMPLE, "--write", "w", shell=">&-")
    message = "cubspec: error: stdout: expected to be able to write, found it closed\n"
    assert (done.returncode, done.stderr) == (2, message)
    assert not (folder / "w").exists()


def test_write_to_the_working_folder(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder / "empty")
    for name in (".", str(folder / "empty")):
        assert_fails(run(*EXAMPLE, "--write", name), f"{name}: expected a new or an empty folder")
    assert os.listdir(folder / "empty") == []


def test_write_to_a_link_to_an_empty_folder(run: Run, folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("empty")
    assert run(*EXAMPLE, "--write", "link")[0] == 0
    assert (folder / "link").is_symlink()
    assert (folder / "empty" / "A.csv").is_file()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_no_folders(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    (folder / "old").mkdir()
    monkeypatch.setattr(cubspec.example_files, "_write_all", fail)
    status, out, err = run(*EXAMPLE, "--write", "old/new/newer/w")
    assert out == ""
    if isinstance(error, OSError):
        assert_fails((status, out, err), "old/new/newer/w: expected to be able to write, found: No")
    else:
        assert (status, err.strip()) == (130, "")
    assert os.listdir(folder / "old") == []


# Memory.


def test_too_little_memory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 9 EiB")

    monkeypatch.setattr(cubspec.cli, "score", fail)
    outcome = run("score", "d", "a.csv", "--split", "all")
    assert outcome == (
        2,
        "",
        "cubspec: error: expected enough memory for this input, found too little\n",
    )


def test_too_many_birds(run: Run) -> None:
    outcome = run("example", "--birds", "10000001")
    assert_fails(outcome, "Invalid value for '--birds': 10000001 is not in the range x<=10000000.")


# Streams.


@pytest.mark.parametrize("encoding", ["latin-1", "koi8-r"])
def test_help_in_any_encoding(folder: Path, encoding: str) -> None:
    done = process(folder, "score", "--help", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"--parts NAME,\u2026" in done.stdout


def test_a_name_in_any_encoding(folder: Path) -> None:
    done = process(folder, "score", "d", "σ", PYTHONIOENCODING="latin-1:strict")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(r"cubspec: error: \u03c3: expected a prediction file")


def test_only_stdout_is_blamed_on_stdout(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr(cubspec.cli, "score", fail)
    outcome = run("score", "d", "a.csv", "--split", "all")
    assert_fails(outcome, "somewhere: expected to be able to read and write, found: Permission")


@pytest.mark.parametrize("arguments", [["cite", "FVR|of:all|avg:micro"], list(EXAMPLE)])
def test_out_from_a_deleted_folder(folder: Path, arguments: list[str]) -> None:
    (folder / "gone").mkdir()
    code = "import os, sys; os.rmdir('../gone'); from cubspec.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--out", "x"],
        cwd=folder / "gone",
        env={**os.environ, "PYTHONPATH": str(Path(cubspec.__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert_fails((done.returncode, done.stdout, done.stderr), "x: expected to be able to write")


# Warnings.

WARN = "import warnings, cubspec.cli as cli\nread = cli.read_cub\n" + (
    "def warned(folder):\n"
    "    warnings.warn('foreign', SyntaxWarning)\n"
    "    return read(folder)\n"
    "cli.read_cub = warned\nraise SystemExit(cli.main(['sigma', 'd']))\n"
)


@pytest.mark.parametrize(("options", "shown"), [([], False), (["-W", "default"], True)])
def test_warnings_reach_only_those_who_ask(folder: Path, options: list[str], shown: bool) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    done = subprocess.run(
        [sys.executable, *options, "-c", WARN], cwd=folder, env=kept, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert ("SyntaxWarning: foreign" in done.stderr) == shown
    assert shown or not done.stderr


def test_an_archive_saved_under_python_2(folder: Path) -> None:
    write_npz(folder / "new.npz", DATASET.image_id, random_prediction(1, DATASET))
    with zipfile.ZipFile(folder / "new.npz") as new, zipfile.ZipFile("old.npz", "w") as old:
        for name in new.namelist():
            content = new.read(name)
            start = 10 + int.from_bytes(content[8:10], "little")
            header = re.sub(rb"\((\d+),", rb"(\1L,", content[10:start]).replace(b" \n", b"\n")
            old.writestr(name, content[:10] + header + content[start:])
    arguments = ["--split", "all", "--only", "FVR|of:all|avg:micro", "--format", "csv"]
    outcomes = [process(folder, "score", "d", f"A={n}.npz", *arguments) for n in ("new", "old")]
    new_run, old_run = ((each.returncode, each.stdout, each.stderr) for each in outcomes)
    assert b"L," in (folder / "old.npz").read_bytes()
    assert old_run == new_run
    assert old_run[0] == 0
    assert "Warning" not in old_run[2]


def test_the_filters_of_a_caller_are_kept(run: Run) -> None:
    before = list(warnings.filters)
    assert run("sigma", "d")[0] == 0
    assert list(warnings.filters) == before


# CSV.


@pytest.mark.parametrize("cell", ["a\rb", "\r", "a\r\nb", "a\nb", 'a"\r"', "a,b", "plain", ""])
def test_csv_is_read_back_whatever_a_cell_holds(cell: str) -> None:
    text = csv_text([("row", "value"), (cell, 1.5), (None, cell)])
    found = list(csv.reader(io.StringIO(text, newline="")))
    assert found == [["row", "value"], [cell, "1.5"], ["", cell]]


def test_csv_quotes_a_carriage_return_and_nothing_more() -> None:
    assert csv_text([("a\rb", "plain", None, 2)]) == '"a\rb",plain,,2\n'


def test_a_row_name_with_a_carriage_return(run: Run) -> None:
    arguments = ["--split", "all", "--only", "FVR|of:all|avg:micro", "--format", "csv"]
    out = run("score", "d", "A\rB=a.csv", *arguments)[1]
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    assert rows[0]["row"] == "A\rB"


# Interrupts.


def test_an_interrupt_while_loading(folder: Path) -> None:
    code = (
        "import os, runpy, signal, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'cubspec.cli':\n"
        f"            os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "runpy.run_module('cubspec', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# Names that are empty, and options that do nothing.

EMPTY = {
    "score": ["score", "", "a.csv"],
    "prediction": ["score", "d", ""],
    "sigma": ["sigma", ""],
    "facts": ["facts", ""],
    "readings": ["readings", "--fvr", "20", "--data", ""],
    "reproduce": ["readings", "--reproduce", "liu2013", ""],
    "verify": ["verify", "results.json", ""],
    "verify a prediction": ["verify", "results.json", "d", ""],
    "out": ["sigma", "d", "--out", ""],
    "write": ["example", "--write", ""],
}


@pytest.mark.parametrize("arguments", EMPTY.values(), ids=EMPTY)
def test_empty_names(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    # An empty path is the working folder to Python, so that is one with a dataset.
    monkeypatch.chdir(folder / "d")
    assert_fails(run(*arguments), "expected a name, found an empty one. See cubspec ")


def test_a_split_without_effect(run: Run) -> None:
    note = "cubspec: note: --split all has no effect without --pool scored.\n"
    plain = run("sigma", "d")
    assert note not in plain[2]
    status, out, err = run("sigma", "d", "--split", "all")
    assert (status, out) == plain[:2]
    assert note in err
    assert note not in run("sigma", "d", "--split", "all", "--pool", "scored")[2]
