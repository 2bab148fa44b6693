"""The point of a polytope that is nearest to the origin, exactly (Wolfe, Mathematical Programming 11, 1976).

Rows a₁ … a_m fall into one group or two; a combination takes weights λ ≥ 0 that sum to 1 in every group:

    min over λ of ‖z‖²,    z = Σᵢ λᵢaᵢ.

With two groups, x₊ in one and −x₋ in the other, ‖z‖ is the distance of the convex hulls. The rows of positive weight,
the corral, stay independent: one of each group is its base, and the differences D of the others from their bases have
full rank. Their factor QR follows every change. On the corral without λ ≥ 0 the optimum is the least squares solution
z = c + Dt, c the sum of the bases: small differences are not lost beside long rows. A round:

    enter    the row with the smallest ⟨z, a⟩, if that is below its group's level ⟨z, Σ λᵢaᵢ⟩; none is: z is optimal
    move     towards the optimum of the corral; a weight that reaches 0 on the way leaves, and the move goes on

‖z‖ falls with every round, so no corral comes twice and the rounds end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from linsep.solvers.patience import seconds_left
from linsep.types import FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Nearest:
    """chosen: the rows of the corral; weights: theirs, each group's summing to 1; z; touching: z is 0, or rounding."""

    chosen: IntArray
    weights: FloatArray
    z: FloatArray
    touching: bool = False


class Corral:
    """The rows of positive weight, the bases of the groups first, and the factor of the others' differences."""

    def __init__(self, rows: FloatArray, groups: IntArray, start: IntArray, weights: FloatArray) -> None:
        self.rows, self.groups, self.count = rows, groups, int(groups.max()) + 1
        self.scale = max(float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())), _TINY)
        heaviest = np.lexsort((-weights, groups[start]))
        bases = heaviest[np.searchsorted(groups[start][heaviest], np.arange(self.count))]
        order = np.append(bases, np.setdiff1d(np.arange(len(start)), bases))
        self.chosen, self.weights = [int(i) for i in start[order]], weights[order]
        self._factor()

    def _factor(self) -> None:
        self.Q, self.R = np.linalg.qr(self._differences(self.chosen[self.count :]).T)

    def _differences(self, chosen: list[int]) -> FloatArray:
        bases = np.array(self.chosen[: self.count])
        return np.asarray(self.rows[chosen] - self.rows[bases[self.groups[chosen]]], dtype=np.float64)

    def enter(self, row: int) -> bool:
        """Take a row in; False if it depends on the others, at least but for rounding."""
        column, size = self._differences([row])[0], len(self.chosen) - self.count
        if size == self.rows.shape[1]:
            return False
        self.chosen.append(row)
        self.weights = np.append(self.weights, 0.0)
        try:
            if size:
                self.Q, self.R = qr_insert(self.Q, self.R, column, size, which="col", check_finite=False)
            else:
                self._factor()
        except LinAlgError:
            return False
        return bool(abs(self.R[-1, -1]) > 100.0 * _EPS * np.linalg.norm(column))

    def leave(self, position: int) -> None:
        """Let a row go; where it is a base, the heaviest row of its group becomes the base."""
        gone = position
        if position < self.count:
            others = self.groups[self.chosen[self.count :]] == position
            gone = self.count + int(np.where(others, self.weights[self.count :], -1.0).argmax())
            self.chosen[position], self.weights[position] = self.chosen[gone], self.weights[gone]
        del self.chosen[gone]
        self.weights = np.delete(self.weights, gone)
        size = len(self.chosen) - self.count
        if gone != position or not size:
            self._factor()
        else:
            Q, R = qr_delete(self.Q, self.R, position - self.count, which="col", check_finite=False)
            self.Q, self.R = np.asfortranarray(Q[:, :size]), np.asfortranarray(R[:size])

    def optimum(self) -> FloatArray:
        """The best weights of the corral, whatever their signs."""
        base = np.ones(self.count)
        if len(self.chosen) == self.count:
            return base
        t, _ = dtrtrs(self.R, -(self.Q.T @ self.rows[self.chosen[: self.count]].sum(axis=0)))
        base -= np.bincount(self.groups[self.chosen[self.count :]], weights=t, minlength=self.count)
        return np.append(base, t)

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

        z is orthogonal to the differences. Made so again, twice, its direction is right even where it is a small
        difference of large vectors.
        """
        bases = self.rows[self.chosen[: self.count]]
        z = bases.sum(axis=0)
        if len(self.chosen) > self.count:
            z += self.weights[self.count :] @ self._differences(self.chosen[self.count :])
        for _ in range(2):
            z -= self.Q @ (self.Q.T @ z)
        return z, bases @ z


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
        seconds_left()
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
