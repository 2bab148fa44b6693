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
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

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
        K = np.ascontiguousarray(self.function(A, B), dtype=np.float64)
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
    if callable(kernel):
        return Kernel(getattr(kernel, "__name__", "callable"), kernel)
    if kernel == "precomputed":
        return Kernel("precomputed", _as_given)
    if kernel == "linear":
        return Kernel("linear", partial(linear_kernel, dense_output=True))
    g = _gamma(gamma, X, weights)
    made: dict[str, Function] = {
        "polynomial": partial(polynomial_kernel, degree=degree, gamma=g, coef0=coef0),
        "rbf": partial(rbf_kernel, gamma=g),
        "sigmoid": partial(sigmoid_kernel, gamma=g, coef0=coef0),
    }
    if kernel not in made:
        raise unknown_name("kernel", kernel, ["linear", "precomputed", *made])
    return Kernel(kernel, made[kernel], g, degree if kernel == "polynomial" else 1, 0.0 if kernel == "rbf" else coef0)


def _as_given(A: Any, B: Any) -> Any:
    return A


def _gamma(gamma: Any, X: Any, weights: FloatArray | None) -> float:
    if isinstance(gamma, str):
        if gamma not in ("scale", "auto"):
            raise unknown_name("gamma", gamma, ["scale", "auto"])
        return 1.0 / (float(X.shape[1]) * (_variance(X, weights) if gamma == "scale" else 1.0))
    if not isinstance(gamma, Real) or not 0.0 < float(gamma) < inf:
        raise InvalidParameter(f"gamma={gamma!r}: allowed are a finite number > 0, 'scale' and 'auto'")
    return float(gamma)


def _variance(X: Any, weights: FloatArray | None) -> float:
    """Of all entries; 1 where they are all equal."""
    if weights is None and not sparse.issparse(X):
        variance = float(np.var(X, dtype=np.float64))
    else:
        share = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
        rows = X.astype(np.float64)
        squares = rows.multiply(rows) if sparse.issparse(X) else np.square(rows)
        mean = float(np.mean(share @ rows))
        variance = float(np.mean(share @ squares)) - mean * mean
    return variance if variance > 0.0 else 1.0
