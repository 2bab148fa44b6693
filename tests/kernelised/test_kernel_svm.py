"""KernelSVM by truth: closed forms, quadratic programs, SVC, LinearSVM, and itself along other paths."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

from linsep import KernelSVM, LinearSVM, OneVsOne, Status
from linsep.certify import Kind
from linsep.errors import InvalidData, InvalidParameter, InvalidType, NotCertified

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
MOONS_X, MOONS_Y = make_moons(240, noise=0.25, random_state=0)
FUNCTIONS = {
    "linear": lambda A, B: linear_kernel(A, B),
    "polynomial": lambda A, B: polynomial_kernel(A, B, degree=3, gamma=0.7, coef0=1.0),
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.7),
}


def svm(kernel: Any, **given: Any) -> KernelSVM:
    given = {"gamma": 0.7, "coef0": 1.0, "alpha": 1e-2, "tol": 1e-9} | given
    return KernelSVM(kernel, **given)


def beta_of(model: KernelSVM, n: int) -> np.ndarray:
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def test_two_points_in_closed_form() -> None:
    """β = 2/‖x − z‖² in the space of φ while C allows it: (φ(x) − φ(z))·β has margin 1 on both."""
    X, y = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 1])
    model = KernelSVM("linear", alpha=1e-3).fit(X, y)
    assert model.dual_coef_.ravel() == pytest.approx([-0.25, 0.25])
    assert model.intercept_ == pytest.approx([-1.5])
    assert model.decision_function(X) == pytest.approx([-1.0, 1.0])
    rbf = KernelSVM("rbf", gamma=0.1, alpha=1e-3).fit(X, y)
    assert rbf.dual_coef_.ravel() == pytest.approx(np.array([-1.0, 1.0]) / (1 - np.exp(-0.8)))
    assert rbf.certificate_.primal == pytest.approx(0.5e-3 * 2 / (1 - np.exp(-0.8)))
    bounded = KernelSVM("linear", alpha=4.0).fit(X, y)
    assert bounded.dual_coef_.ravel() == pytest.approx([-0.125, 0.125])


@pytest.mark.parametrize("kernel", FUNCTIONS)
@pytest.mark.parametrize("intercept", [True, False])
def test_small_quadratic_programs(kernel: str, intercept: bool) -> None:
    """The dual by an independent solver; the certificate's interval contains its value."""
    X, y = MOONS_X[:25], np.where(MOONS_Y[:25] == 1, 1.0, -1.0)
    K, alpha = FUNCTIONS[kernel](X, X), 0.02
    C = 1.0 / (25 * alpha)
    sums = [{"type": "eq", "fun": lambda a: y @ a, "jac": lambda a: y}] if intercept else []
    Q = K * np.outer(y, y)
    solved = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(), np.zeros(25), jac=lambda a: Q @ a - 1, method="SLSQP",
        bounds=[(0.0, C)] * 25, constraints=sums, options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    model = svm(kernel, alpha=alpha, fit_intercept=intercept).fit(X, y)
    assert model.certificate_.holds
    assert model.certificate_.bound <= -alpha * solved.fun * (1 + 1e-6)
    assert model.certificate_.primal == pytest.approx(-alpha * solved.fun, rel=1e-6)
    assert model.certificate_.primal >= -alpha * solved.fun * (1 - 1e-6)
    if not intercept:
        assert model.intercept_[0] == 0.0


@pytest.mark.parametrize("kernel", FUNCTIONS)
def test_the_dual_objective_of_svc(kernel: str) -> None:
    n = len(MOONS_Y)
    model = svm(kernel).fit(MOONS_X, MOONS_Y)
    name = "poly" if kernel == "polynomial" else kernel
    other = SVC(kernel=name, gamma=0.7, coef0=1.0, degree=3, C=1 / (n * 1e-2), tol=1e-8).fit(MOONS_X, MOONS_Y)
    K, y = FUNCTIONS[kernel](MOONS_X, MOONS_X), 2.0 * MOONS_Y - 1.0
    theirs = np.zeros(n)
    theirs[other.support_] = other.dual_coef_[0]
    values = [y @ b - 0.5 * b @ K @ b for b in (beta_of(model, n), theirs)]
    assert values[0] == pytest.approx(values[1], rel=1e-7)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-4)
    np.testing.assert_allclose(model.decision_function(MOONS_X), other.decision_function(MOONS_X), atol=1e-4)


