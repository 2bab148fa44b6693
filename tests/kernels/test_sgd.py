"""Stochastic gradient steps against their plain twin, on every instruction set and storage."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from linsep.kernels import available, load, reference_sgd
from linsep.problem import joint, losses
from tests.kernels.cases import STORAGES

N, D, K = 60, 9, 4
MARGINS = losses.MARGIN_LOSSES.names()
#: Entries stored in parts never reach this kernel: designs put rows in order.
STORED = {name: build for name, build in STORAGES.items() if name != "csr repeated"}


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def margin_row(name: str) -> Any:
    loss = losses.get(name)

    def row(y: float, z: float) -> tuple[float, float]:
        sign = 1.0 if y > 0 else -1.0
        M = np.array([sign * z])
        return float(loss.value(M)[0]), sign * float(loss.d1(M)[0])

    return row


def joint_row(name: str) -> Any:
    if name.startswith("ovr_"):
        one = margin_row(name.removeprefix("ovr_"))

        def rest(y: int, z: np.ndarray) -> tuple[float, np.ndarray]:
            terms = [one(1.0 if c == y else -1.0, z[c]) for c in range(len(z))]
            return sum(v for v, _ in terms), np.array([s for _, s in terms])

        return rest
    loss = joint.get(name)

    def row(y: int, z: np.ndarray) -> tuple[float, np.ndarray]:
        return float(loss.value(z[None], np.array([y]))[0]), loss.gradient(z[None], np.array([y]))[0]

    return row


def run(kernels: ModuleType, stored: Any, loss: str, k: int, batch: int, settings: tuple[Any, ...]) -> None:
    """Two epochs by the kernel and by its twin."""
    n, d = stored.X.shape
    random = np.random.default_rng(k)
    X, matrix = stored.X, stored.matrix(kernels)
    y: Any = random.integers(0, max(k, 2), n)
    if k == 1:
        y = y.astype(np.float64) if batch == 1 else 2.0 * y - 1.0  # both codings of two classes
    start = random.normal(size=(d + 1,) if k == 1 else (d + 1, k)) / 30.0
    w, twin = start.copy(), start.copy()
    state, plain = kernels.SgdState(*settings), reference_sgd.Steps(*settings)
    state.loss = plain.loss = 0.7
    for _ in range(2):
        order = random.permutation(n).astype(np.int32)
        path = np.full((-(-n // batch), *w.shape), np.nan)
        if k == 1:
            kernels.sgd_margin(loss, matrix, y, order, batch, w, state, path)
            expected = reference_sgd.sgd(margin_row(loss), (X, y), order, batch, twin, plain)
        else:
            kernels.sgd_joint(loss, matrix, y, k, order, batch, w, state, path)
            expected = reference_sgd.sgd(joint_row(loss), (X, y), order, batch, twin, plain)
        np.testing.assert_allclose(path, expected, rtol=1e-9, atol=1e-10)
        np.testing.assert_array_equal(path[-1], w)
    assert state.t == plain.t
    assert state.loss == pytest.approx(plain.loss, rel=1e-9)


@pytest.mark.parametrize("storage", STORED)
@pytest.mark.parametrize("k", [1, 3])
def test_every_storage(kernels: ModuleType, storage: str, k: int) -> None:
    stored = STORED[storage](25, 7)
    size = max(1.0, float((stored.X**2).sum(axis=1).max()))
    run(kernels, stored, "log" if k == 1 else "softmax", k, 1, (1.0 / size, 0.0, 1e-2, 0.1, True, 0.02))


SETTINGS = [
    (0.05, 0.0, 0.0, 1.0, True, 0.0),
    (0.05, 1.0, 0.1, 0.1, False, 0.0),
    (0.1, 0.5, 1e-2, 0.02, True, 0.0),
    (0.1, 0.3, 1e-2, 0.02, True, 0.0),
    (0.02, 0.0, 60.0, 0.5, True, 0.0),  # ηα > 1: the implicit scale changes its sign
    (0.05, 0.0, 0.0, 1.0, True, 0.05),  # L1 alone, and beside L2
    (0.1, 0.5, 1e-2, 0.02, True, 0.1),
    (0.02, 0.0, 60.0, 0.5, False, 0.1),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("storage", ["C-f8", "csr-f8-i4"])
def test_margin_losses(kernels: ModuleType, storage: str, batch: int, settings: tuple[Any, ...]) -> None:
    for loss in MARGINS:
        run(kernels, STORED[storage](N, D), loss, 1, batch, settings)


@pytest.mark.parametrize("settings", SETTINGS[::2])
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("loss", ["softmax", "one_of_k", "crammer_singer", "ovr_log", "ovr_hinge", "ovr_perceptron"])
def test_joint_losses(kernels: ModuleType, loss: str, batch: int, settings: tuple[Any, ...]) -> None:
    for storage in ("C-f8", "csr-f8-i4"):
        run(kernels, STORED[storage](N, D), loss, K, batch, settings)


def test_the_scale_is_folded_before_it_vanishes(kernels: ModuleType) -> None:
    """(1 − ηα) = 1/2 a step: after 100 steps the implicit scale would be 1e-30, after 2,000 zero."""
    stored = STORED["csr-f8-i4"](N, D)
    y, order, w = np.ones(N), np.tile(np.arange(N, dtype=np.int32), 40), np.zeros(D + 1)
    state, plain = kernels.SgdState(0.1, 0.0, 5.0, 1.0, True, 0.01), reference_sgd.Steps(0.1, 0.0, 5.0, 1.0, True, 0.01)
    kernels.sgd_margin("squared", stored.matrix(kernels), y, order, 1, w, state, None)
    twin = np.zeros(D + 1)
    reference_sgd.sgd(margin_row("squared"), (stored.X, y), order, 1, twin, plain)
    np.testing.assert_allclose(w, twin, rtol=1e-9, atol=1e-12)


def test_shuffle_is_a_permutation_by_its_state(kernels: ModuleType) -> None:
    order, again = (np.arange(1000, dtype=np.int32) for _ in range(2))
    state = kernels.shuffle(order, 5)
    assert sorted(order) == list(range(1000))
    assert (np.diff(order) == 1).sum() < 20
    assert kernels.shuffle(again, 5) == state
    np.testing.assert_array_equal(order, again)


def test_what_does_not_fit_is_refused(kernels: ModuleType) -> None:
    X, y, order, w = np.ones((3, 2)), np.ones(3), np.arange(3, dtype=np.int32), np.zeros(3)
    matrix, state = kernels.Matrix.dense(X), kernels.SgdState(0.1, 0.0, 0.0, 0.1, True, 0.0)
    with pytest.raises(ValueError, match="no kernel is named nothing"):
        kernels.sgd_margin("nothing", matrix, y, order, 1, w, state, None)
    with pytest.raises(ValueError, match="rows are 0"):
        kernels.sgd_margin("log", matrix, y, order + 1, 1, w, state, None)
    with pytest.raises(ValueError, match="at least one row"):
        kernels.sgd_margin("log", matrix, y, order, 0, w, state, None)
    with pytest.raises(ValueError, match="classes are 0"):
        kernels.sgd_joint("softmax", matrix, np.full(3, 4), 3, order, 1, np.zeros((3, 3)), state, None)
    with pytest.raises(ValueError, match="any state but 0"):
        kernels.shuffle(order, 0)
