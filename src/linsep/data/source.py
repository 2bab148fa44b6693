"""What users hold becomes a design, without a copy wherever a kernel can read it in place.

| given                                             | read as                          |
|---------------------------------------------------|----------------------------------|
| float64, float32, uint8, bool; C or Fortran order | in place                         |
| CSR of those, int32 or int64 indices              | in place                         |
| CSC and other sparse formats                      | converted to CSR, one copy       |
| CSR with repeated or unsorted entries in a row    | put in order, one copy           |
| integers of 8 and 16 bits, float16                | float32 (exact), one copy        |
| numbers in the other byte order                   | this machine's, one copy         |
| other integers, lists, frames                     | float64, one copy if needed      |
| nullable and Arrow columns of a pandas frame      | the float that holds all         |
| a pandas frame of sparse columns                  | CSR                              |
| an object with rows and names (`matrix`)          | its matrix, as above             |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.data.names import columns_of, is_pandas
from linsep.data.sparse_rows import SparseRows, as_scipy, is_sparse
from linsep.errors import InvalidData, InvalidType
from linsep.kernels import native

_IN_PLACE = frozenset(np.dtype(t) for t in (np.float64, np.float32, np.uint8, np.bool_))
_EXACT_IN_FLOAT32 = frozenset(np.dtype(t) for t in (np.int8, np.int16, np.uint16, np.float16))


def as_design(X: Any, threads: int) -> Design:
    """The design of X, checked for shape and type. Values are checked by `Design.scan`."""
    X = matrix_of(X)
    if isinstance(X, SparseRows):
        return _csr_design(X, threads)
    if is_sparse(X):
        return _sparse_design(X, threads)
    array = as_matrix(X)
    if not (array.flags.c_contiguous or array.flags.f_contiguous or _readable(array)):
        array = np.ascontiguousarray(array)
    return Design(
        matrix=native.Matrix.dense(array),
        source=array,
        single=array.dtype != np.float64,
        sparse=False,
        threads=threads,
    )


def matrix_of(X: Any) -> Any:
    """The matrix of an object that holds one beside names, as `TableEncoder.encode` gives, and that of a pandas frame
    of sparse columns; anything else as it is."""
    if type(X) is np.ndarray:
        return X
    if is_pandas(X):
        return _of_sparse_columns(X)
    matrix = getattr(X, "matrix", None)
    return X if matrix is None or callable(matrix) else matrix


def _of_sparse_columns(frame: Any) -> Any:
    """SciPy's matrix, where all columns are sparse and 0 is what they leave out; else the frame."""
    to_coo = getattr(getattr(frame, "sparse", None), "to_coo", None)
    try:
        return frame if to_coo is None else to_coo()
    except ValueError:
        return frame


def as_matrix(X: Any) -> np.ndarray[Any, Any]:
    """X as a two-dimensional array of a type that the kernels read."""
    array = X if type(X) is np.ndarray else _as_array(X)
    if array.ndim != 2:
        raise InvalidData(_wrong_dimensions(X, array))
    if 0 in array.shape:
        _reject_empty(array.shape)
    kind = array.dtype.newbyteorder("=")
    return array if array.dtype in _IN_PLACE else array.astype(kind if kind in _IN_PLACE else _target_type(array, X))


def _as_array(X: Any) -> np.ndarray[Any, Any]:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise InvalidData("X is a masked array with masked entries; drop or impute them first")
    try:
        kind = _nullable_type(X) if is_pandas(X) else None
        return np.asarray(X) if kind is None else X.to_numpy(dtype=kind, na_value=np.nan)
    except ValueError as error:
        raise InvalidData(f"X cannot be read as a table of numbers: {error}") from None


def _nullable_type(frame: Any) -> np.dtype[Any] | None:
    """What holds the numbers of a pandas frame with nullable or Arrow columns, of which NumPy would make objects."""
    given = list(getattr(frame, "dtypes", ())) if frame.ndim == 2 else []
    held = [getattr(kind, "numpy_dtype", kind) for kind in given]
    if held == given or not all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in held):
        return None
    return np.result_type(np.float32, *held)  # missing entries become NaN, which a float alone can be


def _readable(array: np.ndarray[Any, Any]) -> bool:
    """Rows or columns are contiguous and whole steps apart, as in a slice of a larger array."""
    size = array.itemsize
    steps = [abs(s) for s in array.strides]
    return size in array.strides and all(s >= 0 and s % size == 0 for s in array.strides) and max(steps) > 0


