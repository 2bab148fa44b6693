"""A table that was read: its columns or its matrix, its schema, and what was noticed on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linsep.tables.schema import Column, ColumnType, Schema
from linsep.types import FloatArray, IntArray

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with a schema: a polars frame, or a matrix for svmlight and npz, which have numbers only.

    schema   every column of the frame with its type; for a matrix only the target, weight and group it came with
    frame    the columns as typed in the schema: number and weight → Float64 or an integer type, boolean → Boolean,
             date → Date or Datetime, everything else → String; null where a value is missing. None for a matrix.
    matrix   scipy CSR or a dense array, None for a frame
    parts    of a matrix: the arrays of its target, weight and group
    sources  the files that were read
    notes    what a user should know: what was left out, what was guessed
    zero_based   of svmlight: whether the files count the columns from 0
    """

    schema: Schema
    frame: pl.DataFrame | None = None
    matrix: Any = None
    parts: dict[ColumnType, NDArray[Any]] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    zero_based: bool | None = None

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0]) if self.frame is None else self.frame.height

    @property
    def features(self) -> tuple[str, ...] | None:
        """The names of the columns that enter the model; None for a matrix, whose columns have no names."""
        return None if self.frame is None else tuple(column.name for column in self.schema.features)

    @property
    def target(self) -> NDArray[Any] | None:
        """One label a row: whole numbers, booleans or strings, as the file has them."""
        return self._part(ColumnType.TARGET)

    @property
    def weights(self) -> FloatArray | None:
        """What each row counts."""
        found = self._part(ColumnType.WEIGHT)
        return None if found is None else found.astype(np.float64)

    @property
    def groups(self) -> NDArray[Any] | None:
        """What belongs together: rows of a group are never split between folds."""
        return self._part(ColumnType.GROUP)

    def take(self, rows: IntArray) -> Table:
        """These rows, in this order."""
        parts = {role: values[rows] for role, values in self.parts.items()}
        part = replace(self, schema=replace(self.schema, rows=len(rows)), parts=parts)
        if self.frame is None:
            return replace(part, matrix=self.matrix[rows])
        return replace(part, frame=self.frame[rows])

    def _part(self, role: ColumnType) -> NDArray[Any] | None:
        if self.frame is None:
            return self.parts.get(role)
        columns = self.schema.of(role)
        return values_of(self.frame, columns[0]) if columns else None


def values_of(frame: pl.DataFrame, column: Column) -> NDArray[Any]:
    """A column without missing values as an array; whole numbers written as 1.0 are whole numbers."""
    values: NDArray[Any] = frame[column.name].to_numpy()
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return values.astype(str) if values.dtype.kind == "O" else values
