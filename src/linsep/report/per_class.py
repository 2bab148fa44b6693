"""Precision, recall and AUC of each class, with intervals."""

from __future__ import annotations

import numpy as np

from linsep.quality.intervals import proportion
from linsep.quality.ranking import auc
from linsep.report.blocks import Block, Folded, Grid, Heading
from linsep.report.case import Case
from linsep.report.confusion import believed
from linsep.report.numbers import NOTHING, count, number, percent
from linsep.types import FloatArray

_SHOWN, _MOST = 20, 300


def class_table(case: Case) -> list[Block]:
    """The largest classes first; beyond the first few on demand."""
    found, where = believed(case)
    matrix = found.confusion
    order = np.argsort(-matrix.sum(axis=1), kind="stable")[:_MOST]
    rows = [_row(case, int(k), matrix, found.level) for k in order]
    header = ("Class", "Rows", "Recall", "Interval", "Precision", "Interval", "AUC")
    places = frozenset(range(1, 7))
    heading = Heading("Class by class")
    first = Grid(
        f"The largest classes, {where}; AUC on the rows the curves are drawn from", header, tuple(rows[:_SHOWN]), places
    )
    if len(rows) <= _SHOWN:
        return [heading, first]
    rest = Grid("Smaller classes", header, tuple(rows[_SHOWN:]), places)
    return [heading, first, Folded(f"The next {len(rows) - _SHOWN:,} classes", (rest,))]


def _row(case: Case, k: int, matrix: FloatArray, level: float) -> tuple[str, ...]:
    size, taken, hits = float(matrix[k].sum()), float(matrix[:, k].sum()), float(matrix[k, k])
    recall, precision = proportion(hits, size, level), proportion(hits, taken, level)
    return (
        case.classes[k],
        count(size),
        percent(recall.value),
        f"{percent(recall.low)} to {percent(recall.high)}" if size else NOTHING,
        percent(precision.value),
        f"{percent(precision.low)} to {percent(precision.high)}" if taken else NOTHING,
        _area(case, k),
    )


def _area(case: Case, k: int) -> str:
    p = case.judged[0]
    if p.scores.ndim == 1:
        return NOTHING
    return number(auc(np.ascontiguousarray(p.scores[:, k]), p.truth == k, p.weights).value, 3)
