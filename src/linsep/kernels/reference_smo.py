"""Plain NumPy twins of the SMO kernels: one step at a time, without cache and without shrinking.

They follow smo.hpp, so the same problem gives the same pairs and, up to the rounding of kernel values, the same β.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Curvature at least: along a flat direction a step goes to its bound.
FLAT = 1e-12


def kernel_matrix(name: str, A: Array, B: Array, gamma: float, coef0: float, degree: int) -> Array:
    """k(a, b) of every row of A with every row of B."""
    dots: Array = A @ B.T
    if name == "linear":
        return dots
    if name == "polynomial":
        return np.asarray((gamma * dots + coef0) ** degree)
    if name == "sigmoid":
        return np.tanh(gamma * dots + coef0)
    squared: Array = np.square(A[:, None, :] - B[None, :, :]).sum(axis=-1)
    return np.exp(-gamma * squared)


@dataclass
class Smo:
    """maximise Σ yβ − ½ βᵀKβ subject to low ≤ β ≤ high and, with a free intercept, Σ β = 0."""

    K: Array
    y: Array
    low: Array
    high: Array
    intercept: bool = True
    beta: Array = field(init=False)
    v: Array = field(init=False)

    def __post_init__(self) -> None:
        self.beta, self.v = np.zeros_like(self.y), self.y.copy()

    def step(self) -> bool:
        """One step; False where none is left."""
        return self._pair() if self.intercept else self._single()

    def _pair(self) -> bool:
        K, v = self.K, self.v
        rising = np.where(self.beta < self.high, v, -np.inf)
        i = int(rising.argmax())
        less = np.where(self.beta > self.low, np.maximum(v[i] - v, 0.0), 0.0)
        gain = less**2 / np.maximum(K[i, i] + np.diag(K) - 2.0 * K[i], FLAT)
        j = int(gain.argmax())
        if not (np.isfinite(rising[i]) and gain[j] > 0.0):
            return False
        curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], FLAT)
        t = min((v[i] - v[j]) / curvature, self.high[i] - self.beta[i], self.beta[j] - self.low[j])
        self.beta[i] += t
        self.beta[j] -= t
        self.v = v - t * (K[i] - K[j])
        return bool(t > 0.0)

    def _single(self) -> bool:
        v, own = self.v, np.maximum(np.diag(self.K), FLAT)
        rise, fall = np.where(self.beta < self.high, v, 0.0), np.where(self.beta > self.low, -v, 0.0)
        gain = np.maximum(np.maximum(rise, fall), 0.0) ** 2 / own
        i = int(gain.argmax())
        if not gain[i] > 0.0:
            return False
        following = min(max(self.beta[i] + v[i] / own[i], self.low[i]), self.high[i])
        t = following - self.beta[i]
        self.beta[i] = following
        self.v = v - t * self.K[i]
        return bool(t != 0.0)


def gap(beta: Array, v: Array, low: Array, high: Array, b: float) -> float:
    """The duality gap of (β, b), a sum of terms that are never negative."""
    above, below = np.maximum(v - b, 0.0), np.maximum(b - v, 0.0)
    return float((high - beta) @ above + (beta - low) @ below)
