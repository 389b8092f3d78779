"""Writes the `python` blocks of the pages to the modules of the same names.

`docs/measures/pcp.md` becomes `cubspec/measures/pcp.py`. The modules are committed, never edited.
`python -m cubspec.tangle` writes them, `python -m cubspec.tangle --check` fails on any difference.
"""

from __future__ import annotations

import keyword
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from cubspec.data import InputError
from cubspec.lines import read_text, shown

PACKAGES = {
    "truth": "From the annotators' answers to a ground truth and a unit.",
    "measures": "The measures of part localization.",
    "birds": "Synthetic birds, whose truth is known exactly.",
}
"""The packages that are written from the pages, with what their `__init__` says."""

_FENCE = re.compile(r"(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_ANY_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})(?P<info>[^`]*)$")
"""A fence as a reader may see one: also behind tabs and in quotes."""
_PYTHON_LIKE = re.compile(r"(?:\{(?:.*\s)?)?\.?i?py", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
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
    lines = iter(enumerate(_lines(text), start=1))
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
        yield Block(_language(fence["info"]), "\n".join([*body, ""]), number + 1, anchor)


def _lines(text: str) -> list[str]:
    # str.splitlines also splits at U+2028 and others, which end no line of Markdown or Python:
    # what follows them in a comment would become code.
    return [line.removesuffix("\r") for line in text.split("\n")]


def _language(info: str) -> str:
    return re.split(r"[\s{]", info.strip() + " ", maxsplit=1)[0]


def title(text: str, page: str) -> str:
    """The first heading of a page, without its anchor; raises InputError where there is none."""
    for line in _lines(text):
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
        On code that does not compile without warnings, a block under a heading without a permanent
        anchor, a fence that never closes or says Python in another way than `python` or `pycon`,
        a lone CR, or a page without a heading.
    """
    check_fences(text, page)
    code = [block for block in blocks(text, page) if block.language == "python"]
    for block in code:
        _check_block(block, page)
    written, origin = _joined(_docstring(title(text, page), page), code, address)
    # Blocks that compile alone may not compile together, as with a second `from __future__`.
    _compile(written, page, origin)
    return written


def _joined(docstring: str, code: list[Block], address: str) -> tuple[str, dict[int, int]]:
    """A module's text, and for each of its lines that comes from a block the page's line."""
    written, origin = docstring, dict[int, int]()
    for block in code:
        written += ("\n\n" if origin else "\n") + f"# {address}#{block.anchor}\n"
        above = written.count("\n")
        body = block.code.lstrip("\n")
        first = block.line + len(block.code) - len(body)
        body = body.rstrip("\n") + "\n"
        origin.update({above + 1 + row: first + row for row in range(body.count("\n"))})
        written += body
    return written, origin


def check_fences(text: str, page: str) -> None:
    """Raise InputError at code that a reader sees as Python and that is never run.

    Parameters
    ----------
    text : the page
    page : its name, for messages
    """
    # Markdown and Python end a line at a lone CR, `blocks` does not.
    lone = re.search(r"\r(?!\n)", text)
    if lone:
        number = text.count("\n", 0, lone.start()) + 1
        raise InputError("expected lines to end in LF or CRLF, found a lone CR", page, number)
    inside = {
        block.line + row for block in blocks(text, page) for row in range(block.code.count("\n"))
    }
    for number, line in enumerate(_lines(text), start=1):
        if number not in inside and _is_odd(line):
            message = f"expected the fence to say python or pycon, found {shown(line)}"
            raise InputError(message, page, number)


def _is_odd(line: str) -> bool:
    fence = _ANY_FENCE.match(line)
    if not fence or not _PYTHON_LIKE.match(_QUOTED.sub("", fence["info"]).strip()):
        return False
    return not _FENCE.match(line) or _language(fence["info"]) not in ("python", "pycon")


def _docstring(heading: str, page: str) -> str:
    heading = heading.replace("\\", r"\\").replace('"', r"\"")
    return (
        f'"""{heading}.\n\n'
        f"Written from {page} by cubspec.tangle: edit the page, not this file.\n"
        'Code under the MIT licence, see LICENSE; the page\'s prose under CC BY 4.0.\n"""\n'
    )


