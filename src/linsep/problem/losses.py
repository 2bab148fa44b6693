"""Margin losses: functions l(M) of one margin M = y * score, y in {-1, +1}.

For each: the value l, its derivatives d1 = l' and d2 = l'' (almost everywhere), and the conjugate as a
function of the multiplier theta,

    l*(-theta) = sup_M ( -theta M - l(M) ),        +inf outside the domain of theta.

Fenchel-Young: l(M) + l*(-theta) + theta M >= 0, with equality at theta = -l'(M) for convex l.

All functions are elementwise over float64 arrays, exact to a few units in the last place in both tails, and
never overflow before their true value does (then they are inf, without a warning).
At a kink: d1 is 0 for hinge (M = 1) and -1 for perceptron (M = 0 is a mistake); d2 is 0 for squared_hinge and
smoothed_hinge at M = 1, and 1 for smoothed_hinge at M = 0, so that a Newton step from w = 0 sees curvature.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import final

import numpy as np

from linsep.problem.base import MarginLoss
from linsep.problem.own_loss import try_out
from linsep.problem.registry import Registry
from linsep.types import BoolArray, FloatArray

__all__ = ["MARGIN_LOSSES", "MarginLoss", "get", "register", "resolve"]

_TINY = np.finfo(np.float64).tiny
_BELOW_ONE = 1.0 - np.finfo(np.float64).epsneg


def _inside(value: FloatArray, inside: BoolArray) -> FloatArray:
    return np.where(inside, value, inf)


def negative_entropy(theta: FloatArray) -> FloatArray:
    """theta ln theta + (1 - theta) ln(1 - theta) on [0, 1], relative accuracy also near 0; +inf outside."""
    # The clipped logarithms only meet a factor 0, so that 0 ln 0 = 0.
    value = theta * np.log(np.maximum(theta, _TINY))
    value += (1.0 - theta) * np.log1p(-np.minimum(theta, _BELOW_ONE))
    return _inside(value, (theta >= 0.0) & (theta <= 1.0))


def _logistic_variance(M: FloatArray) -> FloatArray:
    # sigma(M) sigma(-M) = e / (1 + e)^2 with e = exp(-|M|): no overflow, no cancellation
    e: FloatArray = np.exp(-np.abs(M))
    square = 1.0 + e
    square *= square
    return e / square


def _logistic(M: FloatArray) -> FloatArray:
    # sigma(-M); 1 / inf = 0 is the right limit
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(M))


@final
@dataclass(frozen=True)
class Log(MarginLoss):
    """ln(1 + e^-M); conjugate the negative entropy theta ln theta + (1 - theta) ln(1 - theta)."""

    name = "log"
    attained = False
    kernel = "log"
    convex = True
    curvature = 0.25
    probability = True
    dual_lower = 0.0
    dual_upper = 1.0
    joint = "softmax"

    def value(self, M: FloatArray) -> FloatArray:
        value: FloatArray = np.log1p(np.exp(-np.abs(M)))
        value -= np.minimum(M, 0.0)
        return value

    def d1(self, M: FloatArray) -> FloatArray:
        return -_logistic(M)

    def d2(self, M: FloatArray) -> FloatArray:
        return _logistic_variance(M)

    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray:
        return _logistic_variance(np.abs(M) + r)  # d2 decreases in |M|

    def conjugate(self, theta: FloatArray) -> FloatArray:
        return negative_entropy(theta)


@final
@dataclass(frozen=True)
class Hinge(MarginLoss):
    """max(0, 1 - M); conjugate -theta on [0, 1]."""

    name = "hinge"
    kernel = "hinge"
    convex = True
    smooth = False
    dual_lower = 0.0
    dual_upper = 1.0
    joint = "crammer_singer"

    def value(self, M: FloatArray) -> FloatArray:
        return np.maximum(1.0 - M, 0.0)

    def d1(self, M: FloatArray) -> FloatArray:
        return np.where(M < 1.0, -1.0, 0.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.zeros_like(M)

    def conjugate(self, theta: FloatArray) -> FloatArray:
        return _inside(-theta, (theta >= 0.0) & (theta <= 1.0))


@final
@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """max(0, 1 - M)^2; conjugate theta^2 / 4 - theta on [0, inf)."""

    name = "squared_hinge"
    kernel = "squared_hinge"
    convex = True
    curvature = 2.0
    dual_lower = 0.0

    def value(self, M: FloatArray) -> FloatArray:
        value: FloatArray = np.maximum(1.0 - M, 0.0)
        with np.errstate(over="ignore"):
            value *= value
        return value

    def d1(self, M: FloatArray) -> FloatArray:
        return 2.0 * np.minimum(M - 1.0, 0.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.where(M < 1.0, 2.0, 0.0)

    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray:
        return np.where(M + r < 1.0, 2.0, 0.0)

    def conjugate(self, theta: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return _inside(theta * (0.25 * theta - 1.0), theta >= 0.0)


@final
@dataclass(frozen=True)
class SmoothedHinge(MarginLoss):
    """0 for M >= 1, (1 - M)^2 / 2 for 0 <= M <= 1, 1/2 - M for M <= 0.

    With u the part of 1 - M in [0, 1] this is u (max(0, 1 - M) - u / 2).
    Conjugate theta^2 / 2 - theta on [0, 1].
    """

    name = "smoothed_hinge"
    kernel = "smoothed_hinge"
    convex = True
    curvature = 1.0
    dual_lower = 0.0
    dual_upper = 1.0

    def value(self, M: FloatArray) -> FloatArray:
        violation: FloatArray = np.maximum(1.0 - M, 0.0)
        u: FloatArray = np.minimum(violation, 1.0)
        return u * (violation - 0.5 * u)

    def d1(self, M: FloatArray) -> FloatArray:
        return np.maximum(np.minimum(M - 1.0, 0.0), -1.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.where((M >= 0.0) & (M < 1.0), 1.0, 0.0)

    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray:
        return np.where((M - r >= 0.0) & (M + r < 1.0), 1.0, 0.0)

    def conjugate(self, theta: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return _inside(theta * (0.5 * theta - 1.0), (theta >= 0.0) & (theta <= 1.0))


@final
@dataclass(frozen=True)
class Squared(MarginLoss):
    """(1 - M)^2; conjugate theta^2 / 4 - theta."""

    name = "squared"
    kernel = "squared"
    convex = True
    curvature = 2.0
    joint = "one_of_k"

    def value(self, M: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.square(1.0 - M)

    def d1(self, M: FloatArray) -> FloatArray:
        return 2.0 * (M - 1.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.full_like(M, 2.0)

    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray:
        return np.full_like(M, 2.0)

    def conjugate(self, theta: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return theta * (0.25 * theta - 1.0)


@final
@dataclass(frozen=True)
class Exponential(MarginLoss):
    """e^-M; conjugate theta ln theta - theta on [0, inf)."""

    name = "exponential"
    attained = False
    kernel = "exponential"
    convex = True
    probability = True
    probability_scale = 2.0
    dual_lower = 0.0

    def value(self, M: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.exp(-M)

    def d1(self, M: FloatArray) -> FloatArray:
        return -self.value(M)

    def d2(self, M: FloatArray) -> FloatArray:
        return self.value(M)

    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray:
        return self.value(M + r)  # d2 decreases in M

    def conjugate(self, theta: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return _inside(theta * (np.log(np.maximum(theta, _TINY)) - 1.0), theta >= 0.0)


@final
@dataclass(frozen=True)
class Sigmoid(MarginLoss):
    """2 / (1 + e^M), a smooth count of mistakes; not convex, so no conjugate.

    l' = -2 sigma(M) sigma(-M);  l'' = -l' tanh(M / 2), largest where tanh(M / 2) = 1 / sqrt 3.
    """

    name = "sigmoid"
    attained = False
    kernel = "sigmoid"
    convex = False
    curvature = 1.0 / sqrt(27.0)
    dual_lower = 0.0
    dual_upper = 0.5

    def value(self, M: FloatArray) -> FloatArray:
        return 2.0 * _logistic(M)

    def d1(self, M: FloatArray) -> FloatArray:
        return -2.0 * _logistic_variance(M)

    def d2(self, M: FloatArray) -> FloatArray:
        return 2.0 * _logistic_variance(M) * np.tanh(0.5 * M)


@final
@dataclass(frozen=True)
class PerceptronLoss(MarginLoss):
    """max(0, -M); conjugate 0 on [0, 1]. Here so that minimising it can be refused with the reason."""

    name = "perceptron"
    convex = True
    smooth = False
    dual_lower = 0.0
    dual_upper = 1.0
    refusal = (
        "the perceptron loss max(0, -M) is smallest, 0, at w = 0 whatever the data and the penalty, so "
        "minimising it learns nothing; use the Perceptron estimator, which runs the perceptron algorithm"
    )

    def value(self, M: FloatArray) -> FloatArray:
        return np.maximum(-M, 0.0)

    def d1(self, M: FloatArray) -> FloatArray:
        return np.where(M <= 0.0, -1.0, 0.0)

    def d2(self, M: FloatArray) -> FloatArray:
        return np.zeros_like(M)

    def conjugate(self, theta: FloatArray) -> FloatArray:
        return _inside(np.zeros_like(theta), (theta >= 0.0) & (theta <= 1.0))


_BUILT_IN = (Log, Hinge, SquaredHinge, SmoothedHinge, Squared, Exponential, Sigmoid, PerceptronLoss)
#: What others call them.
_ELSEWHERE = {
    "logistic": "log", "log_loss": "log", "logit": "log", "binomial": "log", "cross_entropy": "log", "svm": "hinge",
    "modified_huber": "smoothed_hinge", "squared_error": "squared", "least_squares": "squared", "mse": "squared",
}  # fmt: skip
_LOSSES = (kind() for kind in _BUILT_IN)
MARGIN_LOSSES = Registry[MarginLoss]("loss", MarginLoss, _LOSSES, _ELSEWHERE)  # type: ignore[type-abstract]


def register(loss: MarginLoss) -> MarginLoss:
    """Make a user's own loss known by its name."""
    return MARGIN_LOSSES.register(loss)


def get(name: str) -> MarginLoss:
    """The margin loss of that name."""
    return MARGIN_LOSSES.get(name)


def resolve(loss: str | MarginLoss) -> MarginLoss:
    """A name or a loss object, as an estimator's parameter `loss` takes it, becomes a loss."""
    found = MARGIN_LOSSES.resolve(loss)
    if type(found) not in _BUILT_IN:
        try_out(found)
    return found
