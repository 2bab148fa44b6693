"""Two equal rows of different classes: the plainest proof that no hyperplane separates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.decide import Mean


def contradiction(cone: Cone) -> Mean | None:
    """Two equal rows of different classes, both with a condition against the other's."""
    w = np.append(np.random.default_rng(0).standard_normal(cone.design.d), 0.0)
    keys, codes = cone.design.scores(w), cone.codes
    order = np.arange(cone.design.n) if cone.alive is None else np.unique(cone.alive // cone.others)
    order = order[np.argsort(keys[order], kind="stable")]
    close = np.flatnonzero((keys[order[1:]] == keys[order[:-1]]) & (codes[order[1:]] != codes[order[:-1]]))
    for place in close[:1000]:
        pair = np.sort(order[place : place + 2])
        numbers = np.array([_number(cone, int(i), int(codes[j])) for i, j in (pair, pair[::-1])])
        if cone.alive is not None and not np.isin(numbers, cone.alive).all():
            continue
        rows = cone.design.table[pair]
        rows = rows.toarray() if cone.design.sparse else rows
        if (rows[0] == rows[1]).all():
            return Mean(numbers, (Fraction(1, 2), Fraction(1, 2)))
    return None


def _number(cone: Cone, row: int, other: int) -> int:
    """The condition of a row against another class."""
    return row * cone.others + other - int(other > cone.codes[row])
