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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from linsep.tables.compact import Compact
from linsep.tables.options import ReadOptions
from linsep.tables.schema import Column, ColumnType
from linsep.tables.schema_file import Fixed
from linsep.tables.values import (
    WRITTEN,
    Values,
    as_booleans,
    as_dates,
    as_numbers,
    read_strings,
    without_markers,
    zero_one,
)
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


@dataclass(frozen=True, eq=False)
class Facts:
    """A column to be judged: its values without what stands for missing ones, each at least once; rows; missing."""

    compact: Compact
    clean: pl.Series
    different: pl.Series
    missing: int

    @classmethod
    def of(cls, series: pl.Series, options: ReadOptions) -> Facts:
        compact = Compact.of(series)
        clean = without_markers(compact.short, options.missing)
        return cls(compact, clean, clean.drop_nulls().unique(maintain_order=True), compact.missing(clean))

    @property
    def name(self) -> str:
        return self.compact.series.name

    @property
    def rows(self) -> int:
        return len(self.compact.series)

    @property
    def distinct(self) -> int:
        return len(self.different)

    @property
    def each_once(self) -> bool:
        return self.distinct == self.rows >= FEWEST_IDS

    def inferred(self, done: pl.Series, column: Column) -> Inferred:
        """The column with its counts and examples, and its values in every row."""
        first = _text(self.different.head(3)).to_list()
        examples = tuple(word if len(word) <= 40 else word[:39] + "…" for word in first)
        counted = replace(column, missing=self.missing, distinct=self.distinct, examples=examples)
        return Inferred(counted, self.compact.expand(done).alias(self.name))


def infer_column(series: pl.Series, options: ReadOptions, where: Where) -> Inferred:
    """Type, reason, counts and examples of one column."""
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object, pl.Time, pl.Duration):
        reason = f"its values are {series.dtype}, which no model reads: left out"
        return Inferred(Column(series.name, ColumnType.IGNORED, reason), series)
    facts = Facts.of(series, options)
    values = _values(facts, options, where)
    kind, reason = _judge(values, facts)
    form = values.formats[0] if kind is ColumnType.DATE and values.formats else None
    done = facts.clean if kind in _LEFT_OUT else values.series
    done = zero_one(done) if kind is ColumnType.BOOLEAN else done
    return facts.inferred(done, Column(series.name, kind, reason, format=form))


def infer_label(series: pl.Series, options: ReadOptions, where: Where) -> Inferred:
    """The values of a target, weight or group: numbers, booleans as the file types them, else strings as they stand."""
    import polars as pl

    facts = Facts.of(series, options)
    values = _values(facts, options, where)
    if values.kind is ColumnType.NUMBER:
        return facts.inferred(values.series, Column(series.name, ColumnType.TARGET, holds=ColumnType.NUMBER))
    if series.dtype == pl.Boolean:
        return facts.inferred(facts.clean, Column(series.name, ColumnType.TARGET, holds=ColumnType.BOOLEAN))
    return facts.inferred(_text(facts.clean), Column(series.name, ColumnType.TARGET, holds=ColumnType.CATEGORY))


def convert_column(series: pl.Series, fixed: Fixed, reason: str, options: ReadOptions, where: Where) -> Inferred:
    """A column read as the type that was given for it; an error names the first value that cannot be."""
    column = Column(series.name, fixed.type, reason, format=fixed.format)
    if series.dtype.is_nested():
        if fixed.type in _LEFT_OUT:
            return Inferred(column, series)
        raise where.bad(None, f"its values are {series.dtype}, which cannot be read as {fixed.type.value}", series.name)
    facts = Facts.of(series, options)
    return facts.inferred(facts.clean if fixed.type in _LEFT_OUT else _converted(facts, fixed, options, where), column)


def _converted(facts: Facts, fixed: Fixed, options: ReadOptions, where: Where) -> pl.Series:

    clean, strings = facts.clean, _text(facts.clean)
    if fixed.type is ColumnType.NUMBER:
        done = clean if clean.dtype.is_numeric() else as_numbers(strings, options.decimal)
    elif fixed.type is ColumnType.BOOLEAN:
        done = zero_one(clean) if clean.dtype.is_numeric() else as_booleans(strings)
    elif fixed.type is ColumnType.DATE and not clean.dtype.is_temporal():
        form = fixed.format or next(iter(read_strings(strings, None).formats), "%Y-%m-%d")
        done = as_dates(strings, form)
    else:
        done = clean if fixed.type is ColumnType.DATE else strings
    lost = done.is_null() & clean.is_not_null()
    if lost.any():
        number = int(lost.arg_max() or 0)
        form = f" of the form {fixed.format}" if fixed.format else ""
        advice = "correct it, or give the column another type in the schema"
        reason = f"{strings[number]!r} is no {fixed.type.value}{form}; {advice}"
        raise where.bad(facts.compact.row(number), reason, facts.name)
    return done


