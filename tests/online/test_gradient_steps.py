"""Gradient descent against its pseudo-code, update for update."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linsep import GradientClassifier, MarginLoss
from linsep.kernels import native
from linsep.problem import losses
from linsep.problem.joint import Softmax

LOSSES = losses.MARGIN_LOSSES.names()
N, D = 40, 5


def rows(classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(N) % classes)
    return random.normal(size=(N, D)) + 0.7 * np.eye(max(classes, D))[y][:, :D], y


def rate(kind: str, eta0: float, t: int) -> float:
    return {"constant": eta0, "1/t": eta0 / t, "inverse_scaling": eta0 / t**0.7}[kind]


def descent(
    X: np.ndarray, y: np.ndarray, loss: MarginLoss, alpha: float, a: float, kind: str, eta0: float, batches: Any
) -> tuple[np.ndarray, float]:
    """The pseudo-code: w after every update, and the smoothed loss after the last; y in {−1, 1}."""
    X1 = np.column_stack((X, np.ones(len(X))))
    w, path = np.zeros(D + 1), [np.zeros(D + 1)]
    L = loss.value(y * (X1 @ w)).mean()
    for t, rows in enumerate(batches, start=1):
        M = y[rows] * (X1[rows] @ w)
        L = a * loss.value(M).mean() + (1 - a) * L
        gradient = (loss.d1(M) * y[rows]) @ X1[rows] / len(rows) + alpha * np.append(w[:-1], 0.0)
        w = w - rate(kind, eta0, t) * gradient
        path.append(w)
    return np.array(path), L


def orders(epochs: int, seed: int, shuffled: bool) -> list[np.ndarray]:
    """The rows of every epoch: reshuffled from where the last one left them."""
    order, state, result = np.arange(N, dtype=np.int32), 2 * seed + 1, []
    for _ in range(epochs):
        if shuffled:
            state = native.shuffle(order, state)
        result.append(order.copy())
    return result


def batches_of(mode: Any, epochs: int, seed: int, shuffled: bool) -> list[np.ndarray]:
    if mode == "batch":
        return [np.arange(N)] * epochs
    size = 1 if mode == "stochastic" else mode
    return [order[k : k + size] for order in orders(epochs, seed, shuffled) for k in range(0, N, size)]


@pytest.mark.parametrize("kind", ["constant", "1/t", "inverse_scaling"])
@pytest.mark.parametrize("mode", ["stochastic", 7, "batch"])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_update(loss: str, mode: Any, kind: str) -> None:
    X, y = rows()
    shuffled = kind != "1/t"
    common = {"alpha": 0.05, "batch": mode, "learning_rate": kind, "eta0": 0.03, "power": 0.7, "smoothing": 0.2}
    common |= {"shuffle": shuffled, "random_state": 3, "max_epochs": 3, "tol_loss": None, "record": "updates"}
    fits = {t: GradientClassifier(loss, targets=t, **common).fit(X, y) for t in ("signed", "binary")}
    path, L = descent(X, 2.0 * y - 1, losses.get(loss), 0.05, 0.2, kind, 0.03, batches_of(mode, 3, 3, shuffled))
    for model in fits.values():
        np.testing.assert_allclose(model.path_[:, 0], path, rtol=1e-9, atol=1e-12)
        assert model.history_[-1].smoothed == pytest.approx(L, rel=1e-9)
        assert model.history_[-1].rate == pytest.approx(rate(kind, 0.03, len(path) - 1))
    # the labels −1, 1 and 0, 1 have the same gradient, bit for bit
    np.testing.assert_array_equal(fits["signed"].path_, fits["binary"].path_)
    on_csr = GradientClassifier(loss, **common).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(on_csr.path_[:, 0], path, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", ["stochastic", 7, "batch"])
def test_every_update_of_softmax(mode: Any) -> None:
    X, y = rows(3)
    model = GradientClassifier(
        alpha=0.05, batch=mode, learning_rate="constant", eta0=0.1, smoothing=0.2, max_epochs=3, tol_loss=None,
        record="updates",
    ).fit(X, y)  # fmt: skip
    X1, W = np.column_stack((X, np.ones(N))), np.zeros((D + 1, 3))
    L, path = np.log(3.0), [W]
    for chosen in batches_of(mode, 3, 0, True):
        Z = X1[chosen] @ W
        P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
        T = np.eye(3)[y[chosen]]
        L = 0.2 * -np.log((P * T).sum(axis=1)).mean() + 0.8 * L
        W = W - 0.1 * (X1[chosen].T @ (P - T) / len(chosen) + 0.05 * np.vstack((W[:-1], np.zeros(3))))
        path.append(W)
    np.testing.assert_allclose(model.path_, np.swapaxes(path, 1, 2), rtol=1e-9, atol=1e-12)
    assert model.history_[-1].smoothed == pytest.approx(L)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("mode", ["stochastic", 7, "batch"])
@pytest.mark.parametrize(
    ("classes", "loss", "scheme"), [(2, "hinge", "auto"), (3, "log", "softmax"), (3, "squared", "ovr")]
)
@pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
@pytest.mark.parametrize("ratio", [0.4, 1.0])
def test_every_update_with_l1(ratio: float, classes: int, loss: str, scheme: str, mode: Any, storage: Any) -> None:
    """A step on the loss and the ridge part, then every weight moves towards 0 by ηαρ and stops there; b does not."""
    X, y = rows(classes)
    eta, alpha = 0.02, 0.2
    model = GradientClassifier(
        loss, alpha=alpha, l1_ratio=ratio, batch=mode, learning_rate="constant", eta0=eta, multiclass=scheme,
        max_epochs=3, tol_loss=None, record="updates",
    ).fit(storage(X), y)  # fmt: skip
    X1, K = np.column_stack((X, np.ones(N))), 1 if classes == 2 else 3
    signs = 2.0 * y[:, None] - 1.0 if K == 1 else 2.0 * np.eye(3)[y] - 1.0
    W = np.zeros((D + 1, K))
    path = [W]
    for chosen in batches_of(mode, 3, 0, True):
        Z, T = X1[chosen] @ W, signs[chosen]
        slopes = T * losses.get(loss).d1(T * Z)
        if scheme == "softmax":
            slopes = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True) - (T > 0.0)
        gradient = X1[chosen].T @ slopes / len(chosen)
        gradient[:-1] += alpha * (1.0 - ratio) * W[:-1]
        W = W - eta * gradient
        W[:-1] = np.sign(W[:-1]) * np.maximum(np.abs(W[:-1]) - eta * alpha * ratio, 0.0)
        path.append(W)
    np.testing.assert_allclose(model.path_, np.swapaxes(path, 1, 2), rtol=1e-9, atol=1e-12)
    penalty = alpha * (ratio * np.abs(W[:-1]).sum() + (1.0 - ratio) / 2.0 * np.square(W[:-1]).sum())
    assert model.history_[-1].penalty == pytest.approx(penalty)
    assert "← soft(" in model.summary()


@pytest.mark.parametrize("mode", ["stochastic", 7, "batch"])
@pytest.mark.parametrize("loss", ["log", "hinge", "perceptron"])
def test_one_vs_rest_is_each_class_on_its_own(loss: str, mode: Any) -> None:
    X, y = rows(3)
    common = {"batch": mode, "learning_rate": "constant", "eta0": 0.1, "max_epochs": 3, "tol_loss": None}
    joint = GradientClassifier(loss, multiclass="ovr", **common).fit(X, y)
    for k in range(3):
        alone = GradientClassifier(loss, **common).fit(X, y == k)
        np.testing.assert_allclose(joint.coef_[k], alone.coef_[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(joint.intercept_[k], alone.intercept_[0], rtol=1e-9, atol=1e-12)


class OwnLog(MarginLoss):
    """The log loss as a user would write it."""

    convex = True
    curvature = 0.25

    def value(self, M: np.ndarray) -> np.ndarray:
        return np.log1p(np.exp(-M))

    def d1(self, M: np.ndarray) -> np.ndarray:
        return -1.0 / (1.0 + np.exp(M))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("mode", ["stochastic", 7, "batch"])
def test_a_loss_of_the_users_own(mode: Any, classes: int) -> None:
    X, y = rows(classes)
    common = {"batch": mode, "max_epochs": 2, "tol_loss": None, "multiclass": "ovr", "record": "updates"}
    own, built_in = (GradientClassifier(loss, **common).fit(X, y) for loss in (OwnLog(), "log"))
    np.testing.assert_allclose(own.path_, built_in.path_, rtol=1e-9, atol=1e-12)
    assert own.history_[-1].smoothed == pytest.approx(built_in.history_[-1].smoothed)
    on_csr = GradientClassifier(OwnLog(), **common).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(on_csr.coef_, own.coef_, rtol=1e-9, atol=1e-12)


def test_the_perceptron_loss_makes_the_perceptron() -> None:
    X, y = rows()
    model = GradientClassifier(
        "perceptron", alpha=0, learning_rate="constant", eta0=1.0, shuffle=False, max_epochs=4, tol_loss=None
    ).fit(X, y)
    w, X1, signs = np.zeros(D + 1), np.column_stack((X, np.ones(N))), 2.0 * y - 1
    for _ in range(4):
        for x, s in zip(X1, signs, strict=True):
            if s * (w @ x) <= 0:
                w = w + s * x
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), w, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.floats(-30, 30), st.sampled_from([0, 1]))
def test_both_codings_have_the_same_gradient(z: float, t: int) -> None:
    """y ℓ′(yz) = tℓ′(z) − (1−t)ℓ′(−z); for the log loss σ(z) − t."""
    y = 2.0 * t - 1.0
    for name in LOSSES:
        loss = losses.get(name)
        signed = y * loss.d1(np.array([y * z]))[0]
        binary = t * loss.d1(np.array([z]))[0] - (1 - t) * loss.d1(np.array([-z]))[0]
        assert signed == binary
    sigma = 1.0 / (1.0 + np.exp(-z))
    assert y * losses.get("log").d1(np.array([y * z]))[0] == pytest.approx(sigma - t, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-20, 20), min_size=3, max_size=3), st.floats(-50, 50), st.integers(0, 2))
def test_softmax_does_not_see_a_common_shift(z: list[float], shift: float, y: int) -> None:
    Z, labels = np.array([z]), np.array([y])
    np.testing.assert_allclose(Softmax().value(Z + shift, labels), Softmax().value(Z, labels), atol=1e-9)
    np.testing.assert_allclose(Softmax().gradient(Z + shift, labels), Softmax().gradient(Z, labels), atol=1e-9)


def test_a_common_shift_of_the_start_stays_in_softmax() -> None:
    """Without a penalty a start with the same row added to every class walks beside the first, at that distance."""
    X, y = rows(3)
    random = np.random.default_rng(1)
    start, shift = random.normal(size=(3, D + 1)), random.normal(size=D + 1)
    common = {"alpha": 0.0, "max_epochs": 3, "tol_loss": None}
    first = GradientClassifier(start=start, **common).fit(X, y)
    second = GradientClassifier(start=start + shift, **common).fit(X, y)
    np.testing.assert_allclose(second.coef_ - first.coef_, np.tile(shift[:-1], (3, 1)), atol=1e-9)
    np.testing.assert_allclose(second.predict_proba(X), first.predict_proba(X), atol=1e-9)
