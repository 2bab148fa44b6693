"""How to read a table: everything that a file does not say about itself, or says wrongly."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TypeAlias

from linsep.errors import InvalidParameter, InvalidType, check_flag
from linsep.tables.schema import Schema

#: A column by its name, or by its place: 1, 2, … from the left, -1, -2, … from the right, "last".
Place: TypeAlias = str | int

#: What stands for a value that is not there, whatever its capitals.
MISSING = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "null", "None", "?")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table. None: found out from the file.

    format       csv, tsv, ndjson, parquet, arrow, svmlight or npz; by the name, then by the first bytes
    separator    between fields: one character
    quote        around fields that hold a separator: one character, "" for none
    header       whether the first line holds names
    skip         lines before the table
    target       what is to be learnt: a name, or a place (1 is the first column, -1 or "last" the last);
                 for npz the name of an array, or of a .npy file
    ignore       columns to leave out
    weights      the column that says what a row counts
    groups       the column that says which rows belong together
    id           the column that names a row: left out, kept for the predictions
    encoding     of text: utf-8, latin-1, utf-16, cp1252, …
    decimal      "." reads 1,234.5 and "," reads 1.234,5; by default only 1234.5 is a number
    missing      what stands for a value that is not there, whatever its capitals
    schema       types of columns: a TOML file, a mapping from names to types, or the schema of another table
    drop_missing_target   leave out rows without a target instead of refusing them
    drop_ragged  leave out rows with another number of fields than the first instead of refusing the file
    zero_based   svmlight: whether the first column is 0; None: yes if a 0 occurs
    features     svmlight: how many columns; None: as many as occur
    matrix       npz: the name of the array that holds the rows, X by default
    line_limit   the longest line in bytes that is read
    """

    format: str | None = None
    separator: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip: int = 0
    target: Place | None = None
    ignore: tuple[Place, ...] = ()
    weights: Place | None = None
    groups: Place | None = None
    id: Place | None = None
    encoding: str = "utf-8"
    decimal: str | None = None
    missing: tuple[str, ...] = MISSING
    schema: str | os.PathLike[str] | Mapping[str, str] | Schema | None = None
    drop_missing_target: bool = False
    drop_ragged: bool = False
    zero_based: bool | None = None
    features: int | None = None
    matrix: str | None = None
    line_limit: int = 64 * 2**20

    def __post_init__(self) -> None:
        for name in ("header", "zero_based"):
            if getattr(self, name) is not None:
                check_flag(name, getattr(self, name))
        for name in ("drop_missing_target", "drop_ragged"):
            check_flag(name, getattr(self, name))
        for name in ("ignore", "missing"):
            if isinstance(getattr(self, name), str):
                raise InvalidType(f"{name}={getattr(self, name)!r} is one string; give a tuple of them")
        for name, least in (("skip", 0), ("line_limit", 1), ("features", 1)):
            _check_count(name, getattr(self, name), least)
        if self.separator is not None:
            _check_character("separator", self.separator)
        if self.quote:
            _check_character("quote", self.quote)
        if self.decimal not in (None, ".", ","):
            raise InvalidParameter(f"decimal={self.decimal!r}: allowed are '.' (1,234.5) and ',' (1.234,5)")
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise InvalidParameter(
                f"encoding={self.encoding!r} is not known; try utf-8, latin-1, cp1252 or utf-16"
            ) from None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all options."""
        return tuple(each.name for each in fields(cls))


def _check_count(name: str, given: int | None, least: int) -> None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < least):
        raise InvalidParameter(f"{name}={given!r}: give a whole number of at least {least}")


def _check_character(name: str, given: str) -> None:
    if not isinstance(given, str) or len(given.encode()) != 1 or given in "\r\n":
        raise InvalidParameter(f"{name}={given!r}: give one ASCII character, such as ',' ';' '\\t' or '|'")
