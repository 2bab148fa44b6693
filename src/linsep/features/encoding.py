"""TableEncoding: a table of mixed columns → the design of a linear model, and back to the user's units.

Every column becomes one or more columns of the design, by its type: see `numbers.py`, `categories.py`, `booleans.py`,
`dates.py`, `text_columns.py`; `products.py` and `basis_columns.py` add functions of several. With z = (x − c) / s,

    ⟨z, w⟩ + b = ⟨x, w / s⟩ + b − ⟨c, w / s⟩

so that coefficients of the design are told exactly in the units of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from linsep.errors import InvalidData, InvalidType, check_flag, unknown_name
from linsep.features import products
from linsep.features.bag import Bag
from linsep.features.categories import UNSEEN
from linsep.features.columns import Block, EncodedColumn, Encoder, Options, Part
from linsep.features.fitted import check_fitted
from linsep.features.frames import as_frame, schema_of
from linsep.features.kinds import ENCODERS, encoder_from
from linsep.features.products import Product
from linsep.features.sound import check_sound
from linsep.features.stacking import density, names_of, stack
from linsep.features.word_settings import kind, whole
from linsep.tables.schema import ColumnType, Schema, no_such_column
from linsep.types import FloatArray

if TYPE_CHECKING:
    import polars as pl

    from linsep.features.basis_columns import BasisColumns

#: A design with a smaller share of non-zero entries is sparse.
SPARSE_BELOW = 0.25


@dataclass(frozen=True, eq=False)
class Encoded:
    """The design of some rows, what its columns are, and what should be known of the rows."""

    matrix: Any
    columns: tuple[EncodedColumn, ...]
    notes: tuple[str, ...]

    @property
    def column_names(self) -> list[str]:
        """A classifier that is given the whole object takes these for the names of its features."""
        return [column.name for column in self.columns]


class TableEncoding:
    """`TableEncoder` without scikit-learn and SciPy, which take longer to import than most tables to encode."""

    schema_: Schema
    encoders_: tuple[Encoder, ...]
    products_: tuple[Product, ...]
    bases_: tuple[BasisColumns, ...]
    sparse_: bool
    notes_: tuple[str, ...]

    def __init__(
        self,
        schema: Schema | None = None,
        *,
        rare: int = 5,
        unseen: str = "rare",
        most_levels: int = 1000,
        reference: bool = False,
        text: Bag | None = None,
        interactions: Any = (),
        bases: Any = None,
        dtype: Any = np.float64,
    ) -> None:
        self.schema = schema
        self.rare = rare
        self.unseen = unseen
        self.most_levels = most_levels
        self.reference = reference
        self.text = text
        self.interactions = interactions
        self.bases = bases
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of a table; y is not used."""
        self._learn(X)
        return self

    def fit_rows(self, X: Any) -> Block:
        """The same as fit, then rows, with one reading of the texts."""
        return self._stack(self._learn(X), scaled=True)

    def rows(self, X: Any, *, scaled: bool = True) -> Encoded:
        """The design, its columns, and notes: columns that were left out, levels not seen, missing values filled.

        ``scaled=False`` gives the columns in the user's units, which `in_units` speaks of.
        """
        check_fitted(self, "encoders_")
        frame = as_frame(X)
        notes = self._check_columns(frame)
        parts = {e.name: e.encode(frame[e.name], notes) for e in self.encoders_}
        return Encoded(self._stack(self._with_functions(parts), scaled), self.columns_, tuple(notes))

    def in_units(self, coef: Any, intercept: Any) -> tuple[FloatArray, Any]:
        """Coefficients and intercept for columns in the user's units, with exactly the same scores.

        coef has shape (columns,) or (classes, columns). A coefficient is then the change of the score for one more of
        its column's unit.
        """
        check_fitted(self, "encoders_")
        w = np.asarray(coef, dtype=np.float64)
        centre, scale = (np.array([getattr(c, name) for c in self.columns_]) for name in ("centre", "scale"))
        if w.ndim not in (1, 2) or w.shape[-1] != len(scale):
            raise InvalidData(f"coef has shape {w.shape}; the design has {len(scale)} columns")
        w = w / scale
        return w, intercept - w @ centre

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the design's columns."""
        check_fitted(self, "encoders_")
        return names_of(self.columns_)

    @property
    def columns_(self) -> tuple[EncodedColumn, ...]:
        """Every column of the design."""
        check_fitted(self, "encoders_")
        known: tuple[EncodedColumn, ...] | None = self.__dict__.get("_columns")
        if known is None:
            mains = {e.name: e.columns for e in self.encoders_}
            known = tuple(column for columns in mains.values() for column in columns)
            known += tuple(c for p in self.products_ for c in p.columns(mains[p.first], mains[p.second]))
            known += tuple(column for basis in self.bases_ for column in basis.columns)
            self.__dict__["_columns"] = known
        return known

    @property
    def width(self) -> int:
        """How many columns the design has."""
        functions = [len(product.kept) for product in self.products_] + [len(basis.columns) for basis in self.bases_]
        return sum(encoder.width for encoder in self.encoders_) + sum(functions)

    def record(self) -> dict[str, Any]:
        """What was learnt as plain values and arrays."""
        check_fitted(self, "encoders_")
        return {
            "schema": self.schema_.record(),
            "settings": {
                "rare": int(self.rare),
                "unseen": self.unseen,
                "most_levels": int(self.most_levels),
                "reference": bool(self.reference),
            },
            "columns": [{"kind": e.kind.value, **e.record()} for e in self.encoders_],
            "products": [product.record() for product in self.products_],
            "bases": [basis.record() for basis in self.bases_],
            "sparse": self.sparse_,
            "dtype": np.dtype(self.dtype).name,
            "notes": list(self.notes_),
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """The encoder that `record` described, ready to transform."""
        schema = Schema.from_record(record["schema"])
        encoder = cls(schema, dtype=kind(record["dtype"]), **record["settings"])
        encoder._options()
        encoder._settle(schema, tuple(encoder_from(each) for each in record["columns"]))
        encoder.products_ = tuple(map(Product.from_record, record["products"]))
        encoder.bases_ = ()
        if record["bases"]:
            from linsep.features.basis_columns import BasisColumns

            encoder.bases_ = tuple(map(BasisColumns.from_record, record["bases"]))
        encoder.sparse_, encoder.notes_ = bool(record["sparse"]), tuple(record["notes"])
        check_sound(schema, encoder.encoders_, encoder.products_, encoder.bases_)
        return encoder

    def _learn(self, X: Any) -> list[Part]:
        options, frame = self._options(), as_frame(X)
        if not frame.height:
            raise InvalidData("the table has no rows; at least one is needed")
        schema = schema_of(X, frame) if self.schema is None else self.schema
        names = [column.name for column in schema.features]
        if not names:
            raise InvalidData("no column of the table is a number, category, boolean, date or text")
        _check_present(names, frame.columns)
        pairs, bases = products.pairs(self.interactions, names), self._bases(schema, names)
        learnt = [ENCODERS[c.type].fit_encode(c, frame[c.name], options) for c in schema.features]
        self._settle(schema, tuple(encoder for encoder, _ in learnt))
        parts = {name: part for name, (_, part) in zip(names, learnt, strict=True)}
        self.products_ = tuple(Product.fit((a, b), parts[a], parts[b]) for a, b in pairs)
        self.bases_ = tuple(_fitted(over, basis, parts) for over, basis in bases)
        every = self._with_functions(parts)
        self.sparse_ = density(every) < SPARSE_BELOW
        self.notes_ = tuple(remark for encoder in self.encoders_ for remark in encoder.remarks)
        return every

    def _bases(self, schema: Schema, names: list[str]) -> list[tuple[tuple[str, ...], Any]]:
        """Columns with the basis over them; the bases are scikit-learn's, and imported where there are some."""
        if self.bases is None or self.bases == {}:
            return []
        from linsep.features.basis_columns import check_bases

        return check_bases(self.bases, [column.name for column in schema.of(ColumnType.NUMBER)], names)

    def _settle(self, schema: Schema, encoders: tuple[Encoder, ...]) -> None:
        self.schema_, self.encoders_, self.__dict__["_columns"] = schema, encoders, None
        self.feature_names_in_ = np.array([column.name for column in schema.features], dtype=object)
        self.n_features_in_ = len(encoders)

    def _options(self) -> Options:
        if self.schema is not None and not isinstance(self.schema, Schema):
            raise InvalidType(f"schema is a {type(self.schema).__name__}; allowed are a Schema and None")
        if self.unseen not in UNSEEN:
            raise unknown_name("unseen", self.unseen, UNSEEN)
        if self.text is not None and not isinstance(self.text, Bag):
            raise InvalidType(f"text is a {type(self.text).__name__}; allowed are a BagOfWords and None")
        check_flag("reference", self.reference)
        kind(self.dtype)
        rare, most = whole("rare", self.rare), whole("most_levels", self.most_levels)
        return Options(rare, self.unseen, most, self.reference, Bag() if self.text is None else self.text)

    def _check_columns(self, frame: pl.DataFrame) -> list[str]:
        """Notes on columns that training did not have; an error if one of the model is missing."""
        _check_present(list(self.feature_names_in_), frame.columns)
        extra = [name for name in frame.columns if name not in self.schema_.names]
        return [f"column {name!r} was not in training: left out" for name in extra]

    def _with_functions(self, parts: dict[str, list[Part]]) -> list[Part]:
        found = [part for group in parts.values() for part in group]
        found += [product.encode(parts[product.first], parts[product.second]) for product in self.products_]
        return found + [Part(basis.encode(_standardised(parts, basis.sources))) for basis in self.bases_]

    def _stack(self, parts: list[Part], scaled: bool) -> Block:
        blocks = [part.standardised() if scaled else part.values for part in parts]
        return stack(blocks, self.sparse_, kind(self.dtype))


def _fitted(over: tuple[str, ...], basis: Any, parts: dict[str, list[Part]]) -> BasisColumns:
    from linsep.features.basis_columns import BasisColumns

    return BasisColumns.fit(over, basis, _standardised(parts, over))


def _standardised(parts: dict[str, list[Part]], names: tuple[str, ...]) -> FloatArray:
    """The numbers themselves, without the columns that mark missing ones."""
    blocks = [np.asarray(parts[name][0].standardised())[:, :1] for name in names]
    joined: FloatArray = np.hstack(blocks)
    return joined


def _check_present(wanted: list[str], given: list[str]) -> None:
    missing = [name for name in wanted if name not in given]
    if missing:
        more = f" ({len(missing) - 1} more are missing: {', '.join(map(repr, missing[1:6]))})" if missing[1:] else ""
        nameless = given == [f"column_{j + 1}" for j in range(len(given))] and not set(wanted) & set(given)
        hint = "; these are places, not names: does the file lack its first line?" if nameless else ""
        raise InvalidData(no_such_column(missing[0], given) + more + hint)
