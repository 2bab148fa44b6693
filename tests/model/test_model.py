"""The model as a value: predictions, probabilities, fingerprints, words."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.datasets import load_iris

from linsep import LogisticRegression
from linsep.errors import InvalidData, Refused
from linsep.model import Effort, LinearModel, Objective, fit_model, read_training
from linsep.model import model as model_module
from linsep.problem import losses, multiclass

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]


def fitted(
    loss: str = "log", scheme: Any = "auto", alpha: float = 1e-2, rows: Any = slice(None), **effort: Any
) -> LinearModel:
    training = read_training(X[rows], NAMES[rows], None, None, 2)
    margin = losses.get(loss)
    found = multiclass.of_classes(multiclass.find(scheme, margin), training.n_classes)
    return fit_model(training, Objective(margin, found, alpha, True), Effort(**effort))


@pytest.fixture(scope="module")
def binary() -> LinearModel:
    return fitted(rows=y > 0)


@pytest.fixture(scope="module")
def joint() -> LinearModel:
    return fitted()


@pytest.fixture(scope="module")
def rest() -> LinearModel:
    return fitted(scheme="ovr")


def test_two_classes(binary: LinearModel) -> None:
    assert binary.coef.shape == (1, 4)
    assert binary.intercept.shape == (1,)
    scores = X @ binary.coef[0] + binary.intercept[0]
    assert np.allclose(binary.decision_function(X), scores, rtol=1e-12)
    assert (binary.predict(X) == np.where(scores > 0, "virginica", "versicolor")).all()
    assert np.allclose(binary.predict_proba(X), np.c_[expit(-scores), expit(scores)], rtol=1e-12)


def test_joint_weights_are_in_the_gauge_of_sum_zero(joint: LinearModel) -> None:
    assert joint.multiclass == joint.loss == "softmax"
    assert np.abs(joint.coef.sum(axis=0)).max() < 1e-14 * np.abs(joint.coef).max()
    assert abs(joint.intercept.sum()) < 1e-13 * np.abs(joint.intercept).max()
    scores = X @ joint.coef.T + joint.intercept
    assert np.allclose(joint.decision_function(X), scores)
    assert np.allclose(joint.predict_proba(X), softmax(scores, axis=1))
    assert (joint.predict(X) == joint.classes[scores.argmax(axis=1)]).all()


def test_one_vs_rest_probabilities_are_normalised(rest: LinearModel) -> None:
    p = expit(rest.scores(X))
    assert np.allclose(rest.predict_proba(X), p / p.sum(axis=1, keepdims=True))
    assert np.allclose(np.exp(rest.predict_log_proba(X)), rest.predict_proba(X))


def test_exponential_loss_doubles_the_score() -> None:
    model = fitted("exponential", rows=y > 0)
    assert np.allclose(model.predict_proba(X)[:, 1], expit(2.0 * model.scores(X)))


def test_logarithms_stay_finite_where_probabilities_underflow(
    binary: LinearModel, joint: LinearModel, rest: LinearModel
) -> None:
    for model in (binary, joint, rest):
        logs = model.predict_log_proba(1e4 * X)
        assert np.isfinite(logs).all()
        assert np.isfinite(model.predict_proba(1e4 * X)).all()
        assert np.allclose(model.predict_proba(1e4 * X).sum(axis=1), 1.0)


@pytest.mark.parametrize(("loss", "scheme"), [("squared", "auto"), ("log", "ovo"), ("log", "ecoc")])
def test_no_probabilities_where_there_are_none(loss: str, scheme: str) -> None:
    model = fitted(loss, scheme)
    assert not model.gives_probabilities
    with pytest.raises(Refused, match="gives no probabilities"):
        model.predict_proba(X)


def test_predictions_in_blocks_are_the_same(joint: LinearModel, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (X, sparse.csr_array(X), np.asfortranarray(X)):
        whole = joint.predict(data)
        with monkeypatch.context() as patch:
            patch.setattr(model_module, "_BLOCK", 21)
            assert (joint.predict(data) == whole).all()
            broken = data.copy()
            broken[140, 2] = np.nan
            with pytest.raises(InvalidData, match="NaN in row 140, column 2"):
                joint.predict(broken)


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_array, np.ndarray.tolist])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_entries_are_found_at_predict(
    binary: LinearModel, joint: LinearModel, storage: Callable[[Any], Any], bad: float
) -> None:
    data = X.copy()
    data[17, 3] = bad
    what = "NaN" if np.isnan(bad) else "infinity"
    for model in (binary, joint):
        for method in (model.predict, model.decision_function, model.predict_proba):
            with pytest.raises(InvalidData, match=f"Input X contains {what} in row 17, column 3"):
                method(storage(data))


def test_scores_that_overflow_are_not_called_nan(binary: LinearModel) -> None:
    with pytest.raises(InvalidData, match="overflow float64"):
        binary.predict(np.full((1, 4), 1e308) * np.sign(binary.coef))


def test_weights_are_frozen(joint: LinearModel) -> None:
    with pytest.raises(ValueError, match="read-only"):
        joint.coef[0, 0] = 1.0
    with pytest.raises(AttributeError):
        joint.w = joint.w  # type: ignore[misc]
    other = replace(joint, w=2.0 * joint.w)
    assert np.allclose(other.decision_function(X), 2.0 * joint.decision_function(X))


def test_fingerprints_tell_data_apart_and_not_storage() -> None:
    def prints(data: Any, labels: Any, weights: Any = None) -> dict[str, str]:
        training = read_training(data, labels, weights, None, 2)
        margin = losses.get("log")
        scheme = multiclass.of_classes(multiclass.find("ovr", margin), training.n_classes)
        model = fit_model(training, Objective(margin, scheme, 1.0, True), Effort())
        return {key: model.fingerprints[key] for key in ("X", "y", "weights")}

    base = prints(X, NAMES)
    assert prints(sparse.csr_array(X), NAMES.tolist()) == base
    assert prints(np.asfortranarray(X), NAMES.astype(object)) == base
    changed = X.copy()
    changed[3, 1] += 1e-9
    assert prints(changed, NAMES)["X"] != base["X"]
    swapped = NAMES.copy()
    swapped[[0, 149]] = swapped[[149, 0]]
    assert prints(X, swapped)["y"] != base["y"]
    assert prints(X, np.char.upper(NAMES))["y"] != base["y"]
    assert prints(X, NAMES, np.ones(150))["weights"] != base["weights"] == "none"


def test_summary_says_what_matters(binary: LinearModel, rest: LinearModel) -> None:
    words = binary.summary()
    assert "100 rows, 4 features, 2 classes (versicolor, virginica)" in words
    assert "log loss" in words
    assert "C = 1/(nα) = 1\n" in words
    assert "certificate holds: P = " in words
    assert "x3" in words
    assert "intercept" in words
    assert "worst of 3 problems" in rest.summary()
    assert "RidgeClassifier(alpha=0.75)" in fitted("squared").summary()


def test_summary_counts_weights_that_are_not_shown() -> None:
    X = np.random.default_rng(0).normal(size=(300, 40))
    y = X[:, :15].sum(axis=1) > 0.0
    coef = (model := LogisticRegression(alpha=0.02, l1_ratio=1.0).fit(X, y)).coef_
    used = int((coef != 0.0).sum())
    assert 12 < used < 40
    assert f"and {used - 12} features with smaller weights, {40 - used} with none" in model.summary()
    assert "and 28 features with smaller weights" in LogisticRegression(alpha=0.02).fit(X, y).summary()
    few = LogisticRegression(alpha=0.15, l1_ratio=1.0).fit(X, y)
    assert (few.coef_ != 0.0).sum() < 12
    assert few.summary().endswith("and 28 with none")


def test_summary_of_a_model_without_proof_says_so() -> None:
    words = fitted(rows=y > 0, max_iter=1).summary()
    assert "DOES NOT HOLD" in words or "NONE" in words
    assert "max_iter was reached" in words


def test_pickle(joint: LinearModel) -> None:
    again = pickle.loads(pickle.dumps(joint))
    assert (again.predict(X) == joint.predict(X)).all()
    assert again.certificate == joint.certificate


def test_time_ends_a_reduction_and_the_rest_is_zero() -> None:
    model = fitted(scheme="ovr", time_limit=1e-9)
    assert model.status.name == "TIME_LIMIT"
    assert not model.certificate.holds
    assert (model.w[:, 2] == 0.0).all()
    assert model.certificate.parts[2].primal == pytest.approx(np.log(2.0))
    assert "NONE" in model.summary()


class Impatient:
    """Presses Ctrl-C at the third step of the second problem."""

    problem = 0

    def begin(self, problem: int, count: int) -> None:
        self.problem = problem
        assert count == 3

    def __call__(self, record: Any) -> None:
        if self.problem == 1 and record.step == 2:
            raise KeyboardInterrupt


def test_interruption_keeps_what_is_known() -> None:
    training = read_training(X, NAMES, None, None, 2)
    margin = losses.get("log")
    objective = Objective(margin, multiclass.find("ovr", margin), 1e-2, True)
    model = fit_model(training, objective, Effort(), watch=Impatient())
    assert model.status.name == "INTERRUPTED"
    assert [part.holds for part in model.certificate.parts] == [True, False, False]
    assert model.w[:, 1].any()
    assert not model.w[:, 2].any()
