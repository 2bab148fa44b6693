"""Epochs of the perceptron kernels against their plain twin, on every instruction set and storage."""

from __future__ import annotations

from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from linsep.kernels.reference_perceptron import Perceptron
from tests.kernels.cases import STORAGES, Stored, every_variant

TIES = (-1, 0, 1)
N, D, EPOCHS = 40, 6, 3


def pair(native: ModuleType, stored: Stored, units: int, pocket: bool = False, **asked: Any) -> tuple[Any, ...]:
    """The kernel's run and weights, and the twin."""
    asked = {"rule": "mistake", "rate": 0.5, "tie": 0, "batch": 1, "joint": False, "normalize": False} | asked
    n, d = stored.X.shape
    y = np.random.default_rng(units).integers(0, max(2, units), n)
    w = np.zeros((units, d + 1))
    names = ("rule", "rate", "tie", "batch", "joint")
    settings = native.PerceptronSettings.of(*(asked[k] for k in names), True, asked["normalize"], True, True, pocket)
    run = native.PerceptronRun.over(stored.matrix(native), y, w, units, None, 0.0, settings)
    X = np.column_stack([stored.X, np.ones(n)])
    return run, w, Perceptron(X, y, np.zeros((units, d + 1)), **asked)


def assert_same_run(run: Any, w: np.ndarray, twin: Perceptron, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    units, n = len(w), len(twin.X)
    size = max(1.0, float(np.abs(twin.X).max()))
    for _ in range(EPOCHS):
        order, mistakes, updates = rng.integers(n, size=n), np.empty(units, np.int64), np.empty(units, np.int64)
        run.epoch(order, mistakes)
        np.testing.assert_array_equal(mistakes, twin.epoch(order))
        run.updates(updates)
        np.testing.assert_array_equal(updates, twin.updates)
        np.testing.assert_allclose(w, twin.w, rtol=1e-9, atol=1e-9 * size)
    total = np.empty_like(w)
    assert run.total(total) == twin.blocks
    np.testing.assert_allclose(total, twin.sum, rtol=1e-8, atol=1e-8 * size * twin.blocks)
    path, rows = np.empty((run.recorded, *w.shape)), np.empty(run.recorded, np.int64)
    run.path(path, rows)
    assert list(rows) == twin.path_rows
    np.testing.assert_allclose(path, twin.path, rtol=1e-8, atol=1e-8 * size)


@every_variant
@pytest.mark.parametrize("storage", STORAGES)
def test_every_storage(native: ModuleType, storage: str) -> None:
    stored = STORAGES[storage](N, D)
    assert_same_run(*pair(native, stored, 1))
    assert_same_run(*pair(native, stored, 3, batch=4))


@every_variant
@pytest.mark.parametrize("storage", ["C-f8", "csr-f8-i4"])
@pytest.mark.parametrize("rule", ["mistake", "thresholded", "unthresholded"])
def test_every_setting(native: ModuleType, rule: str, storage: str) -> None:
    stored = STORAGES[storage](N, D)
    rate = 0.02 if rule == "unthresholded" else 1.0
    for tie, batch, normalize, units, joint in product(TIES, (1, 7), (False, True), (1, 3), (False, True)):
        if joint and (units == 1 or rule != "mistake"):
            continue
        asked = {"rule": rule, "rate": rate, "tie": tie, "batch": batch, "normalize": normalize, "joint": joint}
        assert_same_run(*pair(native, stored, units, **asked))


@every_variant
def test_the_plain_path_is_the_general_one(native: ModuleType) -> None:
    """One unit, row by row, without any record runs in a loop of its own."""
    stored = STORAGES["C-f8"](N, D)
    for rule, tie in product(("mistake", "thresholded", "unthresholded"), TIES):
        run, _, twin = pair(native, stored, 1, rule=rule, tie=tie, rate=0.01)
        settings = native.PerceptronSettings.of(rule, 0.01, tie, 1, False, True, False, False, False, False)
        w, order, mistakes = np.zeros((1, D + 1)), np.arange(N), np.empty(1, np.int64)
        plain = native.PerceptronRun.over(stored.matrix(native), twin.y, w, 1, None, 0.0, settings)
        for _ in range(EPOCHS):
            plain.epoch(order, mistakes)
            np.testing.assert_array_equal(mistakes, twin.epoch(order))
            np.testing.assert_allclose(w, twin.w, atol=1e-12)
        updates = np.empty(1, np.int64)
        plain.updates(updates)
        assert updates == twin.updates
        assert run.recorded == 0


@every_variant
@pytest.mark.parametrize("units", [1, 3])
def test_the_pocket_holds_the_best_of_the_path(native: ModuleType, units: int) -> None:
    stored = STORAGES["C-f8"](N, D)
    run, w, twin = pair(native, stored, units, pocket=True)
    for _ in range(EPOCHS):
        twin.epoch(np.arange(N))
        run.epoch(np.arange(N), np.empty(units, np.int64))
    scores = [twin.X @ v.T for v in twin.path]
    predicted = [z[:, 0] > 0 if units == 1 else z.argmax(axis=1) for z in scores]
    errors = [int((p != twin.y).sum()) for p in predicted]
    best = np.empty_like(w)
    assert run.best(best) == min(errors)
    np.testing.assert_allclose(best, twin.path[int(np.argmin(errors))], atol=1e-9)


@every_variant
def test_rows_and_classes_outside_are_refused(native: ModuleType) -> None:
    run, _, twin = pair(native, STORAGES["C-f8"](N, D), 1)
    with pytest.raises(ValueError, match="rows 0"):
        run.epoch(np.array([0, N]), np.empty(1, np.int64))
    settings = native.PerceptronSettings.of("mistake", 1.0, 0, 1, False, True, False, False, False, False)
    matrix = native.Matrix.dense(twin.X)
    with pytest.raises(ValueError, match="classes are"):
        native.PerceptronRun.over(matrix, twin.y + 1, np.zeros((1, D + 2)), 1, None, 0.0, settings)
    with pytest.raises(ValueError, match="batch"):
        native.PerceptronSettings.of("mistake", 1.0, 0, 0, False, True, False, False, False, False)
