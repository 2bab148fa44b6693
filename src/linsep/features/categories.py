"""Categories: one column a level, one for all rare levels together, one for missing values.

A linear model with a penalty needs no reference level: all levels are kept, and the penalty shares the effect among
them. `reference` leaves out the most frequent one, for fits without a penalty, where all together would be collinear
with the intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.errors import InvalidData
from linsep.features.columns import EncodedColumn, Encoder, Options, Part, filled_note
from linsep.tables.schema import Column, ColumnType
from linsep.types import Count, IntArray

if TYPE_CHECKING:
    import polars as pl

RARE, MISSING = "(rare)", "(missing)"
UNSEEN = ("error", "rare", "zero")


@dataclass(frozen=True)
class CategoryEncoder(Encoder):
    """Levels in order; `rare` levels share a column behind them, then comes that of missing values.

    dropped  the column of the reference level, −1 for none: its rows are zero
    pooled   rare levels that the guard on the number of levels made so, for the remark
    """

    kind: ClassVar[ColumnType] = ColumnType.CATEGORY
    name: str
    levels: tuple[str, ...]
    rare: tuple[str, ...]
    missing: bool
    unseen: str
    dropped: int
    pooled: Count
    source: str
    as_kind: str = "category"

    @classmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        return cls.of(column.name, column.name, read_levels(values), options)

    @classmethod
    def of(cls, name: str, source: str, read: pl.Series, options: Options, as_kind: str = "category") -> Self:
        """From levels as strings, null where missing."""
        present = read.drop_nulls()
        table = present.value_counts(name="count")
        found = dict(zip(table[present.name].to_list(), table["count"].to_list(), strict=True))
        ranked = sorted(found, key=lambda level: (-found[level], level))
        often = [level for level in ranked if found[level] >= options.rare]
        levels, missing = sorted(often[: options.most_levels]), read.null_count() > 0
        rare = sorted(set(found) - set(levels))
        counts = [found[level] for level in levels] + [sum(found[level] for level in rare)] * bool(rare)
        counts += [read.null_count()] * missing
        dropped = int(np.argmax(counts)) if options.reference and counts else -1
        pooled = max(0, len(often) - options.most_levels)
        return cls(name, tuple(levels), tuple(rare), missing, options.unseen, dropped, pooled, source, as_kind)

    @property
    def _names(self) -> list[str]:
        return [*self.levels, *[RARE] * bool(self.rare), *[MISSING] * self.missing]

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        reference = f", against {self._names[self.dropped]}" if self.dropped >= 0 else ""
        return tuple(
            EncodedColumn(f"{self.name}={level}", self.source, self.as_kind, f"being {level}{reference}")
            for column, level in enumerate(self._names)
            if column != self.dropped
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        if not self.pooled:
            return ()
        return (
            f"column {self.name!r} has {len(self.levels) + len(self.rare):,} levels: the {len(self.levels):,} most "
            f"frequent have a column each, the others share {RARE}. Raise most_levels, or leave the column out",
        )

    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        return [Part(self.block(read_levels(values), notes))]

    def block(self, read: pl.Series, notes: list[str]) -> SparseRows:
        """From levels as strings, null where missing."""
        codes = self._codes(read, notes)
        if self.dropped >= 0:
            codes = np.where(codes == self.dropped, -1, codes - (codes > self.dropped))
        return one_hot(codes, len(self.columns))

    def _codes(self, read: pl.Series, notes: list[str]) -> IntArray:
        """The column of every row; −1: none."""
        import polars as pl

        pool, last = len(self.levels), len(self._names) - 1
        known = [*self.levels, *self.rare]
        numbers = [*range(len(self.levels)), *[pool] * len(self.rare)]
        if known:
            found = read.replace_strict(known, numbers, default=-2, return_dtype=pl.Int64)
        else:
            found = pl.repeat(-2, len(read), dtype=pl.Int64, eager=True)
        codes: IntArray = found.fill_null(-2).to_numpy().copy()
        absent = read.is_null().to_numpy()
        if absent.any():
            codes[absent] = last if self.missing else -1
            if not self.missing:
                notes.append(filled_note(self.name, int(absent.sum()), "no level of it is set"))
        strange = (codes == -2) & ~absent
        if strange.any():
            codes[strange] = pool if self.rare and self.unseen == "rare" else -1
            self._tell(read, strange, notes)
        return codes

    def _tell(self, read: pl.Series, strange: Any, notes: list[str]) -> None:
        levels = sorted(set(read.filter(strange).to_list()))
        shown = ", ".join(map(repr, levels[:5])) + (f" and {len(levels) - 5:,} more" if len(levels) > 5 else "")
        row = int(np.argmax(strange))
        if self.unseen == "error":
            raise InvalidData(
                f"column {self.name!r}, row {row}: {read[row]!r} is a level that training did not have "
                f"(unseen='error'; in all {int(strange.sum()):,} rows: {shown})"
            )
        count, as_rare = int(strange.sum()), bool(self.rare) and self.unseen == "rare"
        treated = f"treated as {RARE}" if as_rare else "no level is set"
        rows = f"{count:,} row{'s' * (count > 1)} with a level"
        notes.append(f"column {self.name!r}: {rows} that training did not have ({shown}): {treated}")

    def flaw(self) -> str | None:
        """Why no training gives it, or None (storage/fields.py)."""
        known = [*self.levels, *self.rare]
        if self.unseen in UNSEEN and -1 <= self.dropped < len(self._names) and len(set(known)) == len(known):
            return None
        return f"column {self.name!r} has levels that no training gives: {str(self)[:200]}"

    def record(self) -> dict[str, Any]:
        return {**self.__dict__, "levels": list(self.levels), "rare": list(self.rare)}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        return cls(**{**record, "levels": tuple(record["levels"]), "rare": tuple(record["rare"])})


def one_hot(codes: IntArray, columns: int) -> SparseRows:
    """A one in column codes[i] of row i; −1: none."""
    is_set = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(is_set)])
    return SparseRows(np.ones(indptr[-1]), codes[is_set].astype(np.int32), indptr.astype(np.int32), columns)


def read_levels(values: pl.Series) -> pl.Series:
    """Levels as strings, null where missing; a whole number is written without a point."""
    import polars as pl

    if values.dtype.is_float():
        values = values.fill_nan(None)
        if ((values == values.floor()) & (values.abs() < 2.0**53)).all():
            values = values.cast(pl.Int64)
    return values.cast(pl.String)
