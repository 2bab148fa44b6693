"""Numbers: a missing value becomes the median, with a column that says so; then the column is standardised."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linsep.errors import InvalidData
from linsep.features.columns import EncodedColumn, Encoder, Options, Part, filled_note, indicator, refuse, refuse_type
from linsep.tables.schema import Column, ColumnType
from linsep.types import BoolArray, Finite, FloatArray, Positive

if TYPE_CHECKING:
    import polars as pl

#: Standard deviations from the mean: the square is still a number, and so is the product of two of them.
FARTHEST = 1e150


@dataclass(frozen=True)
class NumberEncoder(Encoder):
    """(x − mean) / deviation of a column whose missing values are the median.

    missing: training had missing values, so there is a second column that marks them. A column that never varies has
    scale 1. `source`, `unit` and `as_kind` are for numbers that are part of something else, as the year of a date.
    """

    kind: ClassVar[ColumnType] = ColumnType.NUMBER
    name: str
    median: Finite
    mean: Finite
    deviation: Positive
    missing: bool
    source: str
    unit: str
    as_kind: str = "number"

    @classmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        read = read_numbers(column.name, values)
        return cls.of(read, column.name, column.name, f"1 of {column.name}")

    @classmethod
    def of(cls, read: FloatArray, name: str, source: str, unit: str, as_kind: str = "number") -> Self:
        """From numbers with NaN where they are missing."""
        absent = np.isnan(read)
        if absent.all():
            return cls(name, 0.0, 0.0, 1.0, bool(len(read)), source, unit, as_kind)
        median = float(np.median(read[~absent]))
        filled = np.where(absent, median, read)
        size = int(np.frexp(np.abs(filled).max())[1])  # brought to about 1, so that squares stay in range
        near_one = np.ldexp(filled, -size)
        mean, deviation = float(np.ldexp(near_one.mean(), size)), float(np.ldexp(near_one.std(), size))
        # rounding alone makes equal numbers differ by about ε times their size
        varies = deviation > 0.0 and near_one.std() > 10 * np.finfo(float).eps
        return cls(name, median, mean, deviation if varies else 1.0, bool(absent.any()), source, unit, as_kind)

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        value = EncodedColumn(self.name, self.source, self.as_kind, self.unit, self.mean, self.deviation)
        return (value, indicator(self.name, self.source)) if self.missing else (value,)

    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        return [self.part(read_numbers(self.name, values), notes)]

    def part(self, read: FloatArray, notes: list[str]) -> Part:
        """From numbers with NaN where they are missing."""
        absent = np.isnan(read)
        filled = np.where(absent, self.median, read)
        self._check_near(filled)
        if self.missing:
            centre, scale = np.array([self.mean, 0.0]), np.array([self.deviation, 1.0])
            return Part(np.column_stack([filled, absent]), centre, scale)
        if absent.any():
            notes.append(filled_note(self.name, int(absent.sum()), f"the median {self.median:g} was used"))
        return Part(filled[:, None], np.array([self.mean]), np.array([self.deviation]))

    def _check_near(self, filled: FloatArray) -> None:
        """What is so far from the mean that float64 has no square of the distance is refused by its row."""
        ends = np.array([filled.min(), filled.max()]) if len(filled) else np.zeros(0)
        if not self._far(ends).any():
            return
        row = int(np.argmax(self._far(filled)))
        raise InvalidData(
            f"column {self.name!r}, row {row}: {filled[row]:g} is more than {FARTHEST:g} standard deviations from the "
            f"mean of training, {self.mean:g}; correct the row, or train without the column"
        )

    def _far(self, filled: FloatArray) -> BoolArray:
        with np.errstate(over="ignore"):
            return np.abs(filled - self.mean) / self.deviation > FARTHEST

    def record(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        return cls(**record)


def read_numbers(name: str, values: pl.Series) -> FloatArray:
    """float64, NaN where missing. Text that is a number is one; other text and infinity are refused by row."""
    import polars as pl

    given = values
    if values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    if values.dtype == pl.String:
        text = values.str.strip_chars()
        absent = text.is_null() | (text == "")
        values = text.cast(pl.Float64, strict=False)
        refuse(name, given, (values.is_null() & ~absent).to_numpy(), "a number")
    elif not (values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null)):
        raise refuse_type(name, values, "numbers")
    read: FloatArray = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
    infinite = np.isinf(read)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise InvalidData(f"column {name!r}, row {row}: {given[row]!r} is infinite; allowed are finite numbers")
    return read
