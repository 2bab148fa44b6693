"""Precision, recall and AUC of each class, with intervals."""

from __future__ import annotations

import numpy as np

from linsep.quality import Estimate, Quality
from linsep.quality.intervals import proportion
from linsep.quality.ranking import auc
from linsep.report.blocks import Block, Folded, Grid
from linsep.report.case import Case
from linsep.report.numbers import NOTHING, count, percent
from linsep.types import FloatArray

_SHOWN, _MOST = 20, 300


def class_table(case: Case, found: Quality, where: str) -> list[Block]:
    """The largest classes first; beyond the first few on demand."""
    matrix = found.confusion
    order = np.argsort(-matrix.sum(axis=1), kind="stable")[:_MOST]
    rows = [_row(case, int(k), matrix, found.level) for k in order]
    header = ("Class", "Rows", "Recall", "Precision", *([] if case.binary else ["AUC"]))
    places = frozenset(range(1, len(header)))
    many = len(rows) > _SHOWN
    caption = f"{f'The {_SHOWN} largest classes' if many else 'Each class'}, {where}"
    caption += ", with 95% intervals" + ("" if case.binary else "; AUC: on the rows of the curves")
    first = Grid(caption, header, tuple(rows[:_SHOWN]), places)
    rest = Grid("Smaller classes", header, tuple(rows[_SHOWN:]), places)
    return [first, *([Folded(f"The next {len(rows) - _SHOWN:,} classes", (rest,))] if many else [])]


def _row(case: Case, k: int, matrix: FloatArray, level: float) -> tuple[str, ...]:
    size, taken, hits = float(matrix[k].sum()), float(matrix[:, k].sum()), float(matrix[k, k])
    recall, precision = proportion(hits, size, level), proportion(hits, taken, level)
    return (
        case.classes[k],
        count(size),
        _two_lines(recall),
        _two_lines(precision),
        *([] if case.binary else [_area(case, k)]),
    )


def _two_lines(share: Estimate) -> str:
    """The interval below its value; nothing where there are no rows."""
    return (
        NOTHING if np.isnan(share.value) else f"{percent(share.value)}\n{percent(share.low)} to {percent(share.high)}"
    )


def _area(case: Case, k: int) -> str:
    p = case.judged.predictions
    area = auc(p.ranking(k), p.truth == k, p.weights).value
    return NOTHING if np.isnan(area) else f"{area:.3f}"
