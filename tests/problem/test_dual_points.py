"""Multipliers of K scores: the kernels against NumPy's way for a loss of one's own, balance, and the tail."""

from __future__ import annotations

import numpy as np
import pytest

from linsep.data import as_design
from linsep.problem import joint
from linsep.problem.base import JointLoss
from linsep.problem.joint_problem import JointProblem
from linsep.problem.penalties import L2
from linsep.types import FloatArray, IntArray

N, D, K = 400, 5, 4


class Own(JointLoss):
    """A built-in loss as its user would write it: without a kernel."""

    convex = True

    def __init__(self, name: str) -> None:
        self._like = joint.get(name)
        self.name, self.shift_invariant = f"own {name}", self._like.shift_invariant

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        return self._like.value(Z, y)

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        return self._like.gradient(Z, y)

    def hessian_product(self, Z: FloatArray, y: IntArray, V: FloatArray) -> FloatArray:
        return self._like.hessian_product(Z, y, V)

    def project_dual(self, theta: FloatArray, y: IntArray) -> FloatArray:
        return self._like.project_dual(theta, y)


def problems(name: str, intercept: bool, weighted: bool) -> tuple[JointProblem, JointProblem]:
    """With the built-in loss and with one's own of the same values."""
    rng = np.random.default_rng(0)
    design, labels = as_design(rng.normal(size=(N, D)), 2), rng.integers(0, K, N)
    weights = rng.integers(0, 3, N).astype(np.float64) if weighted else None
    first, second = (
        JointProblem(design, labels, weights, L2(0.1), intercept, loss, K) for loss in (joint.get(name), Own(name))
    )
    return first, second


@pytest.mark.parametrize(("name", "intercept"), [("softmax", False), ("one_of_k", False), ("one_of_k", True)])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_give_what_the_formulas_give(name: str, intercept: bool, weighted: bool) -> None:
    ours, own = problems(name, intercept, weighted)
    rng = np.random.default_rng(1)
    w, u = rng.normal(size=ours.shape), 0.3 * rng.normal(size=(N, K))
    np.testing.assert_allclose(
        ours.linearised_dual_point(ours.at(w), u), own.linearised_dual_point(own.at(w), u), atol=1e-12
    )
    scores = ours.scores(w)
    np.testing.assert_allclose(ours.dual_point(scores), own.dual_point(scores), atol=1e-14)


@pytest.mark.parametrize("length", [0.1, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_classes_of_a_free_intercept_are_balanced(weighted: bool, length: float) -> None:
    """Also where the step is so long that multipliers meet the end of their domain."""
    problem, _ = problems("softmax", True, weighted)
    rng = np.random.default_rng(2)
    u = length * rng.normal(size=(N, K))
    theta = problem.linearised_dual_point(problem.at(rng.normal(size=problem.shape)), u)
    share = np.ones(N) if problem.weights is None else problem.weights
    assert (theta == 0.0).any() == (length > 1.0)
    assert np.isfinite(problem.loss.conjugate(theta, problem.target)).all()
    np.testing.assert_allclose(share @ theta, 0.0, atol=1e-10)


def test_multipliers_of_rows_that_are_almost_certain_keep_their_relative_accuracy() -> None:
    X = np.array([[1.0], [1.0], [-1.0]])
    problem = JointProblem(as_design(X, 1), np.array([0, 1, 2]), None, L2(0.1), False, joint.get("softmax"), 3)
    w, u = np.array([[25.0, -16.0, -9.0], [0.0, 0.0, 0.0]]), np.array([[0.3, 0.25, -0.2]] * 3)
    theta = problem.linearised_dual_point(problem.at(w), u)
    for i, own in enumerate(problem.target):
        z, v = (X[i] * w[0]).astype(np.longdouble), u[i].astype(np.longdouble)
        p = np.exp(z - z.max())
        p /= p.sum()
        others = np.delete(p * (1 + v - np.sum(p * v)), own)
        np.testing.assert_allclose(np.delete(theta[i], own), -others, rtol=1e-13)
        np.testing.assert_allclose(theta[i, own], min(1.0, others.sum()), rtol=1e-13)
