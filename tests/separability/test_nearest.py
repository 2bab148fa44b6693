"""Nearest points of polytopes, sums in twice the precision, coordinates of wide rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linsep.data.source import as_design
from linsep.separability.accurate import row_dots, two_product, two_sum
from linsep.separability.coordinates import InnerProducts, working_coordinates
from linsep.separability.crowd import crowd_start, gather
from linsep.separability.nearest import nearest_point
from linsep.separability.rows import accurate_combination, accurate_scores

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda v: v == 0.0 or abs(v) > 1e-100)


@given(NUMBERS, NUMBERS)
def test_sums_and_products_are_exact(a: float, b: float) -> None:
    s, e = two_sum(np.array([a]), np.array([b]))
    assert Fraction(s[0]) + Fraction(e[0]) == Fraction(a) + Fraction(b)
    p, e = two_product(np.array([a]), np.array([b]))
    assert Fraction(p[0]) + Fraction(e[0]) == Fraction(a) * Fraction(b)


@given(SEEDS, st.integers(1, 40))
def test_dots_that_cancel(seed: int, k: int) -> None:
    """Σ ab is 1e-12 of its terms: right to the last digits all the same."""
    random = np.random.default_rng(seed)
    a, b = random.standard_normal(2 * k + 1), random.standard_normal(2 * k + 1)
    a[k : 2 * k], b[k : 2 * k] = -a[:k], b[:k]
    a[-1] *= 1e-12
    a, b = a[order := random.permutation(len(a))], b[order]
    exact = sum(Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True))
    assert row_dots(a[None, :], b)[0] == pytest.approx(float(exact), rel=1e-15)


def test_rows_of_every_storage() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((12, 7)) * (random.random((12, 7)) < 0.5)
    w, chosen, c = random.standard_normal(8), np.array([3, 3, 0, 11]), random.standard_normal(4)
    for rows in (X, sparse.csr_array(X), np.asfortranarray(X)):
        design = as_design(rows, 1)
        assert np.allclose(accurate_scores(design, chosen, w), X[chosen] @ w[:-1] + w[-1], rtol=1e-14)
        assert np.allclose(accurate_combination(design, chosen, c), c @ X[chosen], atol=1e-15)


def plain_nearest(rows: np.ndarray, steps: int = 20_000) -> float:
    """‖z‖ of one group by Frank–Wolfe steps with exact line search: slow, and never below the truth."""
    z = rows[0].copy()
    for _ in range(steps):
        step = rows[int((rows @ z).argmin())] - z
        square = float(step @ step)
        if square == 0.0:
            break
        z = z + min(1.0, max(0.0, -float(z @ step) / square)) * step
    return float(np.linalg.norm(z))


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(1, 5))
def test_nearest_point_of_one_hull(seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((15, d)) + 3.0 * np.eye(d)[0]
    found = nearest_point(rows, np.zeros(15, np.int64), (np.array([0]), np.ones(1)), 1e-12)
    length = float(np.linalg.norm(found.z))
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights > 0.0).all()
    assert len(found.chosen) <= d + 1
    assert length <= plain_nearest(rows, 2000) + 1e-9
    if length > 1e-12:
        assert (rows @ found.z).min() >= length**2 * (1.0 - 1e-9)  # nothing is nearer: the proof


def test_crowds_are_a_start_not_an_answer() -> None:
    """On independent rows the crowd is the optimum; its weights are feasible always."""
    random = np.random.default_rng(0)
    rows, groups = random.standard_normal((60, 200)), np.arange(60) % 2
    first = np.array([0, 1]), np.ones(2)
    chosen, weights = crowd_start(rows, groups, np.arange(60), first)
    assert np.allclose(np.bincount(groups[chosen], weights=weights), 1.0)
    assert (weights > 0.0).all()
    plain = nearest_point(rows, groups, first, 1e-13)
    assert np.allclose(weights @ rows[chosen], plain.z, atol=1e-9)
    bad = crowd_start(rows, groups, np.arange(0, 60, 2), first)  # rows of one group only
    assert bad is first


@pytest.mark.parametrize("inside", [slice(None), slice(0, 9)])
def test_a_crowd_that_settles_is_the_optimum(inside: slice) -> None:
    """Also with copies of rows, which depend on each other."""
    random = np.random.default_rng(2)
    X = random.standard_normal((80, 3000)) * (random.random((80, 3000)) < 0.02) + 0.01
    X[40:50], groups = X[:10], np.arange(80) % 2
    y = np.where(groups, -1.0, 1.0)
    first = np.zeros(80, dtype=bool)
    first[inside] = True
    found = InnerProducts(as_design(sparse.csr_array(X), 1), y).nearest(np.arange(80), groups, first)
    assert found is not None
    plain = nearest_point(y[:, None] * X, groups, (np.array([0, 1]), np.ones(2)), 1e-13)
    assert np.allclose(found.z, plain.z, atol=1e-9)
    prices = y * (X @ found.z)
    assert sum(prices[groups == g].min() for g in (0, 1)) >= float(found.z @ found.z) * (1.0 - 1e-11)


def test_a_crowd_without_rows_of_a_group_says_so() -> None:
    assert gather(np.eye(4), np.array([0, 0, 1, 1]), np.array([True, True, False, False])) is None


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_coordinates_keep_inner_products(storage: type) -> None:
    random = np.random.default_rng(1)
    X, y = random.standard_normal((60, 2500)), np.where(np.arange(60) % 2, 1.0, -1.0)
    X[7] = X[9]
    chosen, centre = np.arange(60), np.zeros(2500)
    working = working_coordinates(as_design(storage(X), 1), chosen, y, centre)
    assert working.table.shape[1] <= 60
    assert np.allclose(working.table @ working.table.T, np.outer(y, y) * (X @ X.T), atol=1e-9)
    assert working.independent is not None
    assert len(working.independent) == 59


def test_inner_products_are_kept_and_grow() -> None:
    rng = np.random.default_rng(0)
    X, y = sparse.random_array((60, 300), density=0.05, format="csr", rng=rng), rng.choice([-1.0, 1.0], 60)
    products, signed = InnerProducts(as_design(X, 1), y), X.multiply(y[:, None]).tocsr()
    for chosen in (np.arange(3, 40, 3), np.arange(1, 60, 1), np.arange(60)):
        np.testing.assert_allclose(products.of(chosen), (signed[chosen] @ signed[chosen].T).toarray(), atol=1e-15)
