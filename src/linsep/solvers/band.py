"""The hinge loss with its kink rounded off over a band of margins: the objective of a round of proximal_lagrangian.py.

With cᵢ = sᵢ/S and m = M − 1 the hinge loss is max(0, −m) = max over θ in [0, 1] of −θm. For a width γ and anchors θ̄

    e(m) = max over θ in [0, 1] of −θm − γ/2 θ² + γθ̄θ,     e′ = −θ,   θ = clip(θ̄ − m/γ, 0, 1),

and e″ = 1/γ for rows in the band 0 < θ < 1, else 0. So e is one function of width γ for all rows, at margins that the
offset −yγθ̄ shifts: a round is a problem like any other, with θ as its multipliers and v = 1/S Σ sᵢθᵢyᵢxᵢ as minus its
gradient. What it tells of the problem with the hinge loss itself, Ω the penalty:

    P − D(θ) = Σ cᵢ (max(0, −mᵢ) + θᵢmᵢ)  +  [Ω(w) + Ω*(v) − ⟨v, w⟩],

what the width costs, and what the round's own minimum is off by: at its minimum v is in ∂Ω(w), and that is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from linsep.cached import cached_property
from linsep.problem.base import MarginLoss
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.problem.problem import Point
from linsep.solvers.line_search import slope_search
from linsep.solvers.quadratic_model import loss_gradient, model_at
from linsep.solvers.working_set import violations, working_set
from linsep.types import FloatArray

#: Against columns of zeros.
_TINY = float(np.finfo(np.float64).tiny)
#: Of coordinate descent in a step, at most; the model's violation after a step, of that before.
_SWEEPS, _LOOSE = 200, 0.1


@final
@dataclass(frozen=True)
class Band(MarginLoss):
    """0 for M ≥ 1, (1 − M)²/2γ down to M = 1 − γ, then 1 − M − γ/2."""

    width: float

    name = "band"
    convex = True
    dual_lower = 0.0
    dual_upper = 1.0

    def value(self, M: FloatArray) -> FloatArray:
        violation: FloatArray = np.maximum(1.0 - M, 0.0)
        inside: FloatArray = np.minimum(violation, self.width)
        return inside / self.width * (violation - 0.5 * inside)

    def d1(self, M: FloatArray) -> FloatArray:
        return -np.clip((1.0 - M) / self.width, 0.0, 1.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.where((M < 1.0) & (1.0 - self.width < M), 1.0 / self.width, 0.0)


@dataclass(frozen=True, eq=False)
class Round:
    """One round at one point: the problem with the hinge loss, that of the round, and the pass at its weights."""

    hinge: MarginProblem
    smooth: MarginProblem
    point: Point
    width: float

    @classmethod
    def of(cls, hinge: MarginProblem, anchor: FloatArray, width: float, w: FloatArray) -> Round:
        shift = -width * anchor * hinge.target
        offset = shift if hinge.offset is None else hinge.offset + shift
        smooth = replace(hinge, loss=Band(width), offset=offset)
        return cls(hinge, smooth, smooth.at(w), width)

    @property
    def w(self) -> FloatArray:
        return self.point.w

    @cached_property
    def scores(self) -> FloatArray:
        """Those of the problem with the hinge loss."""
        assert self.smooth.offset is not None
        known = self.smooth.offset if self.hinge.offset is None else self.smooth.offset - self.hinge.offset
        return np.asarray(self.point.scores - known)

    @cached_property
    def theta(self) -> FloatArray:
        return -self.smooth.loss.d1(self.hinge.target * self.point.scores)

    @cached_property
    def value(self) -> float:
        """P with the hinge loss."""
        return self.hinge.value(self.w, self.scores)

    @cached_property
    def gradient(self) -> FloatArray:
        return loss_gradient(self.smooth, self.point)

    @cached_property
    def gaps(self) -> tuple[float, float]:
        """The two terms of P − D(θ); θ is scaled where Ω* asks for it, and what does not balance is charged."""
        hinge, y, theta = self.hinge, self.hinge.target, self.theta
        m = y * self.scores - 1.0
        cost = hinge.mean(np.maximum(-m, 0.0) + theta * m)
        gain = theta if hinge.offset is None else theta * (1.0 - y * hinge.offset)
        sizes = np.abs(self.w[:-1]) + 1.0 / np.sqrt(hinge.design.column_squares / hinge.design.n + _TINY)
        best = _dual_value(hinge.penalty, -self.gradient[:-1], hinge.mean(gain), sizes)
        residual = abs(float(self.gradient[-1])) if hinge.intercept else 0.0
        return cost, max(self.value - best - cost, 0.0) + residual

    def advance(self, damping: float) -> tuple[Round, float]:
        """A proximal Newton step with an exact line search, and its length.

        Rows outside of the band have no curvature, and with too few inside the model has no minimum: all rows get a
        share `damping` of the curvature in the band.
        """
        smooth, point = self.smooth, self.point
        off = violations(smooth, point.w, self.gradient)
        if not smooth.intercept:
            off[-1] = 0.0
        share = smooth.scale if smooth.weights is None else smooth.weights * smooth.scale
        curve = np.maximum(point.curve, damping / self.width * np.asarray(share))
        working = working_set(smooth, point.w, off, np.zeros(smooth.design.d, dtype=bool))
        model = model_at(smooth, replace(point, curve=curve), working)
        model.minimise(_LOOSE * float(off.max()), _SWEEPS)
        full = smooth.at(model.z)
        t = self._along(full)
        if t < 1.0:
            w = point.w + t * (full.w - point.w)
            w[:-1] = smooth.penalty.clip(w[:-1])
            full = smooth.at(w)
        return replace(self, point=full), t

    def _along(self, full: Point) -> float:
        """The step in [0, 1] towards the full one, to a tenth of the slope; where a weight ends at 0, that before."""
        smooth, w = self.smooth, self.w[:-1]
        p, u = full.w[:-1] - w, full.scores - self.point.scores
        a, c = smooth.penalty.l1(len(w)), smooth.penalty.l2(len(w))

        def slope(t: float) -> float:
            x = w + t * p if t < 1.0 else full.w[:-1]
            rise = np.where(x != 0.0, np.sign(x) * p, np.where(w == 0.0, np.abs(p), -np.abs(p)))
            return smooth.loss_along(self.point, u, t)[1] + float(a @ rise) + float((c * x) @ p)

        return slope_search(slope)


def _dual_value(penalty: Penalty, v: FloatArray, gain: float, sizes: FloatArray) -> float:
    """D(tθ) = t·gain − Ω*(tv) for the better t of two: that which Ω* asks for, and that with no |v| beyond αρf."""
    a = penalty.l1(len(v))
    past = (np.abs(v) > a) & (a > 0.0)
    must = past & (penalty.domain_excess(v) != 0.0)
    ratio = np.divide(a, np.abs(v), out=np.ones_like(v), where=past)
    tried = []
    for t in {float(ratio[must].min(initial=1.0)), float(ratio.min(initial=1.0))}:
        excess = penalty.domain_excess(t * v)
        tried.append(t * gain - penalty.conjugate(t * v - excess) - float(np.abs(excess) @ sizes))
    return max(tried)
