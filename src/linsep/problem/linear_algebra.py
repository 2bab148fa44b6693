"""Symmetric systems: Cholesky, and a rank-revealing fallback.

Matrices come row-major with only the upper triangle meaningful, as `Design.gram` gives them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Factor:
    """H = LLᵀ (lower, column-major), or H ≈ QΛQᵀ on its range where Cholesky fails."""

    lower: FloatArray | None
    roots: FloatArray | None = None  # D⁻¹ Q Λ^−½: H⁺ = roots rootsᵀ

    @property
    def full_rank(self) -> bool:
        return self.lower is not None

    @property
    def rank(self) -> int:
        if self.lower is not None:
            return len(self.lower)
        assert self.roots is not None
        return int(self.roots.shape[1])

    def inverse_root(self) -> FloatArray:
        """R with H⁻¹ = R Rᵀ (H⁺ where H is singular)."""
        if self.lower is None:
            assert self.roots is not None
            return self.roots
        inverse, _ = lapack.dtrtri(self.lower, lower=1)  # a new array, column-major: its transpose is row-major
        for j in range(1, len(inverse)):
            inverse[:j, j] = 0.0
        return np.asarray(inverse.T)

    def solve(self, b: FloatArray) -> FloatArray:
        """H⁻¹ b, or H⁺ b."""
        if self.lower is None:
            assert self.roots is not None
            return self.roots @ (self.roots.T @ b)
        x, _ = lapack.dpotrs(self.lower, b, lower=1)
        return np.ascontiguousarray(x)

    def whiten(self, b: FloatArray) -> FloatArray:
        """y with ‖y‖² = bᵀ H⁻¹ b, for each column of b."""
        if self.lower is None:
            assert self.roots is not None
            return self.roots.T @ b
        x, _ = lapack.dtrtrs(self.lower, b, lower=1)
        return np.asarray(x)


def factor(H: FloatArray, *, certain: bool = False) -> Factor:
    """The factor of H (overwritten). Columns of any scale are fine: both ways work on a unit diagonal.

    certain: a pivot that may be rounding counts as 0, so that the rank can be relied on.
    """
    diagonal = np.sqrt(np.maximum(H.diagonal(), 0.0))
    scale = np.where(diagonal > 0.0, diagonal, 1.0)
    lower, info = lapack.dpotrf(H.T, lower=1, clean=0)
    least = 8.0 * _EPS * len(H)
    if info == 0 and float((lower.diagonal() / scale).min()) > (np.sqrt(least) if certain else least):
        return Factor(lower)
    full = np.triu(H)
    full = full + np.triu(full, 1).T
    values, vectors = np.linalg.eigh(full / np.outer(scale, scale))
    kept = values > max(8.0 * _EPS * len(H) * float(values[-1]), np.finfo(np.float64).tiny)
    return Factor(None, (vectors[:, kept] / np.sqrt(values[kept])) / scale[:, None])
