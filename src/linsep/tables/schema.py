"""What a table's columns are: a type for each, and the reason for it in words.

A column enters the model as a number, category, boolean, date or text. It stays out as an id, a constant or ignored.
Target, weight and group are roles: the column says what is to be learnt, what a row counts, what belongs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any

from linsep.errors import InvalidData, unknown_name
from linsep.types import Count


class ColumnType(Enum):
    """What a column is; the value is the word for it in a schema file and on screen."""

    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"
    ID = "id"
    CONSTANT = "constant"
    TARGET = "target"
    WEIGHT = "weight"
    GROUP = "group"
    IGNORED = "ignored"

    @classmethod
    def named(cls, word: object) -> ColumnType:
        """The type of this name; an error that lists the names otherwise."""
        words = {each.value: each for each in cls}
        if not isinstance(word, str) or word not in words:
            raise unknown_name("type of a column", word, words)
        return words[word]


#: What the labels of rows without names of columns are called.
TARGET = "label"

#: The types of columns that enter a model.
FEATURES = frozenset({ColumnType.NUMBER, ColumnType.CATEGORY, ColumnType.BOOLEAN, ColumnType.DATE, ColumnType.TEXT})

#: The types of columns that play a part without being a feature: at most one column each.
ROLES = frozenset({ColumnType.TARGET, ColumnType.WEIGHT, ColumnType.GROUP})


#: What the values of a target, weight or group can be.
LABELS = frozenset({ColumnType.NUMBER, ColumnType.CATEGORY, ColumnType.BOOLEAN})


@dataclass(frozen=True)
class Column:
    """One column.

    name      as in the file, or column_1, column_2, … where there is no header
    type      what it is
    reason    why, in words: "each of its 300 whole numbers occurs once, without a gap: looks like an id, left out"
    missing   rows without a value
    distinct  different values, missing ones not counted
    examples  the first few different values, as text
    format    how a date is written ("%d/%m/%Y"), None where the file holds dates as such
    holds     what the values of a target, weight or group are: number, category or boolean; None for features
    """

    name: str
    type: ColumnType
    reason: str = ""
    missing: Count = 0
    distinct: Count = 0
    examples: tuple[str, ...] = ()
    format: str | None = None
    holds: ColumnType | None = None

    @property
    def is_feature(self) -> bool:
        """Whether the column enters the model."""
        return self.type in FEATURES

    @property
    def values(self) -> ColumnType:
        """What its values are, whatever part the column plays."""
        return self.holds or self.type

    def record(self) -> dict[str, Any]:
        """As plain values, for a model file."""
        words = {"type": self.type.value, "holds": self.holds.value if self.holds else None}
        return {**asdict(self), **words, "examples": list(self.examples)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Column:
        holds = record["holds"]
        typed = {
            "type": ColumnType.named(record["type"]),
            "examples": tuple(record["examples"]),
            "holds": None if holds is None else ColumnType.named(holds),
        }
        return cls(**{**record, **typed})


@dataclass(frozen=True)
class Schema:
    """The columns in the order of the file, and how many rows they were read from.

    >>> schema = Schema((Column("age", ColumnType.NUMBER), Column("income", ColumnType.TARGET)), rows=2)
    >>> [column.name for column in schema.features]
    ['age']
    >>> schema.target.name
    'income'
    """

    columns: tuple[Column, ...]
    rows: Count = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def features(self) -> tuple[Column, ...]:
        """The columns that enter the model."""
        return tuple(column for column in self.columns if column.is_feature)

    def of(self, *types: ColumnType) -> tuple[Column, ...]:
        """The columns of these types."""
        return tuple(column for column in self.columns if column.type in types)

    @property
    def target(self) -> Column | None:
        return self._only(ColumnType.TARGET)

    @property
    def weight(self) -> Column | None:
        return self._only(ColumnType.WEIGHT)

    @property
    def group(self) -> Column | None:
        return self._only(ColumnType.GROUP)

    def _only(self, role: ColumnType) -> Column | None:
        return next(iter(self.of(role)), None)

    def column(self, name: str) -> Column:
        """The column of this name; an error with the nearest name otherwise."""
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            raise InvalidData(no_such_column(name, self.names))
        return found

    def with_types(self, types: Mapping[str, ColumnType], reason: str) -> Schema:
        """The same columns, some with another type, for the reason given."""
        for name in types:
            self.column(name)
        changed = (
            replace(c, type=types[c.name], reason=reason, format=None, holds=None) if c.name in types else c
            for c in self.columns
        )
        return replace(self, columns=tuple(changed))

    def lines(self) -> list[dict[str, str]]:
        """One line a column, ready to be shown as a table: name, type, missing, distinct, examples, reason."""
        return [
            {
                "column": column.name,
                "type": column.type.value,
                "missing": f"{column.missing:,}",
                "distinct": f"{column.distinct:,}",
                "examples": ", ".join(column.examples),
                "reason": column.reason,
            }
            for column in self.columns
        ]

    def record(self) -> dict[str, Any]:
        """As plain values, for a model file."""
        return {"rows": self.rows, "columns": [column.record() for column in self.columns]}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Schema:
        return cls(tuple(Column.from_record(column) for column in record["columns"]), record["rows"])


def no_such_column(name: object, names: Iterable[str]) -> str:
    """The sentence for a column that is not there: the nearest name, and those that are."""
    known = list(names)
    by_lower_case = {each.lower(): each for each in known}
    nearest = get_close_matches(str(name).lower(), by_lower_case, n=1, cutoff=0.5)
    meant = f": did you mean {by_lower_case[nearest[0]]!r}?" if nearest else "."
    some = ", ".join(map(repr, known[:20])) + (f" and {len(known) - 20:,} more" if len(known) > 20 else "")
    return f"there is no column {name!r}{meant} The columns are {some}"
