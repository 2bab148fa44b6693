"""Each variant against its pseudo-code, update for update, and the properties of the updates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linsep import Perceptron
from linsep.errors import NotConverged

pytestmark = pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
EPOCHS = 4
Case = tuple[np.ndarray, np.ndarray]


def whole_numbers(seed: int, classes: int = 2, n: int = 25, d: int = 3) -> Case:
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, d)).astype(float), rng.permutation(np.arange(n) % classes)


def fitted(X: Any, y: Any, **asked: Any) -> Perceptron:
    asked = {"order": "given", "max_epochs": EPOCHS, "record": True, **asked}
    return Perceptron(**asked).fit(X, y)


def sign(z: float, t: float, tie: str) -> float:
    """The prediction; at 0 the class the tie is for, or the wrong one."""
    return np.sign(z) or {"negative": -1.0, "positive": 1.0, "mistake": -t}[tie]


def textbook(X: np.ndarray, t: np.ndarray, rule: str, rate: float, tie: str, block: int) -> list[np.ndarray]:
    """Every w from 0 on, b last: the rules as they are taught."""
    X = np.column_stack([X, np.ones(len(X))])
    path = [np.zeros(X.shape[1])]
    for _ in range(EPOCHS):
        mistakes = 0
        for first in range(0, len(X), block):
            w, step = path[-1], np.zeros(X.shape[1])
            for i in range(first, min(first + block, len(X))):
                h = sign(w @ X[i], t[i], tie)
                mistakes += h != t[i]
                if rule == "mistake" and h != t[i]:
                    step += rate * t[i] * X[i]
                elif rule == "thresholded":
                    step += rate * (t[i] - h) * X[i]
                elif rule == "unthresholded":
                    step += rate * (t[i] - w @ X[i]) * X[i]
            if step.any() or rule == "unthresholded":
                path.append(w + step)
        if mistakes == 0 and rule != "unthresholded":
            break
    return path


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize("block", [1, 4, 25])
@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("rule", ["mistake", "thresholded", "unthresholded"])
def test_every_update_is_the_textbooks(rule: str, tie: str, block: int, storage: Any) -> None:
    X, y = whole_numbers(block)
    rate = 2**-8 if rule == "unthresholded" else 0.5
    batch = {1: "incremental", 25: "batch"}.get(block, block)
    model = fitted(storage(X), y, rule=rule, tie=tie, batch=batch, learning_rate=rate, tol=0.0)
    path = textbook(X, 2.0 * y - 1.0, rule, rate, tie, block)
    if rule == "unthresholded":
        assert len(model.trajectory_) == len(path)
        np.testing.assert_allclose(model.trajectory_, path, atol=1e-12)
    elif block == 1:
        np.testing.assert_array_equal(model.trajectory_, path)
    else:  # the corrections of a block may cancel: an update that leaves w where it was
        moved = np.r_[True, np.diff(model.trajectory_, axis=0).any(axis=1)]
        np.testing.assert_array_equal(model.trajectory_[moved], path)
    np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), model.trajectory_[-1])


def test_the_worked_number() -> None:
    """η = 0.1, x = 0.8, t = 1, h = −1: Δw = η (t − h) x = 0.16."""
    X, y = np.array([[0.8], [-5.0]]), np.array([1, 0])
    model = fitted(X, y, rule="thresholded", learning_rate=0.1, start=[-1.0], fit_intercept=False, max_epochs=1)
    assert model.update_rows_[0] == 0
    assert model.trajectory_[1, 0] - model.trajectory_[0, 0] == pytest.approx(0.16, abs=1e-15)


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_an_update_raises_the_margin_of_its_example_by_its_square(seed: int) -> None:
    X, y = whole_numbers(seed)
    model = fitted(X, y, order="random")
    inputs, t = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    for before, after, i in zip(model.trajectory_, model.trajectory_[1:], model.update_rows_, strict=False):
        assert t[i] * (before @ inputs[i]) <= 0
        assert t[i] * (after @ inputs[i]) == t[i] * (before @ inputs[i]) + inputs[i] @ inputs[i]


def test_the_order_is_that_of_the_generator() -> None:
    X, y = whole_numbers(3)
    for order in ("shuffled", "random"):
        rng = np.random.default_rng(5)
        w, rows = np.zeros(4), []
        for _ in range(EPOCHS):
            for i in rng.permutation(len(X)) if order == "shuffled" else rng.integers(len(X), size=len(X)):
                x, t = np.append(X[i], 1.0), 2 * y[i] - 1
                if t * (w @ x) <= 0:
                    w, rows = w + t * x, [*rows, i]
        model = fitted(X, y, order=order, random_state=5)
        assert list(model.update_rows_) == rows
        np.testing.assert_array_equal(model.trajectory_[-1], w)


def test_a_clean_epoch_of_rows_drawn_at_random_is_not_enough() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([np.tile([[1.0], [-1.0]], (50, 1)), [[-0.25]]])
    y = np.append(np.tile([1, 0], 50), 1)
    for seed in range(10):
        model = Perceptron(order="random", max_epochs=300, random_state=seed).fit(X[:, :], y)
        assert not model.converged_ or model.score(X, y) == 1.0
    assert rng is not None


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("normalize", [False, True])
def test_centring_is_that_of_the_rows(storage: Any, normalize: bool) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(2.0, 1.0, (40, 3)), rng.integers(0, 2, 40)
    start = rng.normal(size=4)
    mean = X.mean(axis=0)
    inside = np.append(start[:3], start[3] + start[:3] @ mean)
    plain = fitted(X - mean, y, start=inside, normalize=normalize)
    centred = fitted(storage(X), y, start=start, center=True, normalize=normalize)
    assert list(centred.update_rows_) == list(plain.update_rows_)
    w = plain.trajectory_.copy()
    w[:, 3] -= w[:, :3] @ mean
    np.testing.assert_allclose(centred.trajectory_, w, atol=1e-9)
    np.testing.assert_allclose(centred.decision_function(X), plain.decision_function(X - mean), atol=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("normalize", [False, True])
def test_centring_without_a_bias_has_every_hyperplane_through_the_mean(storage: Any, normalize: bool) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(2.0, 1.0, (40, 3)), rng.integers(0, 2, 40)
    asked: dict[str, Any] = {"start": rng.normal(size=3), "fit_intercept": False, "normalize": normalize}
    plain = fitted(X - X.mean(axis=0), y, **asked)
    centred = fitted(storage(X), y, center=True, **asked)
    assert list(centred.update_rows_) == list(plain.update_rows_)
    np.testing.assert_allclose(centred.trajectory_[:, :3], plain.trajectory_[:, :3], atol=1e-9)
    np.testing.assert_allclose(centred.trajectory_ @ np.append(X.mean(axis=0), 1.0), 0.0, atol=1e-9)


@pytest.mark.parametrize("normalize", [False, True])
def test_the_delta_rule_settles_alike_however_centred_rows_are_stored(normalize: bool) -> None:
    """Sparse rows are not centred themselves: what the kernel holds instead may move while w stands."""
    X, y = whole_numbers(5)
    asked: dict[str, Any] = {"rule": "unthresholded", "batch": "batch", "center": True, "normalize": normalize}
    dense, stored = (fitted(kind(X), y, max_epochs=5000, tol=1e-4, **asked) for kind in (np.asarray, sparse.csr_array))
    assert dense.converged_
    assert stored.n_iter_ == dense.n_iter_
    np.testing.assert_allclose(stored.trajectory_, dense.trajectory_, atol=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_normalised_weights_have_unit_length_after_each_update(storage: Any) -> None:
    rng = np.random.default_rng(2)
    X, y = 30.0 * rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    model = fitted(storage(X), y, normalize=True, average=True)
    w, inputs, t = np.zeros(5), np.column_stack([X, np.ones(60)]), 2 * y - 1
    path, seen = [w], []
    for i in np.tile(np.arange(60), EPOCHS):
        if t[i] * (w @ inputs[i]) <= 0:
            w = w + t[i] * inputs[i]
            w = w / np.linalg.norm(w)
            path.append(w)
        seen.append(w)
    np.testing.assert_allclose(model.trajectory_, path, atol=1e-9)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), np.mean(seen, axis=0), atol=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([1, 3]))
@settings(max_examples=20, deadline=None)
def test_the_average_is_the_mean_over_all_steps(seed: int, block: int) -> None:
    X, y = whole_numbers(seed)
    model = fitted(X, y, average=True, batch=block)
    inputs, t = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    w, seen = np.zeros(4), []
    for _ in range(model.n_iter_):
        for first in range(0, len(X), block):
            rows = [i for i in range(first, min(first + block, len(X))) if t[i] * (w @ inputs[i]) <= 0]
            w = w + sum((t[i] * inputs[i] for i in rows), np.zeros(4))
            seen.append(w)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), np.mean(seen, axis=0), atol=1e-12)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_pocket_is_a_copy_and_never_worse_than_any_epoch(classes: int, tie: str) -> None:
    X, y = whole_numbers(7, classes, n=40)
    after = [fitted(X, y, max_epochs=e, record=False, tie=tie).score(X, y) for e in range(1, 9)]
    for when in ("epoch", "update"):
        model = fitted(X, y, max_epochs=8, record=when == "update", pocket=when, tie=tie)
        assert model.score(X, y) == model.accuracy_ == model.pocket_accuracy_ >= max(after)
        longer = fitted(X, y, max_epochs=16, pocket=when, tie=tie)
        assert longer.accuracy_ >= model.accuracy_
        if when == "epoch":
            assert model.accuracy_ == max(after)
        else:
            W = model.trajectory_[1:].reshape(model.n_updates_ if classes == 2 else len(model.update_rows_), -1, 4)
            copies = [np.allclose(w, np.column_stack([model.coef_, model.intercept_])) for w in W]
            assert any(copies)
            assert not np.shares_memory(model.coef_, model.trajectory_)


def test_k_independent_units_are_k_perceptrons() -> None:
    X, y = whole_numbers(11, 3, n=30)
    joint = fitted(X, y)
    for k in range(3):
        alone = fitted(X, (y == k).astype(int), max_epochs=joint.n_iter_)
        assert np.array_equal(joint.coef_[k], alone.coef_[0])
        assert joint.intercept_[k] == alone.intercept_[0]


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_the_joint_rule_corrects_the_true_and_the_best_other_class(tie: str) -> None:
    X, y = whole_numbers(13, 4, n=30)
    inputs, W, path = np.column_stack([X, np.ones(30)]), np.zeros((4, 4)), [np.zeros((4, 4))]
    for i in np.tile(np.arange(30), EPOCHS):
        z, own = W @ inputs[i], y[i]
        later = tie == "positive"
        others = [k for k in range(4) if k != own]
        rival = max(others, key=lambda k: (z[k], k if later else -k))
        tied = {"mistake": True, "negative": rival < own, "positive": rival > own}[tie]
        if z[rival] > z[own] or (z[rival] == z[own] and tied):
            W = W.copy()
            W[own] += inputs[i]
            W[rival] -= inputs[i]
            path.append(W)
    model = fitted(X, y, multiclass="kesler", tie=tie)
    np.testing.assert_array_equal(model.trajectory_, path)
    assert model.n_updates_ == len(path) - 1 == model.mistakes_.sum()


def test_not_converged_is_never_silent() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    with pytest.warns(NotConverged, match="max_epochs was reached.*classify"):
        Perceptron(max_epochs=5).fit(X, y)
