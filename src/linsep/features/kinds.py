"""The kinds of columns there are: the type of a column → what encodes it."""

from __future__ import annotations

from typing import Any

from linsep.errors import InvalidParameter
from linsep.features.booleans import BooleanEncoder
from linsep.features.categories import CategoryEncoder
from linsep.features.columns import Encoder
from linsep.features.dates import DateEncoder
from linsep.features.numbers import NumberEncoder
from linsep.features.text_columns import TextEncoder
from linsep.tables.schema import ColumnType

ENCODERS: dict[ColumnType, type[Encoder]] = {
    encoder.kind: encoder for encoder in (NumberEncoder, CategoryEncoder, BooleanEncoder, DateEncoder, TextEncoder)
}


def encoder_from(record: dict[str, Any]) -> Encoder:
    """The encoder that a record with its kind described."""
    fields = {name: value for name, value in record.items() if name != "kind"}
    found = ENCODERS.get(ColumnType.named(record["kind"]))
    if found is None:
        raise InvalidParameter(f"a column of the record is a {record['kind']!r}, which no encoder reads")
    return found.from_record(fields)
