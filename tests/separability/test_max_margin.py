"""The maximum-margin hyperplane: closed forms, constructed optima, a peer, KKT, invariances, degenerate sets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from linsep import HardMarginSVM, novikoff_bound, training_margin
from linsep.errors import NotCertified

SEEDS = st.integers(0, 2**32 - 1)
MUSHROOMS = Path(__file__).parents[2].parent / "shared" / "data" / "mushrooms.svm.gz"


def separable(seed: int, n: int, d: int, margin: float = 0.2) -> tuple[Any, Any]:
    """Random rows moved away from a random hyperplane, both classes present."""
    random = np.random.default_rng(seed)
    w = random.standard_normal(d)
    w /= np.linalg.norm(w)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = random.standard_normal((n, d))
    s = X @ w
    X += np.outer(y * (margin + np.abs(s)) - s, w)
    return X + random.standard_normal(d), y


def check_kkt(model: HardMarginSVM, X: Any, y: Any, tol: float = 1e-9) -> None:
    """αᵢ ≥ 0, Σ αᵢyᵢ = 0, w = Σ αᵢyᵢxᵢ, margins ≥ 1, equal to 1 on the support."""
    signs = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    margins = signs * (X @ model.coef_[0] + model.intercept_[0])
    alpha = model.dual_coef_[0] * signs[model.support_]
    size = float(np.abs(model.coef_).max())
    assert (alpha > 0.0).all()
    if model.fit_intercept:
        assert abs(model.dual_coef_.sum()) <= tol * alpha.sum()
    assert np.allclose(model.dual_coef_[0] @ model.support_vectors_, model.coef_[0], atol=tol * size)
    assert margins.min() >= 1.0 - tol
    assert np.allclose(margins[model.support_], 1.0, atol=tol)
    assert alpha.sum() == pytest.approx(2.0 * model.primal_, rel=1e-9)


# -- closed forms --------------------------------------------------------------------------------------------


def test_two_points() -> None:
    model = HardMarginSVM().fit([[1.0, 2.0], [4.0, 6.0]], [0, 1])
    assert model.margin_ == pytest.approx(2.5, rel=1e-15)
    assert np.allclose(model.coef_, 2.0 * np.array([[3.0, 4.0]]) / 25.0, rtol=1e-15)
    assert np.allclose(model.dual_coef_, [[-2.0 / 25.0, 2.0 / 25.0]])
    assert model.gap_ <= 1e-14


def test_square_with_degenerate_support() -> None:
    """Four corners, all on the margin; two of them may carry all the weight."""
    X, y = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), [0, 0, 1, 1]
    model = HardMarginSVM().fit(X, y)
    assert model.margin_ == pytest.approx(1.0, rel=1e-15)
    assert np.allclose(model.coef_, [[1.0, 0.0]], atol=1e-15)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-15)
    check_kkt(model, X, y)


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_simplex_against_the_origin(d: int) -> None:
    """Unit vectors against 0: the nearest point of the simplex is (1/d, …, 1/d), at distance 1/√d."""
    X, y = np.vstack([np.eye(d), np.zeros(d)]), [1] * d + [0]
    model = HardMarginSVM().fit(X, y)
    assert model.margin_ == pytest.approx(0.5 / np.sqrt(d), rel=1e-14)
    assert np.allclose(model.coef_, 2.0, rtol=1e-13)
    assert model.intercept_[0] == pytest.approx(-1.0, rel=1e-13)
    assert np.allclose(model.dual_coef_[0, :d], 2.0, rtol=1e-13)


def test_through_the_origin() -> None:
    """Signed rows (2, 0) and (0, 2) · their hull's nearest point is (1, 1)."""
    X, y = [[2.0, 0.0], [0.0, -2.0]], [1, -1]
    model = HardMarginSVM(fit_intercept=False).fit(X, y)
    assert model.margin_ == pytest.approx(np.sqrt(2.0), rel=1e-15)
    assert model.intercept_[0] == 0.0
    assert training_margin(X, y, through_origin=True) == model.margin_
    assert novikoff_bound(X, y, bias=False) == pytest.approx(4.0 / 2.0, rel=1e-14)


@given(SEEDS, st.integers(2, 8))
def test_constructed_optimum(seed: int, d: int) -> None:
    """w*, multipliers α and support vectors with margin 1 are chosen; rows beyond the margin change nothing."""
    random = np.random.default_rng(seed)
    w, b = random.standard_normal(d), random.standard_normal()
    basis = np.linalg.svd(w[None, :])[2][1:]
    y = np.array([1.0, 1.0, -1.0, -1.0])
    t = random.standard_normal((2, d - 1))
    sides = np.vstack([t[0], -t[0], t[1], -t[1]]) @ basis  # each pair is centred on the foot of w
    support = sides + np.outer(y - b, w / (w @ w))
    far_y = np.where(np.arange(30) % 2, 1.0, -1.0)
    far = random.standard_normal((30, d - 1)) @ basis + np.outer(far_y * (1.0 + random.random(30)) - b, w / (w @ w))
    X, labels = np.vstack([far, support]), np.append(far_y, y)
    model = HardMarginSVM().fit(X, labels)
    assert model.margin_ == pytest.approx(1.0 / np.linalg.norm(w), rel=1e-12)
    assert np.allclose(model.coef_[0], w, atol=1e-11 * np.linalg.norm(w))
    assert model.primal_ == pytest.approx(0.5 * w @ w, rel=1e-12)
    assert model.gap_ <= 1e-12


