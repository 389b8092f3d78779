"""The built site shows the very code that is imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from cubspec.tangle import blocks, site_address, tangled, title

ROOT = Path(__file__).parent.parent
MODULES = [path for path in tangled(ROOT) if path.stem != "__init__"]


def built_page(site: Path, module: Path) -> BeautifulSoup:
    """The built page that a module was made from."""
    file = site / module.parent.name / module.stem / "index.html"
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_what_is_read_is_what_is_imported(site: Path, module: Path) -> None:
    shown = [
        block.find("code").get_text().strip("\n")
        for block in built_page(site, module).select("div.language-python")
    ]
    page = ROOT / "docs" / module.parent.name / f"{module.stem}.md"
    address = f"{site_address(ROOT)}{module.parent.name}/{module.stem}/"
    text = page.read_text("utf-8")
    anchors = [b.anchor for b in blocks(text, str(page)) if b.language == "python"]
    comments = [f"# {address}#{anchor}\n" for anchor in anchors]
    imported = (ROOT / module).read_text("utf-8")
    head, *rest = imported.split(comments[0], 1)
    assert head.startswith(f'"""{title(text, str(page))}.\n')
    assert head.endswith('"""\n\n')
    written = "\n\n\n".join(comment + code for comment, code in zip(comments, shown, strict=True))
    assert comments[0] + rest[0] == written + "\n"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_anchor_named_in_a_module_is_on_its_page(site: Path, module: Path) -> None:
    page = built_page(site, module)
    source = ROOT / "docs" / module.parent.name / f"{module.stem}.md"
    for block in blocks(source.read_text("utf-8"), str(source)):
        if block.language == "python":
            assert page.find(id=block.anchor) is not None


def test_examples_are_shown_and_not_imported(site: Path) -> None:
    page = built_page(site, Path("cubspec/measures/pcp.py"))
    examples = [block.get_text() for block in page.select("div.language-pycon")]
    assert len(examples) >= 6
    assert all(">>>" in example for example in examples)
    assert ">>>" not in (ROOT / "cubspec" / "measures" / "pcp.py").read_text("utf-8")
