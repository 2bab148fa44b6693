"""Pipelines of scikit-learn over raw tables, with nothing of linsep in them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from linsep import BagOfWords, LogisticRegression, TableEncoder
from linsep.errors import InvalidData, Refused
from linsep.export import to_sklearn
from tests.export.test_sql_table import table

COLUMNS = ['a "ge"', "count", "it's a city", "zone", "member"]


def fitted(train: pl.DataFrame, encoder: TableEncoder) -> Any:
    labels = np.where(np.arange(train.height) % 3 == 0, "yes", "no")
    return LogisticRegression(alpha=1e-3).fit(encoder.fit_transform(train), labels)


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("unseen", ["rare", "zero"])
@pytest.mark.parametrize("reference", [True, False])
def test_same_answers(missing: bool, unseen: str, reference: bool) -> None:
    train, test = table(300, 0, missing=missing)[COLUMNS], table(200, 1)[COLUMNS]
    encoder = TableEncoder(rare=30, unseen=unseen, reference=reference)
    model = fitted(train, encoder)
    pipeline, rows = to_sklearn(model, encoder), encoder.transform(test)
    np.testing.assert_allclose(pipeline.predict_proba(test.to_pandas()), model.predict_proba(rows), atol=1e-12)
    np.testing.assert_array_equal(pipeline.predict(test.to_pandas()), model.predict(rows))


def test_booleans_however_written() -> None:
    train = pl.DataFrame({"flag": ["yes", "no", None, "NO", "Yes", "no"] * 10, "x": np.arange(60.0)})
    encoder = TableEncoder(schema=None)
    encoder.fit(train.with_columns(flag=pl.col("flag").str.to_lowercase() == "yes"))
    model = fitted(train.with_columns(flag=pl.col("flag").str.to_lowercase() == "yes"), encoder)
    rows = train.with_columns(flag=pl.Series(["true", "FALSE", None, "1", "off", "Y"] * 10))
    pipeline = to_sklearn(model, encoder)
    np.testing.assert_allclose(pipeline.predict_proba(rows.to_pandas()), model.predict_proba(encoder.transform(rows)))
    with pytest.raises(ValueError, match="unknown categor"):
        pipeline.predict(rows.with_columns(flag=pl.lit("perhaps")).to_pandas())


@pytest.mark.parametrize(
    "bag",
    [
        BagOfWords(),
        BagOfWords(ngram_range=(1, 2), sublinear_tf=True, shortest=1, stop_words=("the",)),
        BagOfWords(use_idf=False, norm=None, binary=True),
        BagOfWords(analyzer="char_wb", ngram_range=(2, 3), norm="l1"),
    ],
)
def test_texts(bag: BagOfWords) -> None:
    texts = ["the Prize is free", None, "call me a cab", "free CALL, free prize ünïcode", "a b c"] * 8
    train = pl.DataFrame({"message": texts, "length": np.arange(40.0)})
    encoder = TableEncoder(schema=None, text=bag)
    from linsep.tables import Column, ColumnType, Schema

    encoder.set_params(schema=Schema((Column("message", ColumnType.TEXT), Column("length", ColumnType.NUMBER)), 40))
    model = fitted(train, encoder)
    new = pl.DataFrame({"length": [1.0, 2.0, None], "message": ["FREE the new words a", None, ""]})
    found = to_sklearn(model, encoder).predict_proba(new.to_pandas())
    np.testing.assert_allclose(found, model.predict_proba(encoder.transform(new)), atol=1e-12)


def test_unseen_levels_may_be_errors() -> None:
    train = pl.DataFrame({"city": ["Rome", "Oslo", "Rome"] * 20})
    encoder = TableEncoder(rare=1, unseen="error")
    pipeline = to_sklearn(fitted(train, encoder), encoder)
    with pytest.raises(ValueError, match="unknown categor"):
        pipeline.predict(pl.DataFrame({"city": ["Paris"]}).to_pandas())


def test_it_runs_where_linsep_is_not_installed(tmp_path: Path) -> None:
    train = table(300, 0, missing=True)[COLUMNS]
    encoder = TableEncoder(rare=30)
    model = fitted(train, encoder)
    file, rows = tmp_path / "pipeline.pickle", tmp_path / "rows.pickle"
    file.write_bytes(pickle.dumps(to_sklearn(model, encoder)))
    rows.write_bytes(pickle.dumps(train.head(20).to_pandas()))
    code = (
        "import pickle, sys; sys.modules['linsep'] = None; "
        f"pipeline, rows = (pickle.load(open(name, 'rb')) for name in ({str(file)!r}, {str(rows)!r})); "
        "print(*pipeline.predict(rows))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == model.predict(encoder.transform(train.head(20))).tolist()


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        (TableEncoder(), "'day' is a date"),
        (TableEncoder(interactions=[("count", "member")]), "interactions"),
    ],
)
def test_refusals(encoder: TableEncoder, words: str) -> None:
    train = table(60, 0)
    train = train if "date" in words else train[COLUMNS]
    model = fitted(train, encoder)
    with pytest.raises(Refused, match=words):
        to_sklearn(model, encoder)
    with pytest.raises(InvalidData, match="features"):
        to_sklearn(model, TableEncoder().fit({"x": [1.0, None, 2.0]}))