@pytest.mark.parametrize("tol", [0.5, 1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("alpha", [1.0, 1e-2, 1e-5])
def test_the_gap_bounds_the_true_excess(tol: float, alpha: float) -> None:
    best = svm("rbf", alpha=alpha, tol=1e-10).fit(MOONS_X, MOONS_Y).certificate_
    rough = svm("rbf", alpha=alpha, tol=tol).fit(MOONS_X, MOONS_Y).certificate_
    assert rough.holds
    assert rough.bound <= best.primal
    assert rough.primal - best.bound >= 0.0
    assert rough.gap >= rough.primal - best.primal
    assert rough.relative_gap <= tol


def test_the_value_is_that_of_the_model() -> None:
    """P from the decision function alone."""
    weights = np.random.default_rng(0).integers(0, 4, 240).astype(float)
    model = svm("rbf").fit(MOONS_X, MOONS_Y, sample_weight=weights)
    y, beta = 2.0 * MOONS_Y - 1.0, beta_of(model, 240)
    hinge = np.maximum(0.0, 1.0 - y * model.decision_function(MOONS_X))
    norm = beta @ rbf_kernel(MOONS_X, gamma=0.7) @ beta
    assert model.certificate_.primal == pytest.approx(weights @ hinge / weights.sum() + 0.5e-2 * norm, rel=1e-10)
    assert (np.abs(beta) <= weights / (weights.sum() * 1e-2) * (1 + 1e-12)).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_the_linear_kernel_is_the_linear_svm(intercept: bool) -> None:
    kernel = svm("linear", alpha=1e-2, tol=1e-6, fit_intercept=intercept).fit(MOONS_X, MOONS_Y).certificate_
    linear = LinearSVM(alpha=1e-2, fit_intercept=intercept).fit(MOONS_X, MOONS_Y).certificate_
    assert kernel.bound <= linear.primal
    assert linear.bound <= kernel.primal
    assert kernel.primal == pytest.approx(linear.primal, rel=1e-5)


@pytest.mark.parametrize("kernel", FUNCTIONS)
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_named_precomputed_and_callable_agree(kernel: str, multiclass: str) -> None:
    K = FUNCTIONS[kernel](IRIS_X, IRIS_X)
    one = svm(kernel, multiclass=multiclass, tol=1e-8).fit(IRIS_X, IRIS_Y)
    two = svm("precomputed", multiclass=multiclass, tol=1e-8).fit(K, IRIS_Y)
    three = svm(FUNCTIONS[kernel], multiclass=multiclass, tol=1e-8).fit(IRIS_X, IRIS_Y)
    four = svm(FUNCTIONS[kernel], multiclass=multiclass, tol=1e-8, cache_size=0.05).fit(IRIS_X, IRIS_Y)
    scores = one.decision_function(IRIS_X)
    for other, rows in ((two, K), (three, IRIS_X), (four, IRIS_X)):
        np.testing.assert_allclose(other.decision_function(rows), scores, atol=1e-4)
        for ours, theirs in zip(one.certificate_.parts, other.certificate_.parts, strict=True):
            assert theirs.holds
            assert max(ours.bound, theirs.bound) <= min(ours.primal, theirs.primal)


@pytest.mark.parametrize("kernel", FUNCTIONS)
def test_sparse_is_dense(kernel: str) -> None:
    X = np.where(np.abs(MOONS_X) < 0.4, 0.0, MOONS_X)
    dense = svm(kernel).fit(X, MOONS_Y)
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X)):
        model = svm(kernel).fit(rows, MOONS_Y)
        np.testing.assert_array_equal(beta_of(model, 240), beta_of(dense, 240))
        np.testing.assert_array_equal(model.decision_function(rows), dense.decision_function(X))
        assert sparse.issparse(model.support_vectors_)
    called = svm(FUNCTIONS[kernel], tol=1e-8).fit(sparse.csr_array(X), MOONS_Y)
    np.testing.assert_allclose(called.decision_function(X), dense.decision_function(X), atol=1e-4)


def test_the_same_bits_for_any_threads_and_cache() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 60))
    y = X[:, 0] * X[:, 1] > 0
    models = [
        KernelSVM(gamma=0.02, alpha=1e-3, tol=1e-2, **how).fit(X, y)
        for how in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 3, "cache_size": 1.0})
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        assert (model.intercept_ == models[0].intercept_).all()
        np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))


