"""What gradient descent works on: rows, labels, a loss of one margin or of K scores, a penalty.

    P(w, b) = 1/n Σᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b) + α [(1 − ρ)/2 ‖w‖² + ρ ‖w‖₁]

A margin loss reads either coding of two classes, since with t = (y + 1)/2 in {0, 1}

    ℓ(yz) = t ℓ(z) + (1 − t) ℓ(−z),     so its slope y ℓ′(yz) is ℓ′(z) for t = 1 and −ℓ′(−z) for t = 0;

for the log loss both are σ(z) − t. One-vs-rest is one loss of K scores too: Σₖ ℓ(±zₖ), + for the row's own
class; a step on it is a step on each of its K problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.data.labels import Labels
from linsep.errors import Refused
from linsep.problem.base import JointLoss, MarginLoss
from linsep.problem.joint_problem import JointProblem
from linsep.problem.losses import PerceptronLoss
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.problem.problem import Problem
from linsep.problem.reductions import Joint, OneMargin, OneVsRest, Scheme
from linsep.types import FloatArray, IntArray


class RestLoss(JointLoss):
    """Σₖ ℓ(±zₖ): every class against the rest, all at once."""

    name = "ovr"
    convex = True

    def __init__(self, margin: MarginLoss) -> None:
        self.margin = margin
        self.convex = margin.convex
        self.smooth = margin.smooth

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        values: FloatArray = self.margin.value(Z * self._signs(Z, y)).sum(axis=1)
        return values

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        signs = self._signs(Z, y)
        return self.margin.d1(Z * signs) * signs

    @staticmethod
    def _signs(Z: FloatArray, y: IntArray) -> FloatArray:
        signs = np.full(Z.shape, -1.0)
        signs[np.arange(len(y)), y] = 1.0
        return signs


@dataclass(frozen=True, eq=False)
class Task:
    """target: −1, 1 or 0, 1 for a margin loss, class numbers for a loss of K scores."""

    design: Design
    target: Any
    loss: MarginLoss | JointLoss
    penalty: Penalty
    intercept: bool
    n_classes: int = 2

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the weights, the intercept last."""
        return (self.design.d + 1,) if isinstance(self.loss, MarginLoss) else (self.design.d + 1, self.n_classes)

    @property
    def kernel(self) -> str | None:
        """The compiled kernel that takes the steps; None: NumPy takes them."""
        if isinstance(self.loss, RestLoss):
            margin = _margin_kernel(self.loss.margin)
            return None if margin is None else f"ovr_{margin}"
        return _margin_kernel(self.loss) if isinstance(self.loss, MarginLoss) else self.loss.kernel

    @property
    def margin(self) -> MarginLoss | None:
        """The margin loss that this task is made of; None for a K-score loss of its own kind."""
        if isinstance(self.loss, RestLoss):
            return self.loss.margin
        return self.loss if isinstance(self.loss, MarginLoss) else None

    def problem(self) -> Problem:
        """The objective, for passes over all rows."""
        if isinstance(self.loss, MarginLoss):
            signs = np.where(self.target > 0.0, 1.0, -1.0)
            return MarginProblem(self.design, signs, None, self.penalty, self.intercept, loss=self.loss)
        return JointProblem(
            self.design, self.target, None, self.penalty, self.intercept, loss=self.loss, n_classes=self.n_classes
        )

    def slopes(self, scores: FloatArray, rows: IntArray) -> tuple[float, FloatArray]:
        """Mean loss of the chosen rows, and ∂ℓ/∂z of each, in NumPy."""
        if isinstance(self.loss, JointLoss):
            labels = self.target[rows]
            return float(self.loss.value(scores, labels).mean()), self.loss.gradient(scores, labels)
        signs = np.where(self.target[rows] > 0.0, 1.0, -1.0)
        margins = signs * scores
        return float(self.loss.value(margins).mean()), signs * self.loss.d1(margins)


def _margin_kernel(loss: MarginLoss) -> str | None:
    return "perceptron" if type(loss) is PerceptronLoss else loss.kernel


def loss_of(scheme: Scheme, loss: MarginLoss) -> MarginLoss | JointLoss:
    """The loss whose gradient the scheme follows."""
    if isinstance(scheme, OneMargin):
        return loss
    if isinstance(scheme, Joint):
        return scheme.loss
    if isinstance(scheme, OneVsRest):
        return RestLoss(loss)
    raise Refused(
        f"multiclass={scheme.name!r} means many problems on their own rows, and gradient descent here runs one; "
        "use multiclass='softmax' (loss='log'), 'ovr', or LinearClassifier"
    )


def target_of(labels: Labels, loss: MarginLoss | JointLoss, binary: bool) -> Any:
    """The labels as the loss reads them; binary: 0, 1 instead of −1, 1."""
    if isinstance(loss, JointLoss):
        return labels.codes
    return labels.codes.astype(np.float64) if binary else labels.signs()
