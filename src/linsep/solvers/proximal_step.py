"""A step of proximal Newton from w towards z, the minimiser of the model: what it promises, and how far it goes."""

from __future__ import annotations

import numpy as np

from linsep.problem.problem import Point, Problem
from linsep.solvers.quadratic_model import loss_gradient
from linsep.types import FloatArray


def promise_of(problem: Problem, point: Point, z: FloatArray) -> float:
    """By how much P would fall if L were as steep as at w all the way: −⟨∇L, z − w⟩ + Ω(w) − Ω(z) ≥ 0."""
    g, w = loss_gradient(problem, point), point.w
    fall = problem.penalty.value(w[:-1]) - problem.penalty.value(z[:-1])
    return fall - float(np.vdot(g, z - w))


def advance(problem: Problem, point: Point, z: FloatArray, promise: float) -> tuple[Point, FloatArray]:
    """The point after a step towards z (the same point where none decreases P), and the scores [X 1](z − w)."""
    full = problem.at(z)
    u = full.scores - point.scores
    if full.value <= point.value - 0.25 * promise:
        return full, u
    p, t = z - point.w, 0.5
    while t > 1e-12 and promise > 0.0:
        w = point.w + t * p
        value = problem.loss_along(point, u, t)[0] + problem.penalty.value(w[:-1])
        if np.isfinite(value) and value <= point.value - 0.1 * t * promise:
            w[:-1] = problem.penalty.clip(w[:-1])
            return problem.at(w), u
        t *= 0.5
    return (full, u) if full.value < point.value else (point, u)
