"""`summary()` says how other libraries are asked for the same model: what it says is executed here."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import linsep
from tests.coming_from.page import three_classes, two_classes
from tests.coming_from.test_liblinear import THREE, TWO, scores
from tests.coming_from.test_scikit_learn import there

TWO_CLASSES: list[dict[str, Any]] = [
    {"loss": "log"},
    {"loss": "log", "fit_intercept": False},
    {"loss": "log", "l1_ratio": 1.0},
    {"loss": "log", "l1_ratio": 0.5},
    {"loss": "squared_hinge"},
    {"loss": "squared_hinge", "fit_intercept": False},
    {"loss": "squared_hinge", "l1_ratio": 1.0},
    {"loss": "hinge", "fit_intercept": False},
    {"loss": "squared"},
    {"loss": "squared", "fit_intercept": False},
]
MORE_CLASSES: list[dict[str, Any]] = [
    {"loss": "log"},
    {"loss": "log", "l1_ratio": 0.5},
    {"loss": "log", "multiclass": "ovr"},
    {"loss": "squared_hinge", "fit_intercept": False},
    {"loss": "squared"},
    {"loss": "squared", "multiclass": "ovr"},
]


def said(model: linsep.LinearClassifier, library: str) -> list[str]:
    """What the summary says for a library, without remarks."""
    line = re.search(r"(?m)^elsewhere +(.*)$", model.summary())
    parts = line.group(1).split("; ") if line else []
    return [part.removeprefix(f"{library} ") for part in parts if part.startswith(library)]


@pytest.mark.parametrize("given", TWO_CLASSES, ids=str)
def test_scikit_learn_with_two_classes(given: dict[str, Any]) -> None:
    names = two_classes()
    model = linsep.LinearClassifier(alpha=0.05, **given).fit(names["X"], names["y"])
    for code in said(model, "scikit-learn"):
        if "which penalises" in code:
            continue
        other = there(code, names)
        np.testing.assert_allclose(
            model.decision_function(names["X"]), other.decision_function(names["X"]), rtol=1e-3, atol=1e-3
        )
    assert model.loss == "squared_hinge" or said(model, "scikit-learn")


@pytest.mark.parametrize("given", TWO_CLASSES, ids=str)
def test_liblinear_with_two_classes(given: dict[str, Any]) -> None:
    names = two_classes()
    model = linsep.LinearClassifier(alpha=0.05, **given).fit(names["X"], names["y"])
    for options in said(model, "LIBLINEAR"):
        if options in TWO:
            np.testing.assert_allclose(
                model.decision_function(names["X"]), scores(TWO[options], options, names["X"]), atol=1e-4
            )
    assert all(("-B 1 -R" in options) == model.fit_intercept for options in said(model, "LIBLINEAR"))


@pytest.mark.parametrize("given", MORE_CLASSES, ids=str)
def test_more_classes(given: dict[str, Any]) -> None:
    names = three_classes()
    model = linsep.LinearClassifier(alpha=1 / (150 * 0.2), **given).fit(names["X"], names["y"])
    (code,) = said(model, "scikit-learn")
    assert (there(code, names).predict(names["X"]) == model.predict(names["X"])).all()
    for options in said(model, "LIBLINEAR"):
        if options in THREE:
            expected = scores(THREE[options], options, names["X"])
            np.testing.assert_allclose(model.decision_function(names["X"]), expected, atol=1e-4)


@pytest.mark.parametrize(
    "given", [{"multiclass": "ovo"}, {"multiclass": "ecoc"}, {"penalty_factors": [0, 1, 1, 1]}, {"bounds": (0, None)}]
)
def test_nothing_is_said_where_nobody_has_it(given: dict[str, Any]) -> None:
    names = three_classes()
    assert "elsewhere" not in linsep.LogisticRegression(alpha=0.05, **given).fit(names["X"], names["y"]).summary()


def test_glmnet() -> None:
    names = two_classes()
    net = linsep.LogisticRegression(alpha=0.05, l1_ratio=0.5, fit_intercept=False).fit(names["X"], names["y"])
    assert (
        'glmnet(alpha = 0.5, lambda = 0.05, standardize = FALSE, intercept = FALSE, family = "binomial")'
        in net.summary()
    )
    ovr = linsep.LogisticRegression(alpha=0.05, multiclass="ovr").fit(three_classes()["X"], three_classes()["y"])
    assert "glmnet" not in ovr.summary()
