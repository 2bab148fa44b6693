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
    """How many columns the training file had.

    A sparse file does not say how many columns there are, only which occur: fewer are filled up with zeros, more are
    left out, with a word about it. A dense one must have the same number.
    """

    columns: int

    @classmethod
    def of(cls, table: Table) -> MatrixFeatures:
        return cls(int(table.matrix.shape[1]))

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
        return {"columns": self.columns}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MatrixFeatures:
        return cls(int(record["columns"]))


def _source(table: Table) -> str:
    return ", ".join(table.sources) or "the table given"
