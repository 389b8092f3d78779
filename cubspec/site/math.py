r"""MkDocs hook: LaTeX in pages becomes MathML while the site is built; no script renders it.

`$…$` is a formula in the line, `$$…$$` one on its own, anywhere in a page's text but in code.
A plain dollar sign is written `\$`. Anything else fails the build.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.util import ETX, STX, AtomicString
from math_core import LatexError, LatexToMathML
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

from cubspec.site import failure, prose, source

# After code spans, which hide what they hold, and before backslash escapes, which would eat the
# backslashes of a formula.
PRIORITY = 185

FORMULA = r"""(?sx)
    (?<!\\) (?:\\\\)*                 # a backslash that escapes a dollar sign is not itself escaped
    (?P<all>
        (?P<mark>\$\$?) (?P<latex>(?:\\.|[^\\$])+) (?P=mark) (?!\$)
        | \$
    )
"""

# What the parser puts in place of code spans and the like.
_HIDDEN = re.compile(f"{STX}[^{ETX}]*{ETX}")

# XML knows five names only.
_HTML_ENTITY = r"&(?!(?:amp|apos|gt|lt|quot);)\w+;"

_converter = LatexToMathML(fancy_error=False)


def mathml(latex: str, *, display: bool) -> str:
    """The MathML of a formula.

    Parameters
    ----------
    latex : the formula, without dollar signs
    display : whether it stands on its own

    Raises
    ------
    ValueError
        On anything that is not understood; says what.
    """
    try:
        return _converter.convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as error:
        raise ValueError(re.sub(r"^\d+: ", "", str(error)).rstrip(".")) from None


class MathExtension(Extension):
    """The extension of Python-Markdown that renders formulas.

    Attributes
    ----------
    page : the page that is rendered, for messages
    """

    page: Page | None = None

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register with a Markdown parser."""
        md.ESCAPED_CHARS = [*md.ESCAPED_CHARS, "$"]
        md.inlinePatterns.register(_Formula(self, md), "math", PRIORITY)

    def failure(self, message: str, text: str, start: int) -> PluginError:
        """The error that fails the build.

        Parameters
        ----------
        message : what was expected and what was found, one line
        text : the paragraph, or the like, as the parser has it
        start : where in it the formula starts
        """
        if self.page is None:
            return failure("a page", None, message)
        return failure(self.page.file.src_uri, _line(self.page, text, start), message)


class _Formula(InlineProcessor):
    def __init__(self, extension: MathExtension, md: Markdown):
        super().__init__(FORMULA, md)
        self.extension = extension

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[ElementTree.Element, int, int]:
        latex, display, start = m["latex"], m["mark"] == "$$", m.start("all")
        try:
            if latex is None or (not display and latex != latex.strip()):
                raise ValueError(
                    "expected a formula between dollar signs, without a space inside single ones "
                    r"(a plain dollar sign is written \$)"
                )
            if STX in latex:
                raise ValueError("expected LaTeX, found code")
            return _element(mathml(latex, display=display), display), start, m.end("all")
        except (ValueError, ElementTree.ParseError) as error:
            written = m["all"] if latex is not None else data[start:].partition("\n")[0]
            shown = " ".join(_HIDDEN.sub("…", written).split())
            raise self.extension.failure(f"{error}: {shown}", data, start) from None


def _element(written: str, display: bool) -> ElementTree.Element:
    # Python-Markdown puts line breaks around elements that it takes for blocks, `math` among them,
    # but not inside of a span.
    span = ElementTree.Element("span", {"class": "math math-display" if display else "math"})
    if display:
        # A box that scrolls must be reachable from the keyboard, and then it needs a name. In the
        # words of a search a formula has lost its fractions and roots.
        span.attrib.update({"tabindex": "0", "role": "group", "aria-label": "Formula"})
        span.set("data-search-exclude", "")
    tree = ElementTree.fromstring(re.sub(_HTML_ENTITY, lambda m: unescape(m[0]), written))
    for node in tree.iter():
        if node.text:
            node.text = AtomicString(node.text)
    span.append(tree)
    return span


def _line(page: Page, text: str, start: int) -> int | None:
    # The parser does not say where it is, so the text is looked for in the page. Lists and
    # quotations change the white space in it.
    page_text = prose(source(page), page.file.src_uri)
    words = (".*?".join(map(re.escape, _HIDDEN.split(word))) for word in text.split())
    found = re.search(r"[\s>]+".join(words), page_text)
    if not found:
        return None
    return page_text.count("\n", 0, found.start()) + text.count("\n", 0, start) + 1


EXTENSION = MathExtension()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the extension to those that the settings name."""
    extensions: list[Any] = config.markdown_extensions
    if EXTENSION not in extensions:
        extensions.append(EXTENSION)
    return config


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Remember the page that is rendered next."""
    EXTENSION.page = page
    return markdown
