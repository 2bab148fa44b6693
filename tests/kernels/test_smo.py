"""SMO and the rows of kernels against their plain twins, on every instruction set."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference_smo

N, D = 150, 9
KERNELS = [("linear", 1.0, 0.0, 1), ("polynomial", 0.5, 1.0, 3), ("rbf", 0.3, 0.0, 1), ("sigmoid", 0.05, -0.2, 1)]


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def rows(density: float = 0.6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < density)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=N) > 0.1, 1.0, -1.0)
    return X, y, rng.random(N) + 0.05


def matrix(kernels: ModuleType, X: Any, storage: str) -> Any:
    if storage == "csr":
        parts = sparse.csr_array(X)
        return kernels.Matrix.csr(parts.data, parts.indices, parts.indptr, X.shape[1])
    return kernels.Matrix.dense(np.asfortranarray(X) if storage == "fortran" else X)


def made(kernels: ModuleType, X: Any, storage: str, kernel: tuple[Any, ...], memory: float = 1e9) -> Any:
    name, gamma, coef0, degree = kernel
    return kernels.KernelRows.of(matrix(kernels, X, storage), name, gamma, coef0, degree, memory)


def smo(kernels: ModuleType, given: Any, intercept: bool = True, size: float = 1e9, shrinks: bool = True) -> Any:
    _, y, cost = rows()
    return kernels.Smo.over(given, y, np.minimum(y * cost, 0), np.maximum(y * cost, 0), intercept, size, shrinks)


def read(run: Any) -> tuple[np.ndarray, np.ndarray]:
    beta, v = np.empty(N), np.empty(N)
    run.read(beta, v)
    return beta, v


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k[0])
@pytest.mark.parametrize("storage", ["dense", "fortran", "csr", "single"])
@pytest.mark.parametrize("density", [0.6, 0.05], ids=["panels", "columns"])
def test_rows_of_kernels(kernels: ModuleType, kernel: tuple[Any, ...], storage: str, density: float) -> None:
    X, _, _ = rows(density)
    X = X.astype(np.float32) if storage == "single" else X
    expected = reference_smo.kernel_matrix(kernel[0], X.astype(float), X.astype(float), *kernel[1:])
    given = made(kernels, X, storage, kernel)
    found, diagonal = np.empty((N, N)), np.empty(N)
    given.block(matrix(kernels, X, storage), 0, found, 2)
    given.diagonal(diagonal)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(diagonal, np.diag(expected), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda k: k[0])
@pytest.mark.parametrize("intercept", [True, False])
def test_step_by_step(kernels: ModuleType, kernel: tuple[Any, ...], intercept: bool) -> None:
    X, y, cost = rows()
    K = reference_smo.kernel_matrix(kernel[0], X, X, *kernel[1:])
    twin = reference_smo.Smo(K, y, np.minimum(y * cost, 0), np.maximum(y * cost, 0), intercept)
    run = smo(kernels, made(kernels, X, "dense", kernel), intercept, shrinks=False)
    for _ in range(40):
        twin.step()
        run.run(1, 0.0, 0.0, 1)
        beta, v = read(run)
        np.testing.assert_allclose(beta, twin.beta, atol=1e-10)
        np.testing.assert_allclose(v, twin.v, atol=1e-9)
    dual = y @ beta - 0.5 * beta @ K @ beta
    assert run.state.dual == pytest.approx(dual, rel=1e-10)
    assert run.state.iterations == 40


@pytest.mark.parametrize("intercept", [True, False])
def test_an_indefinite_kernel_rises_to_a_stationary_point(kernels: ModuleType, intercept: bool) -> None:
    X, y, _ = rows()
    K = reference_smo.kernel_matrix("sigmoid", X, X, 0.8, -0.5, 1)
    assert np.linalg.eigvalsh(K).min() < -0.1
    run = smo(kernels, made(kernels, X, "dense", ("sigmoid", 0.8, -0.5, 1)), intercept)
    values = [0.0]
    for _ in range(300):
        if run.run(100, 1e-8, 0.0, 1):
            break
        values.append(run.state.dual)
    assert run.state.gap <= 1e-8 * (run.state.dual + run.state.gap)
    assert (np.diff(values) >= 0.0).all()
    beta, v = read(run)
    np.testing.assert_allclose(v, y - K @ beta, atol=1e-10)
    assert run.state.least_curvature < 0.0


@pytest.mark.parametrize("intercept", [True, False])
def test_the_gap_and_v_at_the_end(kernels: ModuleType, intercept: bool) -> None:
    X, y, cost = rows()
    kernel = KERNELS[2]
    K = reference_smo.kernel_matrix(kernel[0], X, X, *kernel[1:])
    run = smo(kernels, made(kernels, X, "csr", kernel), intercept)
    while not run.run(50, 1e-10, 0.0, 2):
        pass
    run.complete(1)
    beta, v = read(run)
    np.testing.assert_allclose(v, y - K @ beta, atol=1e-12)
    b = 0.5 * (run.state.high + run.state.low) if intercept else 0.0
    gap = reference_smo.gap(beta, v, np.minimum(y * cost, 0), np.maximum(y * cost, 0), b)
    assert run.state.gap == pytest.approx(gap, abs=1e-13)
    assert gap <= 2e-10 * run.state.dual
    if intercept:
        assert abs(beta.sum()) < 1e-13


@pytest.mark.parametrize("size", [0.0, 8.0 * N * 5, 1e9])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_bits_for_any_cache_and_threads(kernels: ModuleType, size: float, threads: int) -> None:
    X, _, _ = rows()
    reference = smo(kernels, made(kernels, X, "dense", KERNELS[2]))
    run = smo(kernels, made(kernels, X, "dense", KERNELS[2]), size=size)
    reference.run(3000, 1e-8, 0.0, 1)
    run.run(3000, 1e-8, 0.0, threads)
    for one, other in zip(read(reference), read(run), strict=True):
        np.testing.assert_array_equal(one, other)
    assert run.state.rows_computed >= reference.state.rows_computed


@pytest.mark.parametrize("size", [0.0, 8.0 * N * 20, 1e9])
def test_shrinking_comes_to_the_same_optimum(kernels: ModuleType, size: float) -> None:
    X, y, _ = rows()
    low, high = 300.0 * np.minimum(y, 0), 300.0 * np.maximum(y, 0)
    found = []
    for shrinks in (False, True):
        given = made(kernels, X, "dense", ("rbf", 0.02, 0.0, 1))
        run = kernels.Smo.over(given, y, low, high, True, size, shrinks)
        fewest = N
        for _ in range(200):
            done = run.run(1000, 1e-9, 0.0, 1)
            fewest = min(fewest, run.state.active)
            if done:
                run.complete(1)
                if run.state.gap <= 2e-9 * run.state.dual:
                    break
        assert (fewest < N) == shrinks
        beta, v = read(run)
        K = reference_smo.kernel_matrix("rbf", X, X, 0.02, 0.0, 1)
        np.testing.assert_allclose(v, y - K @ beta, atol=1e-7)
        found.append(y @ beta - 0.5 * beta @ K @ beta)
    assert found[0] == pytest.approx(found[1], rel=1e-8)


@pytest.mark.parametrize("storage", ["dense", "fortran"])
def test_given_and_called_kernels(kernels: ModuleType, storage: str) -> None:
    X, _, _ = rows()
    K = np.empty((N, N))
    made(kernels, X, "dense", KERNELS[2]).block(kernels.Matrix.dense(X), 0, K, 1)
    chosen = np.random.default_rng(1).permutation(N)
    undo = np.argsort(chosen)
    shuffled = matrix(kernels, K[np.ix_(undo, undo)], storage)
    sources = [
        made(kernels, X, "dense", KERNELS[2]),
        kernels.KernelRows.given(matrix(kernels, K, storage), None),
        kernels.KernelRows.given(shuffled.take(chosen), chosen),
        kernels.KernelRows.called(np.ascontiguousarray(np.diag(K)), lambda i: K[i]),
    ]
    found = []
    for source in sources:
        run = smo(kernels, source)
        run.run(200, 1e-9, 0.0, 1)
        found.append(read(run)[0])
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-12)


def test_an_error_in_a_called_kernel_comes_through(kernels: ModuleType) -> None:
    def call(row: int) -> np.ndarray:
        raise RuntimeError("no such row")

    run = smo(kernels, kernels.KernelRows.called(np.ones(N), call))
    with pytest.raises(RuntimeError, match="no such row"):
        run.run(10, 1e-3, 0.0, 1)
    assert not read(run)[0].any()


def test_wrong_arguments(kernels: ModuleType) -> None:
    X, y, _ = rows()
    with pytest.raises(ValueError, match="no kernel is named cubic"):
        made(kernels, X, "dense", ("cubic", 1.0, 0.0, 1))
    with pytest.raises(TypeError, match="dense"):
        kernels.KernelRows.given(matrix(kernels, X, "csr"), None)
    with pytest.raises(ValueError, match="columns"):
        kernels.KernelRows.given(matrix(kernels, X, "dense"), None)
    given = made(kernels, X, "dense", KERNELS[0])
    with pytest.raises(ValueError, match="low"):
        kernels.Smo.over(given, y, y[:3], y, True, 1e6, True)
    with pytest.raises(ValueError, match="no such rows"):
        given.block(matrix(kernels, X, "dense"), N - 1, np.empty((2, N)), 1)
