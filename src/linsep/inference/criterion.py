"""What an estimate maximises, and its maximum, some coordinates held fixed or none.

    plain       l(θ) = Σ counts·log likelihood
    with α      l(θ) − Sα/2 ‖w‖²
    Firth       l(θ) + ½ ln det I(θ)                                   (inference/firth.py)

Newton's method with the information for the second derivative, and steps halved until the value does not fall.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from linsep.errors import Refused
from linsep.inference.sample import Sample
from linsep.inference.terms import Terms
from linsep.problem.linear_algebra import factor
from linsep.types import BoolArray, FloatArray

#: The square of a Newton step, in standard errors, below which the maximum is found, and beyond which it is not.
_DONE, _FAILED = 1e-20, 1e-8
_STEPS, _HALVINGS = 500, 40
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Place:
    """θ with the value there and its gradient.

    curvature  minus the second derivative (Firth: that of l alone), which the covariance is made of
    terms      of the rows
    steep      what Newton's method divides by, where that is not the curvature
    """

    theta: FloatArray
    value: float
    score: FloatArray
    curvature: FloatArray
    terms: Terms
    steep: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Criterion(ABC):
    """A function of θ that an estimate maximises; concave: it has one maximum."""

    concave: ClassVar[bool] = True
    sample: Sample

    @abstractmethod
    def at(self, theta: FloatArray) -> Place:
        """One look at the data."""

    def curvature(self, sample: Sample, terms: Terms) -> FloatArray:
        """Minus the second derivative (Firth: that of l alone), of these rows or the same off their means."""
        return sample.information(terms)


@dataclass(frozen=True, eq=False)
class Penalised(Criterion):
    """l(θ) − ½ θᵀQθ; Q = 0 is the likelihood itself."""

    Q: FloatArray

    def at(self, theta: FloatArray) -> Place:
        sample, pull = self.sample, self.Q @ theta
        terms = sample.terms(theta)
        value = float(sample.counts @ terms.value) - 0.5 * float(theta @ pull)
        return Place(theta, value, sample.score(terms) - pull, self.curvature(sample, terms), terms)

    def curvature(self, sample: Sample, terms: Terms) -> FloatArray:
        return sample.information(terms) + self.Q


def quadratic_penalty(sample: Sample, strengths: FloatArray) -> FloatArray:
    """Q with ½θᵀQθ = S/2 Σⱼ cⱼ Σₖ wₖⱼ², c being the strengths: α, perhaps times a factor, for every column.

    The weights of softmax are in the gauge Σₖwₖ = 0: 1 − 1/K on, −1/K off the diagonal.
    """
    K = sample.scores + 1
    gauge = np.eye(sample.scores) - (1.0 / K if sample.scores > 1 else 0.0)
    each = np.zeros(sample.width)
    each[: len(strengths)] = strengths
    return np.asarray(np.kron(sample.total * gauge, np.diag(each)), np.float64)


@dataclass(frozen=True, eq=False)
class Ascent:
    """A place on the way up, and the square of the Newton step from it, in standard errors: 0 at a maximum."""

    place: Place
    decrement: float

    @property
    def arrived(self) -> bool:
        return self.decrement <= _FAILED


def ascend(criterion: Criterion, start: FloatArray, free: BoolArray) -> Iterator[Ascent]:
    """Newton's method, a place a step, until the step is nothing, or rounding, or does not lead up."""
    place, last = criterion.at(start), np.inf
    while True:
        step = _newton_step(place, free)
        decrement = float(step @ place.score)
        yield Ascent(place, decrement)
        if decrement <= _DONE or (decrement <= _FAILED and decrement >= last):
            return
        new = _halved(criterion, place, step)
        if new is place:
            return
        place, last = new, decrement


def maximum(criterion: Criterion, start: FloatArray, free: BoolArray | None = None) -> Place:
    """The place where the value is largest over the free coordinates (all by default)."""
    free = np.ones(len(start), dtype=bool) if free is None else free
    if not free.any():
        return criterion.at(start)
    for ascent in islice(ascend(criterion, start, free), _STEPS):
        last = ascent
    if not last.arrived:
        raise NoMaximum(last.place)
    return last.place


class NoMaximum(Refused):
    """Newton's method ended away from any maximum: the likelihood grows for ever, or float64 is too coarse."""

    def __init__(self, place: Place) -> None:
        super().__init__("no maximum of the likelihood was found")
        self.place = place


def _newton_step(place: Place, free: BoolArray) -> FloatArray:
    step = np.zeros(len(free))
    score, within = place.score[free], np.ix_(free, free)
    steep = place.curvature if place.steep is None else place.steep
    found = factor(np.ascontiguousarray(steep[within]))
    if not found.full_rank:  # not concave here: the curvature of l leads up all the same
        found = factor(np.ascontiguousarray(place.curvature[within]))
    step[free] = found.solve(score)
    return step


def _halved(criterion: Criterion, place: Place, step: FloatArray) -> Place:
    """The place after the step, or half of it, or a quarter …; the same place where none does not lower the value."""
    floor = place.value - _ROUNDING * (1.0 + abs(place.value))
    for _ in range(_HALVINGS):
        new = criterion.at(place.theta + step)
        if np.isfinite(new.value) and new.value >= floor:
            return new
        step = 0.5 * step
    return place