# -- other libraries, KKT ------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_against_a_quadratic_program(intercept: bool) -> None:
    X, y = separable(3, 12, 2)
    X = X if intercept else X - X.mean(axis=0) + 5.0 * y[:, None]
    rows = np.column_stack([X, np.full(12, float(intercept))]) * y[:, None]
    found = minimize(
        lambda v: 0.5 * v[:2] @ v[:2], [1.0, 1.0, 0.0], jac=lambda v: np.append(v[:2], 0.0), method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: rows @ v - 1.0, "jac": lambda _: rows}, options={"ftol": 1e-14},
    )  # fmt: skip
    model = HardMarginSVM(fit_intercept=intercept).fit(X, y)
    assert model.primal_ == pytest.approx(found.fun, rel=1e-8)
    assert np.allclose(model.coef_[0], found.x[:2], atol=1e-6)


def test_more_exact_than_libsvm() -> None:
    from sklearn.svm import SVC

    X, y = separable(1, 500, 6, margin=0.3)
    peer, model = SVC(kernel="linear", C=1e10, tol=1e-6).fit(X, y), HardMarginSVM().fit(X, y)
    reached = (y * peer.decision_function(X)).min() / np.linalg.norm(peer.coef_)
    assert model.margin_ == pytest.approx(reached, rel=1e-4)
    assert model.margin_ >= reached * (1.0 - 1e-12)


@settings(deadline=None, max_examples=60)
@given(SEEDS, st.integers(2, 60), st.integers(1, 30), st.booleans())
def test_optimality_conditions(seed: int, n: int, d: int, intercept: bool) -> None:
    X, y = separable(seed, n, d)
    X = X if intercept else X - X[:1] + 10.0 * y[:, None] * np.eye(d)[0]
    model = HardMarginSVM(fit_intercept=intercept).fit(X, y)
    check_kkt(model, X, y)
    assert model.gap_ <= 1e-10
    assert model.dual_ <= model.primal_ * (1.0 + 1e-15)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.floats(1e-3, 1e3))
def test_invariances(seed: int, factor: float) -> None:
    """Scaling scales the margin; rotation, translation, order and copies of rows leave it."""
    X, y = separable(seed, 30, 4)
    random = np.random.default_rng(seed)
    margin, order = training_margin(X, y), random.permutation(30)
    Q = np.linalg.qr(random.standard_normal((4, 4)))[0]
    assert training_margin(factor * X, y) == pytest.approx(factor * margin, rel=1e-9)
    assert training_margin(X @ Q + random.standard_normal(4), y) == pytest.approx(margin, rel=1e-9)
    assert training_margin(X[order], y[order]) == pytest.approx(margin, rel=1e-12)
    assert training_margin(np.repeat(X, 3, axis=0), np.repeat(y, 3)) == pytest.approx(margin, rel=1e-12)
    assert training_margin(X, -y) == pytest.approx(margin, rel=1e-12)
    more = np.vstack([X, X[:1]])
    assert training_margin(more, np.append(y, y[0])) <= margin * (1.0 + 1e-12)


def test_storage_and_threads_do_not_matter() -> None:
    X, y = separable(5, 400, 20)
    X[np.abs(X) < 0.5] = 0.0
    X[:, 0] += 3.0 * y
    model = HardMarginSVM(n_jobs=1).fit(X, y)
    assert (HardMarginSVM(n_jobs=2).fit(X, y).coef_ == model.coef_).all()
    for other in (sparse.csr_array(X), sparse.csc_matrix(X), np.asfortranarray(X)):
        same = HardMarginSVM().fit(other, y)
        assert same.margin_ == pytest.approx(model.margin_, rel=1e-12)
        assert (same.support_ == model.support_).all()
    assert sparse.issparse(HardMarginSVM().fit(sparse.csr_array(X), y).support_vectors_)
    single = HardMarginSVM().fit(X.astype(np.float32), y)
    exact = HardMarginSVM().fit(X.astype(np.float32).astype(np.float64), y)
    assert single.margin_ == pytest.approx(exact.margin_, rel=1e-12)


# -- hard sets -----------------------------------------------------------------------------------------------


