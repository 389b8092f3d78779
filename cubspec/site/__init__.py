"""What the hooks of the site share: which lines of a page are code, and how a build fails.

MkDocs loads the hooks by file name, as modules of their own, beside the ones that an import gives;
so a hook keeps no state that another one needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

from cubspec.data import InputError
from cubspec.tangle import blocks

# As many backticks at its end as at its start, in one paragraph, none of them escaped.
_CODE_SPAN = re.compile(r"(?s)(?<![`\\])(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)")


def failure(page: str, line: int | None, message: str) -> PluginError:
    """The error that fails a build, strict or not, and says where.

    Parameters
    ----------
    page : path of the page, relative to the folder of the pages
    line : line of the page's file, counted from 1; None where it is unknown
    message : what was expected and what was found, one line
    """
    place = page if line is None else f"{page}:{line}"
    return PluginError(f"{place}: {message}")


def prose(text: str, page: str) -> str:
    """A page without its code: the same lines, fenced ones empty, each code span cut to `…`.

    Parameters
    ----------
    text : the page
    page : its path, for messages

    Raises
    ------
    PluginError
        On a fence that never closes.
    """
    lines = text.split("\n")
    try:
        for block in blocks(text, page):
            size = block.code.count("\n") + 2
            lines[block.line - 2 : block.line - 2 + size] = [""] * size
    except InputError as error:
        raise failure(page, error.line, error.message) from None
    return _CODE_SPAN.sub(lambda span: "…" + "\n" * span[0].count("\n"), "\n".join(lines))


def source(page: Page) -> str:
    """The text of a page's file, or of what was generated in its place; front matter included."""
    if page.file.abs_src_path is not None:
        return Path(page.file.abs_src_path).read_text("utf-8-sig")
    return page.file.content_string


def with_made(
    markdown: str, page: str, kind: str, make: Callable[[str], str], whole: str | None = None
) -> str:
    """A page's Markdown with each line `<!-- KIND: … -->` outside of code replaced.

    Parameters
    ----------
    markdown : the page, without its front matter
    page : its path, relative to the folder of the pages
    kind : the word that such a line begins with
    make : what stands in the place of such a line, from the line
    whole : the text of its file, for messages; `markdown` unless given

    Raises
    ------
    PluginError
        Where `make` raises InputError; names page and line.
    """
    mention = re.compile(rf"<!--\s*{kind}\b", re.IGNORECASE)
    lines = markdown.split("\n")
    for number, text in enumerate(prose(markdown, page).split("\n")):
        if mention.search(text):
            try:
                lines[number] = make(lines[number])
            except InputError as error:
                # Other hooks may have put lines into the page.
                own = (whole or markdown).split("\n")
                line = own.index(lines[number]) + 1 if lines[number] in own else None
                raise failure(page, line, error.message) from None
    return "\n".join(lines)
