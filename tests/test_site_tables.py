"""The hook that makes tables, cubspec/site/tables.py."""

from pathlib import Path

import numpy as np
import pytest
from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from cubspec import choices
from cubspec.choices import Choice, Measure, Value
from cubspec.data import Pairs
from cubspec.site import tables
from cubspec.site.math import MathExtension
from cubspec.site.tables import all_measures, at_a_glance, on_page_markdown, plain, with_tables

NOTHING = Pairs(np.zeros((0, 0)), np.zeros((0, 0), bool))


def choice(key: str, page: str, anchor: str, *names: str) -> Choice:
    values = tuple(Value(name, f"takes a|b of {name}", lambda: None) for name in names)
    return Choice(key, f"Which {key}?", page, anchor, values, names[-1])


SPREAD = choice("spread", "truth/spread", "spread", "sd", "mad", "iqr")
HIT_OF = choice("of", "measures/hit", "hit-of", "all", "some")
MISS_OF = choice("of", "measures/miss", "miss-of", "all", "none")
POOL = choice("pool", "truth/spread", "pool", "all", "train")


def measure(name: str, better: str, *of: Choice) -> Measure:
    return Measure(
        name, f"The {name}", f"How * is {name}?", "%", better, "A & B 2013", f"measures/{name}",
        of, lambda: NOTHING,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        measure("hit", "higher", SPREAD, HIT_OF),
        measure("miss", "lower", MISS_OF),
        measure("plain", "–"),
    )
    monkeypatch.setattr(choices, "measures", lambda: found)
    monkeypatch.setattr(choices, "context_choices", lambda: {"pool": POOL})


def test_at_a_glance() -> None:
    assert at_a_glance("measures/hit.md", "hit") == (
        "| id | [`hit`](hit.md#hit) |\n"
        "| --- | --- |\n"
        "| unit | % |\n"
        "| better | higher |\n"
        "| source | A &amp; B 2013 |\n"
        "| [`spread`](../truth/spread.md#spread) | [`sd`](../truth/spread.md#spread-sd), "
        "[`mad`](../truth/spread.md#spread-mad), [`iqr`](../truth/spread.md#spread-iqr) |\n"
        "| [`of`](hit.md#hit-of) | [`all`](hit.md#hit-of-all), [`some`](hit.md#hit-of-some) |\n"
        "| short signatures | 3 × 2 = 6 |"
    )


def test_all_measures_counts_every_combination() -> None:
    assert all_measures("index.md").split("\n") == [
        "| measure | question {.wide} | unit | better | choices | short signatures |",
        "| --- | --- | --- | --- | --- | --- |",
        r"| [`hit`](measures/hit.md#hit) | How \* is hit? | % | higher "
        "| [`spread`](truth/spread.md#spread), [`of`](measures/hit.md#hit-of) | 6 |",
        r"| [`miss`](measures/miss.md#miss) | How \* is miss? | % | lower "
        "| [`of`](measures/miss.md#miss-of) | 2 |",
        r"| [`plain`](measures/plain.md#plain) | How \* is plain? | % | – |  | 1 |",
        "| **all** |  |  |  |  | **9** |",
    ]


@pytest.mark.parametrize("name", ["miss-of", "MISS-OF"])
def test_values(name: str) -> None:
    assert tables.values("guide/deep/use.md", name) == (
        "| [`of`](../../measures/miss.md#miss-of) | Which of? |\n"
        "| --- | --- |\n"
        "| [`all`](../../measures/miss.md#miss-of-all) | takes a\\|b of all |\n"
        "| [`none`](../../measures/miss.md#miss-of-none) | takes a\\|b of none (preselected) |"
    )


@pytest.mark.parametrize(("name", "anchor"), [("SPREAD", "spread-sd"), ("POOL", "pool-all")])
def test_values_of_a_choice_named_by_its_key(name: str, anchor: str) -> None:
    assert f"spread.md#{anchor})" in tables.values("truth/spread.md", name)


@pytest.fixture
def _echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        tables.TABLES, "echo", lambda page, word, other="-": f"{page}\n{word}{other}\n"
    )


