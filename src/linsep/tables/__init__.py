"""Tables: files of any common format become typed columns, or an error with file, line and column."""

from linsep.tables.options import ReadOptions
from linsep.tables.read import read_table
from linsep.tables.schema import Column, ColumnType, Schema
from linsep.tables.schema_file import schema_text
from linsep.tables.table import Table

__all__ = ["Column", "ColumnType", "ReadOptions", "Schema", "Table", "read_table", "schema_text"]
