"""Pages become modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from cubspec.data import InputError
from cubspec.tangle import blocks, check_fences, differences, module, tangled, write

ROOT = Path(__file__).parent.parent

PAGE = """---
description: A page.
---

# Twice {#twice}

Prose.

## Definition {#twice-definition}

```python
import math


def twice(x: float) -> float:
    return 2 * x
```

Prose, and an example:

```pycon
>>> twice(2)
4
```

```text
# not a heading
```

### More {#twice-more}

~~~~python
FOUR = twice(2)
~~~~
"""

MODULE = '''"""Twice.

Written from docs/measures/twice.md by cubspec.tangle: edit the page, not this file.
Code under the MIT licence, see LICENSE; the page's prose under CC BY 4.0.
"""

# https://example.org/twice/#twice-definition
import math


def twice(x: float) -> float:
    return 2 * x


# https://example.org/twice/#twice-more
FOUR = twice(2)
'''


def make_root(root: Path, **pages: str) -> Path:
    """A checkout with these pages under docs/measures."""
    (root / "docs" / "measures").mkdir(parents=True)
    (root / "mkdocs.yml").write_text("site_name: x\nsite_url: https://example.org\n")
    for name, text in pages.items():
        (root / "docs" / "measures" / f"{name}.md").write_text(text)
    return root


def test_the_python_blocks_make_the_module_and_the_examples_do_not() -> None:
    assert module(PAGE, "docs/measures/twice.md", "https://example.org/twice/") == MODULE


def test_blocks_know_their_line_and_anchor() -> None:
    found = [(b.language, b.line, b.anchor) for b in blocks(PAGE, "p.md")]
    assert found == [
        ("python", 12, "twice-definition"),
        ("pycon", 22, "twice-definition"),
        ("text", 27, "twice-definition"),
        ("python", 33, "twice-more"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# A {#a}\n\n```python\nx = (1,\n```\n", 4, "expected Python, found 'x = (1,'"),
        ("# A {#a}\n\n```python\nx = 1\ny = = 2\n```\n", 5, "expected Python, found 'y = = 2'"),
        ("# A {#a}\n\n```python\nx = 1\n", 3, "expected the fence to be closed, found the end"),
        ("# A {#a}\n\n```python\nx = 1\n``\n", 3, "expected the fence to be closed"),
        ("# A {#a}\n\n## B\n\n```python\nx = 1\n```\n", 6, "under a heading with an anchor {#…}"),
        ("text\n", None, "expected a heading of the first level, found none"),
    ],
)
def test_a_page_that_cannot_be_tangled(text: str, line: int | None, said: str) -> None:
    with pytest.raises(InputError) as caught:
        module(text, "docs/measures/a.md", "https://example.org/a/")
    assert (caught.value.file, caught.value.line) == ("docs/measures/a.md", line)
    assert said in caught.value.message


def error_of(text: str) -> tuple[int | None, str]:
    """The line and the message of the error of a page that cannot be tangled."""
    with pytest.raises(InputError) as caught:
        module(text, "docs/measures/a.md", "https://example.org/a/")
    assert caught.value.file == "docs/measures/a.md"
    return caught.value.line, caught.value.message


@pytest.mark.parametrize(
    "heading", ['Say """hi"""', '"""', r"\N and \d", "Ends in \\", '"Quoted"', "It's plain"]
)
def test_any_title_is_the_docstring_s_first_line(heading: str) -> None:
    text = module(f"# {heading} {{#a}}\n\n```python\nx = 1\n```\n", "a.md", "https://a/")
    docstring = ast.get_docstring(ast.parse(text), clean=False) or ""
    assert docstring.split("\n")[0] == f"{heading}."


def test_blocks_that_compile_alone_but_not_together() -> None:
    second = "```python\n\n\nfrom __future__ import annotations\n```\n"
    line, said = error_of("# A {#a}\n\n```python\nx = 1\n```\n\n" + second)
    assert line == 10
    assert said.startswith("expected Python, found 'from __future__ import annotations': ")


def test_only_a_page_s_own_future_imports_hold_for_it() -> None:
    code = "x: (y := 1) = 2"
    page = f"# A {{#a}}\n\n```python\n{code}\n```\n"
    assert module(page, "a.md", "https://a/").endswith(f"#a\n{code}\n")
    line, said = error_of(page.replace(code, f"from __future__ import annotations\n{code}"))
    assert (line, said.split(": '")[0]) == (5, f"expected Python, found {code!r}")


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_lines_end_at_line_feeds_only(mark: str) -> None:
    page = f"# A {{#a}}\n\n```python\n# note{mark}import os\nx = 1\n```\n"
    assert [(b.code, b.line) for b in blocks(page, "a.md")] == [
        (f"# note{mark}import os\nx = 1\n", 4)
    ]
    made = module(page, "a.md", "https://a/")
    assert made.endswith(f"\n# note{mark}import os\nx = 1\n")
    assert not [node for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Import)]


def test_a_page_with_crlf_and_byte_order_mark_makes_the_same_module(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    page = b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode()
    (root / "docs" / "measures" / "twice.md").write_bytes(page)
    address = "https://example.org/measures/twice/"
    expected = MODULE.replace("https://example.org/twice/", address)
    assert tangled(root)[Path("cubspec/measures/twice.py")] == expected


def test_a_lone_carriage_return_is_refused() -> None:
    page = "# A {#a}\r\n\r\n```python\r\n# note\rimport os\r\n```\r\n"
    assert error_of(page) == (4, "expected lines to end in LF or CRLF, found a lone CR")


@pytest.mark.parametrize("name", ["b.md", "index.md"])
@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("latin", 2, "expected UTF-8 text, found the byte 0xe9"),
        ("folder", None, "expected a file, found a folder"),
        ("dangling", None, "expected to be able to read this, found an error: No such file"),
    ],
)
def test_a_page_that_cannot_be_read(
    tmp_path: Path, name: str, kind: str, line: int | None, said: str
) -> None:
    file = make_root(tmp_path, twice=PAGE) / "docs" / "measures" / name
    if kind == "latin":
        file.write_bytes(b"# B {#b}\ncaf\xe9\n")
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("nowhere.md")
    with pytest.raises(InputError) as caught:
        tangled(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(file), line)
    assert caught.value.message.startswith(said)


