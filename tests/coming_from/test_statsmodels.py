"""statsmodels: coefficients, standard errors, tests and criteria."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linsep
from tests.coming_from.page import here, rows, three_classes, two_classes

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")


def there(code: str, names: dict[str, Any]) -> Any:
    """Quietly, and to convergence."""
    own = {"Logit": sm.Logit, "GLM": sm.GLM, "Binomial": sm.families.Binomial, "add_constant": sm.add_constant}
    exact = {
        ".fit_regularized(alpha=np.r_[0, [a] * d])": ".fit_regularized(alpha=np.r_[0, [a] * d], **l1)",
        ".fit_regularized(alpha=a)": ".fit_regularized(alpha=a, **l1)",
        "zero_tol=0)": "zero_tol=0, cnvrg_tol=1e-12, maxiter=2000)",
    }
    for short, full in exact.items():
        code = code.replace(short, full)
    l1 = {"disp": 0, "acc": 1e-12, "maxiter": 5000, "trim_mode": "off"}
    code = code.replace(".fit()", ".fit(tol=1e-12)" if "GLM" in code else ".fit(disp=0, tol=1e-12)")
    code = code.replace(".fit(cov_type", ".fit(disp=0, tol=1e-12, cov_type")
    return eval(code, {"np": np, "l1": l1, **own, **names})


def constant_last(values: Any) -> Any:
    return np.roll(np.asarray(values), -1, axis=0)


@pytest.mark.parametrize(("theirs", "ours"), rows("statsmodels, inference"))
def test_inference(theirs: str, ours: str) -> None:
    names = two_classes()
    a, b = there(theirs, names), here(ours, names)
    np.testing.assert_allclose(b.estimates, constant_last(a.params), rtol=1e-6)
    np.testing.assert_allclose(b.standard_errors, constant_last(a.bse), rtol=1e-5)
    np.testing.assert_allclose(b.z, constant_last(a.tvalues), rtol=1e-5)
    np.testing.assert_allclose(b.p_values, constant_last(a.pvalues), rtol=1e-4)
    np.testing.assert_allclose(b.intervals, constant_last(a.conf_int()), rtol=1e-5)
    assert b.goodness.log_likelihood == pytest.approx(a.llf)
    assert b.goodness.null_log_likelihood == pytest.approx(a.llnull)
    assert b.goodness.aic == pytest.approx(a.aic)
    if theirs.startswith("Logit"):
        assert b.goodness.bic == pytest.approx(a.bic)
        assert b.goodness.mcfadden == pytest.approx(a.prsquared)


@pytest.mark.parametrize(("theirs", "ours"), rows("statsmodels, coefficients"))
def test_coefficients(theirs: str, ours: str) -> None:
    names = two_classes(a=5.0, r=0.05, s=0.5)
    a, b = there(theirs, names), here(ours, names)
    expected = sm.add_constant(names["X"]) @ np.asarray(a.params)
    np.testing.assert_allclose(b.decision_function(names["X"]), expected, rtol=1e-3, atol=1e-3)


def test_several_classes() -> None:
    names = three_classes()
    X, y = names["X"][:, :2], np.tile([0, 1, 2], 50)  # as given the classes are quasi-separable
    a = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
    b = linsep.LogisticRegression(alpha=0.0).fit(X, y).inference(X, y)
    np.testing.assert_allclose(b.estimates, constant_last(a.params).T.ravel(), rtol=1e-4)
    np.testing.assert_allclose(b.standard_errors, constant_last(a.bse).T.ravel(), rtol=1e-4)
    assert b.goodness.log_likelihood == pytest.approx(a.llf)


def test_predictions() -> None:
    names = two_classes()
    a = there("Logit(t, add_constant(X)).fit()", names)
    b = linsep.LogisticRegression(alpha=0.0).fit(names["X"], names["y"])
    np.testing.assert_allclose(b.predict_proba(names["X"])[:, 1], a.predict(sm.add_constant(names["X"])), atol=1e-8)
