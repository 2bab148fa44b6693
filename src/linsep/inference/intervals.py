"""Tests and confidence intervals, one coefficient at a time.

    Wald      z = θ̂/se, θ̂ ± q·se, with q the quantile of the standard normal distribution
    profile   with l(c) the maximum where the coefficient is held at c, r(c) = ±√(2(l̂ − l(c))) is normal if c is the
              truth: z = r(0) with its sign, and the interval ends where |r| = q

Profile intervals respect that a likelihood need not be symmetric; r is almost a straight line, so a root takes a few
evaluations, each a short fit of the other coefficients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from linsep.inference.criterion import NoMaximum, Place, maximum
from linsep.inference.elsewhere import higher, highest
from linsep.inference.estimate import Estimate
from linsep.problem.linear_algebra import factor
from linsep.types import FloatArray

_DOUBLINGS = 40
#: How often another maximum may turn out to be higher on the way out.
_BRANCHES = 20


@dataclass(frozen=True, eq=False)
class Tested:
    """For every coefficient the statistic z and the ends of its interval.

    above: how far a profile was found to rise above the estimate, which then is not the highest maximum
    """

    z: FloatArray
    lower: FloatArray
    upper: FloatArray
    above: float = 0.0

    @property
    def p_values(self) -> FloatArray:
        """Two-sided."""
        return np.asarray(2.0 * ndtr(-np.abs(self.z)))


class Intervals(ABC):
    """needs_likelihood: only a log likelihood, or Firth's, can be profiled."""

    name: ClassVar[str]
    words: ClassVar[str]
    needs_likelihood: ClassVar[bool] = False

    @abstractmethod
    def of(self, estimate: Estimate, covariance: FloatArray, level: float) -> Tested:
        """Tests and intervals at the level."""


class Wald(Intervals):
    name = "wald"
    words = "Wald"

    def of(self, estimate: Estimate, covariance: FloatArray, level: float) -> Tested:
        theta, errors = estimate.theta, np.sqrt(covariance.diagonal())
        reach = quantile(level) * errors
        with np.errstate(
            invalid="ignore", divide="ignore"
        ):  # a column of zeros beside a penalty has no error, and no z
            return Tested(theta / errors, theta - reach, theta + reach)


class Profile(Intervals):
    name = "profile"
    words = "profile likelihood"
    needs_likelihood = True

    def of(self, estimate: Estimate, covariance: FloatArray, level: float) -> Tested:
        q = quantile(level)
        found, above = [], 0.0
        for j in range(len(estimate.theta)):
            along = _Profile(estimate, j, sqrt(covariance[j, j]))
            lower, upper = along.end(-q), along.end(q)
            along.raised(0.0)
            found.append((-along.root(0.0), lower, upper))
            above = max(above, along.above())
        z, low, high = np.array(found).T
        return Tested(z, low, high, above)


INTERVALS: dict[str, Intervals] = {kind.name: kind for kind in (Wald(), Profile())}


def quantile(level: float) -> float:
    """q with P(|N(0, 1)| ≤ q) = level."""
    return float(-ndtri(0.5 * (1.0 - level)))


@dataclass
class _Profile:
    """The profile along one coefficient. Each fit starts from the last one on its way out from the estimate, so that
    one maximum is followed where Firth's criterion has several; what was found once is kept.

    One maximum followed is nowhere above l(c), which is the highest of all. So where it crosses the cut-off, l(c) has
    not crossed it before; if another maximum is higher there, l(c) crosses further out, and that one is followed on.
    """

    estimate: Estimate
    j: int
    error: float
    found: dict[float, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.best = self.estimate.place
        self.centre = float(self.best.theta[self.j])
        self.free = np.arange(len(self.best.theta)) != self.j
        self.found[self.centre] = self.best

    def root(self, c: float) -> float:
        """r(c): negative below the estimate, positive above."""
        if c not in self.found:
            self.found[c] = maximum(self.estimate.criterion, self._start(c), self.free)
        fall = 2.0 * (self.best.value - self.found[c].value)
        return float(np.copysign(sqrt(max(fall, 0.0)), c - self.centre))

    def _start(self, c: float) -> FloatArray:
        """From the place found nearest on the way to c, along the ridge of the likelihood as it is there."""
        way = c - self.centre
        passed = [at for at in self.found if 0.0 <= (at - self.centre) / way < 1.0]
        inner = max(passed, key=lambda at: abs(at - self.centre))
        place = self.found[inner]
        unit = np.zeros(len(place.theta))
        unit[self.j] = 1.0
        ridge = factor(place.curvature.copy()).solve(unit)
        start: FloatArray = place.theta + (c - inner) * ridge / ridge[self.j]
        start[self.j] = c
        return start

    def raised(self, c: float) -> bool:
        """Whether another maximum at c is higher than the one followed; it is then followed from c outwards."""
        if c == self.centre:
            return False
        self.root(c)
        best = highest(self.estimate.criterion, self.found[c], self.free)
        if best is self.found[c]:
            return False
        way = c - self.centre
        self.found = {at: place for at, place in self.found.items() if (at - self.centre) / way < 1.0}
        self.found[c] = best
        return True

    def above(self) -> float:
        """By how much what was found exceeds the estimate's value; 0 where that is rounding."""
        most = max(place.value for place in self.found.values())
        return most - self.best.value if higher(most, self.best.value) else 0.0

    def end(self, q: float) -> float:
        """Where r = q first; infinite where the profile never falls that far."""
        end = self._crossing(q)
        for _ in range(_BRANCHES):
            if not np.isfinite(end) or not self.raised(end):
                return end
            end = self._crossing(q)
        return end

    def _crossing(self, q: float) -> float:
        """Where the maximum that is followed crosses, beyond the outermost place found within."""
        from scipy.optimize import brentq  # slow to import, and seldom needed

        within = [at for at in self.found if 0.0 <= self.root(at) / q < 1.0]
        inside = max(within, key=lambda at: abs(at - self.centre))
        step = q * self.error
        for _ in range(_DOUBLINGS):
            outside = inside + step
            try:
                value = self.root(outside)
            except NoMaximum:
                return float(np.copysign(inf, q))
            if abs(value) >= abs(q):
                return float(brentq(lambda c: self.root(c) - q, inside, outside, xtol=1e-11 * self.error))
            inside, step = outside, 0.5 * abs(outside - self.centre) * np.sign(q)
        return float(np.copysign(inf, q))
