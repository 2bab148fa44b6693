"""How the strings of a column can be read: as booleans, numbers, dates, or only as strings.

A column is read as one kind if each of its values can be. What stands for a missing value is null before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linsep.tables.schema import ColumnType

if TYPE_CHECKING:
    import polars as pl

_EXPONENT = r"([eE][+-]?\d+)?$"
PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)" + _EXPONENT
#: A number by the sign of its decimals, the thousands in groups or not.
WRITTEN = {
    ".": r"^[+-]?((\d+|\d{1,3}(,\d{3})+)\.?\d*|\.\d+)" + _EXPONENT,
    ",": r"^[+-]?((\d+|\d{1,3}(\.\d{3})+),?\d*|,\d+)" + _EXPONENT,
}
_LEADING_ZERO = r"^[+-]?0\d+$"
_WHOLE = r"^[+-]?\d{1,18}$"

BOOLEANS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"))

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_TIMES = (
    "",
    " %H:%M",
    " %H:%M:%S",
    " %H:%M:%S%.f",
    "T%H:%M",
    "T%H:%M:%S",
    "T%H:%M:%S%.f",
    "T%H:%M:%SZ",
    "T%H:%M:%S%.fZ",
)
DATE_FORMATS = tuple(day + time for time in _TIMES for day in _DAYS)
_DATE_SHAPE = r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:.*)?$"


@dataclass(frozen=True, eq=False)
class Values:
    """What a column's values are (number, boolean, date, category for strings), and the column read so.

    note     what else there is to say
    formats  of dates: the formats in which all can be read; more than one leaves day and month open
    """

    kind: ColumnType
    series: pl.Series
    note: str = ""
    formats: tuple[str, ...] = ()


def without_markers(series: pl.Series, missing: Iterable[str]) -> pl.Series:
    """Strings without the spaces around them, null where one stands for a missing value; other types as they are."""
    import polars as pl

    if series.dtype.is_float():
        return series.fill_nan(None)
    if series.dtype != pl.String:
        return series.cast(pl.String) if isinstance(series.dtype, pl.Categorical | pl.Enum) else series
    stripped = series.str.strip_chars()
    markers = pl.Series([marker.lower() for marker in missing], dtype=pl.String)
    if len(markers) == 0:
        return stripped
    gone = stripped.str.len_chars() <= markers.str.len_chars().max()
    gone &= stripped.str.to_lowercase().is_in(markers.implode())
    return stripped.zip_with(~gone.fill_null(True), pl.Series([None], dtype=pl.String))


def read_strings(series: pl.Series, decimal: str | None) -> Values:
    """The kind of a column of strings, and its values."""
    different = series.drop_nulls().unique(maintain_order=True)
    for read in (_booleans, _numbers, _dates):
        found = read(series, different, decimal)
        if found is not None:
            return found
    return Values(ColumnType.CATEGORY, series)


def as_numbers(series: pl.Series, decimal: str | None) -> pl.Series:
    """Strings as numbers, null where one is none."""
    import polars as pl

    series = series.set(~series.str.contains(WRITTEN[decimal] if decimal else PLAIN), None)
    if decimal == ".":
        series = series.str.replace_all(",", "", literal=True)
    if decimal == ",":
        series = series.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    whole = series.str.contains(_WHOLE).all()
    return series.cast(pl.Int64 if whole else pl.Float64, strict=False)


def as_booleans(series: pl.Series) -> pl.Series:
    """Strings as booleans, null where one is none."""
    import polars as pl

    words = {word: value for yes, no in (*BOOLEANS, ("1", "0")) for word, value in ((yes, True), (no, False))}
    if series.dtype == pl.Boolean:
        return series
    return series.str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.Boolean)


def zero_one(series: pl.Series) -> pl.Series:
    """1 and 0 as booleans, null where a number is neither; booleans stay."""
    import polars as pl

    if series.dtype == pl.Boolean:
        return series
    return (series == 1).set((series != 0) & (series != 1), None)


def as_dates(series: pl.Series, format: str) -> pl.Series:
    """Strings as dates, or as dates with a time where the format has one; null where one is none."""
    if "%H" in format or "%I" in format:
        return series.str.to_datetime(format, strict=False)
    return series.str.to_date(format, strict=False)


def _booleans(series: pl.Series, different: pl.Series, decimal: str | None) -> Values | None:
    if len(different) > 4 or len(different) == 0:
        return None
    words = set(different.str.to_lowercase().to_list())
    if not any(words <= set(pair) for pair in BOOLEANS):
        return None
    return Values(ColumnType.BOOLEAN, as_booleans(series), f"{' and '.join(sorted(words))} only")


def _numbers(series: pl.Series, different: pl.Series, decimal: str | None) -> Values | None:
    if not different.str.contains(WRITTEN[decimal] if decimal else PLAIN).all():
        return None
    if different.str.contains(_LEADING_ZERO).any():
        example = different.filter(different.str.contains(_LEADING_ZERO))[0]
        return Values(ColumnType.CATEGORY, series, f"numbers that begin with 0, such as {example}, are codes")
    return Values(ColumnType.NUMBER, as_numbers(series, decimal))


def _dates(series: pl.Series, different: pl.Series, decimal: str | None) -> Values | None:
    if len(different) == 0 or not different.str.contains(_DATE_SHAPE).all():
        return None
    few = different.head(20)
    readable: Callable[[pl.Series, str], bool] = lambda some, form: as_dates(some, form).null_count() == 0  # noqa: E731
    formats = tuple(form for form in DATE_FORMATS if readable(few, form) and readable(different, form))
    if not formats:
        return None
    return Values(ColumnType.DATE, as_dates(series, formats[0]), formats=formats)
