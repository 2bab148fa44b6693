"""Data for fits that are verified, and what a verdict says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray[Any, Any]


def data(classes: int = 2, n: int = 120, d: int = 4, seed: int = 0) -> tuple[Array, Array, Array]:
    """Whole numbers, so that every storage holds the same; labels; weights."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    X = rng.integers(0, 6, (n, d)) + rng.integers(0, 5, (classes, d))[y]
    return X.astype(np.float64), y, rng.integers(1, 4, n) * 0.5


STORAGE: dict[str, Callable[[Array], Any]] = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "list": lambda X: X.tolist(),
    "csr": sparse.csr_array,
    "csr matrix of float32": lambda X: sparse.csr_matrix(X.astype(np.float32)),
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
}


def failed(verdict: Any) -> set[str]:
    return {check.name for check in verdict.checks if not check.passed}


def unsigned(model: Any) -> Any:
    """Without the fingerprints of weights, parameters and claims: only the mathematics can notice a change."""
    kept = {key: model.fingerprints[key] for key in ("X", "y", "weights")}
    return replace(
        model,
        certificate=replace(model.certificate, fingerprint=kept),
        origin=replace(model.origin, fingerprints=kept),
    )
