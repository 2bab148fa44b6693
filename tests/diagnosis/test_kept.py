"""What a fit keeps: rows of small data, a weak reference to large ones, nothing in a pickle."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from linsep import LogisticRegression
from linsep.diagnosis import kept
from linsep.diagnosis.checks.constant import ConstantColumns
from linsep.diagnosis.checks.scale import DwarfingColumns
from linsep.errors import InvalidData


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * [1.0, 1e5, 1.0]
    X[:, 2] = 4.0
    return X, X[:, 0] + rng.logistic(size=300) > 0


def test_small_data_are_kept_for_pipelines_and_lists() -> None:
    X, y = data()
    model = LogisticRegression().fit(X.tolist(), y.tolist())
    assert model.diagnosis_.of(ConstantColumns)
    assert model.diagnosis_ is model.diagnosis_  # made once


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_large_data_are_not_kept_alive(monkeypatch: pytest.MonkeyPatch, storage: Any) -> None:
    monkeypatch.setattr(kept, "SMALL", 100)
    X, y = data()
    given = storage(X)
    model, other = LogisticRegression().fit(given, y), LogisticRegression().fit(given, y)
    assert other.diagnosis_.of(ConstantColumns)  # the caller still holds them
    alive = weakref.ref(given)
    del given, X
    gc.collect()
    assert alive() is None
    assert "constant columns" in model.diagnosis_.unchecked
    assert "diagnose(X, y)" in str(model.diagnosis_)
    X, y = data()
    assert model.diagnose(storage(X), y).of(ConstantColumns)
    assert model.diagnosis_.unchecked == ()


def test_without_rows_the_scales_are_known() -> None:
    X, y = data()
    model = pickle.loads(pickle.dumps(LogisticRegression().fit(X, y)))
    assert model.diagnosis_.of(DwarfingColumns)
    assert not model.diagnosis_.of(ConstantColumns)


def test_a_pickle_has_the_diagnosis_if_it_was_made_and_no_rows() -> None:
    X, y = data()
    X = np.vstack([X] * 200)
    model = LogisticRegression().fit(X, np.tile(y, 200))
    made = model.diagnosis_
    written = pickle.dumps(model)
    assert len(written) < X.nbytes / 2
    again = pickle.loads(written)
    assert again.diagnosis_ == made
    assert np.array_equal(again.predict(X), model.predict(X))
    assert copy.deepcopy(model).diagnosis_ == made
    assert not hasattr(clone(model), "diagnosis_")


def test_entries_changed_since_the_fit_are_not_looked_at() -> None:
    X, y = data()
    model = LogisticRegression().fit(X, y)
    X[0, 0] += 1.0
    assert "constant columns" in model.diagnosis_.unchecked


def test_other_data_are_refused() -> None:
    X, y = data()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InvalidData, match="not the data of the fit"):
        model.diagnose(X + 1.0, y)
    with pytest.raises(InvalidData, match="not the data of the fit"):
        model.diagnose(X, y, sample_weight=np.ones(300))
    with pytest.raises(NotFittedError):
        LogisticRegression().diagnose(X, y)
    with pytest.raises(AttributeError, match="only after fit"):
        _ = LogisticRegression().diagnosis_
