"""Tests and confidence intervals, one coefficient at a time.

    Wald      z = θ̂/se, θ̂ ± q·se, with q the quantile of the standard normal distribution
    profile   with l(c) the maximum where the coefficient is held at c, r(c) = ±√(2(l̂ − l(c))) is normal if c is the
              truth: z = r(0) with its sign, and the interval ends where |r| = q

Profile intervals respect that a likelihood need not be symmetric; r is almost a straight line, so a root takes a few
evaluations, each a short fit of the other coefficients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from linsep.inference.criterion import NoMaximum, maximum
from linsep.inference.estimate import Estimate
from linsep.types import FloatArray

_DOUBLINGS = 40


@dataclass(frozen=True, eq=False)
class Tested:
    """For every coefficient the statistic z and the ends of its interval."""

    z: FloatArray
    lower: FloatArray
    upper: FloatArray

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
        found = []
        for j in range(len(estimate.theta)):
            along = _Profile(estimate, covariance, j)
            found.append((-along.root(0.0), along.end(-q), along.end(q)))
        return Tested(*np.array(found).T)


INTERVALS: dict[str, Intervals] = {kind.name: kind for kind in (Wald(), Profile())}


def quantile(level: float) -> float:
    """q with P(|N(0, 1)| ≤ q) = level."""
    return float(-ndtri(0.5 * (1.0 - level)))


@dataclass
class _Profile:
    """The profile along one coefficient; `near` is where the last fit ended, a start for the next."""

    estimate: Estimate
    covariance: FloatArray
    j: int

    def __post_init__(self) -> None:
        self.best = self.estimate.place
        self.error = sqrt(self.covariance[self.j, self.j])
        self.direction = self.covariance[:, self.j] / self.covariance[self.j, self.j]
        self.free = np.arange(len(self.covariance)) != self.j
        self.near = self.best.theta

    def root(self, c: float) -> float:
        """r(c): negative below the estimate, positive above."""
        centre = float(self.best.theta[self.j])
        if c == centre:
            return 0.0
        start = self.near + (c - self.near[self.j]) * self.direction
        start[self.j] = c
        place = maximum(self.estimate.criterion, start, self.free)
        self.near = place.theta
        return float(np.copysign(sqrt(max(2.0 * (self.best.value - place.value), 0.0)), c - centre))

    def end(self, q: float) -> float:
        """Where r = q; infinite where the profile never falls that far."""
        centre, step = float(self.best.theta[self.j]), q * self.error
        self.near = self.best.theta
        inside = 0.0
        for _ in range(_DOUBLINGS):
            try:
                value = self.root(centre + step)
            except NoMaximum:
                return float(np.copysign(inf, q))
            if abs(value) >= abs(q):
                return centre + self._crossing(q, inside, step)
            inside, step = step, 1.5 * step
        return float(np.copysign(inf, q))

    def _crossing(self, q: float, inside: float, outside: float) -> float:
        """The distance from the estimate at which r = q."""
        centre = float(self.best.theta[self.j])
        return float(brentq(lambda t: self.root(centre + t) - q, inside, outside, xtol=1e-11 * self.error))
