"""Matrices of several files become one table: as many columns as the widest, with the labels checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from linsep.errors import BadFile, InvalidParameter
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.schema import TARGET, Column, ColumnType, Schema
from linsep.tables.table import Table
from linsep.tables.target import Labels, check_labels, refuse_missing
from linsep.tables.where import Where

_NAMES = {ColumnType.TARGET: TARGET, ColumnType.GROUP: "qid"}
_NAMELESS = ("weights", "groups", "id", "ignore", "schema")


def table_of_matrices(parts: list[Part], options: ReadOptions) -> Table:
    """One table of all rows."""
    for name in _NAMELESS:
        if getattr(options, name) and not isinstance(options.schema, Schema):
            raise InvalidParameter(f"{name}={getattr(options, name)!r}: the columns of {parts[0].name} have no names")
    where = Where(tuple(parts))
    _refuse_not_finite(parts)
    matrix, arrays = _stacked(parts), _joined(parts)
    columns = []
    for role, values in arrays.items():
        columns.append(_column(role, values))
    target = arrays.get(ColumnType.TARGET)
    if target is not None:
        arrays[ColumnType.TARGET] = _checked(columns[list(arrays).index(ColumnType.TARGET)], target, options, where)
    schema = Schema(tuple(columns), matrix.shape[0])
    zero_based = next((part.zero_based for part in parts if part.zero_based is not None), None)
    sources = tuple(part.name for part in parts)
    return Table(schema, matrix=matrix, parts=arrays, sources=sources, zero_based=zero_based)


def _refuse_not_finite(parts: list[Part]) -> None:
    """No model takes them; where they come from only the file can tell."""
    for part in parts:
        values = part.matrix.data if sparse.issparse(part.matrix) else part.matrix
        if values.dtype.kind != "f" or np.isfinite(values).all():
            continue
        place = np.unravel_index(int(np.argmin(np.isfinite(values))), values.shape)
        row, column = (int(place[0]), int(place[1])) if len(place) > 1 else _entry(part.matrix, int(place[0]))
        name = column + (0 if part.zero_based else 1)
        reason = f"the value of column {name:,} is {values[place]}; a model takes finite numbers"
        raise BadFile(part.name, reason, line=part.line_of(row), row=row + 1)


def _entry(matrix: Any, at: int) -> tuple[int, int]:
    """Row and column of a stored value."""
    return int(np.searchsorted(matrix.indptr, at, side="right")) - 1, int(matrix.indices[at])


def _stacked(parts: list[Part]) -> Any:
    bases = {part.zero_based: part.name for part in parts if part.zero_based is not None}
    if len(bases) > 1:
        raise BadFile(
            bases[True], f"its columns count from 0, those of {bases[False]} from 1 as it seems; say zero_based"
        )
    if len(parts) == 1:
        return parts[0].matrix
    if not all(sparse.issparse(part.matrix) for part in parts):
        for part in parts:
            if part.matrix.shape[1] != parts[0].matrix.shape[1]:
                raise BadFile(
                    part.name, f"it has {part.matrix.shape[1]} columns, {parts[0].name} has {parts[0].matrix.shape[1]}"
                )
        return np.vstack([part.matrix for part in parts])
    width = max(part.matrix.shape[1] for part in parts)
    for part in parts:
        part.matrix.resize(part.matrix.shape[0], width)
    return sparse.vstack([part.matrix for part in parts], format="csr")


def _joined(parts: list[Part]) -> dict[ColumnType, NDArray[Any]]:
    for part in parts:
        for role in {*parts[0].arrays, *part.arrays}:
            if role not in part.arrays or role not in parts[0].arrays:
                raise BadFile(part.name, f"only one of it and {parts[0].name} has a {role.value}")
    roles = parts[0].arrays
    mixed = {role for role in roles if len({part.arrays[role].dtype.kind in "US" for part in parts}) > 1}
    if mixed:
        raise BadFile(parts[0].name, "the labels of some of the files are numbers, of others words; write them alike")
    return {role: np.concatenate([part.arrays[role] for part in parts]) for role in roles}


def _column(role: ColumnType, values: NDArray[Any]) -> Column:
    different = np.unique(values)
    kind = {"U": ColumnType.CATEGORY, "S": ColumnType.CATEGORY, "b": ColumnType.BOOLEAN}
    return Column(
        _NAMES[role],
        role,
        "what is to be learnt" if role is ColumnType.TARGET else "which rows belong together",
        distinct=len(different),
        examples=tuple(str(value) for value in different[:3]),
        holds=kind.get(values.dtype.kind, ColumnType.NUMBER),
    )


def _checked(column: Column, values: NDArray[Any], options: ReadOptions, where: Where) -> NDArray[Any]:
    """The labels, whole numbers as such; refused where they cannot be meant as classes."""
    whole = True
    if values.dtype.kind == "f":
        refuse_missing(column.name, np.flatnonzero(np.isnan(values)), len(values), where, ColumnType.TARGET)
        whole = bool((values == np.floor(values)).all())
        values = values.astype(np.int64) if whole and np.abs(values).max() < 2**53 else values.astype(str)
    if not isinstance(options.schema, Schema):
        labels = Labels(column.name, column.values, len(values), column.distinct, whole, column.examples[0])
        check_labels(labels, where)
    return values
