"""Addresses are permanent: no anchor that was ever published disappears.

`python -m tests.test_anchors` adds those of new headings to the list; none is ever removed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
LIST = Path(__file__).parent / "anchors.txt"
HEADING = re.compile(r"^#{1,6} .*\{#([a-z0-9-]+)[^}]*\} *$", re.MULTILINE)


def address(file: Path) -> str:
    """The address of a page's source, relative to the site."""
    place = file.relative_to(DOCS).with_suffix("").as_posix()
    return "" if place == "index" else f"{place.removesuffix('/index')}/"


def anchors_of_pages() -> set[str]:
    """Page and anchor of every heading of every page."""
    found = set()
    for file in DOCS.rglob("*.md"):
        text = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", file.read_text("utf-8"), flags=re.M | re.S)
        found |= {f"{address(file)}#{anchor}" for anchor in HEADING.findall(text)}
    for file in DOCS.rglob("*.ipynb"):
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                text = "".join(cell["source"])
                found |= {f"{address(file)}#{anchor}" for anchor in HEADING.findall(text)}
    return found


def published() -> set[str]:
    """Page and anchor of everything on the list."""
    return set(LIST.read_text("utf-8").split())


def test_every_published_anchor_is_still_there(site: Path) -> None:
    ids: dict[str, set[str]] = {}
    for page in {each.partition("#")[0] for each in published()}:
        html = BeautifulSoup((site / page / "index.html").read_text("utf-8"), "html.parser")
        ids[page] = {str(element["id"]) for element in html.find_all(id=True)}
    gone = {each for each in published() if each.partition("#")[2] not in ids[each.split("#")[0]]}
    assert not gone


def test_every_anchor_is_on_the_list() -> None:
    new = anchors_of_pages() - published()
    assert not new, "run `python -m tests.test_anchors` to add these to tests/anchors.txt"


if __name__ == "__main__":
    known = published() if LIST.exists() else set()
    LIST.write_text("\n".join(sorted(known | anchors_of_pages())) + "\n", "utf-8")
