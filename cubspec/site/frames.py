"""MkDocs hook: what stands around code, tables and formulas.

A block of code gets a heading that says what it is, so that a reader sees where the reference code
starts and ends. A table gets a region that scrolls, so that a wide one does not widen the page. A
formula in the line keeps the stop that follows it, and a name in code stays in one line. A
definition gets a name, for those who do not see the bar beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from itertools import count
from pathlib import PurePosixPath
from typing import Any

from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from cubspec.tangle import PACKAGES

REFERENCE = "Reference code"

NORMATIVE = "measures/#measures-normative"
"""Where it is said what that is, relative to the site."""

PAPER = (
    '<p class="on-paper" data-search-exclude>{}. On paper a docstring ends after its first line, '
    "and declarations, LaTeX and BibTeX are left out.</p>"
)
"""What stands at the end of a printed page, with its address."""

DEFINITION = '<div class="definition">'
NAMED_DEFINITION = '<div class="definition" role="group" aria-label="Definition">'

LANGUAGES = {
    "bash": "Command",
    "bibtex": "BibTeX",
    "console": "Command and output",
    "csv": "CSV",
    "json": "JSON",
    "latex": "LaTeX",
    "markdown": "Markdown",
    "pycon": "Example",
    "python": "Python",
    "sh": "Command",
    "tex": "LaTeX",
    "text": "Text",
    "toml": "TOML",
    "yaml": "YAML",
}
"""What the heading of a block says, by the language of its fence."""

LONGEST_NAME = 20
"""How many characters a word of the first column may have for the column to stay in sight."""

DATASET = "CUB-200-2011"

LONG_WORD = 30
"""How many characters a word in code has that does not fit the line of a phone."""

_CODE = re.compile(r'(?s)<div class="language-([\w-]+) highlight">.*?</div>')
_HEADING_OR_TABLE = re.compile(
    r"(?s)<h[1-6]\b[^>]*>(?P<heading>.*?)</h[1-6]>|<table\b(?P<attributes>[^>]*)>.*?</table>"
)
_CAPTION = re.compile(r"(?s)<caption>(.*?)</caption>")
_LINK_TO_ITSELF = re.compile(r'(?s)<a class="headerlink".*?</a>')
_FORMULA_AND_STOP = re.compile(
    r'(?s)<span class="math"><math>(?:(?!</math>).)*</math></span>[.,;:!?)]+'
)
_DECLARATION = re.compile(r"[A-Z_]+ = (?:Choice|Measure)\(")
_CODE_IN_LINE = re.compile(rf"<code>([^<\n]*[-|][^<\n]*|[^<\n]{{{LONG_WORD},}})</code>")
_NAME = re.compile(
    rf"(?s)(?P<apart><(?P<tag>pre|code|svg|script|h[1-6])\b.*?</(?P=tag)>|<[^>]*>)|{DATASET}"
)
_FIRST_CELL = re.compile(r"(?s)<tr>\s*<t[dh][^>]*>(.*?)</t[dh]>")
_TAG = re.compile(r"<[^>]*>")


def on_page_content(html: str, *, page: Page, **_: Any) -> str:
    """Frame the code, the tables and the formulas of a page."""
    text = with_unbroken_name(with_unbroken_code(with_unbroken_formulas(html)))
    framed = framed_tables(framed_code(text, module(page.file.src_uri)))
    framed = framed.replace(DEFINITION, NAMED_DEFINITION)
    if f"{REFERENCE} <code>" not in framed:
        return framed
    normative = get_relative_url(NORMATIVE, page.url)
    link = f'<a href="{normative}">{REFERENCE}</a> <code>'
    return framed.replace(f"{REFERENCE} <code>", link, 1) + PAPER.format(page.canonical_url)


def module(page: str) -> str | None:
    """The module that is made from a page, or None.

    >>> module("measures/pcp.md")
    'cubspec.measures.pcp'
    >>> module("measures/index.md")
    """
    path = PurePosixPath(page)
    if path.suffix != ".md" or path.stem == "index" or str(path.parent) not in PACKAGES:
        return None
    return f"cubspec.{path.parent}.{path.stem}"


def framed_code(html: str, module: str | None) -> str:
    """A page's HTML with a heading above each block of code.

    Parameters
    ----------
    html : the page
    module : what is made from the page's Python, if anything is
    """

    def framed(block: re.Match[str]) -> str:
        language, kind = block[1], ""
        heading = LANGUAGES.get(language, language)
        if language == "python" and module:
            heading, kind = f"{REFERENCE} <code>{module}</code>", " reference"
            if _DECLARATION.match(_plain(block[0])):
                kind += " declaration"
        return (
            f'<figure class="listing{kind}">'
            f"<figcaption data-search-exclude>{heading}</figcaption>{block[0]}</figure>"
        )

    return _CODE.sub(framed, html)


def framed_tables(html: str) -> str:
    """A page's HTML with each table in a region that scrolls and has a name of its own.

    Parameters
    ----------
    html : the page
    """
    return _HEADING_OR_TABLE.sub(_table_framer(), html)


def with_unbroken_formulas(html: str) -> str:
    """A page's HTML in which no line ends between a formula and the stop that follows it.

    Parameters
    ----------
    html : the page
    """
    return _FORMULA_AND_STOP.sub(r'<span class="unbroken">\g<0></span>', html)


def with_unbroken_code(html: str) -> str:
    """A page's HTML in which a line of code in the text ends at a space or between two keys only.

    A word that is too long for a phone may end after any of its signs; one without, anywhere.

    Parameters
    ----------
    html : the page
    """

    def unbroken(code: re.Match[str]) -> str:
        words = [
            word if len(word) < LONG_WORD else re.sub("::|[/_.-]", r"\g<0><wbr>", word)
            for word in re.split(r"(?<=[ |])", code[1])
        ]
        if max(map(len, "<wbr>".join(words).split("<wbr>"))) > LONG_WORD:
            return code[0]
        return f'<code class="unbroken">{"<wbr>".join(words)}</code>'

    return _CODE_IN_LINE.sub(unbroken, html)


def with_unbroken_name(html: str) -> str:
    """A page's HTML in which no line of its text ends within the dataset's name.

    Parameters
    ----------
    html : the page
    """
    return _NAME.sub(
        lambda found: found["apart"] or f'<span class="unbroken">{DATASET}</span>', html
    )


def _table_framer() -> Callable[[re.Match[str]], str]:
    number = count(1)
    heading = ""

    def framed(found: re.Match[str]) -> str:
        nonlocal heading
        if found["heading"] is not None:
            heading = _plain(found["heading"])
            return found[0]
        caption = _CAPTION.search(found[0])
        name = f"Table {next(number)}: {_plain(caption[1]) if caption else heading}"
        # A heading has to have words.
        table = found[0].replace("<th></th>", "<td></td>")
        if "class=" not in found["attributes"]:
            # The theme wraps tables without a class into boxes of its own, if a script runs.
            table = table.replace("<table", '<table class="plain"', 1)
        kind = "table long-names" if _has_long_names(table) else "table"
        return (
            f'<div class="{kind}" role="region" tabindex="0" aria-label="{escape(name)}">'
            f"{table}</div>"
        )

    return framed


def _has_long_names(table: str) -> bool:
    """Whether the first column would leave too little of a phone's width to the others."""
    words = " ".join(map(_plain, _FIRST_CELL.findall(table))).split()
    return max(map(len, words), default=0) > LONGEST_NAME


def _plain(html: str) -> str:
    return unescape(_TAG.sub("", _LINK_TO_ITSELF.sub("", html))).strip()
