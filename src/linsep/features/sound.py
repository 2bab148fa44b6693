"""What the record of an encoder cannot get wrong: a forged file fails where it is loaded, and not in a prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from linsep.errors import InvalidFile
from linsep.features.booleans import BooleanEncoder
from linsep.features.categories import UNSEEN, CategoryEncoder
from linsep.features.columns import Encoder
from linsep.features.dates import PARTS, DateEncoder
from linsep.features.numbers import NumberEncoder
from linsep.features.products import Product
from linsep.storage.fields import check_fields
from linsep.tables.schema import Schema


def check_sound(schema: Schema, encoders: Sequence[Encoder], products: Sequence[Product]) -> None:
    """Fields are of their types, columns those of the schema in order, products are of columns that there are."""
    for made in (schema, *encoders, *products):
        check_fields(made)
    wanted = [(column.name, column.type) for column in schema.features]
    if wanted != [(encoder.name, encoder.kind) for encoder in encoders]:
        raise InvalidFile(f"its columns are not those of its schema, {str([name for name, _ in wanted])[:200]}")
    for encoder in encoders:
        if not _SOUND.get(type(encoder), _always)(encoder):
            raise InvalidFile(f"column {encoder.name!r} has numbers that no training gives: {str(encoder)[:200]}")
    width = {encoder.name: encoder.width for encoder in encoders}
    for product in products:
        most = width.get(product.first, 0) * width.get(product.second, 0)
        if product.kept.shape != product.scale.shape or not np.all((product.kept >= 0) & (product.kept < most)):
            raise InvalidFile(
                f"the product of {product.first!r} and {product.second!r} is of columns that are not there"
            )


def _number(column: NumberEncoder) -> bool:
    return isfinite(column.median) and isfinite(column.mean) and isfinite(column.deviation) and column.deviation > 0.0


def _boolean(column: BooleanEncoder) -> bool:
    return isfinite(column.scale) and column.scale > 0.0


def _category(column: CategoryEncoder) -> bool:
    known = [*column.levels, *column.rare]
    names = len(column.levels) + bool(column.rare) + column.missing
    return column.unseen in UNSEEN and -1 <= column.dropped < names and len(set(known)) == len(known)


def _date(column: DateEncoder) -> bool:
    parts = [part.name.rpartition(": ")[2] for part in column.levels]
    dated = -(10**7) < column.first < 10**7 and len(column.numbers) == 2 and set(parts) <= set(PARTS)
    return dated and all(map(_number, column.numbers)) and all(map(_category, column.levels))


def _always(column: Any) -> bool:
    return True


_SOUND: dict[type[Encoder], Callable[[Any], bool]] = {
    NumberEncoder: _number,
    BooleanEncoder: _boolean,
    CategoryEncoder: _category,
    DateEncoder: _date,
}
