"""A model as SQL: rows are scored where they are, by any database that has double precision, EXP, LN and GREATEST.

The computation is a list of layers. A layer names some expressions, which may use the names of the layers before it;
the first uses the columns of the table:

    s0 = b₀ + w₀₁·x₁ + …     →     top = GREATEST(s0, s1, …)     →     label = CASE WHEN s0 = top THEN 'a' … END

NULL in a column that has a weight makes score, label and probabilities NULL. A weight of 0 leaves its column out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from linsep.errors import InvalidData, InvalidParameter, unknown_name
from linsep.export.scoring import Scoring, encoder_of, read_scoring
from linsep.export.sql_text import identifier, joined, label, number
from linsep.export.table_columns import TableColumns
from linsep.features.encoding import TableEncoding

Layer = dict[str, str]

_FAR = "7e2"  # e^−700 is the smallest that is still far from underflow, which some databases refuse
_INNER = "linsep_"


@runtime_checkable
class SqlColumns(Protocol):
    """Gives an expression for every feature of a model: what an encoder of tables has to offer to be exported."""

    def sql(self) -> Sequence[str]:
        """In the order of the model's features, each of type DOUBLE PRECISION over the columns of the table."""


@dataclass(frozen=True)
class Sql:
    """The layers of the computation; `outputs` are the names that people want, with their expressions."""

    layers: tuple[Layer, ...]
    outputs: Layer

    def expression(self, output: str = "label") -> str:
        """One of the outputs as a single expression over the columns of a table: SELECT id, … FROM t."""
        if output not in self.outputs:
            raise unknown_name("output", output, self.outputs)
        return f"(SELECT {self.outputs[output]} FROM {self._nested('')})"

    def query(self, table: str | tuple[str, ...], keep: Sequence[str] = ()) -> str:
        """A SELECT of all outputs for every row, beside the columns to keep; table: a name, or (schema, name)."""
        clash = next((name for name in keep if name in self.outputs or name.startswith(_INNER)), None)
        if clash is not None:
            raise InvalidParameter(f"keep={clash!r} is also the name of an output; rename the column in a view first")
        parts = (table,) if isinstance(table, str) else table
        source = " FROM " + ".".join(map(identifier, parts))
        kept = [identifier(name) for name in keep]
        shown = [*kept, *(f"{expression} AS {identifier(name)}" for name, expression in self.outputs.items())]
        return f"SELECT {', '.join(shown)} FROM {self._nested(source, kept)}"

    def _nested(self, source: str, kept: Sequence[str] = ()) -> str:
        """The layers inside each other, the first of them reading from the source."""
        inner, before = source, list(kept)
        for depth, layer in enumerate(self.layers):
            shown = [*before, *(f"{expression} AS {name}" for name, expression in layer.items())]
            inner = f"(SELECT {', '.join(shown)}{inner}) AS {_INNER}{depth}"
            before += layer
            if depth < len(self.layers) - 1:
                inner = " FROM " + inner
        return inner


def to_sql(model: Any, columns: Sequence[str] | TableEncoding | SqlColumns | None = None) -> Sql:
    """The model as SQL.

    columns: the table's columns in the order of the features, by default the names that the model was fitted with (of a
    model file of the command line its own encoder, for the raw table); or
    the `TableEncoder` that made the features, so that the raw table is scored; or an object with a method `sql()`,
    which gives an expression for each feature (`SqlColumns`).

    >>> import numpy as np
    >>> from linsep import LeastSquaresClassifier
    >>> X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), ["no", "no", "yes", "yes"]
    >>> model = LeastSquaresClassifier(alpha=0.0).fit(X, y)
    >>> print(to_sql(model, ["size"]).outputs["label"])
    CASE WHEN linsep_s0 IS NULL THEN NULL WHEN linsep_s0 > 0 THEN 'yes' ELSE 'no' END
    """
    scoring = read_scoring(model)
    if columns is None and (encoder := encoder_of(model)) is not None:
        columns = TableColumns(encoder, as_files=True)
    features = _features(scoring, columns)
    layers: list[Layer] = [_scores(scoring, features)]
    classes = _DECIDE[scoring.decide](scoring, layers)
    probabilities = _LINKS[scoring.link](scoring, layers)
    outputs = {"label": _label(scoring, layers, classes) if scoring.cut is None else _by_cost(scoring, probabilities)}
    names = [str(name) for name in scoring.classes.tolist()]
    if scoring.decide == "margin":
        outputs["score"] = classes[0]
    else:
        outputs |= {f"score_{name}": score for name, score in zip(names, classes, strict=True)}
    outputs |= {f"probability_{name}": p for name, p in zip(names, probabilities, strict=False)}
    return Sql(tuple(layers), outputs)


