"""The smooth problem around multipliers â, whose minimiser gives better ones: a proximal step on the dual of
Crammer and Singer's SVM (kernels/crammer_singer.hpp),

    min over W, b of  ½‖W‖² + Σᵢ max over aᵢ of [−⟨aᵢ, gᵢ⟩ − ‖aᵢ − âᵢ‖² / 2σ],   g = z + [k ≠ y],

by Newton's method: the gradient is piecewise linear, and its derivative is

    H = [I, 0] + σ Σᵢ [xᵢ; 1][xᵢ; 1]ᵀ ⊗ (I_F − 1_F 1_Fᵀ/|F|),   F the classes of row i that are off their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.certify.bounds import rounding
from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.linear_algebra import factor
from linsep.types import FloatArray

#: Weights up to which H is formed.
FEW = 1500
_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
#: A gradient below this share of the weights is rounding; and a share of the smooth problem's value that is none.
_SETTLED, _LOST = 1e-11, 1e-3


@dataclass(frozen=True, eq=False)
class Value:
    """The smooth problem at W: its value, the maximisers a, and [X 1]ᵀa."""

    value: float
    a: FloatArray
    adjoint: FloatArray


@dataclass(frozen=True, eq=False)
class Proximal:
    """½‖W‖² + Σᵢ max over aᵢ of [−⟨aᵢ, gᵢ⟩ − ‖aᵢ − âᵢ‖²/2σ]; everything is in units of α."""

    problem: JointProblem
    centre: FloatArray
    sigma: float

    @cached_property
    def _held(self) -> tuple[FloatArray, float]:
        """[X 1]ᵀâ, and what the own classes hold of â."""
        own = self.centre[np.arange(len(self.centre)), self.problem.target]
        return self.problem.design.adjoint(self.centre), float(own.sum())

    def trusted(self, w: FloatArray, value: float) -> bool:
        """Whether a value is no less than that for a = â: else it is rounding of the scores, squared and times σ."""
        pull, own = self._held
        square, linear = float(np.vdot(w[:-1], w[:-1])), float(np.vdot(pull, w))
        return value >= 0.5 * square - linear + own - _LOST * (square + abs(linear) + own)

    def at(self, w: FloatArray, hessian: FloatArray | None = None) -> Value:
        problem, a, adjoint = self.problem, np.empty_like(self.centre), np.empty_like(w)
        envelope, _, _ = native.crammer_singer_proximal(
            problem.design.matrix, problem.n_classes, problem.target, cost_of(problem), self.centre, self.sigma,
            w, a, adjoint, hessian, problem.design.threads,
        )  # fmt: skip
        return Value(0.5 * float(np.vdot(w[:-1], w[:-1])) + envelope, a, adjoint)

    def newton(self, w: FloatArray, grad: FloatArray) -> FloatArray:
        """The step with H p = −∇; where no row curves a column or an intercept it moves scores by at most about 10.

        There a gradient that is rounding would lead far away. What holds it back vanishes with the gradient.
        """
        size, k = w.shape
        H = np.empty((size * k, size * k))
        self.at(w, H)
        lengths = np.sqrt(np.append(self.problem.design.column_squares, 1.0))
        ridge = np.append(np.ones(size - 1), not self.problem.intercept)
        ridge = np.maximum(ridge, 0.1 * np.abs(grad).max(axis=1) * lengths)
        if not self.problem.intercept:
            last = np.arange(k) * size + size - 1
            H[last, :] = 0.0
            H[:, last] = 0.0
        diagonal = H.ravel()[:: size * k + 1]
        diagonal *= 1.0 + 4.0 * _EPS * len(H)  # above its rounding: what the data do not see stays where it is
        diagonal += np.tile(ridge, k)
        p = np.ascontiguousarray(factor(H).solve(-grad.T.ravel()).reshape(k, size).T)
        if not self.problem.intercept:
            p[-1] = 0.0
        return self.problem.gauge(p)

    def gradient(self, w: FloatArray, current: Value) -> FloatArray:
        grad = w - current.adjoint
        grad[-1] = -current.adjoint[-1] if self.problem.intercept else 0.0
        return self.problem.gauge(grad)

    def settled(self, w: FloatArray, current: Value) -> Value:
        """a moved towards W = Xᵀa by Newton steps of its own: the scores give a only to their rounding times σ.

        A row's multipliers move among the classes that have some, as a step of the weights would move them.
        """
        problem, cost = self.problem, cost_of(self.problem)[:, None]
        own = cost * (problem.target[:, None] == np.arange(problem.n_classes))
        for _ in range(2):
            some = own - current.a > 0.0
            move = -self.sigma * problem.design.scores(self.newton(w, self.gradient(w, current)))
            mean = np.sum(move, axis=1, keepdims=True, where=some) / np.maximum(some.sum(axis=1, keepdims=True), 1)
            a = current.a + np.where(some, move - mean, 0.0)
            a = cost * problem.in_domain(a / np.maximum(cost, _TINY))
            current = Value(current.value, a, problem.design.adjoint(a))
        return current

    def off(self, w: FloatArray, current: Value) -> float:
        """The gradient beside what rounding of W and of [X 1]ᵀa makes of it."""
        sizes = np.sqrt(np.append(self.problem.design.column_squares, self.problem.design.n))
        sums = rounding(self.problem, float(np.linalg.norm(current.a))) * sizes
        limit = np.maximum(sums, _SETTLED * max(1.0, float(np.abs(w).max())))
        return float((np.abs(self.gradient(w, current)).max(axis=1) / limit).max())

    def search(self, w: FloatArray, p: FloatArray, current: Value, grad: FloatArray) -> tuple[FloatArray, Value] | None:
        """The point along p where the slope has fallen to a tenth; None where p does not lead down.

        The slope rises with the step, by jumps of its rate where rows leave their corners: however short the step has
        to be, a bracket finds it. A slope that is small beyond such a jump is no sign of the minimum, if P has risen:
        until it has not, the bracket shrinks tenfold. A rise within rounding is none: where values are
        all but equal the slope tells the better one.
        """
        lost = rounding(self.problem, abs(current.value))
        low, low_slope, high, high_slope = 0.0, float(np.vdot(grad, p)), 1.0, np.inf
        enough, t, best = 0.1 * abs(low_slope), 1.0, None
        for _ in range(60):
            if not low_slope < 0.0:
                break
            trial = self.at(w + t * p)
            if not self.trusted(w + t * p, trial.value):
                high, high_slope, t = t, np.inf, low + 0.1 * (t - low)
                continue
            slope = float(np.vdot(self.gradient(w + t * p, trial), p))
            rise = trial.value - (current if best is None else best[1]).value
            if rise < 0.0 or (rise <= lost and abs(slope) <= enough):
                best = w + t * p, trial
            if best is not None and (abs(slope) <= enough or (slope < 0.0 and t == 1.0)):
                break
            if slope < 0.0:
                low, low_slope = t, slope
            else:
                high, high_slope = t, slope
            t = low - low_slope * (high - low) / (high_slope - low_slope)
            t = min(max(t, low + 0.1 * (high - low)), high - (0.1 if best else 0.9) * (high - low))
        return best


def cost_of(problem: JointProblem) -> FloatArray:
    share = np.ones(problem.design.n) if problem.weights is None else problem.weights
    return share * (problem.scale / problem.alpha)


def unit_of(problem: JointProblem) -> float:
    """The mean of the multipliers' bounds: with such a σ a score that changes by 1 moves them from end to end."""
    return 1.0 / (problem.design.n * problem.alpha)