def test_settings_that_are_not_utf_8(tmp_path: Path) -> None:
    file = make_root(tmp_path, twice=PAGE) / "mkdocs.yml"
    file.write_bytes(b"site_name: x\nsite_author: caf\xe9\n")
    with pytest.raises(InputError) as caught:
        tangled(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(file), 2)


def test_a_module_that_is_not_utf_8_differs(tmp_path: Path) -> None:
    root = make_root(tmp_path, twice=PAGE)
    write(root)
    (root / "cubspec" / "measures" / "twice.py").write_bytes(b"caf\xe9\n")
    assert differences(root) == ["cubspec/measures/twice.py: differs from its page"]
    assert write(root) == [Path("cubspec/measures/twice.py")]


@pytest.mark.parametrize("code", [r'x = "\d"', "x = 1 is 1", 'assert (1, "always true")'])
def test_a_warning_of_python_is_an_error(code: str) -> None:
    line, said = error_of(f"# A {{#a}}\n\n```python\ny = 1\n{code}\n```\n")
    assert line == 5
    assert said.startswith(f"expected Python, found {code!r}: ")


@pytest.mark.parametrize("code", ["-" * 200_000 + "1", "+".join(["1"] * 50_000)])
def test_an_expression_too_deep_for_python(code: str) -> None:
    line, said = error_of(f"# A {{#a}}\n\n```python\nx = {code}\n```\n")
    assert (line, said) == (4, "expected Python, found an expression too deep to compile")


ODD = [
    "```{.python}",
    "``` { .python #id }",
    '```{#id title="x" .py}',
    "```Python",
    "```PYCON",
    "```py",
    "~~~py",
    "```python3",
    "```ipython",
    "\t```python",
    "> ```python",
    "> \t```pycon",
]


@pytest.mark.parametrize("fence", ODD)
def test_code_that_would_be_seen_but_never_run(fence: str, tmp_path: Path) -> None:
    lead = fence[: len(fence) - len(fence.lstrip("> \t"))]
    close = fence.lstrip("> \t")[:3]
    page = f"# A {{#a}}\n\n{fence}\n{lead}x = 1\n{lead}{close}\n"
    said = f"expected the fence to say python or pycon, found {fence!r}"
    assert error_of(page) == (3, said)
    with pytest.raises(InputError, match=r"docs/measures/index\.md:3: expected the fence to say"):
        tangled(make_root(tmp_path, twice=PAGE, index=page))


def test_fences_that_are_no_python_or_stand_inside_another_are_passed_over() -> None:
    shown = "~~~text\n```py\nx\n```\n\t```python\n~~~\n"
    other = (
        "```text title='a .py'\nx\n```\n\n> ```sh\n> x\n> ```\n\n```{.text title=\"a .py\"}\n```\n"
    )
    good = '``` python\nx = 1\n```\n\n```python title="a"\ny = 1\n```\n\n  ```pycon\n  ```\n'
    check_fences(f"# A {{#a}}\n\n{shown}\n{other}\n{good}", "a.md")


@pytest.mark.parametrize("name", ["__init__", "a-b", "class", "2d", ".hidden"])
def test_a_page_named_as_no_module_can_be(tmp_path: Path, name: str) -> None:
    root = make_root(tmp_path, **{name: PAGE})
    with pytest.raises(InputError, match="expected the page's name to be a module's") as caught:
        tangled(root)
    assert caught.value.file == f"docs/measures/{name}.md"


def test_index_pages_are_left_out_and_the_package_lists_the_rest(tmp_path: Path) -> None:
    root = make_root(tmp_path, index=PAGE, twice=PAGE, again=PAGE)
    written = tangled(root)
    assert sorted(map(str, written)) == [
        "cubspec/measures/__init__.py",
        "cubspec/measures/again.py",
        "cubspec/measures/twice.py",
    ]
    assert (
        '__all__ = [\n    "again",\n    "twice",\n]\n'
        in written[Path("cubspec/measures/__init__.py")]
    )


def test_every_kind_of_difference_is_found(tmp_path: Path) -> None:
    root = make_root(tmp_path, twice=PAGE, again=PAGE)
    assert sorted(map(str, write(root))) == sorted(map(str, tangled(root)))
    assert differences(root) == []
    assert write(root) == []
    package = root / "cubspec" / "measures"
    (package / "twice.py").write_text(MODULE.replace("2 * x", "x + x"))
    (package / "again.py").unlink()
    (package / "stray.py").write_text("")
    assert differences(root) == [
        "cubspec/measures/again.py: expected a module made from its page, found none",
        "cubspec/measures/twice.py: differs from its page",
        "cubspec/measures/stray.py: has no page",
    ]


def test_a_folder_that_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mkdocs\.yml: expected a checkout"):
        tangled(tmp_path)
    with pytest.raises(InputError, match="docs: expected pages"):
        tangled(make_root(tmp_path))


def test_the_committed_modules_are_what_the_pages_say() -> None:
    assert differences(ROOT) == []


def test_the_command_says_so_too() -> None:
    command = [sys.executable, "-m", "cubspec.tangle", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
