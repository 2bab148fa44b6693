"""Which columns a step works on: those that have a weight, those that violate optimality, and no more than pays.

At w column j violates by the distance of −∇ⱼL to ∂Ωⱼ(wⱼ). The set holds all columns with a weight or without a penalty,
and the worst violators, at most as many again (at least `_FEWEST`): it grows geometrically until it holds the support.

Screening (certify/screening.py) tells columns whose weight is 0 at every optimum; they never come back.
"""

from __future__ import annotations

import numpy as np

from linsep.problem.problem import Problem
from linsep.types import BoolArray, FloatArray, IntArray

_FEWEST = 400


def violations(problem: Problem, w: FloatArray, gradient: FloatArray) -> FloatArray:
    """|∇L + z| for every weight, z in ∂Ω(w) nearest to −∇L, then |∇ᵦL|."""
    off, weights, penalty = np.abs(gradient), w[:-1], problem.penalty
    if penalty.bounded or w.ndim > 1:
        off[:-1] = np.abs(gradient[:-1] + penalty.subgradient(weights, gradient[:-1]))
        return off
    a, c, used = penalty.l1(len(weights)), penalty.l2(len(weights)), np.flatnonzero(weights)
    off[:-1] -= a
    np.maximum(off[:-1], 0.0, out=off[:-1])
    off[used] = np.abs(gradient[used] + c[used] * weights[used] + a[used] * np.sign(weights[used]))
    return off


def working_set(problem: Problem, w: FloatArray, off: FloatArray, settled: BoolArray) -> IntArray:
    """The columns to work on, in order; `settled` are those that screening has ruled out."""
    each = off[:-1] if off.ndim == 1 else off[:-1].max(axis=1)
    weighted = w[:-1] != 0.0
    used = weighted if weighted.ndim == 1 else weighted.any(axis=1)
    kept = (used | problem.penalty.free(problem.design.d)) & ~(settled & ~used)
    others = np.flatnonzero((each > 0.0) & ~kept & ~settled)
    most = max(_FEWEST, int(kept.sum()))
    if len(others) > most:
        others = others[np.argpartition(-each[others], most)[:most]]
    kept[others] = True
    return np.flatnonzero(kept)
