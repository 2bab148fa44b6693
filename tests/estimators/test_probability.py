"""Probabilities from scores of left-out rows: consistent with predict, calibrated, and without class weights."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from linsep import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression, Perceptron
from linsep.errors import InvalidData, InvalidType, NotConverged
from linsep.model.calibration import Calibration
from linsep.selection.calibrate import Evidence, fit_calibration

IRIS = load_iris(return_X_y=True)
CASES = [
    LinearSVM(probability=True),
    LinearSVM("squared_hinge", probability=True),
    LinearSVM(multiclass="crammer_singer", alpha=1e-2, probability=True),
    LinearSVM(multiclass="ovo", probability=True),
    LinearClassifier("smoothed_hinge", multiclass="ecoc", probability=True),
    LeastSquaresClassifier(probability=True),
    LogisticRegression(multiclass="ovr"),
    LogisticRegression(multiclass="ovo", probability=True),
    Perceptron(probability=True),
    Perceptron(probability=True, multiclass="kesler", tie="positive"),
    Perceptron(probability=True, kernel="rbf", max_epochs=20),
]


def noisy(rows, seed=0, columns=8):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    truth = expit(2.0 * X[:, 0] - X[:, 1] - 1.0)
    return X, (random.uniform(size=rows) < truth).astype(int), truth


def fitted(estimator, X, y, **extra):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return clone(estimator).fit(X, y, **extra)


@pytest.mark.parametrize("estimator", CASES, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_predicted_class_is_the_most_probable(estimator, classes):
    X, y = IRIS[0][IRIS[1] < classes + (classes == 2)], IRIS[1][IRIS[1] < classes + (classes == 2)]
    y = np.where(y == 0, 1, y) if classes == 2 else y
    model = fitted(estimator, X, y)
    rows = np.vstack([X, np.random.default_rng(0).normal(X.mean(axis=0), 3.0 * X.std(axis=0), (300, 4))])
    P = model.predict_proba(rows)
    assert P.shape == (len(rows), classes)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(rows))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), P, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6, unique=True),
    st.lists(st.floats(1e-6, 1e6), min_size=7, max_size=7),
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=1, max_size=20),
)
def test_any_map_keeps_the_order_of_scores(knots, slopes, scores):
    inner = np.unique(np.append(knots, 0.0))
    g = Calibration(inner, np.resize(slopes, len(inner) + 1), "", 1)
    many = np.array(scores)
    values = np.sort(many.ravel())
    assert (np.diff(g(values)) >= 0.0).all()
    assert g(np.zeros(1))[0] == 0.0
    np.testing.assert_array_equal(g.probabilities(many).argmax(axis=1), many.argmax(axis=1))
    np.testing.assert_array_equal(g.probabilities(values).argmax(axis=1), (values > 0.0).astype(int))


def test_scores_a_hair_above_zero():
    g = Calibration(np.zeros(1), np.array([1.0, 1.0]), "", 1)
    tiny = np.array([5e-324, -5e-324, 0.0, 1e-20])
    np.testing.assert_array_equal(g.probabilities(tiny).argmax(axis=1), [1, 0, 0, 1])


def test_the_map_finds_the_truth():
    """Scores whose log-odds have slopes 1 and 3 on the two sides of 0."""
    random = np.random.default_rng(5)
    scores = random.normal(size=20_000)
    odds = np.where(scores > 0.0, 3.0 * scores, scores)
    codes = (random.uniform(size=len(scores)) < expit(odds)).astype(int)
    g = fit_calibration(Evidence(scores, codes, np.ones(len(codes)), "drawn"))
    at = np.array([-1.5, -1.0, -0.5, 0.3, 0.6])
    np.testing.assert_allclose(g.probabilities(at)[:, 1], expit(np.where(at > 0.0, 3.0 * at, at)), atol=0.03)


def test_the_shared_map_finds_the_truth():
    random = np.random.default_rng(6)
    scores = random.normal(size=(5000, 4))
    chances = np.exp(2.0 * scores)
    chances /= chances.sum(axis=1, keepdims=True)
    codes = (chances.cumsum(axis=1) < random.uniform(size=(5000, 1))).sum(axis=1)
    g = fit_calibration(Evidence(scores, codes, np.ones(len(codes)), "drawn"))
    assert np.abs(g.probabilities(scores) - chances).mean() < 0.015


@pytest.mark.parametrize("falling", [False, True])
def test_the_map_is_the_most_likely(falling):
    """Against SciPy, which has no derivatives; scores that fall on one side hold slopes at their bound."""
    random = np.random.default_rng(7)
    scores = random.normal(size=600)
    odds = np.where(scores > 0.0, -2.0 * scores, scores) if falling else 2.0 * scores
    codes = (random.uniform(size=600) < expit(odds)).astype(int)
    g = fit_calibration(Evidence(scores, codes, np.ones(600), "drawn"))
    size, counts = np.sqrt(np.mean(scores**2)), np.bincount(codes)
    targets = np.array([1.0 / (counts[0] + 2.0), (counts[1] + 1.0) / (counts[1] + 2.0)])[codes]

    def loss(beta):
        z = Calibration(g.knots, beta / size, "", 0)(scores)
        return np.sum(np.logaddexp(0.0, z) - targets * z) + np.sum(np.diff(beta) ** 2)

    beta = g.slopes * size
    best = minimize(loss, np.ones(len(beta)), bounds=[(1e-4, None)] * len(beta), method="L-BFGS-B")
    assert loss(beta) <= best.fun + 1e-4
    assert falling == bool((beta <= 1e-4).any())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smoothed_hinge", "squared"])
def test_near_the_truth_and_no_worse_than_scikit_learn(loss):
    X, y, _ = noisy(1500)
    Xt, yt, truth = noisy(4000, seed=1)
    ours = LinearClassifier(loss, alpha=1e-3, probability=True).fit(X, y).predict_proba(Xt)
    peer = CalibratedClassifierCV(LinearSVC(C=1.0)).fit(X, y).predict_proba(Xt)
    assert np.abs(ours[:, 1] - truth).mean() < 0.035
    assert log_loss(yt, ours) < log_loss(yt, peer) + 0.004
    assert np.mean((ours[:, 1] - yt) ** 2) < np.mean((peer[:, 1] - yt) ** 2) + 0.001


def test_digits_against_scikit_learn():
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    train, test = slice(None, None, 3), slice(1, None, 3)
    ours = LinearSVM("squared_hinge", alpha=1e-3, probability=True).fit(X[train], y[train])
    peer = CalibratedClassifierCV(LinearSVC(C=1.0)).fit(X[train], y[train])
    assert ours.model_.calibration.method == "approximate leave-one-out"
    assert log_loss(y[test], ours.predict_proba(X[test])) < log_loss(y[test], peer.predict_proba(X[test]))


def test_fitted_scores_would_be_too_sure():
    """Left-out scores are what makes the difference: 100 rows, 30 columns of noise."""
    X, y, _ = noisy(100, columns=30)
    Xt, yt, _ = noisy(3000, seed=1, columns=30)
    model = LinearSVM("squared_hinge", alpha=1e-3, probability=True).fit(X, y)
    seen = Evidence(model.decision_function(X), y, np.ones(len(y)), "fitted")
    naive = fit_calibration(seen).probabilities(model.decision_function(Xt))
    assert log_loss(yt, model.predict_proba(Xt)) < 0.92 * log_loss(yt, naive)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_same_bits_for_any_number_of_threads(loss):
    X, y, _ = noisy(3000, columns=200)
    slopes = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            model = LinearSVM(loss, alpha=1e-2, probability=True, n_jobs=threads).fit(X, y)
        slopes.append(model.model_.calibration.slopes)
    np.testing.assert_array_equal(*slopes)


def test_wide_rows_by_folds():
    random = np.random.default_rng(2)
    X = sparse.random_array((300, 4000), density=0.01, rng=random, format="csr")
    y = (X[:, :200].sum(axis=1) > X[:, 200:400].sum(axis=1)).astype(int)
    model = LinearSVM(alpha=1e-3, probability=True).fit(X, y)
    assert model.model_.calibration.method == "5 folds"
    assert "300 left-out rows (5 folds)" in model.summary()


def test_available_only_where_asked_for():
    assert not hasattr(LinearSVM(), "predict_proba")
    assert hasattr(LinearSVM(probability=True), "predict_proba")
    assert not hasattr(Perceptron(), "predict_proba")
    model = LinearSVM().fit(*IRIS).set_params(probability=True)
    assert not hasattr(model, "predict_proba")  # fitted without
    with pytest.raises(InvalidType, match="probability"):
        LinearSVM(probability=1).fit(*IRIS)


@pytest.mark.parametrize("loss", ["squared_hinge", "squared"])
def test_weights_are_copies(loss):
    X, y, _ = noisy(300)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    once = LinearClassifier(loss, alpha=1e-2, probability=True).fit(X, y, times)
    often = LinearClassifier(loss, alpha=1e-2, probability=True).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(once.predict_proba(X), often.predict_proba(X), atol=1e-4)


def test_not_fitted():
    for method in ("predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(Perceptron(probability=True), method)([[0.0]])


def test_a_class_of_one_row():
    X, y = IRIS
    rows = np.r_[:101]
    for estimator in (LinearSVM(probability=True), Perceptron(probability=True)):
        with pytest.raises(InvalidData, match="class"):
            fitted(estimator, X[rows], y[rows])


def test_record():
    g = LinearSVM(probability=True).fit(*IRIS).model_.calibration
    again = Calibration.from_record(g.record())
    z = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_array_equal(g.probabilities(z), again.probabilities(z))


# -- class weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(alpha=1e-3), LinearSVM("squared_hinge", alpha=1e-3, probability=True)]
)
def test_class_weights_change_the_decision_not_the_truth(estimator):
    X, y, _ = noisy(4000)
    Xt, yt, truth = noisy(4000, seed=1)
    weighted = clone(estimator).set_params(class_weight={0: 1.0, 1: 6.0}).fit(X, y)
    plain = clone(estimator).fit(X, y)
    assert weighted.predict(Xt).mean() > plain.predict(Xt).mean() + 0.1
    P = weighted.predict_proba(Xt)
    assert abs(P[:, 1].mean() - truth.mean()) < 0.02
    assert log_loss(yt, P) < log_loss(yt, plain.predict_proba(Xt)) + 0.02
    # predict's threshold: the odds times the ratio of the weights are above 1
    odds = P[:, 1] / P[:, 0]
    clear = np.abs(np.log(6.0 * odds)) > 1e-9
    np.testing.assert_array_equal((6.0 * odds > 1.0)[clear], weighted.predict(Xt)[clear] == 1)
    assert "class weights are divided out of predict_proba" in weighted.summary()


@pytest.mark.parametrize("scheme", ["softmax", "ovr"])
def test_balanced_classes_of_unequal_size(scheme):
    X, y = IRIS
    rows = np.r_[0:50, 50:70, 100:140]
    model = LogisticRegression(alpha=1e-2, class_weight="balanced", multiclass=scheme).fit(X[rows], y[rows])
    P, factors = model.predict_proba(X), model.model_.origin.class_factors
    np.testing.assert_allclose(factors, 110 / (3 * np.array([50, 20, 40])))
    unweighted = P * factors
    np.testing.assert_array_equal(unweighted.argmax(axis=1), model.predict(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), P, rtol=1e-9)


def test_rows_far_out_in_rare_columns_go_by_folds():
    """One linear step moves such rows far beyond all others, and would bend the map for every row."""
    n, rng = 3000, np.random.default_rng(0)
    X = rng.normal(size=(2 * n, 10))
    X[:, -3:] *= 50.0 * (rng.random((2 * n, 3)) < 0.01)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=2 * n) > 0).astype(int)
    model = LinearSVM(alpha=1 / n, probability=True).fit(X[:n], y[:n])
    assert model.model_.calibration.method == "5 folds"
    p, truth = model.predict_proba(X[n:])[:, 1], expit(1.7 * (X[n:, 0] + X[n:, 1]))
    assert np.mean((p - y[n:]) ** 2) <= np.mean((truth - y[n:]) ** 2) + 0.01


@pytest.mark.parametrize(("loss", "multiclass"), [("log", "ovr"), ("log", "softmax"), ("exponential", "ovr")])
def test_saturated_scores_agree_with_predict(loss: str, multiclass: str) -> None:
    """Far out the sigmoids of several classes are 1 in float64, and near the boundary all probabilities are equal."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = (X @ random.normal(size=(4, 5)) + random.gumbel(size=(200, 5))).argmax(axis=1)
    for labels in (y, y > 1):
        model = LinearClassifier(loss, alpha=0.01, multiclass=multiclass if labels is y else "auto").fit(X, labels)
        new = np.vstack([scale * random.normal(size=(200, 4)) for scale in (1.0, 1e3, 1e6)])
        P = model.predict_proba(new)
        assert (model.classes_[P.argmax(axis=1)] == model.predict(new)).all()
        np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
