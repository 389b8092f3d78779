"""The hook that renders formulas, cubspec/site/math.py."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError

from cubspec.site.math import MathExtension, mathml

HOOK = Path(__file__).parent.parent / "cubspec" / "site" / "math.py"
EXTENSIONS = [
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.superfences",
]


def parser() -> Markdown:
    return Markdown(extensions=[*EXTENSIONS, MathExtension()])


def rendered(text: str) -> BeautifulSoup:
    return BeautifulSoup(parser().convert(text), "html.parser")


def test_a_formula_in_a_line_is_mathml() -> None:
    html = parser().convert(r"The unit is $\sigma_p$.")
    assert html == (
        '<p>The unit is <span class="math">'
        "<math><msub><mi>σ</mi><mi>p</mi></msub></math></span>.</p>"
    )


def test_a_formula_on_its_own_is_a_named_block_that_the_keyboard_reaches() -> None:
    page = rendered("$$\n\\frac{a}{b}\n$$\n")
    box = page.find("span", class_="math-display")
    assert box["tabindex"] == "0"
    assert box["role"] == "group"
    assert box["aria-label"] == "Formula"
    assert [math["display"] for math in box("math")] == ["block"]
    assert box.mfrac.get_text() == "ab"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$a$ and $b$", ["a", "b"]),
        ("a $$a$$ b", ["a"]),
        ("$$a$$\nmore\n$$\nb\n$$", ["a", "b"]),
        ("$a +\nb$", ["a+b"]),
        ("- one $a$\n\n    $$b$$\n\n    1. $c$", ["a", "b", "c"]),
        ("> quoted $a$\n>\n> $$\n> b + c\n> $$", ["a", "b+c"]),
        ('!!! note "Title"\n\n    $$a$$', ["a"]),
        ("## Heading $a$ {#x}", ["a"]),
        ("word[^1]\n\n[^1]: $a$", ["a"]),
        ("term\n:   $a$", ["a"]),
        ("<div markdown>\n$a$\n</div>", ["a"]),
        ("| a | b |\n|---|---|\n| $x$ | $\\lvert y \\rvert$ |", ["x", "|y|"]),
        ("| a | b |\n|---|---|\n| $\\|x\\|$ | y |", ["‖x‖"]),
        ("[link $a$](https://example.org/) and **$b$**", ["a", "b"]),
        ("$a_1$ and $b_1$ and $c*d*e$", ["a1", "b1", "c∗d∗e"]),
        ("$a<b$ and $c>d$", ["a<b", "c>d"]),
        ("$a<b$ with nothing after it", ["a<b"]),
        (r"\\$a$", ["a"]),
        (r"$\text{\$}$", ["$"]),
    ],
)
def test_formulas_are_found_where_text_is(text: str, expected: list[str]) -> None:
    assert [math.get_text() for math in rendered(text)("math")] == expected


@pytest.mark.parametrize(
    "text",
    [
        "`$a$`",
        "``$a$ ` $b$``",
        "```sh\necho $HOME $PATH\n```",
        "- item\n\n    ```sh\n    echo $HOME\n    ```",
        "~~~\n$$\na\n$$\n~~~",
        "text\n\n    echo $HOME\n",
        "<pre>$a$</pre>",
        "<!-- $a -->",
        "none at all",
    ],
)
def test_code_is_left_alone(text: str) -> None:
    assert rendered(text)("math") == []
    assert rendered(text).get_text().count("$") == BeautifulSoup(
        text, "html.parser"
    ).get_text().count("$")


def test_an_escaped_dollar_sign_is_a_dollar_sign() -> None:
    assert (
        parser().convert(r"It costs \$5 or \$6, not $n$.").startswith("<p>It costs $5 or $6, not <")
    )


def test_no_space_appears_around_a_formula() -> None:
    assert rendered("*$a$*, ($b$)**c**").get_text() == "a, (b)c"


def test_a_formula_in_a_heading_stands_in_the_table_of_contents() -> None:
    md = parser()
    md.convert(r"# The unit $\sigma$ {#unit}")
    assert [(entry["id"], entry["name"]) for entry in md.toc_tokens] == [("unit", "The unit σ")]


def test_named_characters_of_html_become_themselves() -> None:
    assert "&" not in parser().convert(r"$\max_i a \; b \, c \quad d \ e \! f$")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"$\foo x$", r'Unknown command "\\foo": \$\\foo x\$'),
        ("$$\n\\frac{a\n$$", r'closing token "}".*: \$\$ \\frac\{a \$\$'),
        (r"$\text{a} & b$", r"\$\\text\{a\} & b\$"),
        ("one $ alone", r"dollar signs.*\): \$ alone$"),
        ("it costs $5", r"\): \$5$"),
        ("$ a $", "without a space"),
        ("$a $", "without a space"),
        ("$a$$b$", "expected a formula"),
        ("$$$$", "expected a formula"),
        ("$$a$", "expected a formula"),
        ("$a\n\nb$", "expected a formula"),
        ("| a | b |\n|---|---|\n| $|x|$ | y |", "expected a formula"),
        ("$a `b` c$", r"found code: \$a … c\$"),
    ],
)
def test_what_is_no_formula_fails(text: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        rendered(text)


def test_the_message_of_mathml_is_one_plain_line() -> None:
    with pytest.raises(ValueError, match=r'^Unknown command "\\foo"$'):
        mathml(r"a \foo", display=False)


def site(folder: Path, text: str) -> Path:
    measures = folder / "docs" / "measures"
    measures.mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# Start\n\n$a$\n", "utf-8")
    (measures / "pcp.md").write_text(text, "utf-8")
    settings = folder / "mkdocs.yml"
    settings.write_text(f"site_name: Test\nhooks: ['{HOOK}']\n", "utf-8")
    build(load_config(str(settings), strict=False))
    return folder / "site"


def test_a_build_renders_formulas(tmp_path: Path) -> None:
    out = site(tmp_path, "# PCP\n\n$$b$$\n")
    page = BeautifulSoup(
        (out / "measures" / "pcp" / "index.html").read_text("utf-8"), "html.parser"
    )
    assert [math.get_text() for math in page("math")] == ["b"]


PREAMBLE = (
    "---\ndescription: A page.\n---\n\n# PCP\n\n```text\n$\\foo$\n```\n\nThis is `$\\foo$`.\n\n"
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (PREAMBLE + "Text\nand $\\foo$.\n", r"14: Unknown command"),
        (PREAMBLE + "1. Text\n\n    $$\n    \\foo\n    + 1\n    $$\n", r"15: Unknown command"),
        (PREAMBLE + "> $$\n> \\foo\n> + 1\n> $$\n", r"13: Unknown command"),
        (PREAMBLE + "A\ndollar: $\n", r"14: expected a formula"),
        (PREAMBLE + "| a |\n|---|\n| b `c` $ |\n", r"15: expected a formula"),
        (PREAMBLE + "Code: $a `b` c$.\n", r"13: expected LaTeX, found code"),
    ],
)
def test_a_build_fails_and_names_page_and_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, place: str
) -> None:
    with pytest.raises(Abort):
        site(tmp_path, text)
    assert any(f"measures/pcp.md:{place}" in record.getMessage() for record in caplog.records)
