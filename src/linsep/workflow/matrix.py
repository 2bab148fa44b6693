"""The features of files that hold a matrix already (svmlight, npz): as they are, as many columns as in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linsep.data.sparse_rows import is_sparse
from linsep.errors import InvalidData
from linsep.later import scipy
from linsep.tables import Table


@dataclass(frozen=True)
class MatrixFeatures:
    """How many columns the training file had, and whether it counted them from 0 (None: it is no svmlight).

    A sparse file does not say how many columns there are, only which occur: fewer are filled up with zeros, more are
    left out, with a word about it. A dense one must have the same number.
    """

    columns: int
    zero_based: bool | None = None

    @classmethod
    def of(cls, table: Table) -> MatrixFeatures:
        return cls(int(table.matrix.shape[1]), table.zero_based)

    @property
    def names(self) -> None:
        """Columns of a matrix have none."""
        return None

    @property
    def width(self) -> int:
        return self.columns

    def transform(self, table: Table) -> tuple[Any, tuple[str, ...]]:
        """The matrix with as many columns as in training, and what was noticed."""
        if table.frame is not None:
            raise InvalidData(
                f"the model was trained on a matrix of {self.columns:,} columns without names (svmlight or npz); "
                f"{_source(table)} is a table with named columns"
            )
        matrix, notes = self._fitted(table)
        if None not in (self.zero_based, table.zero_based) and self.zero_based != table.zero_based:
            first = {True: "from 0", False: "from 1"}
            own, theirs = first[bool(table.zero_based)], first[bool(self.zero_based)]
            note = f"{_source(table)} counts its columns {own} as it seems, training did {theirs}; say zero_based"
            return matrix, (*notes, note)
        return matrix, notes

    def _fitted(self, table: Table) -> tuple[Any, tuple[str, ...]]:
        given = int(table.matrix.shape[1])
        if given == self.columns:
            return table.matrix, ()
        if not is_sparse(table.matrix):
            raise InvalidData(f"{_source(table)} has {given:,} columns; the model was trained on {self.columns:,}")
        if given < self.columns:
            m = table.matrix
            return scipy.sparse.csr_matrix((m.data, m.indices, m.indptr), shape=(m.shape[0], self.columns)), ()
        kept = table.matrix[:, : self.columns]
        left = int(table.matrix.nnz - kept.nnz)
        return kept, (f"{given - self.columns:,} columns ({left:,} entries) were not in training and are left out",)

    def record(self) -> dict[str, Any]:
        return {"columns": self.columns, "zero_based": self.zero_based}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MatrixFeatures:
        return cls(int(record["columns"]), record.get("zero_based"))  # files of before do not say


def _source(table: Table) -> str:
    return ", ".join(table.sources) or "the table given"
