"""The values of α to try: an exponential grid from where the model says nothing downwards.

At w = 0 with the best intercept let g be the gradient of the mean loss. With an L1 share ρ all weights are zero from
α = max|gⱼ|/ρ on, exactly. For the L2 penalty alone no weight is ever zero; ρ = 10⁻³ stands in for it there, as in
glmnet, but no α need be larger than 100·‖g‖·√(mean ‖x‖²), where the scores have moved by about a hundredth. The hinge
loss has many subgradients at w = 0, of which the best counts (solvers/alpha_max.py).
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from linsep.data import as_design
from linsep.errors import InvalidParameter, InvalidType
from linsep.later import calling
from linsep.model import Objective, Training, problems_of
from linsep.problem.penalties import L2
from linsep.problem.problem import Point, Problem
from linsep.solvers import fit_problem
from linsep.types import FloatArray

#: Stands in for the share of L1 where there is none.
LEAST_SHARE = 1e-3
#: So that rounding leaves no weight at the top.
_ROUNDING = 1e-9
#: An α at which no penalised weight is left, for columns of unit size.
_HUGE = 1e6
#: The smallest α of a grid over the largest: for L2; with L1 for more rows than columns, and for fewer.
_DEPTH, _DEPTH_TALL, _DEPTH_WIDE = 1e-7, 1e-4, 1e-2


_alpha_max = calling("linsep.solvers.alpha_max", "alpha_max")


def largest_alpha(training: Training, objective: Objective) -> float:
    """Where the grid begins; 1 where no feature has anything to say."""
    tops = [_largest(problem) for problem in problems_of(training, objective)]
    top = max(tops)
    return top if np.isfinite(top) and top > 0.0 else 1.0


def depth_of(training: Training, objective: Objective) -> float:
    """The smallest α of the grid over the largest, unless the user says."""
    if objective.l1_ratio < LEAST_SHARE:
        return _DEPTH
    return _DEPTH_TALL if training.design.n > training.design.d else _DEPTH_WIDE


def checked_alphas(given: Any) -> FloatArray:
    """Values of α that the user gave, largest first."""
    try:
        alphas = np.unique(np.asarray(given, dtype=np.float64).ravel())[::-1]
    except (TypeError, ValueError):
        raise InvalidType(f"alphas={given!r}: allowed are numbers > 0") from None
    if not len(alphas) or not np.isfinite(alphas).all() or alphas[-1] <= 0.0:
        raise InvalidParameter(f"alphas={given!r}: allowed are finite numbers > 0, at least one")
    return alphas


def exponential(top: float, depth: float, size: int) -> FloatArray:
    """`size` values from `top` down to `depth`·`top`, in equal ratios."""
    return top * np.geomspace(1.0, depth, size) if size > 1 else np.array([top])


def null_point(problem: Problem) -> Point:
    """The best model without penalised features, and what a pass over the data tells about it."""
    if problem.offset is not None or problem.penalty.factors is not None:
        huge = _HUGE * (1.0 + problem.design.scan.squares / problem.design.n)
        return problem.at(fit_problem(problem.with_alpha(huge)).w)
    w = problem.zero()
    if problem.intercept:
        w[-1] = null_intercept(_one_row_a_class(problem))
    return problem.at(w)


def null_loss(problem: Problem) -> float:
    """The mean loss of that model."""
    if problem.intercept and problem.offset is None and problem.penalty.factors is None:
        few = _one_row_a_class(problem)
        w = few.zero()
        w[-1] = null_intercept(few)
        return few.value(w, few.scores(w))
    return problem.mean(problem.loss_values(null_point(problem).scores))


def null_intercept(few: Problem) -> FloatArray:
    """The best intercept alone, of one row a class: under softmax every class has its share as probability."""
    weights = few.weights
    if few.loss.name != "softmax" or weights is None or weights.min() == 0.0:
        best: FloatArray = fit_problem(few).w[-1]
        return best
    logarithms: FloatArray = np.log(weights / weights.sum())
    logarithms -= logarithms.mean()
    return logarithms


def _one_row_a_class(problem: Problem) -> Problem:
    """What is left without features: a row weighs what the class weighs."""
    weights = np.ones(problem.design.n) if problem.weights is None else problem.weights
    classes, rows = np.unique(problem.target, return_inverse=True)
    return replace(
        problem,
        design=as_design(np.zeros((len(classes), 1)), 1),
        target=classes,
        weights=np.bincount(rows, weights=weights).astype(np.float64),
        penalty=L2(1.0),
        offset=None,
    )


def _largest(problem: Problem) -> float:
    if problem.penalty.l1_ratio >= LEAST_SHARE:
        return float(_alpha_max(problem)) * (1.0 + _ROUNDING)
    design, factors = problem.design, problem.penalty.factors
    g = null_point(problem).grad[:-1].reshape(design.d, -1)
    if factors is not None:
        g = g[factors > 0.0] / factors[factors > 0.0, None]
    squares = design.scan.squares / design.n if problem.weights is None else problem.mean(design.row_norms())
    return min(float(np.abs(g).max(initial=0.0)) / LEAST_SHARE, 100.0 * float(np.linalg.norm(g)) * sqrt(squares))
