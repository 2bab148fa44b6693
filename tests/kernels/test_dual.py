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
        if not log:
            assert sweeps.free() == reference_dual.free_first(twin, state)
            np.testing.assert_array_equal(order, twin.order)
        if (sweeps.state.lanes, sweeps.state.windows) != (lanes, 3):
            break  # the kernel found that its lanes interfere; the twin has no such rule


@pytest.mark.parametrize("storage", ["dense", "fortran", "csr"])
@pytest.mark.parametrize("v2", [0.0, 0.3])
@pytest.mark.parametrize(("k", "room"), [(K, 0), (40, 4), (40, 12)])
def test_crammer_singer_sweeps(kernels: ModuleType, k: int, room: int, v2: float, storage: str) -> None:
    """Sweeps over all classes, and those over lists of them that every third sweep writes."""
    X, _, cost = rows()
    X = X.astype(np.float32).astype(np.float64)
    y = np.random.default_rng(1).integers(0, k, N)
    a, w, r, order = np.zeros((N, k)), np.zeros((D, k)), np.zeros(k), np.arange(N, dtype=np.int32)
    twin = reference_dual.CrammerSinger(X, y, cost, a.copy(), np.zeros(k), r.copy(), order.copy(), w.copy(), room)
    state = reference_dual.SweepState(3, N, 1, 3, 0.0, v2, rest_high=0.5)
    numbers = kernels.DualState(3, N, 1, 3)
    numbers.v2, numbers.rest_high = v2, 0.5
    norms, handle = np.full(N, -1.0), matrix(kernels, X, storage)
    lists, counts = np.zeros((N, room), np.int32), np.full(N if room else 0, -1, np.int32)
    for sweep in range(3 * SWEEPS):
        whole = sweep % 3 == 0
        kernels.crammer_singer_sweep(
            handle, k, y, cost, norms, a, np.zeros(k), r, order, w, np.zeros(0), lists, counts, whole, numbers, 1
        )
        reference_dual.crammer_singer_sweep(twin, state, whole)
        assert sorted(order) == list(range(N))
        numbers.active, order[:] = N, twin.order  # the twin has no resting rows
        for i, some in twin.lists.items():
            assert counts[i] == len(some)
            np.testing.assert_array_equal(lists[i, : counts[i]], some)
        assert not room or np.count_nonzero(counts >= 0) == len(twin.lists)
    assert (len(twin.lists) > 0) == (room > 0)
    np.testing.assert_allclose(a, twin.a, atol=1e-8)
    np.testing.assert_allclose(w, twin.w, atol=1e-8)
    np.testing.assert_allclose(w, X.T @ a, atol=1e-9)
    assert (np.abs(a.sum(axis=1)) < 1e-9).all()
    assert (a <= np.where(np.arange(k) == y[:, None], cost[:, None], 0.0) + 1e-12).all()


@pytest.mark.parametrize("room", [0, 12])
def test_rows_without_entries(kernels: ModuleType, room: int) -> None:
    """Whatever W, they lose 1: one visit gives the multipliers that say so, and then they rest."""
    k, y, cost = 40, np.arange(6) % 3, np.linspace(0.5, 1.0, 6)
    a, w, order, norms = np.zeros((6, k)), np.zeros((D, k)), np.arange(6, dtype=np.int32), np.full(6, -1.0)
    lists, counts = np.zeros((6, room), np.int32), np.full(6 if room else 0, -1, np.int32)
    numbers = kernels.DualState(3, 6, 1, 3)
    for sweep in range(3):
        numbers.rest_high = 0.5
        kernels.crammer_singer_sweep(
            matrix(kernels, np.zeros((6, D)), "csr"), k, y, cost, norms, a, np.zeros(k), np.zeros(k), order, w,
            np.zeros(0), lists, counts, sweep == 0, numbers, 1,
        )  # fmt: skip
        assert numbers.gap == pytest.approx(cost.sum() if sweep == 0 else 0.0)
    assert numbers.active == 0
    np.testing.assert_array_equal(a[np.arange(6), y], cost)
    np.testing.assert_array_equal(np.sort(a, axis=1)[:, [0, 1, -1]], np.outer(cost, [-1.0, 0.0, 1.0]))


