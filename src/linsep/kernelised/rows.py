"""The training rows behind a kernel: rows of K for all of them or for some, and what rounding does to an entry.

The four kernels with a formula are computed by the compiled kernels, a row when it is needed. A callable is asked once
for the whole matrix where that fits into the cache, else row by row. A precomputed matrix is read in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from linsep.cached import cached_property
from linsep.data.design import Design
from linsep.errors import InvalidData
from linsep.kernelised.functions import Kernel
from linsep.kernels import native
from linsep.types import FloatArray, IntArray

if TYPE_CHECKING:
    from linsep.kernels._baseline import KernelRows

#: With a formula in kernels/kernel_rows.hpp.
COMPILED = frozenset({"linear", "polynomial", "rbf", "sigmoid"})
#: Up to so many rows it is tested whether K is positive semi-definite, where that is not known.
TESTED = 2000

_EPS = float(np.finfo(np.float64).eps)


def compiled(kernel: Kernel, design: Design, memory: float) -> KernelRows:
    """The compiled rows of a kernel that has a formula."""
    return native.KernelRows.of(design.matrix, kernel.name, kernel.gamma, kernel.coef0, kernel.degree, memory)


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """A kernel over the rows of a design, with so many bytes for rows of K."""

    kernel: Kernel
    design: Design
    bytes: float

    def over(self, chosen: IntArray | None) -> KernelRows:
        """Those of the chosen rows with each other."""
        design = self.design if chosen is None else self.design.rows(chosen)
        if self.kernel.name in COMPILED:
            return compiled(self.kernel, design, self.bytes)
        if self._gram is not None:
            whole = native.Matrix.dense(self._gram)
            return native.KernelRows.given(whole if chosen is None else whole.take(chosen), chosen)
        data = self.design.table if chosen is None else self.design.table[chosen]
        return native.KernelRows.called(self.kernel.diagonal(data), lambda i: self.kernel(data[i : i + 1], data)[0])

    @cached_property
    def _gram(self) -> Any:
        """All of K, where it is given or a callable can be asked for it at once."""
        if self.kernel.precomputed:
            return self.design.table
        if self.kernel.name in COMPILED or 8.0 * self.design.n**2 > self.bytes:
            return None
        data = self.design.table
        return self.kernel(data, data)

    @cached_property
    def diagonal(self) -> FloatArray:
        """k(x, x) of every row, finite."""
        out = np.empty(self.design.n)
        self.over(None).diagonal(out)
        if not np.isfinite(out).all():
            raise InvalidData(
                f"the kernel {self.kernel.name!r} overflows float64 on these rows; scale X, or lower gamma"
            )
        return out

    @cached_property
    def entry_error(self) -> float:
        """What rounding may do to an entry of K that has a formula; given values count as exact."""
        unit = _EPS * (8.0 + log2(self.design.d + 1.0))
        kernel, largest = self.kernel, float(np.abs(self.diagonal).max())
        if kernel.name not in COMPILED:
            return 0.0
        squares = float(self.design.row_norms().max())
        if kernel.name == "rbf":
            return unit * (1.0 + 4.0 * kernel.gamma * squares)
        if kernel.name == "sigmoid":
            return unit * (1.0 + kernel.gamma * squares + abs(kernel.coef0))
        return unit * kernel.degree * max(largest, (kernel.gamma * squares + abs(kernel.coef0)) ** kernel.degree)

    @cached_property
    def slack(self) -> float | None:
        """δ with K ⪰ −δ, 0 where that is known of the kernel; None where K was found indefinite or nothing is known.

        Of a precomputed or called kernel that is too large to test it is trusted, unless a step finds otherwise.
        """
        if self.kernel.positive_definite:
            return 0.0
        if self.design.n > TESTED:
            return None if self.kernel.name in COMPILED else 0.0
        return _least_shift(self._values())

    def _values(self) -> FloatArray:
        if self._gram is not None:
            return np.asarray(self._gram, dtype=np.float64)
        if self.kernel.name not in COMPILED:
            data = self.design.table
            return self.kernel(data, data)
        K = np.empty((self.design.n, self.design.n))
        self.over(None).block(self.design.matrix, 0, K, self.design.threads)
        return K


def _least_shift(K: FloatArray) -> float | None:
    """δ, at the size of rounding, such that K + δ has a Cholesky factor."""
    if np.abs(K - K.T).max() > 1e-6 * max(np.abs(K).max(), np.finfo(np.float64).tiny):
        raise InvalidData("the kernel is not symmetric: k(x, z) and k(z, x) differ on the training rows")
    shift = 8.0 * len(K) * _EPS * float(np.abs(np.diag(K)).max())
    try:
        linalg.cholesky(0.5 * (K + K.T) + shift * np.eye(len(K)), check_finite=False)
    except linalg.LinAlgError:
        return None
    return 2.0 * shift
