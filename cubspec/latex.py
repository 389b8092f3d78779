"""Text as LaTeX that prints it unchanged and needs no package."""

from __future__ import annotations

import re

ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # The font that LaTeX begins with has other characters in these places.
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # At the start of a row they would be taken for an argument of the line break before it.
    "[": "{[}",
    "*": "{*}",
    # Two in a row would become a dash.
    "-": "-{}",
    "–": "--",
    "σ": r"$\sigma$",
    "§": r"\S{}",
    **{each: f"\\{each}" for each in "_&%#${}"},
}

SPECIAL = re.compile(r"-(?=-)|[\\~^|<>\[*–σ§_&%#${}]")


def latex_text(text: str) -> str:
    """Prose as LaTeX."""
    return SPECIAL.sub(lambda found: ESCAPES[found[0]], text)


def latex_code(text: str, breaks: str = "|") -> str:
    """Code as LaTeX, in the typewriter font.

    Parameters
    ----------
    text : the code
    breaks : characters after which a line may end; a signature has no blank to end it at
    """
    some = re.escape(breaks)
    pieces = re.split(f"(?<=[{some}])(?=[^{some}])", text)
    # The typewriter font has the bar.
    written = [latex_text(each).replace(ESCAPES["|"], "|") for each in pieces]
    breakable = r"\allowbreak{}".join(written)
    return rf"\texttt{{{breakable}}}"
