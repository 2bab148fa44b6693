"""The type of each column, with the reason in words.

| type     | when                                                                                         |
|----------|----------------------------------------------------------------------------------------------|
| constant | one value in every row, or none at all                                                       |
| boolean  | true/false, yes/no, y/n, t/f, or 0 and 1                                                     |
| number   | every value is a number; codes with few values stay numbers unless the schema says category  |
| date     | every value is a date in one format; one that leaves day and month open is left out          |
| id       | 20 rows or more, each value once, and: whole numbers without a gap or in a column named id,  |
|          | or strings without a space                                                                   |
| text     | strings of three words or more on average, most of them different                            |
| category | all other strings                                                                            |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linsep.tables.options import ReadOptions
from linsep.tables.schema import Column, ColumnType
from linsep.tables.schema_file import Fixed
from linsep.tables.values import WRITTEN, Values, as_booleans, as_dates, as_numbers, read_strings, without_markers
from linsep.tables.where import Where

if TYPE_CHECKING:
    import polars as pl

FEWEST_IDS = 20
_ID_NAME = re.compile(
    r"(^|[_\s-])(id|uuid|guid|key|index|row|nr|no)$|^(id|unnamed)|[a-z]Id$|[a-z]ID$|^#$", re.IGNORECASE
)
_LEFT_OUT = frozenset({ColumnType.ID, ColumnType.CONSTANT, ColumnType.IGNORED})


@dataclass(frozen=True, eq=False)
class Inferred:
    """A column, and its values as typed."""

    column: Column
    series: pl.Series


def infer_column(series: pl.Series, options: ReadOptions, where: Where) -> Inferred:
    """Type, reason, counts and examples of one column."""
    import polars as pl

    clean = without_markers(series, options.missing)
    if clean.dtype.is_nested() or clean.dtype in (pl.Binary, pl.Object, pl.Time, pl.Duration):
        reason = f"its values are {clean.dtype}, which no model reads: left out"
        return Inferred(Column(series.name, ColumnType.IGNORED, reason), series)
    values = _values(clean, options, where)
    kind, reason = _judge(values, clean)
    form = values.formats[0] if kind is ColumnType.DATE and values.formats else None
    return _described(
        clean, values.series if kind not in _LEFT_OUT else clean, Column(series.name, kind, reason, format=form)
    )


def infer_label(series: pl.Series, options: ReadOptions, where: Where) -> Inferred:
    """The values of a target, weight or group: numbers, booleans as the file types them, else strings as they stand."""
    clean = without_markers(series, options.missing)
    values = _values(clean, options, where)
    if values.kind is ColumnType.NUMBER or clean.dtype.is_numeric():
        return _described(clean, values.series, Column(series.name, ColumnType.TARGET, holds=ColumnType.NUMBER))
    if clean.dtype.is_(_boolean()):
        return _described(clean, clean, Column(series.name, ColumnType.TARGET, holds=ColumnType.BOOLEAN))
    return _described(clean, _text(clean), Column(series.name, ColumnType.TARGET, holds=ColumnType.CATEGORY))


def convert_column(series: pl.Series, fixed: Fixed, reason: str, options: ReadOptions, where: Where) -> Inferred:
    """A column read as the type that was given for it; an error names the first value that cannot be."""
    clean = without_markers(series, options.missing)
    column = Column(series.name, fixed.type, reason, format=fixed.format)
    if fixed.type in _LEFT_OUT:
        return _described(clean, clean, column)
    return _described(clean, _converted(clean, fixed, options, where), column)


def _converted(clean: pl.Series, fixed: Fixed, options: ReadOptions, where: Where) -> pl.Series:
    import polars as pl

    strings = _text(clean)
    if fixed.type is ColumnType.NUMBER:
        done = clean if clean.dtype.is_numeric() else as_numbers(strings, options.decimal)
    elif fixed.type is ColumnType.BOOLEAN:
        done = clean if clean.dtype == pl.Boolean else as_booleans(strings)
    elif fixed.type is ColumnType.DATE and not clean.dtype.is_temporal():
        form = fixed.format or next(iter(read_strings(strings, None).formats), "%Y-%m-%d")
        done = as_dates(strings, form)
    else:
        done = clean if fixed.type is ColumnType.DATE else strings
    lost = done.is_null() & clean.is_not_null()
    if lost.any():
        row = int(lost.arg_max() or 0)
        form = f" of the form {fixed.format}" if fixed.format else ""
        advice = "correct it, or give the column another type in the schema"
        raise where.bad(row, f"{strings[row]!r} is no {fixed.type.value}{form}; {advice}", clean.name)
    return done


def _values(clean: pl.Series, options: ReadOptions, where: Where) -> Values:
    import polars as pl

    if clean.dtype == pl.String:
        values = read_strings(clean, options.decimal)
        if values.kind is ColumnType.CATEGORY and not values.note:
            _refuse_other_numbers(clean, options, where)
        return values
    if clean.dtype == pl.Boolean:
        return Values(ColumnType.BOOLEAN, clean, "true and false")
    if clean.dtype.is_temporal():
        return Values(ColumnType.DATE, clean)
    numbers = clean.cast(pl.Float64) if clean.dtype.is_decimal() else clean
    return Values(ColumnType.NUMBER if clean.dtype.is_numeric() else ColumnType.CATEGORY, numbers)


def _refuse_other_numbers(clean: pl.Series, options: ReadOptions, where: Where) -> None:
    """A column that would be numbers with another sign for decimals: say so instead of taking them for words."""
    different = clean.drop_nulls().unique(maintain_order=True)
    ways = [sign for sign, shape in WRITTEN.items() if len(different) and different.str.contains(shape).all()]
    if not ways or options.decimal in ways:
        return
    numbers = as_numbers(clean, options.decimal)
    row = int((numbers.is_null() & clean.is_not_null()).arg_max() or 0)
    meant = " or ".join(f"decimal={sign!r} ({as_numbers(clean[row : row + 1], sign)[0]})" for sign in ways)
    advice = f"read the file with {meant}, or give the column the type category in the schema"
    raise where.bad(row, f"the number {clean[row]!r} is not written as expected; {advice}", clean.name)


def _judge(values: Values, clean: pl.Series) -> tuple[ColumnType, str]:
    """Type and reason."""
    missing, distinct = clean.null_count(), clean.drop_nulls().n_unique()
    if distinct == 0:
        return ColumnType.CONSTANT, "no values at all: left out"
    if distinct == 1 and missing == 0:
        return ColumnType.CONSTANT, f"always {_text(clean[:1])[0]}: left out"
    return _JUDGES[values.kind](values, clean, distinct)


def _judge_number(values: Values, clean: pl.Series, distinct: int) -> tuple[ColumnType, str]:
    numbers = values.series.drop_nulls()
    if distinct <= 2 and numbers.is_in([0, 1]).all():
        return ColumnType.BOOLEAN, "0 and 1 only"
    once = distinct == len(clean) >= FEWEST_IDS
    if once and numbers.dtype.is_integer():
        if int(numbers.max()) - int(numbers.min()) == len(numbers) - 1:  # type: ignore[arg-type]
            return (
                ColumnType.ID,
                f"each of its {distinct:,} whole numbers once, without a gap: looks like an id, left out",
            )
        if _ID_NAME.search(clean.name):
            return ColumnType.ID, "all values distinct and integer, and so named: looks like an id, left out"
    return ColumnType.NUMBER, "whole numbers" if numbers.dtype.is_integer() else "numbers"


def _judge_boolean(values: Values, clean: pl.Series, distinct: int) -> tuple[ColumnType, str]:
    return ColumnType.BOOLEAN, values.note


def _judge_date(values: Values, clean: pl.Series, distinct: int) -> tuple[ColumnType, str]:
    if len(values.formats) > 1:
        choices = " or ".join(f"date:{form}" for form in values.formats)
        return ColumnType.IGNORED, f"dates that leave day and month open: left out; say {choices} in the schema"
    return ColumnType.DATE, f"dates written {values.formats[0]}" if values.formats else "dates"


def _judge_strings(values: Values, clean: pl.Series, distinct: int) -> tuple[ColumnType, str]:
    different = clean.drop_nulls().unique()
    rows = len(clean) - clean.null_count()
    words = float(different.str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
    if distinct == len(clean) >= FEWEST_IDS and words == 1.0:
        return ColumnType.ID, "each value once, none with a space: looks like an id, left out"
    if words >= 3 and (distinct == rows or (distinct > 20 and distinct > 0.05 * rows)):
        return ColumnType.TEXT, f"{words:.0f} words on average, {distinct:,} different texts"
    return ColumnType.CATEGORY, values.note or f"{distinct:,} different values" + _nearly_numbers(different)


def _nearly_numbers(different: pl.Series) -> str:
    """A few words among numbers are worth a remark: they make the whole column a category."""
    wrong = different.filter(as_numbers(different, None).is_null())
    if len(wrong) > 0.1 * len(different):
        return ""
    some = ", ".join(repr(word) for word in wrong.head(3).to_list())
    return f", almost all numbers but not {some}: name these as missing, or correct them, to have numbers"


_JUDGES = {
    ColumnType.NUMBER: _judge_number,
    ColumnType.BOOLEAN: _judge_boolean,
    ColumnType.DATE: _judge_date,
    ColumnType.CATEGORY: _judge_strings,
}


def _described(clean: pl.Series, series: pl.Series, column: Column) -> Inferred:
    """The column with its counts and examples."""
    from dataclasses import replace

    known = clean.drop_nulls()
    first = _text(known.head(1000).unique(maintain_order=True).head(3)).to_list()
    examples = tuple(word if len(word) <= 40 else word[:39] + "…" for word in first)
    counted = replace(column, missing=clean.null_count(), distinct=known.n_unique(), examples=examples)
    return Inferred(counted, series.alias(column.name))


def _text(series: pl.Series) -> pl.Series:
    import polars as pl

    return series if series.dtype == pl.String else series.cast(pl.String)


def _boolean() -> pl.DataType:
    import polars as pl

    return pl.Boolean()
