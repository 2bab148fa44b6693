"""Single features that separate some rows of two classes from all others.

With intercept: all values in one class ≤ c ≤ all values in the other, and not all equal c; without: c = 0. Such a
column is the usual cause of quasi-separation (a rare category seen in one class only), and the easiest to name.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import sparse

from linsep.separability.cone import Cone
from linsep.separability.exact import Integers, whole_multiple
from linsep.types import FloatArray, IntArray


def alone(cone: Cone, columns: IntArray) -> tuple[IntArray, Integers] | None:
    """Those of the columns that do it, and the direction that adds them up; None if there are none."""
    if cone.others != 1:
        return None
    low, high = _range(cone, columns, 0), _range(cone, columns, 1)
    found, w, b = [], [Fraction(0)] * cone.design.d, Fraction(0)
    for k, j in enumerate(columns):
        for sign, below, above in ((1, low, high), (-1, high, low)):
            edge = float(below[1][k]) if cone.intercept else 0.0
            if below[1][k] <= edge <= above[0][k] and below[0][k] < above[1][k]:
                found.append(int(j))
                w[int(j)] += sign
                b -= sign * Fraction(edge)
    if not found:
        return None
    return np.array(found), whole_multiple([*w, b] if cone.intercept else w)


def _range(cone: Cone, columns: IntArray, code: int) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of every column in a class."""
    rows = np.flatnonzero(cone.codes == code) if cone.alive is None else cone.alive[cone.codes[cone.alive] == code]
    matrix = cone.design.table
    if sparse.issparse(matrix):
        part = matrix[rows]
        least, most = part.min(axis=0).toarray().ravel(), part.max(axis=0).toarray().ravel()
        return least[columns].astype(np.float64), most[columns].astype(np.float64)
    ends = [(float((x := matrix[rows, j]).min()), float(x.max())) for j in columns]
    least, most = np.array(ends).T
    return least, most
