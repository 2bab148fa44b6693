"""Columns of any size and place: certified, truly, and to what float64 can tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from linsep import LinearClassifier, verify
from linsep.certify.bounds import dual_bound
from linsep.data import as_design
from linsep.problem.base import JointLoss
from linsep.problem.joint_problem import JointProblem
from linsep.problem.penalties import L2
from linsep.solvers import fit_problem
from tests.certify.cases import (
    CONVEX,
    JOINT,
    SLOPES,
    Case,
    JointCase,
    check_certificate,
    margin_problem,
    objective,
    polish,
    problem_of,
)

Array = np.ndarray[Any, Any]


def scaled(kind: str, seed: int, n: int = 60) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], n - 2)])
    X = rng.normal(size=(n, 4)) + 0.4 * y[:, None]
    if kind == "large":
        X[:, 0] *= 1e9
    elif kind == "large and small":
        X = X * np.array([1e9, 1e-9, 1.0, 1e3])
    elif kind == "positive":
        X[:, 0] = 1e9 * np.abs(X[:, 0])
    elif kind == "rare":
        X[:, 0] = np.where(np.arange(n) < 4, 1e9 * X[:, 0], 0.0)
    elif kind == "constant":
        X[:, 0] = 1e9
    elif kind == "offset":
        X += 1e6
    return X, y


KINDS = ["large", "large and small", "positive", "constant", "offset"]


@pytest.mark.parametrize("alpha", [1e-2, 1e-6])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", CONVEX)
def test_the_gap_is_rounding(loss: str, kind: str, alpha: float) -> None:
    for seed in range(2):
        X, y = scaled(kind, seed)
        case = Case(X, y, None, alpha, True, np.zeros(5), np.zeros(0))
        solution = fit_problem(margin_problem(loss, case))
        reached = objective(loss, X, case, solution.w)
        best = objective(loss, X, case, polish(loss, X, case, solution.w)) if loss in SLOPES else reached
        check_certificate(solution.certificate, reached, best)
        # scores are rounded by 1e6·eps; v of the hinge's dual by 1e9·eps, and its square is divided by 2α
        coarse = 1e-7 if kind == "offset" else 1e-10
        assert solution.certificate.relative_gap < (coarse if loss in SLOPES else max(coarse, 4e-11 / alpha))


@pytest.mark.parametrize("loss", CONVEX)
def test_a_column_far_from_zero_is_the_column_taken_off_it(loss: str) -> None:
    """1e9 + x, x a multiple of 2⁻²⁰: the shift is exact, and the optimum the same but for the intercept."""
    X, y = scaled("plain", 0)
    X = np.round(X * 2**20) / 2**20
    far = X + np.array([2.0**30, 0.0, 0.0, 0.0])
    near = LinearClassifier(loss, alpha=1e-3).fit(X, y)
    model = LinearClassifier(loss, alpha=1e-3).fit(far, y)
    assert model.certificate_.holds
    assert model.certificate_.relative_gap < 1e-4
    assert np.allclose(model.coef_, near.coef_, rtol=1e-2, atol=1e-3)
    assert model.certificate_.bound <= near.certificate_.primal
    assert near.certificate_.bound <= model.certificate_.primal + model.certificate_.allowance
    assert verify(model, far, y)


@pytest.mark.parametrize("kind", [*KINDS, "rare"])
@pytest.mark.parametrize("loss", [*CONVEX, *JOINT])
def test_no_multipliers_prove_too_much(loss: str, kind: str) -> None:
    """Balanced or not: D(θ) less its charges is below the best value known."""
    X, y = scaled(kind, 1, n=24)
    rng = np.random.default_rng(2)
    case: Any = Case(X, y, None, 1e-4, True, np.zeros(5), np.zeros(0))
    if loss in JOINT:
        case = JointCase(X, np.r_[np.arange(3), rng.integers(0, 3, 21)], None, 1e-4, True, 3)
    problem = problem_of(loss, case)
    best = fit_problem(problem)
    reached = objective(loss, X, case, best.w)
    theta = best.dual if best.dual is not None else problem.dual_point(problem.design.scores(best.w))
    for size in (0.0, 1e-12, 1e-6, 1e-3, 0.1):
        moved = theta * (1.0 + size * rng.normal(size=theta.shape))
        if loss in JOINT:
            moved = problem.loss.project_dual(moved, problem.target)
        else:
            moved = np.clip(moved, problem.loss.dual_lower, problem.loss.dual_upper)
        assert dual_bound(problem, problem.dual(moved), best.certificate.primal).value <= reached


class Cubic(JointLoss):
    """Σₖ |zₖ − [k = y]|³, in NumPy: a user's own, which a common shift of the scores changes."""

    convex = True

    def value(self, Z: Array, y: Array) -> Array:
        return np.asarray((np.abs(Z - np.eye(Z.shape[1])[y]) ** 3).sum(axis=1))

    def gradient(self, Z: Array, y: Array) -> Array:
        R = Z - np.eye(Z.shape[1])[y]
        return np.asarray(3.0 * R * np.abs(R))


