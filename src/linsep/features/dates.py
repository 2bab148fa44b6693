"""Dates: year and days since the first as numbers; month, weekday and (where there is a time of day) hour as levels.

A missing date has no level set, the middle year and day, and a column that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.features.categories import CategoryEncoder
from linsep.features.columns import EncodedColumn, Encoder, Options, Part, indicator, refuse, refuse_type
from linsep.features.numbers import NumberEncoder
from linsep.tables.schema import Column, ColumnType
from linsep.types import FloatArray, Within

if TYPE_CHECKING:
    import polars as pl

PARTS = ("month", "weekday", "hour")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Every level that a part can have.
_LEVELS = {
    "month": {f"{month:02}" for month in range(1, 13)},
    "weekday": {f"{day} {name}" for day, name in enumerate(_WEEKDAYS, 1)},
    "hour": {f"{hour:02}" for hour in range(24)},
}
#: How dates are read where no format is known, and what says that a format has a time of day.
_USUAL = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M")
_TIMES = ("%H", "%I", "%T", "%R", "%s")
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class DateEncoder(Encoder):
    """format: how dates are written where they are text; first: the earliest, as days since 1970-01-01."""

    kind: ClassVar[ColumnType] = ColumnType.DATE
    name: str
    format: str | None
    first: Annotated[int, Within(-(10**7), 10**7)]
    numbers: tuple[NumberEncoder, ...]
    levels: tuple[CategoryEncoder, ...]
    missing: bool

    @classmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        import polars as pl

        read = read_dates(column.name, values, column.format)
        earliest = read.cast(pl.Int64).drop_nulls().to_numpy()
        first = int(earliest.min() // _DAY) if len(earliest) else 0
        since = str(np.datetime64(first, "D"))
        name = column.name
        numbers = (
            NumberEncoder.of(_year(read), f"{name}: year", name, "1 year", "date"),
            NumberEncoder.of(_days(read, first), f"{name}: days since {since}", name, "1 day", "date"),
        )
        every = Options(1, "zero", 1000, options.reference, options.text)
        levels = tuple(
            CategoryEncoder.of(f"{name}: {part}", name, text.drop_nulls(), every, "date")
            for part, text in _parts(read).items()
        )
        # one column says that the date is missing, not one for each part
        known = tuple(NumberEncoder(**{**number.record(), "missing": False}) for number in numbers)
        return cls(name, column.format, first, known, levels, read.null_count() > 0)

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        parts = [column for part in (*self.numbers, *self.levels) for column in part.columns]
        return (*parts, *[indicator(self.name)] * self.missing)

    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        read = read_dates(self.name, values, self.format)
        read_as = (_year(read), _days(read, self.first))
        numbers = [number.part(part, []) for number, part in zip(self.numbers, read_as, strict=True)]
        parts = _parts(read, every=True)
        strange: list[str] = []
        levels = [Part(part.block(parts[_part(part)], strange)) for part in self.levels]
        notes += [note for note in strange if "missing value" not in note]
        absent = read.is_null().to_numpy()
        if absent.any() and not self.missing:
            notes.append(f"column {self.name!r}: {int(absent.sum()):,} missing dates where training had none")
        marked = [Part(SparseRows.of(absent[:, None].astype(np.float64)))] * self.missing
        return [*numbers, *levels, *marked]

    def flaw(self) -> str | None:
        """Why no training gives it, or None (storage/fields.py)."""
        sound = all(set(part.levels) <= _LEVELS.get(_part(part), set()) and not part.rare for part in self.levels)
        if len(self.numbers) == 2 and sound:
            return None
        return f"column {self.name!r} has parts of dates that there are not: {str(self)[:200]}"

    def record(self) -> dict[str, Any]:
        nested = {name: [part.record() for part in getattr(self, name)] for name in ("numbers", "levels")}
        return {**self.__dict__, **nested}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        numbers = tuple(map(NumberEncoder.from_record, record["numbers"]))
        levels = tuple(map(CategoryEncoder.from_record, record["levels"]))
        return cls(**{**record, "numbers": numbers, "levels": levels})


def _part(levels: CategoryEncoder) -> str:
    """Of "since: month" the month."""
    return levels.name.rpartition(": ")[2]


def read_dates(name: str, values: pl.Series, form: str | None) -> pl.Series:
    """Microseconds without a time zone, null where missing; text that is no date is refused by row."""
    import polars as pl

    if isinstance(values.dtype, pl.Datetime):
        return values.dt.replace_time_zone(None).cast(pl.Datetime("us"))
    if values.dtype in (pl.Date, pl.Null):
        return values.cast(pl.Datetime("us"))
    if values.dtype != pl.String:
        raise refuse_type(name, values, "dates")
    text = values.str.strip_chars()
    absent = text.is_null() | (text == "")
    read = _parsed(text.set(absent, None), form)
    refuse(name, values, (read.is_null() & ~absent).to_numpy(), f"a date{f' written as {form}' if form else ''}")
    return read


def _parsed(text: pl.Series, form: str | None) -> pl.Series:
    """By the format, or by the first of the usual ones that fits the row; null where none does."""
    import polars as pl

    read = pl.repeat(None, len(text), dtype=pl.Datetime("us"), eager=True)
    for each in [form] if form else _USUAL:
        parse = text.str.to_datetime if any(part in each for part in _TIMES) else text.str.to_date
        parsed = parse(each, strict=False).cast(pl.Datetime("us"))
        read = read.zip_with(read.is_not_null(), parsed)
        if read.null_count() == text.null_count():
            break
    return read


def _days(read: pl.Series, first: int) -> FloatArray:
    """Since the day `first`, which is counted from 1970-01-01."""
    import polars as pl

    since: FloatArray = (read.cast(pl.Int64) - first * _DAY).cast(pl.Float64).fill_null(np.nan).to_numpy()
    return since / _DAY


def _year(read: pl.Series) -> FloatArray:
    import polars as pl

    year: FloatArray = read.dt.year().cast(pl.Float64).fill_null(np.nan).to_numpy()
    return year


def _parts(read: pl.Series, every: bool = False) -> dict[str, pl.Series]:
    """Month, weekday and hour as text; the hour only if any is not midnight, or if every part is asked for."""
    import polars as pl

    numbers = [str(day) for day in range(1, 8)]
    names = [f"{day} {name}" for day, name in enumerate(_WEEKDAYS, 1)]
    two_digits = {"month": read.dt.month(), "hour": read.dt.hour()}
    parts = {part: values.cast(pl.String).str.zfill(2) for part, values in two_digits.items()}
    parts["weekday"] = read.dt.weekday().cast(pl.String).replace_strict(numbers, names, default=None)
    timed = every or _timed(read)
    return {part: parts[part] for part in PARTS if part != "hour" or timed}


def _timed(read: pl.Series) -> bool:
    import polars as pl

    return bool((read.cast(pl.Int64) % _DAY != 0).any())