def test_a_cache_of_two_rows() -> None:
    small = svm("rbf", cache_size=1e-6).fit(MOONS_X, MOONS_Y)
    assert small.certificate_.holds
    assert (small.dual_coef_ == svm("rbf").fit(MOONS_X, MOONS_Y).dual_coef_).all()


@pytest.mark.parametrize("shrinking", [True, False])
def test_shrinking_changes_nothing_but_the_way(shrinking: bool) -> None:
    model = svm("rbf", alpha=1e-6, tol=1e-6, shrinking=shrinking).fit(MOONS_X, MOONS_Y)
    assert model.certificate_.holds
    best = svm("rbf", alpha=1e-6, tol=1e-8).fit(MOONS_X, MOONS_Y).certificate_
    assert best.bound <= model.certificate_.primal <= best.primal * (1 + 2e-6)


def test_votes_on_iris_are_those_of_svc() -> None:
    """Each pair of classes has 100 rows, so C = 1/(100 α)."""
    grid = np.random.default_rng(0).uniform(IRIS_X.min(0), IRIS_X.max(0), (500, 4))
    for C in (0.1, 1.0, 10.0):
        model = KernelSVM(gamma=0.5, alpha=1 / (100 * C), tol=1e-8).fit(IRIS_X, IRIS_Y)
        other = SVC(gamma=0.5, C=C, tol=1e-6).fit(IRIS_X, IRIS_Y)
        assert (model.predict(IRIS_X) == other.predict(IRIS_X)).all()
        pairs = OneVsOne.pairs(3)
        votes = SVC(gamma=0.5, C=C, tol=1e-6, decision_function_shape="ovo").fit(IRIS_X, IRIS_Y).decision_function(grid)
        counts = np.zeros((500, 3))
        for k, (i, j) in enumerate(zip(*pairs, strict=True)):
            counts[np.arange(500), np.where(votes[:, k] > 0, i, j)] += 1
        clear = counts.max(axis=1) == 2
        assert (model.predict(grid)[clear] == other.predict(grid)[clear]).all()


def test_weights_are_copies() -> None:
    weights = np.random.default_rng(1).integers(0, 3, 240)
    copies = np.repeat(np.arange(240), weights)
    one = svm("rbf").fit(MOONS_X, MOONS_Y, sample_weight=weights)
    two = svm("rbf").fit(MOONS_X[copies], MOONS_Y[copies])
    assert one.certificate_.primal == pytest.approx(two.certificate_.primal, rel=1e-8)
    np.testing.assert_allclose(one.decision_function(MOONS_X), two.decision_function(MOONS_X), atol=1e-3)
    balanced = svm("rbf", class_weight={0: 2.0, 1: 1.0}).fit(MOONS_X, MOONS_Y)
    twice = np.r_[np.arange(240), np.flatnonzero(MOONS_Y == 0)]
    again = svm("rbf").fit(MOONS_X[twice], MOONS_Y[twice])
    assert balanced.certificate_.primal == pytest.approx(again.certificate_.primal, rel=1e-8)


def test_the_sigmoid_kernel_ends_at_a_stationary_point() -> None:
    model = KernelSVM("sigmoid", gamma=2.0, coef0=-1.0, alpha=1e-3, tol=1e-4).fit(MOONS_X, MOONS_Y)
    assert np.linalg.eigvalsh(sigmoid_kernel(MOONS_X, gamma=2.0, coef0=-1.0)).min() < -1.0
    assert model.status_ is Status.STATIONARY
    assert model.certificate_.kind is Kind.STATIONARY
    assert not model.certificate_.holds
    assert model.certificate_.gradient < 0.1
    assert "none: the kernel is not known to be positive semi-definite" in model.summary()
    assert "a stationary point of the dual" in model.summary()


def test_an_indefinite_matrix_is_found_out() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(80, 80))
    model = KernelSVM("precomputed", alpha=1e-2).fit(A + A.T, np.arange(80) % 2)
    assert model.status_ is Status.STATIONARY
    with pytest.raises(InvalidData, match="not symmetric"):
        KernelSVM("precomputed").fit(A, np.arange(80) % 2)


def test_a_semidefinite_matrix_of_low_rank_is_certified() -> None:
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = X[:, 0] > 0.3
    model = KernelSVM("precomputed", alpha=1e-3, tol=1e-6).fit(X @ X.T, y)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.holds


