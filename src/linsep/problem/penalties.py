"""The penalty on the weights: value, prox, conjugate, distance to the subdifferential.

    Ω(w) = α Σⱼ fⱼ [ (1−ρ)/2 wⱼ² + ρ |wⱼ| ],     lⱼ ≤ wⱼ ≤ uⱼ

- ρ is `l1_ratio`: 0 is ridge, 1 the lasso, anything between the elastic net.
- fⱼ ≥ 0 are `factors`: 0 leaves the weight of column j free; None is 1 for all.
- l and u bound each weight (0 and ∞: not negative); None is no bound. Outside of them Ω is +∞.
- The intercept is never penalised nor bounded, so a penalty sees the weights without it: (d,) or (d, K), one factor and
  one pair of bounds a column, for all K classes.

Ω is a sum over the weights, and so are its conjugate and its prox. With a = αρf and c = α(1−ρ)f,

    Ω*(v) = Σ sup over w in [l, u] of  v w − c/2 w² − a|w|.

Without bounds the maximiser is soft(v, a)/c and Ω*(v) = Σ (|v| − a)₊²/2c. Bounds cut the maximiser off: one weight's
concave function is largest, within an interval, at the point next to its free maximiser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np

from linsep.cached import cached_property
from linsep.types import BoolArray, FloatArray, IntArray


def soft(v: FloatArray, threshold: FloatArray | float) -> FloatArray:
    """v moved towards 0 by the threshold, and 0 where it is smaller."""
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0.0)


@dataclass(frozen=True, eq=False)
class Penalty:
    """α, ρ, factors and bounds; `Penalty(alpha)` is the ridge α/2 ‖w‖², α = 0 no penalty."""

    alpha: float
    l1_ratio: float = 0.0
    factors: FloatArray | None = None
    lower: FloatArray | None = None
    upper: FloatArray | None = None

    # -- facts ------------------------------------------------------------------------------------------

    @cached_property
    def ridge(self) -> bool:
        """α/2 ‖w‖² and nothing else: what most solvers are made for."""
        return self.l1_ratio == 0.0 and self.factors is None and not self.bounded

    @property
    def bounded(self) -> bool:
        return self.lower is not None or self.upper is not None

    @cached_property
    def strength(self) -> float:
        """The strong convexity of Ω: α(1−ρ) min f."""
        least = 1.0 if self.factors is None else float(self.factors.min(initial=inf))
        return self.alpha * (1.0 - self.l1_ratio) * (least if least < inf else 1.0)

    @property
    def shares(self) -> tuple[float, float]:
        """α(1−ρ) and αρ: what one weight of factor 1 bears of ridge and lasso."""
        return self.alpha * (1.0 - self.l1_ratio), self.alpha * self.l1_ratio

    def l1(self, d: int) -> FloatArray:
        """a = αρf for every column; not to be written to."""
        return self._each(self.alpha * self.l1_ratio, d)

    def l2(self, d: int) -> FloatArray:
        """c = α(1−ρ)f for every column; not to be written to."""
        return self._each(self.alpha * (1.0 - self.l1_ratio), d)

    def box(self, d: int) -> tuple[FloatArray, FloatArray]:
        """l and u for every column; not to be written to."""
        lower = self._same(-inf, d) if self.lower is None else self.lower
        upper = self._same(inf, d) if self.upper is None else self.upper
        return lower, upper

    def sides(self, d: int) -> tuple[BoolArray, BoolArray]:
        """Columns whose weights nothing keeps from rising, and from falling: no penalty, and no bound on that side."""
        nothing = self._each(self.alpha, d) == 0.0
        if not self.bounded:
            return nothing, nothing
        lower, upper = self.box(d)
        return nothing & np.isposinf(upper), nothing & np.isneginf(lower)

    def free(self, d: int) -> BoolArray:
        """Columns whose weights Ω says nothing about: no penalty, no bound."""
        rises, falls = self.sides(d)
        return rises & falls

    def with_alpha(self, alpha: float) -> Penalty:
        return replace(self, alpha=alpha)

    def select(self, chosen: IntArray) -> Penalty:
        """The same penalty on the chosen columns."""
        factors, lower, upper = (None if p is None else p[chosen] for p in (self.factors, self.lower, self.upper))
        return Penalty(self.alpha, self.l1_ratio, factors, lower, upper)

    @cached_property
    def _spread(self) -> dict[tuple[float, int], FloatArray]:
        """One number seen d times, by the number and d: asked for many times in a fit."""
        return {}

    def _same(self, number: float, d: int) -> FloatArray:
        known = self._spread.get((number, d))
        if known is None:
            known = self._spread[number, d] = np.broadcast_to(number, d)
        return known

    def _each(self, share: float, d: int) -> FloatArray:
        """The share times every column's factor."""
        return self._same(share, d) if self.factors is None else share * self.factors

    # -- the function -----------------------------------------------------------------------------------

    def value(self, w: FloatArray) -> float:
        """Ω(w); the bounds are taken to hold."""
        if self.ridge:
            return 0.5 * self.alpha * float(np.vdot(w, w))
        square = self._sum(w * w) if self.l1_ratio < 1.0 else 0.0
        absolute = self._sum(np.abs(w)) if self.l1_ratio > 0.0 else 0.0
        return self.alpha * (0.5 * (1.0 - self.l1_ratio) * square + self.l1_ratio * absolute)

    def _sum(self, terms: FloatArray) -> float:
        """Σ over the columns and their classes, times the factors."""
        return float(terms.sum() if self.factors is None else self.factors @ _over_classes(terms))

    def gradient(self, w: FloatArray) -> FloatArray:
        """Of the ridge part: what is smooth in Ω."""
        return self.alpha * w if self.ridge else _columns(self.l2(len(w)), w) * w

    @property
    def curvature(self) -> float:
        """A bound of the second derivative along any direction."""
        most = 1.0 if self.factors is None else float(self.factors.max(initial=0.0))
        return self.alpha * (1.0 - self.l1_ratio) * most

    def clip(self, w: FloatArray) -> FloatArray:
        """The nearest weights within the bounds."""
        if not self.bounded:
            return w
        lower, upper = self.box(len(w))
        return np.clip(w, _columns(lower, w), _columns(upper, w))

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """argmin over u of ½‖u − w‖² + step·Ω(u)."""
        a, c = _columns(self.l1(len(w)), w), _columns(self.l2(len(w)), w)
        return self.clip(soft(w, step * a) / (1.0 + step * c))

    def conjugate(self, v: FloatArray) -> float:
        """Ω*(v), +∞ outside its domain, and where squares overflow: bounds are made of −Ω*."""
        if self.ridge:
            square = float(np.vdot(v, v))
            if self.alpha == 0.0:
                return 0.0 if square == 0.0 else inf
            return square / (2.0 * self.alpha)
        w = self.maximiser(v)
        if not np.isfinite(w).all():
            return inf
        with np.errstate(over="ignore"):
            value = self.value(w)
        return float(np.vdot(v, w)) - value if isfinite(value) else inf

    def maximiser(self, v: FloatArray) -> FloatArray:
        """The w of ⟨v, w⟩ − Ω(w) = Ω*(v), ±∞ where there is none; where there are several, that nearest to 0."""
        a, c = _columns(self.l1(len(v)), v), _columns(self.l2(len(v)), v)
        past = soft(v, a)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            w = np.where(past == 0.0, 0.0, past / c)
        return self.clip(w)

    def domain_excess(self, v: FloatArray) -> FloatArray:
        """What to take off v so that Ω*(v) is finite: v beyond ±a where neither ridge nor bound holds w back."""
        a, c = _columns(self.l1(len(v)), v), _columns(self.l2(len(v)), v)
        past, loose = soft(v, a), c == 0.0
        if self.bounded:
            lower, upper = (_columns(bound, v) for bound in self.box(len(v)))
            loose = loose & np.where(past > 0.0, np.isposinf(upper), np.isneginf(lower))
        return np.where(loose, past, 0.0)

    def loose(self, v: FloatArray, near: FloatArray) -> BoolArray:
        """Weights that Ω lets go to a side that v, right within ±near, may point to."""
        rises, falls = self.sides(len(v))
        return np.asarray(((rises & (v.T > -near.T)) | (falls & (v.T < near.T))).T)

    def pressed(self, v: FloatArray, near: FloatArray) -> FloatArray:
        """|l| or |u| of weights without penalty that have a bound on one side only, where v, right within ±near, points
        to it: the maximiser, whatever v is. NaN for all others."""
        if not self.bounded:
            return np.full(v.shape, np.nan)
        rises, falls = self.sides(len(v))
        lower, upper = self.box(len(v))
        ends = np.where(rises & ~falls, np.abs(lower), np.where(falls & ~rises, np.abs(upper), np.nan))
        return np.where(self.loose(v, near), np.nan, _columns(ends, v))

    def subgradient(self, w: FloatArray, gradient: FloatArray) -> FloatArray:
        """Of all z in ∂Ω(w) the one nearest to −gradient, weight by weight."""
        a, c = _columns(self.l1(len(w)), w), _columns(self.l2(len(w)), w)
        ridge = c * w
        z = ridge + np.where(w == 0.0, np.clip(-gradient - ridge, -a, a), a * np.sign(w))
        if not self.bounded:
            return z
        lower, upper = (_columns(bound, w) for bound in self.box(len(w)))
        z = np.where((w == upper) & (-gradient > z), -gradient, z)
        return np.where((w == lower) & (-gradient < z), -gradient, z)

    def reach(self, sizes: FloatArray, most: float) -> float:
        """A bound on Σ sizesⱼ|wⱼ| wherever Ω(w) ≤ most, for sizes ≥ 0.

        Σ a|w| ≤ most gives max(sizes/a)·most; Σ c/2 w² ≤ most, by Cauchy and Schwarz, √(2·most·Σ sizes²/c); bounds on w
        give their own.
        """
        used = sizes > 0.0
        if not used.any():
            return 0.0
        if not most < inf:
            return inf
        a, c = _columns(self.l1(len(sizes)), sizes), _columns(self.l2(len(sizes)), sizes)
        lower, upper = (_columns(bound, sizes) for bound in self.box(len(sizes)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            boxed = sizes * np.maximum(np.abs(lower), np.abs(upper))
            by_box = np.isfinite(boxed)
            others = used & ~by_box
            inside = float(boxed[used & by_box].sum())
            by_l1 = float((sizes / a)[others].max(initial=0.0)) * most
            by_l2 = sqrt(2.0 * max(most, 0.0) * float((sizes * sizes / c)[others].sum()))
        return inside + float(np.nanmin([by_l1, by_l2, inf]))


class L2(Penalty):
    """The ridge α/2 ‖w‖²; α = 0 is no penalty."""

    def __init__(self, alpha: float) -> None:
        super().__init__(alpha)

    def with_alpha(self, alpha: float) -> L2:
        return L2(alpha)


def _columns(per_column: FloatArray, like: FloatArray) -> FloatArray:
    return per_column if like.ndim == 1 else per_column[:, None]


def _over_classes(terms: FloatArray) -> FloatArray:
    return terms if terms.ndim == 1 else np.asarray(terms.sum(axis=1))
