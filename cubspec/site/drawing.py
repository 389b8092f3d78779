"""What figures are drawn with: colours that follow the theme, a canvas, paths, a plot's frame.

matplotlib draws, and its SVG is cut down to the paths and texts that are seen.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from cubspec.data import Floats

WIDTH = 360
"""Units across every figure: the pixels that a phone of 390 leaves, where text keeps its size."""
SHOWN = 480
"""Pixels across a figure where there is room."""
TEXT = 11.5
THIN = 0.8
SCHEMES = ("light", "dark")


@dataclass(frozen=True)
class Colour:
    """A colour that follows the theme.

    Attributes
    ----------
    css : what it is in a page
    light : what it is in a file of its own, on white
    dark : what it is in a file of its own, on the dark scheme's background
    """

    css: str
    light: str
    dark: str


INK = Colour("currentColor", "#212121", "#d0d3dc")
PAPER = Colour("var(--md-default-bg-color, #fff)", "#ffffff", "#1e2129")
ROWS = {
    "A": Colour("var(--figure-a, #0072b2)", "#0072b2", "#56b4e9"),
    "B": Colour("var(--figure-b, #c75000)", "#c75000", "#f28e43"),
    "C": Colour("var(--figure-c, #00845f)", "#00845f", "#2fc79b"),
    "Human": INK,
}
"""The colour of each row, told apart by colour-blind readers too; the site's style sheet holds the
dark ones for pages."""
_COLOURS = (PAPER, *dict.fromkeys(ROWS.values()))


@dataclass(frozen=True)
class Drawing:
    """A finished figure.

    Attributes
    ----------
    name : what its anchor ends with: `figure-NAME`
    svg : an SVG element, its text alternative in `aria-label`
    alternative : what is seen, with the numbers
    caption : what it shows and how it is read
    """

    name: str
    svg: str
    alternative: str
    caption: str

    def _repr_html_(self) -> str:
        return (
            f'<figure class="figure" id="figure-{self.name}">{self.svg}'
            f"<figcaption>{escape(self.caption, quote=False)}</figcaption></figure>"
        )


def standalone(svg: str, scheme: str) -> str:
    """A figure's SVG as a file of its own, which inherits nothing from a page.

    Parameters
    ----------
    svg : as a `Drawing` has it
    scheme : one of `SCHEMES`
    """
    for colour in _COLOURS:
        svg = svg.replace(colour.css, getattr(colour, scheme))
    return svg.replace("<svg ", '<svg font-family="Helvetica, Arial, sans-serif" ', 1)


class Canvas:
    """A figure that is being drawn, in SVG's coordinates: points, the second axis pointing down.

    Parameters
    ----------
    height : points; it is `WIDTH` wide
    """

    def __init__(self, height: float) -> None:
        self.height = height
        self._figure = Figure(figsize=(WIDTH / 72, height / 72))
        self._figure.patch.set_visible(False)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_xlim(0, WIDTH)
        self._axes.set_ylim(height, 0)
        self._axes.axis("off")

    def path(
        self,
        path: Path,
        *,
        fill: Colour | None = None,
        stroke: Colour | None = None,
        opacity: tuple[float, float] = (1, 1),
        width: float = THIN,
        **more: Any,
    ) -> None:
        """Draw a path; `opacity` is that of the fill and that of the stroke."""
        # Simplifying would drop dots, which are lines without length.
        path.should_simplify = False
        face = (fill.light, opacity[0]) if fill else "none"
        edge = (stroke.light, opacity[1]) if stroke else "none"
        patch = PathPatch(path, facecolor=face, edgecolor=edge, linewidth=width, **more)
        patch.set_clip_on(False)
        self._axes.add_patch(patch)

    def line(self, points: ArrayLike, stroke: Colour = INK, faint: float = 1, **more: Any) -> None:
        """Draw a line through points: (n, 2)."""
        self.path(Path(np.asarray(points)), stroke=stroke, opacity=(1, faint), **more)

    def text(
        self,
        at: ArrayLike,
        text: str,
        colour: Colour = INK,
        *,
        by: tuple[float, float] = (0, 0),
        bold: bool = False,
        **more: Any,
    ) -> None:
        """Write a line of text at a point, moved by some points."""
        across, down = np.asarray(at, dtype=float) + by
        weight = "bold" if bold else "normal"
        self._axes.text(
            across, down, text, color=colour.light, fontsize=TEXT, weight=weight, **more
        )

    def finished(self, name: str, alternative: str, caption: str) -> Drawing:
        """The figure as it has been drawn so far."""
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
            self._figure.savefig(buffer, format="svg", metadata=nothing)
        shown = "".join(_seen(ElementTree.fromstring(buffer.getvalue())))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" '
            f'width="{SHOWN}" height="{self.height * SHOWN / WIDTH:g}" font-size="{TEXT}" '
            f'data-search-exclude="" role="img" aria-label="{escape(alternative)}">'
        )
        return Drawing(name, f"{head}{shown}</svg>", alternative, caption)


def _seen(root: ElementTree.Element) -> Iterable[str]:
    """The paths and texts that matplotlib drew, without groups, ids and invisible decimals."""
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag in ("path", "text"):
            kept = {key: _rounded(element.get(key, "")) for key in ("d", "x", "y")}
            kept["style"] = _restyled(element.get("style", ""))
            made = ElementTree.Element(tag, {key: value for key, value in kept.items() if value})
            made.text = element.text
            yield ElementTree.tostring(made, encoding="unicode")


def _rounded(text: str) -> str:
    text = re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), text)
    return " ".join(text.split())


def _restyled(text: str) -> str:
    """A style without fonts, which the page decides, and with colours that follow the theme."""
    colours = {each.light: each.css for each in _COLOURS}
    kept = []
    for rule in filter(None, text.split("; ")):
        name, _, value = rule.partition(": ")
        if name not in ("font-family", "font-size", "stroke-linejoin"):
            kept.append(f"{name}:{colours[value] if value.startswith('#') else value}")
    return ";".join(kept)


# Four cubic curves are a circle to a thousandth of its radius, in half of matplotlib's length.
_BEND = 0.5522847
_RING = [
    *[(1, 0), (1, _BEND), (_BEND, 1), (0, 1), (-_BEND, 1), (-1, _BEND), (-1, 0)],
    *[(-1, -_BEND), (-_BEND, -1), (0, -1), (_BEND, -1), (1, -_BEND), (1, 0)],
]


def ellipse(centre: ArrayLike, axes: ArrayLike) -> Path:
    """An ellipse: its axes are a radius, two radii, or the columns of a (2, 2) matrix."""
    size = np.asarray(axes, dtype=float)
    matrix = size if size.ndim == 2 else np.eye(2) * size
    return Path(np.asarray(centre) + np.array(_RING) @ matrix.T, [Path.MOVETO, *[Path.CURVE4] * 12])


def dots(points: Floats) -> Path:
    """Lines without length, which round ends make dots; much shorter than circles."""
    return Path(np.repeat(points, 2, axis=0), [Path.MOVETO, Path.LINETO] * len(points))


def cross(centre: ArrayLike, reach: float, *, upright: bool = True) -> Path:
    """A plus sign, or a multiplication sign where it is not upright."""
    ends = [(-1, 0), (1, 0), (0, -1), (0, 1)] if upright else [(-1, -1), (1, 1), (-1, 1), (1, -1)]
    return Path(np.asarray(centre) + reach * np.array(ends), [Path.MOVETO, Path.LINETO] * 2)


def diamond(centre: ArrayLike, reach: float) -> Path:
    """A square on one of its corners."""
    ends = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, 0)]
    return Path(np.asarray(centre) + reach * np.array(ends), closed=True)


def square(centre: ArrayLike, reach: float) -> Path:
    """A square on one of its sides."""
    ends = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
    return Path(np.asarray(centre) + reach * np.array(ends), closed=True)


@dataclass(frozen=True)
class Plot:
    """A plot's frame: where on a canvas it lies, and which values it spans.

    Attributes
    ----------
    canvas : where it is drawn
    left, right, top, bottom : its sides, points
    across : the values at its left and right sides
    up : the values at its bottom and top
    """

    canvas: Canvas
    left: float
    right: float
    top: float
    bottom: float
    across: tuple[float, float]
    up: tuple[float, float]

    def at(self, values: ArrayLike) -> Floats:
        """Where values lie on the canvas: (…, 2) float, points."""
        low, high = np.array([self.across, self.up], dtype=float).T
        share = (np.asarray(values, dtype=float) - low) / (high - low)
        size = np.array([self.right - self.left, self.top - self.bottom])
        found: Floats = np.array([self.left, self.bottom]) + share * size
        return found

    def ticks_across(self, values: Sequence[float] | range, label: str) -> None:
        """Draw the axis at the bottom."""
        for value in values:
            at = self.at((value, self.up[0]))
            self.canvas.line([at, at + np.array([0, 4])])
            self.canvas.text(at, f"{value:g}", by=(0, 16), ha="center")
        self.canvas.line([(self.left, self.bottom), (self.right, self.bottom)])
        middle = (self.left + self.right) / 2
        self.canvas.text((middle, self.bottom + 34), label, ha="center")

    def ticks_up(self, values: Sequence[float] | range, label: str) -> None:
        """Draw faint lines at some heights."""
        for value in values:
            ends = self.at([(self.across[0], value), (self.across[1], value)])
            self.canvas.line(ends, faint=0.15)
            self.canvas.text(ends[0], f"{value:g}", by=(-5, 4), ha="right")
        self.canvas.text((2, self.top - 10), label)

    def upright(self, value: float, label: str) -> None:
        """Draw a broken line from bottom to top."""
        low, high = self.at([(value, self.up[0]), (value, self.up[1])])
        self.canvas.line([low, high - np.array([0, 6])], linestyle=(0, (3, 2)))
        self.canvas.text(high, label, by=(0, -10), ha="center")
