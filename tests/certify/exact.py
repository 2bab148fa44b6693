"""The optimum to fifty digits: mpmath, for one margin a row and the ridge α/2 ‖w‖².

At the optimum w = Σ aᵢxᵢ with αaᵢ = −sᵢyᵢℓ′(Mᵢ)/S, so with the Gram matrix K of the rows only n numbers and b are
unknown: Newton for the smooth losses, whatever the sizes of the columns. For the hinge the rows at the kink are read
off the multipliers of a fit; the optimum is that of the equations which they leave, if all signs are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np

Array = np.ndarray[Any, Any]
Number = Any

_DIGITS = 60


class Scalar(NamedTuple):
    """ℓ, ℓ′ and ℓ″ of a margin."""

    value: Callable[[Number], Number]
    d1: Callable[[Number], Number]
    d2: Callable[[Number], Number]


def _slack(m: Number) -> Number:
    return max(1 - m, mp.mpf(0))


LOSSES = {
    "log": Scalar(
        lambda m: mp.log1p(mp.exp(-m)),
        lambda m: -1 / (1 + mp.exp(m)),
        lambda m: 1 / ((1 + mp.exp(m)) * (1 + mp.exp(-m))),
    ),
    "hinge": Scalar(_slack, lambda m: -mp.mpf(m < 1), lambda m: mp.mpf(0)),
    "squared_hinge": Scalar(lambda m: _slack(m) ** 2, lambda m: -2 * _slack(m), lambda m: mp.mpf(2 * (m < 1))),
    "smoothed_hinge": Scalar(
        lambda m: mp.mpf(1) / 2 - m if m < 0 else _slack(m) ** 2 / 2,
        lambda m: -min(_slack(m), mp.mpf(1)),
        lambda m: mp.mpf(0 <= m < 1),
    ),
    "squared": Scalar(lambda m: (1 - m) ** 2, lambda m: 2 * (m - 1), lambda m: mp.mpf(2)),
    "exponential": Scalar(lambda m: mp.exp(-m), lambda m: -mp.exp(-m), lambda m: mp.exp(-m)),
}


class Exact:
    """A problem in exact numbers: rows, signs ±1, weights (those of 0 left out), α, whether b is free."""

    def __init__(self, loss: str, X: Array, y: Array, s: Array | None, alpha: float, free: bool) -> None:
        mp.mp.dps = _DIGITS
        used = np.flatnonzero(np.ones(len(y)) if s is None else s)
        self.loss, self.free, self.used, self.alpha = LOSSES[loss], free, used, mp.mpf(alpha)
        self.rows = [[mp.mpf(float(x)) for x in row] for row in X[used]]
        self.y = [mp.mpf(float(t)) for t in y[used]]
        weights = [mp.mpf(1) if s is None else mp.mpf(float(s[i])) for i in used]
        self.s = [weight / sum(weights) for weight in weights]
        self.n, self.gram = len(used), mp.matrix([[mp.fdot(a, b) for b in self.rows] for a in self.rows])

    def margins(self, w: Array, b: float) -> list[Number]:
        weights = [mp.mpf(float(x)) for x in w]
        return [t * (mp.fdot(row, weights) + mp.mpf(float(b))) for t, row in zip(self.y, self.rows, strict=True)]

    def value(self, w: Array, b: float) -> Number:
        """P(w, b)."""
        losses = mp.fdot(self.s, map(self.loss.value, self.margins(w, b)))
        return losses + self.alpha / 2 * sum(mp.mpf(float(x)) ** 2 for x in w)

    def _at(self, a: Any, b: Number) -> tuple[Number, list[Number]]:
        scores = self.gram * a
        M = [self.y[i] * (scores[i] + b) for i in range(self.n)]
        return mp.fdot(self.s, map(self.loss.value, M)) + self.alpha / 2 * (a.T * scores)[0], M

    def optimum(self, w: Array, b: float, most: int = 40) -> Number | None:
        """P* by Newton from a point near it, for a smooth loss; None where that does not converge."""
        M, value = self.margins(w, b), mp.inf
        for _ in range(most):
            found, before = self._newton(M), value
            if found is None:
                return None
            value, M = self._at(found[: self.n], found[self.n])
            if abs(before - value) <= mp.mpf(10) ** -40 * value:
                return value
        return None

    def _newton(self, M: list[Number]) -> Any:
        """(a, b) with αa + sℓ′ = 0 and, where b is free, Σ sℓ′ = 0, for ℓ′ linearised at the margins."""
        n, J, r = self.n, mp.zeros(self.n + 1, self.n + 1), mp.zeros(self.n + 1, 1)
        J[n, n] = mp.mpf(not self.free)
        for i in range(n):
            slope, curve = self.s[i] * self.y[i] * self.loss.d1(M[i]), self.s[i] * self.loss.d2(M[i])
            r[i] = curve * self.y[i] * M[i] - slope
            for j in range(n):
                J[i, j] = curve * self.gram[i, j] + self.alpha * (i == j)
            if self.free:
                J[i, n], J[n, i] = curve, self.alpha  # the sum of the others' equations: α Σ a = 0
        try:
            return mp.lu_solve(J, r)
        except ZeroDivisionError:
            return None

    def hinge_optimum(self, theta: Array) -> Number | None:
        """P* of the hinge, from multipliers that tell which rows are at the kink; None where they tell it wrong."""
        theta = theta[self.used]
        near = 1e-9 * theta.max(initial=0.0)
        kink, full = np.flatnonzero((theta > near) & (theta < 1.0 - 1e-9)), np.flatnonzero(theta >= 1.0 - 1e-9)
        m, pull = len(kink), [t * s / self.alpha for t, s in zip(self.y, self.s, strict=True)]
        J, r = mp.zeros(m + 1, m + 1), mp.zeros(m + 1, 1)
        J[m, m] = mp.mpf(not self.free)
        for p, i in enumerate(kink.tolist()):
            for q, j in enumerate(kink.tolist()):
                J[p, q] = pull[j] * self.gram[i, j]
            r[p] = self.y[i] - sum(pull[j] * self.gram[i, j] for j in full.tolist())
            J[p, m], J[m, p] = mp.mpf(self.free), pull[i] * self.free
        r[m] = -sum(pull[j] for j in full.tolist()) * self.free
        try:
            found = mp.lu_solve(J, r)
        except ZeroDivisionError:
            return None
        exact = mp.zeros(self.n, 1)
        for p, i in enumerate(kink.tolist()):
            exact[i] = found[p]
        for j in full.tolist():
            exact[j] = mp.mpf(1)
        value, M = self._at(mp.matrix([pull[i] * exact[i] for i in range(self.n)]), found[m])
        right = all(0 <= t <= 1 for t in exact) and all(M[j] <= 1 for j in full.tolist())
        rest = set(range(self.n)) - set(kink.tolist()) - set(full.tolist())
        return value if right and all(M[i] >= 1 for i in rest) else None
