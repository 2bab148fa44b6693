"""An interior point between the hinge loss with L1 and its dual problem, on the columns that matter.

    min over w, b of  Σ cᵢ max(0, 1 − Mᵢ) + Σ aⱼ|wⱼ| + hⱼ/2 wⱼ²,      c = s/S, a = αρf > 0, h = α(1−ρ)f.

With w = p − q, ξ the loss of a row and t = M − 1 + ξ, an optimum is where p, q, ξ, t ≥ 0, 0 ≤ θ ≤ 1, Σ cᵢyᵢθᵢ = 0,
f = a + hw − v ≥ 0, g = a − hw + v ≥ 0 for v = Σ cᵢyᵢθᵢxᵢ, and all products vanish:

    cᵢθᵢtᵢ = cᵢ(1 − θᵢ)ξᵢ = pⱼfⱼ = qⱼgⱼ = μ,     μ → 0.

A step is Newton's for these equations, predicted with μ = 0 and then corrected (Mehrotra, SIAM Journal on Optimization
2, 1992). Eliminated but for w and b they are  [X 1]ᵀ diag(cθ/(t + θξ/(1 − θ))) [X 1]  plus a diagonal, on a copy of the
columns with |v| near a. All other columns have their say as well: v stays within ±a for them, and one that comes near
joins the copy before it is beyond; so every θ is a point of the dual problem. What leaves has next to no weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from linsep.data.design import Design
from linsep.problem.linear_algebra import factor
from linsep.problem.margin_problem import MarginProblem
from linsep.solvers.quadratic_model import is_formed
from linsep.types import FloatArray, IntArray

#: Of a: |v| beyond which a column joins the copy, and below which it leaves.
_JOINS, _LEAVES = 0.8, 0.6
#: Of the way to the nearest bound.
_SHORT = 0.995
#: At the start, of a: the largest |v|, and beyond which columns are in the copy.
_INSIDE, _FIRST = 0.9, 0.5


#: Columns of the copy, at most: its matrix has their square of entries.
MOST = 4000


def suits(problem: MarginProblem) -> bool:
    """Many sparse columns, all held by L1 and by no bounds; rows that count, of two classes."""
    penalty, counted = problem.penalty, problem.weights is None or bool((problem.weights > 0.0).all())
    held = penalty.l1_ratio > 0.0 and not penalty.bounded and bool((penalty.l1(problem.design.d) > 0.0).all())
    both = float(problem.target.min()) < 0.0 < float(problem.target.max())
    design = problem.design
    return counted and held and both and design.sparse and design.entries < 2**31 and not is_formed(problem)


class Rows(NamedTuple):
    """θ, t and ξ of the rows, or how they change."""

    theta: FloatArray
    t: FloatArray
    xi: FloatArray


class Weights(NamedTuple):
    """p, q, f and g of the copy's columns, or how they change."""

    p: FloatArray
    q: FloatArray
    f: FloatArray
    g: FloatArray


