"""The data of an inference: rows, weights that say how often each counts, and the coordinates θ of the weights.

θ is one vector: for each of the m scores its p weights, those of the features, then the intercept if there is one.
Sums over the rows are passes of the design, so dense and sparse rows of any type are read in place:

    Σᵢ cᵢ xᵢxᵢᵀ for the block of the scores a and b,  c = weights × curvature (information) or × products of slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.inference.terms import RowLoss, Terms
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Sample:
    """counts: the weight of each row; scores: m, how many tell the classes apart; offset: known parts of them."""

    design: Design
    counts: FloatArray
    loss: RowLoss
    scores: int
    intercept: bool
    offset: FloatArray | None = None

    @property
    def width(self) -> int:
        """p: the weights of one score."""
        return self.design.d + self.intercept

    @property
    def size(self) -> int:
        return self.scores * self.width

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def is_feature(self) -> FloatArray:
        """1 for the weight of a feature, 0 for an intercept."""
        one = np.ones(self.width)
        if self.intercept:
            one[-1] = 0.0
        return np.tile(one, self.scores)

    def weights(self, theta: FloatArray) -> FloatArray:
        """θ as (d + 1, m), the intercepts last (0 where there are none)."""
        w = np.zeros((self.design.d + 1, self.scores))
        w[: self.width] = theta.reshape(self.scores, self.width).T
        return w

    def theta(self, w: FloatArray) -> FloatArray:
        """The other way round."""
        return np.ascontiguousarray(w[: self.width].T).reshape(-1)

    def terms(self, theta: FloatArray) -> Terms:
        scores = self.design.scores(self.weights(theta))
        return self.loss.at(scores if self.offset is None else scores + self.offset)

    def score(self, terms: Terms) -> FloatArray:
        """The gradient of Σ counts·value by θ."""
        return self.theta(self.design.adjoint(np.ascontiguousarray(self.counts[:, None] * terms.slopes)))

    def information(self, terms: Terms) -> FloatArray:
        """Minus the second derivative of Σ counts·value."""
        return self._blocks(lambda a, b: self.counts * terms.curvature(a, b))

    def products(self, terms: Terms, counts: FloatArray) -> FloatArray:
        """Σ counts · gᵢgᵢᵀ of the gradients gᵢ of single rows."""
        return self._blocks(lambda a, b: counts * terms.slopes[:, a] * terms.slopes[:, b])

    def group_products(self, terms: Terms, groups: IntArray) -> FloatArray:
        """Σ over the groups of the product of each group's summed gradient with itself."""
        sums = np.empty((int(groups.max()) + 1, self.size))
        rows = np.arange(len(groups))
        for a in range(self.scores):
            r = self.counts * terms.slopes[:, a]
            chooser = sparse.csr_array((r, (groups, rows)), shape=(len(sums), len(groups)))
            part = sums[:, a * self.width : (a + 1) * self.width]
            product = chooser @ self.design.table
            part[:, : self.design.d] = product.toarray() if sparse.issparse(product) else product
            if self.intercept:
                part[:, -1] = np.bincount(groups, weights=r)
        return sums.T @ sums

    def gram(self, c: FloatArray) -> FloatArray:
        """Σ cᵢ xᵢxᵢᵀ, both triangles; c of either sign."""
        G = self._gram(np.maximum(c, 0.0))
        return G - self._gram(np.maximum(-c, 0.0)) if (c < 0.0).any() else G

    def _gram(self, c: FloatArray) -> FloatArray:
        G = np.triu(self.design.gram(np.ascontiguousarray(c)))
        G += np.triu(G, 1).T
        return G[: self.width, : self.width]

    def _blocks(self, weigh: Callable[[int, int], FloatArray]) -> FloatArray:
        p, out = self.width, np.empty((self.size, self.size))
        for a in range(self.scores):
            for b in range(a, self.scores):
                block = self.gram(weigh(a, b))
                out[a * p : (a + 1) * p, b * p : (b + 1) * p] = block
                out[b * p : (b + 1) * p, a * p : (a + 1) * p] = block
        return out
