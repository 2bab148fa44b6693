"""Coordinate descent of the quadratic model against its plain twin, on every instruction set."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference_primal

N, M, K = 50, 8, 3
STORAGES = ["dense", "fortran", "float32", "csr", "csr64"]


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, M)) < 0.6, rng.normal(size=(N, M)), 0.0).astype(np.float32).astype(np.float64)
    return X, rng.random(N) + 0.1, rng.normal(size=M)


def penalty(seed: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lower = np.where(rng.random(size) < 0.3, 0.0, -np.inf)
    upper = np.where(rng.random(size) < 0.3, 0.05, np.inf)
    return rng.random(size), rng.random(size) * (rng.random(size) < 0.5), lower, upper


def columns(kernels: ModuleType, X: np.ndarray, storage: str) -> object:
    """The handle of Xᵀ."""
    if storage.startswith("csr"):
        parts = sparse.csr_array(X.T)
        kind = np.int64 if storage == "csr64" else np.int32
        return kernels.Matrix.csr(parts.data, parts.indices.astype(kind), parts.indptr.astype(kind), N)
    if storage == "float32":
        return kernels.Matrix.dense(np.ascontiguousarray(X.T, dtype=np.float32))
    return kernels.Matrix.dense(X.T if storage == "fortran" else np.ascontiguousarray(X.T))


def pack(kernels: ModuleType, X: np.ndarray, storage: str, root: np.ndarray | None) -> tuple[object, np.ndarray]:
    counts = np.count_nonzero(X, axis=0) if storage.startswith("csr") else np.full(X.shape[1], N)
    starts = np.append(0, np.cumsum(counts)).astype(np.int64)
    values, rows = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.int32)
    chosen = np.arange(X.shape[1], dtype=np.int64)
    kernels.primal_pack(columns(kernels, X, storage), chosen, starts, root, values, rows, 2)
    dense = np.zeros((N, len(counts)))
    np.add.at(dense, (rows, np.repeat(chosen, counts)), values)
    return kernels.PackedColumns(values, rows, starts, N), dense


@pytest.mark.parametrize("storage", STORAGES)
def test_packing_keeps_every_entry(kernels: ModuleType, storage: str) -> None:
    X, c, _ = data()
    _, dense = pack(kernels, X, storage, np.sqrt(c))
    assert np.array_equal(dense, np.sqrt(c)[:, None] * X)


@pytest.mark.parametrize("seed", range(3))
def test_matrix_form_reaches_the_minimum(kernels: ModuleType, seed: int) -> None:
    X, c, g = data(seed)
    H, w, terms = X.T @ (c[:, None] * X), np.zeros(M), penalty(seed, M)
    z = w.copy()
    left, visited, finished = kernels.primal_gram(H, kernels.PrimalTerms(g, w, *terms, z), 1e-12, 10_000)
    assert finished
    assert left <= 1e-12
    assert visited > 0
    assert z == pytest.approx(reference_primal.descend(H, g, w, terms), abs=1e-10)


def test_one_sweep_is_the_twins_sweep(kernels: ModuleType) -> None:
    X, c, g = data()
    H, w, terms = X.T @ (c[:, None] * X), np.zeros(M), penalty(0, M)
    z, twin = w.copy(), w.copy()
    left, visited, finished = kernels.primal_gram(H, kernels.PrimalTerms(g, w, *terms, z), 0.0, 1)
    assert left == pytest.approx(reference_primal.sweep(H, g, w, twin, terms))
    assert (visited, finished) == (M, False)
    assert z == pytest.approx(twin)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("intercept", [False, True])
def test_column_form_is_the_matrix_form(kernels: ModuleType, storage: str, intercept: bool) -> None:
    X, c, g = data()
    w, terms = np.zeros(M), penalty(0, M)
    packed, A = pack(kernels, X, storage, np.sqrt(c))
    mean = A.T @ np.sqrt(c) / np.sqrt(c.sum()) if intercept else None
    H = A.T @ A - (0.0 if mean is None else np.outer(mean, mean))
    z, q = w.copy(), np.zeros(N)
    arrays = kernels.PrimalTerms(g, w, *terms, z)
    _, _, finished = kernels.primal_columns(packed, arrays, H.diagonal().copy(), mean, q, 1e-12, 10_000)
    assert finished
    assert z == pytest.approx(reference_primal.descend(H, g, w, terms), abs=1e-9)
    assert q == pytest.approx(A @ (z - w), abs=1e-12)


def test_joint_form_reaches_the_minimum(kernels: ModuleType) -> None:
    X, share, _ = data()
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(K), N)
    w, g, terms = np.zeros(M * K), rng.normal(size=M * K), penalty(1, M * K)
    packed, _ = pack(kernels, X, "csr", None)
    h = 2.0 * np.einsum("i,ij,ik->jk", share, X * X, p * (1 - p)).ravel()
    z, residual = w.copy(), np.zeros((N, K))
    arrays = kernels.PrimalTerms(g, w, *terms, z)
    _, _, finished = kernels.primal_joint(packed, arrays, h, p, share, residual, 1e-13, 100_000)
    assert finished
    H = reference_primal.joint_hessian(X, p, share)
    assert z == pytest.approx(reference_primal.descend(H, g, w, terms, 3000), abs=1e-5)
    u = X @ (z - w).reshape(M, K)
    assert residual == pytest.approx(share[:, None] * p * (u - (p * u).sum(axis=1, keepdims=True)), abs=1e-10)


def test_cross_products_do_not_depend_on_threads(kernels: ModuleType) -> None:
    X, c, _ = data()
    packed, A = pack(kernels, X, "csr", np.sqrt(c))
    chosen = np.array([1, 3, 4, 7], dtype=np.int64)
    one, two = np.empty((4, 4)), np.empty((4, 4))
    kernels.primal_cross(packed, chosen, one, 1)
    kernels.primal_cross(packed, chosen, two, 2)
    assert np.array_equal(one, two)
    assert one == pytest.approx(A[:, chosen].T @ A[:, chosen])


def test_arrays_of_the_wrong_size_are_refused(kernels: ModuleType) -> None:
    g, short = np.zeros(3), np.zeros(2)
    with pytest.raises(ValueError, match="elements"):
        kernels.PrimalTerms(g, g, g, g, g, short, g.copy())
    with pytest.raises(ValueError, match="starts rise"):
        kernels.PackedColumns(np.zeros(2), np.array([0, 9], dtype=np.int32), np.array([0, 2], dtype=np.int64), 5)
