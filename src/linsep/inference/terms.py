"""What a row contributes at given scores: its log likelihood, and how that changes with the scores.

Classes are told apart by m scores η a row: m = 1 for two classes, positive for the class that is not the reference;
m = K − 1 for softmax, one for each class but the reference r, whose score is 0:

    P(k) = e^ηₖ / (1 + Σₐ e^ηₐ),     P(r) = 1 / (1 + Σₐ e^ηₐ).

For a loss that is no likelihood, −ℓ takes the place of the log likelihood: the estimate is an M-estimate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from linsep.problem.base import MarginLoss
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Terms(ABC):
    """For n rows at their scores: value (n,) is −ℓ, slopes (n, m) its derivative by the scores."""

    value: FloatArray
    slopes: FloatArray

    @abstractmethod
    def curvature(self, a: int, b: int) -> FloatArray:
        """(n,) minus the second derivative by the scores a and b."""


class RowLoss(ABC):
    """Turns scores into terms."""

    @abstractmethod
    def at(self, scores: FloatArray) -> Terms:
        """scores: (n, m)."""


@dataclass(frozen=True, eq=False)
class _MarginTerms(Terms):
    curve: FloatArray

    def curvature(self, a: int, b: int) -> FloatArray:
        return self.curve


@dataclass(frozen=True, eq=False)
class Margins(RowLoss):
    """A loss on one margin M = tη, t = 1 for rows that are not of the reference class, −1 for the others."""

    loss: MarginLoss
    target: FloatArray

    def at(self, scores: FloatArray) -> Terms:
        M = self.target * scores[:, 0]
        slopes = (-self.loss.d1(M) * self.target)[:, None]
        return _MarginTerms(-self.loss.value(M), slopes, self.loss.d2(M))


@dataclass(frozen=True, eq=False)
class _SoftmaxTerms(Terms):
    P: FloatArray

    def curvature(self, a: int, b: int) -> FloatArray:
        own = self.P[:, a]
        return own * (1.0 - own) if a == b else -own * self.P[:, b]


@dataclass(frozen=True, eq=False)
class ReferenceSoftmax(RowLoss):
    """Softmax whose reference class has score 0; own: the number of each row's score, m for the reference class."""

    own: IntArray

    def at(self, scores: FloatArray) -> Terms:
        rows = np.arange(len(scores))
        full = np.concatenate((scores, np.zeros((len(scores), 1))), axis=1)
        full -= full.max(axis=1, keepdims=True)
        weights = np.exp(full)
        total = weights.sum(axis=1)
        weights /= total[:, None]
        slopes = -weights
        slopes[rows, self.own] += 1.0
        return _SoftmaxTerms(full[rows, self.own] - np.log(total), slopes[:, :-1], weights[:, :-1])
