"""TableEncoder: each kind of column by its definition, and all of them together."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from linsep import BagOfWords, LogisticRegression, PolynomialBasis, RadialBasis, SigmoidBasis, TableEncoder, verify
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.features.booleans import BooleanEncoder
from linsep.tables.schema import Column, ColumnType, Schema
from linsep.tables.table import Table

FRAME = pl.DataFrame(
    {
        "age": [20.0, None, 40.0, 60.0, 31.5, 18.0],
        "hours": [10, 20, 30, 40, 50, 61],
        "city": ["Oslo", "Rome", "Rome", None, "Lima", "Rome"],
        "member": [True, False, None, True, True, False],
        "joined": [dt.datetime(2020, 1, 6, 7), dt.datetime(2021, 3, 9), None, *[dt.datetime(2021, 12, 5, 23)] * 3],
        "note": ["free prize now yes", "call me when home", None, "a prize for you all", "come home", "call call now"],
    }
)
TYPES = {"age": "number", "hours": "number", "city": "category", "member": "boolean", "joined": "date", "note": "text"}
SCHEMA = Schema(tuple(Column(name, ColumnType.named(kind)) for name, kind in TYPES.items()), 6)


def dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def column(encoder: TableEncoder, frame: Any, name: str, *, scaled: bool = False) -> list[float]:
    names = encoder.get_feature_names_out().tolist()
    return dense(encoder.encode(frame, scaled=scaled).matrix)[:, names.index(name)].tolist()


def test_types_are_guessed_by_what_columns_hold() -> None:
    encoder = TableEncoder().fit(FRAME)
    assert {c.name: c.type.value for c in encoder.schema_.columns} == TYPES


def test_numbers() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    filled = np.array([20.0, 31.5, 40.0, 60.0, 31.5, 18.0])
    assert column(encoder, FRAME, "age") == filled.tolist()
    assert column(encoder, FRAME, "age is missing") == [0, 1, 0, 0, 0, 0]
    np.testing.assert_allclose(column(encoder, FRAME, "age", scaled=True), (filled - filled.mean()) / filled.std())
    assert "hours is missing" not in encoder.get_feature_names_out()
    encoded = encoder.encode(FRAME.with_columns(hours=pl.lit(None)))
    assert "column 'hours': 6 missing values where training had none: the median 35 was used" in encoded.notes


def test_numbers_that_never_vary_or_are_all_missing_or_huge() -> None:
    frame = {"same": [0.1] * 3, "none": [None] * 3, "huge": [1e300, -1e300, 1e299], "tiny": [1e-300, 2e-300, 3e-300]}
    encoder = TableEncoder().fit(frame)
    matrix = dense(encoder.transform(frame))
    assert np.isfinite(matrix).all()
    names = encoder.get_feature_names_out().tolist()
    assert names == ["same", "none", "none is missing", "huge", "tiny"]
    np.testing.assert_allclose(matrix[:, 0], 0.0, atol=1e-15)
    np.testing.assert_allclose(matrix[:, 3:].std(axis=0), 1.0)


def test_categories() -> None:
    frame = {"job": ["a"] * 4 + ["b"] * 3 + ["c", "d"] + [None]}
    encoder = TableEncoder(rare=2).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["job=a", "job=b", "job=(rare)", "job=(missing)"]
    encoded = encoder.encode({"job": ["b", "d", "zebra", None, "a"]})
    expected = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert dense(encoded.matrix).tolist() == expected
    note = "column 'job': 1 row with a level that training did not have ('zebra'): treated as (rare)"
    assert encoded.notes == (note,)


def test_unseen_levels_as_said() -> None:
    frame, new = {"job": ["a"] * 4 + ["b"] * 3 + ["c"]}, {"job": ["y", "x", "y", "a"]}
    zero = TableEncoder(rare=2, unseen="zero").fit(frame).encode(new)
    assert dense(zero.matrix).tolist() == [[0, 0, 0]] * 3 + [[1, 0, 0]]
    assert zero.notes == ("column 'job': 3 rows with a level that training did not have ('x', 'y'): no level is set",)
    with pytest.raises(InvalidData, match="column 'job', row 0: 'y' is a level that training did not have"):
        TableEncoder(rare=2, unseen="error").fit(frame).transform(new)
    no_rare = TableEncoder(rare=1).fit(frame)
    assert dense(no_rare.transform({"job": ["x"]})).tolist() == [[0, 0, 0]]


def test_too_many_levels_are_rare_with_a_note() -> None:
    frame = {"id": [f"x{j % 30}" for j in range(300)] + ["x7"]}
    encoder = TableEncoder(most_levels=3).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["id=x0", "id=x1", "id=x7", "id=(rare)"]
    assert encoder.notes_[0].startswith("column 'id' has 30 levels: the 3 most frequent have a column each")


def test_levels_that_are_numbers() -> None:
    schema = Schema((Column("code", ColumnType.CATEGORY),), 4)
    encoder = TableEncoder(schema, rare=1).fit({"code": ["1", "2", "2", "1"]})
    for given in ([2, 1], [2.0, 1.0], ["2", "1"], np.array([2, 1], dtype=np.int8)):
        assert dense(encoder.transform({"code": given})).tolist() == [[0, 1], [1, 0]]


def test_reference_level() -> None:
    frame = {"job": ["a"] * 4 + ["b"] * 5 + ["c", None]}
    encoder = TableEncoder(rare=1, reference=True).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["job=a", "job=c", "job=(missing)"]
    assert encoder.columns_[0].unit == "being a, against b"
    assert dense(encoder.transform({"job": ["b", "a", "c", None]})).tolist() == [[0, 0, 0], *np.eye(3).tolist()]


def test_booleans() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    assert column(encoder, FRAME, "member") == [1, 0, 1, 1, 1, 0]  # true is the more frequent
    assert column(encoder, FRAME, "member is missing") == [0, 0, 1, 0, 0, 0]
    for written in (["yes", "NO", ""] * 2, [1, 0, None] * 2, [1.0, 0.0, np.nan] * 2, ["True", " f ", None] * 2):
        frame = FRAME.with_columns(pl.Series("member", written, strict=False))
        assert column(encoder, frame, "member")[:3] == [1, 0, 1]
    with pytest.raises(InvalidData, match="column 'member', row 2: 'perhaps' is not true or false"):
        encoder.transform(FRAME.with_columns(member=pl.Series(["yes", "no", "perhaps"] * 2)))


def test_a_boolean_is_penalised_like_two_levels() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"flag": rng.random(200) < 0.3, "x": rng.normal(size=200)})
    y = (frame["flag"].to_numpy() * 1.5 + frame["x"].to_numpy() + rng.logistic(size=200) > 0).astype(int)
    scores, values = [], []
    for kind in ("boolean", "category"):
        schema = Schema((Column("flag", ColumnType(kind)), Column("x", ColumnType.NUMBER)))
        X = TableEncoder(schema).fit_transform(frame)
        model = LogisticRegression(alpha=0.05).fit(X, y)
        scores.append(model.decision_function(X))
        values.append(model.certificate_.primal)
    assert values[0] == pytest.approx(values[1], rel=1e-12)
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-6)


def test_a_boolean_of_an_older_model_is_one_in_the_design() -> None:
    encoder = BooleanEncoder.from_record({"name": "flag", "usual": True, "missing": False})
    (part,) = encoder.encode(pl.Series("flag", [True, False]), [])
    assert part.standardised().toarray().ravel().tolist() == [1.0, 0.0]
    assert encoder.columns[0].scale == 1.0


def test_dates() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    parts = [c.name for c in encoder.columns_ if c.source == "joined"]
    assert parts == [
        "joined: year", "joined: days since 2020-01-06", "joined: month=01", "joined: month=03", "joined: month=12",
        "joined: weekday=1 Monday", "joined: weekday=2 Tuesday", "joined: weekday=7 Sunday",
        "joined: hour=00", "joined: hour=07", "joined: hour=23", "joined is missing",
    ]  # fmt: skip
    matrix = dense(encoder.encode(FRAME, scaled=False).matrix)[:, [c.source == "joined" for c in encoder.columns_]]
    days = (dt.datetime(2021, 3, 9) - dt.datetime(2020, 1, 6)).days
    assert matrix[0].tolist() == [2020, 7 / 24, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    assert matrix[1].tolist() == [2021, days, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
    assert matrix[2, 2:].tolist() == [0] * 9 + [1]
    encoded = encoder.encode(FRAME.with_columns(joined=pl.lit(dt.date(2022, 7, 1))))
    assert (
        "column 'joined: month': 6 rows with a level that training did not have ('07'): no level is set"
        in encoded.notes
    )


def test_dates_without_a_time_have_no_hour() -> None:
    encoder = TableEncoder().fit({"day": [dt.date(2020, 1, 1), dt.date(2020, 2, 1)]})
    assert not any("hour" in name for name in encoder.get_feature_names_out())
    assert {c.unit for c in encoder.columns_[:2]} == {"1 year", "1 day"}


def test_dates_written_as_text() -> None:
    schema = Schema((Column("day", ColumnType.DATE, format="%d/%m/%Y"),), 2)
    encoder = TableEncoder(schema).fit({"day": ["31/01/2020", "01/02/2021"]})
    typed = {"day": [dt.date(2020, 1, 31), dt.date(2021, 2, 1)]}
    np.testing.assert_array_equal(
        dense(encoder.transform({"day": ["31/01/2020", "01/02/2021"]})), dense(encoder.transform(typed))
    )
    with pytest.raises(InvalidData, match="column 'day', row 1: '2020-01-31' is not a date written as %d/%m/%Y"):
        encoder.transform({"day": ["31/01/2020", "2020-01-31"]})
    iso = TableEncoder(Schema((Column("day", ColumnType.DATE),), 2)).fit({"day": ["2020-01-31", "2021-02-01"]})
    np.testing.assert_array_equal(dense(iso.transform(typed)), dense(encoder.transform(typed)))


def test_texts() -> None:
    bag = BagOfWords(ngram_range=(1, 2))
    encoder = TableEncoder(SCHEMA, text=bag).fit(FRAME)
    alone = clone(bag).fit_transform(FRAME["note"].fill_null(""))
    is_text = [c.kind == "text" for c in encoder.columns_]
    np.testing.assert_array_equal(dense(encoder.transform(FRAME))[:, is_text], alone.toarray())
    assert column(encoder, FRAME, "note is missing") == [0, 0, 1, 0, 0, 0]
    assert not hasattr(bag, "idf_")


def test_a_design_of_few_entries_is_sparse() -> None:
    few = {"level": [f"x{j % 5}" for j in range(50)]}
    many = {"level": [f"x{j % 4}" for j in range(50)]}
    assert sparse.issparse(TableEncoder().fit_transform(few))  # 1 of 5 is set
    assert not sparse.issparse(TableEncoder().fit_transform(many))  # 1 of 4


def test_interactions() -> None:
    encoder = TableEncoder(SCHEMA, rare=1, interactions=[("age", "hours"), ("hours", "city")]).fit(FRAME)
    age, hours = (np.array(column(encoder, FRAME, name)) for name in ("age", "hours"))
    product = (age - age.mean()) * (hours - hours.mean())
    np.testing.assert_allclose(column(encoder, FRAME, "age × hours"), product)
    scaled = product / age.std() / hours.std()
    np.testing.assert_allclose(column(encoder, FRAME, "age × hours", scaled=True), scaled)
    at_rome = (hours - hours.mean()) * (FRAME["city"] == "Rome").fill_null(False).to_numpy()
    np.testing.assert_allclose(column(encoder, FRAME, "hours × city=Rome"), at_rome)
    assert {c.kind for c in encoder.columns_ if "×" in c.source} == {"interaction"}


def test_groups_of_interactions_and_products_never_seen() -> None:
    frame = {"a": ["x", "x", "y"] * 2, "b": ["u", "v", "v"] * 2, "c": [True, False, True] * 2}
    encoder = TableEncoder(rare=1, interactions=[("a", "b", "c")]).fit(frame)
    names = [c.name for c in encoder.columns_ if c.kind == "interaction"]
    assert names == ["a=x × b=u", "a=x × b=v", "a=y × b=v", "a=x × c", "a=y × c", "b=u × c", "b=v × c"]
    matrix = dense(encoder.encode({"a": ["y"], "b": ["u"], "c": [True]}, scaled=False).matrix)
    assert matrix[0, 5:].tolist() == [0, 0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize("basis", [PolynomialBasis(2), RadialBasis(3), SigmoidBasis(2)], ids=repr)
def test_bases(basis: Any) -> None:
    encoder = TableEncoder(SCHEMA, bases={("age", "hours"): basis}).fit(FRAME)
    z = np.array([column(encoder, FRAME, name, scaled=True) for name in ("age", "hours")]).T
    alone = clone(basis).fit(z)
    values, names = alone.transform(z), alone.get_feature_names_out(["z(age)", "z(hours)"])
    kept = names if not isinstance(basis, PolynomialBasis) else ["z(age)^2", "z(age) z(hours)", "z(hours)^2"]
    for name in kept:
        np.testing.assert_allclose(column(encoder, FRAME, name), values[:, list(names).index(name)])
    assert [c.name for c in encoder.columns_ if c.kind == "basis"] == list(kept)


def test_columns_in_any_order_and_extra_ones() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    shuffled = FRAME.select(reversed(FRAME.columns)).with_columns(extra=1)
    encoded = encoder.encode(shuffled)
    assert encoded.notes == ("column 'extra' was not in training: left out",)
    assert (dense(encoded.matrix) == dense(encoder.transform(FRAME))).all()


def test_columns_known_to_be_no_features_are_left_out_in_silence() -> None:
    schema = Schema((*SCHEMA.columns, Column("y", ColumnType.TARGET), Column("id", ColumnType.ID)), 6)
    encoder = TableEncoder(schema).fit(FRAME.with_columns(y=1, id=2))
    assert encoder.encode(FRAME.with_columns(y=1, id=2)).notes == ()
    assert encoder.encode(FRAME).notes == ()


def test_a_missing_column_is_named() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    with pytest.raises(InvalidData, match="there is no column 'hours': did you mean 'hour'"):
        encoder.transform(FRAME.rename({"hours": "hour"}))
    with pytest.raises(InvalidData, match="1 more are missing: 'city'"):
        encoder.transform(FRAME.drop("age", "city"))


@pytest.mark.parametrize(
    ("name", "values", "match"),
    [
        ("hours", ["1", "2", "x3", "4", "5", "6"], "column 'hours', row 2: 'x3' is not a number"),
        ("hours", ["1", "", "n/a", "4", "?", "6"], r"column 'hours', row 2: 'n/a' is not a number \(2 such rows\)"),
        ("hours", [1.0, np.inf] * 3, "column 'hours', row 1: inf is infinite"),
        ("hours", [dt.date(2020, 1, 1)] * 6, "column 'hours' is of type Date.*allowed are numbers"),
        ("joined", [1, 2] * 3, "column 'joined' is of type Int64, row 0: 1; allowed are dates"),
        ("joined", ["2020-01-01", "soon"] * 3, "column 'joined', row 1: 'soon' is not a date"),
        ("note", [1, 2] * 3, "column 'note' is of type Int64.*allowed are texts"),
        ("member", [dt.date(2020, 1, 1)] * 6, "column 'member' is of type Date.*allowed are true and false"),
    ],
)
def test_a_column_whose_type_changed(name: str, values: list[Any], match: str) -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    with pytest.raises(InvalidData, match=match):
        encoder.transform(FRAME.with_columns(pl.Series(name, values)))


def test_numbers_written_as_text() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    written = FRAME.with_columns(pl.col("hours").cast(pl.String) + " ")
    assert (dense(encoder.transform(written)) == dense(encoder.transform(FRAME))).all()


CONTAINERS = {
    "pandas": lambda f: pd.DataFrame({c: f[c].to_list() for c in f.columns}),
    "pandas typed": lambda f: f.to_pandas(),
    "arrow": lambda f: f.to_arrow(),
    "dict": lambda f: f.to_dict(as_series=False),
    "dict of arrays": lambda f: {c: f[c].to_numpy() for c in f.columns},
    "lazy": lambda f: f.lazy(),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_whatever_holds_the_table(container: str) -> None:
    given = CONTAINERS[container](FRAME)
    expected = TableEncoder(SCHEMA).fit(FRAME)
    encoder = TableEncoder(SCHEMA).fit(given)
    assert encoder.columns_ == expected.columns_
    np.testing.assert_array_equal(dense(encoder.transform(given)), dense(expected.transform(FRAME)))
    if container != "dict":  # a list of True and None, or of dates, has no type of its own in every container
        TableEncoder().fit(given)


def test_pandas_extension_types() -> None:
    frame = pd.DataFrame(
        {"n": pd.array([1, None, 3], "Int64"), "b": pd.array([True, None, False], "boolean"),
         "s": pd.array(["a", None, "b"], "string"), "c": pd.Categorical(["u", "v", None])}
    )  # fmt: skip
    encoder = TableEncoder(rare=1).fit(frame)
    assert [c.name for c in encoder.columns_] == [
        "n", "n is missing", "b", "b is missing", "s=a", "s=b", "s=(missing)", "c=u", "c=v", "c=(missing)",
    ]  # fmt: skip


def test_dtype_and_pipeline() -> None:
    assert TableEncoder(SCHEMA, dtype="float32").fit(FRAME).transform(FRAME).dtype == np.float32
    y = [0, 1, 0, 1, 0, 1]
    model = make_pipeline(TableEncoder(rare=1), LogisticRegression(alpha=0.01)).fit(FRAME, y)
    assert model.predict(FRAME).tolist() == y
    assert clone(model[0]).get_params()["rare"] == 1


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"unseen": "ignore"}, "unknown unseen 'ignore'"),
        ({"rare": 0}, "rare=0: allowed is a whole number >= 1"),
        ({"most_levels": 1.5}, "most_levels=1.5 is a float"),
        ({"reference": 1}, "reference=1 is a int"),
        ({"text": "tfidf"}, "text is a str"),
        ({"schema": {"a": 1}}, "schema is a dict"),
        ({"interactions": [("age", "hous")]}, "interactions: there is no column 'hous': did you mean 'hours'"),
        ({"interactions": ["age"]}, "interactions holds 'age'"),
        ({"bases": {"city": RadialBasis(2)}}, "column 'city' is not a number"),
        ({"bases": {"agee": RadialBasis(2)}}, "bases: there is no column 'agee'"),
        ({"bases": {"age": "radial"}}, "allowed are PolynomialBasis"),
        ({"dtype": "int32"}, "unknown dtype 'int32'"),
    ],
)
def test_bad_parameters(options: dict[str, Any], match: str) -> None:
    with pytest.raises((InvalidParameter, InvalidType), match=match):
        TableEncoder(**options).fit(FRAME)


def test_no_rows_and_columns_that_no_model_reads() -> None:
    encoder = TableEncoder(SCHEMA).fit(FRAME)
    assert encoder.transform(FRAME.head(0)).shape == (0, len(encoder.columns_))
    nested = TableEncoder().fit({"a": [1, 2], "b": [[1], [2, 3]]})
    assert [c.name for c in nested.columns_] == ["a"]


def test_a_table_brings_its_schema() -> None:
    table = Table(SCHEMA.with_types({"hours": ColumnType.CATEGORY}, "as said"), FRAME)
    assert [c.kind for c in TableEncoder().fit(table).columns_ if c.source == "hours"] == ["category"]
    with pytest.raises(InvalidType, match="the table holds a matrix"):
        TableEncoder().fit(Table(Schema(()), matrix=np.zeros((2, 2))))


def test_scikit_learn_checks() -> None:
    check_estimator(TableEncoder())


def test_bad_tables() -> None:
    with pytest.raises(InvalidType, match="the table is a ndarray"):
        TableEncoder().fit(np.zeros((3, 2)))
    with pytest.raises(InvalidData, match="no rows"):
        TableEncoder().fit(FRAME.head(0))
    with pytest.raises(InvalidData, match="different numbers of rows"):
        TableEncoder().fit({"a": [1, 2], "b": [1]})
    with pytest.raises(InvalidData, match="no column of the table is"):
        TableEncoder(Schema((Column("a", ColumnType.ID),), 2)).fit({"a": [1, 2]})
    with pytest.raises(InvalidData, match="column 'note': no word of the 2 texts"):
        TableEncoder(Schema((Column("note", ColumnType.TEXT),), 2)).fit({"note": ["", "!"]})
    with pytest.raises(InvalidData, match="coef has shape"):
        TableEncoder().fit(FRAME).in_units(np.zeros(3), 0.0)


@pytest.mark.parametrize("columns", [["age", "hours", "city"], ["note"]], ids=["dense", "sparse"])
def test_a_classifier_takes_what_encode_gives_with_its_names(columns: list[str]) -> None:
    encoder = TableEncoder(rare=1, text=BagOfWords(stop_words=["call"])).fit(FRAME.select(columns))
    encoded, y = encoder.encode(FRAME.select(columns)), [0, 1, 0, 1, 0, 1]
    assert encoder.sparse_ == (columns == ["note"])
    model = LogisticRegression(alpha=1e-2).fit(encoded, y)
    assert model.feature_names_in_.tolist() == encoder.get_feature_names_out().tolist()
    plain = LogisticRegression(alpha=1e-2).fit(encoded.matrix, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.decision_function(encoded), plain.decision_function(encoded.matrix))
    assert verify(model, encoded, y)
    assert verify(model, encoded.matrix, y)
    other = TableEncoder(rare=1).fit(FRAME.select("member", "joined"))
    with pytest.raises(InvalidData, match="feature names"):
        model.predict(other.encode(FRAME))
