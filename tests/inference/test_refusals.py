"""Where nothing valid can be said, the reason is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linsep import LinearClassifier, LinearSVM, LogisticRegression, infer
from linsep.errors import InvalidData, InvalidParameter, InvalidType, NoOptimum, Refused
from linsep.model import Effort, Objective, fit_model, read_training
from linsep.problem import losses, multiclass
from linsep.solvers import Status
from tests.inference.cases import ENDOMETRIAL_X, ENDOMETRIAL_Y, binary, three

X, Y = binary(100)
MODEL = LogisticRegression(alpha=0).fit(X, Y)
WEIGHTS = np.linspace(1.0, 2.0, len(X))


@pytest.mark.parametrize(
    ("model", "settings", "reason"),
    [
        (LinearSVM(), {}, "hinge.*kinks"),
        (LinearSVM(), {"covariance": "robust"}, "hinge.*kinks"),
        (LinearClassifier("squared_hinge"), {}, "no likelihood.*covariance='robust'"),
        (LinearClassifier("sigmoid"), {"covariance": "robust"}, "not convex"),
        (LinearClassifier("squared"), {"covariance": "robust", "intervals": "profile"}, "profile"),
        (LogisticRegression(class_weight="balanced"), {}, "class_weight='balanced'"),
        (LogisticRegression(), {"intervals": "profile"}, "penalty alpha=0.0001"),
        (LogisticRegression(alpha=0), {"intervals": "profile", "covariance": "robust"}, "covariance='model'"),
        (LogisticRegression(alpha=0), {"covariance": "clustered"}, "needs clusters="),
        (LogisticRegression(alpha=0), {"clusters": Y}, "give covariance='clustered'"),
        (LogisticRegression(alpha=0), {"covariance": "clustered", "clusters": 0 * Y}, "one cluster"),
    ],
)
def test_reasons(model: Any, settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        model.fit(X, Y).inference(X, Y, **settings)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ecoc"])
def test_reductions_have_no_likelihood(scheme: str) -> None:
    rows, y = three()
    with pytest.raises(Refused, match="softmax"):
        LogisticRegression(multiclass=scheme).fit(rows, y).inference(rows, y)


def test_importance_weights_need_a_sandwich() -> None:
    model = LogisticRegression(alpha=0).fit(X, Y, WEIGHTS)
    with pytest.raises(Refused, match="not counts"):
        model.inference(X, Y, WEIGHTS, weights="importance")
    found = model.inference(X, Y, WEIGHTS)
    assert any("not whole numbers" in note for note in found.notes)


def test_class_weights_as_importance() -> None:
    model = LogisticRegression(alpha=0, class_weight="balanced").fit(X, Y)
    found = model.inference(X, Y, weights="importance", covariance="robust")
    assert found.goodness is not None
    assert np.isnan(found.goodness.p_value)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ((X + 1e-9, Y), "X is not"),
        ((X, 1 - Y), "y is not"),
        ((X, Y, WEIGHTS), "sample_weight is not"),
        ((X[::-1], Y[::-1]), "X and y are not"),
    ],
)
def test_other_data_are_found_out(data: Any, what: str) -> None:
    with pytest.raises(InvalidData, match=what):
        MODEL.inference(*data)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"covariance": "rubust"}, InvalidParameter, "nearest is 'robust'"),
        ({"weights": "counts"}, InvalidParameter, "unknown weights"),
        ({"intervals": "walt"}, InvalidParameter, "nearest is 'wald'"),
        ({"covariance": None}, InvalidParameter, "unknown covariance None"),
        ({"level": 95}, InvalidParameter, "between 0 and 1"),
        ({"level": "95%"}, InvalidType, "level"),
        ({"reference": 2}, InvalidParameter, "allowed are 0, 1"),
        ({"covariance": "clustered", "clusters": [1, 2]}, InvalidData, r"expected \(100,\)"),
    ],
)
def test_wrong_parameters(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MODEL.inference(X, Y, **settings)


def test_an_estimator_is_not_a_model() -> None:
    with pytest.raises(InvalidType, match="model_"):
        infer(MODEL, X, Y)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ((X[:, 0] + 2.0 * X[:, 1],), "x3 is a combination of x0, x1"),
        ((X[:, 2],), "x3 is a combination of x2"),
        ((np.full(len(X), 7.0),), "x3 is constant"),
        ((np.zeros(len(X)),), "x3 is 0 everywhere"),
        ((X[:, 0] > 0, X[:, 0] <= 0), "x4 is a combination of intercept, x3|x4 is a combination of x3, intercept"),
    ],
)
def test_dependent_columns_are_named(columns: Any, names: str) -> None:
    table = np.column_stack((X, *columns))
    model = LogisticRegression(alpha=0).fit(table, Y)
    with pytest.raises(Refused, match=names):
        model.inference(table, Y)
    # with a penalty every weight is determined
    assert np.isfinite(LogisticRegression(alpha=1e-2).fit(table, Y).inference(table, Y).standard_errors).all()


def test_no_optimum_says_what_separability_says() -> None:
    training = read_training(ENDOMETRIAL_X, ENDOMETRIAL_Y, None, None, 1)
    log = losses.get("log")
    scheme = multiclass.of_classes(multiclass.find("auto", log), 2)
    model = fit_model(training, Objective(log, scheme, 0.0, True), Effort())
    assert model.status is Status.NO_OPTIMUM
    with pytest.raises(NoOptimum, match=r"quasi-separable.*x0"):
        infer(model, ENDOMETRIAL_X, ENDOMETRIAL_Y)
    claimed = replace(model, run=replace(model.run, status=Status.STALLED))
    with pytest.raises(NoOptimum, match=r"(?s)penalty='firth'.*quasi-separable"):
        infer(claimed, ENDOMETRIAL_X, ENDOMETRIAL_Y)


def test_after_a_choice_by_the_data_nothing_is_said() -> None:
    for change, reason in (({"l1_ratio": 0.5}, "chooses features"), ({"lower": np.zeros(3)}, "bounds")):
        model = LogisticRegression(alpha=1e-2).fit(X, Y).model_
        chosen = replace(model, objective=replace(model.objective, **change))
        with pytest.raises(Refused, match=reason):
            infer(chosen, X, Y)


def test_too_many_coefficients() -> None:
    wide = np.random.default_rng(0).standard_normal((20, 5001))
    y = np.arange(20) % 2
    with pytest.raises(Refused, match="5,002 coefficients"):
        LogisticRegression(alpha=1.0).fit(wide, y).inference(wide, y)
