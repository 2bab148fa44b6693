"""What `linsep train` writes, in other systems: the raw table, and the class by the costs that were given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import linsep
from linsep import ReadOptions, read_table
from linsep.export import to_onnx, to_sklearn, to_sql
from linsep.workflow.features import EncodingSettings
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train

COSTS = [None, (1.0, 6.0), (5.0, 1.0)]


def rows(count: int, seed: int) -> pl.DataFrame:
    """Numbers, a category, a boolean and a date as text; some missing."""
    random = np.random.default_rng(seed)
    age, city = random.normal(45, 12, count).round(1), random.choice(["Rome", "Oslo", "Bonn"], count)
    late = age / 20 + (city == "Rome") + random.normal(0, 1, count) > 2.4
    return pl.DataFrame(
        {
            "age": [None if random.random() < 0.1 else value for value in age],
            "city": [None if random.random() < 0.1 else value for value in city],
            "member": random.choice(["yes", "no"], count),
            "since": [f"20{10 + k % 12}-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in random.integers(0, 999, count)],
            "late": np.where(late, "yes", "no"),
        }
    )


def trained(folder: Path, cost: tuple[float, float] | None, *ignore: str) -> Any:
    """Through a model file, as people have it."""
    rows(300, 0).write_csv(folder / "old.csv")
    table = read_table(folder / "old.csv", ReadOptions(target="late", ignore=ignore))
    recipe = Recipe(alpha=0.01, held_out=0.0, cost=cost, positive=None if cost is None else "no")
    train(table, recipe).save(folder / "model.linsep", force=True)
    return linsep.load(folder / "model.linsep")


def expected(model: Any, folder: Path, new: pl.DataFrame) -> tuple[list[str], np.ndarray]:
    new.write_csv(folder / "new.csv")
    scored = model.score(read_table(folder / "new.csv", ReadOptions(schema=model.features.encoder.schema_)))
    return model.classes[scored.predicted].tolist(), scored.probabilities


def strange(new: pl.DataFrame) -> pl.DataFrame:
    return new.with_columns(city=pl.when(pl.arange(pl.len()) % 9 == 0).then(pl.lit("Paris")).otherwise(pl.col("city")))


@pytest.mark.parametrize("cost", COSTS)
def test_sql(cost, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    model, new = trained(tmp_path, cost), strange(rows(100, 1))
    labels, probabilities = expected(model, tmp_path, new)
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", new.to_arrow())  # dates are texts there, as ISO writes them
    found = connection.execute(to_sql(model).query("given")).fetchdf()
    np.testing.assert_allclose(found["probability_yes"], probabilities[:, 1], atol=1e-9)
    assert found["label"].tolist() == labels


@pytest.mark.parametrize("cost", COSTS)
def test_onnx(cost, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, new = trained(tmp_path, cost, "since"), strange(rows(100, 1))
    labels, probabilities = expected(model, tmp_path, new)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    feeds = {
        "age": new["age"].fill_null(float("nan")).to_numpy()[:, None],
        "city": new["city"].fill_null("").to_numpy().astype(object)[:, None],
        "member": (new["member"] == "yes").cast(pl.Float64).to_numpy()[:, None],
    }
    found = dict(zip([each.name for each in session.get_outputs()], session.run(None, feeds), strict=True))
    np.testing.assert_allclose(found["probabilities"], probabilities, atol=1e-9)
    assert found["label"].tolist() == labels


@pytest.mark.parametrize("cost", COSTS)
def test_scikit_learn(cost, tmp_path):
    model, new = trained(tmp_path, cost, "since"), strange(rows(100, 1))
    labels, probabilities = expected(model, tmp_path, new)
    pipeline = to_sklearn(model)
    frame = pd.read_csv(tmp_path / "new.csv")
    np.testing.assert_allclose(pipeline.predict_proba(frame), probabilities, atol=1e-12)
    assert pipeline.predict(frame).tolist() == labels


def test_costs_matter_here(tmp_path):
    """The tests above would say nothing if every threshold gave the same classes."""
    new = rows(100, 1)
    given = [expected(trained(tmp_path, cost), tmp_path, new)[0] for cost in COSTS]
    assert len({tuple(each) for each in given}) == len(COSTS)


@pytest.mark.parametrize("unseen", ["rare", "zero", "error"])
def test_sql_reads_a_file_as_the_model_does(unseen, tmp_path):
    """As census data are written: a space behind each comma, ? and NA for what is missing; one city is called None."""
    duckdb = pytest.importorskip("duckdb")
    random = np.random.default_rng(3)
    cities = random.choice(["Rome", "Oslo", "Bonn", "None", "?", "na"], 300)
    lines = [
        f"{k % 50}, {city}, {('yes', 'no', '?')[k % 3]}, {'late' if k % 50 + 20 * (city == 'Oslo') > 30 else 'in time'}"
        for k, city in enumerate(cities)
    ]
    (tmp_path / "old.csv").write_text("\n".join(["age,city,member,late", *lines, "7, Bern, no, late"]) + "\n")
    missing = ("", "?", "NA")
    table = read_table(tmp_path / "old.csv", ReadOptions(target="late", missing=missing))
    encoding = EncodingSettings(rare=2 if unseen == "rare" else 1, unseen=unseen)
    model = train(table, Recipe(alpha=0.01, held_out=0.0), encoding)
    found = duckdb.sql(f"SELECT * FROM read_csv('{tmp_path / 'old.csv'}', header=true)")
    assert found.fetchall()[0][1].startswith(" ")
    again = duckdb.sql(to_sql(model).query("found")).fetchall()
    np.testing.assert_allclose([row[-1] for row in again], model.score(table).probabilities[:, 1], atol=1e-12)
