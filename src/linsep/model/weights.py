"""The weights of m scores as one array w of shape (d + 1, m), intercepts last, and its two parts."""

from __future__ import annotations

from linsep.types import FloatArray


class Weights:
    w: FloatArray

    @property
    def coef(self) -> FloatArray:
        """(m, d)."""
        return self.w[:-1].T

    @property
    def intercept(self) -> FloatArray:
        """(m,)."""
        b: FloatArray = self.w[-1]
        return b
