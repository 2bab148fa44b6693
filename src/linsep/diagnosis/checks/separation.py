"""Separation, complete or almost: weights that only the penalty, or a handful of rows, keeps finite.

One column separates some rows by itself where all entries of a class lie on one side of all others, ties allowed: a
dummy that is 1 in one class only. The model as a whole almost separates where next to no row is misclassified.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import percent
from linsep.separability.words import rows as some_rows
from linsep.solvers import Status
from linsep.types import FloatArray, IntArray

#: Rows listed, columns described, and rows that a column must put aside to be worth a word.
_LISTED, _DESCRIBED, _WORTH = 100, 5, 5
#: A weight that multiplies odds by more than e to this is held by the penalty alone.
_HUGE = 10.0
#: Misclassified rows up to which the data are almost separated, as a share; fewer rows than this say nothing.
_ALMOST, _ENOUGH = 0.002, 30
#: A lead beyond this is a probability of 1 within 10⁻⁶.
_CERTAIN = 13.8


@dataclass(frozen=True)
class OneSided:
    """`column` puts `count` rows, all of class `label`, beyond every row of another class; the first are `rows`.

    free: its weight has no penalty and no bound, and the loss no end, so that there is no optimum
    """

    column: Column
    label: str
    count: int
    rows: tuple[int, ...]
    weight: float
    free: bool = False


@dataclass(frozen=True)
class OneSidedColumns(Finding):
    """Columns that separate some rows by themselves (quasi-separation): those of largest weight, `count` in all."""

    kind = "one_sided"
    delays = True
    columns: tuple[OneSided, ...]
    count: int

    @property
    def sentence(self) -> str:
        c = self.columns[0]
        listed = some_rows(np.array(c.rows)) + (", …" if c.count > len(c.rows) and len(c.rows) <= 6 else "")
        more = self.count - 1
        rest = f"; {more:,} more column{' does' if more == 1 else 's do'} the like" if more else ""
        own = f"column {c.column} separates {c.count:,} rows by itself, all of class {c.label} ({listed})"
        if c.free:
            return f"{own}, and has no penalty, so that nothing keeps its weight ({c.weight:.3g}) finite{rest}"
        return f"{own}, so that only the penalty keeps its weight ({c.weight:.3g}) finite{rest}"

    @property
    def remedy(self) -> str:
        more = "give it a penalty factor" if self.columns[0].free else "raise alpha"
        return f"read that weight as 'large', not as a number; {more}, merge rare categories, or drop the column"


@dataclass(frozen=True)
class NearSeparation(Finding):
    """`wrong` of `judged` rows are misclassified, the first of them `rows`; `certain` is the share of rows that the
    model is sure of to 10⁻⁶; `strongest` moves the scores most."""

    kind = "near_separation"
    delays = True
    wrong: int
    judged: int
    rows: tuple[int, ...]
    certain: float
    strongest: Column

    @property
    def sentence(self) -> str:
        if self.wrong == 0:
            first = f"the model separates the classes: none of {self.judged:,} rows is misclassified"
            held = "only the penalty keeps the weights finite"
        else:
            first = f"all but {self.wrong:,} of {self.judged:,} rows ({some_rows(np.array(self.rows))}) are separated"
            held = "only these rows and the penalty keep the weights finite"
        sure = f"; {percent(self.certain)} of the probabilities are 0 or 1 to 10⁻⁶" if self.certain > 0.0 else ""
        return f"{first}, and {held} (column {self.strongest} moves the scores most){sure}"

    @property
    def remedy(self) -> str:
        return "raise alpha if probabilities matter, and look for a column that knows the answer"


def one_sided(evidence: Evidence) -> Iterator[OneSidedColumns]:
    if len(evidence.extremes.low) < 2 or evidence.model.status is Status.NO_OPTIMUM:
        return  # without a penalty another check names rows and columns, exactly
    found = [(j, k, sign) for sign in (1.0, -1.0) for k, j in zip(*_beyond(evidence, sign), strict=True)]
    found.sort(key=lambda f: -evidence.pull[f[0]])
    described = [_describe(evidence, *f) for f in found[: 4 * _DESCRIBED]]
    worth = [d for d in described if d.count >= _WORTH][:_DESCRIBED]
    if not worth:
        return
    reach = max(abs(d.weight) * _range(evidence, d.column.number) for d in worth)
    severity = Severity.CAUTION if reach > _HUGE else Severity.NOTE
    yield OneSidedColumns(severity, tuple(worth), len({j for j, _, _ in found}))


def _beyond(evidence: Evidence, sign: float) -> tuple[IntArray, IntArray]:
    """Classes and columns: all entries of the class at or above those of every other, some strictly (sign 1)."""
    e = evidence.extremes
    low, high = (e.low, e.high) if sign > 0 else (-e.high, -e.low)
    others = _greatest_of_others(high)
    classes, columns = np.nonzero((low >= others) & (high > others))
    return classes.astype(np.int64), columns.astype(np.int64)


def _greatest_of_others(high: FloatArray) -> FloatArray:
    """For every class and column the greatest entry of all other classes."""
    best = high.argmax(axis=0)
    second = np.partition(high, -2, axis=0)[-2]
    return np.asarray(np.where(np.arange(len(high))[:, None] == best, second, high.max(axis=0)))


def _describe(evidence: Evidence, column: int, label: int, sign: float) -> OneSided:
    training, e = evidence.rows, evidence.extremes
    rest = np.delete(e.high[:, column] if sign > 0 else -e.low[:, column], label).max()
    own = evidence.used[training.labels.codes[evidence.used] == label]
    entries = evidence.dense(own, np.array([column]))[:, 0]
    rows = own[sign * entries > rest]
    weights = evidence.model.coef[:, column]
    (name,) = evidence.columns([column])
    weight = float(weights[np.abs(weights).argmax()])
    first, free = tuple(map(int, rows[:_LISTED])), _is_free(evidence, column)
    return OneSided(name, str(evidence.model.classes[label]), len(rows), first, weight, free)


def _is_free(evidence: Evidence, column: int) -> bool:
    """Whether nothing at all keeps the column's weight finite."""
    objective = evidence.model.objective
    return bool(objective.penalty.free(evidence.model.n_features)[column]) and not objective.loss.attained


def _range(evidence: Evidence, column: int) -> float:
    e = evidence.extremes
    return float(e.high[:, column].max() - e.low[:, column].min())


def near_separation(evidence: Evidence) -> Iterator[NearSeparation]:
    if evidence.model.status is Status.NO_OPTIMUM:
        return
    leads = evidence.leads
    if len(leads) < _ENOUGH or len(evidence.used) <= evidence.model.n_features:
        return  # more columns than rows separate anything: another check says so
    wrong = evidence.judged[leads <= 0.0]
    if len(wrong) > _ALMOST * len(leads):
        return
    certain = float((leads > _CERTAIN).mean()) if evidence.model.gives_probabilities else 0.0
    grave = not evidence.certified or evidence.model.alpha == 0.0 or certain > 0.5
    (strongest,) = evidence.columns([int(evidence.pull.argmax())])
    yield NearSeparation(
        Severity.CAUTION if grave else Severity.NOTE,
        len(wrong),
        len(leads),
        tuple(map(int, wrong[:_LISTED])),
        certain,
        strongest,
    )
