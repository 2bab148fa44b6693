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
#: Of its threshold: what the slope of a column must reach that is taken along because it may soon violate.
_NEAR = 0.7


def violations(problem: Problem, w: FloatArray, gradient: FloatArray) -> FloatArray:
    """|∇L + z| for every weight, z in ∂Ω(w) nearest to −∇L, then |∇ᵦL|."""
    off = np.abs(gradient)
    off[:-1] = np.abs(gradient[:-1] + problem.penalty.subgradient(w[:-1], gradient[:-1]))
    return off


def with_near(problem: Problem, off: FloatArray, gradient: FloatArray) -> FloatArray:
    """The violations of one margin's weights, and next to nothing for columns that are near to violating."""
    a = problem.penalty.l1(problem.design.d)
    size = np.abs(gradient[:-1])
    near = np.flatnonzero((off[:-1] == 0.0) & (a > 0.0) & (size > _NEAR * a))
    ranks = off.copy()
    ranks[near] = 1e-300 * (size[near] / a[near])
    return ranks


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
