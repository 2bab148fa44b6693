"""GradientClassifier: where it converges to, when it stops, what it says, streams."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import GradientClassifier, GradientStatus, LinearClassifier, LogisticRegression
from linsep.data.source import as_design
from linsep.errors import Diverged, InvalidData, InvalidParameter, LinsepError, NotConverged
from linsep.online.gradient_rate import largest_eigenvalue
from linsep.online.gradient_stream import grow
from linsep.problem import multiclass
from linsep.problem.losses import get

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
CANCER_X, CANCER_Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks(
    [
        GradientClassifier(),
        GradientClassifier("hinge", batch=8, learning_rate="inverse_scaling", scale=True),
        GradientClassifier("squared", batch="batch", multiclass="ovr", tol_w=1e-3, targets="binary"),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        check(estimator)


def blobs(n: int = 200, d: int = 6, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % classes)
    return random.normal(size=(n, d)) + random.normal(size=(classes, d))[y], y


# -- where it ends ------------------------------------------------------------------------------------------


def test_steepest_descent_on_the_squared_loss_is_least_squares() -> None:
    X, y = blobs()
    model = GradientClassifier("squared", alpha=0, batch="batch", tol_loss=None, tol_w=1e-12, max_epochs=20_000)
    model.fit(X, y)
    exact = np.linalg.lstsq(np.column_stack((X, np.ones(len(X)))), 2.0 * y - 1, rcond=None)[0]
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), exact, atol=1e-9)
    assert model.status_ is GradientStatus.SMALL_STEP


@pytest.mark.parametrize("classes", [2, 3])
def test_steepest_descent_reaches_the_certified_optimum(classes: int) -> None:
    X, y = blobs(classes=classes)
    model = GradientClassifier(alpha=1e-2, batch="batch", tol_loss=1e-15, max_epochs=20_000).fit(X, y)
    exact = LogisticRegression(alpha=1e-2).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5)
    assert model.history_[-1].objective == pytest.approx(exact.certificate_.primal, abs=1e-10)
    values = [line.objective for line in model.history_]
    assert (np.diff(values) <= 1e-15).all()  # with 1/L every step descends
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@pytest.mark.parametrize("mode", ["stochastic", 10])
def test_falling_rates_come_near_the_optimum(mode: Any) -> None:
    X, y = blobs(1000)
    model = GradientClassifier(
        alpha=1e-2, batch=mode, learning_rate="inverse_scaling", eta0=0.5, tol_loss=None, max_epochs=50
    ).fit(X, y)
    exact = LogisticRegression(alpha=1e-2).fit(X, y).certificate_.primal
    assert model.history_[-1].objective < exact * 1.002
    assert model.status_ is GradientStatus.ALL_EPOCHS
    # the smoothed loss is near the loss it stands for
    assert model.history_[-1].smoothed == pytest.approx(model.history_[-1].loss, rel=0.05)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_steepest_descent_with_l1_reaches_the_certified_optimum(ratio: float) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    settings = {"alpha": 0.03, "l1_ratio": ratio}
    best = LinearClassifier(**settings, tol=1e-8).fit(X, y)
    found = GradientClassifier(**settings, batch="batch", tol_loss=None, tol_w=1e-9, max_epochs=50_000).fit(X, y)
    assert found.history_[-1].objective == pytest.approx(best.certificate_.primal, rel=1e-8)
    np.testing.assert_array_equal(found.coef_ == 0.0, best.coef_ == 0.0)
    assert 0 < (found.coef_ == 0.0).sum() < X.shape[1]
    assert "‖w‖₁" in found.summary()


@pytest.mark.parametrize("mode", ["stochastic", 8])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_l1_on_sparse_rows_is_that_on_dense_rows(loss: str, mode: Any) -> None:
    random = np.random.default_rng(0)
    X = sparse.random(200, 50, 0.1, format="csr", random_state=random)
    y = (X @ random.normal(size=50) > 0.0).astype(int)
    settings = {"alpha": 0.01, "l1_ratio": 0.7, "batch": mode, "tol_loss": None, "max_epochs": 3, "random_state": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, columns = (GradientClassifier(loss, **settings).fit(given, y) for given in (X, X.toarray()))
    np.testing.assert_allclose(rows.coef_, columns.coef_, rtol=1e-9, atol=1e-12)
    assert (rows.coef_ == 0.0).any()


def test_the_curvature_is_that_of_the_matrix() -> None:
    X, _ = blobs()
    for ones in (True, False):
        Z = np.column_stack((X, np.ones(len(X)))) if ones else X
        exact = np.linalg.eigvalsh(Z.T @ Z / len(Z))[-1]
        for given in (X, sparse.csr_array(X)):
            assert largest_eigenvalue(as_design(given, 1), ones) == pytest.approx(exact, rel=0.02)
    assert largest_eigenvalue(as_design(np.zeros((4, 2)), 1), False) == 0.0


def test_sigmoid_ends_by_its_start() -> None:
    random = np.random.default_rng(0)
    x = np.concatenate((random.normal(-1, 0.3, 60), random.normal(1, 0.3, 60), random.normal(6, 0.3, 40)))[:, None]
    y = np.repeat([0, 1, 0], [60, 60, 40])
    common = {"alpha": 0.0, "batch": "batch", "tol_loss": None, "tol_w": 1e-9, "max_epochs": 2000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        ends = [
            GradientClassifier("sigmoid", start=[w, b], **common).fit(x, y).history_[-1].loss
            for w, b in ((6.0, 0.0), (-6.0, 20.0))
        ]
    assert abs(ends[0] - ends[1]) > 0.05


def test_random_start_by_its_seed() -> None:
    X, y = blobs()
    common = {"start": "random", "max_epochs": 1, "tol_loss": None, "record": "epochs"}
    first, again = (GradientClassifier(random_state=1, **common).fit(X, y) for _ in range(2))
    other = GradientClassifier(random_state=2, **common).fit(X, y)
    np.testing.assert_array_equal(first.path_, again.path_)
    assert (first.path_[0] != other.path_[0]).all()
    assert (np.abs(first.path_[0]) <= 0.5 / X.shape[1]).all()
    assert first.path_.shape == (2, 1, X.shape[1] + 1)


# -- rules --------------------------------------------------------------------------------------------------


def test_rules_singly_and_together() -> None:
    X, y = blobs()
    common = {"batch": "batch", "max_epochs": 5000, "alpha": 0.01}
    by_w = GradientClassifier(tol_w=1e-4, tol_loss=None, **common).fit(X, y)
    by_loss = GradientClassifier(tol_w=None, tol_loss=1e-6, **common).fit(X, y)
    both = GradientClassifier(tol_w=1e-4, tol_loss=1e-6, **common).fit(X, y)
    assert by_w.status_ is GradientStatus.SMALL_STEP
    assert by_w.history_[-1].change < 1e-4 <= by_w.history_[-2].change
    assert by_loss.status_ is GradientStatus.SMALL_CHANGE
    change = [line.objective for line in by_loss.history_[-3:]]
    assert change[1] - change[2] < 1e-6 <= change[0] - change[1]
    assert both.n_iter_ == min(by_w.n_iter_, by_loss.n_iter_)


def test_the_budget_is_not_silent() -> None:
    X, y = blobs()
    with pytest.warns(NotConverged, match=r"max_epochs was reached.*after 2 epochs.*Raise max_epochs"):
        model = GradientClassifier(max_epochs=2, tol_loss=1e-12).fit(X, y)
    assert model.status_ is GradientStatus.MAX_EPOCHS
    assert model.n_iter_ == 2
    with pytest.warns(NotConverged, match="learning_rate='curvature'"):  # it went up: the rate is to blame
        GradientClassifier(batch="batch", learning_rate="constant", eta0=500.0, max_epochs=2).fit(X, y)


@pytest.mark.parametrize("mode", ["batch", "stochastic", 10])
@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_divergence_is_explained_and_the_suggested_rate_works(loss: str, mode: Any) -> None:
    X, y = CANCER_X, CANCER_Y
    model = GradientClassifier(loss, batch=mode, learning_rate="constant", eta0=0.1)
    with pytest.raises(Diverged, match=r"diverged: after .* with eta0=0.1.*L = .*Use eta0=.*scale=True") as caught:
        model.fit(X, y)
    assert model.status_ is GradientStatus.DIVERGED
    assert model.history_
    assert not hasattr(model, "coef_")
    suggested = float(str(caught.value).split("Use eta0=")[1].split(" or")[0])
    model.set_params(eta0=suggested, max_epochs=30, tol_loss=None).fit(X, y)
    assert model.history_[-1].loss < model.history_[0].loss


def test_slow_divergence_is_seen_before_it_overflows() -> None:
    X, y = blobs()
    L = 2 * largest_eigenvalue(as_design(X, 1), True)
    model = GradientClassifier("squared", alpha=0, batch="batch", learning_rate="constant", eta0=2.2 / L)
    with pytest.raises(Diverged):
        model.fit(X, y)
    assert np.isfinite(model.history_[-1].loss)
    model.set_params(eta0=1.8 / L).fit(X, y)  # below 2/L it converges
    assert model.status_ is GradientStatus.SMALL_CHANGE


def test_exponential_is_told_to_try() -> None:
    X, y = blobs()
    with pytest.raises(Diverged, match=r"Use eta0|use eta0"):
        GradientClassifier("exponential", learning_rate="constant", eta0=100.0).fit(X, y)


# -- scaling ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [np.asarray, sparse.csr_array, np.asfortranarray])
@pytest.mark.parametrize("intercept", [True, False])
def test_scaling_is_seen_in_the_epochs_and_not_in_the_units(given: Any, intercept: bool) -> None:
    X, y = given(CANCER_X), CANCER_Y
    common = {"batch": "batch", "alpha": 0.01, "fit_intercept": intercept, "max_epochs": 3000}
    model = GradientClassifier(scale=True, record="epochs", **common).fit(X, y)
    centre = intercept and given is not sparse.csr_array
    mean = CANCER_X.mean(axis=0) if centre else 0.0
    Z = (CANCER_X - mean) / np.sqrt(((CANCER_X - mean) ** 2).mean(axis=0))
    outside = GradientClassifier(**common).fit(Z, y)
    np.testing.assert_allclose(model.decision_function(X), outside.decision_function(Z), rtol=1e-6, atol=1e-8)
    assert model.n_iter_ == outside.n_iter_
    scores = CANCER_X @ model.path_[-1, 0, :-1] + model.path_[-1, 0, -1]
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-8)
    assert intercept or model.intercept_[0] == 0.0


def test_scaling_needs_fewer_epochs_for_a_lower_loss() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        plain, scaled = (
            GradientClassifier(batch="batch", scale=s, tol_loss=1e-5, max_epochs=400).fit(CANCER_X, CANCER_Y)
            for s in (False, True)
        )
    assert scaled.history_[20].loss < plain.history_[-1].loss


def test_a_start_is_in_the_units_of_X() -> None:
    start = np.linspace(-1e-3, 1e-3, 31)
    model = GradientClassifier(scale=True, start=start, record="epochs", max_epochs=1, tol_loss=None)
    np.testing.assert_allclose(model.fit(CANCER_X, CANCER_Y).path_[0, 0], start, atol=1e-12)


# -- streams ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["stochastic", 10])
@pytest.mark.parametrize("classes", [2, 3])
def test_chunks_are_one_pass_in_the_given_order(classes: int, mode: Any) -> None:
    X, y = blobs(200, classes=classes)
    common = {"batch": mode, "learning_rate": "inverse_scaling", "eta0": 0.3}
    whole = GradientClassifier(shuffle=False, max_epochs=1, tol_loss=None, **common).fit(X, y)
    stream = GradientClassifier(**common)
    for chunk in np.split(np.arange(200), [50, 60, 130]):
        stream.partial_fit(X[chunk], y[chunk], classes=np.arange(classes))
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, rtol=1e-12, atol=1e-14)
    assert stream.status_ is GradientStatus.STREAM
    size = 1 if mode == "stochastic" else 10
    assert [line.updates * size for line in stream.history_] == [0, 50, 60, 130, 200]
    assert "partial_fit" in stream.summary()


def test_classes_that_appear_later() -> None:
    X, y = blobs(300, classes=4)
    labels = np.array(["ash", "birch", "cedar", "oak"])[y]
    stream = GradientClassifier(learning_rate="constant", eta0=0.1)
    stream.partial_fit(X[y == 1], labels[y == 1])
    assert stream.classes_.tolist() == ["birch"]
    assert (stream.predict(X) == "birch").all()
    assert (stream.predict_proba(X) == 1.0).all()
    assert (stream.coef_ == 0.0).all()
    two = (y == 1) | (y == 3)
    stream.partial_fit(X[two], labels[two])
    assert stream.classes_.tolist() == ["birch", "oak"]
    assert stream.coef_.shape == (1, X.shape[1])
    before = stream.predict_proba(X)
    stream.partial_fit(X[:1], labels[:1], classes=labels)
    assert stream.classes_.tolist() == ["ash", "birch", "cedar", "oak"]
    assert stream.coef_.shape == (4, X.shape[1])
    after = stream.predict_proba(X)
    # the odds of the two known classes are kept, up to the one update made since
    np.testing.assert_allclose(after[:, 3] / (after[:, 1] + after[:, 3]), before[:, 1], atol=0.25)
    for _ in range(20):
        stream.partial_fit(X, labels)
    assert stream.score(X, labels) > 0.7
    again = pickle.loads(pickle.dumps(stream)).partial_fit(X, labels)
    np.testing.assert_array_equal(again.coef_, stream.partial_fit(X, labels).coef_)


@pytest.mark.parametrize(("loss", "scheme"), [("log", "softmax"), ("hinge", "ovr"), ("squared", "one_of_k")])
def test_two_classes_become_three(loss: str, scheme: str) -> None:
    w = np.array([1.0, -2.0, 0.5])
    found = multiclass.find(scheme, get(loss))
    grown = grow(w, np.array([3, 7]), np.array([3, 5, 7]), found)
    assert grown.shape == (3, 3)
    assert (grown[:, 1] == 0.0).all()
    x = np.array([0.3, 0.9, 1.0])
    z, f = x @ grown, x @ w
    expected = {"softmax": (-f / 2, f / 2), "ovr": (-f, f), "one_of_k": ((1 - f) / 2, (1 + f) / 2)}[scheme]
    np.testing.assert_allclose(z[[0, 2]], expected)
    wider = grow(grown, np.array([3, 5, 7]), np.array([1, 3, 5, 7]), found)
    np.testing.assert_array_equal(wider[:, 1:], grown)


def test_a_stream_goes_on_from_a_fit() -> None:
    X, y = blobs(classes=3)
    model = GradientClassifier(max_epochs=3, tol_loss=None).fit(X, y)
    updates, coef = model.history_[-1].updates, model.coef_
    model.partial_fit(X, y)
    assert model.history_[-1].updates == updates + len(X)
    assert not np.array_equal(model.coef_, coef)


def test_a_stream_refuses_what_it_cannot_do() -> None:
    X, y = blobs()
    assert not hasattr(GradientClassifier(scale=True), "partial_fit")
    model = GradientClassifier().partial_fit(X, y)
    with pytest.raises(InvalidData, match="use one type"):
        model.partial_fit(X, np.where(y == 0, "a", "b"))
    with pytest.raises(InvalidData, match="6 features"):
        model.partial_fit(X[:, :3], y)
    with pytest.raises(Diverged, match="Use eta0"):
        GradientClassifier("squared", learning_rate="constant", eta0=1e6).partial_fit(X, y)


def test_the_rate_of_a_stream_falls_where_a_chunk_needs_it() -> None:
    X, y = blobs()
    model = GradientClassifier("squared").partial_fit(X, y)
    first = model.eta0_
    model.partial_fit(100.0 * X, y)
    assert model.eta0_ < first / 1000
    second = model.eta0_
    assert model.partial_fit(X, y).eta0_ == second


# -- parameters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"batch": "sgd"}, "unknown batch"),
        ({"batch": 0}, "batch=0: allowed are"),
        ({"batch": 1.5}, r"batch=1.5: allowed are"),
        ({"learning_rate": "optimal"}, "unknown learning_rate 'optimal'"),
        ({"eta0": 0.1}, "chooses the rate itself"),
        ({"learning_rate": "constant", "eta0": 0.0}, "eta0=0.0: allowed is"),
        ({"targets": "01"}, "unknown targets"),
        ({"start": "ones"}, "unknown start"),
        ({"start": np.zeros(3)}, r"start has shape \(3,\)"),
        ({"start": np.full(7, np.nan)}, "NaN"),
        ({"start": np.ones(7), "fit_intercept": False}, "fit_intercept=False"),
        ({"smoothing": 1.5}, "0 < a <= 1"),
        ({"tol_w": -1.0}, "tol_w"),
        ({"max_epochs": 0}, "max_epochs=0"),
        ({"record": "all"}, "unknown record"),
        ({"multiclass": "ovo"}, "many problems on their own rows"),
        ({"loss": "softmax"}, "loss of K scores"),
        ({"alpha": -1}, "alpha=-1"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    X, y = blobs()
    with pytest.raises(LinsepError, match=message):
        GradientClassifier(**parameters).fit(X, y)


def test_no_sample_weights() -> None:
    X, y = blobs()
    with pytest.raises(TypeError):
        GradientClassifier().fit(X, y, sample_weight=np.ones(len(y)))


def test_threads_and_storage_do_not_matter() -> None:
    X, y = blobs(20_000, 10)
    models = [
        GradientClassifier(n_jobs=n, max_epochs=2, tol_loss=None).fit(given, y)
        for n, given in ((1, X), (2, X), (2, np.asfortranarray(X)))
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)


def test_probabilities_where_the_loss_gives_them() -> None:
    X, y = blobs()
    assert not hasattr(GradientClassifier("hinge"), "predict_proba")
    for loss in ("log", "exponential"):
        model = GradientClassifier(loss, scale=True).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_summary_and_history() -> None:
    signed = GradientClassifier(scale=True).fit(IRIS_X[:100], IRIS_Y[:100])
    binary = clone(signed).set_params(targets="binary").fit(IRIS_X[:100], IRIS_Y[:100])
    assert "y in {−1, 1}" in signed.summary()
    assert "σ(z) − t" in binary.summary()
    assert "tol_loss" in signed.summary()
    first, last = signed.history_[0], signed.history_[-1]
    assert (first.epoch, first.updates, first.change) == (0, 0, 0.0)
    assert first.loss == first.smoothed == pytest.approx(np.log(2))
    assert last.updates == 100 * last.epoch
    assert np.isfinite(last.loss)
    assert last.seconds >= first.seconds
    three = GradientClassifier(scale=True).fit(IRIS_X, IRIS_Y)
    assert "W ← W" in three.summary()
    with pytest.raises(InvalidParameter):
        GradientClassifier(verbose=-1).fit(IRIS_X, IRIS_Y)


def test_verbose_writes_epochs(capsys: pytest.CaptureFixture[str]) -> None:
    GradientClassifier(verbose=2, max_epochs=2, tol_loss=None).fit(IRIS_X, IRIS_Y)
    assert capsys.readouterr().err.count("epoch") == 3