@pytest.mark.parametrize("storage", ["dense", "fortran", "csr"])
@pytest.mark.parametrize("size", [1.0, 1e6])
def test_proximal_step_of_crammer_singer(kernels: ModuleType, size: float, storage: str) -> None:
    """The envelope, its gradient and its second derivative; each row's multipliers sum to 0 whatever its scores."""
    X, _, cost = rows()
    X, rng, sigma = X.astype(np.float32).astype(np.float64), np.random.default_rng(1), 2.0
    y, centre = rng.integers(0, K, N), np.zeros((N, K))
    w, a, adjoint, H = rng.normal(size=(D + 1, K)), np.empty((N, K)), np.empty((D + 1, K)), np.empty((K * (D + 1),) * 2)
    w[-1] += size
    g = np.c_[X, np.ones(N)] @ w + (np.arange(K) != y[:, None])
    for _ in range(2):
        totals = kernels.crammer_singer_proximal(
            matrix(kernels, X, storage), K, y, cost, centre, sigma, w, a, adjoint, H, 2
        )
        twin = np.array(
            [reference_dual.crammer_singer_row(*row, 1.0 / sigma) for row in zip(centre, g, y, cost, strict=True)]
        )
        np.testing.assert_allclose(a, twin, atol=1e-14 * size)
        assert (np.abs(a.sum(axis=1)) <= 1e-15 * cost).all()
        moved = ((a - centre) ** 2).sum() / (2.0 * sigma)
        own = g[np.arange(N), y]
        held = a.sum() - a[np.arange(N), y].sum()
        expected = [-(a * g).sum() - moved, cost @ (g.max(axis=1) - own), held]
        np.testing.assert_allclose(totals, expected, rtol=1e-9, atol=1e-13 * size)
        np.testing.assert_allclose(adjoint, np.c_[X, np.ones(N)].T @ a, atol=1e-12)
        curve = np.zeros_like(H)
        for x, row, c, k in zip(np.c_[X, np.ones(N)], a, cost, y, strict=True):
            free = row < np.where(np.arange(K) == k, c, 0.0)
            inside = np.diag(free * 1.0) - np.outer(free, free) / max(free.sum(), 1)
            curve += sigma * np.kron(inside, np.outer(x, x))
        np.testing.assert_allclose(np.triu(H), np.triu(curve), atol=1e-12)
        centre = a.copy()


@pytest.mark.parametrize("storage", ["dense", "fortran", "csr"])
@pytest.mark.parametrize(("lanes", "v2", "scale"), [(1, 0.0, 1.0), (2, 0.3, 1.0), (1, 0.3, 300.0), (1, 0.0, 1e-9)])
def test_softmax_sweeps(kernels: ModuleType, lanes: int, v2: float, scale: float, storage: str) -> None:
    X, _, cost = rows()
    X, cost = X.astype(np.float32).astype(np.float64), scale * cost
    y = np.random.default_rng(1).integers(0, K, N)
    t, padded, order = np.full((N, K), -np.log(K)), np.zeros((D, 8)), np.arange(N, dtype=np.int32)
    a = cost[:, None] * (np.eye(K)[y] - np.exp(t))
    padded[:, :K], r = X.T @ a, a.sum(axis=0)
    twin = reference_dual.SoftmaxRows(X, cost, t.copy(), np.zeros(K), r.copy(), order.copy(), padded[:, :K].copy())
    state = reference_dual.SweepState(3, N, lanes, 3, 0.0, v2)
    numbers = kernels.DualState(3, N, lanes, 3)
    numbers.v2, norms, handle = v2, np.full(N, -1.0), matrix(kernels, X, storage)
    for _ in range(SWEEPS):
        state.rest_below = numbers.rest_below = 1e-5 * scale
        kernels.softmax_sweep(
            handle, K, cost, norms, t, np.zeros(K), r, order, padded, np.zeros((lanes - 1) * D * 8), numbers, 2
        )
        reference_dual.softmax_sweep(twin, state)
        np.testing.assert_array_equal(order, twin.order)
        np.testing.assert_allclose(np.exp(t), np.exp(twin.t), atol=1e-9)
        np.testing.assert_allclose(padded[:, :K], twin.w, atol=1e-9 * scale + 1e-9)
        if (numbers.lanes, numbers.windows) != (lanes, 3):
            break
    a = cost[:, None] * (np.eye(K)[y] - np.exp(t))
    np.testing.assert_allclose(padded[:, :K], X.T @ a, atol=1e-9 * scale + 1e-12)
    np.testing.assert_allclose(r, a.sum(axis=0), atol=1e-9 * scale + 1e-12)
    np.testing.assert_allclose(np.exp(t).sum(axis=1), 1.0, rtol=1e-13)
    assert (padded[:, K:] == 0.0).all()


@pytest.mark.parametrize("h", [0.0, 1e-6, 0.3, 1.0, 30.0, 1e4, 1e9])
def test_a_row_of_softmax_is_solved(h: float) -> None:
    """By repeating the step at the same scores: t + h eᵗ = z + h p̂ + ν at every class, with the p̂ of the first."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        z, start = rng.normal(size=K) * 10.0 ** rng.integers(-2, 3), rng.normal(size=K) * 4.0
        t = old = start - np.log(np.exp(start).sum())
        for _ in range(60):  # from anywhere: the scores that make the old p̂ the centre
            t = reference_dual.softmax_row(t, z + h * (np.exp(old) - np.exp(t)), h)
        level = t + h * np.exp(t) - z - h * np.exp(old)
        assert np.exp(t).sum() == pytest.approx(1.0, rel=1e-12)
        weight = np.exp(t)  # classes of probability 0 may lag behind
        assert (np.abs(level - weight @ level) * np.sqrt(weight)).max() <= 1e-6 * (1.0 + h)


def test_multipliers_of_softmax(kernels: ModuleType) -> None:
    rng = np.random.default_rng(0)
    t, y, theta = np.log(rng.dirichlet(np.ones(K), size=N)), rng.integers(0, K, N), np.empty((N, K))
    kernels.softmax_multipliers(t, y, K, theta, 2)
    np.testing.assert_allclose(theta, np.eye(K)[y] - np.exp(t), atol=1e-15)
    assert np.abs(theta.sum(axis=1)).max() <= 1e-16 * 4
    with pytest.raises(ValueError, match="labels are 0"):
        kernels.softmax_multipliers(t, y + 1, K, theta, 2)
