"""What turns a table into rows of numbers: an encoder for tables with named columns, nothing for a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from linsep import features
from linsep.errors import InvalidData, InvalidFile, InvalidParameter, unknown_name
from linsep.features.bag import Bag
from linsep.features.encoding import TableEncoding
from linsep.tables import Table
from linsep.workflow.matrix import MatrixFeatures

#: The bases of the library by the names that settings have for them.
BASES = {"polynomial": "PolynomialBasis", "radial": "RadialBasis", "sigmoid": "SigmoidBasis"}


class Features(Protocol):
    """Learnt from the training table; gives the same columns for any other."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Of the columns it gives; None where they have none."""

    @property
    def width(self) -> int:
        """How many columns it gives."""

    def transform(self, table: Table) -> tuple[Any, tuple[str, ...]]:
        """Rows of numbers, and what should be known of them."""

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""


@dataclass(frozen=True)
class EncodingSettings:
    """How columns are encoded; see `TableEncoder` and `BagOfWords`.

    rare          levels of a category in fewer rows share one column
    unseen        what a level is that training did not have: rare, zero or error
    interactions  groups of columns whose pairs are multiplied
    bases         (kind, names of numeric columns), the kind being a name of `BASES`
    words         settings of `BagOfWords` for text columns
    """

    rare: int = 5
    unseen: str = "rare"
    interactions: tuple[tuple[str, ...], ...] = ()
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    words: Mapping[str, Any] | None = None

    def functions(self) -> dict[tuple[str, ...], Any]:
        """The bases as `TableEncoder` takes them, each with its defaults."""
        for kind, _ in self.bases:
            if kind not in BASES:
                raise unknown_name("basis", kind, BASES)
        found = {tuple(names): getattr(features, BASES[kind])() for kind, names in self.bases}
        if len(found) < len(self.bases):
            raise InvalidParameter("there is at most one basis over the same columns")
        return found


@dataclass(frozen=True, eq=False)
class FrameFeatures:
    """The encoder of a table with named columns."""

    encoder: TableEncoding

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.encoder.columns_)

    @property
    def width(self) -> int:
        return self.encoder.width

    def transform(self, table: Table) -> tuple[Any, tuple[str, ...]]:
        if table.frame is None:
            raise InvalidData(
                "the model was trained on a table with named columns; "
                f"{', '.join(table.sources) or 'the table given'} is a matrix without names"
            )
        try:
            encoded = self.encoder.rows(table.frame)
        except InvalidData as error:
            raise InvalidData(f"{', '.join(table.sources[:3]) or 'the table given'}: {error}") from None
        return encoded.matrix, encoded.notes

    def record(self) -> dict[str, Any]:
        return self.encoder.record()

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> FrameFeatures:
        return cls(TableEncoding.from_record(record))


#: What a model file says of its features → what reads them.
KINDS: dict[str, type[FrameFeatures] | type[MatrixFeatures]] = {"columns": FrameFeatures, "matrix": MatrixFeatures}


def learn_features(table: Table, settings: EncodingSettings) -> tuple[Features, Any, tuple[str, ...]]:
    """From the training table: the features, its rows of numbers, and what should be known."""
    if table.frame is None:
        return MatrixFeatures.of(table), table.matrix, ()
    words = dict(settings.words or {})
    for name in words:
        if name not in Bag.setting_names():
            raise unknown_name("setting of words", name, Bag.setting_names())
    if not table.schema.features:
        raise InvalidData(f"{', '.join(table.sources)}: no column is left to learn from ({_left_out(table)})")
    encoder = TableEncoding(
        table.schema,
        rare=settings.rare,
        unseen=settings.unseen,
        interactions=settings.interactions,
        bases=settings.functions(),
        text=Bag(**words),
    )
    X = encoder.fit_rows(table.frame)
    return FrameFeatures(encoder), X, encoder.notes_


def _left_out(table: Table) -> str:
    """Every column that is no feature, and why."""
    told = [f"{each.name!r} is {each.type.value}: {each.reason or 'as asked'}" for each in table.schema.columns]
    return "; ".join(told[:5]) + ("; …" if len(told) > 5 else "")


def features_record(features: Features) -> dict[str, Any]:
    """With the kind, so that it can be read again."""
    kind = next(name for name, each in KINDS.items() if isinstance(features, each))
    return {"kind": kind, "learnt": features.record()}


def features_from_record(record: Mapping[str, Any]) -> Features:
    kind = KINDS.get(record["kind"])
    if kind is None:
        raise InvalidFile(f"the features of the model are of the kind {record['kind']!r}, not known here")
    return kind.from_record(record["learnt"])
