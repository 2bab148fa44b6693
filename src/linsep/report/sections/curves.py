"""Every threshold at once: ROC, precision and recall, calibration, cost, each with intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linsep.quality import Curves, Predictions, draw_curves
from linsep.quality.costs import Costs
from linsep.quality.curves import Band, calibration
from linsep.report.blocks import Beside, Block, Callout, Figure, Grid, LineChart, Mark, Paragraph, Section, Series, Tone
from linsep.report.case import Case
from linsep.report.confusion import believed, most_confused
from linsep.report.numbers import number, percent
from linsep.types import FloatArray

#: Lines of several classes in one chart, and lines of the table of a curve.
_MOST_LINES, _LINES = 4, 12


def curves(case: Case) -> Section | None:
    """For two classes those of the positive one, for more those of the classes with most mistakes."""
    judged = case.judged
    predictions = judged.predictions
    chosen = [k for k in _classes(case) if 0 < np.count_nonzero(predictions.truth == k) < len(predictions.truth)]
    if not chosen:
        return None
    costs = _costs(case)
    found = {case.said(k): draw_curves(by_probability(predictions, k), k, costs) for k in chosen}
    figures = [_roc(found), _precision(found), *_calibration(case, predictions, chosen)]
    if predictions.probabilities is not None and len(chosen) == 1:
        figures.append(_cost(case, found, costs))
    words = f"Drawn from {judged.words}. {_speaking_of(case, chosen)}"
    first = Callout(Tone.CAUTION, "These curves flatter the model", (words,)) if judged.flattering else Paragraph(words)
    blocks: list[Block] = [first, Beside(tuple(figures))]
    return Section("curves", "Curves", tuple(blocks))


def by_probability(p: Predictions, k: int) -> Predictions:
    """Ranked by the probability of class k, so that thresholds are probabilities."""
    if p.probabilities is None:
        return p
    chance = np.ascontiguousarray(p.probabilities[:, k])
    return replace(p, scores=chance if k == 1 else -chance) if p.scores.ndim == 1 else p


def _classes(case: Case) -> list[int]:
    asked = case.trained is not None and case.trained.recipe.positive is not None
    if case.binary or asked:
        return [case.positive]
    return [int(k) for k in most_confused(believed(case)[0].confusion, _MOST_LINES)]


def _costs(case: Case) -> Costs:
    given = None if case.trained is None else case.trained.decision.costs
    return given or Costs()


def _speaking_of(case: Case, chosen: list[int]) -> str:
    if len(chosen) == 1:
        label = case.said(chosen[0])
        return f"They speak of {label} against the rest; bands are 95% intervals, point by point."
    return (
        f"Each line is one class against the rest, for the {len(chosen)} of {len(case.classes):,} classes with most "
        "mistakes; 95% intervals, point by point, are in the tables."
    )


def _series(found: dict[str, Curves], name: str) -> tuple[Series, ...]:
    bands: dict[str, Band] = {label: getattr(each, name) for label, each in found.items()}
    if len(bands) > 1:  # bands upon bands hide the lines
        return tuple(Series(label, b.x, b.y) for label, b in bands.items())
    return tuple(Series(label, b.x, b.y, b.low, b.high) for label, b in bands.items())


def _roc(found: dict[str, Curves]) -> Figure:
    chart = LineChart(
        "ROC curve",
        "Share of the class that is found, over the share of other rows that are taken for it, for every threshold.",
        "others taken for it",
        "found, of the class",
        _series(found, "roc"),
        (0.0, 1.0),
        (0.0, 1.0),
        diagonal="by chance",
    )
    return Figure(chart, "The nearer to the upper left, the better.", _table(found, "roc", ("False alarms", "Found")))


def _precision(found: dict[str, Curves]) -> Figure:
    chart = LineChart(
        "Precision and recall",
        "Share of rows taken for the class that are of it, over the share of the class that is found.",
        "recall: found, of the class",
        "precision: right, of those taken",
        _series(found, "precision_recall"),
        (0.0, 1.0),
        (0.0, 1.0),
    )
    caption = "What is lost in precision where more of the class is to be found."
    return Figure(chart, caption, _table(found, "precision_recall", ("Recall", "Precision")))


def _calibration(case: Case, p: Predictions, chosen: list[int]) -> list[Figure]:
    """Of the class; for several that of the class that was predicted, whichever it is."""
    if p.probabilities is None:
        return []
    if len(chosen) == 1:
        k = chosen[0]
        band = calibration(np.ascontiguousarray(p.probabilities[:, k]), p.truth == k, p.weight_of)
        label = f"probability of {case.said(k)}"
    else:
        band = calibration(p.probabilities.max(axis=1), p.probabilities.argmax(axis=1) == p.truth, p.weight_of)
        label = "probability of the likeliest class"
    chart = LineChart(
        "Calibration",
        "Share of rows for which it came true, over the probability given, in ten bins of equally many rows.",
        label,
        "came true",
        (Series("observed", band.x, band.y, band.low, band.high, points=True),),
        (0.0, 1.0),
        (0.0, 1.0),
        diagonal="as often as said",
    )
    rows = tuple(
        (percent(x), percent(y), f"{percent(low)} to {percent(high)}")
        for x, y, low, high in zip(band.x, band.y, band.low, band.high, strict=True)
    )
    table = Grid("Calibration in bins", ("Said", "Came true", "95% interval"), rows, frozenset({0, 1, 2}))
    return [Figure(chart, "Points on the line: what is said to be 70% likely comes true in 70 of 100 rows.", table)]


def _cost(case: Case, found: dict[str, Curves], costs: Costs) -> Figure:
    band = next(iter(found.values())).cost
    keep = np.isfinite(band.x)
    x, y, low, high = (values[keep] for values in (band.x, band.y, band.low, band.high))
    best = float(x[int(np.argmin(y))])
    marks = [Mark(_threshold(case, costs), "in use"), Mark(best, "least here")]
    equal = costs.false_positive == costs.false_negative == 1.0
    chart = LineChart(
        "Cost of each threshold",
        "Mean cost a row if rows with at least this probability are taken for the class.",
        f"threshold on the probability of {next(iter(found))}",
        "share of mistakes" if equal else "mean cost a row",
        (Series("cost", x, y, low, high),),
        (0.0, 1.0),
        marks=tuple(marks),
    )
    words = (
        "Here every mistake costs 1, so this is the share of mistakes."
        if equal
        else f"A false alarm costs {number(costs.false_positive)}, a miss {number(costs.false_negative)}."
    )
    caption = f"{words} The least is {number(float(y.min()), 3)} at {percent(best)}."
    return Figure(chart, caption, _table(found, "cost", ("Threshold", "Cost")))


def _threshold(case: Case, costs: Costs) -> float:
    decision = None if case.trained is None else case.trained.decision
    if decision is not None and decision.threshold is not None:
        return decision.threshold
    return 0.5


def _table(found: dict[str, Curves], name: str, header: tuple[str, str]) -> Grid:
    """A dozen points of each line."""
    rows: list[tuple[str, ...]] = []
    for label, each in found.items():
        band: Band = getattr(each, name)
        for i in _few(band.x):
            interval = f"{number(band.low[i], 3)} to {number(band.high[i], 3)}"
            rows.append((label, number(band.x[i], 3), number(band.y[i], 3), interval))
    return Grid(f"Points of the curve: {header[1]} over {header[0]}", ("Class", *header, "95% interval"), tuple(rows),
                frozenset({1, 2, 3}))  # fmt: skip


def _few(x: FloatArray) -> list[int]:
    finite = np.flatnonzero(np.isfinite(x))
    places = np.linspace(0, len(finite) - 1, min(_LINES, len(finite))).round().astype(int)
    return [int(finite[i]) for i in np.unique(places)]
