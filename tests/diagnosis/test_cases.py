"""The cases that users of other libraries complained of: each ends certified, or with a diagnosis of the true cause."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from linsep import LeastSquaresClassifier, LinearSVM, LogisticRegression
from linsep.diagnosis.checks.constant import ConstantColumns
from linsep.diagnosis.checks.contradictions import ContradictoryRows
from linsep.diagnosis.checks.scale import DwarfingColumns
from linsep.diagnosis.checks.separation import OneSidedColumns
from linsep.diagnosis.checks.unfinished import Unfinished
from linsep.diagnosis.checks.wide import MoreColumnsThanRows
from linsep.errors import DataWarning, InvalidData, NoOptimum, NotCertified

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))


def shared(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder of shared data")
    return path


def explained(estimator: Any, X: Any, y: Any) -> Any:
    """The fitted estimator, certified or with a warning that states gap and cause."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    if not estimator.certificate_.holds:
        (message,) = [str(w.message) for w in caught if w.category is NotCertified]
        assert "Likely cause" in message
        assert "Remedy" in message
        assert estimator.diagnosis_.of(Unfinished)
        assert estimator.diagnosis_.causes
    return estimator


def one_hot(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.get_dummies(frame, dtype=float)


@pytest.mark.parametrize("alpha", [1e-2, 1e-6])
@pytest.mark.parametrize("estimator", [LogisticRegression, LinearSVM])
def test_adult_unscaled(estimator: Any, alpha: float) -> None:
    frame = pd.read_csv(shared("adult_train.csv.gz"), header=None, skipinitialspace=True, nrows=8000)
    X, y = one_hot(frame.iloc[:, :-1].rename(columns=str)), frame.iloc[:, -1]
    model = explained(estimator(alpha=alpha, time_limit=20.0), X, y)
    (scale,) = model.diagnosis_.of(DwarfingColumns)
    assert scale.columns[0].name == "2"  # fnlwgt, about 190,000


def test_bank_marketing_unscaled() -> None:
    frame = pd.read_csv(shared("bank_marketing.csv.gz"), sep=";")
    X, y = one_hot(frame.iloc[:, :-1]), frame.iloc[:, -1]
    model = explained(LogisticRegression(alpha=1e-6, time_limit=20.0), X, y)
    assert {c.name for f in model.diagnosis_.of(DwarfingColumns) for c in f.columns} >= {"duration"}


@pytest.fixture(scope="module")
def census() -> tuple[pd.DataFrame, np.ndarray]:
    """Like adult: a sampling weight of 10⁵, capital gains that are mostly 0, ages and dummies."""
    rng = np.random.default_rng(0)
    n = 4000
    frame = pd.DataFrame({"age": rng.integers(17, 90, n), "fnlwgt": rng.lognormal(12.0, 0.5, n)})
    frame["gain"] = np.where(rng.random(n) < 0.08, rng.lognormal(8.5, 1.0, n), 0.0)
    frame["work"] = rng.choice(["private", "state", "self"], n)
    y = 0.04 * frame["age"] + 3e-4 * frame["gain"] + rng.logistic(size=n) > 2.5
    return one_hot(frame), y.to_numpy()


@pytest.mark.parametrize("loss", ["log", "hinge"])
@pytest.mark.parametrize("alpha", [1e-2, 1e-6, 1e-12])
def test_generated_census_unscaled(census: tuple[pd.DataFrame, np.ndarray], loss: str, alpha: float) -> None:
    estimator = LogisticRegression(alpha=alpha) if loss == "log" else LinearSVM(alpha=alpha)
    model = explained(estimator, *census)
    (scale,) = model.diagnosis_.of(DwarfingColumns)
    assert scale.columns[0].name == "fnlwgt"


def test_a_fit_cut_short_names_the_column_and_the_gap(census: tuple[pd.DataFrame, np.ndarray]) -> None:
    """ "lbfgs failed to converge, increase max_iter" says neither."""
    with pytest.warns(NotCertified, match=r"Likely cause: column 'fnlwgt' is about .* times as large as column"):
        model = LogisticRegression(solver="lbfgs", max_iter=2).fit(*census)
    assert not model.certificate_.holds


def test_centred_iris_over_ten_decades() -> None:
    X, y = load_iris(return_X_y=True)
    X = X - X.mean(axis=0)
    for alpha in 10.0 ** np.arange(-6, 5):
        assert LogisticRegression(alpha=alpha).fit(X, y).certificate_.holds


def test_hinge_without_intercept_at_a_tiny_tol() -> None:
    X, y = load_iris(return_X_y=True)
    explained(LinearSVM(alpha=1e-3, fit_intercept=False, tol=1e-10), X[y > 0], y[y > 0])


@pytest.mark.parametrize("classes", [2, 3])
def test_quasi_separation_by_one_dummy(classes: int) -> None:
    rng = np.random.default_rng(3)
    y = np.array(["a", "b", "c"])[rng.integers(0, classes, 300)]
    frame = pd.DataFrame({"age": rng.normal(size=300), "dummy": 0.0, "height": rng.normal(size=300)})
    frame.loc[np.flatnonzero(y == "b")[:12], "dummy"] = 1.0
    with pytest.raises(NoOptimum, match="'dummy'") as raised:
        LogisticRegression(alpha=0.0).fit(frame, y)
    assert raised.value.diagnosis is not None
    model = LogisticRegression(alpha=1e-5).fit(frame, y)
    assert model.certificate_.holds
    (finding,) = model.diagnosis_.of(OneSidedColumns)
    assert finding.columns[0].column.name == "dummy"
    assert finding.columns[0].label == "b"
    assert finding.columns[0].count == 12


@pytest.mark.parametrize("free", [True, False])
def test_a_dummy_without_penalty_is_held_by_nothing(free: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 1] + rng.logistic(size=300) > 0.0).astype(int)
    X[:, 0] = 0.0
    X[np.flatnonzero(y)[:12], 0] = 1.0
    model = LogisticRegression(alpha=0.01, l1_ratio=0.5, penalty_factors=[0.0 if free else 1.0, 1.0, 1.0]).fit(X, y)
    (finding,) = model.diagnosis_.of(OneSidedColumns)
    assert finding.columns[0].free == free
    assert ("nothing keeps its weight" in finding.sentence) == free
    assert ("penalty factor" in finding.remedy) == free


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-7, -3]])
def test_classes_in_sentences_are_those_given(labels: list[Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.array(labels)[(np.arange(200) < 3).astype(int)]
    with pytest.warns(DataWarning, match=f"lass {labels[1]} has 3 rows"):
        LogisticRegression().fit(X, y)


def test_a_column_of_1e9_beside_one_of_1e_minus_9() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2)) * [1e9, 1e-9]
    model = explained(LogisticRegression(alpha=1e-4), X, X[:, 0] * 1e-9 + rng.logistic(size=500) > 0)
    (finding,) = model.diagnosis_.of(DwarfingColumns)
    assert (finding.columns[0].name, finding.smallest.name) == ("x0", "x1")
    assert "10^18" in finding.sentence


