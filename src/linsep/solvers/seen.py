"""Columns that cannot violate optimality, from a look at all of them at another point.

With r the rows' slopes sᵢyᵢℓ′/S the loss has the slopes ∇L = Xᵀr. If Xᵀr° is known, then by Cauchy and Schwarz

    |∇ⱼL| ≤ |xⱼᵀr°| + ‖xⱼ‖·‖r − r°‖,

and a column for which that is within ±αρfⱼ violates nothing at r, whatever else is there: its weight stays 0, and a
bound on P* by θ, r = −sθy/S, needs nothing from it. So along a path one look at all columns serves for many points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.certify.rounding import rounding
from linsep.problem.margin_problem import MarginProblem
from linsep.types import BoolArray, FloatArray, IntArray

#: The rounding of norms.
_MORE = 1.0 + 1e-9


@dataclass(frozen=True, eq=False)
class Seen:
    """r°, ∇L there with the intercept's last, and ‖xⱼ‖."""

    r: FloatArray
    g: FloatArray
    norms: FloatArray

    @classmethod
    def of(cls, problem: MarginProblem, r: FloatArray, g: FloatArray | None = None) -> Seen:
        """A look at all columns, one pass, where g is not known."""
        return cls(r, problem.design.adjoint(r) if g is None else g, np.sqrt(problem.design.column_squares))

    def may_violate(self, problem: MarginProblem, r: FloatArray) -> BoolArray:
        """Columns of which it is not certain that their slopes at r are within ±αρf."""
        distance = _MORE * float(np.linalg.norm(r - self.r))
        distance += rounding(problem, distance + float(np.linalg.norm(self.r)))
        most = self.norms * distance
        most += np.abs(self.g[:-1])
        return most > problem.penalty.l1(problem.design.d)

    def covers(self, problem: MarginProblem, r: FloatArray, columns: IntArray) -> bool:
        """Whether no other column than these can violate at r, nor is free to go anywhere."""
        if problem.penalty.ridge or np.logical_or(*problem.penalty.sides(problem.design.d)).any():
            return False
        may = self.may_violate(problem, r)
        may[columns] = False
        return not may.any()

    def nearest(self, problem: MarginProblem, most: int) -> IntArray:
        """So many columns as can violate first when r moves away from here."""
        a = problem.penalty.l1(problem.design.d)
        least = np.maximum(a - np.abs(self.g[:-1]), 0.0)
        room = np.divide(least, self.norms, out=np.full(len(a), np.inf), where=self.norms > 0.0)
        return np.argpartition(room, most)[:most] if most < len(room) else np.arange(len(room))