def _check_block(block: Block, page: str) -> None:
    if block.anchor is None:
        raise InputError(
            "expected the block to stand under a heading with an anchor {#…}, found none",
            page,
            block.line,
        )
    rows = range(1, block.code.count("\n") + 2)
    _compile(block.code, page, {row: block.line - 1 + row for row in rows})


def _compile(code: str, page: str, origin: Mapping[int, int]) -> None:
    """Raise InputError where code does not compile; `origin` maps its lines to the page's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Else this module's own `from __future__` would hold for the page's code too.
            compile(code, page, "exec", dont_inherit=True)
    except SyntaxError as error:
        number = error.lineno or 0
        # A warning that became an error may come without the text.
        found = error.text or "".join(code.split("\n")[max(number - 1, 0) : number])
        message = f"expected Python, found {shown(found.strip())}: {error.msg}"
        raise InputError(message, page, origin.get(number)) from None
    except (RecursionError, MemoryError):
        message = "expected Python, found an expression too deep to compile"
        raise InputError(message, page, min(origin.values(), default=None)) from None


def site_address(root: Path) -> str:
    """The site's address, from the setting `site_url` of mkdocs.yml; ends with a slash."""
    file = root / "mkdocs.yml"
    if not file.is_file():
        raise InputError("expected a checkout with pages and mkdocs.yml, found no such file", file)
    found = re.search(r"^site_url: *['\"]?([^'\"\s]+)", read_text(file), re.MULTILINE)
    if not found:
        raise InputError("expected a setting site_url, found none", file)
    return found[1].rstrip("/") + "/"


def tangled(root: Path) -> dict[Path, str]:
    """Every module that the pages under `root` make, by path relative to it.

    Raises
    ------
    InputError
        As `module` does, on a page that cannot be read or whose name is no module's, or where
        there are no pages.
    """
    address = site_address(root)
    written: dict[Path, str] = {}
    for package, meaning in PACKAGES.items():
        pages = _pages(root, package)
        for name, text in pages.items():
            page = f"docs/{package}/{name}.md"
            made = module(text, page, f"{address}{package}/{name}/")
            written[Path("cubspec", package, f"{name}.py")] = made
        if pages:
            init = _package(package, meaning, list(pages))
            written[Path("cubspec", package, "__init__.py")] = init
    if not written:
        raise InputError("expected pages such as measures/pcp.md, found none", root / "docs")
    return written


def _pages(root: Path, package: str) -> dict[str, str]:
    """The text of every page that makes a module of a package, by the module's name."""
    pages = {}
    for file in sorted((root / "docs" / package).glob("*.md")):
        page, name = f"docs/{package}/{file.name}", file.stem
        # The package's own file would be written over the page's.
        if name == "__init__" or not name.isidentifier() or keyword.iskeyword(name):
            raise InputError("expected the page's name to be a module's, found another", page)
        text = read_text(file)
        if name == "index":
            check_fences(text, page)
        else:
            pages[name] = text
    return pages


def _package(package: str, meaning: str, names: list[str]) -> str:
    listed = "".join(f'    "{name}",\n' for name in names)
    return (
        f'"""{meaning}\n\nWritten from docs/{package}/ by cubspec.tangle: edit the pages, '
        f'not this file.\n"""\n\n__all__ = [\n{listed}]\n'
    )


def _holds(file: Path, text: str) -> bool:
    # As bytes, which need not be UTF-8; a checkout may turn LF into CRLF.
    return file.read_bytes().replace(b"\r\n", b"\n") == text.encode()


def differences(root: Path) -> list[str]:
    """One line for each module that differs from its page, is missing, or has no page."""
    written = tangled(root)
    found = []
    for path, text in written.items():
        file = root / path
        if not file.is_file():
            found.append(f"{path}: expected a module made from its page, found none")
        elif not _holds(file, text):
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
        if not file.is_file() or not _holds(file, text):
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
