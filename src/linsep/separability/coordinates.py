"""The working set in few coordinates: only inner products matter, and m rows span at most m dimensions.

Rows no wider than the set is long are taken as they are, with the origin moved to a centre, which no difference of the
classes notices. A short set of wide rows A becomes L in A = LQᵀ, from a pivoted QR of Aᵀ; very wide sparse rows
become the pivoted Cholesky factor L of their inner products, LLᵀ = AAᵀ. The pivots name rows that are independent.
Of such rows hundreds or thousands may be support vectors: first a crowd (crowd.py) is tried on the inner products.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf

from linsep.data.design import Design
from linsep.separability.crowd import gather
from linsep.separability.nearest import Nearest
from linsep.separability.rows import dense_rows, sparse_rows
from linsep.types import BoolArray, FloatArray, IntArray

#: Sparse rows wider than this, and than the working set is long: inner products.
WIDE = 2000
#: Sets shorter than this are not worth a change of coordinates.
_SHORT = 50
#: A pivot below this share of the first: the row depends on the ones before.
_DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class Working:
    """table: signed rows in coordinates; source: the signed rows themselves; scale: the largest length;
    independent: rows that are, as many as the rank; None where the rows are the coordinates."""

    table: FloatArray
    source: Any
    scale: float
    independent: IntArray | None = None

    def direction(self, found: Nearest) -> FloatArray:
        """Σ λᵢyᵢxᵢ in the features' own coordinates."""
        if self.independent is None:
            return found.z
        return np.asarray(self.source[found.chosen].T @ found.weights, dtype=np.float64)


def wide(design: Design, chosen: IntArray) -> bool:
    """Whether inner products are the coordinates."""
    return design.sparse and design.d > max(WIDE, len(chosen))


@dataclass(eq=False)
class InnerProducts:
    """⟨yᵢxᵢ, yⱼxⱼ⟩ of wide rows, which are asked for again and again: what is known is kept."""

    design: Design
    y: FloatArray
    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    table: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    def of(self, chosen: IntArray) -> FloatArray:
        """Of the chosen rows, sorted, those known among them."""
        known = np.isin(chosen, self.rows, assume_unique=True)
        table = np.empty((len(chosen), len(chosen)))
        table[np.ix_(known, known)] = self.table
        new, old = (_signed(self.design, chosen[which], self.y) for which in (~known, known))
        table[np.ix_(~known, ~known)] = (new @ new.T).toarray()
        across = (new @ old.T).toarray()
        table[np.ix_(~known, known)], table[np.ix_(known, ~known)] = across, across.T
        self.rows, self.table = chosen, table
        return table

    def nearest(self, chosen: IntArray, groups: IntArray, inside: BoolArray) -> Nearest | None:
        """The nearest point by a crowd that begins with the rows inside; None where it does not settle."""
        found = gather(self.of(chosen), groups, inside)
        if found is None or not found.settled:
            return None
        used = np.flatnonzero(found.weights)
        z = _signed(self.design, chosen[used], self.y).T @ found.weights[used]
        return Nearest(used, found.weights[used], np.asarray(z, dtype=np.float64))


def working_coordinates(design: Design, chosen: IntArray, y: FloatArray, centre: FloatArray) -> Working:
    """The chosen rows times their signs."""
    if wide(design, chosen):
        return _by_inner_products(_signed(design, chosen, y))
    rows = dense_rows(design, chosen)
    rows -= centre
    rows *= y[chosen, None]
    if design.d > len(chosen) >= _SHORT:
        return _by_rotation(rows)
    return Working(rows, rows, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())))


def _signed(design: Design, chosen: IntArray, y: FloatArray) -> Any:
    return sparse_rows(design, chosen).multiply(y[chosen, None]).tocsr()


def _by_rotation(rows: FloatArray) -> Working:
    R, pivots = qr(rows.T, mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(np.diagonal(R))
    rank = int((sizes > _DEPENDENT * sizes[0]).sum())
    table = np.empty((len(rows), len(rows)))
    table[pivots] = R[: len(rows)].T
    return Working(table, rows, float(sizes[0]), np.asarray(pivots[:rank], dtype=np.int64))


def _by_inner_products(rows: Any) -> Working:
    gram = (rows @ rows.T).toarray()
    factor, pivots, rank, _ = dpstrf(gram, lower=1)
    sizes = np.abs(np.diagonal(factor)[:rank])
    table = np.empty((len(gram), rank))
    table[pivots - 1] = np.tril(factor)[:, :rank]
    independent = (pivots - 1)[: int((sizes > np.sqrt(_DEPENDENT) * sizes[0]).sum())]
    return Working(table, rows, float(np.sqrt(np.diagonal(gram).max())), independent.astype(np.int64))
