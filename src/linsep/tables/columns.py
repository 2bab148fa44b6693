"""Frames of several files become one table: the same columns in each, typed, with the target checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linsep.errors import BadFile
from linsep.tables.infer import Inferred, convert_column, infer_column, infer_label
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.roles import find_roles
from linsep.tables.schema import FEATURES, ROLES, Column, ColumnType, Schema
from linsep.tables.schema_file import Fixed, FixedTypes, fixed_types
from linsep.tables.table import Table
from linsep.tables.target import MOST_FRACTIONS, Labels, check_labels, refuse_bad_weights, refuse_missing
from linsep.tables.where import Where

if TYPE_CHECKING:
    import polars as pl

_ASKED = {
    ColumnType.TARGET: "what is to be learnt",
    ColumnType.WEIGHT: "what a row counts",
    ColumnType.GROUP: "which rows belong together",
    ColumnType.ID: "names the row, as asked: left out",
    ColumnType.IGNORED: "left out as asked",
}


def table_of_frames(parts: list[Part], options: ReadOptions) -> Table:
    """One table of all rows."""
    where, frame = Where(tuple(parts)), _joined(parts)
    fixed = fixed_types(options.schema)
    given = find_roles(frame.columns, options, fixed, where)
    inferred = [_column(frame[name], given.get(name), fixed, options, where) for name in frame.columns]
    for each in inferred:
        if each.column.type in ROLES:
            _check_role(each, given[each.column.name], fixed, options, where)
        if each.column.type is ColumnType.NUMBER:
            _refuse_infinite(each.series, frame[each.column.name], where)
    schema = Schema(tuple(each.column for each in inferred), frame.height)
    typed = frame.with_columns(each.series for each in inferred)
    notes = [note for part in parts for note in part.notes]
    if fixed.strict or not fixed.by_name:  # with the schema of another table, whoever has it speaks of what is new
        notes += [f"column {c.name!r}: {c.reason}" for c in schema.columns if _remarkable(c, given)]
    table = Table(schema, typed, sources=tuple(part.name for part in parts), notes=tuple(notes))
    return _without_missing_target(table) if options.drop_missing_target else table


def _remarkable(column: Column, given: dict[str, Fixed]) -> bool:
    return column.name not in given and (column.type not in FEATURES or "almost all numbers" in column.reason)


def _joined(parts: list[Part]) -> pl.DataFrame:
    """All rows, the columns in the order of the first file."""
    import polars as pl

    frames = [part.frame for part in parts if part.frame is not None]
    first = frames[0]
    for part, frame in zip(parts[1:], frames[1:], strict=True):
        for name in first.columns:
            if name not in frame.columns:
                raise BadFile(part.name, f"it has no such column, which {parts[0].name} has", column=name)
        for name in frame.columns:
            if name not in first.columns:
                raise BadFile(part.name, f"{parts[0].name} has no such column; files read together agree", column=name)
    if len(frames) == 1:
        return first
    same_order = [frame.select(first.columns) for frame in frames]
    try:
        return pl.concat(same_order, how="vertical_relaxed")
    except pl.exceptions.PolarsError:
        raise _other_type(parts, same_order) from None


def _other_type(parts: list[Part], frames: list[pl.DataFrame]) -> BadFile:
    for part, frame in zip(parts[1:], frames[1:], strict=True):
        for name in frame.columns:
            mine, other = frame.schema[name], frames[0].schema[name]
            if mine != other and not (mine.is_numeric() and other.is_numeric()):
                return BadFile(part.name, f"its values are {mine}, in {parts[0].name} they are {other}", column=name)
    return BadFile(parts[0].name, "these files do not fit together")


def _column(series: pl.Series, given: Fixed | None, fixed: FixedTypes, options: ReadOptions, where: Where) -> Inferred:
    if given is None:
        return infer_column(series, options, where)
    reason = fixed.reason if series.name in fixed.by_name else _ASKED[given.type]
    if given.type in ROLES:
        return _role(series, given, options, where)
    return convert_column(series, given, reason, options, where)


def _role(series: pl.Series, given: Fixed, options: ReadOptions, where: Where) -> Inferred:
    """A target, weight or group: the values as they stand, or as the schema says; a few fractions name classes."""
    holds = given.holds
    if holds is None:
        found = infer_label(series, options, where)
        few = given.type is ColumnType.TARGET and found.column.distinct <= MOST_FRACTIONS
        if not few or _whole(found.series):
            return _in_role(found, given.type, found.column.values)
        holds = ColumnType.CATEGORY
    return _in_role(convert_column(series, Fixed(holds), "", options, where), given.type, holds)


def _in_role(found: Inferred, role: ColumnType, holds: ColumnType) -> Inferred:
    return Inferred(replace(found.column, type=role, reason=_ASKED[role], holds=holds), found.series)


def _whole(series: pl.Series) -> bool:
    """Whether there are no numbers with fractions."""
    return not series.dtype.is_float() or bool((series == series.floor()).all())


def _check_role(each: Inferred, given: Fixed, fixed: FixedTypes, options: ReadOptions, where: Where) -> None:
    column, series = each.column, each.series
    role = column.type
    dropped = role is ColumnType.TARGET and options.drop_missing_target
    if not dropped and not (not fixed.strict and series.null_count() == len(series)):
        refuse_missing(column.name, series.is_null().arg_true().to_numpy(), len(series), where, role)
    if role is ColumnType.TARGET and fixed.strict:
        rows = len(series) - column.missing
        if rows == 0:
            raise where.bad(None, "the target is missing in every row", column.name)
        known = given.holds is ColumnType.CATEGORY
        facts = (column.name, column.values, rows, column.distinct, _whole(series), column.examples[0], known)
        check_labels(Labels(*facts), where)
    if role is ColumnType.WEIGHT:
        if column.holds is not ColumnType.NUMBER:
            raise where.bad(None, f"weights are numbers, but this column holds {column.examples[0]!r}", column.name)
        refuse_bad_weights(column.name, series.to_numpy().astype(np.float64), where)


def _refuse_infinite(numbers: pl.Series, written: pl.Series, where: Where) -> None:
    """No model takes them; where they come from only the file can tell."""
    wrong = numbers.is_infinite().fill_null(False) if numbers.dtype.is_float() else None
    if wrong is not None and wrong.any():
        row = int(wrong.arg_max() or 0)
        reason = f"{written[row]!r} is not finite; correct it, or leave the column out with ignore"
        raise where.bad(row, reason, numbers.name)


def _without_missing_target(table: Table) -> Table:
    """Rows without a target left out, with a note of how many."""
    target, frame = table.schema.target, table.frame
    if target is None or target.missing == 0 or frame is None:
        return table
    kept = frame.filter(frame[target.name].is_not_null())
    note = f"{target.missing:,} of {frame.height:,} rows without a target left out"
    columns = tuple(replace(c, missing=kept[c.name].null_count()) for c in table.schema.columns)
    return replace(table, frame=kept, schema=Schema(columns, kept.height), notes=(*table.notes, note))
