"""Types that a user fixes: a TOML file of lines `column = "type"`, a mapping, or the schema of another table.

age = "number"
zip = "category"
joined = "date:%d/%m/%Y"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from linsep.errors import BadFile, InvalidParameter, LinsepError
from linsep.tables.schema import LABELS, ColumnType, Schema


@dataclass(frozen=True)
class Fixed:
    """A type that is given, with the format of its dates and, for a role, what its values are."""

    type: ColumnType
    format: str | None = None
    holds: ColumnType | None = None


Given: TypeAlias = str | os.PathLike[str] | Mapping[str, str] | Schema | None


@dataclass(frozen=True)
class FixedTypes:
    """by_name: what is given for each column; reason: who gave it; strict: whether each column must be there."""

    by_name: Mapping[str, Fixed]
    reason: str = ""
    strict: bool = True


def fixed_types(given: Given) -> FixedTypes:
    """What a user fixes about columns."""
    if given is None:
        return FixedTypes({})
    if isinstance(given, Schema):
        columns = {c.name: Fixed(c.type, c.format, c.holds) for c in given.columns}
        return FixedTypes(columns, "as in the schema it was given", strict=False)
    if isinstance(given, Mapping):
        return FixedTypes({name: _parsed(name, word) for name, word in given.items()}, "as the schema says")
    return _from_file(os.fspath(given))


def _from_file(file: str) -> FixedTypes:
    try:
        content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (None, None)
        reason = re.sub(r" \(at .*", "", str(error)).lower()
        raise BadFile(file, f'{reason}; a schema has lines such as age = "number"', line=line, column=column) from None
    except UnicodeDecodeError as error:
        raise BadFile(file, f"a schema is a text in utf-8, but byte {error.start + 1:,} is not") from None
    except OSError as error:
        raise BadFile(file, f"the schema cannot be read: {(error.strerror or str(error)).lower()}") from None
    except RecursionError:
        raise BadFile(file, "it is nested too deeply for a schema") from None
    try:
        return FixedTypes({name: _parsed(name, word) for name, word in content.items()}, f"as {file} says")
    except BadFile:
        raise
    except LinsepError as error:
        raise BadFile(file, str(error)) from None


def _parsed(name: str, word: object) -> Fixed:
    """ "date:%d/%m/%Y" names a type and a format; "target:category" a role and what its values are."""
    if not isinstance(word, str):
        raise InvalidParameter(f"the type of column {name!r} is {word!r}; give a word such as 'number' or 'category'")
    first, _, rest = word.partition(":")
    kind = ColumnType.named(first)
    if not rest:
        return Fixed(kind)
    if kind is ColumnType.DATE:
        return Fixed(kind, format=rest)
    if kind is ColumnType.TARGET and ColumnType.named(rest) in LABELS:
        return Fixed(kind, holds=ColumnType.named(rest))
    raise InvalidParameter(
        f"column {name!r} = {word!r}: only a date has a format, and only a target holds numbers, categories or booleans"
    )


def schema_text(schema: Schema) -> str:
    """The schema as the text of a schema file, ready to be edited.

    >>> from linsep.tables import Column
    >>> print(schema_text(Schema((Column("age", ColumnType.NUMBER, "numbers"),))), end="")
    "age" = "number"  # numbers
    """
    lines = []
    for column in schema.columns:
        word = column.type.value + (f":{column.format}" if column.format and column.type is ColumnType.DATE else "")
        reason = re.sub(r"[\s\x00-\x1f\x7f]+", " ", column.reason)
        lines.append(f"{_quoted(column.name)} = {_quoted(word)}" + (f"  # {reason}" if reason else ""))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string of TOML: control characters are escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m[0]):04x}", escaped) + '"'
