"""The conditions of separation as one set of linear inequalities.

Scores are zₖ = ⟨wₖ, x⟩ + bₖ with w₀ = 0, b₀ = 0 (a common shift changes no margin). A row i of class c and any other
class k make one condition each,

    ⟨a, v⟩ = z_c − z_k ≥ 0,        v = (w₁, b₁, …, w_{K−1}, b_{K−1}),

numbered i(K − 1) + j, k the j-th class that is not c. Two classes: ⟨a, v⟩ = y(⟨w, x⟩ + b), one condition a row.

    all > 0 for some v              separable
    all ≥ 0, some > 0 for some v    quasi-separable (if not separable)
    all ≥ 0 only where all are 0    not separable, and the maximum-likelihood weights exist

Signs are exact: a margin that exceeds what rounding can have done to it has the sign it shows; the others are computed
again in integers, once for all rows that are the same where v is not zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from linsep.cached import cached_property
from linsep.data.design import Design
from linsep.separability.exact import Integers, integers, to_floats
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]

_UNIT = 2.0**-53
_TINY = 1e-300
_CHUNK = 2**20  # numbers that are turned into integers at a time


@dataclass(frozen=True, eq=False)
class Cone:
    """The conditions, all of them or those in `alive`.

    codes: the class number of every row; alive: numbers of conditions in increasing order, or None for all.
    """

    design: Design
    codes: IntArray
    n_classes: int
    intercept: bool
    alive: IntArray | None = None

    @property
    def width(self) -> int:
        """Entries of (x, 1), or of x without intercept."""
        return self.design.d + self.intercept

    @property
    def others(self) -> int:
        return self.n_classes - 1

    @property
    def dims(self) -> int:
        """Entries of v."""
        return self.width * self.others

    @property
    def size(self) -> int:
        return self.design.n * self.others if self.alive is None else len(self.alive)

    def within(self, alive: IntArray) -> Cone:
        """Only the conditions at these places."""
        return replace(self, alive=self.numbers(alive))

    def numbers(self, places: IntArray) -> IntArray:
        """The numbers of the conditions at these places."""
        return places if self.alive is None else self.alive[places]

    def places(self, numbers: IntArray) -> IntArray:
        """Where the numbered conditions are."""
        return numbers if self.alive is None else np.searchsorted(self.alive, numbers)

    def parts(self, numbers: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Row, its class c, and the other class k of the numbered conditions."""
        row, j = np.divmod(numbers, self.others)
        own = self.codes[row]
        return row, own, j + (j >= own)

    def filled(self) -> IntArray:
        """Places of conditions whose row is not zero throughout."""
        filled = np.flatnonzero(self._rows.row_norms(self._scale**-2.0) > 0.0)
        row = np.arange(self.size) if self.alive is None else self.alive
        rows = filled if self._chosen is None else self._chosen[filled]
        return np.flatnonzero(np.isin(row // self.others, rows))

    # -- in floating point --------------------------------------------------------------------------------

    def weights(self, v: Array) -> Array:
        """(d + 1, K): the weights of every class, intercepts last, the first class 0."""
        W = np.zeros((self.design.d + 1, self.n_classes), dtype=v.dtype)
        W[: self.width, 1:] = v.reshape(self.others, self.width).T
        return W

    def margins(self, v: FloatArray) -> FloatArray:
        """⟨a, v⟩ of the conditions, by one pass over their rows."""
        W = self.weights(v)
        scores = self._rows.scores(np.ascontiguousarray(W if self.others > 1 else W[:, 1]))
        if self.others == 1:
            return np.asarray(self._sign * scores)
        row, own, other = self._places
        return np.asarray(scores[row, own] - scores[row, other])

    def allowance(self, v: FloatArray) -> FloatArray:
        """More than rounding can change in `margins(v)`, entries of v being rounded themselves."""
        W = self.weights(v)
        W[:-1] *= self._scale[:, None]
        lengths = np.sqrt((W**2).sum(axis=0))
        terms = (self._longest + 8) * _UNIT
        factor = 1.01 * terms / (1.0 - terms)
        if self.others == 1:
            return np.asarray(factor * lengths[1] * self._norms + _TINY)
        row, own, other = self._places
        return np.asarray(factor * (lengths[own] + lengths[other]) * self._norms[row] + _TINY)

    @cached_property
    def _chosen(self) -> IntArray | None:
        """The rows that have a condition, None if all have."""
        if self.alive is None or self.others == 1:
            return self.alive
        return np.unique(self.alive // self.others)

    @cached_property
    def _rows(self) -> Design:
        return self.design if self._chosen is None else self.design.rows(self._chosen)

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray, IntArray]:
        """As `parts`, with the row's place among those chosen."""
        row, own, other = self.parts(np.arange(self.size) if self.alive is None else self.alive)
        return row if self._chosen is None else np.searchsorted(self._chosen, row), own, other

    @cached_property
    def _sign(self) -> FloatArray:
        codes = self.codes if self._chosen is None else self.codes[self._chosen]
        return np.asarray(2.0 * codes - 1.0)

    @cached_property
    def _scale(self) -> FloatArray:
        """Powers of two near the root mean squares of the columns."""
        size = np.sqrt(self.design.column_squares / self.design.n)
        exponents = np.clip(np.frexp(np.where(size > 0.0, size, 1.0))[1], -400, 400)
        return np.asarray(np.exp2(exponents), dtype=np.float64)

    @cached_property
    def _norms(self) -> FloatArray:
        """‖(x/scale, 1)‖."""
        return np.sqrt(self._rows.row_norms(self._scale**-2.0) + 1.0)

    @cached_property
    def _longest(self) -> int:
        if not self.design.sparse:
            return self.design.d + 1
        return int(np.diff(self.design.source[2]).max()) + 1

    # -- rows as arrays -----------------------------------------------------------------------------------

    def entries(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Entries of (x, 1), dense."""
        ones = columns == self.design.d
        out = np.ones((len(rows), len(columns)))
        if self.design.sparse:
            out[:, ~ones] = self.design.table[rows][:, columns[~ones]].toarray()
            return out
        out[:, ~ones] = self.design.table[np.ix_(rows, columns[~ones])]
        return out

    def vectors(self, places: IntArray) -> Any:
        """The vectors a of the conditions at these places, columns scaled: dense, or CSR for a sparse X."""
        row, own, other = self.parts(self.numbers(places))
        if self.design.sparse:
            x = sparse.csr_matrix(self.design.table[row], dtype=np.float64) @ sparse.diags(1.0 / self._scale)
            x = sparse.hstack([x, np.ones((len(row), 1))], format="csr") if self.intercept else x
            blocks = [sparse.diags((own == c) * 1.0 - (other == c)) @ x for c in range(1, self.n_classes)]
            return sparse.hstack(blocks, format="csr")
        x = self.entries(row, np.arange(self.width))
        x[:, : self.design.d] /= self._scale
        return _expand(x, own, other, self.n_classes)

    def scaled(self, v: FloatArray) -> FloatArray:
        """v (dims, m) for `vectors`, from a v for the columns as they are."""
        factors = np.ones((self.others, self.width))
        factors[:, : self.design.d] = self._scale
        return np.asarray(v * factors.reshape(-1, 1))

    def unscaled(self, v: FloatArray) -> FloatArray:
        """v for the columns as they are, from a v for `vectors`."""
        out = v.reshape(self.others, self.width).copy()
        out[:, : self.design.d] /= self._scale
        return out.ravel()

    # -- in integers --------------------------------------------------------------------------------------

    def integer_vectors(self, places: IntArray) -> tuple[Integers, list[int]]:
        """The vectors a as integers, each up to a power of two, and these powers."""
        row, own, other = self.parts(self.numbers(places))
        x, powers = integers(self.entries(row, np.arange(self.width)))
        return _expand(x, own, other, self.n_classes), powers

    def signs(self, v: Integers) -> IntArray:
        """The sign of every ⟨a, v⟩, exactly, for an integer v."""
        signs, unsure = self._float_signs(v)
        for rows, pair, chosen in self._pairs(unsure):
            u, columns = self._difference(v, pair)
            size = max(_CHUNK // max(len(columns), 1), 1)
            for low in range(0, len(chosen) if len(columns) else 0, size):
                part = slice(low, low + size)
                signs[chosen[part]] = _signs_of_rows(self.entries(rows[part], columns), u[columns])
        return signs

    def likely_signs(self, v: Integers) -> IntArray:
        """As `signs`, taking rows for the same that have the same product with a random vector where v is not 0."""
        signs, unsure = self._float_signs(v)
        if not len(unsure):
            return signs
        used = (self.weights(v) != 0).any(axis=1)
        keys = self._rows.scores(used * np.random.default_rng(0).standard_normal(len(used)))
        if self.others > 1:
            keys = keys[self._places[0]]  # from rows to conditions
        for rows, pair, chosen in self._pairs(unsure):
            u, columns = self._difference(v, pair)
            if len(columns):
                _, first, same = np.unique(keys[chosen], return_index=True, return_inverse=True)
                signs[chosen] = _signs_of_rows(self.entries(rows[first], columns), u[columns])[same]
        return signs

    def _float_signs(self, v: Integers) -> tuple[IntArray, IntArray]:
        """Signs, 0 where rounding may have changed them, and the places of these."""
        rounded = to_floats(v)
        margins = self.margins(rounded)
        sure = np.abs(margins) > self.allowance(rounded)
        return np.where(sure, np.sign(margins), 0.0).astype(np.int64), np.flatnonzero(~sure)

    def _pairs(self, places: IntArray) -> Iterator[tuple[IntArray, int, IntArray]]:
        """The places by own and other class: their rows, the pair, the places."""
        row, own, other = self.parts(self.numbers(places))
        pair = own * self.n_classes + other
        for here in np.unique(pair):
            chosen = pair == here
            yield row[chosen], int(here), places[chosen]

    def _difference(self, v: Integers, pair: int) -> tuple[Integers, IntArray]:
        """The weights of own minus other class, and where they are not 0."""
        W, (own, other) = self.weights(v), divmod(pair, self.n_classes)
        u = W[:, own] - W[:, other]
        return u, np.flatnonzero(u != 0)


def _expand(x: Array, own: IntArray, other: IntArray, n_classes: int) -> Array:
    """(x in the block of its own class, −x in that of the other, 0 elsewhere)."""
    if n_classes == 2:
        return np.asarray(x * np.where(own == 1, 1, -1)[:, None])
    out = np.zeros((len(x), n_classes, x.shape[1]), dtype=x.dtype)
    place = np.arange(len(x))
    out[place, own] = x
    out[place, other] = -x
    return out[:, 1:].reshape(len(x), -1)


def _signs_of_rows(rows: FloatArray, u: Integers) -> IntArray:
    """The signs of rows @ u, once for all that are equal."""
    first, same = _distinct(rows)
    products = integers(rows[first])[0] @ u
    signs = np.array([(p > 0) - (p < 0) for p in products], dtype=np.int64)
    return signs[same]


def _distinct(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Places of rows such that every row equals one of them, and for every row which.

    Equal rows have the same product with a random vector; the rare rows that are not equal to the first with their
    product stand for themselves.
    """
    key = np.einsum("ij,j->i", rows, np.random.default_rng(0).standard_normal(rows.shape[1]))
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    alone = np.flatnonzero((rows != rows[first[same]]).any(axis=1))
    same[alone] = len(first) + np.arange(len(alone))
    return np.concatenate([first, alone]), same
