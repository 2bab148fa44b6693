"""A quadratic model whose Hessian is a matrix, minimised: coordinate descent, and Newton where that is slow.

Coordinate descent finds which weights are 0 or at a bound; on the others the model is smooth, and Newton's step is
exact as far as none of them becomes 0 or meets a bound. The two take turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.kernels import native
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import Problem
from linsep.types import FloatArray, IntArray

_ROUNDS, _CROSSINGS = 20, 20
#: Sweeps of a round but the last: Newton ends what takes more.
_TURN = 50
_MORE = 1e-10
#: Of what a slope adds up: its rounding, beyond which there is nothing to descend to.
NOISE = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Terms:
    """What the coordinates of a model have beside ∇²L: slopes, start, penalty, bounds; z is what descends."""

    g: FloatArray
    w: FloatArray
    a: FloatArray
    c: FloatArray
    lower: FloatArray
    upper: FloatArray
    z: FloatArray

    @classmethod
    def of(cls, problem: Problem, w: FloatArray, g: FloatArray, columns: IntArray | slice) -> Terms:
        """Of chosen columns, K weights each; w and g are (columns,) or (columns, K)."""
        d, k = problem.design.d, 1 if w.ndim == 1 else w.shape[1]
        lower, upper = problem.penalty.box(d)
        parts = (problem.penalty.l1(d), problem.penalty.l2(d), lower, upper)
        a, c, low, high = (np.ascontiguousarray(np.repeat(part[columns], k)) for part in parts)
        start = np.ascontiguousarray(w).ravel()
        return cls(np.ascontiguousarray(g).ravel(), start, a, c, low, high, start.copy())

    def from_here(self, chosen: IntArray, slope: FloatArray) -> Terms:
        """Some of the coordinates, with the model's slopes at z, started at z."""
        here = self.z[chosen]
        a, c, lower, upper = (part[chosen] for part in (self.a, self.c, self.lower, self.upper))
        return Terms(slope, here, a, c, lower, upper, here.copy())

    def within(self, reach: FloatArray) -> Terms:
        """The same, but no coordinate goes further than its reach from the start."""
        return replace(self, lower=np.maximum(self.lower, self.w - reach), upper=np.minimum(self.upper, self.w + reach))

    def native(self) -> Any:
        return native.PrimalTerms(self.g, self.w, self.a, self.c, self.lower, self.upper, self.z)


def descend(H: FloatArray, terms: Terms, violation: float, sweeps: int) -> float:
    """terms.z at the minimum of the model with Hessian H, but for the violation; what is left of it is returned."""
    handle, left = terms.native(), np.inf
    for turn in range(1, _ROUNDS + 1):
        few = min(sweeps, _TURN) if turn < _ROUNDS else sweeps
        left, _, finished = native.primal_gram(H, handle, violation, few)
        if finished or left <= NOISE * float((np.abs(terms.g) + np.abs(H) @ np.abs(terms.z - terms.w)).max()):
            break
        for _ in range(_CROSSINGS):
            if not _newton(H, terms):
                break
    return float(left)


def _newton(H: FloatArray, t: Terms) -> bool:
    """Newton on weights that are neither 0 nor at a bound; whether one became either.

    Those that would go beyond stop there. The step ends where the first does, or, while that lowers the model more,
    after twice as much and twice again: many weights may have to go, and each call costs a factorisation.
    """
    z = t.z
    moving = np.flatnonzero((z > t.lower) & (z < t.upper) & ((z != 0.0) | (t.a == 0.0)))
    if not len(moving):
        return False
    slope = t.g + H @ (z - t.w) + t.c * z + t.a * np.sign(z)
    system = H[np.ix_(moving, moving)]
    # a little more than the diagonal: where columns depend on each other, a has its way and weights become 0
    system.ravel()[:: len(moving) + 1] *= 1.0 + _MORE
    system.ravel()[:: len(moving) + 1] += t.c[moving]
    step = -factor(system).solve(slope[moving])
    if not np.isfinite(step).all():
        return False
    at, ends = z[moving], np.where(step > 0.0, t.upper[moving], t.lower[moving])
    crosses = (t.a[moving] > 0.0) & (at * step < 0.0)
    ends = np.where(crosses, 0.0, ends)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step == 0.0, np.inf, (ends - at) / step)
    first = min(float(room.min(initial=np.inf)), 1.0)
    length, best, most = first, at, 0.0
    while length <= 1.0:
        new = np.where(room <= length, ends, at + length * step)
        fall = _fall(system, slope[moving], new - at)
        if fall <= most:
            break
        best, most = new, fall
        length = min(2.0 * length, 1.0) if length < 1.0 else np.inf
    z[moving] = best
    return first < 1.0 and most > 0.0


def _fall(system: FloatArray, slope: FloatArray, p: FloatArray) -> float:
    """By how much the model falls along p, as long as no weight changes its sign."""
    return -float(p @ (slope + 0.5 * (system @ p)))
