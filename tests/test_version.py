"""The version stands in pyproject.toml; whatever else states it must agree."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import cubspec

ROOT = Path(__file__).parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
DEFINITION = r"""(?i)\b(?:__)?version(?:__)?["']? *[:=] *["']?([0-9]+\.[0-9]+[0-9a-z.+]*)"""
"""What states a version of its own, in a settings file or a module."""


CITATION_KEYS = {
    *("abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi"),
    *("identifiers", "keywords", "license", "license-url", "message", "preferred-citation"),
    *("references", "repository", "repository-artifact", "repository-code", "title", "type"),
    *("url", "version"),
}
"""Every key of CFF 1.2.0."""


def test_the_installed_package_is_this_one() -> None:
    assert version("cubspec") == VERSION, "install it again: pip install --editable ."
    assert cubspec.__version__ == VERSION


def test_the_changelog_begins_with_it() -> None:
    headings = re.findall(
        r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert headings[0] == VERSION


def test_the_citation_agrees() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation.get("version", VERSION) == VERSION


@pytest.mark.parametrize("name", ["mkdocs.yml", "Makefile", "cubspec"])
def test_no_other_file_states_it(name: str) -> None:
    found = ROOT / name
    for file in sorted(found.rglob("*.py")) if found.is_dir() else [found]:
        assert re.findall(DEFINITION, file.read_text("utf-8")) == [], file


def test_a_statement_would_be_found() -> None:
    for text in ('__version__ = "1.0.0"', "version: 1.0.0", "VERSION = '1.0.0.dev0'"):
        assert re.search(DEFINITION, text)


def test_the_citation_has_what_its_format_demands() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["license"] == "MIT"
    assert citation["authors"] == [{"name": "The cubspec authors"}]
    assert citation.keys() <= CITATION_KEYS
    for key in ("title", "message", "abstract"):
        assert isinstance(citation[key], str)
        assert citation[key].strip() == citation[key] != ""
    keywords = citation["keywords"]
    assert all(isinstance(each, str) for each in keywords)
    assert len(set(keywords)) == len(keywords) > 0
