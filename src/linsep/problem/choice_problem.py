"""Choices by their probabilities (conditional logit): in state s action a is taken with probability

    p(a | s) = e^{⟨w, φ(a, s)⟩} / Σ_b e^{⟨w, φ(b, s)⟩},

and w minimises, over n states with the expert's actions a*,

    P(w) = 1/n Σ_s [ ln Σ_a e^{⟨w, φ(a, s)⟩} − ⟨w, φ(a*, s)⟩ ] + α/2 ‖w‖².

With multipliers θ = e_{a*} − q, q a distribution over the actions of each state, the lower bound is

    D(q) = −1/n Σ_s Σ_a q ln q − ‖v‖²/2α,     v = 1/n Σ_s Σ_a θ_a φ(a, s);      at q = p(w) the gap is ‖∇P‖²/2α.

It is softmax with a state in the place of a row, so the solvers and certificates of the other problems do. There is
no intercept: a common shift of a state's scores changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from linsep.data.design import Design
from linsep.data.segments import Segments
from linsep.problem.joint import Softmax
from linsep.problem.losses import negative_entropy
from linsep.problem.penalties import L2
from linsep.problem.problem import Dual, Point, Problem, Products
from linsep.types import FloatArray, IntArray

#: Entries of a block of actions while the Hessian is summed.
_BLOCK = 1_000_000
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class Chosen:
    """Where each state's actions are among the rows, and the row that the expert chose."""

    segments: Segments
    rows: IntArray


@dataclass(frozen=True, eq=False)
class ChoiceProblem(Problem):
    """One score an action; target is a `Chosen`."""

    target: Chosen

    @classmethod
    def of(cls, design: Design, target: Chosen, alpha: float) -> ChoiceProblem:
        return cls(design, target, None, L2(alpha), False, Softmax())

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", float(len(self.target.segments)))

    @property
    def segments(self) -> Segments:
        return self.target.segments

    def states(self, chosen: IntArray) -> ChoiceProblem:
        """The same problem on some of its states."""
        offsets = np.append(0, np.cumsum(self.segments.sizes[chosen]))
        moved = np.repeat(self.segments.starts[chosen] - offsets[:-1], np.diff(offsets))
        rows = np.arange(offsets[-1]) + moved
        own = self.target.rows[chosen] - self.segments.starts[chosen] + offsets[:-1]
        return replace(self, design=self.design.rows(rows), target=Chosen(Segments(offsets), own))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.design.d + 1,)

    def at(self, w: FloatArray, *, single: bool = False) -> Point:
        scores = self.design.scores(w, single=single)
        curve = self.segments.softmax(scores)
        grad = self.design.adjoint(self._slopes(scores) * self.scale, single=single)
        value = self._finish(w, self.mean(self.loss_values(scores)), grad)
        return Point(w, scores, value, grad, curve)

    def _relative(self, scores: FloatArray) -> FloatArray:
        """The scores less that of the expert's action."""
        return scores - self.segments.spread(scores[self.target.rows])

    def loss_values(self, scores: FloatArray) -> FloatArray:
        # m + ln(1 + the terms beside the largest): ln1p keeps the tail where the choice wins by far
        lead = self._relative(scores)
        top = self.segments.argmax(lead)
        m = lead[top]
        terms = np.exp(lead - self.segments.spread(m))
        terms[top] = 0.0
        result: FloatArray = m + np.log1p(self.segments.sums(terms))
        return result

    def _slopes(self, scores: FloatArray) -> FloatArray:
        """p − e_{a*}; p_{a*} − 1 as minus the sum of the others, which does not cancel."""
        p = self.segments.softmax(scores)
        p[self.target.rows] = 0.0
        p[self.target.rows] = -self.segments.sums(p)
        return p

    def _curved(self, p: FloatArray, u: FloatArray) -> FloatArray:
        """p ∘ (u − Σ_a p u) in each state, from differences to the likeliest action."""
        u = u - self.segments.spread(u[self.segments.argmax(p)])
        return p * (u - self.segments.spread(self.segments.sums(p * u)))

    def loss_along(self, point: Point, u: FloatArray, t: float) -> tuple[float, float]:
        scores = point.scores + t * u
        return self.mean(self.loss_values(scores)), float(self._slopes(scores) @ u) * self.scale

    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False, out: Products | None = None) -> Products:
        u = self.design.scores(v, single=single)
        Hv = self.design.adjoint(self._curved(point.curve, u) * self.scale, single=single)
        self._add_penalty(Hv, v)
        return Hv, u

    def hessian(self, curve: FloatArray) -> FloatArray:
        """1/n Σ_s Σ_a p (φ − φ̄)(φ − φ̄)ᵀ + α, φ̄ = Σ_a p φ: centred in each state, so nothing cancels."""
        H = np.zeros((self.design.d + 1, self.design.d + 1))
        p = np.maximum(curve, 0.0)
        p = p / self.segments.spread(np.maximum(self.segments.sums(p), _TINY))
        for rows, part in self._blocks():
            weights = p[rows][:, None]
            phi = self.design.rows(rows).scores(np.eye(self.design.d + 1, self.design.d))
            mean = np.add.reduceat(weights * phi, part.starts, axis=0)
            phi -= np.repeat(mean, part.sizes, axis=0)
            phi *= np.sqrt(weights * self.scale)
            H[:-1, :-1] += phi.T @ phi
        self._regularise(H)
        return H

    def _blocks(self) -> Iterator[tuple[IntArray, Segments]]:
        """Whole states, as many as fit into a block: their rows, and their segments counted from 0."""
        offsets, most = self.segments.offsets, max(_BLOCK // self.design.d, 1)
        low = 0
        while low < len(self.segments):
            end = int(np.searchsorted(offsets, offsets[low] + most, side="right")) - 1
            high = max(end, low + 1)
            yield np.arange(offsets[low], offsets[high]), Segments(offsets[low : high + 1] - offsets[low])
            low = high

    def class_curves(self, curve: FloatArray) -> FloatArray:
        return (curve * (1.0 - curve) * self.scale)[:, None]

    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        return Softmax().hessian_shrinkage(radius) * self.hessian(point.curve)

    def leads(self, scores: FloatArray) -> tuple[float, float]:
        lead = -np.delete(self._relative(scores), self.target.rows)
        return float(lead.min()), float(lead.max())

    def dual_point(self, scores: FloatArray) -> FloatArray:
        return self._onto_simplex(-self._slopes(scores))

    def linearised_dual_point(self, point: Point, u: FloatArray) -> FloatArray:
        return self._onto_simplex(-self._slopes(point.scores) - self._curved(self.segments.softmax(point.scores), u))

    def _onto_simplex(self, theta: FloatArray) -> FloatArray:
        """θ with q = e_{a*} − θ made a distribution: negative q become 0, an excess over 1 is scaled away."""
        others = np.minimum(theta, 0.0)
        others[self.target.rows] = 0.0
        others /= self.segments.spread(np.maximum(-self.segments.sums(others), 1.0))
        others[self.target.rows] = np.minimum(-self.segments.sums(others), 1.0)
        return others

    def dual(self, theta: FloatArray) -> Dual:
        own = theta[self.target.rows]
        q = np.maximum(-theta, 0.0)
        entropy = self.segments.sums(q * np.log(np.maximum(q, _TINY)))
        entropy += negative_entropy(own) - own * np.log(np.maximum(own, _TINY))
        v = self.design.adjoint(theta) * self.scale
        return Dual(theta, v, self.mean(entropy), self.mean(np.abs(entropy)))

    def dual_at(self, scores: FloatArray) -> Dual:
        return self.dual(self.dual_point(scores))
