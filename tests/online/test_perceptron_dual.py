"""The dual form makes the mistakes of the primal, update by update; kernels; counts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linsep import Perceptron
from linsep.errors import InvalidData, Refused
from linsep.online import perceptron
from linsep.online.perceptron import dual as dual_form

pytestmark = pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")


def whole_numbers(seed: int, classes: int, n: int = 24) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, 3)).astype(float), rng.permutation(np.arange(n) % classes)


@given(
    st.integers(0, 10**6),
    st.sampled_from([2, 3]),
    st.sampled_from(["independent", "kesler"]),
    st.sampled_from(["mistake", "negative", "positive"]),
    st.sampled_from([1, 5]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_dual_and_primal_make_the_same_updates(
    seed: int, classes: int, multiclass: str, tie: str, batch: int, bias: bool
) -> None:
    X, y = whole_numbers(seed, classes)
    asked: dict[str, Any] = {"multiclass": multiclass, "tie": tie, "batch": batch, "fit_intercept": bias}
    asked |= {"order": "shuffled", "max_epochs": 6, "random_state": seed}
    primal = Perceptron(**asked, record=True).fit(X, y)
    dual = Perceptron(**asked, dual=True).fit(X, y)
    assert list(dual.update_rows_) == list(primal.update_rows_)
    np.testing.assert_array_equal(dual.mistakes_, primal.mistakes_)
    np.testing.assert_array_equal(dual.coef_, primal.coef_)
    np.testing.assert_array_equal(dual.intercept_, primal.intercept_)
    assert (dual.status_, dual.n_updates_) == (primal.status_, primal.n_updates_)
    assert dual.pocket_accuracy_ == primal.pocket_accuracy_


def test_weights_are_the_counted_examples() -> None:
    X, y = whole_numbers(1, 2)
    model = Perceptron(dual=True, learning_rate=0.5, max_epochs=7).fit(X, y)
    assert model.counts_.dtype.kind == "i"
    assert model.counts_.sum() == model.n_updates_ == len(model.update_rows_)
    np.testing.assert_array_equal(model.counts_, np.bincount(model.update_rows_, minlength=len(X)))
    np.testing.assert_array_equal(model.coef_[0], 0.5 * (model.counts_ * (2 * y - 1)) @ X)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_computed_as_they_come_are_the_same(classes: int, average: bool, monkeypatch: Any) -> None:
    X, y = whole_numbers(2, classes)
    asked: dict[str, Any] = {"kernel": "polynomial", "gamma": 1.0, "coef0": 1.0, "degree": 2, "max_epochs": 8}
    whole = Perceptron(**asked, average=average).fit(X, y)
    monkeypatch.setattr(dual_form, "_WHOLE", 0)
    monkeypatch.setattr(dual_form, "_CACHE", 8 * len(X) * 3)
    rows = Perceptron(**asked, average=average).fit(X, y)
    np.testing.assert_array_equal(whole.update_rows_, rows.update_rows_)
    np.testing.assert_array_equal(whole.decision_function(X), rows.decision_function(X))
    assert whole.accuracy_ == whole.score(X, y)


def test_a_kernel_is_an_inner_product_of_features() -> None:
    """(⟨x, z⟩ + 1)² is the inner product of all products of two entries of (x, 1)."""
    X, y = whole_numbers(3, 2)
    inputs = np.column_stack([X, np.ones(len(X))])
    features = np.einsum("ij,ik->ijk", inputs, inputs).reshape(len(X), -1)
    asked: dict[str, Any] = {"order": "given", "max_epochs": 20, "fit_intercept": False}
    primal = Perceptron(**asked, record=True).fit(features, y)
    dual = Perceptron(**asked, kernel="polynomial", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    given = Perceptron(**asked, kernel="precomputed").fit((X @ X.T + 1.0) ** 2, y)
    own = Perceptron(**asked, kernel=lambda A, B: (A @ B.T + 1.0) ** 2).fit(X, y)
    for model in (dual, given, own):
        assert list(model.update_rows_) == list(primal.update_rows_)
    np.testing.assert_array_equal(dual.decision_function(X), primal.decision_function(features))
    np.testing.assert_array_equal(given.decision_function((X @ X.T + 1.0) ** 2), dual.decision_function(X))


def test_rbf_learns_what_no_line_can() -> None:
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    for rows in (X, sparse.csr_array(X)):
        model = Perceptron(kernel="rbf", gamma=1.0).fit(rows, y)
        assert model.converged_
        assert model.score(rows, y) == 1.0
        assert not hasattr(model, "coef_")
        assert "rbf" in model.summary()
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))


def test_centred_dual_and_pocket() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(1.0, 1.0, (40, 3)), rng.integers(0, 2, 40)
    asked: dict[str, Any] = {"center": True, "max_epochs": 9, "order": "given"}
    for pocket in (None, "epoch", "update"):
        primal = Perceptron(**asked, pocket=pocket).fit(X, y)
        dual = Perceptron(**asked, pocket=pocket, dual=True).fit(X, y)
        np.testing.assert_allclose(dual.coef_, primal.coef_, atol=1e-10)
        np.testing.assert_allclose(dual.intercept_, primal.intercept_, atol=1e-10)
        assert dual.accuracy_ == pytest.approx(primal.accuracy_) == dual.score(X, y)
    curved = Perceptron(**asked, kernel="rbf").fit(X, y)
    assert curved.score(X, y) == curved.accuracy_


@pytest.mark.parametrize(
    "asked",
    [
        {"rule": "unthresholded"},
        {"normalize": True},
        {"start": np.zeros(4)},
        {"record": True},
        {"kernel": "precomputed", "center": True},
    ],
)
def test_what_counts_cannot_do_is_refused(asked: dict[str, Any]) -> None:
    X, y = whole_numbers(0, 2)
    with pytest.raises(Refused, match="counts"):
        Perceptron(dual=True, **asked).fit(X, y)


def test_refusals_that_need_the_data() -> None:
    X, y = whole_numbers(0, 2)
    with pytest.raises(Refused, match="sparse"):
        Perceptron(dual=True, center=True).fit(sparse.csr_array(X), y)
    with pytest.raises(InvalidData, match="square"):
        Perceptron(kernel="precomputed").fit(X, y)


def test_units_of_the_package_are_exported() -> None:
    assert set(perceptron.__all__) <= set(dir(perceptron))
