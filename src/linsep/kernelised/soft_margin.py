"""The soft-margin problem with a kernel, its dual, and the certificate with the free intercept included.

    P(w, b) = 1/S Σᵢ sᵢ max(0, 1 − yᵢ(⟨φᵢ, w⟩ + b)) + α/2 ‖w‖²,        w = Σᵢ βᵢφᵢ

With Cᵢ = sᵢ/(Sα), βᵢ = yᵢaᵢ, 0 ≤ aᵢ ≤ Cᵢ and v = y − Kβ (so that 1 − yᵢ(⟨φᵢ, w⟩ + b) = yᵢ(vᵢ − b)),

    P = α (Σᵢ Cᵢ max(0, yᵢ(vᵢ − b)) + ½ βᵀKβ),    P* ≥ D(β) = α (Σᵢ yᵢβᵢ − ½ βᵀKβ)    where Σᵢ βᵢ = 0.

b is the exact minimiser for this w: the hinges' slopes change at the sorted vᵢ; of an interval, the midpoint. What
rounding leaves of Σβ is charged at α|Σβ|·B with B ≥ |b*|. Weak duality needs a positive semi-definite K.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log2, sqrt

import numpy as np

from linsep.certify import Certificate, Kind
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SoftMargin:
    """Signs y, costs Cᵢ = sᵢ/(Sα), and whether b is free."""

    y: FloatArray
    cost: FloatArray
    alpha: float
    intercept: bool

    @property
    def low(self) -> FloatArray:
        """βᵢ is at least this."""
        return np.minimum(self.y * self.cost, 0.0)

    @property
    def high(self) -> FloatArray:
        """βᵢ is at most this."""
        return np.maximum(self.y * self.cost, 0.0)

    def best_intercept(self, v: FloatArray) -> float:
        """argmin over b of Σᵢ Cᵢ max(0, yᵢ(vᵢ − b)), the midpoint where it is an interval; 0 if b is not free."""
        if not self.intercept:
            return 0.0
        order = np.argsort(v, kind="stable")
        cost, positive = self.cost[order], self.y[order] > 0.0
        # just right of a break point: C of the negative rows up to it less C of the positive ones beyond it
        right = np.cumsum(np.where(positive, 0.0, cost)) - np.cumsum(np.where(positive, cost, 0.0)[::-1])[::-1]
        right += np.where(positive, cost, 0.0)
        slack = 8.0 * _EPS * float(self.cost.sum())
        first = int(np.argmax(right >= -slack))
        last = int(np.argmax(right > slack)) if right[-1] > slack else len(v) - 1
        return float(0.5 * (v[order[first]] + v[order[last]]))

    def values(self, beta: FloatArray, v: FloatArray, b: float) -> tuple[float, float]:
        """P and D."""
        quadratic = float(beta @ (self.y - v))
        hinges = float(self.cost @ np.maximum(self.y * (v - b), 0.0))
        return self.alpha * (hinges + 0.5 * quadratic), self.alpha * (float(self.y @ beta) - 0.5 * quadratic)

    def intercept_reach(self, primal: float, largest_diagonal: float) -> float:
        """B ≥ |b*|, from P(w*, b*) ≤ P and the mean margin of each class, as in certify/bounds.py."""
        shares = np.array([self.cost[self.y < 0.0].sum(), self.cost[self.y > 0.0].sum()]) * self.alpha
        depth = np.maximum(primal / np.maximum(shares, np.finfo(np.float64).tiny) - 1.0, 0.0)
        return float(depth.max()) + sqrt(max(largest_diagonal, 0.0) * 2.0 * max(primal, 0.0) / self.alpha)


@dataclass(frozen=True, eq=False)
class Rounding:
    """What may be wrong with v: `entry` in every kᵢⱼ, `drift` in every vᵢ, and K ⪰ −`slack`."""

    entry: float
    diagonal: float
    slack: float = 0.0
    drift: float = 0.0

    def allowance(self, problem: SoftMargin, beta: FloatArray | None = None) -> float:
        """The share of rounding in P − D; without β for the largest it can be."""
        cost = float(problem.cost.sum())
        size = cost if beta is None else float(np.abs(beta).sum())
        unit = _EPS * (8.0 + log2(len(problem.y) + 1.0))
        scores = self.drift + (self.entry + unit * self.diagonal) * size
        definite = self.slack * size * (size + cost)
        return problem.alpha * (scores * (cost + size) + unit * (cost + size) + definite)


def certify(
    problem: SoftMargin, beta: FloatArray, v: FloatArray, rounding: Rounding, tol: float, convex: bool
) -> tuple[float, Certificate]:
    """The best b for β, and what is proved of (β, b). Without convexity: how far from stationary, m − M."""
    b = problem.best_intercept(v)
    primal, dual = problem.values(beta, v, b)
    violation = _violation(problem, beta, v)
    if not convex:
        return b, Certificate(primal, -inf, Kind.STATIONARY, tol, problem.alpha, gradient=violation)
    noise, charge = rounding.allowance(problem, beta), 0.0
    if noise >= primal:  # rounding may be all of P, and P* ≥ 0 is known without it: nothing is certified
        return b, Certificate(primal, 0.0, Kind.DUALITY_GAP, tol, problem.alpha, violation)
    if problem.intercept:
        reach = problem.intercept_reach(primal, rounding.diagonal)
        charge = problem.alpha * abs(float(beta.sum())) * reach
    allowance = noise + charge
    return b, Certificate(primal, dual - allowance, Kind.DUALITY_GAP, tol, problem.alpha, violation, allowance)


def _violation(problem: SoftMargin, beta: FloatArray, v: FloatArray) -> float:
    """max {vᵢ: βᵢ may rise} − min {vⱼ: βⱼ may fall}, or with b = 0 the largest of either."""
    up = np.max(v, where=beta < problem.high, initial=-inf)
    down = np.min(v, where=beta > problem.low, initial=inf)
    return float(max(up - down, 0.0)) if problem.intercept else float(max(up, -down, 0.0))
