"""Whatever a model or a table is like, there is a page, or one clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

from linsep import LeastSquaresClassifier, LinearClassifier, LogisticRegression, ReadOptions, read_table
from linsep.errors import InvalidData
from linsep.report import build_report, render, report
from linsep.tables import ColumnType
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from tests.report.cases import Balance, fresh, hostile, table_of


def sound(page: str) -> Balance:
    found = Balance(page)
    assert found.faults == []
    assert "nan" not in found.text.split()
    return found


@pytest.mark.parametrize(
    "model",
    [
        LinearClassifier("hinge", alpha=0.01, multiclass="ovo"),
        LinearClassifier("log", alpha=0.01, multiclass="ovr"),
        LinearClassifier("hinge", alpha=0.01, multiclass="ecoc", random_state=0),
        LinearClassifier("hinge", alpha=0.01, multiclass="crammer_singer"),
        LinearClassifier("hinge", alpha=0.01, probability=True),
        LinearClassifier("log", alpha=0.01, l1_ratio=1.0),
        LinearClassifier("sigmoid", alpha=0.01, multiclass="ovr"),
        LogisticRegression(alpha=0.01, class_weight="balanced"),
        LogisticRegression(alpha=0.01, fit_intercept=False),
        LeastSquaresClassifier(alpha=0.01),
    ],
    ids=str,
)
def test_every_kind_of_model(model: Any) -> None:
    X, y = load_iris(return_X_y=True)
    sound(model.fit(X, y).report(X, y))
    two = y < 2
    if model.multiclass == "auto":
        sound(model.fit(X[two], y[two]).report(X[two], y[two]))


def test_firth_and_no_penalty() -> None:
    X, y = make_classification(200, 4, n_informative=3, n_redundant=0, random_state=0)
    for model in (LogisticRegression(alpha=0), LogisticRegression(penalty="firth")):
        assert "Odds ratio" in sound(model.fit(X, y).report(X, y)).text


def test_one_class_one_row_and_no_row() -> None:
    trained, _ = hostile()
    table = fresh()
    codes = np.asarray(table.target)
    sound(render(build_report(trained, table.take(np.flatnonzero(codes == codes[0])))))
    sound(render(build_report(trained, table.take(np.array([3])))))
    with pytest.raises(InvalidData, match="no rows"):
        build_report(trained, table.take(np.array([], dtype=int)))


def test_weights_groups_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    n = 200
    frame = pl.DataFrame(
        {
            "a": [None if i % 17 == 0 else float(v) for i, v in enumerate(rng.normal(size=n))],
            "b": rng.choice(["x", "y"], n),
            "w": rng.uniform(0.5, 2.0, n),
            "g": rng.integers(0, 20, n),
            "y": rng.choice(["no", "yes"], n),
        }
    )
    table = table_of(frame, "y", {"w": ColumnType.WEIGHT, "g": ColumnType.GROUP})
    found = sound(render(build_report(train(table, Recipe()), table)))
    assert "y = yes" in found.text
    assert "--weights w --groups g" in found.text


def test_matrix_without_names(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{rng.integers(0, 2) * 2 - 1} 1:{rng.normal():.3f} 3:{rng.normal():.3f}" for _ in range(80)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    table = read_table(str(tmp_path / "rows.svm"), ReadOptions())
    sound(render(build_report(train(table, Recipe(alpha=0.1)), table)))


def test_frames_and_sparse_arrays() -> None:
    from scipy import sparse

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = LogisticRegression(alpha=0.1).fit(X, y)
    assert "mean radius" in sound(report(model, X, y)).text
    assert isinstance(X, pd.DataFrame)
    rows = sparse.random(100, 30, density=0.1, random_state=0, format="csr")
    labels = np.arange(100) % 2
    sound(LogisticRegression(alpha=0.1).fit(rows, labels).report(rows, labels, sample_weight=np.ones(100)))
