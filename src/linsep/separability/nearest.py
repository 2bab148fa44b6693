"""The point of a polytope that is nearest to the origin, exactly (Wolfe, Mathematical Programming 11, 1976).

Rows a₁ … a_m fall into one group or two; a combination takes weights λ ≥ 0 that sum to 1 in every group:

    min over λ of ‖z‖²,    z = Σᵢ λᵢaᵢ.

With two groups, x₊ in one and −x₋ in the other, ‖z‖ is the distance of the convex hulls. The rows of positive weight,
the corral, stay independent: B = [a; s·e_g], their columns with the indicator of the group below (s is a scale), has
full rank, and its factor QR follows every change. On the corral without λ ≥ 0 the optimum is λ = (BᵀB)⁻¹Eᵀc with E the
indicators and c such that Eλ = 1. A round:

    enter    the row with the smallest ⟨z, a⟩, if that is below its group's level ⟨z, Σ λᵢaᵢ⟩; none is: z is optimal
    move     towards the optimum of the corral; a weight that reaches 0 on the way leaves, and the move goes on

‖z‖ falls with every round, so no corral comes twice and the rounds end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from linsep.types import FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Nearest:
    """chosen: the rows of the corral; weights: theirs, each group's summing to 1; z."""

    chosen: IntArray
    weights: FloatArray
    z: FloatArray


class Corral:
    """The rows of positive weight, and the factor of their columns."""

    def __init__(self, rows: FloatArray, groups: IntArray, start: IntArray, weights: FloatArray) -> None:
        self.rows, self.groups, self.count = rows, groups, int(groups.max()) + 1
        self.scale = max(float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())), _TINY)
        self.chosen, self.weights = [int(i) for i in start], weights
        self.Q, self.R = np.linalg.qr(np.column_stack([self._column(i) for i in self.chosen]))

    def _column(self, row: int) -> FloatArray:
        column = np.zeros(self.rows.shape[1] + self.count)
        column[: self.rows.shape[1]] = self.rows[row]
        column[self.rows.shape[1] + self.groups[row]] = self.scale
        return column

    def independent(self) -> bool:
        """Whether the factor is far from singular."""
        full = self.R.shape[0] == self.R.shape[1]
        return full and bool(np.abs(np.diagonal(self.R)).min() > 100.0 * _EPS * self.scale)

    def enter(self, row: int) -> bool:
        """Take a row in; False if its column depends on the others, or does but for rounding."""
        last, column = len(self.chosen), self._column(row)
        try:
            self.Q, self.R = qr_insert(self.Q, self.R, column, last, which="col", check_finite=False)
        except LinAlgError:
            return False
        self.chosen.append(row)
        self.weights = np.append(self.weights, 0.0)
        return self.independent()

    def leave(self, position: int) -> None:
        self.Q, self.R = qr_delete(self.Q, self.R, position, which="col", check_finite=False)
        size = len(self.chosen) - 1
        if self.R.shape[0] > size:  # an orthogonal factor that was square keeps a column too many
            self.Q, self.R = np.asfortranarray(self.Q[:, :size]), np.asfortranarray(self.R[:size])
        del self.chosen[position]
        self.weights = np.delete(self.weights, position)

    def optimum(self) -> FloatArray:
        """The best weights of the corral, whatever their signs."""
        E = (self.groups[self.chosen] == np.arange(self.count)[:, None]).astype(np.float64).T
        half, _ = dtrtrs(self.R, E, trans=1)
        best, _ = dtrtrs(self.R, half @ np.linalg.solve(half.T @ half, np.ones(self.count)))
        return np.asarray(best, dtype=np.float64)

    def move(self) -> bool:
        """To the optimum of the corral, or of what is left of it; whether the newest row is still there."""
        newest = self.chosen[-1]
        while True:
            best = self.optimum()
            if best.min() > 0.0:
                self.weights = best
                return newest in self.chosen
            falling = best <= 0.0
            steps = np.full(len(best), np.inf)
            steps[falling] = self.weights[falling] / np.maximum(self.weights[falling] - best[falling], _TINY)
            position = int(steps.argmin())
            self.weights = np.maximum(self.weights + steps[position] * (best - self.weights), 0.0)
            self.leave(position)

    def point(self) -> tuple[FloatArray, FloatArray]:
        """z, and the level ⟨z, a⟩ of every group's rows in the corral.

        These are the same for all rows of a group: (z, −level/s) is orthogonal to the columns of B. Made so again,
        twice, the direction is right even where z is a small difference of large vectors.
        """
        rows, groups = self.rows[self.chosen], self.groups[self.chosen]
        z = self.weights @ rows
        levels = np.bincount(groups, weights=self.weights * (rows @ z), minlength=self.count)
        extended = np.append(z, -levels / self.scale)
        for _ in range(2):
            extended -= self.Q @ (self.Q.T @ extended)
        return extended[: len(z)], -self.scale * extended[len(z) :]


def nearest_point(rows: FloatArray, groups: IntArray, start: tuple[IntArray, FloatArray], tol: float) -> Nearest:
    """The nearest point, until no row is below its level by more than tol·‖z‖² or by what rounding hides.

    start: rows, independent and some of every group, and weights that sum to 1 in every group.
    """
    corral = Corral(rows, groups, *start)
    if len(corral.chosen) > corral.count:
        corral.move()
    z, levels = corral.point()
    corrals: set[frozenset[int]] = set()
    while True:
        square = float(z @ z)
        if square <= (32.0 * _EPS * corral.scale) ** 2:
            break
        prices = rows @ z
        below = prices - levels[groups]
        below[corral.chosen] = np.inf
        row = int(below.argmin())
        if below[row] >= -max(tol * square, 4.0 * _EPS * corral.scale * np.sqrt(square)):
            break
        chosen, weights = list(corral.chosen), corral.weights
        moved = corral.enter(row) and corral.move()
        corrals.add(frozenset(chosen))
        if not moved or frozenset(corral.chosen) in corrals:  # rounding allows no more
            return Nearest(np.array(chosen, dtype=np.int64), weights, z)
        z, levels = corral.point()
    return Nearest(np.array(corral.chosen, dtype=np.int64), corral.weights, z)
