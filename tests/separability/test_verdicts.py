"""Verdicts against constructed truth and the oracle in fractions; every witness is verified."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linsep import Separability, errors, separability, verify
from linsep.data import as_design
from linsep.separability import Verdict
from linsep.separability.columns import alone
from linsep.separability.cone import Cone
from tests.separability import oracle


def judged(X: Any, y: Any, **options: Any) -> Separability:
    """The verdict, proved and verified."""
    result = separability(X, y, **options)
    assert result.proved
    checked = verify(result, X, y)
    assert checked.ok, str(checked)
    assert result.verdict.value in str(checked)
    assert bool(result) is (result.verdict is Verdict.SEPARABLE)
    return result


CASES = {
    "AND": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], "SEPARABLE"),
    "XOR": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "NOT_SEPARABLE"),
    "one row a class": ([[1.0], [2.0]], [0, 1], "SEPARABLE"),
    "margin 1e-12": ([[1.0 - 1e-12], [1.0 + 1e-12], [0.0], [2.0]], [0, 1, 0, 1], "SEPARABLE"),
    "neighbouring floats": ([[1.0], [np.nextafter(1.0, 2.0)], [-5.0], [9.0]], [0, 1, 0, 1], "SEPARABLE"),
    "the same point twice": ([[1.0, 2.0], [1.0, 2.0]], [0, 1], "NOT_SEPARABLE"),
    "the same point among others": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "QUASI_SEPARABLE"),
    "collinear": ([[0, 0], [1, 1], [2, 2], [3, 3]], [0, 1, 0, 1], "NOT_SEPARABLE"),
    "collinear, apart": ([[0, 0], [1, 1], [2, 2], [3, 3]], [0, 0, 1, 1], "SEPARABLE"),
    "constant column": ([[1, 0], [1, 1], [1, 2], [1, 3]], [0, 1, 0, 1], "NOT_SEPARABLE"),
    "only constants": ([[1.0], [1.0], [1.0]], [0, 1, 1], "NOT_SEPARABLE"),
    "scales": ([[1e9, 1e-9], [1e9, 2e-9], [2e9, 1e-9], [2e9, 2e-9]], [0, 1, 0, 1], "SEPARABLE"),
    "scales, XOR": ([[1e9, 1e-9], [1e9, 2e-9], [2e9, 1e-9], [2e9, 2e-9]], [0, 1, 1, 0], "NOT_SEPARABLE"),
    "extreme scales": ([[1e120, 1e-120], [1e120, 2e-120], [2e120, 1e-120]], [0, 1, 0], "SEPARABLE"),
    "rare category": ([[0, 3], [0, 1], [0, 4], [0, 2], [1, 2]], [0, 0, 1, 1, 1], "QUASI_SEPARABLE"),
    "three classes in line": ([[0.0], [1.0], [2.0]], [0, 1, 2], "SEPARABLE"),
    "three classes, one apart": ([[0.0], [1.0], [0.0], [1.0], [9.0]], [0, 0, 1, 1, 2], "QUASI_SEPARABLE"),
    "three classes mixed": ([[0.0], [1.0]] * 3, [0, 0, 1, 1, 2, 2], "NOT_SEPARABLE"),
}


@pytest.mark.parametrize("name", CASES)
def test_constructed(name: str) -> None:
    X, y, expected = CASES[name]
    result = judged(np.array(X, dtype=float), y)
    assert result.verdict.name == expected
    assert judged(sparse.csr_matrix(np.array(X, dtype=float)), y).verdict.name == expected


@pytest.mark.parametrize(
    ("X", "y", "expected"),
    [
        ([[1.0], [-1.0]], [1, 0], "SEPARABLE"),
        ([[1.0], [2.0]], [0, 1], "NOT_SEPARABLE"),
        ([[1.0], [0.0], [-1.0]], [1, 0, 0], "QUASI_SEPARABLE"),
        ([[0.0], [0.0]], [0, 1], "NOT_SEPARABLE"),
        ([[1.0, 1.0], [2.0, 2.0], [0.0, 1.0]], [0, 1, 1], "QUASI_SEPARABLE"),
    ],
)
def test_through_the_origin(X: Any, y: Any, expected: str) -> None:
    result = judged(X, y, fit_intercept=False)
    assert result.verdict.name == expected
    assert result.b is None or not np.any(result.b)


numbers = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 1 / 3, 1e-9, 1e9])


@given(data=st.data(), n_classes=st.sampled_from([2, 2, 3]), intercept=st.booleans())
@settings(max_examples=120, deadline=None)
def test_as_the_oracle_says(data: st.DataObject, n_classes: int, intercept: bool) -> None:
    d = data.draw(st.integers(1, 2 if n_classes == 2 else 1))
    n = data.draw(st.integers(n_classes, 7 if n_classes == 2 else 5))
    X = data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    more = st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes)
    y = [*range(n_classes), *data.draw(more)]
    result = judged(X, y, fit_intercept=intercept)
    assert result.verdict.name == oracle.verdict(X, y, intercept)


def test_rows_that_only_rounding_makes_the_same() -> None:
    """(1e-9, 1e9) and (0, 1e9) have the same product with a random vector: it went on for ever."""
    X = [[1e-9, 1e9], [2.0, 1.0], [0.0, 1e9], [-2.0, 1.0], [-1.0, -1.0], [0.0, 1 / 3], [0.0, 1e9]]
    y = [0, 1, 1, 1, 1, 1, 0]
    assert judged(X, y).verdict.name == oracle.verdict(X, y, True)


@given(seed=st.integers(0, 1000), d=st.integers(2, 60))
@settings(max_examples=15, deadline=None)
def test_fewer_rows_than_columns_are_separable(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, d + 1))
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    assert judged(rng.normal(size=(n, d)), y).separable


def test_common_point_has_few_rows_and_equal_means() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(-9, 10, (400, 8)).astype(float), rng.integers(0, 2, 400)
    result = judged(X, y)
    assert result.verdict is Verdict.NOT_SEPARABLE
    assert result.has_optimum
    assert len(result.hull.rows) <= 10
    weights, signs = np.array(result.hull.weights), 2 * y[result.hull.rows] - 1
    assert not (weights * signs @ X[result.hull.rows].astype(int).astype(object)).any()
    assert (weights * signs).sum() == 0
    assert result.residual == result.largest_margin == 0.0


def test_margin_is_that_of_the_hyperplane() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3))
    y = (X @ [1.0, 2.0, -1.0] > 0.1).astype(int)
    result = judged(X, y)
    margins = (2 * y - 1) * (X @ result.w + result.b) / np.linalg.norm(result.w)
    assert margins.min() == pytest.approx(result.margin)
    assert result.margin > 0


def test_quasi_names_rows_and_features() -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=60), np.zeros(60), rng.normal(size=60)])
    y = rng.integers(0, 2, 60)
    chosen = np.flatnonzero(y == 1)[:4]
    X[chosen, 1] = 1.0
    result = judged(X, y)
    assert result.verdict is Verdict.QUASI_SEPARABLE
    assert result.rows.tolist() == chosen.tolist()
    assert len(result.ties) == 56
    assert result.features.tolist() == [1]
    assert result.feature_names == ["x1"]
    assert "'x1'" in result.summary()
    assert result.has_optimum is False


def test_direction_that_no_float_holds() -> None:
    """Ties on the line x₂ = x₁/3 through integers; beside it one row of either class."""
    X = np.array([[0.0, 0.0], [3.0, 1.0], [-3.0, -1.0], [6.0, 2.0], [0.0, 5.0], [0.0, -5.0]])
    result = judged(X, [0, 1, 1, 0, 1, 0])
    assert result.verdict is Verdict.QUASI_SEPARABLE
    assert result.rows.tolist() == [4, 5]


def test_rank_deficient_columns_are_not_quasi_separation() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(-3, 4, (200, 3)).astype(float)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(200)])
    assert judged(X, rng.integers(0, 2, 200)).verdict is Verdict.NOT_SEPARABLE


@pytest.mark.parametrize("n_classes", [2, 3])
def test_storage_threads_and_order_do_not_matter(n_classes: int) -> None:
    rng = np.random.default_rng(5)
    X = (rng.random((150, 6)) < 0.3) * rng.integers(1, 4, (150, 6)).astype(np.float32)
    y = rng.integers(0, n_classes, 150)
    kinds = [X, np.asfortranarray(X), sparse.csr_matrix(X), sparse.csc_matrix(X), X.astype(float)]
    found = [separability(kind, y, n_jobs=1 + k % 2) for k, kind in enumerate(kinds)]
    assert len({r.verdict for r in found}) == 1
    assert len({r.hull.weights for r in found}) == 1
    backwards = separability(X[::-1], y[::-1])
    assert backwards.verdict is found[0].verdict


@pytest.mark.parametrize("whole", [True, False])
def test_many_dimensions_are_decided_exactly(whole: bool) -> None:
    """More weights than the simplex method in integers takes on: one linear system in integers does it."""
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(700, 150)), rng.integers(0, 2, 700)
    result = judged(np.round(9.0 * X) if whole else X, y)
    assert result.verdict is Verdict.NOT_SEPARABLE
    assert result.residual == 0.0
    assert "exactly: so no hyperplane separates strictly" in str(result)


@pytest.mark.usefixtures("unsolved")
def test_many_dimensions_state_the_residual() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(700, 150)), rng.integers(0, 2, 700)
    result = separability(X, y)
    assert result.verdict is Verdict.NOT_SEPARABLE
    assert not result.proved
    assert 0.0 < result.largest_margin < 1e-6
    assert verify(result, X, y).unknown
    assert "no margin exceeds" in str(result)


def test_many_dimensions_separable_and_contradicted() -> None:
    rng = np.random.default_rng(7)
    X = sparse.random(300, 2000, density=0.02, format="csr", random_state=7)
    y = rng.integers(0, 2, 300)
    assert judged(X, y).separable
    assert judged(X, rng.integers(0, 3, 300)).separable
    twice = sparse.vstack([X, X[:1]]).tocsr()
    result = judged(twice, np.append(y, 1 - y[0]))
    assert not result.separable
    assert result.hull.rows.tolist() == [0, 300]


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        ([[1.0], [2.0]], [1, 1], {}, "one class only"),
        ([[1.0], [np.nan]], [0, 1], {}, "NaN"),
        ([[1.0], [2.0]], [0, 1], {"fit_intercept": 1}, "True or False"),
        ([[1.0], [2.0]], [0, 1], {"n_jobs": 0}, "n_jobs"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": 0}, "time_limit=0: allowed"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": "1"}, "time_limit='1': allowed"),
    ],
)
def test_bad_input(X: Any, y: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.LinsepError, match=words):
        separability(X, y, **options)


@pytest.mark.usefixtures("unsolved")
def test_many_classes_without_proof_claim_no_margin() -> None:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(900, 130)), rng.integers(0, 3, 900)
    result = separability(X, y)
    assert result.verdict is Verdict.NOT_SEPARABLE
    assert not result.proved
    assert np.isnan(result.largest_margin)
    assert "not a proof" in result.summary()
    assert verify(result, X, y).unknown


@pytest.mark.parametrize("intercept", [True, False])
def test_many_classes_are_decided_by_pairs(intercept: bool) -> None:
    """More weights than integers decide at once, but not for two classes at a time; a column that depends on others."""
    rng = np.random.default_rng(8)
    X, y = rng.integers(-9, 10, (900, 30)).astype(float), rng.integers(0, 6, 900)
    X[:, 29] = X[:, 0] - X[:, 1]
    result = separability(X, y, fit_intercept=intercept)
    assert result.verdict is Verdict.NOT_SEPARABLE
    assert result.has_optimum
    assert verify(result, X, y).ok


def test_many_classes_of_which_some_can_be_told_apart() -> None:
    rng = np.random.default_rng(9)
    X, y = rng.integers(-9, 10, (600, 25)).astype(float), rng.integers(0, 6, 600)
    X[y == 5] += 100.0  # far from all others
    X[:, 24], X[:7, 24] = 0.0, 1.0
    y[:7] = 3  # a column of one class only
    result = separability(X, y)
    assert result.verdict is Verdict.QUASI_SEPARABLE
    assert result.proved
    assert verify(result, X, y).ok
    assert result.rows is not None
    assert set(np.flatnonzero(y == 5)) | set(range(7)) <= set(result.rows.tolist())


def test_pairs_and_all_at_once_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    from linsep.separability.judge import judge

    module = sys.modules[judge.__module__]
    decided = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        K = int(rng.integers(3, 6))
        X = rng.integers(-2, 3, (int(rng.integers(K, 30)), int(rng.integers(1, 4)))).astype(float)
        y = np.append(np.arange(K), rng.integers(0, K, len(X) - K))
        plain = separability(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_EXACT", 4)  # one pair has at most four weights, all classes have more
            paired = separability(X, y)
        if paired.proved and paired.has_optimum is not None:
            decided += 1
            assert paired.verdict is plain.verdict
            assert verify(paired, X, y).ok
            if plain.verdict is Verdict.QUASI_SEPARABLE:
                assert paired.rows is not None
                assert plain.rows is not None
                assert paired.rows.tolist() == plain.rows.tolist()
    assert decided > 20


@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3]), intercept=st.booleans())
@settings(max_examples=100, deadline=None)
def test_single_features_are_those_that_separate_alone(seed: int, n_classes: int, intercept: bool) -> None:
    """Each column by itself against the oracle; what they add up to violates nothing."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_classes, 8))
    X = rng.integers(-1, 2, (n, 2)) * rng.choice([1.0, 0.1, 1 / 3])
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    cone = Cone(as_design(X, 1), y, n_classes, intercept)
    found = alone(cone, np.arange(2))
    apart = [j for j in range(2) if oracle.verdict(X[:, [j]].tolist(), y.tolist(), intercept) != "NOT_SEPARABLE"]
    assert ([] if found is None else found[0].tolist()) == apart
    if found is not None:
        signs = cone.signs(found[1])
        assert (signs >= 0).all()
        assert (signs > 0).any()


def test_many_weights_and_a_category_that_some_classes_do_not_have() -> None:
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(900, 130)), rng.integers(0, 3, 900)
    X[:, 7] = (rng.random(900) < 0.02) & (y != 2)
    result = judged(X, y)
    assert result.verdict is Verdict.QUASI_SEPARABLE
    assert result.feature_names == ["x7"]
    assert result.rows is not None
    assert result.rows.tolist() == np.flatnonzero(X[:, 7]).tolist()
    assert "Alone it does so for some rows: feature 'x7'" in result.summary()


def test_a_limit_of_time_ends_it() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(4000, 400)), rng.integers(0, 2, 4000)
    with pytest.raises(errors.Undecided, match=r"not decided within time_limit=0\.01 s: 4,000 rows"):
        separability(X, y, time_limit=0.01)
    assert separability(X[:50], y[:50], time_limit=600.0).separable