def _features(scoring: Scoring, columns: Sequence[str] | TableEncoding | SqlColumns | None) -> Sequence[str]:
    d = len(scoring.w) - 1
    if isinstance(columns, TableEncoding):
        columns = TableColumns(columns)
    if isinstance(columns, SqlColumns):
        features = columns.sql()
    else:
        given = scoring.names if columns is None else columns
        if given is None:
            raise InvalidParameter(f"the features of this model have no names; give columns, a list of {d} names")
        features = [f"CAST({identifier(name)} AS DOUBLE PRECISION)" for name in given]
    if len(features) != d:
        raise InvalidData(f"{len(features)} columns were given for the {d} features of the model")
    return features


def _scores(scoring: Scoring, features: Sequence[str]) -> Layer:
    """b + Σ w x, a line a column of w."""
    layer = {}
    for j, (b, w) in enumerate(zip(scoring.intercept, scoring.coef, strict=True)):
        terms = [f"{number(weight)} * {feature}" for weight, feature in zip(w, features, strict=True) if weight != 0.0]
        layer[f"{_INNER}s{j}"] = joined([number(b), *terms], "+")
    return layer


# -- from scores to class scores and label ------------------------------------------------------------------


def _as_they_are(scoring: Scoring, layers: list[Layer]) -> list[str]:
    return list(layers[0])


def _sums(scoring: Scoring, layers: list[Layer], prefix: str = "c") -> list[str]:
    """Of each class, what its pairs say for and against it."""
    layer = {}
    for k, side in enumerate(scoring.sides.T):
        signed = [score if sign > 0 else f"-{score}" for sign, score in zip(side, layers[0], strict=True) if sign]
        layer[f"{_INNER}{prefix}{k}"] = joined(signed, "+")
    layers.append(layer)
    return list(layer)


def _votes(scoring: Scoring, layers: list[Layer]) -> list[str]:
    """Votes, and the sums squeezed into (−1/4, 1/4)."""
    sums, layer = _sums(scoring, layers, "t"), {}
    for k, (side, total) in enumerate(zip(scoring.sides.T, sums, strict=True)):
        won = [
            f"CASE WHEN {score} {'>' if sign > 0 else '<='} 0 THEN 1e0 ELSE 0e0 END"
            for sign, score in zip(side, layers[0], strict=True)
            if sign
        ]
        layer[f"{_INNER}c{k}"] = f"{joined(won, '+')} + {total} / (4e0 * (ABS({total}) + 1e0))"
    layers.append(layer)
    return list(layer)


_DECIDE: dict[str, Callable[[Scoring, list[Layer]], list[str]]] = {
    "margin": _as_they_are,
    "largest": _as_they_are,
    "sums": _sums,
    "votes": _votes,
}


def _label(scoring: Scoring, layers: list[Layer], classes: list[str]) -> str:
    names = [label(name) for name in scoring.classes]
    missing = f"CASE WHEN {joined([f'{score} IS NULL' for score in classes], 'OR')} THEN NULL"
    if scoring.decide == "margin":
        return f"{missing} WHEN {classes[0]} > 0 THEN {names[1]} ELSE {names[0]} END"
    top = f"{_INNER}top"
    layers.append({top: f"GREATEST({', '.join(classes)})"})
    cases = " ".join(f"WHEN {score} = {top} THEN {name}" for score, name in zip(classes, names, strict=True))
    return f"{missing} {cases} END"


