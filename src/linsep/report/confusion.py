"""Which classes are taken for which: the matrix of few classes, the worst mistakes of many."""

from __future__ import annotations

import numpy as np

from linsep.quality import Quality
from linsep.quality.intervals import proportion
from linsep.report.blocks import Beside, Block, Figure, Grid, Heading, HeatMap, Paragraph
from linsep.report.case import Case
from linsep.report.numbers import count, percent
from linsep.report.per_class import class_table
from linsep.types import FloatArray, IntArray

#: Classes of a matrix, and pairs of a list.
MOST_CLASSES, MOST_PAIRS = 20, 20
#: Classes up to which matrix and table stand side by side.
_FEW = 5


def confusion_blocks(case: Case) -> list[Block]:
    found, where = believed(case)
    matrix = found.confusion
    chosen = most_confused(matrix, MOST_CLASSES)
    part = matrix[np.ix_(chosen, chosen)]
    totals = matrix.sum(axis=1)
    shares = part / np.maximum(totals[chosen], 1e-300)[:, None]
    names = tuple(case.classes[k] for k in chosen)
    all_of_them = len(chosen) == len(matrix)
    which = "" if all_of_them else f" The {len(chosen)} classes of {len(matrix):,} with most mistakes are shown."
    chart = HeatMap(
        "Confusion matrix",
        f"Rows of each true class by the class predicted, {where}; darker squares are a larger share of the class.",
        "true",
        "predicted",
        names,
        names,
        part,
        shares,
    )
    caption = f"True classes down, predicted ones across, {where}; shares are of the true class.{which}"
    figure = Figure(chart, caption, _table(part, totals[chosen], names, found))
    first, *rest = class_table(case, found, where)
    if len(matrix) <= _FEW:
        return [Heading("Class by class"), Beside((figure, first)), *_pairs(case, matrix, found.level)]
    pairs = _pairs(case, matrix, found.level)
    return [Heading("Class by class"), figure, *pairs, first, *rest]


def believed(case: Case) -> tuple[Quality, str]:
    """Of rows held out where the rows given are those of the fit."""
    if case.is_training and case.held_out is not None:
        return case.held_out, "on rows held out at training"
    return case.quality, "on the training rows" if case.is_training else "on the rows given"


def most_confused(matrix: FloatArray, most: int) -> IntArray:
    """The classes with most mistakes in or out, in their own order."""
    wrong = matrix.sum(axis=0) + matrix.sum(axis=1) - 2.0 * np.diag(matrix)
    size = matrix.sum(axis=1)
    order = np.lexsort((-size, -wrong))[:most]
    return np.sort(order)


def _table(part: FloatArray, totals: FloatArray, names: tuple[str, ...], found: Quality) -> Grid:
    """Each class with what it was taken for, and the share that was right with its interval."""
    rows = []
    for i, name in enumerate(names):
        right = proportion(float(part[i, i]), float(totals[i]), found.level)
        taken = [
            f"{count(part[i, j])} as {names[j]}" for j in np.argsort(-part[i], kind="stable") if part[i, j] and j != i
        ]
        interval = f"{percent(right.low)} to {percent(right.high)}"
        others = ", ".join(taken[:5]) or "none"
        rows.append((name, count(totals[i]), percent(right.value), interval, others))
    header = ("True class", "Rows", "Right", f"{percent(found.level, 0)} interval", "Wrong")
    return Grid("What each class was taken for", header, tuple(rows), frozenset({1, 2, 3}))


def _pairs(case: Case, matrix: FloatArray, level: float) -> list[Block]:
    """The most frequent mistakes of more than two classes, one a line."""
    if len(matrix) <= 2:
        return []
    wrong = matrix - np.diag(np.diag(matrix))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, wrong.shape), strict=True) if wrong[i, j] > 0.0]
    if not pairs:
        return [Paragraph("There is no mistake.")]
    totals, rows = matrix.sum(axis=1), []
    for i, j in pairs:
        share = proportion(float(wrong[i, j]), float(totals[i]), level)
        interval = f"{percent(share.low)} to {percent(share.high)}"
        rows.append((case.classes[i], case.classes[j], count(wrong[i, j]), percent(share.value), interval))
    header = ("True class", "Taken for", "Rows", "Of the class", f"{percent(level, 0)} interval")
    return [Grid("The most frequent mistakes", header, tuple(rows), frozenset({2, 3, 4}))]
