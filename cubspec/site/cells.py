"""Markdown that every generated table is made of: plain text, links to anchors, rows of cells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable


def plain(text: str) -> str:
    r"""Text as Markdown that shows it unchanged, in a table too.

    >>> plain("a|b of *c*")
    'a\\|b of \\*c\\*'
    """
    escaped = re.sub(r"([\\`*_{}\[\]$|])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def link(page: str, address: str, text: str) -> str:
    """A link from a page to an address of the site.

    Parameters
    ----------
    page : path of the page that holds the link, relative to the folder of the pages
    address : page and anchor, such as `measures/pcp/#pcp-ref`
    text : Markdown
    """
    target, _, anchor = address.partition("/#")
    file = posixpath.relpath(f"{target}.md", posixpath.dirname(page) or ".")
    return f"[{text}]({file}#{anchor})"


def grid(head: Iterable[str], rows: Iterable[Iterable[str]], *, numbers: bool = False) -> str:
    """A table.

    Parameters
    ----------
    head : heading of each column
    rows : cells of each row
    numbers : whether every column but the first holds numbers
    """
    cells = list(head)
    rule = ["---", *["--:" if numbers else "---"] * (len(cells) - 1)]
    return "\n".join(f"| {' | '.join(each)} |" for each in [cells, rule, *rows])
