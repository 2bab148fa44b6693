"""Every pass over a matrix against the NumPy reference: every storage, shapes for every branch, bad input."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import reference

from .cases import (
    STORAGES,
    Array,
    Call,
    InOut,
    Out,
    Stored,
    assert_close,
    csr,
    dense,
    every_variant,
    in_a_new_process,
    loss_calls,
    pass_calls,
    repeated,
)

#: (n, d, K): one row; 256 rows, the size of a block, and one less or more; tiles shorter than a block; chunks
SHAPES = [(1, 1, 2), (1, 54, 3), (3, 2, 2), (255, 1, 10), (256, 54, 3), (257, 300, 10), (1300, 54, 2)]
LARGE = [(5000, 54, 3), (70000, 2, 2)]
SMALL = Stored(np.ones((5, 2)), np.ones((5, 2)))


@lru_cache(maxsize=4)
def expected(storage: str, n: int, d: int, k: int) -> tuple[Stored, list[tuple[Call, list[Array]]]]:
    stored = STORAGES[storage](n, d)
    return stored, [(call, call.reference(stored.X)) for call in pass_calls(stored.X, k)]


@every_variant
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_every_pass_on_every_storage(native: ModuleType, storage: str, n: int, d: int, k: int) -> None:
    stored, calls = expected(storage, n, d, k)
    matrix = stored.matrix(native)
    assert (matrix.n, matrix.d) == (n, d)
    for call, results in calls:
        assert_close(call.native(native, matrix), results, 1e-12, call)
        if call.takes_single:
            assert_close(call.native(native, matrix, single=True), results, 2e-5, call)


@every_variant
def test_gram_matrices_of_every_width(native: ModuleType) -> None:
    """Widths that end anywhere in a register, and on either side of where BLAS takes over."""
    for d in [*range(1, 50), 254, 255, 256]:
        stored = STORAGES["C-f8"](70, d)
        call = Call("gram", (np.random.default_rng(d).random(70), None, 1, Out((1, d + 1, d + 1))))
        results = call.reference(stored.X)
        assert_close(call.native(native, stored.matrix(native)), results, 1e-12, call)
        assert_close(call.native(native, stored.matrix(native), single=True), results, 2e-5, call)


@every_variant
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8])
def test_the_score_of_a_row_does_not_depend_on_the_others(native: ModuleType, kind: type) -> None:
    for d in (3, 8, 54):
        random = np.random.default_rng(d)
        X, w = (20.0 * random.random((11, d))).astype(kind), random.normal(size=d + 1)
        call = Call("scores", (w, 1, Out((11,))))
        together = call.native(native, native.Matrix.dense(X))[0]
        for i in range(11):
            alone = Call("scores", (w, 1, Out((1,)))).native(native, native.Matrix.dense(X[i : i + 1].copy()))[0]
            assert alone[0] == together[i]


@every_variant
@pytest.mark.parametrize("storage", ["C-f8", "F-f4", "csr-f8-i4", "take C"])
@pytest.mark.parametrize(("n", "d", "k"), LARGE)
def test_every_pass_on_many_rows(native: ModuleType, storage: str, n: int, d: int, k: int) -> None:
    stored, calls = expected(storage, n, d, k)
    for call, results in calls:
        assert_close(call.native(native, stored.matrix(native)), results, 1e-12, call)


@every_variant
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_wide_matrices(native: ModuleType, storage: str) -> None:
    """The shortest tiles, and a Gram matrix too large for one copy a chunk."""
    stored = dense("f8", "C")(1024, 1100) if storage == "dense" else csr("f8", "i4", density=0.02)(1024, 1100)
    for call in pass_calls(stored.X, 3):
        assert_close(call.native(native, stored.matrix(native)), call.reference(stored.X), 1e-12, call)


@every_variant
@pytest.mark.parametrize("k", [8, 20, 33, 77])
def test_many_scores_on_sparse_rows(native: ModuleType, k: int) -> None:
    """Packs of eight: whole, in part, and more than the registers hold; rows longer than a float32 sum."""
    for storage in ("csr half full", "csr with columns"):
        stored = STORAGES[storage](300, 700)
        for call in pass_calls(stored.X, k):
            assert_close(call.native(native, stored.matrix(native)), call.reference(stored.X), 1e-12, call)
            if call.takes_single:
                assert_close(
                    call.native(native, stored.matrix(native), single=True), call.reference(stored.X), 2e-5, call
                )


@every_variant
def test_columns_must_be_the_transpose(native: ModuleType) -> None:
    rows, other = (csr("f8", "i4")(20, n).matrix(native) for n in (30, 31))
    right = STORAGES["csr with columns"](20, 30)
    with pytest.raises(ValueError, match="the transpose of all rows"):
        rows.with_columns(other)
    columns = native.Matrix.csr(*right.columns, 20)
    with pytest.raises(ValueError, match="the transpose of all rows"):
        rows.take(np.arange(3)).with_columns(columns)
    with pytest.raises(ValueError, match="the transpose of all rows"):
        native.Matrix.dense(right.X).with_columns(columns)


@every_variant
def test_repeated_entries_of_a_sparse_row_are_summed(native: ModuleType) -> None:
    """By all that is linear in the entries; norms and fingerprint need the sums formed before."""
    stored = repeated(300, 40)
    for call in pass_calls(stored.X, 3):
        if call.kernel != "row_norms":
            assert_close(call.native(native, stored.matrix(native)), call.reference(stored.X), 1e-12, call)


@every_variant
def test_single_is_single(native: ModuleType) -> None:
    stored = dense("f8", "C")(300, 54)
    for call in pass_calls(stored.X, 3):
        if call.takes_single and any(isinstance(a, Out) and len(a.shape) == 2 for a in call.args):
            in_double = call.native(native, stored.matrix(native))
            in_single = call.native(native, stored.matrix(native), single=True)
            assert any((a != b).any() for a, b in zip(in_double, in_single, strict=True)), call


@every_variant
def test_rows_of_rows(native: ModuleType) -> None:
    X, w, out = np.arange(20.0).reshape(10, 2), np.array([1.0, 0.0, 0.0]), np.empty(2)
    part = native.Matrix.dense(X).take(np.array([9, 7, 5])).take(np.array([2, 0]))
    native.scores(part, w, 1, out, 1, False)
    np.testing.assert_array_equal(out, [10.0, 18.0])


@every_variant
def test_a_matrix_keeps_its_arrays_alive(native: ModuleType) -> None:
    out = np.empty(2)
    part = native.Matrix.dense(np.full((1000, 1000), 3.0)).take(np.array([7, 999]))
    np.full((1000, 1000), 5.0)
    native.scores(part, np.ones(1001), 1, out, 1, False)
    np.testing.assert_array_equal(out, 3001.0)


def every_call() -> list[Call]:
    return [*pass_calls(SMALL.X, 3), *loss_calls(5, "given"), Call("scan", (1, Out((2,))))]


@every_variant
def test_an_array_of_another_size_is_an_error(native: ModuleType) -> None:
    for call in every_call():
        for place, argument in enumerate(call.fresh()):
            if isinstance(argument, np.ndarray):
                assert_raises(ValueError, "elements where", native, call, place, argument.ravel()[1:])


@every_variant
def test_an_output_is_never_a_converted_copy(native: ModuleType) -> None:
    """A copy would take the result with it."""
    for call in every_call():
        for place, argument in enumerate(call.args):
            if isinstance(argument, (Out, InOut)):
                array = call.fresh()[place]
                assert_raises(TypeError, "incompatible", native, call, place, array.astype(np.float32))
                apart = np.repeat(array, 2, axis=-1)[..., ::2]
                assert_raises(TypeError, "incompatible", native, call, place, apart)


def assert_raises(
    error: type[Exception], message: str, native: ModuleType, call: Call, place: int, replacement: Array
) -> None:
    args = call.fresh()
    args[place] = replacement
    leading = [SMALL.matrix(native)] if call.takes_matrix else []
    with pytest.raises(error, match=message):
        getattr(native, call.kernel)(*leading, *args, *((1, False) if call.takes_single else (1,)))


@every_variant
@pytest.mark.parametrize("storage", STORAGES)
def test_sides_of_rows(native: ModuleType, storage: str) -> None:
    stored = STORAGES[storage](600, 30)
    w = np.random.default_rng(0).normal(size=31)
    sides, expected = np.empty(600, bool), np.empty(600, bool)
    matrix = stored.matrix(native)
    assert native.sides(matrix, w, sides, 2)
    assert reference.sides(stored.X, w, expected)
    np.testing.assert_array_equal(sides, expected)
    assert native.sides(matrix, np.zeros(31), sides, 1)
    assert not sides.any()  # a score of 0 is on neither side
    for wrong in (np.nan, np.inf):
        assert not native.sides(matrix, np.append(w[:-1], wrong), sides, 1)


@every_variant
def test_unknown_losses(native: ModuleType) -> None:
    one = np.ones(1)
    with pytest.raises(ValueError, match="no kernel is named logg"):
        native.loss_values("logg", one, one, None, 1.0, None, None, 1)
    with pytest.raises(ValueError, match="no kernel is named log"):
        native.joint_values("log", one, np.zeros(1, np.int64), None, 1.0, 1, None, 1)


@every_variant
def test_losses_without_what_is_asked(native: ModuleType) -> None:
    one, matrix = np.ones(1), native.Matrix.dense(np.ones((1, 1)))
    with pytest.raises(ValueError, match="not convex"):
        native.loss_conjugate("sigmoid", one, one, None, 1.0, (1.0, 1.0), one, 1)
    with pytest.raises(ValueError, match="not convex"):
        native.loss_linearised("sigmoid", one, one, one, one, 1)
    y, state, W = np.zeros(1, np.int64), np.ones((1, 2)), np.ones((2, 2))
    with pytest.raises(ValueError, match="no second derivative"):
        native.joint_hessian(matrix, "crammer_singer", y, None, 1.0, state, W, 2, None, W, 1, False)


@every_variant
@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2, 2)), np.ones((6, 6))[::2, ::2]], ids=["1", "3", "apart"])
def test_dense_arrays_that_cannot_be_read(native: ModuleType, array: Array) -> None:
    with pytest.raises(ValueError, match="a dense design has"):
        native.Matrix.dense(array)


@every_variant
@pytest.mark.parametrize("dtype", ["f2", "i8", "u2", "c16"])
def test_entries_of_other_types(native: ModuleType, dtype: str) -> None:
    with pytest.raises(TypeError, match="float64, float32, uint8 or bool"):
        native.Matrix.dense(np.ones((2, 2), dtype))


def broken(**replaced: Any) -> tuple[Any, ...]:
    whole = sparse.csr_array(np.eye(3))
    arrays = {"data": whole.data, "indices": whole.indices, "indptr": whole.indptr, **replaced}
    return tuple(arrays.values())


@every_variant
@pytest.mark.parametrize(
    "arrays",
    [
        broken(data=np.ones(2)),
        broken(indices=np.zeros(2, np.int32)),
        broken(indices=np.array([0, 1, 3], np.int32)),
        broken(indices=np.array([0, -1, 2], np.int32)),
        broken(indptr=np.array([0, 1, 2, 4], np.int32)),
        broken(indptr=np.array([0, 2, 1, 3], np.int32)),
        broken(indptr=np.zeros(0, np.int32)),
    ],
    ids=[
        "few entries",
        "few columns",
        "column too large",
        "column negative",
        "too long",
        "falling",
        "no rows",
    ],
)
def test_csr_arrays_that_do_not_fit_together(native: ModuleType, arrays: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"ind(ices|ptr)|offsets"):
        native.Matrix.csr(*arrays, 3)


@every_variant
def test_csr_arrays_with_strides(native: ModuleType) -> None:
    """Read right, whether in place or from a copy."""
    stored, out = csr("f8", "i4")(50, 20), np.empty(50)
    data, indices, indptr = (np.repeat(a, 2)[::2] for a in stored.arrays)
    native.scores(native.Matrix.csr(data, indices, indptr, 20), np.ones(21), 1, out, 1, False)
    np.testing.assert_allclose(out, stored.X.sum(axis=1) + 1, rtol=0, atol=1e-13)


@every_variant
def test_csr_indices_of_two_types(native: ModuleType) -> None:
    with pytest.raises(TypeError, match="both int32 or both int64"):
        native.Matrix.csr(*broken(indptr=np.arange(4)), 3)


@every_variant
@pytest.mark.parametrize("row", [-1, 5])
def test_rows_and_labels_that_are_not_there(native: ModuleType, row: int) -> None:
    with pytest.raises(ValueError, match="rows are"):
        SMALL.matrix(native).take(np.array([0, row]))
    with pytest.raises(ValueError, match="labels are"):
        native.joint_values("softmax", np.zeros((2, 5)), np.array([0, row]), None, 1.0, 5, None, 1)


def test_no_rows_at_all() -> None:
    """In a process of its own, so that a division by zero would not end this one."""
    code = """
import numpy as np
from linsep.kernels import native
none, out = np.zeros(0), np.full(3, np.nan)
for order in "CF":
    matrix = native.Matrix.dense(np.ones((5, 2), order=order)).take(np.zeros(0, np.int64))
    native.adjoint(matrix, none, 1, out, 2, False)
    assert (out == 0).all()
    assert native.loss_pass(matrix, "log", none, None, 1.0, out, none, None, None, out, 2) == 0
    assert native.scan(matrix, 1, out[:2].copy(), 2) == (0, True, 0.0)
assert native.loss_values("log", none, none, None, 1.0, None, None, 2) == 0
"""
    assert in_a_new_process(code).returncode == 0
