"""The figures, the hook that places them, and the notebook page that shows them all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from mkdocs.exceptions import PluginError

from cubspec.data import PARTS
from cubspec.example import Example
from cubspec.site.drawing import ROWS, SCHEMES, TEXT, WIDTH, Colour, Drawing, standalone
from cubspec.site.effects import published_birds
from cubspec.site.figures import FIGURES, with_figures
from cubspec.site.notebooks import rebuilt

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "docs" / "birds" / "example.ipynb"
SEED0 = json.loads((Path(__file__).parent / "figures" / "seed0.json").read_text("utf-8"))
BACKGROUNDS = {"light": "#ffffff", "dark": "#1e2129"}
LARGEST = 60_000
ON_THE_FRONT_PAGE = {"problem"}


@pytest.fixture(scope="module")
def made() -> Example:
    """The published birds."""
    return published_birds()


@pytest.fixture(scope="module")
def drawings(made: Example) -> dict[str, Drawing]:
    """Every figure."""
    return {name: draw(made) for name, draw in FIGURES.items()}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_small_and_the_same_every_time(
    drawings: dict[str, Drawing], made: Example, name: str
) -> None:
    drawing = drawings[name]
    assert drawing.name == name
    assert len(drawing.svg.encode()) < LARGEST
    assert FIGURES[name](made) == drawing


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_follows_the_theme_and_fetches_nothing(
    drawings: dict[str, Drawing], name: str
) -> None:
    svg = drawings[name].svg
    colours = {rule for style in re.findall(r'style="([^"]*)"', svg) for rule in style.split(";")}
    for rule in colours:
        key, _, value = rule.partition(":")
        if key in ("fill", "stroke"):
            assert value in ("none", "currentColor") or value.startswith("var(--"), rule
    assert set(re.findall(r"https?://[^\"]*", svg)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|href|<script|<style| id=", svg)
    for scheme in SCHEMES:
        alone = standalone(svg, scheme)
        assert "currentColor" not in alone
        assert "var(" not in alone
        assert ElementTree.fromstring(alone).get("viewBox") == f"0 0 {WIDTH} {_height(svg):g}"


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_keeps_its_text_and_says_what_is_seen(
    drawings: dict[str, Drawing], name: str
) -> None:
    drawing = drawings[name]
    root = ElementTree.fromstring(drawing.svg)
    assert root.get("aria-label") == drawing.alternative
    assert root.get("role") == "img"
    assert len(drawing.alternative) > 100
    assert drawing.caption not in drawing.alternative
    texts = root.findall("{*}text")
    assert len(texts) > 10
    # On a phone of 390 pixels a figure is about as wide as it has units.
    assert float(root.get("font-size", 0)) == TEXT > 11
    for text in texts:
        assert 0 <= float(text.get("x", -1)) <= WIDTH
        assert TEXT / 2 < float(text.get("y", -1)) <= _height(drawing.svg)


def _height(svg: str) -> float:
    return float(ElementTree.fromstring(svg).get("viewBox", "").split()[3])


def test_the_numbers_of_the_parts_stand_apart(drawings: dict[str, Drawing]) -> None:
    texts = ElementTree.fromstring(drawings["four-sides"].svg).findall("{*}text")
    at = [(float(t.get("x", 0)), float(t.get("y", 0))) for t in texts if (t.text or "").isdigit()]
    assert len(at) == 5 * len(PARTS)
    for (x, y), (other_x, other_y) in combinations(at, 2):
        assert abs(x - other_x) >= 13 or abs(y - other_y) >= 10, (x, y)


def test_the_figures_show_the_published_numbers(drawings: dict[str, Drawing]) -> None:
    scores = SEED0["scores"]["sd-mean"]
    for row in ("Human", "A", "B", "C"):
        assert f"{row} {scores[row]['PCP|ref:median']:.2f} at 1.5" in (
            drawings["pcp-by-radius"].alternative
        )
    for row in ("A", "C"):
        assert f"{scores[row]['capped']:.2f} % over the cap" in (
            drawings["capped-distances"].alternative
        )
    ranked = drawings["rankings"].alternative
    assert "AE: A 1.951, B 1.951, C 3.329" in ranked
    assert "report-error none:zero: A 1.587, C 2.357, B 3.105" in ranked
    assert "report-error none:skip: A 2.411, B 3.105, C 3.581" in ranked
    assert "FIR of:predicted: A 15.49, C 15.49, B undefined" in ranked
    assert ranked.endswith("only in report-error none:skip, under sigma:toolbox.")


def test_the_pair_that_is_shown_is_right_or_wrong_by_the_reference(
    drawings: dict[str, Drawing],
) -> None:
    assert drawings["five-references"].alternative.endswith(
        "A scores median 0, mean 1, one 0, each 0.4, any 1."
    )


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_colours_of_rows_are_seen_on_both_backgrounds(row: str, scheme: str) -> None:
    # They are the colours of letters, too, which need more than the 3 of lines.
    assert _contrast(getattr(ROWS[row], scheme), BACKGROUNDS[scheme]) > 4.5


def test_the_style_sheet_has_the_dark_colours() -> None:
    style = (ROOT / "docs" / "assets" / "site.css").read_text("utf-8")
    dark = dict(re.findall(r"--figure-(\w): (#\w+);", style))
    coloured = {row: colour for row, colour in ROWS.items() if colour.css != "currentColor"}
    assert dark == {row.lower(): colour.dark for row, colour in coloured.items()}
    for row, colour in coloured.items():
        assert colour == Colour(f"var(--figure-{row.lower()}, {colour.light})", *_both(colour))


def _both(colour: Colour) -> tuple[str, str]:
    return colour.light, colour.dark


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.fixture
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FIGURES, "bird", lambda _: Drawing("bird", "<svg></svg>", "a", "b < c"))


SHOWN = (
    '<figure class="figure" id="figure-bird"><svg></svg><figcaption>b &lt; c</figcaption></figure>'
)


@pytest.mark.usefixtures("_stand_in")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n<!-- figure: bird -->\n\nb", f"a\n\n{SHOWN}\n\nb"),
        ("<!--figure:bird-->", SHOWN),
        ("```html\n<!-- figure: bird -->\n```", None),
        ("~~~~\n```\n<!-- figure: wrong -->\n~~~~", None),
        ("Write `<!-- figure: wrong -->` on a line.", None),
        ("<!-- a comment about figures -->", None),
    ],
)
def test_a_placeholder_becomes_a_figure_outside_code(text: str, expected: str | None) -> None:
    assert with_figures(text, "p.md") == (text if expected is None else expected)


@pytest.mark.usefixtures("_stand_in")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<!-- figure: birt -->", r"expected a figure \(.*\), found 'birt'; did you mean bird"),
        ("<!-- figure: bird 2 -->", "alone on a line"),
        ("<!-- figure: -->", "alone on a line"),
        ("<!-- figure bird -->", "alone on a line"),
        ("<!-- Figure: bird -->", "alone on a line"),
        ("text <!-- figure: bird -->", "alone on a line"),
        ("    <!-- figure: bird -->", "alone on a line"),
        ("<!-- figure: bird", "alone on a line"),
    ],
)
def test_a_wrong_placeholder_fails_and_names_page_and_line(line: str, message: str) -> None:
    text = f"# A\n\nb\n\n{line}\n"
    with pytest.raises(PluginError, match=rf"^birds/p\.md:8: .*{message}"):
        with_figures(text, "birds/p.md", f"---\na: b\n---\n{text}")


def test_every_figure_is_on_a_page(site: Path) -> None:
    found = [
        figure["id"]
        for file in site.rglob("index.html")
        if file.parent.name != "example"
        for figure in _page(file).select("figure.figure:has(> svg[role=img])")
    ]
    assert sorted(found) == [f"figure-{name}" for name in sorted(FIGURES)]


def test_a_page_is_rebuilt_from_text_code_and_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# A {#a}\n", "b"]},
        {"cell_type": "code", "source": "1 + 1"},
        {"cell_type": "code", "source": ["pass"]},
    ]
    assert rebuilt(cells, [["<p>2</p>", "<p>3</p>"], []]).split("\n\n") == [
        "# A {#a}\nb",
        '<details class="code" markdown="1">\n<summary>Code</summary>',
        "```python\n1 + 1\n```",
        "</details>",
        '<div class="output">\n<p>2</p>\n</div>',
        '<div class="output">\n<p>3</p>\n</div>',
        '<details class="code" markdown="1">\n<summary>Code</summary>',
        "```python\npass\n```",
        "</details>\n",
    ]
    with pytest.raises(ValueError, match="shorter"):
        rebuilt(cells, [[]])


def test_the_notebook_is_committed_without_outputs_or_results() -> None:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
        # Results have two decimals or more; the definition's own 1.5 has one.
        assert not re.search(r"\d\.\d\d|\d\d\.\d", "".join(cell["source"]))


def test_the_notebook_runs_without_a_warning() -> None:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    namespace: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), namespace)
    assert namespace["made"].number == SEED0["birds"]


@pytest.fixture(scope="module")
def example(site: Path) -> BeautifulSoup:
    """The notebook page."""
    return _page(site / "birds" / "example" / "index.html")


def _page(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


def test_the_notebook_page_is_a_page_like_any_other(site: Path, example: BeautifulSoup) -> None:
    assert len((site / "birds" / "example" / "index.html").read_bytes()) <= LARGEST
    description = example.find("meta", attrs={"name": "description"})
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert isinstance(description, Tag)
    assert description["content"] == notebook["metadata"]["description"]
    assert [each["id"] for each in example.find_all("h1")] == ["example"]
    headings = [each["id"] for each in example.select("article :is(h1, h2, h3)")]
    assert all(each == "example" or each.startswith("example-") for each in headings)
    listed = {each["href"] for each in example.select(".md-nav--secondary a")}
    assert {f"#{each}" for each in headings[1:]} <= listed
    assert "jp-" not in str(example.find("article"))
    assert example.select("article :is(style, script)") == []
    assert (site / "birds" / "example" / "example.ipynb").read_bytes() == NOTEBOOK.read_bytes()


def test_the_notebook_page_asks_no_other_host(example: BeautifulSoup) -> None:
    for element in example.select("[src], link[href]"):
        address = str(element.get("src") or element.get("href"))
        if element.get("rel") != ["canonical"]:
            assert not re.match(r"(?i)[a-z]+:|//", address), address
    assert "url(http" not in str(example)


def test_the_notebook_page_shows_every_figure_from_files(
    site: Path, example: BeautifulSoup, drawings: dict[str, Drawing]
) -> None:
    folder = site / "birds" / "example"
    images = example.select("article img")
    found = {str(each["src"]): each for each in images}
    names = FIGURES.keys() - ON_THE_FRONT_PAGE
    assert sorted(found) == sorted(f"{name}-{s}.svg#only-{s}" for name in names for s in SCHEMES)
    assert len(found) == len(images)
    for name in names:
        drawing = drawings[name]
        for scheme in SCHEMES:
            image = found[f"{name}-{scheme}.svg#only-{scheme}"]
            assert image["alt"] == drawing.alternative
            file = folder / f"{name}-{scheme}.svg"
            assert file.stat().st_size < LARGEST
            written = ElementTree.fromstring(file.read_text("utf-8"))
            expected = ElementTree.fromstring(standalone(drawing.svg, scheme))
            assert [each.attrib for each in written.iter()] == [
                each.attrib for each in expected.iter()
            ]


def test_the_notebook_page_tells_why_two_scores_can_be_one_localizer(
    example: BeautifulSoup,
) -> None:
    pcp = SEED0["scores"]["sd-mean"]["A"]
    start = str(example.find("article")).partition('id="example-why"')[0]
    opening = BeautifulSoup(start, "html.parser").select(".output strong")
    said = [each.get_text() for each in opening]
    assert said == ["A", f"{pcp['PCP|ref:one']:.0f}", f"{pcp['PCP|ref:any']:.0f}"]


def test_the_notebook_page_has_the_published_tables(example: BeautifulSoup) -> None:
    found = {_caption(table): _figures(table) for table in example.select("article table")}
    assert _numbers(found["Figures of each part"]) == SEED0["parts"]
    assert _numbers(found["Rates of wrong visibility, in %"]) == SEED0["visibility_percent"]
    for sigma, rows in SEED0["scores"].items():
        scores = found[f"Scores with sigma:{sigma} and avg:micro"]
        assert _numbers(scores) == rows
        assert [*scores] == [*rows]
        for row in rows:
            assert [*scores[row]] == [*rows[row]]


def test_every_check_and_hypothesis_is_said_to_hold(example: BeautifulSoup, made: Example) -> None:
    shown = [
        tuple(cell.get_text() for cell in row.select("td"))
        for table in example.select("article table")
        if _caption(table) in ("Checks", "Hypotheses")
        for row in table.select("tbody tr")
    ]
    assert shown == [(each.statement, each.measured, "holds") for each in made.checks]
    assert len(shown) == 19


def _caption(table: Tag) -> str:
    return table.select("caption")[0].get_text()


def _figures(table: Tag) -> dict[str, dict[str, str]]:
    _, *columns = [cell.get_text() for cell in table.select("thead th[scope=col]")]
    return {
        row.select("th[scope=row]")[0].get_text(): dict(
            zip(columns, [cell.get_text() for cell in row.select("td")], strict=True)
        )
        for row in table.select("tbody tr")
    }


def _numbers(rows: dict[str, dict[str, str]]) -> dict[str, dict[str, float]]:
    return {row: {key: float(text) for key, text in of.items()} for row, of in rows.items()}


def build_with_cell(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build a site that is one notebook of one cell, with the settings of the real site."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    settings |= {"nav": [{"One": "one.ipynb"}], "extra_css": [], "docs_dir": str(folder / "docs")}
    settings |= {"hooks": [str(ROOT / hook) for hook in settings["hooks"]]}
    settings |= {"site_dir": str(folder / "site")}
    settings["theme"]["custom_dir"] = str(ROOT / settings["theme"]["custom_dir"])
    settings["extra_javascript"] = []
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    text = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# One {#one}"}
    cell = {"cell_type": "code", "execution_count": None, "id": "b", "metadata": {}}
    notebook["cells"] = [text, {**cell, "outputs": [], "source": code}]
    (folder / "docs").mkdir()
    (folder / "docs" / "one.ipynb").write_text(json.dumps(notebook), "utf-8")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings), "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )


def test_a_cell_that_fails_fails_the_build(tmp_path: Path) -> None:
    done = build_with_cell("assert 1 + 1 == 3, 'not three'", tmp_path)
    assert done.returncode != 0
    assert "Error reading page 'one.ipynb'" in done.stderr
    assert "not three" in done.stderr


def test_a_cell_that_does_not_fail_is_built(tmp_path: Path) -> None:
    done = build_with_cell("import sys\nprint('careful', file=sys.stderr)\n1 + 1", tmp_path)
    assert done.returncode == 0, done.stderr
    page = _page(tmp_path / "site" / "one" / "index.html")
    assert [each.get_text().strip() for each in page.select(".output")] == ["2"]
    assert "a cell wrote to stderr: careful" in done.stderr