def test_any_residual_of_the_intercept_is_charged() -> None:
    """A K-score loss of the user's own, at points where the multipliers are nowhere near balanced."""
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(3), rng.integers(0, 3, 37)]
    X = rng.normal(size=(40, 3)) + np.eye(3)[y]
    problem = JointProblem(as_design(X, 1), y, None, L2(1e-2), True, loss=Cubic(), n_classes=3)
    best = fit_problem(problem, tol=1e-6)
    assert best.certificate.relative_gap < 1e-4
    for _ in range(50):
        w = best.w + rng.normal(size=best.w.shape) * 10.0 ** rng.uniform(-6, 1)
        at = problem.design.scores(w)
        assert dual_bound(problem, problem.dual_at(at), problem.value(w, at)).value <= best.certificate.primal


@pytest.mark.parametrize(
    ("loss", "scheme"), [("log", "softmax"), ("log", "ovo"), ("exponential", "ovr"), ("hinge", "ovr")]
)
def test_a_large_column_of_rows_whose_multipliers_are_0(loss: str, scheme: str) -> None:
    """What rounds the sums of the others is their own size."""
    for seed in range(3):
        X, _ = scaled("rare", seed, 48)
        y = np.r_[np.arange(3), np.random.default_rng(seed).integers(0, 3, 45)]
        model = LinearClassifier(loss, multiclass=scheme, alpha=1e-6, fit_intercept=False).fit(X, y)
        assert model.certificate_.allowance <= 1e-7 * model.certificate_.primal
        assert verify(model, X, y)


@pytest.mark.parametrize("kind", ["large and small", "constant", "offset"])
@pytest.mark.parametrize("scheme", ["softmax", "crammer_singer"])
@pytest.mark.parametrize("n", [60, 600])
def test_three_classes(scheme: str, kind: str, n: int) -> None:
    X, _ = scaled(kind, 3, n)
    y = np.random.default_rng(4).integers(0, 3, n)
    wide = np.column_stack([X, np.random.default_rng(5).normal(size=(n, 0 if n < 100 else 60))])
    model = LinearClassifier("log" if scheme == "softmax" else "hinge", multiclass=scheme, alpha=1e-2)
    model.fit(wide, y)
    assert model.certificate_.relative_gap < 1e-4
    assert verify(model, wide, y)


def test_a_large_constant_column_beside_a_large_one() -> None:
    """A common shift of a large column's weights changes no loss: to rounding the penalty does not hold it either."""
    X, _ = scaled("large and small", 1)
    X[:, 3] = 1e9
    y = np.random.default_rng(2).integers(0, 4, len(X))
    for alpha in (1e-6, 1e-4):
        model = LinearClassifier("log", multiclass="softmax", alpha=alpha).fit(X, y)
        assert model.certificate_.relative_gap < 1e-4
        assert verify(model, X, y)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", [*CONVEX, *JOINT])
def test_more_columns_than_rows(loss: str, intercept: bool) -> None:
    """The rows are apart, 1 − M is about α: what rounds a score by 1e-16 is 1e9 times as much in v."""
    scheme = {"softmax": "log", "crammer_singer": "hinge", "one_of_k": "squared"}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(15, 40)) * np.r_[1e9, 1e-9, np.ones(38)]
        y = np.arange(15) % (4 if loss in JOINT else 2)
        model = LinearClassifier(
            scheme.get(loss, loss), multiclass=loss if loss in JOINT else "auto", alpha=1e-6, fit_intercept=intercept
        ).fit(X, y)
        assert model.certificate_.relative_gap <= 1e-4
        assert verify(model, X, y)


def exact_value(model: LinearClassifier, X: Array, y: Array) -> Fraction:
    """P of the hinge loss, or of that of Crammer and Singer, in whole numbers."""
    n, W, b = len(X), model.coef_, model.intercept_
    total = Fraction(0)
    for row, label in zip(X, y, strict=True):
        x = [Fraction(float(entry)) for entry in row]
        z = [sum(map(Fraction.__mul__, x, map(Fraction, w))) + Fraction(c) for w, c in zip(W, b.tolist(), strict=True)]
        own = z[label] if len(z) > 1 else Fraction(0)
        leads = [own - each for k, each in enumerate(z) if k != label] if len(z) > 1 else [z[0] * (2 * int(label) - 1)]
        total += max(Fraction(0), 1 - min(leads))
    squares = sum(Fraction(float(w)) ** 2 for w in W.ravel())
    return total / n + Fraction(model.certificate_.alpha) / 2 * squares


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_rounding_at_kinks_is_part_of_the_gap(seed: int, classes: int) -> None:
    """Of rows that are apart P is about α: a margin of 1 − 1e-16 in the place of 1 is no longer nothing beside it."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_cauchy(size=(30, 80)), np.arange(30) % classes
    scheme, alpha = ("auto", 5e-7) if classes == 2 else ("crammer_singer", 1e-5)
    model = LinearClassifier("hinge", multiclass=scheme, alpha=alpha).fit(X, y)
    assert model.certificate_.holds
    claim = model.certificate_
    optimum = Fraction(claim.bound) + Fraction(claim.allowance)  # the dual value: as near as float64 can tell
    assert float(exact_value(model, X, y) - optimum) <= claim.gap + 1e-15 * claim.primal
    assert claim.relative_gap <= 1e-3
