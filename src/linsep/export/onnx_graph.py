"""A model as an ONNX graph of basic operators in double precision.

    X (n, d)  →  label (n,),  probabilities (n, K) where the model gives them,  scores: (n,) or (n, K)

ONNX's own operator LinearClassifier knows only float32, whose rounding changes scores in the seventh digit; products
and sums of double precision do not.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.export.onnx_nodes import Graph, find_onnx
from linsep.export.onnx_table import table_features
from linsep.export.scoring import Array, Scoring, encoder_of, read_scoring
from linsep.features.encoding import TableEncoding

_ELEMENTS = {"float64": "DOUBLE", "float32": "FLOAT"}


def to_onnx(model: Any, dtype: str = "float64", columns: TableEncoding | None = None) -> Any:
    """The model as an `onnx.ModelProto`; write `.SerializeToString()` to a file.

    dtype: of the input X, "float64" or "float32"; whatever comes in, the graph computes in double precision. Labels are
    strings, int64, double or bool, as the classes are; those of other types become strings.

    columns: the `TableEncoder` that made the features. Instead of X the graph then has an input (n, 1) for every column
    of the table: numbers and booleans (1 and 0) with NaN for missing, categories as strings, "" for missing.
    """
    if dtype not in _ELEMENTS:
        raise InvalidParameter(f"dtype={dtype!r}: allowed are 'float64' and 'float32'")
    graph, scoring = Graph(find_onnx()), read_scoring(model)
    inputs, X = _features(graph, scoring, _ELEMENTS[dtype], encoder_of(model) if columns is None else columns)
    W, b = graph.constant(np.ascontiguousarray(scoring.w[:-1])), graph.constant(scoring.intercept.copy())
    scores = graph("Add", graph("MatMul", X, W), b)
    classes = _DECIDE[scoring.decide](graph, scoring, scores)
    labels = _labels(scoring.classes)
    probabilities = "" if scoring.link == "none" else _LINKS[scoring.link](graph, scoring, scores)
    number = _number(graph, scoring, classes) if scoring.cut is None else _by_cost(graph, scoring, probabilities)
    chosen = graph("Gather", graph.constant(labels), number, axis=0)
    outputs = [graph.output("label", chosen, labels.dtype, [None])]
    if probabilities:
        outputs.append(graph.output("probabilities", probabilities, np.dtype(float), [None, len(scoring.classes)]))
    one = scoring.decide == "margin"
    shown = graph("Reshape", classes, graph.constant(np.array([-1]))) if one else classes
    outputs.append(graph.output("scores", shown, np.dtype(float), [None] if one else [None, len(scoring.classes)]))
    return graph.model(inputs, outputs)


def _features(graph: Graph, scoring: Scoring, element: str, columns: TableEncoding | None) -> tuple[list[Any], str]:
    """The inputs of the graph, and the name of the features (n, d) in double precision."""
    d = len(scoring.w) - 1
    if columns is None:
        return [graph.input("X", element, d)], graph.as_double("X", element)
    if len(columns.columns_) != d:
        raise InvalidData(f"the encoder has {len(columns.columns_)} columns, the model {d} features")
    return table_features(graph, columns, element)


# -- from scores to class scores and label ------------------------------------------------------------------


def _as_they_are(graph: Graph, scoring: Scoring, scores: str) -> str:
    return scores


def _sums(graph: Graph, scoring: Scoring, scores: str) -> str:
    return graph("MatMul", scores, graph.constant(scoring.sides))


def _votes(graph: Graph, scoring: Scoring, scores: str) -> str:
    """(Σ ±1 + K − 1) / 2 votes, and the sums squeezed into (−1/4, 1/4)."""
    one, minus = graph.number(1.0), graph.number(-1.0)
    signs = graph("Where", graph("Greater", scores, graph.number(0.0)), one, minus)
    balance = graph("MatMul", signs, graph.constant(scoring.sides))
    votes = graph("Mul", graph("Add", balance, graph.number(len(scoring.classes) - 1.0)), graph.number(0.5))
    sums = _sums(graph, scoring, scores)
    squeezed = graph("Div", sums, graph("Mul", graph("Add", graph("Abs", sums), one), graph.number(4.0)))
    return graph("Add", votes, squeezed)


_DECIDE: dict[str, Callable[[Graph, Scoring, str], str]] = {
    "margin": _as_they_are,
    "largest": _as_they_are,
    "sums": _sums,
    "votes": _votes,
}


def _number(graph: Graph, scoring: Scoring, classes: str) -> str:
    """Of the class that is chosen."""
    if scoring.decide == "margin":
        positive = graph("Reshape", graph("Greater", classes, graph.number(0.0)), graph.constant(np.array([-1])))
        return graph("Cast", positive, to=graph.onnx.TensorProto.INT64)
    return graph("ArgMax", classes, axis=1, keepdims=0)


def _by_cost(graph: Graph, scoring: Scoring, probabilities: str) -> str:
    """Of the class whose probability is more than what costs ask for, else of the other."""
    assert scoring.cut is not None
    k, threshold = scoring.cut
    own = graph("Gather", probabilities, graph.constant(np.array(k)), axis=1)
    taken = graph("Greater", own, graph.number(threshold))
    return graph("Where", taken, graph.constant(np.array(k)), graph.constant(np.array(1 - k)))


def _labels(classes: Array) -> Array:
    """The classes as an array that ONNX can hold: strings as objects, whole numbers as int64."""
    values = classes.tolist()
    for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if all(type(value) is kind for value in values) and classes.dtype.kind not in "mM":
            try:
                return np.array(values, dtype=dtype)
            except OverflowError:
                break
    return np.array([str(value) for value in classes], dtype=object)


# -- probabilities ------------------------------------------------------------------------------------------


def _logistic(graph: Graph, scoring: Scoring, scores: str, odds: str | None = None) -> str:
    """σ(−z) and σ(z)."""
    z = odds or graph("Mul", scores, graph.number(scoring.scale))
    z = graph("Sub", z, graph.number(scoring.tilt)) if scoring.tilt else z
    return graph("Sigmoid", graph("Mul", z, graph.constant(np.array([[-1.0, 1.0]]))))


def _softmax(graph: Graph, scoring: Scoring, scores: str) -> str:
    shifted = graph("Sub", scores, graph.constant(scoring.shift[None])) if scoring.shift.any() else scores
    return graph("Softmax", shifted, axis=1)


def _normalised(graph: Graph, scoring: Scoring, scores: str) -> str:
    """softmax of ln σ(z) = min(z, 0) − ln(1 + e^−|z|)."""
    z = graph("Mul", scores, graph.number(scoring.scale))
    small = graph("Exp", graph("Neg", graph("Abs", z)))
    logs = graph("Sub", graph("Min", z, graph.number(0.0)), graph("Log", graph("Add", small, graph.number(1.0))))
    return _softmax(graph, scoring, logs)


def _calibrated(graph: Graph, scoring: Scoring, scores: str) -> str:
    """σ or softmax of g(scores)."""
    terms = []
    for slope, low, high, at_zero in scoring.pieces():
        cut = graph("Max", scores, graph.number(low)) if isfinite(low) else scores
        cut = graph("Min", cut, graph.number(high)) if isfinite(high) else cut
        terms.append(graph("Mul", graph("Sub", cut, graph.number(at_zero)), graph.number(slope)))
    bent = graph("Sum", *terms)
    return _logistic(graph, scoring, scores, bent) if scoring.decide == "margin" else _softmax(graph, scoring, bent)


_LINKS: dict[str, Callable[[Graph, Scoring, str], str]] = {
    "logistic": _logistic,
    "softmax": _softmax,
    "normalised": _normalised,
    "calibrated": _calibrated,
}
