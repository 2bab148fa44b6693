"""The features of a `TableEncoder` as SQL over the columns of the raw table.

Each kind of column has a function that gives its values in the user's units, in the order of the encoder's columns; a
feature is (value − centre) / scale. What the encoder does with missing and unseen values is in the expressions:

    numbers      NULL and NaN become the median; the column that marks them
    categories   1 where the text is the level; rare, unseen and missing ones as the encoder has learnt. Where it was
                 told to refuse levels that training did not have, they make the score NULL
    booleans     true, 1, 'yes', … as the encoder reads them; what is neither true nor false makes the score NULL
    dates        parts of a timestamp, or of text as ISO writes it, which every database casts to one
    interactions products of deviations

Texts and bases have no SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from linsep.errors import Refused
from linsep.export.sql_text import identifier, number, text
from linsep.features.booleans import FALSE, TRUE, BooleanEncoder
from linsep.features.categories import CategoryEncoder
from linsep.features.columns import EncodedColumn, Encoder
from linsep.features.dates import DateEncoder
from linsep.features.encoding import TableEncoding
from linsep.features.numbers import NumberEncoder
from linsep.tables.options import MISSING
from linsep.tables.values import DATE_FORMATS

#: Texts that every database casts to a timestamp.
ISO = tuple(each for each in DATE_FORMATS if each.startswith("%Y-"))

#: The part of a date that its levels are about, by the end of their name.
_PARTS = {"month": "MONTH", "weekday": "ISODOW", "hour": "HOUR"}


@dataclass(frozen=True)
class TableColumns:
    """The `SqlColumns` of a fitted encoder.

    as_files  text counts as it does in a file that linsep reads: without the spaces around it, and missing where it is
              one of the usual words for that (unless training had it as a level)
    """

    encoder: TableEncoding
    as_files: bool = False

    def sql(self) -> Sequence[str]:
        """An expression for every column of the design."""
        if self.encoder.bases_:
            raise Refused("the encoder has bases, for which there is no SQL; train without them to export to SQL")
        values = {each.name: _values(each, self.as_files) for each in self.encoder.encoders_}
        columns = {each.name: each.columns for each in self.encoder.encoders_}
        features = [_feature(*pair) for name in values for pair in zip(values[name], columns[name], strict=True)]
        for product in self.encoder.products_:
            left, right = (
                [_deviation(*pair) for pair in zip(values[name], columns[name], strict=True)]
                for name in (product.first, product.second)
            )
            features += [
                f"({left[k // len(right)]} * {right[k % len(right)]} / {number(scale)})"
                for k, scale in zip(product.kept.tolist(), product.scale.tolist(), strict=True)
            ]
        return features


def _values(encoder: Encoder, as_files: bool) -> list[str]:
    found = _VALUES.get(type(encoder))
    if found is None:
        raise Refused(
            f"column {encoder.name!r} is a {encoder.kind.value}, for which there is no SQL; train without it to export "
            "to SQL, or predict with linsep"
        )
    return found(encoder, as_files)


def _deviation(value: str, column: EncodedColumn) -> str:
    return value if column.centre == 0.0 else f"({value} - {number(column.centre)})"


def _feature(value: str, column: EncodedColumn) -> str:
    deviation = _deviation(value, column)
    return deviation if column.scale == 1.0 else f"({deviation} / {number(column.scale)})"


def _one_if(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1e0 ELSE 0e0 END"


def _list(values: Iterable[str]) -> str:
    return "(" + ", ".join(map(text, values)) + ")"


def _number(encoder: NumberEncoder, as_files: bool) -> list[str]:
    value = f"CAST({identifier(encoder.name)} AS DOUBLE PRECISION)"
    return _filled(f"NULLIF({value}, CAST('NaN' AS DOUBLE PRECISION))", encoder.median, encoder.missing)


def _filled(value: str, filling: float, missing: bool) -> list[str]:
    """The value with NULL replaced, and where training had missing values, whether it was."""
    return [f"COALESCE({value}, {number(filling)})", *[_one_if(f"{value} IS NULL")] * missing]


def _category(encoder: CategoryEncoder, as_files: bool) -> list[str]:
    value = f"CAST({identifier(encoder.name)} AS VARCHAR)"
    known = [*_spellings(encoder.levels), *_spellings(encoder.rare)]
    missing = f"{value} IS NULL"
    if as_files:
        value = f"TRIM({value})"
        words = _list(sorted({"", *(word.lower() for word in MISSING)} - {level.lower() for level in known}))
        missing = f"COALESCE(LOWER({value}) IN {words}, TRUE)"
    conditions = [f"{value} IN {_list(_spellings([level]))}" for level in encoder.levels]
    if encoder.rare:
        others = f"NOT {missing}"
        others += f" AND {value} NOT IN {_list(_spellings(encoder.levels))}" if encoder.levels else ""
        named = f"{value} IN {_list(_spellings(encoder.rare))}"
        conditions.append(others if encoder.unseen == "rare" else named)
    conditions += [missing] * encoder.missing
    columns = [_one_if(condition) for k, condition in enumerate(conditions) if k != encoder.dropped]
    if encoder.unseen != "error" or not known:
        return columns
    unseen = f"NOT {missing} AND {value} NOT IN {_list(known)}"
    return [f"CASE WHEN {unseen} THEN NULL ELSE {column} END" for column in columns]


def _spellings(levels: Iterable[str]) -> list[str]:
    """Training writes whole numbers without a point; a database may not."""
    return [text for level in levels for text in ((level, level + ".0") if _is_whole(level) else (level,))]


def _is_whole(level: str) -> bool:
    return level.removeprefix("-").isdecimal() and level.isascii()


def _boolean(encoder: BooleanEncoder, as_files: bool) -> list[str]:
    value = f"LOWER(TRIM(CAST({identifier(encoder.name)} AS VARCHAR)))"
    words = sorted({"", *(word.lower() for word in MISSING)}) if as_files else [""]
    absent = f"{value} IS NULL OR {value} IN {_list(words)}"
    usual = number(float(encoder.usual))
    read = (
        f"CASE WHEN {value} IN {_list(TRUE)} THEN 1e0 WHEN {value} IN {_list(FALSE)} THEN 0e0 "
        f"WHEN {absent} THEN {usual} ELSE NULL END"
    )
    return [read, *[_one_if(absent)] * encoder.missing]


def _date(encoder: DateEncoder, as_files: bool) -> list[str]:
    if encoder.format not in (None, *ISO):
        raise Refused(
            f"column {encoder.name!r} holds dates written as {encoder.format!r}, which SQL has no common way to read; "
            "train with a table whose column is a date, and score one like it"
        )
    value = f"CAST({identifier(encoder.name)} AS TIMESTAMP)"
    days = f"(EXTRACT(EPOCH FROM {value}) / 86400e0 - {number(encoder.first)})"
    year = f"CAST(EXTRACT(YEAR FROM {value}) AS DOUBLE PRECISION)"
    columns = [
        expression
        for read, part in zip((year, days), encoder.numbers, strict=True)
        for expression in _filled(read, part.median, part.missing)
    ]
    for part in encoder.levels:
        unit = _PARTS[part.name.rpartition(": ")[2]]
        numbers = [int(level.split()[0]) for k, level in enumerate(part.levels) if k != part.dropped]
        columns += [_one_if(f"EXTRACT({unit} FROM {value}) = {which}") for which in numbers]
    return [*columns, *[_one_if(f"{value} IS NULL")] * encoder.missing]


_VALUES: dict[type[Encoder], Callable[[Any, bool], list[str]]] = {
    NumberEncoder: _number,
    CategoryEncoder: _category,
    BooleanEncoder: _boolean,
    DateEncoder: _date,
}
