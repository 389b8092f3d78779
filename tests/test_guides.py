"""Every command that a guide prints runs, and does what the guide says of its outcome."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cubspec.cli import main
from cubspec.site.tables import TABLES
from cubspec.tangle import blocks

ROOT = Path(__file__).parent.parent
GUIDES = sorted(path for path in (ROOT / "docs" / "guide").glob("*.md") if path.stem != "develop")


def commands(page: Path) -> list[str]:
    """The lines of a page's `sh` blocks, in order."""
    found = [
        block.code for block in blocks(page.read_text("utf-8"), str(page)) if block.language == "sh"
    ]
    lines = "\n".join(found).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


@pytest.fixture
def beside_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the guides' commands name: synthetic birds in place of the dataset."""
    folder = tmp_path / "CUB_200_2011"
    assert main(["example", "--birds", "30", "--write", str(folder)]) == 0
    shutil.copy(folder / "A.csv", tmp_path / "predictions.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_command_of_a_guide(
    page: Path, beside_the_dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in commands(page):
        words = shlex.split(line, comments=True)
        if words[0] == "python":
            done = subprocess.run([sys.executable, *words[1:]], check=False, capture_output=True)
            assert done.returncode == 0, (line, done.stderr)
            continue
        assert words[0] == "cubspec", f"{page.name}: expected cubspec or python, found {line!r}"
        status = main(words[1:])
        assert status == 0, (line, capsys.readouterr().err)


def test_the_guide_to_scoring_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = TABLES["scores-of-birds"]("guide/score.md", "300").split("\n")
    for command in commands(ROOT / "docs" / "guide" / "score.md")[:2]:
        assert command.startswith(("cubspec example ", "cubspec score birds "))
        capsys.readouterr()
        assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith("\n".join(shown[1:-2]) + "\n")


def test_the_guide_to_developing_names_what_there_is() -> None:
    text = (ROOT / "docs" / "guide" / "develop.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = [line.split()[1] for line in text.splitlines() if line.startswith("make ")]
    assert {"serve", "test", "check", "tangle"} <= set(targets)
    assert all(f"\n{target}:" in makefile for target in targets)
    for line in commands(ROOT / "docs" / "guide" / "develop.md"):
        words = shlex.split(line)
        assert words[0] == "python"
        assert words[1] == "-m" or (ROOT / words[1]).is_file(), line


LOOKED_AT = ("assets", "glossary")
"""The folders of the site that pictures are taken of, since those of every page take a while."""


def test_the_commands_of_the_guide_to_developing(chromium: str, tmp_path: Path) -> None:
    checkout, pictures = tmp_path / "checkout", tmp_path / "screenshots"
    for name in ("bench", "cubspec", "docs"):
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("mkdocs.yml", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, checkout)
    module = Path("cubspec", "measures", "capped.py")
    (checkout / module).write_text("", "utf-8")
    for line in commands(ROOT / "docs" / "guide" / "develop.md"):
        words = shlex.split(line.replace("/tmp/screenshots", str(pictures)))
        if "bench/screenshots.py" in words:
            for path in (checkout / "site").iterdir():
                if path.is_dir() and path.name not in LOOKED_AT:
                    shutil.rmtree(path)
        done = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=checkout,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "CHROMIUM": chromium},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert (checkout / module).read_bytes() == (ROOT / module).read_bytes()
    assert {path.name for path in pictures.iterdir()} == {
        f"{page}-{size}-{theme}.png"
        for page in ("front", "glossary")
        for size in (1280, 390)
        for theme in ("light", "dark")
    }
