"""SQL over raw tables, by the columns of a TableEncoder, run by DuckDB."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from linsep import BagOfWords, LogisticRegression, RadialBasis, TableEncoder
from linsep.errors import Refused
from linsep.export import to_sql
from linsep.export.table_columns import ISO
from linsep.tables.schema import Column, ColumnType, Schema

duckdb = pytest.importorskip("duckdb")


def table(rows: int, seed: int, *, missing: bool = True) -> pl.DataFrame:
    random = np.random.default_rng(seed)

    def holes(values: list[Any]) -> list[Any]:
        return [None if missing and random.random() < 0.1 else value for value in values]

    days = [date(2020, 1, 1) + timedelta(days=int(k)) for k in random.integers(0, 900, rows)]
    times = [datetime(2021, 3, 1) + timedelta(minutes=int(k)) for k in random.integers(0, 90_000, rows)]
    return pl.DataFrame(
        {
            "id": range(rows),
            'a "ge"': holes(random.normal(40, 9, rows).round(1).tolist()),
            "count": holes(random.integers(0, 9, rows).tolist()),
            "it's a city": holes(random.choice(["Rome", "O'slo", 'a"b', "Łódź", "rare1", "rare2"], rows).tolist()),
            "zone": holes(random.choice([1, 2, 30], rows).tolist()),
            "member": holes(random.choice([True, False], rows).tolist()),
            "day": holes(days),
            "moment": holes(times),
        },
        schema_overrides={"zone": pl.Int64},
    )


def scored(encoder: TableEncoder, train: pl.DataFrame, test: pl.DataFrame) -> None:
    """The model scores the test rows in the database as it does here."""
    features = train.drop("id")
    y = np.where(np.random.default_rng(5).random(len(train)) < 0.4, "yes", "no")
    encoder.fit(features)
    model = LogisticRegression(alpha=1e-3).fit(encoder.transform(features), y).model_
    design = encoder.transform(test.drop("id"))
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", test.to_arrow())
    found = connection.execute(to_sql(model, encoder).query("given", ["id"]) + " ORDER BY id").fetchdf()
    np.testing.assert_allclose(found["score"].to_numpy(), model.decision_function(design), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["probability_yes"].to_numpy(), model.predict_proba(design)[:, 1], atol=1e-9)
    assert found["label"].tolist() == model.predict(design).tolist()


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("unseen", ["rare", "zero"])
@pytest.mark.parametrize("reference", [True, False])
def test_columns_of_every_kind(missing: bool, unseen: str, reference: bool) -> None:
    encoder = TableEncoder(rare=30, unseen=unseen, reference=reference)
    test = table(200, 1)
    strange = pl.when(pl.col("id") % 7 == 0).then(pl.lit("Nowhere")).otherwise(pl.col("it's a city"))
    scored(encoder, table(300, 0, missing=missing), test.with_columns(strange.alias("it's a city")))


def test_interactions() -> None:
    encoder = TableEncoder(rare=5, interactions=[('a "ge"', "it's a city"), ("member", "day")])
    scored(encoder, table(300, 0), table(100, 1))


def test_nan_is_missing() -> None:
    given = pl.DataFrame({"id": [0, 1, 2, 3] * 10, "x": [1.0, float("nan"), 3.0, 4.0] * 10, "z": [0.5, 2.0] * 20})
    scored(TableEncoder(), given, given.with_columns(id=pl.Series(range(40))))


def test_levels_that_training_refuses_make_the_score_null() -> None:
    features = pl.DataFrame({"city": ["Rome", "Oslo"] * 20})
    encoder = TableEncoder(unseen="error").fit(features)
    model = LogisticRegression(alpha=1e-2).fit(encoder.transform(features), [0, 1] * 20)
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", pl.DataFrame({"city": ["Rome", "Paris"]}).to_arrow())
    found = connection.execute(to_sql(model, encoder).query("given")).fetchall()
    assert found[0][0] == 0
    assert found[1] == (None,) * 4


def test_words_that_are_neither_true_nor_false_make_the_score_null() -> None:
    features = pl.DataFrame({"member": [True, False, False, True] * 10})
    encoder = TableEncoder().fit(features)
    model = LogisticRegression(alpha=1e-2).fit(encoder.transform(features), [1, 0, 0, 0] * 10)
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", pl.DataFrame({"member": [" Yes", "0", "perhaps"]}).to_arrow())
    found = connection.execute(to_sql(model, encoder).query("given")).fetchall()
    expected = model.decision_function(encoder.transform(pl.DataFrame({"member": [" Yes", "0"]})))
    np.testing.assert_allclose([row[1] for row in found[:2]], expected, rtol=1e-12)
    assert found[2] == (None,) * 4


def test_whole_numbers_that_the_database_writes_with_a_point() -> None:
    features = pl.DataFrame({"zone": ["1", "2", "30"] * 10})
    encoder = TableEncoder(rare=1).fit(features)
    assert isinstance(encoder.schema_, Schema)
    model = LogisticRegression(alpha=1e-2).fit(encoder.transform(features), [1, 0, 0] * 10)
    connection = duckdb.connect(config={"threads": 1})
    for values in ([1.0, 2.0, 30.0], [1, 2, 30], ["1", "2", "30"]):
        connection.register("given", pl.DataFrame({"zone": values}).to_arrow())
        found = connection.execute(to_sql(model, encoder).query("given")).fetchall()
        expected = model.decision_function(encoder.transform(features[:3]))
        np.testing.assert_allclose([row[1] for row in found], expected, rtol=1e-12)


@pytest.mark.parametrize("form", ISO)
def test_dates_written_as_text(form: str) -> None:
    times = [datetime(2021, 3, 1) + timedelta(hours=7 * k, microseconds=125_000 * (k % 8)) for k in range(90)]
    written = pl.Series("at", times).dt.strftime(form)
    features = pl.DataFrame({"at": written})
    encoder = TableEncoder(Schema((Column("at", ColumnType.DATE, format=form),))).fit(features)
    model = LogisticRegression(alpha=1e-2).fit(encoder.transform(features), [k % 5 > k % 3 for k in range(90)])
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", features.to_arrow())
    found = connection.execute(to_sql(model, encoder).query("given")).fetchall()
    expected = model.decision_function(encoder.transform(features))
    np.testing.assert_allclose([row[1] for row in found], expected, rtol=1e-9, atol=1e-12)


def test_texts_and_bases_are_refused() -> None:
    words = pl.DataFrame({"message": [f"the quick brown fox number {k} jumps over the lazy dog" for k in range(60)]})
    encoder = TableEncoder(text=BagOfWords()).fit(words)
    model = LogisticRegression(alpha=1e-2).fit(encoder.transform(words), [0, 1] * 30)
    with pytest.raises(Refused, match="'message' is a text"):
        to_sql(model, encoder)
    numbers = pl.DataFrame({"x": np.linspace(0, 1, 60)})
    based = TableEncoder(bases={"x": RadialBasis(5)}).fit(numbers)
    model = LogisticRegression(alpha=1e-2).fit(based.transform(numbers), [0, 1] * 30)
    with pytest.raises(Refused, match="has bases"):
        to_sql(model, based)
