"""Texts in a table: a bag of words for each such column; a missing text is empty, with a column that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.errors import InvalidData
from linsep.features.bag import Bag
from linsep.features.columns import EncodedColumn, Encoder, Options, Part, filled_note, indicator, refuse_type
from linsep.tables.schema import Column, ColumnType

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class TextEncoder(Encoder):
    """bag: fitted on the column; missing: training had missing texts."""

    kind: ClassVar[ColumnType] = ColumnType.TEXT
    name: str
    bag: Bag
    missing: bool

    @classmethod
    def fit(cls, column: Column, values: pl.Series, options: Options) -> Self:
        return cls.fit_encode(column, values, options)[0]

    @classmethod
    def fit_encode(cls, column: Column, values: pl.Series, options: Options) -> tuple[Self, list[Part]]:
        texts, bag = read_text(column.name, values), _copy(options.text)
        try:
            words = bag.fit_rows(texts.fill_null(""))
        except InvalidData as reason:
            raise InvalidData(f"column {column.name!r}: {reason}") from None
        encoder = cls(column.name, bag, texts.null_count() > 0)
        return encoder, encoder._parts(words, texts)

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        unit = "1 of tf-idf weight" if self.bag.use_idf else "1 occurrence" if self.bag.norm is None else "1 of weight"
        names = self.bag.get_feature_names_out()
        words = [EncodedColumn(f"{self.name}: {word}", self.name, "text", unit) for word in names]
        return (*words, *[indicator(self.name)] * self.missing)

    @property
    def width(self) -> int:
        return len(self.bag.document_frequency_) + self.missing

    def encode(self, values: pl.Series, notes: list[str]) -> list[Part]:
        texts = read_text(self.name, values)
        absent = texts.null_count()
        if absent and not self.missing:
            notes.append(filled_note(self.name, absent, "read as empty texts"))
        return self._parts(self.bag.rows(texts.fill_null("")), texts)

    def _parts(self, words: SparseRows, texts: pl.Series) -> list[Part]:
        absent = SparseRows.of(texts.is_null().to_numpy()[:, None].astype(np.float64))
        return [Part(words), *[Part(absent)] * self.missing]

    def record(self) -> dict[str, Any]:
        return {"name": self.name, "bag": self.bag.record(), "missing": self.missing}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        return cls(record["name"], Bag.from_record(record["bag"]), record["missing"])


def read_text(name: str, values: pl.Series) -> pl.Series:
    """Strings, null where missing; columns of other types are refused."""
    import polars as pl

    if values.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise refuse_type(name, values, "texts")
    return values.cast(pl.String)


def _copy(bag: Bag) -> Bag:
    """One that has not been fitted, with the same settings."""
    return type(bag)(**bag.settings())