def _values(facts: Facts, options: ReadOptions, where: Where) -> Values:
    import polars as pl

    clean = facts.clean
    if clean.dtype == pl.String:
        values = read_strings(clean, options.decimal)
        if values.kind is ColumnType.CATEGORY and not values.note:
            _refuse_other_numbers(facts, options, where)
        return values
    if clean.dtype == pl.Boolean:
        return Values(ColumnType.BOOLEAN, clean, "true and false")
    if clean.dtype.is_temporal():
        return Values(ColumnType.DATE, clean)
    numbers = clean.cast(pl.Float64) if clean.dtype.is_decimal() else clean
    return Values(ColumnType.NUMBER if clean.dtype.is_numeric() else ColumnType.CATEGORY, numbers)


def _refuse_other_numbers(facts: Facts, options: ReadOptions, where: Where) -> None:
    """A column that would be numbers with another sign for decimals: say so instead of taking them for words."""
    clean, different = facts.clean, facts.different
    ways = [sign for sign, shape in WRITTEN.items() if len(different) and different.str.contains(shape).all()]
    if not ways or options.decimal in ways:
        return
    numbers = as_numbers(clean, options.decimal)
    number = int((numbers.is_null() & clean.is_not_null()).arg_max() or 0)
    meant = " or ".join(f"decimal={sign!r} ({as_numbers(clean[number : number + 1], sign)[0]})" for sign in ways)
    advice = f"read the file with {meant}, or give the column the type category in the schema"
    reason = f"the number {clean[number]!r} is not written as expected; {advice}"
    raise where.bad(facts.compact.row(number), reason, facts.name)


def _judge(values: Values, facts: Facts) -> tuple[ColumnType, str]:
    """Type and reason."""
    if facts.distinct == 0:
        return ColumnType.CONSTANT, "no values at all: left out"
    if facts.distinct == 1 and facts.missing == 0:
        return ColumnType.CONSTANT, f"always {_text(facts.different)[0]}: left out"
    return _JUDGES[values.kind](values, facts)


def _judge_number(values: Values, facts: Facts) -> tuple[ColumnType, str]:
    numbers = values.series.drop_nulls()
    if ((numbers == 0) | (numbers == 1)).all():
        return ColumnType.BOOLEAN, "0 and 1 only"
    if facts.each_once and numbers.dtype.is_integer():
        if int(numbers.max()) - int(numbers.min()) == facts.rows - 1:  # type: ignore[arg-type]
            reason = f"each of its {facts.distinct:,} whole numbers once, without a gap: looks like an id, left out"
            return ColumnType.ID, reason
        if _ID_NAME.search(facts.name):
            return ColumnType.ID, "all values distinct and integer, and so named: looks like an id, left out"
    return ColumnType.NUMBER, "whole numbers" if numbers.dtype.is_integer() else "numbers"


def _judge_boolean(values: Values, facts: Facts) -> tuple[ColumnType, str]:
    return ColumnType.BOOLEAN, values.note


def _judge_date(values: Values, facts: Facts) -> tuple[ColumnType, str]:
    if len(values.formats) > 1:
        choices = " or ".join(f"date:{form}" for form in values.formats)
        return ColumnType.IGNORED, f"dates that leave day and month open: left out; say {choices} in the schema"
    return ColumnType.DATE, f"dates written {values.formats[0]}" if values.formats else "dates"


def _judge_strings(values: Values, facts: Facts) -> tuple[ColumnType, str]:
    known, distinct = facts.rows - facts.missing, facts.distinct
    words = float(facts.different.str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
    remark = _nearly_numbers(facts.different)
    if facts.each_once and words == 1.0 and not remark:
        return ColumnType.ID, "each value once, none with a space: looks like an id, left out"
    if words >= 3 and (distinct == known or (distinct > 20 and distinct > 0.05 * known)):
        return ColumnType.TEXT, f"{words:.0f} words on average, {distinct:,} different texts"
    return ColumnType.CATEGORY, values.note or f"{distinct:,} different values" + remark


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


def _text(series: pl.Series) -> pl.Series:
    import polars as pl

    return series if series.dtype == pl.String else series.cast(pl.String)
