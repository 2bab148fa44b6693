"""Learning rates, and the largest that the curvature allows.

    η_t = η₀ / tᵖ,   t = 1, 2, … counts the updates;   p = 0: constant,  p = 1: 1/t,  else inverse scaling

The gradient of P changes by at most L times the change of w (for a loss with ℓ″ ≤ c), with

    all rows       L = c λmax([X 1]ᵀ[X 1])/n + α                     by power iteration
    one row        L₁ = c maxᵢ ‖(xᵢ, 1)‖² + α
    B of n rows    (n(B−1) L + (n−B) L₁) / (B(n−1))                  (expected smoothness, Gower et al., ICML 2019)

so that η = 1/L always descends, and η > 2/L need not. A loss whose second derivative has no bound, or is 0 almost
everywhere (hinge), has no such L; then c is the largest mean of ℓ″ over one unit of margin between −1 and 1, which
is 1 for the hinge: a rate of the right order, without the guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.data.design import Design
from linsep.online.gradient_task import RestLoss, Task
from linsep.problem.base import JointLoss, MarginLoss
from linsep.types import FloatArray

_ITERATIONS, _CLOSE = 100, 1e-3
#: λmax of the Hessians in the K scores, where they have a bound.
_JOINT = {"softmax": 0.5, "one_of_k": 2.0}


@dataclass(frozen=True)
class Schedule:
    """η₀ / tᵖ."""

    eta0: float
    power: float = 0.0

    def rate(self, t: int) -> float:
        return self.eta0 / float(max(t, 1) ** self.power)


def loss_curvature(loss: MarginLoss | JointLoss) -> float:
    """c: a bound of the second derivative where there is one, else its size between the margins −1 and 1."""
    if isinstance(loss, RestLoss):
        return loss_curvature(loss.margin)
    if isinstance(loss, JointLoss):
        return _JOINT.get(loss.name, 1.0)
    if loss.curvature is not None:
        return loss.curvature
    slopes = loss.d1(np.array([-1.0, 0.0, 0.5, 1.0, 1.5]))
    means = np.abs([slopes[1] - slopes[0], slopes[3] - slopes[1], slopes[4] - slopes[2]])
    return max(float(means.max()), 1e-12)


def bounded(loss: MarginLoss | JointLoss) -> bool:
    """Whether 1/L is certain to descend."""
    if isinstance(loss, RestLoss):
        return bounded(loss.margin)
    return loss.name in _JOINT if isinstance(loss, JointLoss) else loss.curvature is not None


def curvature(task: Task, batch: int | None) -> float:
    """L for steps on `batch` rows at a time (None: all)."""
    n, c, bend = task.design.n, loss_curvature(task.loss), task.penalty.curvature
    whole = 0.0
    if batch is None or batch > 1:
        whole = c * largest_eigenvalue(task.design, task.intercept) + bend
    if batch is None or batch >= n:
        return whole
    row = c * (float(task.design.row_norms().max()) + task.intercept) + bend
    return (n * (batch - 1) * whole + (n - batch) * row) / (batch * (n - 1))


def rate_from(L: float) -> float:
    """1/L; where L = 0 (no feature differs from 0, no intercept) any rate will do."""
    return 1.0 / L if L > 0.0 else 1.0


def largest_eigenvalue(design: Design, intercept: bool) -> float:
    """λmax([X 1]ᵀ[X 1])/n, without the column of ones where there is no intercept."""
    v: FloatArray = np.sqrt(np.append(design.column_squares, float(design.n)))
    v += 0.1 * float(v.max()) * np.random.default_rng(0).random(len(v))
    value = 0.0
    for _ in range(_ITERATIONS):
        if not intercept:
            v[-1] = 0.0
        norm = float(np.linalg.norm(v))
        if norm == 0.0:
            return 0.0
        u = design.scores(v / norm)
        last, value = value, float(u @ u) / design.n
        if abs(value - last) <= _CLOSE * value:
            break
        v = design.adjoint(u)
    return value
