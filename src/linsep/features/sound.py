"""What the record of an encoder cannot get wrong: a forged file fails where it is loaded, and not in a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linsep.errors import InvalidFile
from linsep.features.columns import Encoder
from linsep.features.products import Product
from linsep.storage.fields import check_fields
from linsep.tables.schema import ColumnType, Schema

if TYPE_CHECKING:
    from linsep.features.basis_columns import BasisColumns


def check_sound(
    schema: Schema, encoders: Sequence[Encoder], products: Sequence[Product], bases: Sequence[BasisColumns]
) -> None:
    """Fields are as declared, columns those of the schema in order; products and bases are of columns there are."""
    for made in (schema, *encoders, *products, *bases):
        check_fields(made)
    wanted = [(column.name, column.type) for column in schema.features]
    if wanted != [(encoder.name, encoder.kind) for encoder in encoders]:
        raise InvalidFile(f"its columns are not those of its schema, {str([name for name, _ in wanted])[:200]}")
    width = {encoder.name: encoder.width for encoder in encoders}
    for product in products:
        most = width.get(product.first, 0) * width.get(product.second, 0)
        if product.kept.shape != product.scale.shape or not np.all((product.kept >= 0) & (product.kept < most)):
            raise InvalidFile(
                f"the product of {product.first!r} and {product.second!r} is of columns that are not there"
            )
    numbers = {column.name for column in schema.of(ColumnType.NUMBER)}
    for basis in bases:
        if not set(basis.sources) <= numbers:
            raise InvalidFile(f"a basis is over {basis.sources}, which are not all numbers of its schema")
