"""TableEncoder on generated frames and on real tables: scores in the user's units, records, scikit-learn's columns."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from linsep import BagOfWords, LogisticRegression, RadialBasis, TableEncoder
from linsep.tables.schema import Column, ColumnType, Schema
from tests.features import shared
from tests.features.test_encoder import dense
from tests.features.test_text import plain

VALUES = {
    "number": st.none() | st.floats(-1e6, 1e6) | st.integers(-5, 5),
    "category": st.none() | st.sampled_from(["a", "b", "ç", "", "long level"]) | st.text(max_size=3),
    "boolean": st.none() | st.booleans(),
    "date": st.none() | st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "text": st.none() | st.sampled_from(["free prize", "call me", "", "Ünï code"]),
}
DTYPES = {"number": pl.Float64, "category": pl.String, "boolean": pl.Boolean, "date": pl.Datetime, "text": pl.String}
SCHEMA = Schema(tuple(Column(name, ColumnType.named(name)) for name in VALUES), 0)


@st.composite
def frames(draw: st.DrawFn, least: int = 1) -> pl.DataFrame:
    n = draw(st.integers(least, 12))
    columns = {name: draw(st.lists(values, min_size=n, max_size=n)) for name, values in VALUES.items()}
    columns["number"] = [None if value is None else float(value) for value in columns["number"]]
    columns["text"][0] = "at least one word"
    return pl.DataFrame({name: pl.Series(values, dtype=DTYPES[name]) for name, values in columns.items()})


OPTIONS: list[dict[str, Any]] = [
    {},
    {"rare": 2, "reference": True, "text": BagOfWords(buckets=20)},
    {"interactions": [("number", "category", "date")], "bases": {"number": RadialBasis(2)}},
]


@settings(max_examples=25, deadline=None)
@given(frames(), frames(), st.sampled_from(OPTIONS), st.integers(0, 1000))
def test_any_table(train: pl.DataFrame, new: pl.DataFrame, options: dict[str, Any], seed: int) -> None:
    encoder = TableEncoder(SCHEMA, **options)
    design = encoder.fit_transform(train)
    assert sparse.issparse(design) == encoder.sparse_
    assert (dense(design) == dense(encoder.transform(train))).all()
    encoded, raw = encoder.encode(new), encoder.encode(new, scaled=False)
    X, U = dense(encoded.matrix), dense(raw.matrix)
    assert np.isfinite(X).all()
    assert X.shape == (new.height, len(encoder.columns_))
    names = encoder.get_feature_names_out()
    assert len(set(names)) == len(names) == X.shape[1]
    # the same scores in the user's units
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=(3, X.shape[1])), rng.normal(size=3)
    v, c = encoder.in_units(w, b)
    size = np.abs(U) @ np.abs(v).T + np.abs(c) + np.abs(X) @ np.abs(w).T
    assert (np.abs(X @ w.T + b - U @ v.T - c) <= 1e-12 * (1.0 + size)).all()
    # a row is encoded as if it were alone
    one = dense(encoder.transform(new[-1:]))
    assert (one[0] == X[-1]).all()
    # a record holds all of it
    json.dumps(plain(encoder.record()))
    again = TableEncoder.from_record(encoder.record())
    assert again.columns_ == encoder.columns_
    assert again.encode(new).notes == encoded.notes
    assert dense(again.transform(new)).tobytes() == X.tobytes()
    assert plain(again.record()) == plain(encoder.record())


def of_scikit_learn(frame: pl.DataFrame, rare: int) -> tuple[np.ndarray, list[str], list[str]]:
    numbers = [c for c in frame.columns if frame[c].dtype.is_numeric()]
    levels = [c for c in frame.columns if frame[c].dtype == pl.String]
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    one_hot = OneHotEncoder(min_frequency=rare, handle_unknown="infrequent_if_exist", sparse_output=False)
    both = make_column_transformer((scaled, numbers), (one_hot, levels))
    return both.fit_transform(frame.to_pandas()), numbers, levels


@pytest.mark.parametrize("name", shared.TABLES)
def test_the_columns_of_scikit_learn(name: str) -> None:
    frame, _ = shared.table(name)
    frame = frame.select(pl.col(pl.Float64, pl.Int64), pl.col(pl.String).fill_null("none"))
    expected, numbers, levels = of_scikit_learn(frame, 20)
    schema = Schema(
        tuple(Column(c, ColumnType.NUMBER if c in numbers else ColumnType.CATEGORY) for c in [*numbers, *levels])
    )
    encoder = TableEncoder(schema, rare=20).fit(frame)
    ours = dense(encoder.transform(frame))[:, [c.kind != "missing" for c in encoder.columns_]]
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours, expected, atol=1e-9)


@pytest.mark.parametrize("name", shared.TABLES)
def test_a_model_in_the_user_s_units(name: str) -> None:
    """From a table to coefficients a unit: the scores are those of the fitted model."""
    frame, y = shared.table(name)
    encoder = TableEncoder()
    X = encoder.fit_transform(frame)
    model = LogisticRegression(alpha=1e-3).fit(X, y.to_numpy())
    w, b = encoder.in_units(model.coef_, model.intercept_)
    scores = dense(encoder.encode(frame.head(500), scaled=False).matrix) @ w[0] + b[0]
    np.testing.assert_allclose(scores, model.decision_function(X[:500]), rtol=1e-9, atol=1e-9)
    again = TableEncoder.from_record(encoder.record())
    assert abs(again.transform(frame.head(500)) - X[:500]).max() == 0.0


def test_flights() -> None:
    frame = pl.read_parquet(shared.path_of("flights_3m.parquet")).head(50_000).drop("delay")
    encoder = TableEncoder().fit(frame)
    X = encoder.transform(frame)
    assert sparse.issparse(X)
    hours = [j for j, c in enumerate(encoder.columns_) if c.name.startswith("date: hour=")]
    assert X[:, hours].sum() == len(frame.to_series())
    assert {c.source for c in encoder.columns_} == {"date", "distance", "origin", "destination"}


def test_texts_of_real_tables() -> None:
    for texts in (shared.sms()[:500], shared.banking()[:500]):
        encoder = TableEncoder().fit({"text": texts})
        assert [c.type for c in encoder.schema_.columns] == [ColumnType.TEXT]
        assert (encoder.transform({"text": texts}) != BagOfWords().fit_transform(texts)).nnz == 0
