"""The losses once more, as functions of all scores Z (n, m) of some problems.

R (n, m) stands for the negative slope: −∂ℓ/∂Z at a point, or multipliers. `Margins` are m problems with one
margin t z a row, t = ±1; `Joint` is one problem with m = K scores a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Elementwise = Callable[[Array], Array]


class Formula(NamedTuple):
    """ℓ, ℓ′, ℓ″ of a margin M; the least ℓ″ over [M − ρ, M + ρ]; ℓ*(−θ) for θ between lowest and highest.

    Without a conjugate the loss is not convex; without ℓ″ it is not smooth.
    """

    value: Elementwise
    d1: Elementwise
    d2: Elementwise | None
    least_d2: Callable[[Array, float], Array] | None
    conjugate: Elementwise | None
    lowest: float = 0.0
    highest: float = inf


def _x_log_x(x: Array) -> Array:
    return np.asarray(x * np.log(np.where(x > 0.0, x, 1.0)))


def _exp(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(x))


def _slack(M: Array) -> Array:
    return np.maximum(1.0 - M, 0.0)


def _bump(M: Array) -> Array:
    e = _exp(-np.abs(M))
    return np.asarray(e / (1.0 + e) ** 2)


def _constant(M: Array) -> Array:
    return np.full_like(M, 2.0)


FORMULAS = {
    "log": Formula(
        lambda M: np.logaddexp(0.0, -M),
        lambda M: -1.0 / (1.0 + _exp(M)),
        _bump,
        lambda M, rho: _bump(np.abs(M) + rho),
        lambda t: _x_log_x(t) + (1.0 - t) * np.log1p(-np.where(t < 1.0, t, 0.0)),
        highest=1.0,
    ),
    "hinge": Formula(_slack, lambda M: -1.0 * (M < 1.0), None, None, lambda t: -t, highest=1.0),
    "squared_hinge": Formula(
        lambda M: _slack(M) ** 2,
        lambda M: -2.0 * _slack(M),
        lambda M: 2.0 * (M < 1.0),
        lambda M, rho: 2.0 * (M + rho < 1.0),
        lambda t: t**2 / 4.0 - t,
    ),
    "smoothed_hinge": Formula(
        lambda M: np.where(M < 0.0, 0.5 - M, _slack(M) ** 2 / 2.0),
        lambda M: -np.minimum(_slack(M), 1.0),
        lambda M: 1.0 * ((M >= 0.0) & (M < 1.0)),
        lambda M, rho: 1.0 * ((M - rho >= 0.0) & (M + rho < 1.0)),
        lambda t: t**2 / 2.0 - t,
        highest=1.0,
    ),
    "squared": Formula(
        lambda M: (1.0 - M) ** 2,
        lambda M: 2.0 * (M - 1.0),
        _constant,
        lambda M, rho: _constant(M),
        lambda t: t**2 / 4.0 - t,
        lowest=-inf,
    ),
    "exponential": Formula(
        lambda M: _exp(-M),
        lambda M: -_exp(-M),
        lambda M: _exp(-M),
        lambda M, rho: _exp(-M - rho),
        lambda t: _x_log_x(t) - t,
    ),
    "sigmoid": Formula(lambda M: 2.0 / (1.0 + _exp(M)), lambda M: -2.0 * _bump(M), None, None, None),
}
JOINT = ("softmax", "crammer_singer", "one_of_k")


@dataclass(frozen=True, eq=False)
class Margins:
    """m problems with one margin each: signs (n, m)."""

    name: str
    signs: Array

    @property
    def columns(self) -> int:
        """Scores of one problem."""
        return 1

    @property
    def formula(self) -> Formula:
        return FORMULAS[self.name]

    @property
    def convex(self) -> bool:
        return self.formula.conjugate is not None

    @property
    def smooth(self) -> bool:
        return self.formula.d2 is not None

    def fold(self, columns: Array) -> Array:
        """From a number a score to a number a problem, (m,): here they are the same."""
        return columns

    def value(self, Z: Array) -> Array:
        return self.formula.value(self.signs * Z)

    def change(self, Z: Array, delta: Array) -> Array:
        """By how much ℓ can change where scores change by δ."""
        M, here = self.signs * Z, self.value(Z)
        low, high = self.formula.value(M - delta), self.formula.value(M + delta)
        return np.asarray(np.maximum(np.abs(low - here), np.abs(high - here)))

    def slope(self, Z: Array) -> Array:
        return np.asarray(-self.signs * self.formula.d1(self.signs * Z))

    def curve(self, Z: Array, U: Array) -> Array:
        """ℓ″(Z) U."""
        assert self.formula.d2 is not None
        return np.asarray(self.formula.d2(self.signs * Z) * U)

    def hessian(self, Z: Array, j: int, where: slice, rho: float) -> Array:
        """(rows, 1, 1), of problem j: below ∇²ℓ wherever no score moves by more than ρ."""
        assert self.formula.least_d2 is not None
        assert self.formula.d2 is not None
        M = self.signs[where, j] * Z[where, j]
        return (self.formula.d2(M) if rho == 0.0 else self.formula.least_d2(M, rho))[:, None, None]

    def conjugate(self, R: Array) -> Array:
        """ℓ*(−R), infinite outside its domain."""
        assert self.formula.conjugate is not None
        theta = self.signs * R
        inside = (theta >= self.formula.lowest) & (theta <= self.formula.highest)
        return np.where(inside, self.formula.conjugate(np.where(inside, theta, 0.0)), inf)

    def repair(self, R: Array, shares: Array, balance: bool) -> Array:
        """R brought into the domain, and of each problem the class in excess scaled down until Σ sᵢRᵢ = 0."""
        theta = np.clip(self.signs * R, self.formula.lowest, self.formula.highest)
        if balance:
            plus, minus = (shares @ np.where(side, theta, 0.0) for side in (self.signs > 0, self.signs < 0))
            both = (plus > 0.0) & (minus > 0.0)
            down = np.where(both, minus / np.where(both, plus, 1.0), 1.0)
            up = np.where(both, plus / np.where(both, minus, 1.0), 1.0)
            theta = theta * np.where(self.signs > 0, np.minimum(down, 1.0), np.minimum(up, 1.0))
        return np.asarray(self.signs * theta)

    def settle(self, r: Array, P: Array, shares: Array) -> tuple[Array, Array]:
        """What −r·b can cost every problem at points as good as P, and what to take off R for it.

        ℓ lies above its tangent at 0, so a class's mean margin is at least −depth = −(P/share − ℓ(0))/|ℓ′(0)|.
        With r > 0 the negative class has b + ⟨x̄, w⟩ ≤ depth: −r·b ≥ −r·depth + ⟨r x̄, w⟩; with r < 0 the other one.
        """
        zero = np.zeros(1)
        start, fall = float(self.formula.value(zero)[0]), -float(self.formula.d1(zero)[0])
        side = np.where(r > 0.0, self.signs < 0, self.signs > 0)
        share = shares @ side
        safe = np.where(share > 0.0, share, 1.0)
        depth = np.where(share > 0.0, np.maximum(P / safe - start, 0.0) / fall, inf)
        return np.asarray(np.abs(r) * depth), np.where(side, r / safe, 0.0)


@dataclass(frozen=True, eq=False)
class Joint:
    """One problem with K scores a row, `columns`: own (n,) is each row's class number."""

    name: str
    own: Array
    columns: int
    convex = True

    @property
    def smooth(self) -> bool:
        return self.name != "crammer_singer"

    @property
    def shifts(self) -> bool:
        """A common shift of a row's scores changes nothing."""
        return self.name != "one_of_k"

    def fold(self, columns: Array) -> Array:
        return np.asarray(columns.sum(axis=0, keepdims=True))

    def _hot(self) -> Array:
        return np.asarray(self.own[:, None] == np.arange(self.columns))

    def _lead(self, Z: Array) -> Array:
        return np.asarray(Z - np.take_along_axis(Z, self.own[:, None], axis=1))

    def _probabilities(self, Z: Array) -> Array:
        e = _exp(Z - Z.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    def value(self, Z: Array) -> Array:
        hot = self._hot()
        if self.name == "one_of_k":
            return np.asarray(((Z - hot) ** 2).sum(axis=1, keepdims=True))
        if self.name == "softmax":
            # ln Σ e^lead = ln(1 + Σ of the others), without loss where the own class leads by far
            others = np.where(hot, -inf, self._lead(Z))
            return np.asarray(np.logaddexp(0.0, np.logaddexp.reduce(others, axis=1))[:, None])
        return np.asarray((self._lead(Z) + ~hot).max(axis=1, keepdims=True))

    def change(self, Z: Array, delta: Array) -> Array:
        apart, here = np.where(self._hot(), -delta, delta), self.value(Z)
        low, high = self.value(Z - apart), self.value(Z + apart)
        return np.asarray(np.maximum(np.abs(low - here), np.abs(high - here)))

    def slope(self, Z: Array) -> Array:
        hot = self._hot()
        if self.name == "one_of_k":
            return np.asarray(-2.0 * (Z - hot))
        if self.name == "softmax":
            return self._complete(-self._probabilities(Z), hot)
        violation = self._lead(Z) + ~hot
        worst = violation.argmax(axis=1)[:, None] == np.arange(Z.shape[1])
        return np.asarray(1.0 * hot - worst)

    def curve(self, Z: Array, U: Array) -> Array:
        if self.name == "one_of_k":
            return np.asarray(2.0 * U)
        p = self._probabilities(Z)
        return np.asarray(p * (U - (p * U).sum(axis=1, keepdims=True)))

    def hessian(self, Z: Array, j: int, where: slice, rho: float) -> Array:
        """(rows, K, K). Scores that move by ρ change pⱼpₖ by a factor of at least e^(−4ρ)."""
        unit = np.eye(Z.shape[1])
        if self.name == "one_of_k":
            return np.broadcast_to(2.0 * unit, (len(Z[where]), *unit.shape))
        p = self._probabilities(Z[where])
        return np.asarray(np.exp(-4.0 * rho) * (p[:, :, None] * (unit - p[:, None, :])))

    def conjugate(self, R: Array) -> Array:
        """e_y − R must be a distribution q: then Σ q ln q, or −R_y. 1-of-K: ‖R‖²/4 − R_y everywhere."""
        hot = self._hot()
        own = R[hot]
        if self.name == "one_of_k":
            return np.asarray((R**2).sum(axis=1) / 4.0 - own)[:, None]
        q = np.where(hot, 1.0 - R, -R)
        value = -own if self.name == "crammer_singer" else _x_log_x(np.where(hot, 0.0, np.abs(q))).sum(axis=1)
        if self.name == "softmax":
            value += (1.0 - own) * np.log1p(-np.where(own < 1.0, own, 0.0))
        # rounding may leave the sum off by a little, but no sign
        inside = (q >= 0.0).all(axis=1) & (np.abs(R.sum(axis=1)) <= 4e-16 * (8 + R.shape[1]))
        return np.where(inside, value, inf)[:, None]

    def repair(self, R: Array, shares: Array, balance: bool) -> Array:
        if self.name == "one_of_k":
            return R
        hot = self._hot()
        others = np.where(hot, 0.0, np.minimum(R, 0.0))
        others /= np.maximum(-others.sum(axis=1, keepdims=True), 1.0)
        return self._complete(others, hot)

    def _complete(self, R: Array, hot: Array) -> Array:
        """The entry of the own class set so that the row sums to 0."""
        R = np.where(hot, 0.0, R)
        return np.where(hot, -R.sum(axis=1, keepdims=True), R)

    def settle(self, r: Array, P: Array, shares: Array) -> tuple[Array, Array]:
        """What −⟨r, b⟩ can cost at points as good as P, and what to take off R for it; Σ r = 0 but for 1-of-K.

        ℓ ≥ zₖ − z_y for every k ≠ y, so over the rows of class c the mean of any other's lead is at most P/share: the
        classes with r < 0 make up for those with r > 0. For squares |mean zₖ| ≤ 1 + √P.
        """
        if self.name == "one_of_k":
            return np.atleast_1d(np.abs(r).sum() * (1.0 + np.sqrt(P))), np.broadcast_to(r, (len(shares), len(r)))
        share, r = np.bincount(self.own, shares, self.columns), r - r.mean()
        fall, rise = np.maximum(-r, 0.0), np.maximum(r, 0.0)
        safe = np.where(share > 0.0, share, 1.0)
        charge = np.where((share > 0.0) | (fall == 0.0), P * fall / safe, inf).sum()
        gains = rise / max(float(rise.sum()), np.finfo(np.float64).tiny)
        return np.atleast_1d(charge), (fall / safe)[self.own, None] * (gains - self._hot())
