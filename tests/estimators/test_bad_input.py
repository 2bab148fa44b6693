"""Bad input: each a clear error before any work, with what was given and what is allowed."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import linsep.model.fit
from linsep import LinearClassifier, LinearSVM, LogisticRegression, OneVsOne
from linsep.errors import InvalidData, InvalidParameter, InvalidType, LinsepError, Refused

X = np.random.default_rng(0).standard_normal((12, 3))
Y = np.arange(12) % 2
HOLED = X.copy()
HOLED[7, 2] = np.nan
ENDLESS = X.copy()
ENDLESS[4, 1] = -np.inf
WORDS = X.astype(object)
WORDS[3, 1] = "blue"
HUGE = X.astype(object)
HUGE[3, 1] = 10**400
RECORDS = np.zeros(12, dtype=[("a", float), ("b", float)])
THREE = np.arange(12) % 3


@pytest.fixture(autouse=True)
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*arguments: Any) -> None:
        raise AssertionError("a solver was started")

    monkeypatch.setattr(linsep.model.fit, "fit_problem", started)


DATA: dict[str, tuple[Any, Any, Any, type[Exception], str]] = {
    "no rows": (np.empty((0, 3)), [], None, InvalidData, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no features": (np.empty((12, 0)), Y, None, InvalidData, r"0 feature\(s\) \(shape=\(12, 0\)\)"),
    "one dimension": (X[:, 0], Y, None, InvalidData, r"got 1D array.*shape \(12,\).*reshape\(-1, 1\)"),
    "three dimensions": (X[None], Y, None, InvalidData, r"got 3D array.*\(1, 12, 3\)"),
    "a number": (3.0, Y, None, InvalidData, "got 0D array"),
    "ragged lists": ([[1, 2], [3]], [0, 1], None, InvalidData, "cannot be read as a table"),
    "squares that overflow": (X * 1e200, Y, None, InvalidData, "overflow float64: divide its columns"),
    "words in a frame": (pd.DataFrame(WORDS, columns=list("abc")), Y, None, InvalidData, r"row 3, column 1 \('b'\)"),
    "an array of words": (np.full((12, 3), "red"), Y, None, InvalidData, "holds the string 'red' in row 0"),
    "missing in a frame": (
        pd.DataFrame(HOLED, columns=list("abc")).astype("Float64"),
        Y,
        None,
        InvalidData,
        r"contains NaN in row 7, column 2 \('c'\). Drop or impute",
    ),
    "weights that are words": (X, Y, ["a"] * 12, InvalidData, "sample_weight holds what is not a number.*'a'"),
    "NaN": (HOLED, Y, None, InvalidData, "contains NaN in row 7, column 2. Drop or impute"),
    "infinity": (ENDLESS, Y, None, InvalidData, "contains infinity in row 4, column 1"),
    "NaN in CSR": (sparse.csr_array(HOLED), Y, None, InvalidData, "contains NaN in row 7, column 2"),
    "NaN in CSC": (sparse.csc_array(HOLED), Y, None, InvalidData, "contains NaN in row 7, column 2"),
    "NaN in float32": (HOLED.astype(np.float32), Y, None, InvalidData, "contains NaN in row 7, column 2"),
    "NaN in a frame": (
        pd.DataFrame(HOLED, columns=["a", "b", "c"]),
        Y,
        None,
        InvalidData,
        r"column 2 \('c'\)",
    ),
    "masked": (np.ma.masked_invalid(HOLED), Y, None, InvalidData, "masked"),
    "strings": (WORDS, Y, None, InvalidData, "string 'blue' in row 3, column 1.*OneHotEncoder"),
    "complex X": (X + 1j, Y, None, InvalidData, "Complex data not supported"),
    "one class": (
        X,
        np.zeros(12),
        None,
        InvalidData,
        r"one class only \(.*0.*\); a classifier needs at least two",
    ),
    "one row": (X[:1], [1], None, InvalidData, "one class only"),
    "fractions": (X, Y + 0.5, None, InvalidData, "fraction .*0.5.* in row 0.*whole numbers or strings"),
    "NaN labels": (X, np.where(Y, np.nan, 1.0), None, InvalidData, "y contains NaN in row 1"),
    "missing labels": (X, [None, *"abababababa"], None, InvalidData, "no label in row 0"),
    "mixed labels": (X, ["a", *range(11)], None, InvalidData, "mixes labels of types int, str"),
    "more labels than rows": (X, np.arange(13) % 2, None, InvalidData, "13 labels and X has 12 rows"),
    "no labels": (X, None, None, InvalidData, "y is None"),
    "a table of labels": (X, np.c_[Y, Y], None, InvalidData, r"y should be a 1d array.*\(12, 2\)"),
    "negative weight": (X, Y, [-1.0] + [1.0] * 11, InvalidData, "negative weight -1 in row 0"),
    "NaN weight": (X, Y, [1.0] * 11 + [np.nan], InvalidData, "sample_weight contains NaN in row 11"),
    "all weights zero": (X, Y, np.zeros(12), InvalidData, "zero for every row"),
    "one class has weight": (X, Y, Y, InvalidData, "class 0 has weight zero.*one class only"),
    "a class has no weight": (X, THREE, THREE > 0, InvalidData, "class 0 has weight zero.*drop these rows"),
    "too few weights": (X, Y, [1.0] * 11, InvalidData, r"sample_weight.shape == \(11,\), expected \(12,\)"),
    "weights that overflow": (X, Y, 1e308, InvalidData, "the weights of the rows sum to inf.*only their ratios count"),
    "weights that vanish": (X, Y, 1e-310, InvalidData, "the weights of the rows sum to 1.2e-309.*rescale them"),
    "a weight too large for float64": (X, Y, [10**400, *[1] * 11], InvalidData, "not a number: int too large"),
    "weights that are dates": (X, Y, np.full(12, "2020", "M8[D]"), InvalidData, r"holds datetime64\[D\]"),
    "an entry too large for float64": (HUGE, Y, None, InvalidData, "row 3, column 1 that is too large for float64"),
    "a structured array": (RECORDS, Y, None, InvalidData, "has fields.*structured_to_unstructured"),
    "a lazy frame": (pl.LazyFrame(X), Y, None, InvalidData, r"X is a LazyFrame.*X.collect\(\)"),
    "nothing": (None, Y, None, InvalidData, "X is a NoneType, no table of numbers"),
    "weights as a table": (X, Y, np.ones((12, 2)), InvalidData, "1D array or scalar"),
}


@pytest.mark.parametrize("case", DATA)
def test_bad_data(case: str) -> None:
    data, labels, weights, kind, says = DATA[case]
    with pytest.raises(kind, match=f"(?s){says}") as error:
        LogisticRegression().fit(data, labels, sample_weight=weights)
    assert isinstance(error.value, LinsepError)


PARAMETERS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"alpha": -1.0}, InvalidParameter, r"alpha=-1.0: allowed is a finite number >= 0"),
    ({"alpha": np.nan}, InvalidParameter, "alpha=nan"),
    ({"alpha": np.inf}, InvalidParameter, "alpha=inf"),
    ({"alpha": "1"}, InvalidType, "alpha='1' is a str; allowed is a finite number"),
    ({"alpha": True}, InvalidType, "alpha=True is a bool"),
    ({"alpha": None}, InvalidType, "alpha=None is a NoneType"),
    ({"alpha": 10**400}, InvalidParameter, "alpha=1000.*: allowed is a finite number"),
    ({"penalty_factors": [10**400, 1, 1]}, InvalidType, "penalty_factors=.*: allowed are numbers"),
    ({"tol": 0.0}, InvalidParameter, "tol=0.0: allowed is a finite number > 0"),
    ({"tol": -1e-3}, InvalidParameter, "tol=-0.001"),
    ({"max_iter": 0}, InvalidParameter, "max_iter=0: allowed is a whole number >= 1"),
    ({"max_iter": 1.5}, InvalidType, "max_iter=1.5 is a float"),
    (
        {"time_limit": 0},
        InvalidParameter,
        "time_limit=0: allowed is a finite number > 0, or None for no limit",
    ),
    ({"fit_intercept": 1}, InvalidType, "fit_intercept=1 is a int; allowed is True or False"),
    ({"warm_start": "yes"}, InvalidType, "warm_start='yes'"),
    ({"n_jobs": 0}, InvalidParameter, "n_jobs=0: give a whole number of threads"),
    ({"n_jobs": "all"}, InvalidParameter, "n_jobs='all'"),
    ({"random_state": -1}, InvalidParameter, "random_state=-1"),
    ({"verbose": -1}, InvalidParameter, "verbose=-1"),
    ({"verbose": "yes"}, InvalidType, "verbose='yes'"),
    ({"solver": 3}, InvalidType, "solver=3 is a int"),
    ({"class_weight": "balance"}, InvalidParameter, "class_weight='balance': allowed are None, 'balanced'"),
    ({"class_weight": {7: 1.0}}, InvalidParameter, r"names \[7\].*not among the classes \[0, 1\]"),
    ({"class_weight": {0: -1.0}}, InvalidParameter, "not negative"),
    ({"class_weight": {0: None}}, InvalidParameter, "class_weight={0: None}.*weights are finite numbers"),
    ({"class_weight": {0: 0.0}}, InvalidData, "class 0 has weight zero"),
    ({"loss": "logg"}, InvalidParameter, "unknown loss 'logg'.*the nearest is 'log'"),
    ({"loss": 3}, InvalidType, "given was 3 of type int"),
    ({"loss": "softmax"}, InvalidParameter, "give loss='log' and multiclass='softmax'"),
    ({"loss": "perceptron"}, Refused, "w = 0.*use the Perceptron estimator"),
    ({"multiclass": "ovrr"}, InvalidParameter, "unknown multiclass 'ovrr'.*nearest is 'ovr'"),
    ({"multiclass": 1}, InvalidType, "multiclass=1 is a int"),
    ({"loss": "hinge", "multiclass": "softmax"}, Refused, "is the loss 'log' for more than two classes"),
]


@pytest.mark.parametrize(("given", "kind", "says"), PARAMETERS, ids=lambda case: str(case)[:40])
def test_bad_parameters(given: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=f"(?s){says}"):
        LinearClassifier(**given).fit(X, Y)


def test_losses_of_the_svm() -> None:
    with pytest.raises(InvalidParameter, match="loss of LinearSVM 'log': allowed are 'hinge', 'squared_hinge'"):
        LinearSVM(loss="log").fit(X, Y)


@pytest.mark.parametrize("given", [["hinge"], np.zeros(3), {}])
def test_names_that_are_none(given: Any) -> None:
    with pytest.raises(InvalidParameter, match="unknown loss of LinearSVM"):
        LinearSVM(loss=given).fit(X, Y)
    with pytest.raises(InvalidParameter, match="unknown penalty"):
        LogisticRegression(penalty=given).fit(X, Y)


def test_an_offset_that_is_no_number() -> None:
    with pytest.raises(InvalidData, match="offset holds what is not a number"):
        LogisticRegression().fit(X, Y, offset=["a"] * 12)


def test_one_vs_one_with_1000_classes() -> None:
    data = np.random.default_rng(0).standard_normal((2000, 5))
    with pytest.raises(Refused, match=r"1,000 classes means 499,500 binary problems.* MiB.*'softmax', 'ovr'"):
        LogisticRegression(multiclass=OneVsOne()).fit(data, np.arange(2000) % 1000)


def test_parameters_come_before_data() -> None:
    with pytest.raises(InvalidParameter, match="alpha=-1"):
        LogisticRegression(alpha=-1).fit(HOLED, Y)
