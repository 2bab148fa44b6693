"""The columns of a `TableEncoder` as scikit-learn's own transformers, for frames of pandas.

    numbers      SimpleImputer with the median, StandardScaler; MissingIndicator
    categories   OneHotEncoder, the rare levels being those that scikit-learn calls infrequent
    booleans     OneHotEncoder over the ways to write true and false
    texts        TfidfVectorizer with the vocabulary and its weights

Each is fitted to a few rows made so that it learns what the encoder has learnt. scikit-learn orders columns in its own
way, so each part comes with a matrix from its columns to the encoder's, which the coefficients go through. Missing
values are filled by methods of pandas. Dates, interactions, bases and hashed texts have no such transformers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from operator import itemgetter
from typing import Any

import numpy as np
from scipy import sparse

from linsep.errors import MissingPackage, Refused
from linsep.features.bag import Bag
from linsep.features.booleans import FALSE, TRUE, BooleanEncoder
from linsep.features.categories import CategoryEncoder
from linsep.features.columns import Encoder
from linsep.features.encoding import TableEncoding
from linsep.features.numbers import NumberEncoder
from linsep.features.text_columns import TextEncoder

#: What stands for a missing value among levels.
ABSENT = "\x00missing"


@dataclass(frozen=True, eq=False)
class Piece:
    """Fitted steps for one column of the table.

    turn   (own columns, columns of the encoder), dense or sparse: the encoder's row is the steps' times this
    whole  the steps want the column itself instead of a table of one column
    """

    steps: tuple[Any, ...]
    turn: Any
    whole: bool = False


def table_union(encoder: TableEncoding) -> tuple[Any, Any]:
    """A fitted FeatureUnion over all columns, and the sparse matrix from its columns to the encoder's."""
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    if encoder.products_ or encoder.bases_:
        raise Refused("interactions and bases are not exported to scikit-learn; train without them")
    parts: list[tuple[str, Any]] = []
    turns: list[Any] = []
    for each in encoder.encoders_:
        for piece in _pieces(each):
            column = FunctionTransformer(itemgetter(each.name if piece.whole else [each.name]))
            parts.append((f"{len(parts)} {each.name}".replace("__", "_"), make_pipeline(column, *piece.steps)))
            turns.append(piece.turn)
    return FeatureUnion(parts), sparse.block_diag(turns, format="csr")


def _pieces(encoder: Encoder) -> list[Piece]:
    found = _PIECES.get(type(encoder))
    if found is None:
        raise Refused(
            f"column {encoder.name!r} is a {encoder.kind.value}, which is not exported to scikit-learn; train without "
            "it, or export the model alone and give it encoded rows"
        )
    return found(encoder)


def _pandas() -> Any:
    try:
        return import_module("pandas")
    except ImportError:
        raise MissingPackage("pipelines of scikit-learn read frames of pandas: pip install pandas") from None


def _frame(name: str, values: list[Any]) -> Any:
    return _pandas().DataFrame({name: values})


def _number(encoder: NumberEncoder) -> list[Piece]:
    from sklearn.impute import MissingIndicator, SimpleImputer
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    one = _frame(encoder.name, [0.0])
    scaler = StandardScaler().fit(np.zeros((1, 1)))
    scaler.mean_, scaler.scale_ = np.array([encoder.mean]), np.array([encoder.deviation])
    scaler.var_ = scaler.scale_**2
    floats = FunctionTransformer(_pandas().DataFrame.astype, kw_args={"dtype": float})
    filled = SimpleImputer(strategy="constant", fill_value=encoder.median).fit(one)
    marked = MissingIndicator(features="all").fit(one)
    pieces = [Piece((floats, filled, scaler), np.ones((1, 1))), Piece((floats, marked), np.ones((1, 1)))]
    return pieces if encoder.missing else pieces[:1]


