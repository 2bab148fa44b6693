"""Standardised features inside a fit, weights in the user's units outside.

    x′ⱼ = (xⱼ − μⱼ)/σⱼ,   ⟨x′, w′⟩ + b′ = ⟨x, w⟩ + b   with  wⱼ = w′ⱼ/σⱼ,  b = b′ − Σⱼ w′ⱼμⱼ/σⱼ

μ is 0 for sparse rows, which stay sparse, and without an intercept, which would have to take it; then σⱼ is the
root of the mean square. A feature without spread keeps its scale. The penalty is on w′.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.data.source import as_design
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class Scaling:
    """μ and σ of every feature."""

    centre: FloatArray
    spread: FloatArray

    @staticmethod
    def of(design: Design, centre: bool) -> Scaling:
        n = design.n
        ones = np.ones(n)
        mean = design.adjoint(ones)[:-1] / n
        if not centre or design.sparse:
            spread = np.sqrt(design.column_squares / n)
            return Scaling(np.zeros(design.d), np.where(spread > 0.0, spread, 1.0))
        spread = np.std(design.source, axis=0, dtype=np.float64)
        # a constant column has a spread of rounding only
        flat = spread <= 1e-13 * np.abs(mean)
        return Scaling(mean, np.where(flat | (spread == 0.0), 1.0, spread))

    def apply(self, design: Design) -> Design:
        """The scaled rows: a copy in float64."""
        if design.sparse:
            data, indices, indptr = design.source
            scaled = data / self.spread[indices]
            return as_design(sparse.csr_array((scaled, indices, indptr), (design.n, design.d)), design.threads)
        rows = np.array(design.source, dtype=np.float64, order="C")
        rows -= self.centre
        rows /= self.spread
        return as_design(rows, design.threads)

    def outside(self, w: FloatArray) -> FloatArray:
        """w′, b′ as w, b."""
        out = w.copy()
        out[:-1] = (w[:-1].T / self.spread).T
        out[-1] -= self.centre @ out[:-1]
        return out

    def inside(self, w: FloatArray) -> FloatArray:
        """w, b as w′, b′."""
        out = w.copy()
        out[-1] += self.centre @ w[:-1]
        out[:-1] = (w[:-1].T * self.spread).T
        return out
