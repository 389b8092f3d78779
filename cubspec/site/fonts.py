"""MkDocs hook: the font of the formulas, cut down to the glyphs that the site's formulas use.

The whole font is larger than everything else that a page needs. It is read from the installed
package `ziamath`; nothing is downloaded, and no copy is kept.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import unescape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_FORMULA = re.compile(r"(?s)<math\b.*?</math>")
_TAG = re.compile(r"<[^>]*>")
_VARIABLE = re.compile(r"<mi>([^<&]|&[^;]+;)</mi>")
_UPRIGHT_NAME = re.compile(r"(?:LATIN|GREEK) (CAPITAL|SMALL) LETTER (.+)")

# Letters that Unicode had before it had an italic alphabet for formulas.
_ELSEWHERE = {"MATHEMATICAL ITALIC SMALL H": "PLANCK CONSTANT"}

# What a browser draws of its own accord: scripts at their size, accents on i, low and flat ones.
FEATURES = ["ccmp", "dtls", "flac", "ssty"]

COPYRIGHT, FAMILY, LICENCE, LICENCE_ADDRESS = 0, 1, 13, 14
"""Names that the cut font keeps."""


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
    """Add the font to the site, and its address to what the templates know as `math_font`."""
    pages = (file.page for file in files.documentation_pages())
    needed = characters(page.content or "" for page in pages if page)
    if needed:
        font = cut(needed)
        name = f"assets/math.{hashlib.sha256(font).hexdigest()[:8]}.woff2"
        files.append(File.generated(config, name, content=font))
        env.globals["math_font"] = name
    return env


def characters(pages: Iterable[str]) -> frozenset[str]:
    """The characters that the formulas of some pages are drawn with.

    Parameters
    ----------
    pages : HTML of each
    """
    found: set[str] = set()
    for formula in _FORMULA.findall("\n".join(pages)):
        found.update(unescape(_TAG.sub("", formula)))
        found.update(italic(unescape(each)) for each in _VARIABLE.findall(formula))
        # A root's sign stands in no text.
        if "<msqrt" in formula or "<mroot" in formula:
            found.add("√")
    return frozenset(found)


def italic(letter: str) -> str:
    """The character that a browser draws for a variable of one letter.

    >>> italic("x"), italic("h"), italic("σ"), italic("∞")
    ('𝑥', 'ℎ', '𝜎', '∞')
    """
    name = _UPRIGHT_NAME.fullmatch(unicodedata.name(letter, ""))
    if not name:
        return letter
    wanted = f"MATHEMATICAL ITALIC {name[1]} {name[2]}"
    try:
        return unicodedata.lookup(_ELSEWHERE.get(wanted, wanted))
    except KeyError:
        return letter


def font_file() -> Path:
    """The font in the installed package, found without importing it: that takes a while."""
    package = find_spec("ziamath")
    if package is None or package.origin is None:
        raise PluginError("fonts.py: expected the package ziamath, found none")
    return Path(package.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"


@cache
def cut(needed: frozenset[str]) -> bytes:
    """The font with the glyphs of some characters and whatever these grow into, as WOFF2."""
    options = Options(
        flavor="woff2",
        hinting=False,
        layout_features=FEATURES,
        name_IDs=[COPYRIGHT, FAMILY, LICENCE, LICENCE_ADDRESS],
        name_languages=[0x0409],
        notdef_outline=True,
        recalc_timestamp=False,
    )
    with TTFont(font_file(), recalcTimestamp=False) as font:
        subsetter = Subsetter(options)
        subsetter.populate(text="".join(sorted(needed)))
        subsetter.subset(font)
        _offer_features_to_every_system(font)
        font.flavor = options.flavor
        made = BytesIO()
        font.save(made)
    return made.getvalue()


def _offer_features_to_every_system(font: TTFont) -> None:
    # The font has the forms of superscripts, such as a prime's, for a writing system `math` only,
    # which browsers do not take a formula to be.
    records = {each.ScriptTag: each for each in font["GSUB"].table.ScriptList.ScriptRecord}
    for record in records.values():
        record.Script = records["math"].Script
