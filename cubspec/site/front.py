"""The figure of the front page: one localizer with several scores, and two opposite rankings."""

from __future__ import annotations

from cubspec.example import LOCALIZERS, Example
from cubspec.site.drawing import INK, ROWS, Canvas, Drawing, Plot, ellipse

AE = "AE|sigma:sd-mean|avg:micro"
REPORT = "report-error|sigma:sd-mean|none:zero|avg:micro"
SPAN = (48.0, 76.0)
"""The part of the scale of PCP that is drawn, %."""


def problem(made: Example) -> Drawing:
    """PCP of A under three references, and the order of A, B and C under two measures."""
    canvas = Canvas(206)
    pcp = {
        ref: made.result.rows["A"][f"PCP|sigma:sd-mean|ref:{ref}"]
        for ref in ("one", "median", "any")
    }
    errors = {
        name: (made.result.rows[name][AE], made.result.rows[name][REPORT]) for name in LOCALIZERS
    }
    _draw_span(canvas, pcp)
    _draw_slopes(canvas, errors)
    spans = ", ".join(f"{value:.2f} % with ref:{ref}" for ref, value in pcp.items())
    pairs = "; ".join(f"{name} {ae:.3f} and {own:.3f}" for name, (ae, own) in errors.items())
    return canvas.finished(
        "problem",
        f"PCP of A: {spans}. AE and report-error: {pairs}. B is ahead of C under AE and behind it "
        "under report-error.",
        "Above: one localizer, A, and its PCP with three readings of what a location is compared "
        "with. Below: two measures of error, less is better, rank two others the other way round: "
        "B, which is A with everything called visible, and C, which is A at twice the distance.",
    )


def _draw_span(canvas: Canvas, pcp: dict[str, float]) -> None:
    canvas.text((0, 14), "2,000 synthetic birds, one localizer, A: PCP in %", bold=True)
    plot = Plot(canvas, left=10, right=350, top=20, bottom=62, across=SPAN, up=(0, 1))
    low, high = (plot.at((value, 0.4)) for value in (min(pcp.values()), max(pcp.values())))
    canvas.line(plot.at([(SPAN[0], 0.4), (SPAN[1], 0.4)]), INK, faint=0.3)
    canvas.line([low, high], ROWS["A"], width=2.5)
    for ref, value in pcp.items():
        at = plot.at((value, 0.4))
        canvas.path(ellipse(at, 4), fill=ROWS["A"])
        canvas.text(at, f"{value:.2f}", ROWS["A"], by=(0, -9), bold=True, ha="center")
        # The two left ones are near each other.
        canvas.text(at, f"ref:{ref}", by=(0, 18), ha="right" if ref == "one" else "center")


def _draw_slopes(canvas: Canvas, errors: dict[str, tuple[float, float]]) -> None:
    canvas.text((0, 96), "Two measures, opposite order of B and C", bold=True)
    every = [value for pair in errors.values() for value in pair]
    plot = Plot(
        canvas, left=120, right=240, top=128, bottom=196, across=(0, 1), up=(max(every), min(every))
    )
    canvas.text((plot.left, 114), "AE", ha="center")
    canvas.text((plot.right, 114), "report-error none:zero", ha="center")
    beside: dict[str, list[str]] = {}
    for name, (ae, own) in errors.items():
        canvas.line(plot.at([(0, ae), (1, own)]), ROWS[name], width=1.8)
        for side, value in enumerate((ae, own)):
            canvas.path(ellipse(plot.at((side, value)), 3), fill=ROWS[name])
        beside.setdefault(f"{ae:.3f}", []).append(name)
        right = plot.at((1, own))
        canvas.text(right, f"{name}  {own:.3f}", ROWS[name], by=(9, 4), bold=True)
    for printed, names in beside.items():
        left = plot.at((0, errors[names[0]][0]))
        colour = ROWS[names[0]] if len(names) == 1 else INK
        label = f"{', '.join(names)}  {printed}"
        canvas.text(left, label, colour, by=(-9, 4), bold=True, ha="right")
