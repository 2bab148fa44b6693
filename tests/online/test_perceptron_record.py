"""Novikoff's bound, why a run ended, the warning, the summary, and parameters that make no sense."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from linsep import Perceptron, PerceptronStatus, novikoff_bound
from linsep.errors import InvalidParameter, InvalidType, NotConverged, Refused


def separable(seed: int, n: int = 30, d: int = 3, gap: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d + 1)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(8 * n, d))
    z = X @ w[:-1] + w[-1]
    X, z = X[np.abs(z) > gap][:n], z[np.abs(z) > gap][:n]
    return np.vstack([X, X[:1] - 2 * z[0] * w[:-1] / (w[:-1] @ w[:-1])]), np.append(z > 0, z[0] <= 0).astype(int)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["given", "shuffled", "random"]),
    st.sampled_from(["mistake", "negative", "positive"]),
    st.sampled_from(["mistake", "thresholded"]),
    st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_updates_stay_within_novikoffs_bound(seed: int, order: str, tie: str, rule: str, center: bool) -> None:
    X, y = separable(seed)
    model = Perceptron(order=order, tie=tie, rule=rule, center=center, random_state=seed).fit(X, y)
    bound = novikoff_bound(X - X.mean(axis=0) if center else X, y)
    assert model.status_ is PerceptronStatus.CONVERGED
    assert model.score(X, y) == model.accuracy_ == model.pocket_accuracy_ == 1.0
    assert model.n_updates_ <= bound
    assert f"{model.n_updates_:,} ≤ (R/ρ)² =" in model.summary()


def test_the_bound_of_every_unit_and_of_the_joint_rule() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[6.0, 0.0], [-3.0, 5.0], [-3.0, -5.0]])
    y = np.arange(45) % 3
    X = centres[y] + rng.normal(size=(45, 2))
    units = Perceptron().fit(X, y)
    assert units.converged_
    assert units.summary().count("≤ (R/ρ)²") == 3
    joint = Perceptron(multiclass="kesler").fit(X, y)
    assert joint.converged_
    assert joint.n_updates_ <= novikoff_bound(X, y)
    assert joint.summary().count("≤ (R/ρ)²") == 1


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"normalize": True, "learning_rate": 1e-3, "max_epochs": 20_000}, "unit length"),
        ({"start": [1.0, 0.0, 0.0, 0.0]}, "did not start from w = 0"),
        ({"batch": 5}, "a block of examples"),
        ({"rule": "unthresholded", "order": "given"}, "corrects examples that are right"),
        ({"kernel": "rbf"}, "feature space of the kernel 'rbf'"),
    ],
)
def test_the_summary_says_why_the_bound_does_not_apply(asked: dict[str, Any], reason: str) -> None:
    X, y = separable(1)
    summary = Perceptron(**asked).fit(X, y).summary()
    assert "the bound does not apply" in summary
    assert reason in summary


def test_the_bound_needs_the_rows_as_they_were() -> None:
    X, y = separable(2)
    model = Perceptron().fit(X, y)
    assert "ask novikoff_bound(X, y)" in pickle.loads(pickle.dumps(model)).summary()
    X += 1.0
    assert "altered" in model.summary()


def test_not_separable_ends_at_the_budget_and_says_so() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.warns(NotConverged) as caught:
        model = Perceptron(max_epochs=7).fit(X, np.array([0, 1, 0, 1]))
    text = str(caught[0].message)
    assert len(caught) == 1
    for part in ("7 epochs", "not separable", "the pocket's", "no number of epochs", "LogisticRegression"):
        assert part in text
    assert model.status_ is PerceptronStatus.MAX_EPOCHS
    assert not model.converged_
    assert model.n_iter_ == len(model.mistakes_) == 7
    assert "did not converge" in model.summary()


def test_each_class_is_judged_against_the_rest() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "c", "c"])
    with pytest.warns(NotConverged, match=r"\(class b against the rest\): not separable"):
        Perceptron(max_epochs=30).fit(X, y)


def test_normalize_on_separable_data_is_named_as_the_cause() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    with pytest.warns(NotConverged, match="separable: a hyperplane.*normalize=True can keep a separable problem"):
        Perceptron(normalize=True, learning_rate=50.0, max_epochs=20).fit(X, X @ [1.0, 2.0, 3.0] > 0.1)


def test_a_rate_too_large_diverges_and_the_one_advised_does_not() -> None:
    X, y = separable(3)
    with pytest.warns(NotConverged, match="grew without bound.*learning_rate below") as caught:
        model = Perceptron(rule="unthresholded", learning_rate=5.0).fit(X, y)
    assert model.status_ is PerceptronStatus.DIVERGED
    assert np.isfinite(model.coef_).all()
    advised = float(str(caught[0].message).split("below ")[1].split(",")[0])
    for batch in ("incremental", "batch"):
        rate = advised if batch == "incremental" else "auto"
        asked: dict[str, Any] = {"learning_rate": rate, "batch": batch, "max_epochs": 50_000}
        settled = Perceptron(rule="unthresholded", order="given", **asked).fit(X, y)
        assert settled.status_ is PerceptronStatus.SETTLED


def test_the_delta_rule_in_batches_ends_at_the_least_squares() -> None:
    X, y = separable(4)
    model = Perceptron(rule="unthresholded", batch="batch", tol=1e-12, max_epochs=10**6).fit(X, y)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), 2.0 * y - 1.0, rcond=None)[0]
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), expected, rtol=1e-6)


def test_fits_repeat_and_forget() -> None:
    X, y = separable(5)
    model = Perceptron(kernel="rbf").fit(X, y)
    model.set_params(kernel="linear", record=True).fit(X, y)
    assert not hasattr(model, "dual_coef_")
    again = clone(model).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(again.trajectory_, model.trajectory_, atol=1e-12)
    assert model.trajectory_.shape == (model.n_updates_ + 1, 4)


def test_no_sample_weights() -> None:
    assert list(inspect.signature(Perceptron().fit).parameters) == ["X", "y"]


@pytest.mark.parametrize(
    ("asked", "error", "match"),
    [
        ({"rule": "mistakes"}, InvalidParameter, "the nearest is 'mistake'"),
        ({"batch": 0}, InvalidParameter, "batch=0"),
        ({"batch": "mini"}, InvalidParameter, "'incremental', 'batch' and a whole number"),
        ({"batch": 2.5}, InvalidType, "whole number"),
        ({"learning_rate": 0.0}, InvalidParameter, "> 0"),
        ({"learning_rate": "constant"}, InvalidParameter, "'auto'"),
        ({"tie": "zero"}, InvalidParameter, "unknown tie"),
        ({"order": None}, InvalidParameter, "unknown order"),
        ({"pocket": True}, InvalidParameter, "unknown pocket"),
        ({"kernel": "gauss"}, InvalidParameter, "unknown kernel"),
        ({"multiclass": "ovr"}, InvalidParameter, "unknown multiclass"),
        ({"max_epochs": 0}, InvalidParameter, ">= 1"),
        ({"fit_intercept": 1}, InvalidType, "True or False"),
        ({"start": [1.0, 2.0]}, InvalidParameter, r"it is \(4,\)"),
        ({"start": "zero"}, InvalidType, "array of weights"),
        ({"average": True, "pocket": "epoch"}, Refused, "one of them"),
        ({"multiclass": "kesler", "rule": "thresholded"}, Refused, "rule='mistake'"),
    ],
)
def test_parameters_are_checked_before_any_work(asked: dict[str, Any], error: type[Exception], match: str) -> None:
    X, y = separable(0)
    with pytest.raises(error, match=match):
        Perceptron(**asked).fit(X, y)
