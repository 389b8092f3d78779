"""MkDocs hook: figures of the synthetic birds, drawn while the site is built.

A line `<!-- figure: NAME -->` becomes what the function of that name in `FIGURES` draws, as SVG in
the page: its text stays text, its colours follow the theme, and no script runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from matplotlib.path import Path
from mkdocs.structure.pages import Page

from cubspec import site
from cubspec.birds.body import SOLIDS
from cubspec.birds.camera import CENTRE, Poses, bounding_box, image_axes, project, visible
from cubspec.choices import Signature, short_signatures, unknown
from cubspec.data import (
    PARTS,
    Booleans,
    Floats,
    InputError,
    Integers,
    Pairs,
    Prediction,
    Truth,
)
from cubspec.example import LOCALIZERS, Example
from cubspec.measures.distance import CAP, RADIUS, distance_from_truth, neither_visible
from cubspec.measures.human import human_pairs
from cubspec.measures.pcp import PCP, REF
from cubspec.site import with_made
from cubspec.site.drawing import (
    INK,
    PAPER,
    ROWS,
    WIDTH,
    Canvas,
    Drawing,
    Plot,
    cross,
    diamond,
    dots,
    ellipse,
    square,
)
from cubspec.site.effects import published_birds
from cubspec.site.front import problem
from cubspec.tables import DECIMALS
from cubspec.truth.sigma import SIGMA, mean_click

BIRD, PART = 0, "belly"
"""The pair shown closely: there, A's location is right or wrong by the reference alone."""


