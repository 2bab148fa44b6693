"""Sweeps of dual coordinate descent against their plain twins: the same rows in the same order, the same steps."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference_dual

N, D, K, SWEEPS = 120, 7, 4, 4


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.6)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=N) > -0.3, 1.0, -1.0)
    return X, y, rng.random(N) + 0.05


def matrix(kernels: ModuleType, X: np.ndarray, storage: str) -> object:
    if storage == "csr":
        parts = sparse.csr_array(X.astype(np.float32).astype(np.float64))
        return kernels.Matrix.csr(parts.data, parts.indices, parts.indptr, D)
    return kernels.Matrix.dense(np.asfortranarray(X) if storage == "fortran" else X)


@pytest.mark.parametrize("storage", ["dense", "fortran", "csr"])
@pytest.mark.parametrize(("lanes", "v2"), [(1, 0.0), (2, 0.0), (3, 0.2)])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smoothed_hinge", "log"])
def test_binary_sweeps(kernels: ModuleType, loss: str, lanes: int, v2: float, storage: str) -> None:
    X, y, cost = rows()
    X = X.astype(np.float32).astype(np.float64)
    log = loss == "log"
    a, w, logit = np.zeros(N), np.zeros(D), np.full(N if log else 0, -40.0)
    order = np.arange(N, dtype=np.int32)
    twin = reference_dual.BinaryDual(
        loss, X, y, cost, a.copy(), np.full(N, -40.0), np.arange(N, dtype=np.int32), w.copy()
    )
    state = reference_dual.SweepState(3, N, lanes, 3, 0.0, v2)
    begin = kernels.DualState(3, N, lanes, 3)
    begin.v2 = v2
    sweeps = kernels.DualSweeps.over(
        loss,
        matrix(kernels, X, storage),
        y,
        cost,
        np.full(N, -1.0),
        a,
        logit,
        w,
        np.zeros((lanes - 1) * D),
        order,
        begin,
    )
    for k in range(SWEEPS):
        rest = 0.5 if k > 1 else np.inf
        for s in (sweeps.state, state):
            s.rest_high, s.rest_low, s.rest_below, s.b = rest, -rest, 1e-6, 0.1 * k * (v2 > 0)
        sweeps.sweep(2)
        reference_dual.dual_sweep(twin, state)
        np.testing.assert_array_equal(order, twin.order)
        np.testing.assert_allclose(a, twin.a, atol=1e-9)
        np.testing.assert_allclose(w, twin.w, atol=1e-9)
        np.testing.assert_allclose(w, X.T @ (y * a), atol=1e-9)
        assert sweeps.state.active == state.active
        assert sweeps.state.r == pytest.approx(state.r, abs=1e-9)
        if (sweeps.state.lanes, sweeps.state.windows) != (lanes, 3):
            break  # the kernel found that its lanes interfere; the twin has no such rule


@pytest.mark.parametrize("v2", [0.0, 0.3])
def test_crammer_singer_sweeps(kernels: ModuleType, v2: float) -> None:
    X, _, cost = rows()
    y = np.random.default_rng(1).integers(0, K, N)
    a, w, r, order = np.zeros((N, K)), np.zeros((D, K)), np.zeros(K), np.arange(N, dtype=np.int32)
    twin = reference_dual.CrammerSinger(X, y, cost, a.copy(), np.zeros(K), r.copy(), order.copy(), w.copy())
    state = reference_dual.SweepState(3, N, 1, 3, 0.0, v2)
    numbers = kernels.DualState(3, N, 1, 3)
    numbers.v2 = v2
    norms = np.full(N, -1.0)
    for _ in range(SWEEPS):
        kernels.crammer_singer_sweep(
            kernels.Matrix.dense(X), K, y, cost, norms, a, np.zeros(K), r, order, w, np.zeros(0), numbers, 1
        )
        reference_dual.crammer_singer_sweep(twin, state)
    np.testing.assert_allclose(a, twin.a, atol=1e-8)
    np.testing.assert_allclose(w, twin.w, atol=1e-8)
    np.testing.assert_allclose(w, X.T @ a, atol=1e-9)
    assert (np.abs(a.sum(axis=1)) < 1e-9).all()
    assert (a <= np.where(np.arange(K) == y[:, None], cost[:, None], 0.0) + 1e-12).all()
