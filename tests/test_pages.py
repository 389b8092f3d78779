"""Every page's code is collected, imported, read and anchored as one text."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from sybil import Document

from cubspec.choices import Choice, context_choices, measures
from cubspec.tangle import PACKAGES, blocks
from tests.page_blocks import BlockParser

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
PYTHON_LIKE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t{.]*(python|py)", re.MULTILINE | re.IGNORECASE)


def every_choice() -> list[Choice]:
    """Each choice once, those of measures first."""
    own = {id(choice): choice for each in measures() for choice in each.choices}
    return [*own.values(), *context_choices().values()]


EVERY_VALUE = [(choice, name) for choice in every_choice() for name in choice.names]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_python_like_fence_is_collected(path: Path) -> None:
    text = path.read_text("utf-8")
    opened = [text.count("\n", 0, fence.start()) + 1 for fence in PYTHON_LIKE.finditer(text)]
    regions = BlockParser()(Document(text, str(path)))
    collected = [text.count("\n", 0, region.start) + 1 for region in regions]
    assert collected == opened


def test_the_guard_sees_what_the_usual_parser_passes_over() -> None:
    fences = ["python", "pycon", "py", 'python title="x"', "{ .python #id }", "Python3"]
    text = "".join(f"```{fence}\n1\n```\n\n" for fence in fences)
    assert len(PYTHON_LIKE.findall(text)) == len(fences)
    collected = [region.parsed for region in BlockParser()(Document(text, "x.md"))]
    assert collected == ["1\n"] * len(fences)


@pytest.mark.parametrize(
    ("choice", "name"), EVERY_VALUE, ids=[f"{c.anchor}-{name}" for c, name in EVERY_VALUE]
)
def test_every_value_has_its_anchor_code_and_example(choice: Choice, name: str) -> None:
    page = ROOT / "docs" / f"{choice.page}.md"
    under = [
        block
        for block in blocks(page.read_text("utf-8"), str(page))
        if block.anchor == f"{choice.anchor}-{name}"
    ]
    function = choice[name].__name__
    defined = {
        node.name
        for block in under
        if block.language == "python"
        for node in ast.parse(block.code).body
        if isinstance(node, ast.FunctionDef)
    }
    assert function in defined
    examples = [block.code for block in under if block.language == "pycon"]
    assert any(re.search(rf"\b{function}\(", code) for code in examples)


@pytest.mark.parametrize("each", measures(), ids=lambda each: each.id)
def test_every_measure_has_its_page_and_anchor(each: object) -> None:
    from cubspec.choices import Measure

    assert isinstance(each, Measure)
    text = (ROOT / "docs" / f"{each.page}.md").read_text("utf-8")
    assert re.search(rf"^#+ .*\{{#{each.anchor}\}}$", text, re.MULTILINE)
    assert f"<!-- table: at-a-glance {each.id} -->" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_heading_has_an_anchor_of_its_own(path: Path) -> None:
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", path.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#{1,6} .*$", text, re.MULTILINE)
    anchors = [re.search(r"\{#([a-z0-9-]+)\}$", heading) for heading in headings]
    assert all(anchors), [h for h, anchor in zip(headings, anchors, strict=True) if not anchor]
    names = [anchor[1] for anchor in anchors if anchor]
    assert len(set(names)) == len(names)


def imports_of(file: Path) -> set[str]:
    """The modules of cubspec that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "cubspec"}


MAY_IMPORT = {
    "data": (),
    "choices": ("cubspec.data",),
    "truth": ("cubspec.truth", "cubspec.choices", "cubspec.data"),
    "measures": ("cubspec.measures", "cubspec.truth", "cubspec.choices", "cubspec.data"),
    "birds": ("cubspec.birds", "cubspec.truth", "cubspec.choices", "cubspec.data"),
}


def test_imports_point_one_way() -> None:
    for package, allowed in MAY_IMPORT.items():
        place = ROOT / "cubspec" / package
        files = sorted(place.glob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        for file in files:
            for name in imports_of(file) if file.is_file() else ():
                assert name.startswith(allowed or ("nothing",)), f"{file.name} imports {name}"
    for file in (ROOT / "cubspec").rglob("*.py"):
        for name in imports_of(file):
            assert name != "cubspec.cli" or file.stem == "__main__", f"{file.name} imports {name}"
            in_site = "site" in file.relative_to(ROOT).parts
            assert not name.startswith("cubspec.site") or in_site, f"{file.name} imports {name}"


def test_every_package_of_pages_is_tangled() -> None:
    for package in PACKAGES:
        if (ROOT / "docs" / package).is_dir():
            assert (ROOT / "cubspec" / package / "__init__.py").is_file()


EVIDENCE = {
    "measures/pcp": ("code.md#code-toolbox", "code.md#code-bird-evaluator", "readings.md"),
    "measures/report_error": ("code.md#code-toolbox-distance",),
    "measures/visibility": ("readings.md#readings-settled", "code.md#code-nobody"),
    "measures/average_error": ("readings.md#readings-favourite-sigma",),
    "truth/sigma": ("code.md#code-toolbox", "readings.md#readings-favourite-sigma"),
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_choices_link_to_the_evidence_for_them(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    for target in EVIDENCE[name]:
        assert f"](../evidence/{target}" in text


GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")
TERMS = {
    anchor: "|".join(re.escape(spelling) for spelling in names.split(", "))
    for names, anchor in re.findall(r"^(.+) \{#(glossary-.+)\}$", GLOSSARY, re.MULTILINE)
}


def in_navigation() -> list[str]:
    """Return the pages in reading order, but for the front page and the glossary."""
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    pages = re.findall(r"([\w/]+\.md)$", navigation.partition("\n\n")[0], re.MULTILINE)
    return [name for name in pages if name not in ("index.md", "glossary.md")]


def prose(text: str) -> str:
    """Return a page's paragraphs; what is a link to somewhere else is not counted as a mention."""
    for apart in (
        r"^---\n.*?^---\n",
        r"^```.*?^```",
        r"<!--.*?-->",
        r"^[#|].*?$",
        r"`[^`]*`",
        r"\[[^]]*\]\((?!\S*glossary\.md)[^)]*\)",
    ):
        text = re.sub(apart, "", text, flags=re.MULTILINE | re.DOTALL)
    return text


@pytest.mark.parametrize("anchor", TERMS)
def test_terms_link_to_the_glossary_on_the_page_where_they_first_appear(anchor: str) -> None:
    names = re.compile(rf"(?<!-)\b({TERMS[anchor]})s?\b", re.IGNORECASE)
    for name in in_navigation():
        text = prose((ROOT / "docs" / name).read_text("utf-8"))
        mention = names.search(re.sub(r"\]\([^)]*\)", "]", text))
        if mention:
            assert f"glossary.md#{anchor})" in text, f"{name} has {mention[0]!r} first"
            return
    pytest.fail(f"no page uses {TERMS[anchor]}")
