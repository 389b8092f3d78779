"""The hooks fonts.py, frames.py, weight.py and search.py of cubspec/site."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from markdown import Markdown

from cubspec.site.fonts import characters, cut, italic
from cubspec.site.frames import (
    framed_code,
    framed_tables,
    module,
    with_unbroken_code,
    with_unbroken_formulas,
)
from cubspec.site.math import MathExtension, mathml
from cubspec.site.search import defined_names, defined_values
from cubspec.site.weight import lighter

ROOT = Path(__file__).parent.parent
EXTENSIONS = ["pymdownx.highlight", "pymdownx.superfences", "tables", "attr_list"]
SETTINGS = {"pymdownx.highlight": {"pygments_lang_class": True}}
CODE = 'def f(x: int) -> int:\n    """Double.\n\n    Twice.\n    """\n    return 2 * x  # <&>\n'


def rendered(text: str) -> str:
    """A page's HTML, before the hooks."""
    extensions = [*EXTENSIONS, MathExtension()]
    return Markdown(extensions=extensions, extension_configs=SETTINGS).convert(text)


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def lines_of(code: str) -> list[str] | None:
    """What a line of code in the text is broken into; None where a browser may break anywhere."""
    found = re.fullmatch('<code class="unbroken">(.*)</code>', code)
    return found[1].split("<wbr>") if found else None


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("<code>sd-mean</code>", ["sd-mean"]),
        ("<code>AE|sigma:sd-mean|avg:micro</code>", ["AE|", "sigma:sd-mean|", "avg:micro"]),
        ("<code>cubspec score --format json</code>", ["cubspec ", "score ", "--format ", "json"]),
        (
            "<code>attributes/class_attribute_labels.txt</code>",
            ["attributes/", "class_", "attribute_", "labels.", "txt"],
        ),
        (
            "<code>ObjectPart::NormalizePartPoseTransitions</code>",
            ["ObjectPart::", "NormalizePartPoseTransitions"],
        ),
        (f"<code>a-{'b' * 40}</code>", None),
        ("<code>part_locs.txt</code>", None),
        ("<code>a\n-b\n</code>", None),
        ("<code><span>a</span>-b</code>", None),
    ],
)
def test_a_name_in_code_stays_in_one_line(code: str, lines: list[str] | None) -> None:
    assert lines_of(with_unbroken_code(code)) == lines
    assert with_unbroken_code(code).replace("<wbr>", "").replace(' class="unbroken"', "") == code


def test_a_font_holds_what_formulas_are_drawn_with() -> None:
    formula = mathml(r"\sqrt{x'} = \operatorname{mean} h", display=True)
    needed = characters(["no formula, Q", f"<p>{formula}</p>"])
    assert set("𝑥ℎ′√=mean") <= needed
    assert "Q" not in needed
    with TTFont(BytesIO(cut(needed))) as font:
        assert {ord(each) for each in "𝑥ℎ′√=mean"} <= set(font.getBestCmap())
        assert ord("Q") not in font.getBestCmap()
        assert "MATH" in font
        scripts = {each.ScriptTag: each for each in font["GSUB"].table.ScriptList.ScriptRecord}
        assert scripts["DFLT"].Script.DefaultLangSys.FeatureCount > 0


def test_a_font_is_the_same_each_time() -> None:
    needed = characters([mathml("a", display=False)])
    assert cut.__wrapped__(needed) == cut.__wrapped__(needed)


@pytest.mark.parametrize(
    ("letter", "drawn"), [("x", "𝑥"), ("h", "ℎ"), ("σ", "𝜎"), ("R", "𝑅"), ("∞", "∞"), ("1", "1")]
)
def test_variables_are_drawn_italic(letter: str, drawn: str) -> None:
    assert italic(letter) == drawn