@dataclass(frozen=True, eq=False)
class Interior:
    """The problem, the columns of the copy, and its rows; v of all columns."""

    problem: MarginProblem
    columns: IntArray
    part: Design
    rows: Rows
    weights: Weights
    b: float
    v: FloatArray

    @property
    def w(self) -> FloatArray:
        """All weights, the intercept last: 0 but where the weight is further from 0 than v is from its threshold."""
        k, d = self.weights, self.problem.design.d
        full, sizes = np.zeros(d + 1), np.maximum(k.p, k.q)
        room = np.minimum(k.f, k.g) / self.problem.penalty.l1(d)[self.columns]
        kept = sizes > room * float(sizes.max(initial=0.0))
        full[self.columns[kept]] = (k.p - k.q)[kept]
        full[-1] = self.b
        return full

    @property
    def lower(self) -> float:
        """D(θ): every θ is a point of the dual problem, but for rounding."""
        y, offset = self.problem.target, self.problem.offset
        gain = self.rows.theta if offset is None else self.rows.theta * (1.0 - y * offset)
        return self.problem.mean(gain) - self.problem.penalty.conjugate(
            self.v - self.problem.penalty.domain_excess(self.v)
        )

    def advance(self) -> Interior:
        """One step, and the copy brought up to date."""
        system = _System(self)
        nothing = system.solve(0.0, None)
        goal = system.mu * min(1.0, system.mu_after(nothing) / system.mu) ** 3
        change = system.solve(max(goal, 1e-4 * system.mu), nothing)
        primal, dual = (min(1.0, _SHORT * length) for length in system.lengths(change))
        dual = min(dual, _SHORT * self._outside(change.v))
        theta = self.rows.theta + dual * change.rows.theta
        rows = Rows(theta, self.rows.t + primal * change.rows.t, self.rows.xi + primal * change.rows.xi)
        lengths = (primal, primal, dual, dual)
        weights = Weights(*(x + s * dx for x, dx, s in zip(self.weights, change.weights, lengths, strict=True)))
        v, b = self.v + dual * change.v, self.b + primal * change.b
        return replace(self, rows=rows, weights=weights, b=b, v=v)._exchanged(system.mu)

    def _outside(self, change: FloatArray) -> float:
        """How far v can go for columns outside of the copy."""
        a = self.problem.penalty.l1(len(self.v))
        away = np.abs(change)
        away[self.columns] = 0.0
        room = np.divide(a - np.sign(change) * self.v, away, out=np.full(len(a), np.inf), where=away > 0.0)
        return float(room.min(initial=np.inf))

    def _exchanged(self, mu: float) -> Interior:
        """Columns whose |v| comes near a join, those far from it leave."""
        a = self.problem.penalty.l1(len(self.v))
        size, inside = np.abs(self.v) / a, np.zeros(len(self.v), dtype=bool)
        inside[self.columns] = True
        wanted = (size > _JOINS) | (inside & (size > _LEAVES))
        if (wanted == inside).all():
            return self
        columns = np.flatnonzero(wanted)
        new = _central(a[columns], self.v[columns], mu)
        for values, old in zip(new, self.weights, strict=True):
            values[inside[columns]] = old[wanted[self.columns]]
        return replace(self, columns=columns, part=self.problem.design.select(columns), weights=new)


class _Change(NamedTuple):
    rows: Rows
    weights: Weights
    b: float
    v: FloatArray


