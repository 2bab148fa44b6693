"""A column of strings by its different values: what is done to each of them once is done to every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_WORTH = 1000


@dataclass(frozen=True, eq=False)
class Compact:
    """series: the column; short: its different strings as they first occur, or the column where that saves little."""

    series: pl.Series
    short: pl.Series

    @classmethod
    def of(cls, series: pl.Series) -> Compact:
        import polars as pl

        if series.dtype != pl.String or len(series) < _WORTH:
            return cls(series, series)
        different = series.drop_nulls().unique(maintain_order=True)
        return cls(series, different if len(different) < len(series) / 4 else series)

    @property
    def is_short(self) -> bool:
        return self.short is not self.series

    def expand(self, done: pl.Series) -> pl.Series:
        """What was made of each of the short values, for every row."""
        if not self.is_short:
            return done
        if done is self.short:
            return self.series
        return self.series.replace_strict(self.short, done, default=None, return_dtype=done.dtype)

    def missing(self, clean: pl.Series) -> int:
        """Rows without a value, if the short values became `clean`."""
        if not self.is_short:
            return clean.null_count()
        markers = self.short.filter(clean.is_null())
        return self.series.null_count() + (int(self.series.is_in(markers.implode()).sum()) if len(markers) else 0)

    def row(self, number: int) -> int:
        """The first row of the column with this one of the short values."""
        return int((self.series == self.short[number]).arg_max() or 0) if self.is_short else number
