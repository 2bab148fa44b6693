"""What float64 can be off by in the sums of a bound."""

from __future__ import annotations

from math import log2

import numpy as np

from linsep.problem.problem import Problem
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


def rounding(problem: Problem, magnitude: float) -> float:
    """What summing n terms of this magnitude in blocks, and dots of d terms, can be off by."""
    return _EPS * (8.0 + log2(problem.design.n + 1.0) + log2(problem.design.d + 1.0)) * magnitude


def spread(problem: Problem, theta: FloatArray) -> FloatArray:
    """√(Σᵢ (sᵢθᵢ/S)²), for each class."""
    share = problem.scale if problem.weights is None else problem.weights * problem.scale
    root: FloatArray = np.sqrt(np.square(theta.T * share).sum(axis=-1))
    return root


def column_sums(problem: Problem, theta: FloatArray) -> FloatArray:
    """At least 1/S Σᵢ sᵢ|θᵢxᵢⱼ| for every column: √(Σᵢ xᵢⱼ²)·√(Σᵢ (sᵢθᵢ/S)²), by Cauchy and Schwarz."""
    rows, columns = spread(problem, theta), np.sqrt(problem.design.column_squares)
    return columns * rows if theta.ndim == 1 else np.outer(columns, rows)


def value_rounding(problem: Problem, w: FloatArray, theta: FloatArray) -> float:
    """What the rounding of the scores can change P by: Σ sᵢ|θᵢ|(Σⱼ|wⱼxᵢⱼ| + |b| + |oᵢ|)/S, θ = −ℓ′."""
    sums = float(np.sum(column_sums(problem, theta) * np.abs(w[:-1])))
    level = float(np.abs(w[-1]).max())
    if problem.offset is not None:
        level += float(np.abs(problem.offset).max())
    return rounding(problem, sums + level * float(np.abs(theta).max()))
