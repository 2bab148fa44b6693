"""SQL, run by DuckDB."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, Refused
from linsep.export import Sql, SqlColumns, to_sql
from tests.export.models import COLUMNS, KEEP, MODELS, SPECIAL, Y3, X, rows, rules

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def database() -> Any:
    connection = duckdb.connect(config={"threads": 1})
    frame = pd.DataFrame(rows(), columns=COLUMNS)
    frame.insert(0, "id", range(len(frame)))
    connection.register("frame", frame)
    connection.execute("CREATE TABLE flowers AS SELECT * FROM frame")
    connection.execute('CREATE SCHEMA "an \'odd" ')
    connection.execute('CREATE TABLE "an \'odd"."ta""ble" AS SELECT * FROM frame')
    return connection


def run(database: Any, sql: Sql, table: Any = "flowers") -> pd.DataFrame:
    return database.execute(sql.query(table, keep=["id"]) + " ORDER BY id").fetchdf()


@pytest.mark.parametrize("model", (MODELS | SPECIAL).values(), ids=MODELS | SPECIAL)
def test_same_answers(database: Any, model: Any) -> None:
    new = rows()
    found = run(database, to_sql(model, COLUMNS))
    scores = model.decision_function(new)
    names = ["score"] if scores.ndim == 1 else [f"score_{name}" for name in model.classes]
    np.testing.assert_allclose(found[names].to_numpy(), scores.reshape(len(new), -1), rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(found["label"], model.predict(new))
    given = [name for name in found if name.startswith("probability_")]
    assert bool(given) == model.gives_probabilities
    if given:
        expected = model.predict_proba(new)
        np.testing.assert_allclose(found[given].to_numpy(), expected, atol=1e-9)
        np.testing.assert_allclose(found[given].to_numpy()[expected > 1e-250], expected[expected > 1e-250], rtol=1e-9)


@pytest.mark.parametrize("model", [MODELS["log"], MODELS["log softmax"], MODELS["log ovr"], MODELS["hinge ovo"]])
def test_every_output_as_one_expression(database: Any, model: Any) -> None:
    sql = to_sql(model, COLUMNS)
    whole = run(database, sql)
    for name in sql.outputs:
        query = f"SELECT id, {sql.expression(name)} AS found FROM flowers ORDER BY id"
        alone = database.execute(query).fetchdf()["found"]
        np.testing.assert_array_equal(alone, whole[name])
    with pytest.raises(InvalidParameter, match="nearest is 'label'"):
        sql.expression("lable")


@pytest.mark.filterwarnings("ignore")
def test_other_estimators(database: Any) -> None:
    for name, estimator in rules().items():
        found = run(database, to_sql(estimator, COLUMNS))
        np.testing.assert_array_equal(found["label"][: len(X)], estimator.predict(X), err_msg=name)


@pytest.mark.parametrize("model", (MODELS | SPECIAL).values(), ids=MODELS | SPECIAL)
def test_null_in_null_out(database: Any, model: Any) -> None:
    database.execute("CREATE OR REPLACE TABLE holes AS SELECT * FROM flowers LIMIT 4")
    for column in range(4):
        quoted = COLUMNS[column].replace('"', '""')
        database.execute(f'UPDATE holes SET "{quoted}" = NULL WHERE id = {column}')
    found = run(database, to_sql(model, COLUMNS), "holes")
    assert found.drop(columns="id").isna().all().all()


def test_names_come_from_the_model_and_are_quoted(database: Any) -> None:
    model = LogisticRegression(alpha=1e-2).fit(pd.DataFrame(X, columns=COLUMNS), Y3)
    found = run(database, to_sql(model), ("an 'odd", 'ta"ble'))
    np.testing.assert_array_equal(found["label"][: len(X)], model.predict(pd.DataFrame(X, columns=COLUMNS)))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -5]),
        np.array([True, False]),
        np.array([2.0, -7.0]),
        np.array(["it's", "a\\b\n"]),
        np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], dtype=object),
        np.array(["2020-01-01T10:00:00", "2021-01-01T00:00:00.5"], dtype="M8[ms]"),
    ],
)
def test_labels(database: Any, labels: Any) -> None:
    model = LogisticRegression(alpha=1e-2).fit(X, labels[(X[:, 3] > 1).astype(int)])
    found = database.execute(to_sql(model, COLUMNS).query("flowers", ["id"]) + " ORDER BY id").fetchall()
    expected = model.predict(X).tolist()
    assert [row[1] for row in found[: len(X)]] == expected


def test_labels_without_a_literal() -> None:
    model = LogisticRegression(alpha=1e-2).fit(X, np.array([b"a", b"b"])[(X[:, 3] > 1).astype(int)])
    with pytest.raises(Refused, match="no SQL literal"):
        to_sql(model, COLUMNS)


def test_integers_are_not_divided_or_rounded(database: Any) -> None:
    """Whole numbers, decimals and strings of digits in the table are cast."""
    model = LogisticRegression(alpha=1e-2).fit(np.round(X), Y3)
    database.execute(
        "CREATE OR REPLACE TABLE whole AS SELECT 5 AS a, 3.0::DECIMAL(4,1) AS b, '4' AS c, 1::TINYINT AS d"
    )
    found = database.execute(to_sql(model, list("abcd")).query("whole")).fetchdf()
    assert found["label"][0] == model.predict([[5, 3, 4, 1]])[0]
    np.testing.assert_allclose(found.iloc[0, 4:].astype(float), model.predict_proba([[5, 3, 4, 1]])[0], atol=1e-12)


@pytest.mark.parametrize(("classes", "features", "multiclass"), [(2, 1500, "ovr"), (60, 40, "softmax"), (12, 9, "ovo")])
def test_many_features_and_many_classes(database: Any, classes: int, features: int, multiclass: str) -> None:
    """Databases limit how deep expressions may be nested (DuckDB: 1,000)."""
    random = np.random.default_rng(0)
    wide, y = random.normal(size=(2 * classes, features)), np.repeat(np.arange(classes), 2)
    model = LogisticRegression(alpha=1e-1, multiclass=multiclass).fit(wide, y)
    names = [f"f{j}" for j in range(features)]
    database.register("wide", pd.DataFrame(wide, columns=names))
    found = database.execute(to_sql(model, names).query("wide")).fetchdf()
    np.testing.assert_array_equal(found["label"], model.predict(wide))


def test_weights_of_zero_leave_their_columns_out() -> None:
    model = LogisticRegression(alpha=1e-2).fit(np.c_[X[:, :3], np.zeros(len(X))], Y3)
    assert '"select"' not in to_sql(model, COLUMNS).query("t")


def test_refusals() -> None:
    model = MODELS["log"]
    with pytest.raises(InvalidParameter, match="no names; give columns, a list of 4"):
        to_sql(model)
    with pytest.raises(InvalidData, match="3 columns were given for the 4 features"):
        to_sql(model, COLUMNS[:3])
    with pytest.raises(InvalidData, match="NUL"):
        to_sql(model, ["a\0", "b", "c", "d"])
    with pytest.raises(InvalidParameter, match="also the name of an output"):
        to_sql(model, COLUMNS).query("t", keep=["label"])


class Thousandths:
    """An encoder in miniature: every feature is a column times a thousand."""

    def sql(self) -> list[str]:
        return [f"(1e3 * CAST(x{j} AS DOUBLE PRECISION))" for j in range(4)]


def test_an_encoder_contributes_expressions(database: Any) -> None:
    encoder = Thousandths()
    assert isinstance(encoder, SqlColumns)
    frame = pd.DataFrame(X[KEEP] / 1000, columns=[f"x{j}" for j in range(4)])
    database.register("thousandths", frame)
    found = database.execute(to_sql(MODELS["log"], encoder).query("thousandths")).fetchdf()
    np.testing.assert_array_equal(found["label"], MODELS["log"].predict(X[KEEP]))