def _texts_of_levels() -> tuple[Any, ...]:
    """A column of any type as text, ABSENT where it is missing."""
    from sklearn.preprocessing import FunctionTransformer

    frame = _pandas().DataFrame
    return (
        FunctionTransformer(frame.astype, kw_args={"dtype": object}),
        FunctionTransformer(frame.fillna, kw_args={"value": ABSENT}),
        FunctionTransformer(frame.astype, kw_args={"dtype": str}),
    )


def _category(encoder: CategoryEncoder) -> list[Piece]:
    from sklearn.preprocessing import OneHotEncoder

    often = [*encoder.levels, ABSENT]
    unknown = {"error": "error", "zero": "ignore", "rare": "infrequent_if_exist"}[encoder.unseen]
    coder = OneHotEncoder(handle_unknown=unknown, min_frequency=2 if encoder.rare else None)
    coder.fit(_frame(encoder.name, [*often, *often, *encoder.rare]))
    own = [each for each in sorted(often) if each not in encoder.rare] + ["rare"] * bool(encoder.rare)
    places = {level: k for k, level in enumerate(encoder.levels)}
    turn = np.zeros((len(own), len(encoder.levels) + bool(encoder.rare) + encoder.missing))
    for k, level in enumerate(own[: len(often)]):
        if level in places:
            turn[k, places[level]] = 1.0
        elif encoder.missing:
            turn[k, -1] = 1.0
    if encoder.rare:
        turn[-1, len(encoder.levels)] = 1.0
    kept = [j for j in range(turn.shape[1]) if j != encoder.dropped]
    return [Piece((*_texts_of_levels(), coder), turn[:, kept])]


def _boolean(encoder: BooleanEncoder) -> list[Piece]:
    from sklearn.preprocessing import OneHotEncoder

    value = {ABSENT: float(encoder.usual)}
    for words, number in ((TRUE, 1.0), (FALSE, 0.0)):
        value |= {form: number for word in words for form in (word, word.title(), word.upper())}
    spellings = sorted(value)
    coder = OneHotEncoder(categories=[np.array(spellings, dtype=object)])
    coder.fit(_frame(encoder.name, [ABSENT]))
    turn = np.array([[value[each] / encoder.scale, float(each == ABSENT)] for each in spellings])
    return [Piece((*_texts_of_levels(), coder), turn[:, : 1 + encoder.missing])]


def _text(encoder: TextEncoder) -> list[Piece]:
    from sklearn.preprocessing import FunctionTransformer

    bag = encoder.bag
    if bag.buckets_ is not None:
        raise Refused(f"column {encoder.name!r} is a text that was hashed: train with a vocabulary to export it")
    empty = FunctionTransformer(_pandas().Series.fillna, kw_args={"value": ""})
    count = len(bag.document_frequency_)
    pieces = [Piece((empty, vectorizer(bag)), sparse.eye_array(count), whole=True)]
    if encoder.missing:
        frame = _pandas().DataFrame
        marks = FunctionTransformer(frame.isna), FunctionTransformer(frame.astype, kw_args={"dtype": float})
        pieces.append(Piece(marks, np.ones((1, 1))))
    return pieces


def vectorizer(bag: Bag) -> Any:
    """scikit-learn's TfidfVectorizer that gives the same numbers."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    shared = (
        "analyzer",
        "ngram_range",
        "lowercase",
        "binary",
        "use_idf",
        "smooth_idf",
        "sublinear_tf",
        "norm",
        "dtype",
    )
    made = TfidfVectorizer(
        **{name: getattr(bag, name) for name in shared},
        stop_words=bag.stop_words if isinstance(bag.stop_words, str | None) else sorted(bag.stop_words),
        token_pattern=rf"(?u)\b\w{{{bag.shortest},}}\b" if bag.analyzer == "word" else None,
        vocabulary=bag.get_feature_names_out().tolist(),
    )
    made.fit([""])
    if bag.idf_ is not None:
        made.idf_ = bag.idf_
    return made


_PIECES: dict[type[Encoder], Callable[[Any], list[Piece]]] = {
    NumberEncoder: _number,
    CategoryEncoder: _category,
    BooleanEncoder: _boolean,
    TextEncoder: _text,
}
