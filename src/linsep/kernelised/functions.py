"""Kernels: k(x, z) = ⟨φ(x), φ(z)⟩ without φ.

| name          | k(x, z)                        |
|---------------|--------------------------------|
| linear        | ⟨x, z⟩                         |
| polynomial    | (γ⟨x, z⟩ + c)^p                |
| rbf           | exp(−γ‖x − z‖²)                |
| sigmoid       | tanh(γ⟨x, z⟩ + c)              |
| precomputed   | the rows given are already k   |

γ = "scale" is 1 / (d · variance of all entries of X), "auto" is 1 / d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from linsep.errors import InvalidData, InvalidParameter, unknown_name
from linsep.types import FloatArray

Function = Callable[[Any, Any], FloatArray]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with its constants settled: a matrix of values for rows A and rows B.

    gamma, degree, coef0 are those of the table above, where the kernel has them.
    """

    name: str
    function: Function
    gamma: float = 1.0
    degree: int = 1
    coef0: float = 0.0

    def __call__(self, A: Any, B: Any) -> FloatArray:
        """(rows of A, rows of B), finite."""
        found: Any = self.function(A, B)
        K = np.ascontiguousarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64)
        if K.shape != (A.shape[0], B.shape[0]):
            raise InvalidData(f"the kernel gave shape {K.shape} for {A.shape[0]} and {B.shape[0]} rows")
        if not np.isfinite(K).all():
            raise InvalidData(f"the kernel {self.name!r} gave values that are not finite; scale X, or lower gamma")
        return K

    @property
    def precomputed(self) -> bool:
        return self.name == "precomputed"

    @property
    def positive_definite(self) -> bool:
        """Whether every matrix of its values is known to be positive semi-definite."""
        return self.name in ("linear", "rbf") or (self.name == "polynomial" and self.coef0 >= 0.0)

    def diagonal(self, A: Any) -> FloatArray:
        """k(a, a) for every row a."""
        if self.name == "rbf":
            return np.ones(A.shape[0])
        return np.array([self(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(A.shape[0])])


def resolve(
    kernel: Any,
    X: Any,
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    weights: FloatArray | None = None,
) -> Kernel:
    """The kernel of that name, or a callable (A, B) → matrix, with γ settled by the training rows X.

    A row of weight k counts as k copies of it.
    """
    from sklearn.metrics import pairwise  # where a kernel is asked for: it takes long to import

    _check_gamma(gamma)
    if callable(kernel):
        return Kernel(getattr(kernel, "__name__", "callable"), kernel)
    if kernel == "precomputed":
        return Kernel("precomputed", _given)
    if kernel == "linear":
        return Kernel("linear", partial(pairwise.linear_kernel, dense_output=True))
    g = _gamma(gamma, X, weights)
    made: dict[str, Function] = {
        "polynomial": partial(pairwise.polynomial_kernel, degree=degree, gamma=g, coef0=coef0),
        "rbf": partial(pairwise.rbf_kernel, gamma=g),
        "sigmoid": partial(pairwise.sigmoid_kernel, gamma=g, coef0=coef0),
    }
    if kernel not in made:
        raise unknown_name("kernel", kernel, ["linear", "precomputed", *made])
    return Kernel(kernel, made[kernel], g, degree if kernel == "polynomial" else 1, 0.0 if kernel == "rbf" else coef0)


def _given(A: Any, B: Any) -> Any:
    return A


def _check_gamma(gamma: Any) -> None:
    if isinstance(gamma, str):
        if gamma not in ("scale", "auto"):
            raise unknown_name("gamma", gamma, ["scale", "auto"])
    elif isinstance(gamma, bool) or not isinstance(gamma, Real) or not 0.0 < float(gamma) < inf:
        raise InvalidParameter(f"gamma={gamma!r}: allowed are a finite number > 0, 'scale' and 'auto'")


def _gamma(gamma: Any, X: Any, weights: FloatArray | None) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    return 1.0 / (float(X.shape[1]) * (_variance(X, weights) if gamma == "scale" else 1.0))


def _variance(X: Any, weights: FloatArray | None) -> float:
    """Of all entries; 1 where they are all equal."""
    least, most = float(X.min()), float(X.max())
    if least == most:
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        plain = weights is None and not sparse.issparse(X)
        variance = float(np.var(X, dtype=np.float64)) if plain else _weighted_variance(X, weights)
    if not 0.0 < variance < inf:
        raise InvalidData(
            f"gamma='scale' divides by the variance of X, which is not a float64 number > 0: its entries are "
            f"{least:.3g} to {most:.3g}. Scale X, or give gamma as a number"
        )
    return variance


def _weighted_variance(X: Any, weights: FloatArray | None) -> float:
    """Of all entries about their mean, a row of weight k counting k times."""
    share = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    rows = X.astype(np.float64)
    mean = float(np.mean(share @ rows))
    if not sparse.issparse(X):
        return float(np.mean(share @ np.square(rows - mean)))
    rows.data = np.square(rows.data - mean)
    zeros = float(share @ (X.shape[1] - np.diff(X.indptr))) / X.shape[1]
    variance: float = float(np.mean(share @ rows)) + mean * mean * zeros
    return variance
