"""The three cases decided by Fourier–Motzkin elimination over fractions: slow, short, and nothing of linsep's.

With the conditions as rows a: complete separation is A v ≥ 1 for some v; separation of some rows, violating none, is
A v ≥ 0 and Σ ⟨a, v⟩ ≥ 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = tuple[Fraction, ...]


def verdict(X: Sequence[Sequence[float]], y: Sequence[int], intercept: bool = True) -> str:
    """The name of the verdict for classes 0, 1, …, K − 1, all present."""
    A = conditions(X, y, intercept)
    if feasible([(*a, Fraction(1)) for a in A]):
        return "SEPARABLE"
    total = tuple(sum(column, Fraction(0)) for column in zip(*A, strict=True))
    if feasible([*((*a, Fraction(0)) for a in A), (*total, Fraction(1))]):
        return "QUASI_SEPARABLE"
    return "NOT_SEPARABLE"


def conditions(X: Sequence[Sequence[float]], y: Sequence[int], intercept: bool) -> list[Row]:
    """One row a for every row of X and every class but its own, the weights of class 0 being 0."""
    K, rows = max(y) + 1, []
    for x, c in zip(X, y, strict=True):
        full = [Fraction(value) for value in x] + [Fraction(1)] * intercept
        for k in range(K):
            if k != c:
                signs = [(j == c) - (j == k) for j in range(1, K)]
                rows.append(tuple(sign * value for sign in signs for value in full))
    return rows


def feasible(system: list[Row]) -> bool:
    """Whether some v has ⟨a, v⟩ ≥ r for every row (a, r)."""
    rows = {_scaled(row) for row in system}
    while len(next(iter(rows))) > 1:
        above = [row for row in rows if row[0] > 0]
        below = [row for row in rows if row[0] < 0]
        rest = {row[1:] for row in rows if row[0] == 0}
        pairs = {_scaled(tuple(p / up[0] - q / down[0] for p, q in zip(up[1:], down[1:], strict=True)))
                 for up in above for down in below}  # fmt: skip
        rows = _undominated(rest | pairs)
        if not rows:
            return True
    return all(row[0] <= 0 for row in rows)


def _scaled(row: Row) -> Row:
    size = max((abs(value) for value in row[:-1]), default=Fraction(0))
    return tuple(value / size for value in row) if size else row


def _undominated(rows: set[Row]) -> set[Row]:
    """Of rows with the same left side the one that asks most."""
    most: dict[Row, Fraction] = {}
    for row in rows:
        scaled = _scaled(row)
        most[scaled[:-1]] = max(scaled[-1], most.get(scaled[:-1], scaled[-1]))
    return {(*left, right) for left, right in most.items()}
