"""ONNX graphs over raw tables, run by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from linsep import LogisticRegression, TableEncoder
from linsep.errors import InvalidData, Refused
from linsep.export import to_onnx
from tests.export.test_sql_table import table

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

COLUMNS = ['a "ge"', "count", "it's a city", "zone", "member"]


def run(model: Any, encoder: TableEncoder, rows: pl.DataFrame) -> dict[str, Any]:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(to_onnx(model, columns=encoder).SerializeToString(), options)
    given = {}
    for wanted in session.get_inputs():
        column = rows[wanted.name]
        texts = wanted.type == "tensor(string)"
        column = column.cast(pl.String).fill_null("") if texts else column.cast(pl.Float64).fill_null(float("nan"))
        given[wanted.name] = np.array(column.to_list(), dtype=object if texts else np.float64)[:, None]
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("unseen", ["rare", "zero"])
@pytest.mark.parametrize("reference", [True, False])
def test_same_answers(missing: bool, unseen: str, reference: bool) -> None:
    train, test = table(300, 0, missing=missing)[COLUMNS], table(200, 1)
    strange = pl.when(pl.col("id") % 7 == 0).then(pl.lit("Nowhere")).otherwise(pl.col("it's a city"))
    test = test.with_columns(strange.alias("it's a city"))[COLUMNS]
    encoder = TableEncoder(rare=30, unseen=unseen, reference=reference).fit(train)
    y = np.where(np.random.default_rng(5).random(len(train)) < 0.4, "yes", "no")
    model = LogisticRegression(alpha=1e-3).fit(encoder.transform(train), y)
    found, design = run(model, encoder, test), encoder.transform(test)
    np.testing.assert_allclose(found["scores"], model.decision_function(design), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(design), atol=1e-9)
    np.testing.assert_array_equal(found["label"], model.predict(design))


def test_refusals() -> None:
    rows = table(100, 0)
    y = [0, 1] * 50
    for encoder, said in (
        (TableEncoder(), "'day' is a date"),
        (TableEncoder(interactions=[("count", "member")]), "interactions"),
    ):
        model = LogisticRegression(alpha=1e-2).fit(encoder.fit_transform(rows.drop("id")), y)
        with pytest.raises(Refused, match=said):
            to_onnx(model, columns=encoder)
    with pytest.raises(InvalidData, match="2 columns, the model"):
        to_onnx(model, columns=TableEncoder().fit({"x": [1.0, None, 2.0]}))