def _target_type(array: np.ndarray[Any, Any], X: Any) -> type[np.floating[Any]]:
    kind = array.dtype.kind
    if kind == "c":
        raise InvalidData("Complex data not supported: X holds complex numbers; give real ones")
    if kind in "OUST":
        _reject_non_numbers(array, _names_of(X))
    if kind not in "fiubO":
        raise InvalidType(f"X holds {array.dtype}; allowed are real numbers and booleans")
    return np.float32 if array.dtype in _EXACT_IN_FLOAT32 else np.float64


def _reject_non_numbers(array: np.ndarray[Any, Any], names: list[str]) -> None:
    """Object arrays may hold numbers; anything else is named with its place."""
    for (i, j), value in np.ndenumerate(array):
        if isinstance(value, (str, bytes)):
            text = repr(str(value) if isinstance(value, str) else bytes(value))
            raise InvalidData(
                f"X holds the string {text} in {_place(i, j, names)}: could not convert string to float; "
                "encode categories as numbers first, for example with OneHotEncoder"
            )
        try:
            float(value)
        except OverflowError:
            raise InvalidData(f"X holds a number in {_place(i, j, names)} that is too large for float64") from None
        except (TypeError, ValueError):
            raise InvalidType(
                f"X holds {value!r} of type {type(value).__name__} in {_place(i, j, names)}; "
                "argument must be a string or a number: give numbers, and drop or impute what is missing"
            ) from None


def _names_of(X: Any) -> list[str]:
    """Of the columns, where X has any."""
    return [str(name) for name in columns_of(X)]


def _place(row: int, column: int, names: list[str]) -> str:
    return f"row {row}, column {column}" + (f" ({names[column]!r})" if names else "")


def _wrong_dimensions(X: Any, array: np.ndarray[Any, Any]) -> str:
    shape = f"Expected 2D array, got {array.ndim}D array instead: X has shape {array.shape}. "
    if array.dtype.names:
        return shape + "It has fields: numpy.lib.recfunctions.structured_to_unstructured(X) makes columns of them"
    if array.ndim == 0 and array.dtype.kind == "O":
        collect = "; X.collect() gives one" if hasattr(X, "collect") else ""
        return f"Expected 2D array, got 0D array instead: X is a {type(X).__name__}, no table of numbers{collect}"
    if array.ndim == 1:
        return shape + "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row"
    return shape + "Give a table with one row a sample and one column a feature"


def _reject_empty(shape: tuple[int, ...]) -> None:
    what = "sample(s)" if shape[0] == 0 else "feature(s)"
    raise InvalidData(f"Found array with 0 {what} (shape={tuple(shape)}) while a minimum of 1 is required.")


def _sparse_design(X: Any, threads: int) -> Design:
    if X.ndim != 2:
        raise InvalidData(f"Expected 2D array, got {X.ndim}D sparse array instead: X has shape {X.shape}")
    csr = X if X.format == "csr" else X.tocsr()
    if not csr.has_canonical_format:  # entries stored in parts: their sum is what is meant
        csr = csr.copy()
        csr.sum_duplicates()
    return _csr_design(SparseRows(csr.data, csr.indices, csr.indptr, X.shape[1]), threads)


def _csr_design(rows: SparseRows, threads: int) -> Design:
    """Of rows in order."""
    if 0 in rows.shape:
        _reject_empty(rows.shape)
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    if data.dtype not in _IN_PLACE:
        data = data.astype(_target_type(data.reshape(1, -1), data))
    if indices.dtype != indptr.dtype:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    return Design(
        matrix=native.Matrix.csr(data, indices, indptr, rows.width),
        source=(data, indices, indptr),
        single=data.dtype != np.float64,
        sparse=True,
        threads=threads,
    )


def locate_non_finite(X: Any) -> str | None:
    """Where X holds NaN or infinity: a sentence for the error; None where every entry is finite."""
    names, X = _names_of(X), as_scipy(matrix_of(X))
    if is_sparse(X):
        csr = X.tocsr()
        places = np.flatnonzero(~np.isfinite(csr.data))
        if not len(places):
            return None
        row = int(np.searchsorted(csr.indptr, places[0], side="right")) - 1
        column, value = int(csr.indices[places[0]]), csr.data[places[0]]
    else:
        array = as_matrix(X)
        bad = ~np.isfinite(array)
        if not bad.any():
            return None
        row, column = divmod(int(bad.argmax()), array.shape[1])
        value = array[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    return (
        f"Input X contains {what} in {_place(row, column, names)}. Drop or impute such entries first, "
        "for example with sklearn.impute.SimpleImputer"
    )