def test_budgets_are_kept_and_warned_of() -> None:
    with pytest.warns(NotCertified, match=r"max_iter was reached.*Remedy: scale the columns"):
        model = svm("rbf", max_iter=5).fit(MOONS_X, MOONS_Y)
    assert model.status_ is Status.MAX_ITER
    assert model.n_iter_ == 5
    best = svm("rbf").fit(MOONS_X, MOONS_Y).certificate_
    assert model.certificate_.bound <= best.primal <= model.certificate_.primal
    with pytest.warns(NotCertified, match=r"time_limit was reached.*problems, the worst is class"):
        model = svm("rbf", time_limit=1e-9, alpha=1e-9, tol=1e-12).fit(IRIS_X, IRIS_Y)
    assert model.status_ is Status.TIME_LIMIT
    assert len(model.certificate_.parts) == 3


def test_ctrl_c_keeps_the_best_point() -> None:
    calls = 0

    def interrupted(A: Any, B: Any) -> np.ndarray:
        nonlocal calls
        calls += len(A) == 1 and len(B) > 1
        if calls == 30:
            raise KeyboardInterrupt
        return rbf_kernel(A, B, gamma=0.7)

    with pytest.warns(NotCertified, match="interrupted"):
        model = svm(interrupted, cache_size=1e-3).fit(MOONS_X, MOONS_Y)
    assert model.status_ is Status.INTERRUPTED
    assert model.certificate_.primal < 1.0
    assert model.certificate_.gap < 1.0


def test_attributes_and_summary() -> None:
    model = KernelSVM(gamma=0.5, alpha=1e-2).fit(IRIS_X, IRIS_Y)
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert sparse.issparse(model.dual_coef_)
    assert (model.support_vectors_ == IRIS_X[model.support_]).all()
    assert model.n_support_.sum() == len(model.support_)
    assert (model.n_support_ == np.bincount(IRIS_Y[model.support_])).all()
    assert len(model.certificate_.parts) == 3
    assert len(model.history_) >= 3
    text = model.summary()
    for expected in ("rbf, exp(−0.5‖x − z‖²)", "holds", "worst of 3 problems", "SMO", "of 150 rows"):
        assert expected in text
    rest = KernelSVM(gamma=0.5, multiclass="ovr").fit(IRIS_X, IRIS_Y)
    assert isinstance(rest.dual_coef_, np.ndarray)
    assert rest.decision_function(IRIS_X).shape == (150, 3)
    again = pickle.loads(pickle.dumps(model))
    assert (again.decision_function(IRIS_X) == model.decision_function(IRIS_X)).all()


def test_inside_scikit_learn() -> None:
    grid = GridSearchCV(KernelSVM(), {"gamma": [0.1, 1.0], "alpha": [1e-3, 1e-2]}, cv=3).fit(IRIS_X, IRIS_Y)
    assert grid.best_score_ > 0.94
    K = rbf_kernel(IRIS_X, gamma=0.5)
    assert cross_val_score(KernelSVM("precomputed", alpha=1e-2), K, IRIS_Y, cv=3).min() > 0.9


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kernel": "gaussian"}, InvalidParameter, "unknown kernel 'gaussian'"),
        ({"gamma": -1.0}, InvalidParameter, "gamma=-1.0"),
        ({"alpha": 0.0}, InvalidParameter, "alpha=0.0"),
        ({"degree": 0}, InvalidParameter, "degree=0"),
        ({"coef0": "x"}, InvalidType, "coef0='x'"),
        ({"cache_size": 0}, InvalidParameter, "cache_size=0"),
        ({"gamma": True}, InvalidParameter, "gamma=True"),
        ({"kernel": "linear", "gamma": "nonsense"}, InvalidParameter, "unknown gamma 'nonsense'"),
        ({"multiclass": "softmax"}, InvalidParameter, "unknown multiclass 'softmax'"),
        ({"multiclass": 3}, InvalidType, "multiclass=3"),
        ({"tol": 0.0}, InvalidParameter, "tol=0.0"),
        ({"kernel": "precomputed"}, InvalidData, "square matrix"),
        ({"kernel": lambda A, B: np.zeros(3)}, InvalidData, r"gave shape \(3,\)"),
        ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, InvalidData, "not finite"),
    ],
)
def test_bad_parameters(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        KernelSVM(**given).fit(MOONS_X, MOONS_Y)


def test_overflow_is_explained() -> None:
    with pytest.raises(InvalidData, match="overflows float64"):
        KernelSVM("polynomial", degree=9, gamma=1.0).fit(1e40 * MOONS_X, MOONS_Y)
