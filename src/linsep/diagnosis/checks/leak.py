"""A feature that decides alone, as one does that knows the answer.

The area under the ROC curve of one column, AUC = P(x of a row of the class > x of another row), ties counting half,
comes from the ranks of its entries: AUC = (R − m(m + 1)/2) / (m(n − m)), R the sum of the ranks of the m rows of the
class. It is taken for the columns that move the model's scores most, on a sample of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import SAMPLE, Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import columns
from linsep.types import FloatArray, IntArray

#: An AUC from which a column decides; one that is above doubt; what the others must stay below; such columns at most.
DECIDES, SURE, OTHERS, _AT_MOST = 0.99, 0.998, 0.8, 3
#: Columns looked at, classes looked at, and rows below which it may be chance.
_COLUMNS, _CLASSES, _ENOUGH = 200, 50, 50


@dataclass(frozen=True)
class DecidesAlone(Finding):
    """`columns` tell class `label` from the rest alone (AUC `area`), the best other column hardly (`next_area`)."""

    kind = "leak"
    columns: tuple[Column, ...]
    label: str
    area: float
    next_area: float

    @property
    def sentence(self) -> str:
        verb = "tells" if len(self.columns) == 1 else "each tell"
        alone = "alone " if len(self.columns) == 1 else ""
        return (
            f"{columns(self.columns)} {alone}{verb} class {self.label} from the rest (AUC {self.area:.4f}; the best "
            f"other column has {self.next_area:.2f}), as a column does that was made from the answer"
        )

    @property
    def remedy(self) -> str:
        return "make sure that it is known before the class is; if not, drop it and fit again"


def check(evidence: Evidence) -> Iterator[DecidesAlone]:
    pull = evidence.pull
    chosen = np.sort(np.argsort(-pull, kind="stable")[:_COLUMNS])
    chosen = chosen[pull[chosen] > 0.0]
    rows = evidence.some(SAMPLE)
    if len(chosen) < 2 or len(rows) < _ENOUGH:
        return
    codes = evidence.rows.labels.codes[rows]
    labels = _labels(codes, evidence.rows.n_classes)
    found = areas(evidence.dense(rows, chosen), codes, labels)
    for label, area in zip(labels, found, strict=True):
        alone = np.flatnonzero(area >= DECIDES)
        others = np.delete(area, alone)
        if not 1 <= len(alone) <= _AT_MOST or not len(others) or others.max() >= OTHERS:
            continue
        severity = Severity.SERIOUS if len(alone) == 1 and area[alone[0]] >= SURE else Severity.CAUTION
        name = str(evidence.model.classes[label])
        yield DecidesAlone(
            severity, evidence.columns(chosen[alone]), name, float(area[alone].max()), float(others.max())
        )


def _labels(codes: IntArray, n_classes: int) -> IntArray:
    """The second of two classes; of more, the largest ones that have ten rows and leave ten."""
    if n_classes == 2:
        return np.array([1])
    counts = np.bincount(codes, minlength=n_classes)
    largest = np.argsort(-counts, kind="stable")[:_CLASSES]
    return np.sort(largest[(counts[largest] >= 10) & (counts[largest] <= len(codes) - 10)])


def areas(entries: FloatArray, codes: IntArray, labels: IntArray) -> FloatArray:
    """AUC of every class and column, (classes, columns), whichever side is above."""
    ranks = np.stack([_midranks(column) for column in entries.T], axis=1)
    member = (codes[None, :] == labels[:, None]).astype(np.float64)
    m, n = member.sum(axis=1, keepdims=True), len(codes)
    area = (member @ ranks - m * (m + 1.0) / 2.0) / np.maximum(m * (n - m), 1.0)
    return np.asarray(np.maximum(area, 1.0 - area))


def _midranks(values: FloatArray) -> FloatArray:
    """From 1 on; equals have the mean of their ranks. Two values, as indicators have, need no sorting."""
    high = values == values.max()
    if (high | (values == values.min())).all():
        n, below = len(values), len(values) - int(np.count_nonzero(high))
        return np.where(high, 0.5 * (below + n + 1.0), 0.5 * (below + 1.0))
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: FloatArray = (np.cumsum(counts) - 0.5 * (counts - 1.0))[place]
    return middles
