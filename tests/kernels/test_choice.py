"""The kernels that learn from choices against their plain twins, on integers, where every sum is exact."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference_choice

STORAGES = ["dense", "fortran", "float32", "csr", "csr64"]


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def choices(seed: int, states: int = 60, d: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Small integers: ties and equal actions are frequent."""
    rng = np.random.default_rng(seed)
    offsets = np.append(0, np.cumsum(rng.integers(1, 6, states))).astype(np.int64)
    X = rng.integers(-1, 2, size=(offsets[-1], d)).astype(float)
    chosen = offsets[:-1] + (rng.random(states) * np.diff(offsets)).astype(np.int64)
    return X, offsets, chosen


def matrix(kernels: ModuleType, X: np.ndarray, storage: str) -> object:
    if storage.startswith("csr"):
        parts = sparse.csr_array(X)
        kind = np.int64 if storage == "csr64" else np.int32
        return kernels.Matrix.csr(parts.data, parts.indices.astype(kind), parts.indptr.astype(kind), X.shape[1])
    if storage == "float32":
        return kernels.Matrix.dense(X.astype(np.float32))
    return kernels.Matrix.dense(np.asfortranarray(X) if storage == "fortran" else X)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("strict", [True, False])
def test_epochs(kernels: ModuleType, storage: str, strict: bool) -> None:
    for seed in range(5):
        X, offsets, chosen = choices(seed)
        order = np.random.default_rng(seed).permutation(len(chosen))
        same = (reference_choice.choice_distances(X, offsets, chosen) == 0.0).astype(np.uint8)
        w, late, twin, total = np.zeros(5), np.zeros(5), np.zeros(5), np.zeros(5)
        for epoch in range(3):
            made = np.empty((len(order), 2), dtype=np.int64)
            count = kernels.choice_epoch(
                matrix(kernels, X, storage), offsets, chosen, same, order, strict, w, late, epoch * len(order), made
            )
            twin, part, mistakes = reference_choice.choice_epoch(X, offsets, chosen, order, strict, twin)
            total += part
            assert made[:count].tolist() == [list(pair) for pair in mistakes]
            np.testing.assert_array_equal(w, twin)
            visits = (epoch + 1) * len(order)
            np.testing.assert_array_equal(visits * w - late, total)


@pytest.mark.parametrize("storage", STORAGES)
def test_distances(kernels: ModuleType, storage: str) -> None:
    X, offsets, chosen = choices(9)
    out = np.full(len(X), np.nan)
    kernels.choice_distances(matrix(kernels, X, storage), offsets, chosen, out)
    np.testing.assert_array_equal(out, reference_choice.choice_distances(X, offsets, chosen))


def test_bad_layouts_are_refused(kernels: ModuleType) -> None:
    X, offsets, chosen = choices(1)
    out = np.empty(len(X))
    with pytest.raises(ValueError, match="rise"):
        kernels.choice_distances(matrix(kernels, X, "dense"), offsets + 1, chosen, out)
    with pytest.raises(ValueError, match="one of its state's"):
        kernels.choice_distances(matrix(kernels, X, "dense"), offsets, np.roll(chosen, 1), out)
