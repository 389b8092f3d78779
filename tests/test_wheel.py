"""The wheel: what it holds, and that it works where nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from cubspec import __version__, read_cub, read_predictions, score
from tests.writing import random_dataset, random_prediction, write_csv, write_cub

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
# pip before 25.3 reads the first name for the build backend, later ones the second. A relative
# path, since pip splits the value at white space.
PINNED = {"PIP_CONSTRAINT": CONSTRAINTS.name, "PIP_BUILD_CONSTRAINT": CONSTRAINTS.name}


def call(*command: str | Path, folder: Path, **env: str) -> str:
    """Run a command that is to succeed, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env={**kept, **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "build", "--wheel", "--outdir", folder)
    call(*build, folder=ROOT, **PINNED)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip = (folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
    call(*pip, "install", "--constraint", CONSTRAINTS.name, wheel, folder=ROOT)
    return folder / "bin"


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    assert wheel.name == f"cubspec-{__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    metadata = f"cubspec-{__version__}.dist-info/"
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "cubspec").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if not name.startswith(metadata)} == package
    assert {name.removeprefix(metadata) for name in names if name.startswith(metadata)} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_wheel_holds_the_tangled_modules(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    pages = [
        path
        for each in ("measures", "truth", "birds")
        for path in (ROOT / "docs" / each).glob("*.md")
    ]
    assert pages
    for page in pages:
        if "```python\n" in page.read_text():
            module = page.relative_to(ROOT / "docs").with_suffix(".py")
            assert f"cubspec/{module.as_posix()}" in names


def test_installed_command_gives_the_same_numbers(installed: Path, tmp_path: Path) -> None:
    dataset = random_dataset(60, images=6)
    write_cub(tmp_path / "data", dataset)
    write_csv(tmp_path / "a.csv", dataset.image_id, random_prediction(61, dataset))
    command = installed / "cubspec"
    assert call(command, "--version", folder=tmp_path) == f"cubspec {__version__}\n"
    scored = json.loads(call(command, "score", "data", "a.csv", "--format=json", folder=tmp_path))
    expected = score(read_cub(tmp_path / "data"), {"a.csv": read_predictions(tmp_path / "a.csv")})
    assert scored["signatures"] == expected.signatures
    for row, values in expected.rows.items():
        found = [float("nan") if each is None else each for each in scored["rows"][row].values()]
        assert found == pytest.approx(list(values.values()), rel=1e-12, nan_ok=True)
    assert "sigma:sd-mean" in call(command, "score", "data", "a.csv", folder=tmp_path)
    assert "σ, the annotators' spread" in call(command, "sigma", "data", folder=tmp_path)


def test_installed_package_is_that_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    where = call(
        installed / "python", "-c", "import cubspec; print(cubspec.__file__)", folder=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert "No broken requirements found" in call(
        installed / "python", "-m", "pip", "check", folder=tmp_path
    )
