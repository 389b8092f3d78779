"""MkDocs hook: a page that Markdown would quietly make something else of fails the build.

Markdown knows no errors: what it does not understand stays on the page as it was written, or
disappears. Here what these pages are written with is looked for, in the page and in what was made
of it, and a failure names the page and, where it is known, the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from mkdocs.structure.pages import Page

from cubspec.site import failure, prose, source
from cubspec.tangle import blocks

BOXES = ("beside", "definition", "ways")
"""What a `<div>` of a page may be."""

KINDS = ("figure", "table")
"""What a comment with a colon may be."""

Found = tuple[int, str]
"""Line of the page, counted from 1, and what was expected and found there."""

_OPENED = re.compile(r'<div class="([\w-]+)" markdown>')
_COMMENT = re.compile(r"<!--\s*([\w-]+)\s*:.*?(?:-->|\Z)", re.DOTALL)
_ITEM = re.compile(r"[-*+:] |\d+\. |\[\^")
_PIPE = re.compile(r"(?<!\\)\|")
_SEEN_AS_WRITTEN = re.compile(
    r"(?s)<(pre|code|script|style|svg|math)\b.*?</\1>|<!--.*?-->|<a class=\"headerlink\".*?</a>"
)
_FORMULA_IN_TAG = re.compile(r'<\w[^<>]*="[^"<>]*<span class="math')

LEFT = {
    re.compile(r"\$[^\s$<>](?:[^$<>]*[^\s$<>])?\$"): "a formula in Markdown, or &#36; for a dollar",
    re.compile(r"\]\[[^]<>]*\]"): "a link whose address is given below",
    re.compile(r"(?m)(?:^|<p>|<li>)\s*\|[^|<>]*\|.*$"): "a blank line before a table",
    re.compile(
        r"\*\*[^\s*<>][^*<>]*\*\*"
    ): "Markdown, or a block with the word markdown in its tag",
}
"""What is to be seen on no page, and what was expected in its place."""


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> None:
    """Check a page before anything is put into it."""
    if not page.file.src_uri.endswith(".md"):
        return
    name, whole = page.file.src_uri, source(page)
    for line, message in (*faults(prose(whole, name)), *nameless_code(whole, name)):
        raise failure(name, line, message)
    if not page.meta.get("description"):
        raise failure(name, 1, "expected a description in the front matter, found none")


def on_page_content(html: str, *, page: Page, **_: Any) -> None:
    """Check what was made of a page."""
    if not page.file.src_uri.endswith(".md"):
        return
    message = left(html)
    if message:
        raise failure(page.file.src_uri, None, message)


def faults(text: str) -> Iterator[Found]:
    """What is wrong in the text of a page.

    Parameters
    ----------
    text : the page, its code cut out
    """
    checks: tuple[Callable[[str], Iterator[Found]], ...] = (_boxes, _comments, _rows, _indented)
    for check in checks:
        yield from check(text)


def _boxes(text: str) -> Iterator[Found]:
    opened = None
    for line, words in enumerate(text.split("\n"), 1):
        if "</div" in words:
            if words != "</div>" or opened is None:
                yield line, f"expected </div> alone on the line that ends a box, found {words!r}"
            opened = None
        elif "<div" in words:
            box = _OPENED.fullmatch(words)
            if not box or box[1] not in BOXES:
                kinds = ", ".join(BOXES)
                yield (
                    line,
                    f'expected <div class="…" markdown>, one of {kinds}, alone on a line, '
                    f"found {words!r}",
                )
            elif opened is not None:
                yield line, f"expected the box of line {opened} to be closed first, found {words!r}"
            opened = line
        elif opened is not None and words.startswith("#"):
            yield line, f"expected the box of line {opened} to be closed first, found {words!r}"
    if opened is not None:
        yield opened, "expected the box to be closed, found the end of the page"


def _comments(text: str) -> Iterator[Found]:
    seen: dict[str, int] = {}
    lines = text.split("\n")
    for comment in _COMMENT.finditer(text):
        line = text.count("\n", 0, comment.start()) + 1
        kind, written = comment[1], comment[0]
        if kind.lower() not in KINDS or "\n" in written:
            shown = " ".join(written.split())
            yield line, f"expected one of {', '.join(KINDS)} in one line, found {shown!r}"
        elif any(lines[at].strip() for at in (line - 2, line) if 0 <= at < len(lines)):
            yield line, f"expected a blank line before and after, found none beside {written!r}"
        elif kind == "figure" and written in seen:
            yield line, f"expected each figure once on a page, found {written!r} again"
        seen[written] = line


def _rows(text: str) -> Iterator[Found]:
    wanted = 0
    for line, words in enumerate(text.split("\n"), 1):
        if not words.startswith("|"):
            wanted = 0
            continue
        number = len(_PIPE.findall(words)) - 1
        wanted = wanted or number
        if number != wanted:
            yield line, f"expected {wanted} cells, as in the head of the table, found {number}"


def _indented(text: str) -> Iterator[Found]:
    block, before = "", ""
    for line, words in enumerate(text.split("\n"), 1):
        if words[:1].strip():
            block = words
        elif words[:4] == "    " and words.strip() and not before and not _ITEM.match(block):
            yield line, f"expected code between fences, found {words!r}"
        before = words.strip()


def nameless_code(text: str, page: str) -> Iterator[Found]:
    """Which fences do not say what language they hold, so that nobody knows what it is for.

    Parameters
    ----------
    text : the page
    page : its path, for messages
    """
    for block in blocks(text, page):
        if not block.language:
            yield block.line - 1, "expected a language after the fence, such as text, found none"


def left(html: str) -> str | None:
    """What of the page's Markdown is still to be seen, in words; None where nothing is.

    Parameters
    ----------
    html : what was made of the page
    """
    headings = len(re.findall(r"<h1\b", html))
    if headings != 1:
        return f"expected one heading of the first level, found {headings}"
    written = _FORMULA_IN_TAG.search(html)
    if written:
        return f"expected no formula inside a tag, found {written[0]!r}"
    seen = _SEEN_AS_WRITTEN.sub("", html)
    for pattern, expected in LEFT.items():
        found = pattern.search(seen)
        if found:
            return f"expected {expected}, found {found[0].strip()!r}"
    return None
