"""What every kind of column has in common: how it is read, what it becomes, and what its columns are called.

A kind of column learns from training rows and then gives, for any rows, columns in the user's own units, with missing
values filled. Each column has a centre and a scale; the design holds (value − centre) / scale.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.errors import InvalidData
from linsep.tables.schema import Column, ColumnType
from linsep.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import polars as pl

    from linsep.features.bag import Bag

#: Some columns of all rows: dense (n, k) or sparse.
Block: TypeAlias = FloatArray | SparseRows


@dataclass(frozen=True, eq=False)
class Part:
    """Columns in the user's units, and what standardises them: (values − centre) / scale. None: 0, and 1.

    Only dense values have a centre: it would fill what a sparse block leaves out.
    """

    values: Block
    centre: FloatArray | None = None
    scale: FloatArray | None = None

    def deviations(self) -> Block:
        """values − centre."""
        if self.centre is None:
            return self.values
        assert isinstance(self.values, np.ndarray)
        return self.values - self.centre

    def standardised(self) -> Block:
        """(values − centre) / scale."""
        block = self.deviations()
        if self.scale is None:
            return block
        if isinstance(block, np.ndarray):
            return block / self.scale
        return replace(block, data=block.data / self.scale[block.indices])


@dataclass(frozen=True)
class EncodedColumn:
    """One column of the design.

    name    "age", "job=admin", "date: month=03", "message: prize", "age is missing"
    source  the column of the table it comes from (of an interaction, both with " × " between)
    kind    number, category, boolean, date, text, missing, interaction or basis
    unit    what a coefficient in the user's units is for: one more of this
    centre, scale  the design holds (value − centre) / scale
    """

    name: str
    source: str
    kind: str
    unit: str
    centre: float = 0.0
    scale: float = 1.0

    def record(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Options:
    """What the parameters of `TableEncoder` say of single columns.

    rare        levels in fewer training rows than this share one column
    unseen      what a level is that training did not have: "rare", "zero", "error"
    most_levels columns a category has at most; levels beyond are rare
    reference   leave out the column of the most frequent level
    text        a `Bag`, copied for every text column
    """

    rare: int
    unseen: str
    most_levels: int
    reference: bool
    text: Bag


class Encoder(ABC):
    """A column that has learnt from training rows."""

    kind: ClassVar[ColumnType]
    name: str

    @classmethod
    @abstractmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        """Learn from the values of training rows."""

    @property
    @abstractmethod
    def columns(self) -> tuple[EncodedColumn, ...]:
        """What the columns are."""

    @property
    def width(self) -> int:
        """How many there are."""
        return len(self.columns)

    @abstractmethod
    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        """The columns of any rows, in their order; what should be known of the rows is added to the notes."""

    @classmethod
    def fit_encode(cls, column: Column, values: pl.Series, options: Options) -> tuple[Self, list[Part]]:
        """fit, then encode of the same rows."""
        encoder = cls.fit(column, values, options)
        return encoder, encoder.encode(values, [])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What should be known of the training rows."""
        return ()

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""

    @classmethod
    @abstractmethod
    def from_record(cls, record: dict[str, Any]) -> Self: ...


def indicator(name: str, source: str = "") -> EncodedColumn:
    """The column that is 1 where the value is missing."""
    return EncodedColumn(f"{name} is missing", source or name, "missing", "missing")


def refuse(name: str, values: pl.Series, bad: BoolArray, wanted: str) -> None:
    """An error that names column, row and value if any row is bad."""
    if not bad.any():
        return
    row = int(np.argmax(bad))
    raise InvalidData(
        f"column {name!r}, row {row}: {values[row]!r} is not {wanted}"
        + (f" ({int(bad.sum()):,} such rows)" if bad.sum() > 1 else "")
        + ". Correct the rows, or train with another type for the column"
    )


def refuse_type(name: str, values: pl.Series, wanted: str) -> InvalidData:
    """For a column whose type cannot hold such values at all."""
    first = values.drop_nulls().head(1).to_list()
    shown = f"row {int(values.is_not_null().arg_max() or 0)}: {first[0]!r}" if first else "all rows missing"
    return InvalidData(f"column {name!r} is of type {values.dtype}, {shown}; allowed are {wanted}")


def filled_note(name: str, count: int, filling: str) -> str:
    """For missing values where training had none."""
    return f"column {name!r}: {count:,} missing value{'s' * (count > 1)} where training had none: {filling}"
