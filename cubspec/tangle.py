"""Writes the `python` blocks of the pages to the modules of the same names.

`docs/measures/pcp.md` becomes `cubspec/measures/pcp.py`. The modules are committed, never edited.
`python -m cubspec.tangle` writes them, `python -m cubspec.tangle --check` fails on any difference.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from cubspec.data import InputError

PACKAGES = {
    "truth": "From the annotators' answers to a ground truth and a unit.",
    "measures": "The measures of part localization.",
    "birds": "Synthetic birds, whose truth is known exactly.",
}
"""The packages that are written from the pages, with what their `__init__` says."""

_FENCE = re.compile(r"(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_HEADING = re.compile(r"#{1,6} +(?P<title>.*?)(?: *\{[^}]*?#(?P<anchor>[^ }]+)[^}]*\})? *$")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page.

    Attributes
    ----------
    language : the first word of its info string
    code : its lines, without the fences
    line : the line of its first line of code, counted from 1
    anchor : the permanent anchor of the heading above, or None
    """

    language: str
    code: str
    line: int
    anchor: str | None


def blocks(text: str, page: str) -> Iterator[Block]:
    """Every fenced block of a page, in order.

    Parameters
    ----------
    text : the page
    page : its name, for messages

    Raises
    ------
    InputError
        On a fence that never closes.
    """
    anchor: str | None = None
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        heading = _HEADING.match(line)
        if heading:
            anchor = heading["anchor"]
        fence = _FENCE.match(line)
        if not fence:
            continue
        indent, mark = len(fence["indent"]), fence["mark"]
        body: list[str] = []
        for _, inner in lines:
            if re.fullmatch(f" *{re.escape(mark[0])}{{{len(mark)},}} *", inner):
                break
            body.append(inner[indent:] if not inner[:indent].strip() else inner)
        else:
            raise InputError("expected the fence to be closed, found the end", page, number)
        language = re.split(r"[\s{]", fence["info"].strip() + " ", maxsplit=1)[0]
        yield Block(language, "\n".join([*body, ""]), number + 1, anchor)


def title(text: str, page: str) -> str:
    """The first heading of a page, without its anchor; raises InputError where there is none."""
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading and line.startswith("# "):
            return heading["title"]
    raise InputError("expected a heading of the first level, found none", page)


def module(text: str, page: str, address: str) -> str:
    """The module that a page's `python` blocks make.

    Parameters
    ----------
    text : the page
    page : its name, such as docs/measures/pcp.md
    address : its address on the site

    Raises
    ------
    InputError
        On a block that does not compile, one under a heading without a permanent anchor, a fence
        that never closes, or a page without a heading.
    """
    written = [
        f'"""{title(text, page)}.\n\n'
        f"Written from {page} by cubspec.tangle: edit the page, not this file.\n"
        'Code under the MIT licence, see LICENSE; the page\'s prose under CC BY 4.0.\n"""\n'
    ]
    for block in blocks(text, page):
        if block.language != "python":
            continue
        if block.anchor is None:
            raise InputError(
                "expected the block to stand under a heading with an anchor {#…}, found none",
                page,
                block.line,
            )
        _compile(block, page)
        written.append(f"# {address}#{block.anchor}\n{block.code.strip(chr(10))}\n")
    return "\n".join(written[:2]) + "".join("\n\n" + each for each in written[2:])


def _compile(block: Block, page: str) -> None:
    try:
        compile("\n" * (block.line - 1) + block.code, page, "exec")
    except SyntaxError as error:
        found = (error.text or "").strip()
        raise InputError(
            f"expected Python, found {found!r}: {error.msg}", page, error.lineno
        ) from None


def site_address(root: Path) -> str:
    """The site's address, from the setting `site_url` of mkdocs.yml; ends with a slash."""
    file = root / "mkdocs.yml"
    if not file.is_file():
        raise InputError("expected a checkout with pages and mkdocs.yml, found no such file", file)
    found = re.search(r"^site_url: *['\"]?([^'\"\s]+)", file.read_text("utf-8"), re.MULTILINE)
    if not found:
        raise InputError("expected a setting site_url, found none", file)
    return found[1].rstrip("/") + "/"


def tangled(root: Path) -> dict[Path, str]:
    """Every module that the pages under `root` make, by path relative to it.

    Raises
    ------
    InputError
        As `module` does, or where there are no pages.
    """
    address = site_address(root)
    written: dict[Path, str] = {}
    for package, meaning in PACKAGES.items():
        pages = [p for p in sorted((root / "docs" / package).glob("*.md")) if p.stem != "index"]
        if not pages:
            continue
        names = [page.stem for page in pages]
        for page in pages:
            name = f"docs/{package}/{page.name}"
            text = module(page.read_text("utf-8"), name, f"{address}{package}/{page.stem}/")
            written[Path("cubspec", package, f"{page.stem}.py")] = text
        written[Path("cubspec", package, "__init__.py")] = _package(package, meaning, names)
    if not written:
        raise InputError("expected pages such as measures/pcp.md, found none", root / "docs")
    return written


def _package(package: str, meaning: str, names: list[str]) -> str:
    listed = "".join(f'    "{name}",\n' for name in names)
    return (
        f'"""{meaning}\n\nWritten from docs/{package}/ by cubspec.tangle: edit the pages, '
        f'not this file.\n"""\n\n__all__ = [\n{listed}]\n'
    )


def differences(root: Path) -> list[str]:
    """One line for each module that differs from its page, is missing, or has no page."""
    written = tangled(root)
    found = []
    for path, text in written.items():
        file = root / path
        if not file.is_file():
            found.append(f"{path}: expected a module made from its page, found none")
        elif file.read_text("utf-8") != text:
            found.append(f"{path}: differs from its page")
    for package in PACKAGES:
        present = {p.relative_to(root) for p in (root / "cubspec" / package).glob("*.py")}
        found += [f"{path}: has no page" for path in sorted(present - set(written))]
    return found


def write(root: Path) -> list[Path]:
    """Write every module whose text has changed; returns their paths relative to `root`."""
    changed = []
    for path, text in tangled(root).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8", newline="\n")
            changed.append(path)
    return changed


@click.command(help=(__doc__ or "").split("\n\n")[0])
@click.option("--check", is_flag=True, help="Write nothing; fail on any difference.")
def main(check: bool) -> None:
    """The command."""
    root = Path(__file__).resolve().parent.parent
    try:
        if not check:
            for path in write(root):
                click.echo(f"wrote {path}")
            return
        found = differences(root)
    except InputError as error:
        click.echo(f"cubspec: error: {error}", err=True)
        sys.exit(2)
    for line in found:
        click.echo(line, err=True)
    if found:
        click.echo("run `python -m cubspec.tangle` to write the modules again", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
