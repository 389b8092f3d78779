"""Pages become modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cubspec.data import InputError
from cubspec.tangle import blocks, differences, module, tangled, write

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
