"""Penalties on the weights: value, prox, conjugate, distance to the subdifferential.

The intercept is never penalised, so a penalty sees the weights without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from linsep.types import FloatArray


@dataclass(frozen=True)
class L2:
    """α/2 ‖w‖²; α = 0 is no penalty."""

    alpha: float

    def value(self, w: FloatArray) -> float:
        return 0.5 * self.alpha * float(np.vdot(w, w))

    def gradient(self, w: FloatArray) -> FloatArray:
        return self.alpha * w

    @property
    def curvature(self) -> float:
        """A bound of the second derivative along any direction."""
        return self.alpha

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """argmin over u of ½‖u − w‖² + step·α/2 ‖u‖²."""
        return w / (1.0 + step * self.alpha)

    def conjugate(self, v: FloatArray) -> float:
        """sup over w of ⟨v, w⟩ − α/2 ‖w‖² = ‖v‖² / 2α; for α = 0 it is 0 at v = 0 and +inf elsewhere."""
        square = float(np.vdot(v, v))
        if self.alpha == 0.0:
            return 0.0 if square == 0.0 else inf
        return square / (2.0 * self.alpha)

    def subdifferential_distance(self, w: FloatArray, gradient: FloatArray) -> float:
        """Distance of −gradient to ∂(α/2 ‖w‖²): zero at an optimum."""
        return float(np.linalg.norm(gradient + self.alpha * w))
