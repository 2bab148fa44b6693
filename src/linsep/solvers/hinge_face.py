"""The smallest α at which all penalised weights are 0, for the hinge loss: a linear program over its multipliers.

At w = 0 the best intercept puts the heavier class on its kink and the other beyond, so the optimal multipliers are a
face and not a point: θ = 1 on the lighter class, and on the heavier any 0 ≤ θ ≤ 1 with Σ sᵢθᵢ = the lighter class's
weight. w = 0 is optimal at α as long as some θ of the face has |vⱼ| ≤ αρfⱼ for all j, v = 1/S Σ sᵢθᵢyᵢxᵢ. So

    α_max = min over θ in the face of max over j of |vⱼ| / ρfⱼ

(of the positive or negative part alone, where a bound at 0 closes off the other side). Few columns decide it: the
program runs on a working set of columns, whose optimum is below α_max, and the worst of all columns at its θ, which is
above, join until the two meet. What is returned is the upper value: its θ proves w = 0 to be optimal there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from linsep.problem.margin_problem import MarginProblem
from linsep.types import BoolArray, FloatArray, IntArray

#: Columns that join at once, at most how often, and how near the two values come.
_JOIN, _ROUNDS, _NEAR = 20, 100, 1e-9
#: Of the first value: less is rounding.
_ZERO = 1e-12
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Face:
    """θ = fixed outside of `open`; on open rows 0 ≤ θ ≤ 1 with Σ shareᵢθᵢ over them = level (None: not asked for)."""

    problem: MarginProblem
    share: FloatArray
    fixed: FloatArray
    open: IntArray
    level: float | None

    def steepness(self, theta: FloatArray) -> FloatArray:
        """For every column |vⱼ|, or the side of it that bounds leave open; 0 for columns that cannot leave 0."""
        v = self.problem.design.adjoint(self.share * self.problem.target * theta)[:-1]
        rises, falls = _sides(self.problem)
        return np.maximum(np.where(rises, v, 0.0), np.where(falls, -v, 0.0)).clip(0.0)

    def best(self, columns: IntArray, unit: FloatArray) -> tuple[FloatArray, float] | None:
        """θ of the face with the least max |vⱼ|/unitⱼ over the columns, and that maximum."""
        weights = np.zeros((self.problem.design.d + 1, len(columns)))
        weights[columns, np.arange(len(columns))] = 1.0 / unit[columns]
        A = self.problem.design.scores(weights) * (self.share * self.problem.target)[:, None]
        known, moving = self.fixed @ A, A[self.open].T
        rises, falls = (side[columns] for side in _sides(self.problem))
        rows = np.vstack([moving[rises], -moving[falls]])
        limits = np.concatenate([-known[rises], known[falls]])
        k, n = len(rows), len(self.open)
        level = {} if self.level is None else {
            "A_eq": sparse.csr_array(np.append(self.share[self.open], 0.0)[None, :]), "b_eq": [self.level],
        }  # fmt: skip
        from scipy.optimize import linprog  # slow to import, and seldom needed

        found = linprog(
            np.append(np.zeros(n), 1.0), A_ub=sparse.csr_array(np.hstack([rows, np.full((k, 1), -1.0)])), b_ub=limits,
            bounds=[*[(0.0, 1.0)] * n, (0.0, None)], method="highs", options=_OPTIONS, **level,
        )  # fmt: skip
        if found.x is None or found.status != 0:
            return None
        theta = self.fixed.copy()
        theta[self.open] = np.clip(found.x[:n], 0.0, 1.0)
        return theta, float(found.fun)


def null_face(problem: MarginProblem) -> Face:
    """The optimal multipliers at w = 0, without offsets and free columns."""
    y, n = problem.target, problem.design.n
    share = np.full(n, problem.scale) if problem.weights is None else problem.weights * problem.scale
    if not problem.intercept:
        return Face(problem, share, np.ones(n), np.zeros(0, dtype=np.int64), None)
    plus, minus = float(share[y > 0.0].sum()), float(share[y < 0.0].sum())
    heavier = y > 0.0 if plus > minus else y < 0.0
    if abs(plus - minus) <= 1e-14 * n:
        return Face(problem, share, np.ones(n), np.zeros(0, dtype=np.int64), None)
    rows = np.flatnonzero(heavier & (share > 0.0))
    return Face(problem, share, np.where(heavier, 0.0, 1.0), rows, min(plus, minus))


def hinge_alpha_max(problem: MarginProblem, unit: FloatArray) -> float:
    """max |vⱼ|/unitⱼ at the best θ of the face, unit = ρf; columns with unit 0 are left out."""
    face, held = null_face(problem), unit > 0.0
    theta = face.fixed.copy()
    if len(face.open):
        assert face.level is not None
        theta[face.open] = face.level / float(face.share[face.open].sum())
    ratio = _ratios(face, theta, unit, held)
    first, columns = float(ratio.max(initial=0.0)), np.zeros(0, dtype=np.int64)
    top = first
    for _ in range(_ROUNDS if len(face.open) else 0):
        worst = np.argsort(-ratio, kind="stable")[:_JOIN]
        columns = np.union1d(columns, worst[ratio[worst] > 0.0])
        found = face.best(columns, unit)
        if found is None:
            break
        ratio = _ratios(face, found[0], unit, held)
        top = min(top, float(ratio.max(initial=0.0)))
        if top <= found[1] * (1.0 + _NEAR):
            break
    return top if top > _ZERO * first else 0.0


def _ratios(face: Face, theta: FloatArray, unit: FloatArray, held: BoolArray) -> FloatArray:
    return np.divide(face.steepness(theta), unit, out=np.zeros_like(unit), where=held)


def _sides(problem: MarginProblem) -> tuple[BoolArray, BoolArray]:
    """Whether bounds let each weight rise above 0, and fall below."""
    lower, upper = problem.penalty.box(problem.design.d)
    return upper > 0.0, lower < 0.0