@pytest.mark.parametrize("value", [0.0, 3.5])
def test_all_features_constant(value: float) -> None:
    with pytest.warns(DataWarning, match=r"[Ee]very column is constant"):
        model = LogisticRegression().fit(np.full((60, 3), value), np.arange(60) % 2)
    assert model.certificate_.holds
    assert model.diagnosis_.of(ConstantColumns)[0].all


def test_a_single_class() -> None:
    with pytest.raises(InvalidData, match="class"):
        LogisticRegression().fit(np.eye(3), [1, 1, 1])


def test_duplicate_and_contradictory_rows() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(50, 3)), 4, axis=0)
    y = np.arange(200) % 2
    model = LogisticRegression().fit(X, y)
    assert model.certificate_.holds
    (finding,) = model.diagnosis_.of(ContradictoryRows)
    assert (finding.count, finding.errors) == (200, 100)


def test_more_columns_than_rows() -> None:
    X = np.random.default_rng(0).normal(size=(30, 200))
    model = LogisticRegression(alpha=1e-3).fit(X, np.arange(30) % 2)
    assert model.certificate_.holds
    assert model.diagnosis_.of(MoreColumnsThanRows)


def test_a_thousand_classes() -> None:
    y = np.repeat(np.arange(1000), 2)
    X = np.random.default_rng(0).normal(size=(2000, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)  # small classes by design are no surprise
        model = LeastSquaresClassifier(alpha=1.0).fit(X, y)
    assert model.certificate_.holds
    assert any(f.kind == "few_rows" for f in model.diagnosis_)


def test_c_of_1e200() -> None:
    """α = 1/(nC) is as good as no penalty: finite where classes overlap, explained where they do not."""
    X, y = load_iris(return_X_y=True)
    alpha = 1.0 / (100 * 1e200)
    overlapping = explained(LogisticRegression(alpha=alpha), X[y > 0], y[y > 0])
    assert np.isfinite(overlapping.coef_).all()
    separable = explained(LogisticRegression(alpha=alpha), X[y < 2], y[y < 2])
    assert np.isfinite(separable.coef_).all()
    assert any(f.kind in ("near_separation", "one_sided") for f in separable.diagnosis_)


@pytest.mark.parametrize(
    "storage",
    [
        lambda X: (X > 0).astype(np.uint8),
        lambda X: sparse.csr_matrix((X > 0).astype(float)),
        lambda X: _int64(sparse.csr_matrix((X > 0).astype(float))),
    ],
)
def test_every_storage_is_diagnosed(storage: Any) -> None:
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[:, 2] = X[:, 0]
    diagnosis = LogisticRegression().fit(storage(X), np.arange(300) % 2).diagnosis_
    assert any(f.kind == "duplicates" for f in diagnosis)


def _int64(X: Any) -> Any:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def test_a_read_only_memory_map(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(300, 3)) * [1.0, 1e6, 1.0])
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert LogisticRegression().fit(X, np.arange(300) % 2).diagnosis_.of(DwarfingColumns)