def _by_cost(scoring: Scoring, probabilities: list[str]) -> str:
    """The class whose probability is more than what costs ask for, else the other."""
    assert scoring.cut is not None
    k, threshold = scoring.cut
    names, p = [label(name) for name in scoring.classes], probabilities[k]
    return f"CASE WHEN {p} IS NULL THEN NULL WHEN {p} > {number(threshold)} THEN {names[k]} ELSE {names[1 - k]} END"


# -- probabilities ------------------------------------------------------------------------------------------


def _no_probabilities(scoring: Scoring, layers: list[Layer]) -> list[str]:
    return []


def _logistic(scoring: Scoring, layers: list[Layer], odds: str | None = None) -> list[str]:
    """σ(z) by e^−|z|, which never overflows."""
    z, e = f"{_INNER}z", f"{_INNER}e"
    given = odds or f"{number(scoring.scale)} * {next(iter(layers[0]))}"
    layers.append({z: f"{given} - {number(scoring.tilt)}" if scoring.tilt else given})
    layers.append({e: f"EXP(-LEAST(ABS({z}), {_FAR}))"})
    small, large = f"{e} / (1e0 + {e})", f"1e0 / (1e0 + {e})"
    return [f"CASE WHEN {z} IS NULL THEN NULL WHEN {z} {sign} 0 THEN {large} ELSE {small} END" for sign in ("<=", ">")]


def _softmax(scoring: Scoring, layers: list[Layer], logits: list[str] | None = None) -> list[str]:
    """e^{s − largest}, divided by their sum."""
    given, most = logits or list(layers[0]), f"{_INNER}most"
    if scoring.shift.any():
        shifted = {
            f"{_INNER}h{k}": f"{s} - {number(by)}" for k, (s, by) in enumerate(zip(given, scoring.shift, strict=True))
        }
        layers.append(shifted)
        given = list(shifted)
    layers.append({most: f"GREATEST({', '.join(given)})"})
    powers = {f"{_INNER}e{k}": f"EXP(GREATEST({s} - {most}, -{_FAR}))" for k, s in enumerate(given)}
    layers.append(powers)
    total = f"{_INNER}total"
    # the sum of the scores is NULL where one of them is, which GREATEST may hide
    layers.append({total: f"{joined(list(powers), '+')} + 0e0 * ({joined(given, '+')})"})
    return [f"{power} / {total}" for power in powers]


def _normalised(scoring: Scoring, layers: list[Layer]) -> list[str]:
    """softmax of ln σ(z)."""
    scaled = {f"{_INNER}z{k}": f"{number(scoring.scale)} * {s}" for k, s in enumerate(layers[0])}
    layers.append(scaled)
    logs = {
        f"{_INNER}l{k}": f"LEAST({z}, 0e0) - LN(1e0 + EXP(-LEAST(ABS({z}), {_FAR}))) + 0e0 * {z}"
        for k, z in enumerate(scaled)
    }
    layers.append(logs)
    return _softmax(scoring, layers, list(logs))


def _calibrated(scoring: Scoring, layers: list[Layer]) -> list[str]:
    """σ or softmax of g."""
    bent = {f"{_INNER}g{k}": _bent(scoring, s) for k, s in enumerate(layers[0])}
    layers.append(bent)
    return _logistic(scoring, layers, *bent) if len(bent) == 1 else _softmax(scoring, layers, list(bent))


def _bent(scoring: Scoring, score: str) -> str:
    """g(score); NULL where the score is, which LEAST and GREATEST may hide."""
    terms = []
    for slope, low, high, at_zero in scoring.pieces():
        above = f"GREATEST({score}, {number(low)})" if isfinite(low) else score
        within = f"LEAST({above}, {number(high)})" if isfinite(high) else above
        terms.append(f"{number(slope)} * ({within} - {number(at_zero)})")
    return f"{joined(terms, '+')} + 0e0 * {score}"


_LINKS: dict[str, Callable[[Scoring, list[Layer]], list[str]]] = {
    "none": _no_probabilities,
    "logistic": _logistic,
    "softmax": _softmax,
    "normalised": _normalised,
    "calibrated": _calibrated,
}