def test_reference_code_is_told_from_examples() -> None:
    html = rendered(f"```python\n{CODE}```\n\n```pycon\n>>> 1\n1\n```\n\n```sh\nmake\n```\n")
    page = soup(framed_code(html, "cubspec.measures.pcp"))
    captions = [caption.get_text() for caption in page("figcaption")]
    assert captions == ["Reference code cubspec.measures.pcp", "Example", "Command"]
    assert [figure["class"] for figure in page("figure")] == [
        ["listing", "reference"],
        ["listing"],
        ["listing"],
    ]
    elsewhere = soup(framed_code(html, None))
    assert elsewhere.figcaption.get_text() == "Python"
    assert not elsewhere.select(".reference")


def test_only_pages_that_are_tangled_have_reference_code() -> None:
    assert module("truth/sigma.md") == "cubspec.truth.sigma"
    assert [module(page) for page in ("index.md", "truth/index.md", "guide/score.md")] == [None] * 3


def test_tables_are_named_by_number_and_heading_or_caption() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    html = rendered(f"# One {{#one}}\n\n{table}\n## Two `x` & y\n\n{table}\n")
    html += "<table class='k'><caption>Three</caption><tr><td>1</td></tr></table>"
    page = soup(framed_tables(html))
    assert [region["aria-label"] for region in page("div", role="region")] == [
        "Table 1: One",
        "Table 2: Two x & y",
        "Table 3: Three",
    ]
    assert [each["class"] for each in page("table")] == [["plain"], ["plain"], ["k"]]


def test_an_empty_heading_of_a_column_is_no_heading() -> None:
    page = soup(framed_tables(rendered("| | b |\n|---|---|\n| 1 | 2 |\n")))
    assert [cell.name for cell in page.thead.tr(recursive=False)] == ["td", "th"]


@pytest.mark.parametrize(
    ("name", "long"), [("sd-mean", False), ("attributes/certainties.txt", True)]
)
def test_a_first_column_of_long_names_does_not_stay(name: str, long: bool) -> None:
    page = soup(framed_tables(rendered(f"| a | b |\n|---|---|\n| x | 1 |\n| `{name}` | 2 |\n")))
    assert ("long-names" in page.div["class"]) == long


def test_a_declaration_is_told_from_what_computes() -> None:
    declared = "AVG = Choice(\n    key='avg',\n)\n\nAE = Measure()\n"
    for code, expected in ((declared, True), (f"{CODE}\n\n{declared}", False), (CODE, False)):
        page = soup(framed_code(rendered(f"```python\n{code}```"), "cubspec.measures.pcp"))
        assert ("declaration" in page.figure["class"]) == expected
        assert "reference" in page.figure["class"]


def test_a_formula_keeps_its_stop() -> None:
    page = soup(with_unbroken_formulas(rendered("Where $a$ is $b$, or $c$ (or $d$).")))
    assert [each.get_text() for each in page("span", class_="unbroken")] == ["b,", "d)."]


def test_a_lighter_page_says_the_same() -> None:
    prose = "<p>\n    a <b>b</b>\n    c\n  </p>\n<script>if (1)\n  2\n</script>\n"
    whole = f"<html>\n  {prose}{rendered(f'```python{chr(10)}{CODE}```')}</html>"
    light = lighter(whole)
    assert len(light) < 0.8 * len(whole)
    assert soup(light).code.get_text() == soup(whole).code.get_text() == CODE
    assert soup(light).p.get_text(" ").split() == ["a", "b", "c"]
    assert "if (1)\n  2\n" in light


def test_the_search_knows_where_names_are_defined() -> None:
    names = defined_names()
    assert names["measures/pcp/"] == ["PCP", "ref"]
    assert {"FVR", "FIR"} < set(names["measures/visibility/"])
    assert "sigma" in names["truth/sigma/"]
    assert all((ROOT / "docs" / f"{page[:-1]}.md").is_file() for page in names)
    assert defined_values()["measures/pcp/#pcp-ref-any"] == "ref:any"
