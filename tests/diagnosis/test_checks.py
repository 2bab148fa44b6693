"""Every check by construction: what was put into the data is found, by name, and nothing where there is nothing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score

from linsep import LinearClassifier, LinearSVM, LogisticRegression
from linsep.diagnosis import Severity
from linsep.diagnosis.checks.classes import FewRows, UnbalancedClasses
from linsep.diagnosis.checks.collinear import CollinearColumns
from linsep.diagnosis.checks.constant import ConstantColumns
from linsep.diagnosis.checks.contradictions import ContradictoryRows
from linsep.diagnosis.checks.duplicates import DuplicateColumns
from linsep.diagnosis.checks.leak import DecidesAlone, areas
from linsep.diagnosis.checks.scale import DwarfingColumns
from linsep.diagnosis.checks.separation import NearSeparation, OneSidedColumns
from linsep.diagnosis.checks.wide import MoreColumnsThanRows
from linsep.diagnosis.registry import CHECKS
from linsep.errors import DataWarning

STORAGES = [np.asarray, np.asfortranarray, sparse.csr_array, lambda X: X.astype(np.float32)]


def noise(n: int = 400, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal columns, a label that they say a little about."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + 2.0 * rng.logistic(size=n) > 0


def found(X: Any, y: Any, **parameters: Any) -> Any:
    return LogisticRegression(**{"alpha": 1e-2, **parameters}).fit(X, y).diagnosis_


def names(columns: Any) -> list[str]:
    return [c.name for c in columns]


@pytest.mark.parametrize("storage", STORAGES)
def test_nothing_is_found_where_there_is_nothing(storage: Any) -> None:
    X, y = noise()
    diagnosis = found(storage(X), y)
    assert len(diagnosis) == 0
    assert diagnosis.unchecked == ()
    assert str(diagnosis) == "LogisticRegression, certified: nothing was found."


def test_what_is_not_convex_is_not_called_certified() -> None:
    X, y = noise()
    assert "certified" not in LogisticRegression(penalty="firth").fit(X, y).diagnosis_.subject
    assert "certified" not in LinearClassifier("sigmoid", alpha=1e-2).fit(X, y).diagnosis_.subject


@pytest.mark.parametrize("storage", STORAGES)
def test_a_column_that_dwarfs_the_rest(storage: Any) -> None:
    X, y = noise()
    X[:, 2] *= 1e7
    (finding,) = found(storage(X), y).of(DwarfingColumns)
    assert names(finding.columns) == ["x2"]
    assert finding.ratio == pytest.approx(X.std(axis=0)[2] / np.delete(X.std(axis=0), 2).min(), rel=1e-3)
    assert finding.severity is Severity.CAUTION
    assert "column 'x2' is about 10^7 times as large" in finding.sentence


def test_a_mean_far_away_is_no_scale() -> None:
    X, y = noise()
    X[:, 2] += 2015.0
    assert not found(X, y).of(DwarfingColumns)


@pytest.mark.parametrize("storage", STORAGES)
def test_constant_columns_are_named(storage: Any) -> None:
    X, y = noise()
    X[:, 1], X[:, 3] = 7.25, 0.0
    (finding,) = found(storage(X), y).of(ConstantColumns)
    assert names(finding.columns) == ["x1", "x3"]
    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize("storage", STORAGES)
def test_copies_are_found_exactly(storage: Any) -> None:
    X, y = noise(d=8)
    X[:, 5], X[:, 7], X[:, 6] = X[:, 1], X[:, 1], X[:, 2]
    X[17, 6] += 1e-3  # no copy, for one row
    (finding,) = found(storage(X), y).of(DuplicateColumns)
    assert [names(g) for g in finding.groups] == [["x1", "x5", "x7"]]


@pytest.mark.parametrize("storage", STORAGES[:3])
def test_collinear_columns_say_which_explain_which(storage: Any) -> None:
    X, y = noise(d=6)
    X[:, 4] = 2.0 * X[:, 0] - 3.0 * X[:, 2] + 5.0
    (finding,) = found(storage(X), y).of(CollinearColumns)
    (dependence,) = finding.dependences
    involved = {dependence.column.name, *names(dependence.from_columns)}
    assert involved == {"x0", "x2", "x4"}
    at = [c.number for c in dependence.from_columns]
    rest = X[:, dependence.column.number] - X[:, at] @ np.array(dependence.weights)
    assert rest.std() < 1e-8 * X[:, dependence.column.number].std()
    assert "follows exactly from" in finding.sentence


def test_almost_collinear_columns_state_what_is_unexplained() -> None:
    X, y = noise(d=3)
    X[:, 2] = X[:, 1] + 1e-3 * np.random.default_rng(5).normal(size=400)
    (finding,) = found(X, y).of(CollinearColumns)
    unexplained = 1.0 - np.corrcoef(X[:, 1], X[:, 2])[0, 1] ** 2
    assert finding.dependences[0].unexplained == pytest.approx(unexplained, rel=1e-3)
    assert "almost follows from" in finding.sentence


def test_a_dependence_of_the_sample_alone_is_no_dependence() -> None:
    """Two columns that differ in five rows of 60,000, which a sample may miss."""
    X, y = noise(60_000, 3)
    X[:, 2] = 2.0 * X[:, 1]
    X[np.arange(5) * 10_000 + 1, 2] += 100.0
    assert not found(X, y).of(CollinearColumns)


def test_one_hot_columns_with_all_categories_depend_on_each_other() -> None:
    _, y = noise()
    X = np.eye(4)[np.random.default_rng(1).integers(0, 4, 400)]
    (finding,) = found(X, y).of(CollinearColumns)
    assert len(finding.dependences[0].from_columns) == 3


def test_without_a_penalty_collinear_weights_are_not_determined() -> None:
    X, y = noise(d=3)
    X[:, 2] = X[:, 1] - X[:, 0]
    (finding,) = LogisticRegression(alpha=0.0).fit(X, y).diagnosis_.of(CollinearColumns)
    assert finding.severity is Severity.CAUTION
    assert "not determined" in finding.remedy


def test_a_class_with_three_rows_warns() -> None:
    X, _ = noise()
    y = np.array(["a", "b"])[np.arange(400) % 2]
    y[[3, 5, 8]] = "c"
    with pytest.warns(DataWarning, match=r"class c has 3 rows, of 400 in all|Class c has 3 rows, of 400 in all"):
        diagnosis = found(X, y)
    (finding,) = diagnosis.of(FewRows)
    assert finding.classes == ("c",)
    assert finding.counts == (3,)
    assert diagnosis.serious == (finding,)


def test_rows_without_weight_are_no_rows() -> None:
    X, y = noise()
    weights = np.ones(400)
    weights[np.flatnonzero(y)[5:]] = 0.0
    diagnosis = LogisticRegression(alpha=1e-2).fit(X, y, sample_weight=weights).diagnosis_
    (finding,) = diagnosis.of(FewRows)
    assert finding.counts == (5,)


def test_unbalanced_classes() -> None:
    X, _ = noise(2000)
    y = np.arange(2000) % 40 == 0
    (finding,) = found(X, y).of(UnbalancedClasses)
    assert (finding.largest, finding.smallest, finding.ratio) == ("False", "True", 39.0)
    assert not found(X, y, class_weight="balanced").of(UnbalancedClasses)


def test_more_columns_than_rows() -> None:
    X, y = noise(40, 60)
    diagnosis = found(X, y)
    (finding,) = diagnosis.of(MoreColumnsThanRows)
    assert (finding.rows, finding.features) == (40, 60)
    assert not diagnosis.of(NearSeparation)
    assert not diagnosis.of(CollinearColumns)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_dummy_seen_in_one_class_only(storage: Any, classes: int) -> None:
    X, _ = noise(600)
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, 600)
    rows = np.flatnonzero(y == 1)[:20]
    X[:, 3] = 0.0
    X[rows, 3] = 1.0
    (finding,) = found(storage(X), y, alpha=1e-4).of(OneSidedColumns)
    (column,) = finding.columns
    assert (column.column.name, column.label, column.count) == ("x3", "1", 20)
    assert column.rows == tuple(rows)


def test_near_separation_names_the_rows_that_prevent_it() -> None:
    X, _ = noise(3000)
    y = X @ [3.0, -2.0, 1.0, 1.0] > 0
    distance = np.abs(X @ [3.0, -2.0, 1.0, 1.0])
    wrong = np.flatnonzero((distance > 0.2) & (distance < 0.4))[:2]
    y[wrong] = ~y[wrong]
    (finding,) = LinearSVM(alpha=1e-5).fit(X, y).diagnosis_.of(NearSeparation)
    assert set(wrong) <= set(finding.rows)
    assert finding.judged == 3000
    assert finding.strongest.name == "x0"


def test_a_leak_is_serious_and_named_at_fit() -> None:
    X, y = noise(1000)
    frame = pd.DataFrame(X, columns=["age", "height", "paid_back", "weight"])
    frame["paid_back"] = y + np.random.default_rng(2).normal(scale=0.02, size=1000)
    with pytest.warns(DataWarning, match="'paid_back' alone tells class True"):
        model = LogisticRegression(alpha=1e-5).fit(frame, y)
    (finding,) = model.diagnosis_.of(DecidesAlone)
    assert names(finding.columns) == ["paid_back"]
    assert finding.area == 1.0
    assert finding in model.diagnosis_.serious
    assert "look at     column 'paid_back' alone tells" in model.summary()


def test_honest_data_leak_nothing() -> None:
    for load in (load_iris, load_breast_cancer):
        X, y = load(return_X_y=True)
        assert not found(X, y).of(DecidesAlone)
        assert not found(X, y).serious


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_areas_are_those_of_scikit_learn(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(classes), rng.integers(0, classes, 40)]
    values = np.array([5, 5, 2, 1])  # the last two columns have two values, and one
    entries = rng.integers(0, values, size=(len(codes), 4)).astype(float)
    ours = areas(entries, codes, np.arange(classes))
    for k in range(classes):
        for j in range(4):
            theirs = roc_auc_score(codes == k, entries[:, j])
            assert ours[k, j] == pytest.approx(max(theirs, 1.0 - theirs))


@pytest.mark.parametrize("storage", STORAGES)
def test_contradictory_rows(storage: Any) -> None:
    X, y = noise()
    X[[7, 9]], X[100] = X[3], X[101]
    y[[3, 7, 9]], y[100] = [True, False, False], y[101]
    (finding,) = found(storage(X), y).of(ContradictoryRows)
    assert finding.rows == (3, 7, 9)
    assert (finding.count, finding.errors, finding.total) == (3, 1, 400)


def test_findings_are_values_and_records_are_json() -> None:
    X, y = noise(d=6)
    X[:, 5], X[:, 4], X[0], y[0] = X[:, 1], 1.0, X[1], not y[1]
    X[:, 3] *= 1e8
    first, second = found(X, y), found(X, y)
    assert first == second
    assert len(first) >= 3
    record = first.record()
    assert json.loads(json.dumps(record)) == record
    assert [f["kind"] for f in record["findings"]] == [f.kind for f in first]
    assert [f.severity for f in first] == sorted((f.severity for f in first), reverse=True)


def test_checks_have_names_of_their_own() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
