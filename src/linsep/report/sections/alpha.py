"""How the strength of the penalty was chosen: left-out loss against α."""

from __future__ import annotations

from linsep.report.blocks import Block, Bullets, Figure, Grid, LineChart, Mark, Paragraph, Section, Series
from linsep.report.case import Case
from linsep.report.numbers import number
from linsep.selection import Curve


def alpha(case: Case) -> Section | None:
    """Nothing where α was given."""
    curve = None if case.trained is None else case.trained.curve
    if curve is None:
        return None
    used = case.model.alpha
    words = (
        f"α was chosen by {curve.method}: of {len(curve.alphas)} values tried, the {curve.scored} of rows left out is "
        f"least at α = {number(curve.best)}. {number(used)} is used."
        f" The simplest model that is as good within one standard error has α = {number(curve.one_standard_error)}."
    )
    blocks: list[Block] = [Paragraph(words), _figure(curve, used)]
    if curve.notes:
        blocks.append(Bullets(curve.notes))
    return Section("alpha", "Strength of the penalty", tuple(blocks))


def _figure(curve: Curve, used: float) -> Figure:
    marks = [Mark(curve.best, "best" if used != curve.best else "best, in use")]
    if curve.one_standard_error != curve.best:
        marks.append(Mark(curve.one_standard_error, "one standard error"))
    if used not in (curve.best, curve.one_standard_error):
        marks.append(Mark(used, "in use"))
    low, high = curve.losses - curve.errors, curve.losses + curve.errors
    chart = LineChart(
        "Left-out loss against α",
        f"{curve.scored} of rows that were left out, for every α tried, with one standard error to either side.",
        "α, strength of the penalty (larger: simpler)",
        curve.scored,
        (Series(curve.scored, curve.alphas, curve.losses, low, high, points=len(curve.alphas) <= 30),),
        x_log=bool((curve.alphas > 0.0).all()),
        marks=tuple(marks),
    )
    rows = tuple(
        (number(a), number(loss, 5), number(error, 2))
        for a, loss, error in zip(curve.alphas, curve.losses, curve.errors, strict=True)
    )
    table = Grid("Values of α that were tried", ("α", curve.scored, "Standard error"), rows, frozenset({0, 1, 2}))
    return Figure(chart, "To the left the model follows single rows, to the right it hardly looks at them.", table)