def test_fewer_rows_than_features() -> None:
    X, y = np.random.default_rng(0).standard_normal((40, 3000)), np.where(np.arange(40) % 3, 1, -1)
    for rows in (X, sparse.csr_array(X)):
        model = HardMarginSVM().fit(rows, y)
        assert model.gap_ <= 1e-10
        check_kkt(model, X, y, 1e-8)


def test_many_support_vectors_with_copies() -> None:
    """Wide rows, most of them support vectors, some twice."""
    random = np.random.default_rng(0)
    X = sparse.random_array((200, 4000), density=0.01, rng=random, format="csr")
    X = sparse.vstack([X, X[:30]], format="csr")
    y = np.where(np.append(np.arange(200), np.arange(30)) % 2, 1, -1)
    model = HardMarginSVM().fit(X, y)
    assert model.gap_ <= 1e-10
    assert len(model.support_) > 100
    check_kkt(model, X, y, 1e-8)
    dense = HardMarginSVM().fit(X.toarray(), y)
    assert dense.margin_ == pytest.approx(model.margin_, rel=1e-9)


def test_copies_and_collinear_support_vectors() -> None:
    """A whole line of rows on each side, many times: the multipliers are not unique, the hyperplane is."""
    line = np.linspace(-1.0, 1.0, 21)
    up, down = np.column_stack([line, np.ones(21)]), np.column_stack([line, -np.ones(21)])
    X, y = np.vstack([up, down, up, down]), np.repeat([1, 0, 1, 0], 21)
    model = HardMarginSVM().fit(X, y)
    assert model.margin_ == pytest.approx(1.0, rel=1e-15)
    assert np.allclose(model.coef_, [[0.0, 1.0]], atol=1e-14)
    check_kkt(model, X, y)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-8])
def test_nearly_touching(distance: float) -> None:
    """Right to what float64 weights can say."""
    X, y = slanted_gap(distance)
    model = HardMarginSVM(tol=1e-12 / distance).fit(X, y)
    assert model.margin_ == pytest.approx(distance, rel=1e-14 / distance)
    assert model.gap_ <= 1e-14 / distance


def slanted_gap(distance: float) -> tuple[Any, Any]:
    """Two clouds on the two sides of a slanted gap that is tiny beside them, 80 rows on its edges."""
    random = np.random.default_rng(4)
    X = random.standard_normal((300, 3))
    normal = np.array([1.0, 2.0, 2.0]) / 3.0
    y = np.where(np.arange(300) % 2, 1.0, -1.0)
    X -= np.outer(X @ normal, normal)
    X += np.outer(y * (distance + np.where(np.arange(300) < 80, 0.0, random.random(300))), normal)
    return X, y


def test_says_when_float64_is_not_enough() -> None:
    with pytest.warns(NotCertified, match="almost touch"):
        HardMarginSVM(tol=1e-14).fit(*slanted_gap(1e-7))


def test_badly_scaled_features() -> None:
    X, y = separable(8, 200, 5, margin=1.0)
    X *= [1e6, 1.0, 1e-4, 1e3, 1.0]
    model = HardMarginSVM().fit(X, y)
    assert model.gap_ <= 1e-10


@pytest.mark.parametrize("seed", range(6))
def test_scales_that_differ_by_eight_orders(seed: int) -> None:
    """Random labels of more features than rows: separable, by the features of small scale alone if need be."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((20, 24)) * 10.0 ** random.uniform(-4.0, 4.0, 24)
    y = np.where(random.permutation(20) < 10, 1, -1)
    model = HardMarginSVM(tol=1e-6).fit(X, y)
    assert model.gap_ <= 1e-14 * np.linalg.norm(X, axis=1).max() / model.margin_ + 1e-12
    assert (model.predict(X) == y).all()


def test_far_from_the_origin() -> None:
    X, y = separable(8, 200, 5)
    near, far = HardMarginSVM().fit(X, y), HardMarginSVM(tol=1e-6).fit(X + 1e6, y)
    assert far.margin_ == pytest.approx(near.margin_, rel=1e-8)


def test_many_rows() -> None:
    X, y = separable(2, 50_000, 10)
    model = HardMarginSVM().fit(X, y)
    assert model.gap_ <= 1e-10
    check_kkt(model, X, y)


# -- real data -----------------------------------------------------------------------------------------------


def test_mushrooms() -> None:
    """8,124 rows of 112 indicators: exact, from CSR and from a table."""
    from sklearn.datasets import load_svmlight_file

    if not MUSHROOMS.exists():
        pytest.skip("the shared data set mushrooms is not here")
    X, y = load_svmlight_file(str(MUSHROOMS))
    model, table = HardMarginSVM().fit(X, y), HardMarginSVM().fit(X.toarray(), y)
    assert model.gap_ <= 1e-10
    assert model.margin_ == pytest.approx(table.margin_, rel=1e-12)
    assert model.score(X, y) == 1.0
    check_kkt(table, X.toarray(), y)
