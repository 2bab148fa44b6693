"""What the model goes by: coefficients in the user's units, odds ratios, intervals; or why there are none."""

from __future__ import annotations

from math import exp

import numpy as np

from linsep.inference import Inference
from linsep.report.blocks import (
    Bar,
    BarChart,
    Block,
    Bullets,
    Callout,
    Chip,
    Chips,
    Figure,
    Folded,
    Grid,
    Paragraph,
    Section,
    Tone,
)
from linsep.report.case import Case
from linsep.report.coefficient_rows import Coefficient, binary_coefficients
from linsep.report.numbers import NOTHING, number, percent, signed
from linsep.types import FloatArray

_BARS, _LINES, _CLASSES, _EACH = 20, 500, 20, 8


def coefficients(case: Case) -> Section | None:
    """Words have a section of their own; a model of words alone has none here."""
    if case.directions is None:
        words = (
            f"The weights belong to the binary problems of {case.model.multiclass!r}, not to classes: no column has a "
            "weight of its own for a class."
        )
        return Section("coefficients", "What it goes by", (Paragraph(words),))
    if case.columns is not None and all(column.kind == "text" for column in case.columns):
        return None
    blocks = _binary(case) if case.binary else _many(case)
    return Section("coefficients", "What it goes by", tuple(blocks))


def _binary(case: Case) -> list[Block]:
    rows = [each for each in binary_coefficients(case) if each.kind != "text"]
    ranked = sorted((r for r in rows if r.name != "intercept"), key=lambda r: -abs(r.effect))
    label, odds = case.said(case.positive), case.model.loss == "log" and case.model.calibration is None
    what = "the log odds" if odds else "the score"
    intro = Paragraph(
        f"A coefficient is what one more of its unit adds to {what} of {label}."
        + (" The odds ratio is by how much that multiplies the odds." if odds else "")
    )
    table = _table(ranked[:_LINES] + [r for r in rows if r.name == "intercept"], odds)
    return [intro, _figure(ranked[:_BARS], label), *_validity(case), _shown(table)]


def _figure(ranked: list[Coefficient], label: str) -> Figure:
    """Ranked by what a typical change of the column does."""
    bars = tuple(Bar(r.name, r.effect, *_effect_ends(r)) for r in ranked)
    chart = BarChart(
        f"What moves the score of {label}",
        f"Effect on the score of {label} of one standard deviation of each feature, the {len(bars)} largest.",
        "change of the score for one standard deviation",
        bars,
    )
    caption = "One standard deviation of the feature to the right speaks for the class, to the left against it."
    if any(r.low is not None for r in ranked):
        caption += " Thin lines are 95% intervals."
    rows = tuple((r.name, signed(r.effect), signed(r.value)) for r in ranked)
    header = ("Feature", "For one deviation", "For one unit")
    return Figure(chart, caption, Grid("Effects of the features", header, rows, frozenset({1, 2})))


def _effect_ends(row: Coefficient) -> tuple[float | None, float | None]:
    """The interval of the effect: as many times wider as the effect is than the value."""
    if row.low is None or row.high is None or row.value == 0.0:
        return None, None
    times = row.effect / row.value
    return row.low * times, row.high * times


def _table(rows: list[Coefficient], odds: bool) -> Grid:
    header = ["Feature", "Unit", "Coefficient", "95% interval"]
    header += ["Odds ratio", "95% interval"] if odds else []
    header += ["p"]
    lines = tuple(_line(row, odds) for row in rows)
    caption = f"{len(rows):,} coefficients in the units of the data, the most telling first"
    return Grid(caption, tuple(header), lines, frozenset(range(2, len(header))))


def _line(row: Coefficient, odds: bool) -> tuple[str, ...]:
    cells = [row.name, row.unit or NOTHING, number(row.value), _ends(row.low, row.high)]
    if odds:
        low, high = (None if end is None else _ratio(end) for end in (row.low, row.high))
        cells += [number(_ratio(row.value), 3), _ends(low, high)] if row.name != "intercept" else [NOTHING, NOTHING]
    return (*cells, NOTHING if row.p_value is None else _probability(row.p_value))


def _ratio(value: float) -> float:
    return exp(value) if value < 700.0 else float("inf")


def _probability(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else number(p, 2)


def _ends(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"{number(low, 3)} to {number(high, 3)}"


def _shown(table: Grid) -> Block:
    return Folded(table.caption, (table,)) if len(table.rows) > 2 * _BARS else table


def _validity(case: Case) -> list[Block]:
    """What the intervals are worth, or why there are none."""
    found = case.inferred
    if not isinstance(found, Inference):
        return [Callout(Tone.NOTE, "Coefficients without intervals", (found,))]
    title = f"What the {percent(found.level, 0)} intervals are worth"
    words = found.statement[:1].upper() + found.statement[1:] + "."
    if case.trained is not None and case.trained.curve is not None:
        words += " α was chosen by the same rows, which the intervals do not know of."
    notes: list[Block] = [Bullets(found.notes)] if found.notes else []
    return [Callout(Tone.NOTE, title, (words, f"Standard errors: {found.method}.")), *notes]


def _many(case: Case) -> list[Block]:
    """For each of the largest classes what speaks for it and against it."""
    assert case.directions is not None
    keep = np.array([case.columns is None or case.columns[j].kind != "text" for j in range(case.model.n_features)])
    centred = case.directions - case.directions.mean(axis=0)
    effects = np.where(keep, centred * case.deviations, 0.0)
    order = np.argsort(-case.totals, kind="stable")[:_CLASSES]
    rows = tuple((case.classes[k], _side(case, effects[k], 1.0), _side(case, effects[k], -1.0)) for k in order)
    which = "" if len(order) == len(case.classes) else f", the {len(order)} largest of {len(case.classes):,} classes"
    intro = Paragraph(
        "For each class the features that move its score most, beside the mean of the classes: the number is what one "
        f"standard deviation of the feature adds{which}."
    )
    grid = Grid("Features that speak for and against each class", ("Class", "For it", "Against it"), rows)
    return [intro, grid, *_validity_of_many(case)]


def _side(case: Case, effects: FloatArray, sign: float) -> Chips:
    order = [int(j) for j in np.argsort(-sign * effects, kind="stable")[:_EACH] if sign * effects[j] > 1e-12]
    return Chips(tuple(Chip(f"{case.name(j)} {signed(float(effects[j]), 2)}", sign > 0.0) for j in order))


def _validity_of_many(case: Case) -> list[Block]:
    found = case.inferred
    if not isinstance(found, Inference):
        return [Callout(Tone.NOTE, "Coefficients without intervals", (found,))]
    scale = np.ones(len(found.estimates))
    if case.columns is not None:
        each = np.array([column.scale for column in case.columns] + [1.0] * case.model.fit_intercept)
        scale = np.tile(each, len(found.others))
    rows = tuple(
        (name, number(value), _ends(float(low), float(high)), number(_ratio(float(value)), 3), _probability(float(p)))
        for name, value, (low, high), p in zip(
            found.names, found.estimates / scale, found.intervals / scale[:, None], found.p_values, strict=True
        )
        if not (case.columns is not None and name.endswith("intercept"))
    )
    header = ("Class: feature", "Coefficient", "95% interval", "Odds ratio", "p")
    grid = Grid(
        f"Log odds against {found.reference}, for one more unit", header, rows[:_LINES], frozenset({1, 2, 3, 4})
    )
    return [*_validity(case), Folded(grid.caption, (grid,))]
