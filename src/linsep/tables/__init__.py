"""Tables: files of any common format become typed columns, or an error with file, line and column."""

from linsep.tables.schema import Column, ColumnType, Schema
from linsep.tables.table import Table

__all__ = ["Column", "ColumnType", "Schema", "Table"]
