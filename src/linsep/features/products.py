"""Interactions: products of two columns' encodings, as deviations from their centres.

    z = (x − centre of x) (y − centre of y)

A level times a level is 1 where both are set; a number times a level is the number's deviation where the level is set,
so its coefficient is how much the slope differs there; the main effect reads "at the average of the other". Products
that are zero in every training row have no column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from typing import Annotated, Any

import numpy as np

from linsep.data.sparse_rows import SparseRows, side_by_side
from linsep.errors import InvalidParameter, InvalidType
from linsep.features.columns import EncodedColumn, Part
from linsep.types import FloatArray, IntArray, Within

MOST_PRODUCTS = 100_000


@dataclass(frozen=True, eq=False)
class Product:
    """The two source columns, which of the products of their encodings are kept, and the scale of each."""

    first: str
    second: str
    kept: IntArray
    scale: Annotated[FloatArray, Within(5e-324, inf, axes=1)]

    @classmethod
    def fit(cls, names: tuple[str, str], left: list[Part], right: list[Part]) -> Product:
        """From the training rows."""
        a, b = (np.concatenate([_scale(part) for part in side]) for side in (left, right))
        if len(a) * len(b) > MOST_PRODUCTS:
            raise InvalidParameter(
                f"the interaction of {names[0]!r} and {names[1]!r} has {len(a):,} × {len(b):,} columns; allowed are "
                f"{MOST_PRODUCTS:,}. Leave it out, or raise `rare` so that there are fewer levels"
            )
        kept = np.unique(_products(left, right).indices).astype(np.int64)
        return cls(*names, kept, np.outer(a, b).ravel()[kept])

    def encode(self, left: list[Part], right: list[Part]) -> Part:
        """The products of any rows."""
        products = _products(left, right)
        place = np.full(products.width, -1, dtype=np.int32)
        place[self.kept] = np.arange(len(self.kept), dtype=np.int32)
        moved = replace(products, indices=place[products.indices], width=len(self.kept))
        return Part(moved.only(moved.indices >= 0), None, self.scale)

    def columns(self, left: Sequence[EncodedColumn], right: Sequence[EncodedColumn]) -> list[EncodedColumn]:
        pairs = [(left[k // len(right)], right[k % len(right)]) for k in self.kept.tolist()]
        source = f"{self.first} × {self.second}"
        return [
            EncodedColumn(f"{a.name} × {b.name}", source, "interaction", f"{a.unit} × {b.unit}", 0.0, float(scale))
            for (a, b), scale in zip(pairs, self.scale, strict=True)
        ]

    def record(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, "kept": self.kept, "scale": self.scale}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Product:
        kept, scale = np.asarray(record["kept"], dtype=np.int64), np.asarray(record["scale"], dtype=np.float64)
        return cls(record["first"], record["second"], kept, scale)


def _scale(part: Part) -> FloatArray:
    return np.ones(part.values.shape[1]) if part.scale is None else part.scale


def _products(left: list[Part], right: list[Part]) -> SparseRows:
    a, b = (side_by_side([part.deviations() for part in side]) for side in (left, right))
    return multiply(a, b)


def multiply(a: SparseRows, b: SparseRows) -> SparseRows:
    """All products a_j b_k of a row's entries, j slowest; entries that are zero are left out."""
    in_a, in_b = np.diff(a.indptr), np.diff(b.indptr)
    counts = in_a * in_b
    row = np.repeat(np.arange(a.shape[0]), counts)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    of_a, of_b = a.indptr[row] + place // in_b[row], b.indptr[row] + place % in_b[row]
    column = a.indices[of_a].astype(np.int64) * b.width + b.indices[of_b]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    product = SparseRows(a.data[of_a] * b.data[of_b], column, indptr, a.width * b.width)
    return product.only(product.data != 0.0)


def pairs(given: Any, known: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of names: each item is a pair, or a longer group of names of which all pairs are meant."""
    from linsep.tables.schema import no_such_column

    found: list[tuple[str, str]] = []
    for group in given or ():
        if isinstance(group, str) or not all(isinstance(name, str) for name in group) or len(set(group)) < 2:
            raise InvalidType(
                f"interactions holds {group!r}; allowed are groups of two or more names, as ('age', 'sex')"
            )
        for name in group:
            if name not in known:
                raise InvalidParameter("interactions: " + no_such_column(name, known))
        found += [pair for pair in combinations(dict.fromkeys(group), 2) if pair not in found]
    return found