def four_sides(_: Example) -> Drawing:
    """The bird from four sides: both solids, the parts that are seen and those that are hidden."""
    views = {"from its left": 0, "from the front": 90, "from its right": 180, "from behind": 270}
    canvas, said = Canvas(424), []
    for index, (view, yaw) in enumerate(views.items()):
        poses = Poses(np.array([124.0]), np.radians([float(yaw)]), np.radians([15.0]))
        seen = visible(poses)[0]
        middle = np.array([112.0 if yaw % 180 == 0 else 290.0, 94.0 + 166 * (index // 2)])
        canvas.text(middle, view, by=(0, -82), bold=True, ha="center")
        for outline in _outlines(poses, 0, middle - CENTRE):
            canvas.path(outline, fill=INK, stroke=INK, opacity=(0.07, 0.5))
        _numbered_parts(canvas, project(poses)[0] - CENTRE + middle, seen)
        hidden = ", ".join(part for part, flag in zip(PARTS, seen, strict=True) if not flag)
        said.append(f"{view}: {hidden}")
    for index, part in enumerate(PARTS):
        column, row = divmod(index, 5)
        at = (44 + 112 * column, 354 + 16 * row)
        canvas.text(at, str(index + 1), ha="right")
        canvas.text(at, part, by=(6, 0))
    return canvas.finished(
        "four-sides",
        "An ellipsoid with a sphere for a head and 15 numbered parts, from four sides. "
        f"Hidden are, {'; '.join(said)}.",
        "The bird from four sides, 15 degrees above level. Parts that are seen are filled, parts "
        "that a solid hides are hollow. The numbers are the dataset's ids.",
    )


def seven_units(made: Example) -> Drawing:
    """One bird's clicks, their consensus, and the radius of 1.5 in each of the seven units."""
    left, top, width, _ = bounding_box(made.birds.poses)[BIRD]
    zoom, part = 158 / width, PARTS.index(PART)
    canvas, said = Canvas(4 * 146 + 6), []
    for index, name in enumerate(SIGMA.names):
        corner = np.array([11.0 + 180 * (index % 2), 40.0 + 146 * (index // 2)])
        radius = RADIUS * made.result.sigma[name]
        size = " × ".join(f"{each:.1f}" for each in radius[part])
        said.append(f"{name} {size}")
        canvas.text(corner, name, by=(0, -25), bold=True)
        canvas.text(corner, f"{PART} {size} px", by=(0, -10))
        _clicked_bird(canvas, made, radius, corner - zoom * np.array([left, top]), zoom)
    _key_of_units(canvas, np.array([199.0, 40.0 + 146 * 3]))
    sizes = [RADIUS * each for values in made.result.sigma.values() for each in values[part]]
    return canvas.finished(
        "seven-units",
        "Seven small drawings of one bird with its clicks and their consensus. The radius around "
        f"the {PART}, in pixels: {', '.join(said)}.",
        "The clicks on the first bird's visible parts, and 1.5 σ around their consensus in each "
        f"of the seven units. The unit alone takes the {PART}'s radius from {min(sizes):.1f} to "
        f"{max(sizes):.1f} pixels.",
    )


def five_references(made: Example) -> Drawing:
    """Where each reference of PCP accepts a location, on one pair, with A's location."""
    pair = _Pair.of(made)
    canvas, said = Canvas(2 * 150), []
    for index, name in enumerate(REF.names):
        corner = np.array([4.0 + 122 * (index % 3), 150.0 * (index // 3)])
        canvas.text(corner, name, by=(0, 14), bold=True)
        canvas.text(corner, f"A scores {pair.scores[name]:.3g}", by=(0, 29))
        pair.draw(canvas, name, corner + np.array([0, 38.0]), np.array([108.0, 106.0]))
        said.append(f"{name} {pair.scores[name]:.3g}")
    _key_of_references(canvas, np.array([256.0, 176.0]))
    return canvas.finished(
        "five-references",
        f"Five small drawings of the clicks on one {PART} and of A's location, with the region "
        "that each reference accepts: one circle around the ground truth, the mean click or the "
        "first click; a circle around each of the clicks, the darker the more of them overlap; "
        f"the union of these. A scores {', '.join(said)}.",
        f"What each ref of PCP accepts on one pair, the first bird's {PART}, under sd-mean. A "
        "location counts where it is shaded: for each, the darker the more clicks it is near. "
        "Clicks and A's location are the same in all five.",
    )


def capped_distances(made: Example) -> Drawing:
    """The distribution of the normalized distances of A and C, with what lies over the cap."""
    found = {name: _distances(made, name) for name in ("A", "C")}
    over = {name: 100 * float((each > CAP).mean()) for name, each in found.items()}
    canvas, edges = Canvas(236), np.arange(0, 12.01, 0.25)
    plot = Plot(canvas, left=34, right=352, top=22, bottom=194, across=(0, 12), up=(0, 11))
    plot.ticks_across(range(13), "distance from the ground truth, in σ (sd-mean)")
    plot.ticks_up((0, 5, 10), "% of pairs per 0.25 σ")
    for name, distances in found.items():
        share = 100 * np.histogram(distances, edges)[0] / len(distances)
        steps = np.stack([np.repeat(edges, 2)[1:-1], np.repeat(share, 2)], axis=1)
        beyond = [(CAP, 0), *steps[steps[:, 0] >= CAP][1:], (edges[-1], 0)]
        canvas.path(Path(plot.at(beyond)), fill=ROWS[name], opacity=(0.3, 1))
        canvas.line(plot.at(steps), ROWS[name], width=1.5)
    plot.upright(CAP, f"cap {CAP:g}")
    for name, at in {"A": (2.45, 8.6), "C": (4.1, 5.6)}.items():
        canvas.text(plot.at(at), name, ROWS[name], bold=True)
    note = plot.at((6.3, 8.6))
    canvas.text(note, f"over the cap, charged {CAP:g}:")
    for row, (name, percent) in enumerate(over.items()):
        said = f"{percent:.2f} % of {name}'s pairs"
        canvas.text(note, said, ROWS[name], by=(0, 16 + 16 * row), bold=True)
    return canvas.finished(
        "capped-distances",
        "Two histograms of normalized distances. "
        + "; ".join(
            f"{name}: median {np.median(each):.2f}, longest {each.max():.2f}, "
            f"{over[name]:.2f} % over the cap of {CAP:g}"
            for name, each in found.items()
        )
        + ".",
        "How far A and C are from the ground truth where both call the part visible. Whatever "
        f"lies right of the cap is charged {CAP:g}, however far it is: C's distances go up to "
        f"{found['C'].max():.1f}.",
    )


def pcp_by_radius(made: Example) -> Drawing:
    """PCP of every row as the radius grows, with the radius of 1.5 marked."""
    needed = {row: _needed_radius(made, row) for row in ("Human", *LOCALIZERS)}
    canvas, radii, said = Canvas(286), np.linspace(0, 5, 101), []
    plot = Plot(canvas, left=34, right=312, top=22, bottom=244, across=(0, 5), up=(0, 100))
    plot.ticks_across(range(6), "radius, in σ (sd-mean)")
    plot.ticks_up(range(0, 101, 25), "PCP, %")
    plot.upright(RADIUS, f"radius {RADIUS:g}")
    for row, least in needed.items():
        curve = np.array([(radius, _share_within(least, radius)) for radius in radii])
        canvas.line(plot.at(curve), ROWS[row], width=1.5)
        canvas.text(plot.at(curve[-1]), row, ROWS[row], by=(5, 4), bold=True)
        here = _share_within(least, RADIUS)
        canvas.path(ellipse(plot.at((RADIUS, here)), 2.6), fill=ROWS[row])
        side, by = BESIDE[row]
        canvas.text(plot.at((RADIUS, here)), f"{here:.2f}", ROWS[row], by=by, ha=side)
        elsewhere = ", ".join(f"{_share_within(least, each):.2f} at {each}" for each in (0, 3, 5))
        said.append(f"{row} {here:.2f} at {RADIUS:g}, {elsewhere}")
    return canvas.finished(
        "pcp-by-radius",
        f"Four curves that rise with the radius, PCP in %. {'; '.join(said)}.",
        f"PCP under ref:median and sd-mean, if the radius were another than {RADIUS:g}. At 0 only "
        "the pairs count that are rightly called not visible. A wrong visibility is wrong at "
        "every radius.",
    )


def rankings(made: Example) -> Drawing:
    """The order of A, B and C under every measure, and where sigma or avg change it."""
    found = [_Ranking.of(made, forms) for forms in _ranked_forms()]
    height, top = 30, 46
    canvas = Canvas(top + height * len(found) - 12)
    for place, label in {0: "best", 2: "worst"}.items():
        canvas.text((_across(place), 19), label, ha="center")
    canvas.text((STRIP, 12), "7 sigma", ha="center")
    canvas.text((STRIP, 26), "× 3 avg", ha="center")
    _draw_lines(canvas, [(each, top + height * row) for row, each in enumerate(found)])
    for row, ranking in enumerate(found):
        ranking.draw(canvas, top + height * row)
    changed = [f"{each.name}, under {each.reversed_by}" for each in found if each.reversing]
    return canvas.finished(
        "rankings",
        "The order of A, B and C, best first, under sd-mean and avg:micro. "
        + "; ".join(each.said for each in found)
        + f". Another sigma or avg reverses two of them only in {'; '.join(changed)}.",
        "The order of A, B and C under every measure that says which is better, with sd-mean and "
        "avg:micro. Letters that touch are tied as printed. On the right, a square for each sigma "
        "and avg is filled where two of the three change places: only in "
        f"{'; '.join(changed)}.",
    )


FIGURES: dict[str, Callable[[Example], Drawing]] = {
    "capped-distances": capped_distances,
    "five-references": five_references,
    "four-sides": four_sides,
    "pcp-by-radius": pcp_by_radius,
    "problem": problem,
    "rankings": rankings,
    "seven-units": seven_units,
}
"""Every figure by name."""

_PLACEHOLDER = re.compile(r"<!-- *figure: *(?P<name>\S+) *--> *")


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Put the figures in their places."""
    return with_figures(markdown, page.file.src_uri, site.source(page))


def with_figures(markdown: str, page: str, whole: str | None = None) -> str:
    """A page's Markdown with its figures in their places.

    Parameters
    ----------
    markdown : the page, without its front matter
    page : its path, relative to the folder of the pages
    whole : the text of its file, for messages; `markdown` unless given

    Raises
    ------
    PluginError
        On an unknown figure; names page and line.
    """
    return with_made(markdown, page, "figure", _placed, whole)


def _placed(line: str) -> str:
    found = _PLACEHOLDER.fullmatch(line)
    if not found:
        raise InputError(f"expected <!-- figure: NAME --> alone on a line, found {line.strip()!r}")
    if found["name"] not in FIGURES:
        raise InputError(unknown("figure", found["name"], FIGURES))
    return FIGURES[found["name"]](published_birds())._repr_html_()


def _outlines(poses: Poses, bird: int, shift: Floats, zoom: float = 1) -> list[Path]:
    """The outlines of a bird's solids, the image enlarged and moved."""
    axes = image_axes(poses)[bird]
    found = []
    for centre, semi_axes in SOLIDS:
        # A linear map takes the unit sphere to the ellipse whose axes are its singular vectors.
        turned, size, _ = np.linalg.svd(axes * semi_axes)
        found.append(ellipse(shift + zoom * (CENTRE + axes @ centre), zoom * turned * size))
    return found


def _numbered_parts(canvas: Canvas, points: Floats, seen: Booleans) -> None:
    for number, (point, place) in enumerate(zip(points, _free_places(points), strict=True), 1):
        length = float(np.linalg.norm(place - point))
        if length > 12:
            canvas.line([point, place - 7 * (place - point) / length], faint=0.6, width=0.5)
        canvas.text(place, str(number), ha="center", va="center")
    for point, flag in zip(points, seen, strict=True):
        canvas.path(ellipse(point, 2.8), fill=INK if flag else PAPER, stroke=INK)


def _free_places(points: Floats) -> list[Floats]:
    """A place for a label of two digits near each point, clear of points, labels and leaders."""
    turns = np.radians(np.arange(0, 360, 15))
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    options = np.concatenate([reach * around for reach in (11, 15, 20, 26, 33)])
    apart = np.linalg.norm(points[:, np.newaxis] - points, axis=2) + 1e3 * np.eye(len(points))
    obstacles = [(*point, 3.0, 3.0) for point in points]
    found: dict[int, Floats] = {}
    for index in np.argsort(apart.min(axis=1), kind="stable").tolist():
        places = points[index] + options
        others = np.delete(np.array(obstacles), index, axis=0)
        place = places[np.argmin(_crowding(places, points[index], others))]
        found[index] = place
        leader = _leader(place, points[index])
        obstacles += [(*place, 8.0, 6.0), *((*at, 1.0, 1.0) for at in leader)]
    return [found[index] for index in range(len(points))]


def _leader(places: Floats, point: Floats) -> Floats:
    """Some points of the line from a point to each place: (…, 3, 2)."""
    gap: Floats = (places - point)[..., np.newaxis, :]
    return point + np.array([[0.35], [0.5], [0.65]]) * gap


def _crowding(places: Floats, point: Floats, obstacles: Floats) -> Floats:
    """What speaks against each place for the label of a point: what it covers, then its distance.

    Parameters
    ----------
    places : (m, 2) float
    point : (2,) float
    obstacles : (k, 4) float, centre and half the size
    """

    def hits(at: Floats, half: tuple[float, float]) -> Integers:
        gap = np.abs(obstacles[:, :2] - at[..., np.newaxis, :]) - obstacles[:, 2:]
        number: Integers = (gap < half).all(axis=-1).sum(axis=-1)
        return number

    crossed = hits(_leader(places, point), (1, 1)).sum(axis=1)
    outside = (places[:, 0] < 8) | (places[:, 0] > WIDTH - 8)
    length = np.linalg.norm(places - point, axis=1)
    cost: Floats = 100 * (hits(places, (8, 6)) + outside) + 60 * crossed + length
    return cost


def _clicked_bird(
    canvas: Canvas, made: Example, radius: Floats, shift: Floats, zoom: float
) -> None:
    """The first bird with the clicks on its visible parts, and a radius around their consensus."""
    for outline in _outlines(made.birds.poses, BIRD, shift, zoom):
        canvas.path(outline, stroke=INK, opacity=(1, 0.4))
    seen = made.truth.visible[BIRD]
    for part in np.flatnonzero(seen):
        at = shift + zoom * made.truth.location[BIRD, part]
        _draw_radius(canvas, at, zoom * radius[part])
        canvas.path(cross(at, 3), stroke=INK)
    clicks = made.birds.clicks.location[BIRD][:, seen].reshape(-1, 2)
    _draw_clicks(canvas, shift + zoom * clicks[~np.isnan(clicks).any(axis=1)])


def _draw_radius(canvas: Canvas, at: Floats, radius: Floats | float) -> None:
    canvas.path(ellipse(at, radius), fill=ROWS["A"], stroke=ROWS["A"], opacity=(0.12, 1))


def _draw_clicks(canvas: Canvas, points: Floats) -> None:
    canvas.path(dots(points), stroke=INK, width=2.2, capstyle="round")


def _key_of_units(canvas: Canvas, at: Floats) -> None:
    down = np.array([0.0, 22.0])
    _draw_clicks(canvas, at[np.newaxis])
    canvas.path(cross(at + down, 3), stroke=INK)
    _draw_radius(canvas, at + 2 * down, 7)
    for row, text in enumerate(("a click", "the consensus", "1.5 σ around it")):
        canvas.text(at + row * down, text, by=(16, 4))


@dataclass(frozen=True)
class _Pair:
    """One pair of image and part, with what each reference makes of A's location."""

    clicks: Floats
    median: Floats
    mean: Floats
    location: Floats
    radius: float
    scores: dict[str, float]

    @classmethod
    def of(cls, made: Example) -> _Pair:
        prediction, part = made.birds.predictions["A"], PARTS.index(PART)
        sigma = made.result.sigma["sd-mean"]
        given = prediction, made.truth, made.birds.clicks, sigma
        clicks = made.birds.clicks.location[BIRD, :, part]
        return cls(
            clicks[~np.isnan(clicks).any(axis=1)],
            made.truth.location[BIRD, part],
            mean_click(made.birds.clicks)[BIRD, part],
            prediction.location[BIRD, part],
            float(RADIUS * sigma[part, 0]),
            {name: float(REF[name](*given)[BIRD, part]) for name in REF.names},
        )

    def draw(self, canvas: Canvas, ref: str, corner: Floats, room: Floats) -> None:
        """Draw what a reference accepts, then clicks and locations."""
        low, high = self.clicks.min(axis=0) - self.radius, self.clicks.max(axis=0) + self.radius
        zoom = float((room / (high - low)).min())
        shift = corner + room / 2 - zoom * (low + high) / 2
        centres = {"median": self.median, "mean": self.mean, "one": self.clicks[0]}
        accepted = np.atleast_2d(shift + zoom * centres.get(ref, self.clicks))
        circles = [ellipse(centre, zoom * self.radius) for centre in accepted]
        if ref != "each":
            circles = [Path.make_compound_path(*circles)]
        for circle in circles:
            canvas.path(circle, fill=INK, opacity=(0.12 if ref == "each" else 0.17, 1))
        for at in shift + zoom * self.clicks[1:]:
            canvas.path(ellipse(at, 2), fill=INK)
        _draw_first_click(canvas, shift + zoom * self.clicks[0])
        canvas.path(cross(shift + zoom * self.median, 5), stroke=INK, width=1.2)
        canvas.path(cross(shift + zoom * self.mean, 3.6, upright=False), stroke=INK, width=1.2)
        canvas.path(diamond(shift + zoom * self.location, 4), fill=ROWS["A"])


def _draw_first_click(canvas: Canvas, at: Floats) -> None:
    canvas.path(ellipse(at, 3), fill=PAPER, stroke=INK, width=1.5)


def _key_of_references(canvas: Canvas, at: Floats) -> None:
    rows = at + np.outer(np.arange(5), [0.0, 22.0])
    _draw_first_click(canvas, rows[0])
    canvas.path(ellipse(rows[1], 2), fill=INK)
    canvas.path(cross(rows[2], 5), stroke=INK, width=1.2)
    canvas.path(cross(rows[3], 3.6, upright=False), stroke=INK, width=1.2)
    canvas.path(diamond(rows[4], 4), fill=ROWS["A"])
    said = ("first click", "other clicks", "ground truth", "mean click", "A's location")
    for row, text in zip(rows, said, strict=True):
        canvas.text(row, text, by=(12, 4))


def _distances(made: Example, row: str) -> Floats:
    sigma = made.result.sigma["sd-mean"]
    found = distance_from_truth(made.birds.predictions[row], made.truth, sigma)
    return found[~np.isnan(found)]


def _needed_radius(made: Example, row: str) -> Floats:
    """The least radius at which each pair is right: 0 where neither is visible, or infinity."""
    sigma = made.result.sigma["sd-mean"]
    if row in made.birds.predictions:
        return _needed(made.birds.predictions[row], made.truth, sigma).value
    measure = replace(PCP, pairs=_needed)
    return human_pairs(measure, made.truth, made.birds.clicks, sigma=sigma).value


def _needed(prediction: Prediction, truth: Truth, sigma: Floats) -> Pairs:
    apart = distance_from_truth(prediction, truth, sigma)
    otherwise = np.where(neither_visible(prediction, truth), 0, np.inf)
    return Pairs(np.where(np.isnan(apart), otherwise, apart), np.ones_like(truth.visible))


def _share_within(needed: Floats, radius: float) -> float:
    return 100 * float((needed <= radius).mean())


BESIDE = {
    "Human": ("right", (-6, -5)),
    "A": ("right", (-6, -5)),
    "B": ("left", (6, 13)),
    "C": ("right", (-6, 21)),
}
"""Where the value at the radius of 1.5 stands beside its dot, clear of every curve."""

STRIP = 322
"""Where the squares of the chart of rankings stand, points from the left."""


@dataclass(frozen=True)
class _Ranking:
    """The localizers' order under one measure and its choices, whatever sigma and avg are.

    Attributes
    ----------
    name : the measure, and its other choices
    values : as printed, of each localizer for which it is defined, sd-mean and avg:micro
    places : from 0, the best; those that are tied share the mean of their places
    forms : the short forms that differ in sigma and avg
    reversing : those of them in which two localizers change places
    """

    name: str
    values: dict[str, str]
    places: dict[str, float]
    forms: tuple[Signature, ...]
    reversing: tuple[Signature, ...]

    @classmethod
    def of(cls, made: Example, forms: Sequence[Signature]) -> _Ranking:
        first = next(form for form in forms if _is_preselected(form))
        better, values = _better(made, first), _printed(made, first)
        places = {
            one: sum((other, one) in better for other in values)
            + sum(values[other] == values[one] for other in values if other != one) / 2
            for one in values
        }
        reversing = [
            form for form in forms if any(pair[::-1] in better for pair in _better(made, form))
        ]
        words = [first.measure.id, *(f"{key}:{value}" for key, value in _own_choices(first))]
        return cls(" ".join(words), values, places, tuple(forms), tuple(reversing))

    @property
    def said(self) -> str:
        """The order in words, with the values."""
        order = sorted(self.places, key=lambda row: self.places[row])
        found = [f"{row} {self.values[row]}" for row in order]
        absent = [f"{row} undefined" for row in LOCALIZERS if row not in self.values]
        return f"{self.name}: {', '.join(found + absent)}"

    @property
    def reversed_by(self) -> str:
        """The values of sigma under which two localizers change places, with avg if it matters."""
        found: list[str] = []
        for sigma, group in groupby(self.forms, _sigma):
            same = list(group)
            reversing = [form for form in same if form in self.reversing]
            if sigma and len(reversing) == len(same):
                found.append(f"sigma:{sigma}")
            else:
                found += [form.short for form in reversing]
        return " and ".join(found)

    def at(self, row: str, down: float) -> tuple[float, float]:
        """Where a localizer stands on the chart; those that are tied touch."""
        tied = [each for each in self.places if self.places[each] == self.places[row]]
        beside = tied.index(row) - (len(tied) - 1) / 2
        return _across(self.places[row]) + 17 * beside, down

    def draw(self, canvas: Canvas, down: float) -> None:
        """Draw a row of the chart, without the lines to other rows."""
        words = self.name.split()
        for line, word in enumerate(words):
            by = (0.0, 4 + 14 * (line - (len(words) - 1) / 2))
            canvas.text((2, down), word, by=by, bold=not line)
        for row in LOCALIZERS:
            if row in self.places:
                canvas.path(ellipse(self.at(row, down), 8.5), fill=ROWS[row])
                canvas.text(self.at(row, down), row, PAPER, by=(0, 4), bold=True, ha="center")
            else:
                said = f"{row} undefined"
                canvas.text((_across(2), down), said, ROWS[row], by=(17, 4), ha="right")
        self._draw_strip(canvas, down)

    def _draw_strip(self, canvas: Canvas, down: float) -> None:
        columns = [list(group) for _, group in groupby(self.forms, _sigma)]
        squares: dict[bool, list[Path]] = {}
        for column, group in enumerate(columns):
            for line, form in enumerate(group):
                across = STRIP + 7 * (column - (len(columns) - 1) / 2)
                at = (across, down + 7 * (line - (len(group) - 1) / 2))
                squares.setdefault(form in self.reversing, []).append(square(at, 2.5))
        for reversing, paths in squares.items():
            whole = Path.make_compound_path(*paths)
            canvas.path(whole, fill=INK if reversing else None, stroke=INK, width=0.5)


def _across(place: float) -> float:
    return 130 + 62 * place


def _draw_lines(canvas: Canvas, rows: Sequence[tuple[_Ranking, float]]) -> None:
    for (above, start), (below, end) in pairwise(rows):
        if above.forms[0].measure != below.forms[0].measure:
            canvas.line([(0, end - 15), (WIDTH, end - 15)], faint=0.15)
        for row in LOCALIZERS:
            if row in above.places and row in below.places:
                canvas.line([above.at(row, start), below.at(row, end)], ROWS[row], width=1.5)


def _ranked_forms() -> list[list[Signature]]:
    """The short forms of measures that say which is better, grouped by all but sigma and avg."""
    found: dict[Any, list[Signature]] = {}
    for form in short_signatures():
        if form.measure.better in ("higher", "lower"):
            found.setdefault((form.measure.id, *_own_choices(form)), []).append(form)
    return list(found.values())


def _sigma(form: Signature) -> str | None:
    return form.values.get("sigma")


def _own_choices(form: Signature) -> list[tuple[str, str]]:
    return [(key, value) for key, value in form.values.items() if key not in ("sigma", "avg")]


def _is_preselected(form: Signature) -> bool:
    shared = [each for each in form.measure.choices if each.key in ("sigma", "avg")]
    return all(form.values[each.key] == each.preselected for each in shared)


def _printed(made: Example, form: Signature) -> dict[str, str]:
    """What a table prints of each localizer for which the form is defined."""
    found = {row: made.result.rows[row][form.short] for row in LOCALIZERS}
    decimals = DECIMALS[form.measure.unit]
    return {row: f"{each:.{decimals}f}" for row, each in found.items() if np.isfinite(each)}


def _better(made: Example, form: Signature) -> set[tuple[str, str]]:
    """The pairs of localizers of which the first is better as printed."""
    sign = 1 if form.measure.better == "higher" else -1
    values = {row: sign * float(text) for row, text in _printed(made, form).items()}
    return {(a, b) for a in values for b in values if values[a] > values[b]}
