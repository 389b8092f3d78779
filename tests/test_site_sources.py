"""The hook that refuses what Markdown would quietly get wrong, cubspec/site/sources.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.utils.meta import get_data

from cubspec.site import prose
from cubspec.site.math import MathExtension
from cubspec.site.sources import faults, left, nameless_code, on_page_content, on_page_markdown

BOX = '<div class="definition" markdown>'
EXTENSIONS = ["attr_list", "md_in_html", "pymdownx.highlight", "pymdownx.superfences", "tables"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"{BOX}\n\na", 1, "expected the box to be closed, found the end of the page"),
        (f"{BOX}\n\na\n\n## B", 5, "expected the box of line 1 to be closed first, found '## B'"),
        (f"{BOX}\n{BOX}\n</div>\n</div>", 2, "expected the box of line 1 to be closed first"),
        ("a\n\n</div>", 3, "expected </div> alone on the line that ends a box"),
        (f"{BOX}\n\na </div>", 3, "expected </div> alone on the line that ends a box"),
        (BOX.replace("ition", "iton") + "\n</div>", 1, "one of beside, definition, ways, alone on"),
        ('<div class="definition">\n</div>', 1, 'expected <div class="…" markdown>, one of'),
        (f"    {BOX}\n</div>", 1, "alone on a line, found"),
        ("a\n\n<!-- tabel: x -->\n", 3, "expected one of figure, table in one line, found '<!-- t"),
        ("a\n\n<!--\ntable: x -->\n", 3, "found '<!-- table: x -->'"),
        ("a\n\n<!-- table: x\n", 3, "in one line, found '<!-- table: x'"),
        ("a\n<!-- table: x -->\n", 2, "expected a blank line before and after, found none"),
        ("a\n\n<!-- table: x -->\nb\n", 3, "expected a blank line before and after, found none"),
        ("- a\n    <!-- table: x -->\n", 2, "expected a blank line before and after, found none"),
        (
            "<!-- figure: x -->\n\n<!-- table: y -->\n\n<!-- figure: x -->\n",
            5,
            "expected each figure once on a page, found '<!-- figure: x -->' again",
        ),
        ("a\n\n    b\n", 3, "expected code between fences, found '    b'"),
        ("- a\n\n    b\n\nc\n\n    d\n", 7, "expected code between fences, found '    d'"),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n", 3, "expected 2 cells, as in the head of the"),
        (
            "| a | b |\n|---|---|\n| 1 |\n",
            3,
            "expected 2 cells, as in the head of the table, found 1",
        ),
    ],
)
def test_what_is_wrong_in_the_text(text: str, line: int, message: str) -> None:
    found = list(faults(text))
    assert found[0][0] == line
    assert message in found[0][1]


@pytest.mark.parametrize(
    "text",
    [
        f"{BOX}\n\na\n\n| a | b |\n|---|---|\n| `x|y` | z \\| |\n\n</div>\n\n## B\n",
        "```html\n<div>\n<!-- tabel: x -->\n```\n",
        "Write `<div>` or `<!-- tabel: x -->`.",
        "- a\n\n    b\n\n    c\n\n1. d\n\n    e\n\nterm\n\n:   f\n\n    g\n\nh\n    i\n",
        "<!-- a remark -->\nand <!-- another\nof two lines -->",
        "a\n\n<!-- table: x -->\n\n<!-- table: x -->\n",
        "| a |\n|---|\n| 1 |\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ],
)
def test_what_is_right_in_the_text(text: str) -> None:
    assert list(faults(prose(text, "p.md"))) == []


def test_a_fence_without_a_language() -> None:
    text = "a\n\n```\nb\n```\n\n~~~~text\nc\n~~~~\n"
    assert [line for line, _ in nameless_code(text, "p.md")] == [3]


def rendered(text: str) -> str:
    return Markdown(
        extensions=[*EXTENSIONS, MathExtension()],
        extension_configs={"pymdownx.highlight": {"pygments_lang_class": True}},
    ).convert(f"# A\n\n{text}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# B", "expected one heading of the first level, found 2"),
        ("<p>raw $x$</p>", "expected a formula in Markdown, or &#36; for a dollar, found '$x$'"),
        ('a <span title="$x$">b</span>', "expected no formula inside a tag, found"),
        ("see [this][nowhere]", "expected a link whose address is given below, found '][nowhere]'"),
        ("a\n| b | c |\n", "expected a blank line before a table, found"),
        ("<p>**a**</p>", "expected Markdown, or a block with the word markdown in its tag"),
    ],
)
def test_what_is_left_of_the_text(text: str, message: str) -> None:
    assert message in (left(rendered(text)) or "")


@pytest.mark.parametrize(
    "text",
    [
        "$x$ and `$x$` and `[a][b]` and `**a**`",
        "&#36;1 and &#36;2, or 5 \\$",
        "```text\n| a | b |\n$x$\n```",
        "[this][here]\n\n[here]: #a",
        "| a | b |\n|---|---|\n| $x$ | **c** |\n",
        "- a\n\n    b\n",
    ],
)
def test_what_leaves_nothing(text: str) -> None:
    assert left(rendered(text)) is None


def page(folder: Path, text: str) -> Page:
    (folder / "p.md").write_text(text, "utf-8")
    config = MkDocsConfig()
    config.load_dict({"site_name": "s", "docs_dir": str(folder)})
    made = Page(None, File("p.md", str(folder), str(folder / "site"), True), config)
    made.markdown, made.meta = get_data(text)
    return made


def test_a_failure_names_page_and_line(tmp_path: Path) -> None:
    front = "---\ndescription: D.\n---\n"
    made = page(tmp_path, f"{front}\n# A\n\n</div>\n")
    with pytest.raises(PluginError, match=r"^p\.md:7: expected </div> alone on"):
        on_page_markdown(made.markdown or "", page=made)
    made = page(tmp_path, f"{front}\n# A\n\n```\na\n")
    with pytest.raises(PluginError, match=r"^p\.md:7: expected the fence to be closed"):
        on_page_markdown(made.markdown or "", page=made)
    made = page(tmp_path, "# A\n")
    with pytest.raises(PluginError, match=r"^p\.md:1: expected a description in the front matter"):
        on_page_markdown(made.markdown or "", page=made)
    with pytest.raises(PluginError, match=r"^p\.md: expected one heading of the first level"):
        on_page_content("<p>a</p>", page=made)
    made = page(tmp_path, f"{front}\n# A\n")
    on_page_markdown(made.markdown or "", page=made)
    on_page_content("<h1>A</h1>", page=made)
