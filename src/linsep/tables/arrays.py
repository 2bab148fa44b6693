"""npz: a sparse matrix that scipy saved, or NumPy arrays X and y. Pickled objects are never loaded."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from linsep.errors import BadFile
from linsep.tables.content import Content
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.schema import TARGET, ColumnType


def read_npz(content: Content, options: ReadOptions) -> Part:
    """The matrix, and its labels: the array named as target (y by default), or a .npy file named so."""
    arrays = _load(content)
    matrix = _sparse(content, arrays) if "indptr" in arrays and "format" in arrays else _dense(content, arrays, options)
    if 0 in matrix.shape:
        raise BadFile(content.name, f"its matrix has the shape {tuple(matrix.shape)}: no rows or no columns")
    labels = _labels(content, arrays, options)
    if labels is None:
        return Part(content.name, matrix=matrix)
    if labels.shape != (matrix.shape[0],):
        raise BadFile(
            content.name, f"the target has the shape {labels.shape} for {matrix.shape[0]:,} rows; give one a row"
        )
    return Part(content.name, matrix=matrix, arrays={ColumnType.TARGET: labels})


def _load(content: Content) -> dict[str, NDArray[Any]]:
    try:
        with content.open() as file, np.load(file, allow_pickle=False) as archive:
            if not hasattr(archive, "files"):
                raise BadFile(
                    content.name, "this is one array (.npy), not an archive of them; save it with numpy.savez"
                )
            return {name: archive[name] for name in archive.files}
    except BadFile:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds for damaged archives
        first = (str(error).splitlines() or [type(error).__name__])[0]
        reason = "it holds pickled objects, which are never loaded" if "pickle" in first else first
        raise BadFile(content.name, f"this npz file cannot be read: {reason}") from None


def _sparse(content: Content, arrays: dict[str, NDArray[Any]]) -> Any:
    try:
        kind = {b"csr": sparse.csr_matrix, b"csc": sparse.csc_matrix}[arrays["format"].item()]
        matrix = kind((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
        matrix.check_format(full_check=True)
    except (KeyError, ValueError, TypeError) as error:
        raise BadFile(content.name, f"this is no CSR or CSC matrix as scipy saves one: {error}") from None
    return matrix.tocsr()


def _dense(content: Content, arrays: dict[str, NDArray[Any]], options: ReadOptions) -> NDArray[Any]:
    wanted = options.matrix or "X"
    found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "none"
    if wanted not in arrays:
        advice = "" if options.matrix else "; name the one with the rows, as in matrix='X_train', target='y_train'"
        raise BadFile(content.name, f"it has no array {wanted!r}: there are {found}{advice}")
    array = arrays[wanted]
    if array.ndim == 3:
        raise BadFile(content.name, f"{wanted} has the shape {array.shape}: make every row flat before saving")
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise BadFile(
            content.name, f"{wanted} is {array.dtype} of the shape {array.shape}; expected a table of numbers"
        )
    return array


def _labels(content: Content, arrays: dict[str, NDArray[Any]], options: ReadOptions) -> NDArray[Any] | None:
    target = options.target
    if target is None or (target == TARGET and TARGET not in arrays):  # as a model file calls it
        return arrays.get("y")
    if isinstance(target, str) and target in arrays:
        return arrays[target]
    if isinstance(target, str) and target.endswith(".npy") and os.path.isfile(target):
        try:
            labels: NDArray[Any] = np.load(target, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise BadFile(target, f"this npy file cannot be read: {error}") from None
        return labels
    names = ", ".join(arrays)
    raise BadFile(
        content.name, f"there is no target {target!r}: name one of its arrays ({names}) or a .npy file that exists"
    )
