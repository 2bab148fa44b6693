"""The penalty once more, NumPy alone: Ω(w) = Σⱼ cⱼ/2 wⱼ² + aⱼ|wⱼ| with lⱼ ≤ wⱼ ≤ uⱼ, a = αρf, c = α(1−ρ)f.

And the dual bound that goes with it. For multipliers R with v = 1/S Σ sᵢRᵢxᵢ = v̂ + e, v̂ where Ω* is finite,

    P* ≥ −1/S Σ sᵢ[ℓ*(−Rᵢ) + ⟨Rᵢ, oᵢ⟩] − Ω*(v̂) − Σ |eⱼ||wⱼ*| − ⟨r, b*⟩,

and Ω(w*) ≤ P bounds Σ |eⱼ||wⱼ*|. Columns that Ω leaves free are held back by the losses: free.py bounds their weights.
A column without penalty and with a bound on one side, say wⱼ ≥ lⱼ, has Ω* = lⱼvⱼ for vⱼ ≤ 0, and +∞ beyond. A vⱼ < 0 by
more than rounding owes nothing else; any other is taken for that of a free column, with which P* is no higher.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Penalty:
    """a, c, l and u for every column, (d, 1) each."""

    a: Array
    c: Array
    lower: Array
    upper: Array

    @classmethod
    def of(cls, model: Any) -> Penalty | None:
        """None for the ridge α/2 ‖w‖², which needs none of this."""
        ratio = float(getattr(model, "l1_ratio", 0.0))
        factors = getattr(model, "penalty_factors", None)
        lower, upper = getattr(model, "bounds", None) or (None, None)
        if ratio == 0.0 and factors is None and lower is None and upper is None:
            return None
        d = len(model.w) - 1
        f = np.ones(d) if factors is None else np.asarray(factors, np.float64)
        low = np.full(d, -np.inf) if lower is None else np.asarray(lower, np.float64)
        high = np.full(d, np.inf) if upper is None else np.asarray(upper, np.float64)
        a, c = model.alpha * ratio * f, model.alpha * (1.0 - ratio) * f
        return cls(*(part.reshape(d, 1) for part in (a, c, low, high)))

    @property
    def sides(self) -> tuple[Array, Array]:
        """Columns whose weights may rise without end and penalty, and those that may fall, (d, 1)."""
        nothing = (self.a == 0.0) & (self.c == 0.0)
        return nothing & np.isposinf(self.upper), nothing & np.isneginf(self.lower)

    def loose(self, V: Array, near: Array) -> Array:
        """Weights that may go without end where v, right within ±near, may point to."""
        rises, falls = self.sides
        return np.asarray((rises & (V + near > 0.0)) | (falls & (V - near < 0.0)))

    def ends(self, V: Array, near: Array) -> Array:
        """|l| or |u| of weights without penalty that have one bound, where v ± near points to it; NaN for others."""
        rises, falls = self.sides
        ends = np.where(rises & ~falls, np.abs(self.lower), np.where(falls & ~rises, np.abs(self.upper), np.nan))
        return np.where(self.loose(V, near), np.nan, ends)

    def allows(self, W: Array) -> bool:
        """Whether the weights (d, m) keep their bounds."""
        return bool(((self.lower <= W) & (self.upper >= W)).all())

    def terms(self, W: Array) -> Array:
        """What every weight adds to Ω."""
        return np.asarray(0.5 * self.c * W * W + self.a * np.abs(W))

    def excess(self, V: Array) -> Array:
        """e: v beyond ±a where no ridge and no bound holds w back."""
        past = np.sign(V) * np.maximum(np.abs(V) - self.a, 0.0)
        loose = (self.c == 0.0) & np.where(past > 0.0, np.isposinf(self.upper), np.isneginf(self.lower))
        return np.where(loose, past, 0.0)

    def conjugate_terms(self, V: Array) -> Array:
        """What every weight adds to Ω*(v), for v where it is finite: at the w within its bounds that is best."""
        past = np.sign(V) * np.maximum(np.abs(V) - self.a, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.where(past == 0.0, 0.0, past / self.c)
        w = np.clip(w, self.lower, self.upper)
        return np.asarray(V * w - self.terms(w))

    def subgradient(self, W: Array, G: Array) -> Array:
        """z in ∂Ω(w) nearest to −G, weight by weight; G is the gradient of the loss."""
        z = self.c * W + np.where(W == 0.0, np.clip(-G, -self.a, self.a), self.a * np.sign(W))
        z = np.where((self.upper == W) & (z < -G), -G, z)
        return np.where((self.lower == W) & (z > -G), -G, z)

    def reach(self, sizes: Array, most: float) -> float:
        """A bound on Σ sizes·|w| where Ω(w) ≤ most."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            boxed = sizes * np.maximum(np.abs(self.lower), np.abs(self.upper))
            inside = np.isfinite(boxed)
            others = (sizes > 0.0) & ~inside
            sparse = float((sizes / self.a)[others].max(initial=0.0)) * most
            ridge = float(np.sqrt(2.0 * max(most, 0.0) * (sizes * sizes / self.c)[others].sum()))
        return float(boxed[inside & (sizes > 0.0)].sum()) + float(np.nanmin([sparse, ridge, np.inf]))
