"""What the checks may look at: the model, a few facts that are always kept, and the rows while they are at hand.

Everything is computed when a check first asks for it, in passes over the rows or on a sample of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.diagnosis.columns import Extremes, deviations, extremes
from linsep.diagnosis.finding import Column
from linsep.model import LinearModel, Training
from linsep.model.summary import name_of
from linsep.problem.reductions import OneMargin
from linsep.types import FloatArray, IntArray

#: Rows of the sample, and class scores that are computed at once.
SAMPLE, _SCORES = 10_000, 2_000_000


@dataclass(frozen=True, eq=False)
class Facts:
    """Kept with every fit: rows of positive weight in each class, and the columns' root mean squares where they
    cost nothing."""

    counts: IntArray
    sizes: FloatArray | None

    @staticmethod
    def of(training: Training) -> Facts:
        codes, weights = training.labels.codes, training.weights
        if weights is not None:
            codes = codes[weights > 0.0]
        squares = training.design.scan.column_squares
        sizes = None if squares is None else np.sqrt(squares / training.design.n)
        return Facts(np.bincount(codes, minlength=training.n_classes), sizes)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The case: a model, its facts, its rows or None."""

    model: LinearModel
    facts: Facts
    training: Training | None

    @property
    def rows(self) -> Training:
        """The rows, for checks that are run only where there are any."""
        assert self.training is not None
        return self.training

    @property
    def certified(self) -> bool:
        return self.model.certified

    def columns(self, chosen: Iterable[int]) -> tuple[Column, ...]:
        return tuple(Column(int(j), name_of(self.model, int(j))) for j in chosen)

    @cached_property
    def sizes(self) -> FloatArray | None:
        """How much each column varies; its root mean square where the rows are gone."""
        if self.training is None:
            return self.facts.sizes
        found = self.deviations.copy()
        found[self.extremes.constant] = 0.0
        return found

    @cached_property
    def deviations(self) -> FloatArray:
        return deviations(self.rows)

    @cached_property
    def extremes(self) -> Extremes:
        return extremes(self.rows)

    @cached_property
    def used(self) -> IntArray:
        """Rows of positive weight."""
        weights = self.rows.weights
        return np.arange(self.rows.design.n) if weights is None else np.flatnonzero(weights > 0.0)

    def some(self, most: int) -> IntArray:
        """At most that many of the rows of positive weight, drawn at random, in order."""
        if len(self.used) <= most:
            return self.used
        return np.sort(np.random.default_rng(0).choice(self.used, most, replace=False))

    def dense(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Some entries of X as float64; sparse ones are spread out."""
        part = self.rows.design.table[rows][:, columns]
        return np.asarray(part.toarray() if self.rows.design.sparse else part, dtype=np.float64)

    @cached_property
    def judged(self) -> IntArray:
        """The rows whose scores are looked at: all, or as many as fit."""
        return self.some(_SCORES // max(self.model.w.shape[1], self.rows.n_classes))

    @cached_property
    def leads(self) -> FloatArray:
        """By how much the score of a judged row's own class exceeds the best other: below 0 it is misclassified."""
        model, training = self.model, self.rows
        design = training.design if len(self.judged) == training.design.n else training.design.rows(self.judged)
        codes = training.labels.codes[self.judged]
        if isinstance(model.objective.scheme, OneMargin):
            return np.where(codes == 1, 1.0, -1.0) * design.scores(np.ascontiguousarray(model.w[:, 0]))
        scores = model.objective.scheme.retrieve(design.scores(model.w), training.n_classes, model.objective.loss)
        own = np.take_along_axis(scores, codes[:, None], axis=1)[:, 0]
        others = scores.copy()
        np.put_along_axis(others, codes[:, None], -np.inf, axis=1)
        return np.asarray(own - others.max(axis=1))

    @cached_property
    def pull(self) -> FloatArray:
        """How much each column moves the scores: its largest weight times its deviation."""
        return np.asarray(np.abs(self.model.coef).max(axis=0) * self.deviations)
