"""What the kernels of primal.hpp compute, in plain Python: the specification, and the oracle of the tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def minimiser(z: float, slope: float, h: float, a: float, c: float, low: float, high: float) -> float:
    """argmin over u in [low, high] of slope (u − z) + h/2 (u − z)² + c/2 u² + a|u|."""
    at = h * z - slope
    size = abs(at) - a
    return float(min(max(np.copysign(size, at) / (h + c) if size > 0.0 else 0.0, low), high))


def sweep(H: Array, g: Array, w: Array, z: Array, terms: tuple[Array, Array, Array, Array]) -> float:
    """One sweep of coordinate descent over the model with Hessian H, in place; the largest move times its curvature."""
    a, c, low, high = terms
    worst = 0.0
    for j in range(len(z)):
        slope = float(g[j] + H[j] @ (z - w))
        new = minimiser(z[j], slope, H[j, j], a[j], c[j], low[j], high[j])
        worst = max(worst, abs(new - z[j]) * (H[j, j] + c[j]))
        z[j] = new
    return worst


def descend(H: Array, g: Array, w: Array, terms: tuple[Array, Array, Array, Array], sweeps: int = 2000) -> Array:
    """The model's minimiser, by sweeps."""
    z = w.copy()
    for _ in range(sweeps):
        if sweep(H, g, w, z, terms) == 0.0:
            break
    return z


def joint_hessian(X: Array, p: Array, share: Array) -> Array:
    """Softmax: block (j, l) is Σᵢ sᵢ xᵢⱼxᵢₗ (diag pᵢ − pᵢpᵢᵀ), over flattened (column, class)."""
    d, k = X.shape[1], p.shape[1]
    blocks = p[:, :, None] * (np.eye(k)[None] - p[:, None, :])
    H: Array = np.einsum("i,ij,il,iab->jalb", share, X, X, blocks).reshape(d * k, d * k)
    return H
