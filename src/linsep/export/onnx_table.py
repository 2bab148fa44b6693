"""The features of a `TableEncoder` as nodes of an ONNX graph, with an input for every column of the raw table.

    numbers      NaN becomes the median; the column that marks it
    categories   text → number of its column (LabelEncoder), then 1 in that column
    booleans     1 and 0; NaN becomes the usual value

each (value − centre) / scale. A category whose encoder refuses unseen levels has none set: a graph cannot refuse.
Dates, texts, interactions and bases have no nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linsep.errors import Refused
from linsep.export.onnx_nodes import Graph
from linsep.features.booleans import BooleanEncoder
from linsep.features.categories import CategoryEncoder
from linsep.features.columns import Encoder
from linsep.features.encoding import TableEncoding
from linsep.features.numbers import NumberEncoder

_NONE = -1


def table_features(graph: Graph, encoder: TableEncoding, element: str) -> tuple[list[Any], str]:
    """An input a column, and the name of the design (n, d)."""
    if encoder.products_ or encoder.bases_:
        raise Refused("the encoder has interactions or bases, which the ONNX graph does not have; train without them")
    inputs, blocks = [], []
    for each in encoder.encoders_:
        found = _BLOCKS.get(type(each))
        if found is None:
            raise Refused(
                f"column {each.name!r} is a {each.kind.value}, which the ONNX graph does not read; train without it, "
                "or export the model alone and give the graph encoded rows"
            )
        kind = "STRING" if isinstance(each, CategoryEncoder) else element
        inputs.append(graph.input(each.name, kind, 1))
        blocks.append(found(graph, each, element))
    values = graph("Concat", *blocks, axis=1)
    centre, scale = (np.array([[getattr(c, name) for c in encoder.columns_]]) for name in ("centre", "scale"))
    return inputs, graph("Div", graph("Sub", values, graph.constant(centre)), graph.constant(scale))


def _number(graph: Graph, encoder: NumberEncoder, element: str) -> str:
    return _filled(graph, graph.as_double(encoder.name, element), encoder.median, encoder.missing)


def _boolean(graph: Graph, encoder: BooleanEncoder, element: str) -> str:
    return _filled(graph, graph.as_double(encoder.name, element), float(encoder.usual), encoder.missing)


def _filled(graph: Graph, value: str, filling: float, missing: bool) -> str:
    absent = graph("IsNaN", value)
    filled = graph("Where", absent, graph.number(filling), value)
    if not missing:
        return filled
    return graph("Concat", filled, graph("Cast", absent, to=graph.onnx.TensorProto.DOUBLE), axis=1)


def _category(graph: Graph, encoder: CategoryEncoder, element: str) -> str:
    """The column that each known text belongs to, then a one in it."""
    pool = len(encoder.levels)
    code_of = {level: k for k, level in enumerate(encoder.levels)} | dict.fromkeys(encoder.rare, pool)
    last = pool + bool(encoder.rare)
    code_of.setdefault("", last if encoder.missing else _NONE)
    default = pool if encoder.rare and encoder.unseen == "rare" else _NONE
    codes = graph(
        "LabelEncoder",
        encoder.name,
        domain="ai.onnx.ml",
        keys_strings=list(code_of),
        values_int64s=list(code_of.values()),
        default_int64=default,
    )
    kept = [k for k in range(last + encoder.missing) if k != encoder.dropped]
    same = graph("Equal", codes, graph.constant(np.array([kept], dtype=np.int64)))
    return graph("Cast", same, to=graph.onnx.TensorProto.DOUBLE)


_BLOCKS: dict[type[Encoder], Callable[[Graph, Any, str], str]] = {
    NumberEncoder: _number,
    CategoryEncoder: _category,
    BooleanEncoder: _boolean,
}