class _System:
    """Newton's equations at a point: what they are off by, and their factor."""

    def __init__(self, at: Interior) -> None:
        problem, d = at.problem, at.problem.design.d
        self._at, self._problem = at, problem
        self._share = np.abs(problem.pull(np.ones(problem.design.n)))
        (theta, t, xi), (p, q, f, g) = at.rows, at.weights
        a, h = problem.penalty.l1(d)[at.columns], problem.penalty.l2(d)[at.columns]
        w, v, y = p - q, at.v[at.columns], problem.target
        scores = at.part.scores(np.append(w, at.b))
        if problem.offset is not None:
            scores += problem.offset
        self._off = (y * scores - 1.0 + xi - t, a + h * w - v - f, a - h * w + v - g)
        self._unbalanced = float(problem.pull(theta).sum()) if problem.intercept else 0.0
        self._under = t + theta * xi / (1.0 - theta)
        self._curve, self._h = theta / self._under, h
        self._width = p / f + q / g
        H = at.part.gram(self._share * self._curve)
        H.ravel()[:: len(H) + 1][:-1] += h + 1.0 / self._width
        if not problem.intercept:
            H[:-1, -1], H[-1, -1] = 0.0, 1.0
        self._factor = factor(H)
        self.mu = self._products(at.rows, at.weights) / (2 * len(theta) + 2 * len(p))

    def _products(self, rows: Rows, k: Weights) -> float:
        theta, t, xi = rows
        return float(self._share @ (theta * t + (1.0 - theta) * xi) + k.p @ k.f + k.q @ k.g)

    def solve(self, mu: float, predicted: _Change | None) -> _Change:
        """The step towards products of μ, corrected for the products of a predicted step."""
        at, y = self._at, self._problem.target
        (theta, t, xi), (p, q, f, g) = at.rows, at.weights
        each = mu / self._share
        tight, lost, plus, minus = each - theta * t, each - (1.0 - theta) * xi, mu - p * f, mu - q * g
        if predicted is not None:
            r, k = predicted.rows, predicted.weights
            tight, lost = tight - r.theta * r.t, lost + r.theta * r.xi
            plus, minus = plus - k.p * k.f, minus - k.q * k.g
        margins, rise, fall = self._off
        pull = (tight - theta * lost / (1.0 - theta) - theta * margins) / self._under
        move = (plus - p * rise) / f - (minus - q * fall) / g
        right = at.part.adjoint(self._problem.pull(pull))
        right[:-1] += move / self._width
        right[-1] = right[-1] + self._unbalanced if self._problem.intercept else 0.0
        x = self._factor.solve(right)
        scores = y * at.part.scores(x)
        dtheta = pull - self._curve * scores
        dxi = (lost + xi * dtheta) / (1.0 - theta)
        dv = self._problem.design.adjoint(self._problem.pull(dtheta))[:-1]
        inner = self._h * x[:-1] - dv[at.columns]
        df, dg = inner + rise, fall - inner
        dp, dq = (plus - p * df) / f, (minus - q * dg) / g
        # p − q is w, whatever rounding does: else the margins would not be those of the rows
        dp, dq = np.where(p > q, x[:-1] + dq, dp), np.where(p > q, dq, dp - x[:-1])
        weights = Weights(dp, dq, df, dg)
        return _Change(Rows(dtheta, scores + dxi + margins, dxi), weights, float(x[-1]), dv)

    def lengths(self, change: _Change) -> tuple[float, float]:
        """How far the primal and the dual part can go."""
        r, k, at = change.rows, change.weights, self._at
        primal = min(_room(at.rows.t, r.t), _room(at.rows.xi, r.xi), _room(at.weights.p, k.p), _room(at.weights.q, k.q))
        dual = min(_room(at.weights.f, k.f), _room(at.weights.g, k.g))
        return primal, min(dual, _room(at.rows.theta, r.theta), _room(1.0 - at.rows.theta, -r.theta))

    def mu_after(self, change: _Change) -> float:
        """μ after as much of the step as can be made."""
        primal, dual = (min(1.0, length) for length in self.lengths(change))
        (theta, t, xi), (p, q, f, g), k = self._at.rows, self._at.weights, change.weights
        rows = Rows(theta + dual * change.rows.theta, t + primal * change.rows.t, xi + primal * change.rows.xi)
        weights = Weights(p + primal * k.p, q + primal * k.q, f + dual * k.f, g + dual * k.g)
        return self._products(rows, weights) / (2 * len(theta) + 2 * len(p))


def _room(x: FloatArray, change: FloatArray) -> float:
    """The largest length at which x ≥ 0 still holds."""
    falls = change < 0.0
    return float(np.min(x[falls] / -change[falls], initial=np.inf))


def begin(problem: MarginProblem) -> Interior:
    """w = 0; θ balanced, and so small that v is within its bounds for all columns."""
    y, d = problem.target, problem.design.d
    share = np.abs(problem.pull(np.ones(problem.design.n)))
    positive = float(share[y > 0.0].sum())
    negative = float(share.sum()) - positive
    theta = 0.5 * np.where(y > 0.0, min(1.0, negative / positive), min(1.0, positive / negative))
    a, v = problem.penalty.l1(d), problem.design.adjoint(problem.pull(theta))[:-1]
    small = min(1.0, _INSIDE / max(float((np.abs(v) / a).max()), 1e-300))
    theta, v = small * theta, small * v
    past = 1.0 if problem.offset is None else 1.0 - y * problem.offset
    t = 1.0 + np.maximum(-past, 0.0) + np.zeros_like(theta)
    rows = Rows(theta, t, t + past)
    mu = float(share @ (theta * rows.t + (1.0 - theta) * rows.xi)) / (2 * len(theta))
    columns = np.flatnonzero(np.abs(v) > _FIRST * a)
    return Interior(
        problem, columns, problem.design.select(columns), rows, _central(a[columns], v[columns], mu), 0.0, v
    )


def _central(a: FloatArray, v: FloatArray, mu: float) -> Weights:
    """Columns whose products are μ."""
    return Weights(mu / (a - v), mu / (a + v), a - v, a + v)
