"""What the solvers ask of a problem, against its own value and gradient: lines, curvature, totals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.data.source import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.problem.problem import Problem

CASES = [
    (kind, storage, weighted, intercept)
    for kind in ("log", "softmax")
    for storage in (np.asarray, sparse.csr_array)
    for weighted in (False, True)
    for intercept in (False, True)
]


@pytest.fixture(params=CASES, ids=lambda c: f"{c[0]}-{c[1].__name__}-{'weighted' if c[2] else 'equal'}-{c[3]}")
def problem(request: Any) -> Problem:
    kind, storage, weighted, intercept = request.param
    random = np.random.default_rng(0)
    X = random.normal(size=(12, 15)) * (random.random((12, 15)) < 0.6)
    design, weights = as_design(storage(X), 1), random.exponential(size=12) if weighted else None
    if kind == "log":
        return MarginProblem(design, random.choice([-1.0, 1.0], 12), weights, L2(0.3), intercept, losses.get("log"))
    labels = random.integers(0, 4, 12)
    return JointProblem(design, labels, weights, L2(0.3), intercept, joint.get("softmax"), 4)


def directions(problem: Problem, count: int) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    drawn = [random.normal(size=problem.shape) for _ in range(count)]
    for w in drawn:
        w[-1] *= problem.intercept
    return drawn


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5])
def test_a_line_is_the_objective_on_it(problem: Problem, t: float) -> None:
    w, p = directions(problem, 2)
    value, slope = problem.line(problem.at(w), p, problem.design.scores(p))(t)
    reached = problem.at(w + t * p)
    assert value == pytest.approx(reached.value, rel=1e-13)
    assert slope == pytest.approx(float(np.vdot(reached.grad, p)), rel=1e-11)


def test_products_are_the_change_of_the_gradient(problem: Problem) -> None:
    w, v = directions(problem, 2)
    Hv, u = problem.hess_vec(problem.at(w), v)
    h = 1e-5
    change = (problem.at(w + h * v).grad - problem.at(w - h * v).grad) / (2.0 * h)
    np.testing.assert_allclose(Hv, change, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(u, problem.design.scores(v), rtol=1e-13, atol=1e-13)


def test_products_into_given_arrays_are_the_same(problem: Problem) -> None:
    w, v, other = directions(problem, 3)
    point = problem.at(w)
    Hv, u = (a.copy() for a in problem.hess_vec(point, v))
    reused = problem.hess_vec(point, other)
    again = problem.hess_vec(point, v, out=reused)
    assert again[0] is reused[0]
    np.testing.assert_array_equal(again[0], Hv)
    np.testing.assert_array_equal(again[1], u)


def test_the_total_of_the_curvature(problem: Problem) -> None:
    point = problem.at(directions(problem, 1)[0])
    assert problem.total_curve(point.curve) == pytest.approx(float(problem.class_curves(point.curve).sum()), rel=1e-12)
