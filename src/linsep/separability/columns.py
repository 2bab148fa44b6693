"""Single features that separate some rows from some classes, and violate nothing.

A column does so at a value t (0 without intercept) if every class lies on one side of it: all its values ≤ t, or all
≥ t. With B the classes above and z = x − t for these, z = 0 for the others, every row is level with or ahead of every
other class, and those whose value is not t are ahead of the classes on the other side. Such a column is the usual cause
of quasi-separation (a rare category that some classes do not have), and the easiest to name.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy import sparse

from linsep.separability.cone import Cone
from linsep.separability.exact import Integers, primitive
from linsep.types import BoolArray, FloatArray, IntArray

_WORK = 500_000_000  # comparisons at most


def alone(cone: Cone, columns: IntArray) -> tuple[IntArray, Integers] | None:
    """Those of the columns that do it, and the direction that adds them up; None if there are none."""
    if not len(columns) or cone.n_classes**2 * len(columns) > _WORK:
        return None
    W = np.zeros((cone.n_classes, cone.design.d), dtype=np.int64)
    b, found = [Fraction(0)] * cone.n_classes, np.zeros(cone.design.d, dtype=bool)
    for places, t, above in _splits(cone, columns):
        found[columns[places]] = True
        W[:, columns[places]] += above
        for c in range(cone.n_classes):
            values, counts = np.unique(t[above[c]], return_counts=True)
            b[c] -= sum((Fraction(float(v)) * int(k) for v, k in zip(values, counts, strict=True)), Fraction(0))
    return (np.flatnonzero(found), _direction(cone, W, b)) if found.any() else None


def _splits(cone: Cone, columns: IntArray) -> Iterator[tuple[IntArray, FloatArray, BoolArray]]:
    """Places of columns, the value t of each, and the classes above it (K, columns)."""
    low, high = _ranges(cone, columns)
    tried: list[FloatArray] = []
    for t in high if cone.intercept else np.zeros((1, len(columns))):
        below, above, at = (high <= t) & (low < t), (low >= t) & (high > t), (low == t) & (high == t)
        sides = below.any(axis=0).astype(int) + above.any(axis=0) + at.any(axis=0)
        done = np.any([t == before for before in tried], axis=0) if tried else np.zeros(len(columns), dtype=bool)
        good = np.flatnonzero((below | above | at | (low > high)).all(axis=0) & (sides > 1) & ~done)
        tried.append(t)
        upper = np.where(above.any(axis=0), above, at)
        if len(good):
            yield good, t[good], upper[:, good]


def _direction(cone: Cone, W: IntArray, b: list[Fraction]) -> Integers:
    """An integer multiple of the weights (K, d) and b (K,), as seen from the first class."""
    common = max(value.denominator for value in b)  # of floats: powers of two
    table = np.column_stack([(W - W[0]).astype(object) * common, [int((value - b[0]) * common) for value in b]])
    return primitive(table[1:, : cone.width].ravel())


def _ranges(cone: Cone, columns: IntArray) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of every column in every class, (K, columns)."""
    rows = np.arange(cone.design.n) if cone.alive is None else np.unique(cone.alive // cone.others)
    ends = [_range(cone, columns, rows[cone.codes[rows] == code]) for code in range(cone.n_classes)]
    return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _range(cone: Cone, columns: IntArray, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Of some rows; without any, the smallest is above the largest."""
    if not len(rows):
        return np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    matrix = cone.design.table
    if sparse.issparse(matrix):
        part = matrix[rows]
        least, most = part.min(axis=0).toarray().ravel(), part.max(axis=0).toarray().ravel()
        return least[columns].astype(np.float64), most[columns].astype(np.float64)
    ends = [(float((x := matrix[rows, j]).min()), float(x.max())) for j in columns]
    least, most = np.array(ends).T
    return least, most
