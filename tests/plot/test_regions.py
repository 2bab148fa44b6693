"""Decision regions are what the model predicts; ambiguous regions are where its binary answers contradict."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from linsep import KernelSVM, LinearSVM, LogisticRegression, plot
from linsep.errors import InvalidData, InvalidParameter
from tests.plot.cases import contour_points, dots, mixed, three


def grid(ax):
    """The positions (m, 2) of the painted pixels' centres, and the codes there."""
    image = ax.images[0]
    codes = np.asarray(image.get_array())
    left, right, bottom, top = image.get_extent()
    rows, columns = codes.shape
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    across, up = np.meshgrid(x, y)
    return np.column_stack([across.ravel(), up.ravel()]), codes.ravel()


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), LinearSVM(multiclass="ovo"), KernelSVM(alpha=1e-2), KNeighborsClassifier(3)],
    ids=lambda m: type(m).__name__,
)
def test_colours_are_predictions(model):
    X, y = three()
    ax = plot.decision_regions(model.fit(X, y), X, y)
    at, codes = grid(ax)
    near = np.random.default_rng(0).choice(len(at), 3000, replace=False)
    predicted = np.searchsorted(model.classes_, model.predict(at[near]))
    assert np.mean(predicted == codes[near]) > 0.999  # a centre may be rounded across a border
    for k, label in enumerate("ABC"):
        assert np.array_equal(dots(ax, label), X[y == label]), k


def test_the_boundary_has_score_zero():
    X, y = mixed()
    model = LogisticRegression(alpha=1e-2).fit(X, y)
    ax = plot.decision_regions(model, X, y)
    scores = model.decision_function(contour_points(ax, 0.0))
    assert np.abs(scores).max() < 1e-9


def test_a_pair_of_named_features_with_the_rest_fixed():
    iris = load_iris(as_frame=True)
    model = LogisticRegression().fit(iris.data, iris.target)
    pair = ("petal width (cm)", "sepal length (cm)")
    ax = plot.decision_regions(model, iris.data, iris.target, features=pair, fixed={"sepal width (cm)": 2.5})
    assert (ax.get_xlabel(), ax.get_ylabel()) == pair
    assert "sepal width (cm) = 2.5" in ax.get_title()
    at, codes = grid(ax)
    full = np.tile(iris.data.to_numpy().mean(axis=0), (len(at), 1))
    full[:, 3], full[:, 0], full[:, 1] = at[:, 0], at[:, 1], 2.5
    predicted = model.predict(pd.DataFrame(full, columns=iris.data.columns))
    assert np.mean(predicted == codes) > 0.999


@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_containers_and_numbers(container):
    iris = load_iris(as_frame=True)
    X = container(iris.data)
    model = LogisticRegression().fit(X, iris.target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot.decision_regions(model, X, iris.target, features=(0, -1))
    assert ax.get_ylabel() == "petal width (cm)"
    assert "petal length (cm) = 3.76" in ax.get_title()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, InvalidData, "X has 4 features and a picture shows two: name them"),
        ({"features": ("x[0]", "x[7]")}, InvalidParameter, "unknown feature 'x\\[7\\]'"),
        ({"features": (0, 9)}, InvalidParameter, "feature 9: X has 4 columns, from 0 to 3"),
        ({"features": (1, 1)}, InvalidParameter, "the same feature twice"),
        ({"features": "petal"}, InvalidParameter, "two names or two numbers"),
        ({"features": (0, 1), "fixed": {0: 1.0}}, InvalidParameter, "which the picture shows"),
        ({"features": (0, 1), "fixed": {2: "wide"}}, InvalidParameter, "finite numbers"),
        ({"features": (0, 1), "fixed": [1.0]}, InvalidParameter, "a mapping"),
        ({"features": (0, 1), "ax": "here"}, InvalidParameter, "allowed are matplotlib axes"),
    ],
)
def test_what_is_refused(given, error, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(error, match=words):
        plot.decision_regions(LogisticRegression().fit(X, y), X, y, **given)


def test_models_and_data_must_fit():
    X, y = three()
    with pytest.raises(NotFittedError):
        plot.decision_regions(LogisticRegression(), X, y)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InvalidData, match="X has 3 features, but LogisticRegression was fitted to 2"):
        plot.decision_regions(model, np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(InvalidData, match="which is not a class of the model"):
        plot.decision_regions(model, X, np.where(y == "A", "Z", y))
    with pytest.raises(InvalidData, match="NaN"):
        plot.decision_regions(model, np.where(X > 1, np.nan, X), y)
    with pytest.raises(InvalidParameter, match="no method predict"):
        plot.decision_regions("a model", X, y)
    many = np.arange(len(y)) % 9
    with pytest.raises(InvalidData, match="9 classes, and a picture tells 8 apart"):
        plot.decision_regions(LogisticRegression(alpha=1e-2).fit(X, many), X, many)


@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_ambiguous_regions_by_counting_claims(scheme):
    X, y = three()
    model = LinearSVM(multiclass=scheme, alpha=0.1).fit(X, y)
    ax = plot.ambiguous_regions(model, X, y)
    at, codes = grid(ax)
    scores = at @ model.coef_.T + model.intercept_
    if scheme == "ovr":
        claims = scores > 0
    else:
        wins = np.array([(s[0] <= 0, s[0] > 0, 0) for s in scores], dtype=int)
        wins += np.array([(s[1] <= 0, 0, s[1] > 0) for s in scores], dtype=int)
        wins += np.array([(0, s[2] <= 0, s[2] > 0) for s in scores], dtype=int)
        claims = wins == 2
    expected = np.where(claims.sum(axis=1) == 1, claims.argmax(axis=1), 3)
    assert np.mean(codes == expected) > 0.999
    assert (codes == 3).any()
    clear = codes < 3
    assert np.mean(np.array(["A", "B", "C"])[codes[clear]] == model.predict(at[clear])) > 0.999


def test_only_reductions_are_ambiguous():
    X, y = three()
    with pytest.raises(InvalidParameter, match="multiclass='ovr' or 'ovo'"):
        plot.ambiguous_regions(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(InvalidData, match="two classes have one margin"):
        plot.ambiguous_regions(LinearSVM().fit(*mixed()), *mixed())
