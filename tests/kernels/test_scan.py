"""The fingerprint: one for all storages of the same values, another after any edit; finite or not."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from linsep.kernels import reference
from linsep.types import FloatArray

from .cases import STORAGES, Array, Call, Out, Stored, csr, dense, every_variant

SHAPES = [(1, 1), (3, 2), (257, 54), (5000, 30)]
ENTRIES: dict[str, Callable[[np.random.Generator], FloatArray]] = {
    "normal": lambda random: random.normal(size=(60, 8)),
    "float32": lambda random: random.normal(size=(60, 8)).astype(np.float32).astype(np.float64),
    "sparse": lambda random: random.normal(size=(60, 8)) * (random.random((60, 8)) < 0.3),
    "grades": lambda random: random.integers(1, 6, (60, 8)).astype(np.float64),
    "pixels": lambda random: random.integers(0, 256, (60, 8)).astype(np.float64),
    "signs": lambda random: random.choice([-1.0, 1.0], (60, 8)),
    "times": lambda random: 1.6e9 + random.random((60, 8)),
}


def fingerprint(native: ModuleType, X: Array) -> int:
    return int(native.scan(native.Matrix.dense(X), 1, np.empty(X.shape[1]), 1)[0])


@every_variant
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_the_reference_on_every_storage(native: ModuleType, storage: str, n: int, d: int) -> None:
    stored, call = STORAGES[storage](n, d), Call("scan", (7, Out((d,))))
    squares, *verdict, total = call.native(native, stored.matrix(native))
    expected, *true_verdict, true_total = call.reference(stored.X)
    assert verdict == true_verdict
    np.testing.assert_allclose(squares, expected, rtol=1e-12)
    assert total == pytest.approx(true_total, rel=1e-12)
    *verdict, total = native.scan(stored.matrix(native), 7, None, 1)
    assert verdict == true_verdict
    assert total == pytest.approx(true_total, rel=1e-12)


@every_variant
def test_one_fingerprint_for_all_storages_of_the_same_values(native: ModuleType) -> None:
    X = csr("u1", "i4")(700, 9).X
    same: list[Array] = [
        X,
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(np.uint8),
        np.where(X == 0, -0.0, X),
    ]
    assert len({fingerprint(native, array) for array in same}) == 1
    stored = csr("u1", "i8")(700, 9)
    assert native.scan(stored.matrix(native), 1, np.empty(9), 1)[0] == fingerprint(native, X)


def one_entry(X: FloatArray, random: np.random.Generator) -> None:
    X[random.integers(len(X)), random.integers(X.shape[1])] += 1.0


def last_bit(X: FloatArray, random: np.random.Generator) -> None:
    i, j = random.integers(len(X)), random.integers(X.shape[1])
    X[i, j] = np.nextafter(X[i, j], np.inf)


def swap_rows(X: FloatArray, random: np.random.Generator) -> None:
    i, j = random.choice(len(X), 2, replace=False)
    X[[i, j]] = X[[j, i]]


def swap_columns(X: FloatArray, random: np.random.Generator) -> None:
    i, j = random.choice(X.shape[1], 2, replace=False)
    X[:, [i, j]] = X[:, [j, i]]


def swap_in_a_row(X: FloatArray, random: np.random.Generator) -> None:
    row, (i, j) = random.integers(len(X)), random.choice(X.shape[1], 2, replace=False)
    X[row, [i, j]] = X[row, [j, i]]


def swap_in_a_column(X: FloatArray, random: np.random.Generator) -> None:
    column, (i, j) = random.integers(X.shape[1]), random.choice(len(X), 2, replace=False)
    X[[i, j], column] = X[[j, i], column]


def exchange_in_a_square(X: FloatArray, random: np.random.Generator) -> None:
    """Where X holds [a b; b a] this makes [b a; a b]: no row's and no column's sum changes."""
    X[:2, :2] = X[:2, 1::-1]


@every_variant
@pytest.mark.parametrize("entries", ENTRIES)
@pytest.mark.parametrize(
    "edit",
    [one_entry, last_bit, swap_rows, swap_columns, swap_in_a_row, swap_in_a_column, exchange_in_a_square],
)
def test_every_edit_changes_it(
    native: ModuleType, entries: str, edit: Callable[[FloatArray, np.random.Generator], None]
) -> None:
    random = np.random.default_rng(0)
    for _ in range(30):
        X = ENTRIES[entries](random)
        X[1, :2] = X[0, 1::-1]
        edited = X.copy()
        edit(edited, random)
        if (edited != X).any():
            assert fingerprint(native, X) != fingerprint(native, edited)


@every_variant
def test_rows_salt_and_shape_matter(native: ModuleType) -> None:
    X, squares = np.ones((4, 3)), np.empty(3)
    assert fingerprint(native, X) != fingerprint(native, X[:3])
    assert native.scan(native.Matrix.dense(X), 2, squares, 1)[0] != fingerprint(native, X)
    assert fingerprint(native, np.ones((4, 3))) != fingerprint(native, np.ones((3, 4)))


@every_variant
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("order", ["C", "F", "csr"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_nan_and_infinity_are_found_wherever_they_are(native: ModuleType, bad: float, order: str, dtype: str) -> None:
    n, d = 600, 5
    stored = csr(dtype, "i4")(n, d) if order == "csr" else dense(dtype, order)(n, d)
    entries = stored.arrays[0] if order == "csr" else stored.arrays
    assert native.scan(stored.matrix(native), 1, np.empty(d), 1)[1] is True
    for place in (0, entries.size // 2, entries.size - 1):
        kept = entries.flat[place]
        entries.flat[place] = bad
        assert native.scan(stored.matrix(native), 1, np.empty(d), 1)[1] is False
        entries.flat[place] = kept


@every_variant
def test_the_largest_and_smallest_numbers_are_finite(native: ModuleType) -> None:
    X = np.array([[1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 2.2e-308, -0.0]])
    with np.errstate(over="ignore"):
        expected = reference.scan(X, 1, np.empty(5))
    assert native.scan(native.Matrix.dense(X), 1, np.empty(5), 1) == expected
    assert expected[1]


@every_variant
def test_a_subset_has_the_fingerprint_of_its_copy(native: ModuleType) -> None:
    rows = np.array([7, 2, 2, 9, 0, 9, 9, 1, 3, 4, 5, 6])
    for order in "CF":
        whole = dense("f8", order)(10, 3)
        part = Stored(whole.arrays, whole.X[rows], rows)
        squares = np.empty(3)
        hashed, *_ = native.scan(part.matrix(native), 1, squares, 1)
        assert hashed == fingerprint(native, part.X)
        np.testing.assert_allclose(squares, (part.X**2).sum(axis=0), rtol=1e-14)
