"""What the README prints is what cubspec does."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from cubspec.cli import main
from cubspec.example import make_example
from cubspec.tangle import blocks

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")

COLUMNS = (
    "PCP|sigma:sd-mean|ref:one",
    "PCP|sigma:sd-mean|ref:median",
    "PCP|sigma:sd-mean|ref:any",
    "AE|sigma:sd-mean|avg:micro",
    "report-error|sigma:sd-mean|none:zero|avg:micro",
)


def test_the_figures_are_the_birds_figures() -> None:
    result = make_example(only=()).result
    found = re.findall(r"^\| \*\*([ABC])\*\* \| (.*) \|$", README, re.MULTILINE)
    assert [name for name, _ in found] == ["A", "B", "C"]
    for name, cells in found:
        decimals = (2, 2, 2, 3, 3)
        row = [result.rows[name][short] for short in COLUMNS]
        printed = [f"{value:.{places}f}" for value, places in zip(row, decimals, strict=True)]
        assert cells.split(" | ") == printed


@pytest.fixture
def beside_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds what the README's commands name."""
    assert main(["example", "--birds", "40", "--write", str(tmp_path / "CUB_200_2011")]) == 0
    predictions = (tmp_path / "CUB_200_2011" / "A.csv").read_text("utf-8")
    (tmp_path / "predictions.csv").write_text(predictions, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_example_runs(beside_the_dataset: Path) -> None:
    (code,) = [block.code for block in blocks(README, "README.md") if block.language == "python"]
    assert len([line for line in code.splitlines() if line]) <= 10
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "README.md", "exec"), {})
    value, signature = output.getvalue().splitlines()
    assert re.fullmatch(r"\d+\.\d\d %", value)
    assert signature.startswith("PCP|sigma:sd-mean|ref:median|data:")


def test_every_command_runs(beside_the_dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fenced = [block.code for block in blocks(README, "README.md") if block.language == "sh"]
    lines = [line for code in fenced for line in code.splitlines()]
    lines += re.findall(r"`(cubspec [^`]+)`", README)
    commands = [line.split("#")[0].split() for line in lines if line.startswith("cubspec ")]
    assert ["cubspec", "score", "CUB_200_2011", "predictions.csv"] in commands
    for command in sorted(commands, key=lambda words: "--write" not in words):
        assert main(command[1:]) == 0, command
        assert capsys.readouterr().out
