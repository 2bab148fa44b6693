"""Frames: whatever has named columns becomes a polars frame; types of columns by what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from linsep.errors import InvalidData, InvalidType, MissingPackage
from linsep.tables.schema import Column, ColumnType, Schema
from linsep.tables.table import Table

if TYPE_CHECKING:
    import polars as pl


def as_frame(X: Any) -> pl.DataFrame:
    """A polars frame from a polars, pandas or Arrow table, a `Table`, or a mapping from names to arrays."""
    _check_polars()
    import polars as pl

    if isinstance(X, Table):
        if X.frame is None:
            raise InvalidType("the table holds a matrix, whose columns have no names: fit a classifier on it directly")
        X = X.frame
    if isinstance(X, pl.LazyFrame):
        X = X.collect()
    if isinstance(X, pl.DataFrame):
        return X
    module = type(X).__module__.partition(".")[0]
    if module == "pandas" and hasattr(X, "columns"):
        return _from_pandas(X)
    if module == "pyarrow" and hasattr(X, "column_names"):
        frame = pl.from_arrow(X)
        assert isinstance(frame, pl.DataFrame)
        return frame
    if isinstance(X, Mapping):
        return _from_mapping(X)
    raise InvalidType(
        f"the table is a {type(X).__name__}; allowed is a polars, pandas or Arrow table, or a dict of columns. "
        "A NumPy array has no column names: give {'name': array[:, j], …}, or fit a classifier on it directly"
    )


def _check_polars() -> None:
    if find_spec("polars") is None:
        raise MissingPackage("tables of mixed columns need polars: pip install polars")


def _from_mapping(X: Mapping[Any, Any]) -> pl.DataFrame:
    import polars as pl

    columns = {str(name): _series(str(name), values) for name, values in X.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidData(f"columns have different numbers of rows: {lengths}")
    return pl.DataFrame(list(columns.values()))


def _series(name: str, values: Any) -> pl.Series:
    import polars as pl

    if isinstance(values, pl.Series):
        return values.alias(name)
    if isinstance(values, np.ndarray) and values.dtype.kind in "OUT":
        values = values.tolist()
    if isinstance(values, list | tuple):
        values = [None if _is_missing(value) else value for value in values]
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return _mixed(name, list(values))


def _mixed(name: str, values: list[Any]) -> pl.Series:
    """Numbers of several types are numbers; anything else is read as text, value by value."""
    import polars as pl

    if all(isinstance(value, int | float | np.number | None) for value in values):
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _from_pandas(X: Any) -> pl.DataFrame:
    columns = {}
    for position, name in enumerate(X.columns):
        column = X.iloc[:, position]
        plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufM"
        if str(name) in columns:
            raise InvalidData(f"two columns are named {str(name)!r}; names must differ")
        columns[str(name)] = column.to_numpy() if plain else column.astype(object).tolist()
    return _from_mapping(columns)


def schema_of(X: Any, frame: pl.DataFrame) -> Schema:
    """That of a `Table`; else a type for every column by its values. Strings of several words are texts."""
    if isinstance(X, Table):
        return X.schema
    columns = []
    for series in frame.get_columns():
        kind = _guess(series)
        missing, distinct = series.null_count(), series.n_unique()
        columns.append(Column(series.name, kind, f"holds {series.dtype}", missing, distinct))
    return Schema(tuple(columns), frame.height)


def _guess(series: pl.Series) -> ColumnType:
    import polars as pl

    if series.dtype == pl.Boolean:
        return ColumnType.BOOLEAN
    if series.dtype in (pl.Date, pl.Datetime):
        return ColumnType.DATE
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        return ColumnType.NUMBER
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return ColumnType.IGNORED
    present = series.drop_nulls().cast(pl.String).head(10_000)
    if not len(present):
        return ColumnType.CATEGORY
    words = present.str.count_matches(r"\w+").to_numpy().mean()
    return ColumnType.TEXT if words >= 3.0 and 2 * present.n_unique() > len(present) else ColumnType.CATEGORY
