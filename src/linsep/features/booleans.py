"""Booleans: 1 for true, 0 for false; a missing value becomes the more frequent one, with a column that says so.

The design holds √2 for true. Two levels of a category with a column each share an effect δ as δ/2 and −δ/2, which costs
δ²/4 of the penalty; one column with √2 costs the same, one with 1 would cost twice as much.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.features.columns import EncodedColumn, Encoder, Options, Part, filled_note, indicator, refuse, refuse_type
from linsep.tables.schema import Column, ColumnType
from linsep.types import FloatArray, Positive

if TYPE_CHECKING:
    import polars as pl

#: How true and false are written, in lower case.
TRUE = ("true", "t", "yes", "y", "1", "1.0", "on")
FALSE = ("false", "f", "no", "n", "0", "0.0", "off")


#: Of a column that is penalised like the two levels of a category.
AS_TWO_LEVELS = 0.5**0.5


@dataclass(frozen=True)
class BooleanEncoder(Encoder):
    """usual: what a missing value becomes; missing: training had missing values; scale: true is 1/scale in the design.

    Without a scale it is 1, as it was when older models were trained.
    """

    kind: ClassVar[ColumnType] = ColumnType.BOOLEAN
    name: str
    usual: bool
    missing: bool
    scale: Positive = 1.0

    @classmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        read = read_booleans(column.name, values)
        absent = np.isnan(read)
        share = float(read[~absent].mean()) if not absent.all() else 0.0
        return cls(column.name, share > 0.5, bool(absent.any()), AS_TWO_LEVELS)

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        value = EncodedColumn(self.name, self.name, "boolean", "true, against false", scale=self.scale)
        return (value, indicator(self.name)) if self.missing else (value,)

    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        read = read_booleans(self.name, values)
        absent = np.isnan(read)
        filled = np.where(absent, float(self.usual), read)
        if self.missing:
            marked = SparseRows.of(np.column_stack([filled, absent]))
            return [Part(marked, scale=np.array([self.scale, 1.0]))]
        if absent.any():
            usual = str(self.usual).lower()
            notes.append(filled_note(self.name, int(absent.sum()), f"the more frequent value, {usual}, was used"))
        return [Part(SparseRows.of(filled[:, None]), scale=np.array([self.scale]))]

    def record(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        return cls(**record)


def read_booleans(name: str, values: pl.Series) -> FloatArray:
    """1 and 0, NaN where missing; what is neither true nor false is refused by row."""
    import polars as pl

    if values.dtype in (pl.Boolean, pl.Null):
        read: FloatArray = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
        return read
    if not (values.dtype.is_numeric() or values.dtype in (pl.String, pl.Categorical, pl.Enum)):
        raise refuse_type(name, values, "true and false")
    text = (values.fill_nan(None) if values.dtype.is_float() else values).cast(pl.String)
    text = text.str.strip_chars().str.to_lowercase()
    absent = text.is_null() | (text == "")
    words = dict.fromkeys(TRUE, 1.0) | dict.fromkeys(FALSE, 0.0)
    found = text.replace_strict(list(words), list(words.values()), default=None, return_dtype=pl.Float64)
    refuse(name, values, (found.is_null() & ~absent).to_numpy(), "true or false")
    marked: FloatArray = found.fill_null(np.nan).to_numpy()
    return marked
