"""Coordinate descent over packed columns A = √c·X, q = A(z − w) kept; the weights that move, by their Gram matrix.

A sweep over all columns finds which weights are not 0. Those are far fewer than rows, so once they are known the matrix
AᵀA of them is cheaper than more sweeps, and ends exactly (descent.py). The sweep after that looks at all columns again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linsep.cached import cached_property
from linsep.kernels import native
from linsep.solvers.descent import NOISE, Terms, descend
from linsep.types import FloatArray, IntArray

#: Moving weights up to which their Gram matrix is formed; sweeps before it is, and between its uses.
_MOST, _FIRST, _BETWEEN = 1500, 2, 2
#: So few sweeps are made as they are: who asks for no more wants no accuracy.
FEW = 10
_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class PackedColumns:
    """Entries √c·x one column after the other; h their curvatures; mean what a free intercept takes out (or None)."""

    values: FloatArray
    rows: Any
    starts: IntArray
    n: int
    h: FloatArray
    mean: FloatArray | None
    threads: int

    @cached_property
    def native(self) -> Any:
        return native.PackedColumns(self.values, self.rows, self.starts, self.n)

    @cached_property
    def matrix(self) -> Any:
        shape = (self.n, len(self.starts) - 1)
        return sparse.csc_array((self.values, self.rows, self.starts), shape=shape)

    def gram(self, chosen: IntArray) -> FloatArray:
        """AᵀA of the chosen columns, less what a free intercept takes out."""
        H = np.empty((len(chosen), len(chosen)))
        native.primal_cross(self.native, chosen, H, self.threads)
        if self.mean is not None:
            H -= np.outer(self.mean[chosen], self.mean[chosen])
        H.ravel()[:: len(H) + 1] = self.h[chosen]
        return H


class ColumnDescent:
    """One margin's model; terms.z descends."""

    def __init__(self, columns: PackedColumns, terms: Terms) -> None:
        self.columns, self.terms = columns, terms
        self._handle, self._q = terms.native(), np.zeros(columns.n)
        self._known, self._H = np.zeros(0, dtype=np.int64), np.zeros((0, 0))

    @property
    def centre(self) -> float:
        """Σⱼ meanⱼ(zⱼ − wⱼ)."""
        assert self.columns.mean is not None
        return float(self.columns.mean @ (self.terms.z - self.terms.w))

    def descend(self, violation: float, sweeps: int) -> float:
        """Until no slope is off by more than the violation; what is left of it is returned."""
        c, left = self.columns, np.inf
        if sweeps <= FEW:
            left, _, _ = native.primal_columns(c.native, self._handle, c.h, c.mean, self._q, violation, sweeps)
            return float(left)
        for turn in range(_ROUNDS):
            few = _BETWEEN if len(self._known) else _FIRST
            few = few if np.count_nonzero(self.terms.z) <= _MOST else sweeps
            left, _, finished = native.primal_columns(c.native, self._handle, c.h, c.mean, self._q, violation, few)
            if finished or turn + 1 == _ROUNDS or left <= self._noise() or not self._finish(violation, sweeps):
                break
        return float(left)

    def _noise(self) -> float:
        """What rounding does to slopes: a product with q adds up at most ‖Aⱼ‖·‖q‖."""
        products = np.sqrt(self.columns.h) * float(np.linalg.norm(self._q))
        return NOISE * float((np.abs(self.terms.g) + products).max(initial=0.0))

    def _finish(self, violation: float, sweeps: int) -> bool:
        """The weights that are not 0 brought to the model's minimum, all others kept."""
        t, c = self.terms, self.columns
        moving = np.flatnonzero((t.z != 0.0) | (t.a == 0.0))
        if not 0 < len(moving) <= _MOST:
            return len(moving) > 0
        slope = t.g[moving] + (c.matrix.T @ self._q)[moving]
        if c.mean is not None:
            slope -= c.mean[moving] * self.centre
        part = t.from_here(moving, slope)
        descend(self._gram(moving), part, 1e-3 * violation, sweeps)
        moved = np.zeros_like(t.z)
        moved[moving] = part.z - part.w
        self._q += c.matrix @ moved
        t.z[moving] = part.z
        return True

    def _gram(self, moving: IntArray) -> FloatArray:
        """AᵀA of the moving columns, from the last one where they are among its own."""
        places = np.searchsorted(self._known, moving)
        within = places < len(self._known)
        if not (within.all() and (self._known[places] == moving).all()):
            every = np.arange(len(self.terms.z))
            self._known = every if len(every) <= 1.5 * len(moving) + 20 else moving
            self._H = self.columns.gram(self._known)
            return self._gram(moving)
        return self._H if len(moving) == len(self._known) else np.ascontiguousarray(self._H[np.ix_(places, places)])