@pytest.mark.usefixtures("_echo")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n<!-- table: echo x -->\n\nb", "a\n\np.md\nx-\n\nb"),
        ("<!--table:echo x y-->", "p.md\nxy"),
        ("- a\n\n    <!-- table: echo x -->", "- a\n\n    p.md\n    x-"),
        ("```html\n<!-- table: echo x -->\n```", None),
        ("~~~~\n```\n<!-- table: wrong -->\n~~~~", None),
        ("- a\n\n    ```\n    <!-- table: echo x -->\n    ```", None),
        ("Write `<!-- table: wrong -->` on a line.", None),
        ("<!-- a comment about tables -->", None),
    ],
)
def test_a_placeholder_becomes_a_table_outside_code(text: str, expected: str | None) -> None:
    assert with_tables(text, "p.md") == (text if expected is None else expected)


@pytest.mark.usefixtures("_echo")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<!-- table: eco x -->", r"expected a table \(.*echo.*\), found 'eco'; did you mean echo"),
        ("<!-- table: echo -->", "expected 'echo WORD OTHER', found 'echo'"),
        ("<!-- table: echo x y z -->", "expected 'echo WORD OTHER', found 'echo x y z'"),
        ("<!-- table: at-a-glance hitt -->", "found 'hitt'; did you mean hit"),
        ("<!-- table: values of -->", r"expected a choice \(hit-of, miss-of, pool, spread\)"),
        ("<!-- table: all-measures x -->", "expected 'all-measures', found"),
        ("<!-- table: -->", "alone on a line"),
        ("<!-- table echo x -->", "alone on a line"),
        ("<!-- Table: echo x -->", "alone on a line"),
        ("text <!-- table: echo x -->", "alone on a line"),
        ("> <!-- table: echo x -->", "alone on a line"),
        ("<!-- table: echo x", "alone on a line"),
    ],
)
def test_a_wrong_placeholder_fails_and_names_page_and_line(line: str, message: str) -> None:
    with pytest.raises(PluginError, match=rf"^measures/p\.md:5: .*{message}"):
        with_tables(f"# A\n\nb\n\n{line}\n", "measures/p.md")


def test_an_open_fence_fails() -> None:
    with pytest.raises(PluginError, match=r"^p\.md:2: expected the fence to be closed"):
        with_tables("a\n```\nb\n", "p.md")


def page(folder: Path, text: str) -> Page:
    (folder / "measures").mkdir()
    (folder / "measures" / "p.md").write_text(text, "utf-8")
    config = MkDocsConfig()
    config.load_dict({"site_name": "Test", "docs_dir": str(folder), "plugins": []})
    config.validate()
    made = Page(None, File("measures/p.md", str(folder), config.site_dir, True), config)
    made.read_source(config)
    return made


def test_the_hook_counts_the_lines_of_the_front_matter(tmp_path: Path) -> None:
    made = page(tmp_path, "---\ndescription: x\n---\n\n# A\n\n<!-- table: wrong -->\n")
    with pytest.raises(PluginError, match=r"^measures/p\.md:7: expected a table"):
        on_page_markdown(made.markdown or "", page=made)


def test_the_hook_replaces(tmp_path: Path) -> None:
    made = page(tmp_path, "# A\n\n<!-- table: values pool -->\n")
    text = on_page_markdown(made.markdown or "", page=made)
    assert text.startswith("# A\n\n| [`pool`](../truth/spread.md#pool) | Which pool? |\n")


def test_plain_text_shows_unchanged() -> None:
    text = r"a|b *c* _d_ `e` [f](g) <h> &i; \j $k $l$ ~m^n {o}"
    parser = Markdown(extensions=["tables", "attr_list", MathExtension()])
    html = parser.convert(f"| head |\n|---|\n| {plain(text)} |\n")
    shown = html.partition("<td>")[2].partition("</td>")[0]
    assert shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == text


def test_the_real_choices_have_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    total = len(choices.short_signatures())
    assert all_measures("measures/index.md").endswith(f"**{total}** |")
    for each in choices.measures():
        assert f"`{each.id}`" in at_a_glance("measures/index.md", each.id)
        for one in each.choices:
            assert tables.values("index.md", one.anchor).count("\n") == len(one.values) + 1
