"""Real files, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from linsep import ReadOptions, read_table
from linsep.errors import BadFile
from linsep.tables import Table

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))


def read(name: str, **options: Any) -> Table:
    if not list(DATA.glob(name)):
        pytest.skip(f"{name} is not in the folder of shared data")
    return read_table(str(DATA / name), ReadOptions(**options))


def counts(table: Table) -> dict[str, int]:
    kinds = [column.type.value for column in table.schema.columns]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def test_adult() -> None:
    table = read("adult_train.csv.gz", target="last")
    assert table.rows == 32_561
    assert counts(table) == {"category": 8, "number": 6, "target": 1}
    assert table.schema.column("column_2").missing == 1836  # written " ?"
    assert table.target is not None
    assert sorted(set(table.target)) == ["<=50K", ">50K"]
    with pytest.raises(BadFile, match="skip=1") as caught:
        read("adult_test.csv.gz")
    assert caught.value.line == 2
    test = read("adult_test.csv.gz", skip=1, schema=table.schema)
    assert test.rows == 16_281
    assert [c.type for c in test.schema.columns] == [c.type for c in table.schema.columns]


def test_bank_marketing() -> None:
    table = read("bank_marketing.csv.gz", target="y")
    assert (table.rows, counts(table)) == (41_188, {"category": 10, "number": 10, "target": 1})


def test_titanic() -> None:
    table = read("titanic.csv.gz", target="survived")
    assert (table.rows, table.schema.column("age").missing) == (891, 177)
    assert counts(table) == {"boolean": 3, "category": 6, "number": 5, "target": 1}
    with pytest.raises(BadFile, match="did you mean 'survived'"):
        read("titanic.csv.gz", target="survivd")


def test_texts() -> None:
    for name, rows in (("banking77_train.csv.gz", 10_003), ("clinc150_train.csv.gz", 15_000)):
        table = read(name, target=2)
        assert (table.rows, counts(table)) == (rows, {"target": 1, "text": 1})
    assert read("banking77_*.csv.gz").rows == 13_083


def test_sms_spam_has_a_broken_line() -> None:
    with pytest.raises(BadFile, match="1 field where the first line has 2") as caught:
        read("sms_spam.tsv.gz", target=1)
    assert caught.value.line == 6
    table = read("sms_spam.tsv.gz", target=1, drop_ragged=True)
    assert table.rows == 5_574
    assert table.target is not None
    assert set(table.target) == {"ham", "spam"}


def test_letter() -> None:
    table = read("letter.tsv.gz", target="letter")
    assert (table.rows, counts(table)) == (20_000, {"number": 16, "target": 1})


def test_flights_and_covtype() -> None:
    with pytest.raises(BadFile, match="is this a regression"):
        read("flights_3m.parquet", target="delay")
    table = read("covtype.parquet", target="Cover_Type")
    assert (table.rows, counts(table)) == (581_012, {"boolean": 44, "number": 10, "target": 1})


@pytest.mark.parametrize("name", ["a9a", "heart_scale", "sonar", "ionosphere", "mushrooms", "phishing"])
def test_svmlight_like_scikit_learn(name: str) -> None:
    table = read(f"{name}.svm.gz")
    X, y = load_svmlight_file(str(DATA / f"{name}.svm.gz"))
    assert table.matrix.shape == X.shape
    assert (table.matrix != X).nnz == 0
    np.testing.assert_array_equal(table.target, y)


def test_arrays() -> None:
    table = read("farm_ads_X.npz", target=str(DATA / "farm_ads_y.npy"))
    assert table.matrix.shape == (4143, 54_877)
    with pytest.raises(BadFile, match="X_train"):
        read("mnist.npz")
    assert read("mnist.npz", matrix="X_test", target="y_test").matrix.shape == (10_000, 784)
