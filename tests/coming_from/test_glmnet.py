"""glmnet: coefficients that glmnet 4.1-6 gave in R, the intercept first.

X <- as.matrix(iris[51:150, 1:4]); y <- factor(iris$Species[51:150]); a <- 0.05; r <- 0.5
o <- (0:99) / 50 - 1; w <- rep(1:4, 25)                             and all of iris for three classes

Every call with thresh = 1e-20; multinomial with alpha = 1 has lambda = 0.02.
"""

from __future__ import annotations

import numpy as np
import pytest

import linsep
from tests.coming_from.page import here, rows, three_classes, two_classes

BINOMIAL = 'glmnet(X, y, family="binomial", '
MULTINOMIAL = 'glmnet(X, y, family="multinomial", '
# fmt: off
TWO = {
    "alpha=0, lambda=a, standardize=FALSE)":
        [-10.47209059243, 0.15831145987, -0.04765677675, 1.58302536624, 1.11939534090],
    "alpha=1, lambda=a, standardize=FALSE)": [-14.620677080, 0.0, 0.0, 2.995911034, 0.0],
    "alpha=r, lambda=a, standardize=FALSE)": [-10.850400271, 0.0, 0.0, 1.848890346, 1.077724007],
    "alpha=r, lambda=a)": [-12.7214265463, 0.0, -0.1903297432, 1.5243939037, 3.4907614104],
    "alpha=r, lambda=a, standardize=FALSE, penalty.factor=c(0,1,2,3))":
        [-11.754683569, 0.535672527, 0.0, 1.601158848, 0.348290240],
    "alpha=r, lambda=a, standardize=FALSE, lower.limits=0, upper.limits=1.5)":
        [-9.459814801, 0.0, 0.0, 1.5, 1.263880433],
    "alpha=0, lambda=a, standardize=FALSE, intercept=FALSE)":
        [0.0, -0.9204535417, -0.7160451664, 1.2271369783, 1.1449555170],
    "alpha=0, lambda=a, standardize=FALSE, offset=o)":
        [-9.15319053798, 0.19063609321, -0.02469770637, 1.33386191400, 0.90975829575],
    "alpha=0, lambda=a, standardize=FALSE, weights=w)":
        [-11.03406814684, 0.21433341409, 0.01889802766, 1.59626075896, 1.09790262228],
}
THREE = {
    "alpha=0, lambda=a, standardize=FALSE)": (0.05, [
        [5.8733067939, -0.3258946556, 0.3994548307, -1.3184751548, -0.5370743969],
        [1.73417554836, 0.10932584921, -0.34997683742, 0.04947536139, -0.29261284206],
        [-7.6074823423, 0.2165688064, -0.0494779933, 1.2689997934, 0.8296872389]]),
    "alpha=1, lambda=a, standardize=FALSE)": (0.02, [
        [11.045775047, 0.0, 0.0, -2.854228129, 0.0],
        [3.264991508, 0.0, 0.0, 0.0, 0.0],
        [-14.310766554, 0.0, 0.0, 3.149171511, 1.319714936]]),
}
# cv.glmnet(X, y, family = "binomial", alpha = 1, lambda = 10^seq(0, -3, length.out = 13), foldid = rep(1:5, 20),
#           standardize = FALSE, thresh = 1e-14)
CVM = [1.38629436, 1.38629436, 1.36406220, 0.91482988, 0.67823357, 0.53671578, 0.43158923, 0.35502074, 0.30916197,
       0.27137149, 0.23278563, 0.21024722, 0.20088461]
CVSD = [0.0, 0.0, 0.015038965, 0.033953220, 0.058586533, 0.073350701, 0.078161724, 0.064007269, 0.054314714,
        0.044738548, 0.037054618, 0.041475894, 0.052685819]
LAMBDA_MIN, LAMBDA_1SE = 0.001, 0.00316227766
# fmt: on


@pytest.mark.parametrize(("theirs", "ours"), rows("glmnet, two classes"))
def test_two_classes(theirs: str, ours: str) -> None:
    names = two_classes(scaled=False, a=0.05)
    b, *w = TWO[theirs.removeprefix(BINOMIAL)]
    model = here(ours, names)
    np.testing.assert_allclose(model.decision_function(names["X"]), names["X"] @ w + b, rtol=1e-5, atol=1e-5)
    if hasattr(model, "coef_"):
        np.testing.assert_allclose(model.coef_[0], w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(model.intercept_, b, rtol=1e-5)


@pytest.mark.parametrize(("theirs", "ours"), rows("glmnet, more classes"))
def test_more_classes(theirs: str, ours: str) -> None:
    a, coefficients = THREE[theirs.removeprefix(MULTINOMIAL)]
    names, given = three_classes(scaled=False, a=a), np.array(coefficients)
    model = here(ours, names)
    np.testing.assert_allclose(model.coef_, given[:, 1:], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.intercept_ - model.intercept_.mean(), given[:, 0], rtol=1e-4, atol=1e-4)


def test_every_figure_has_a_row() -> None:
    assert {there.removeprefix(BINOMIAL) for there, _ in rows("glmnet, two classes")} == set(TWO)
    assert {there.removeprefix(MULTINOMIAL) for there, _ in rows("glmnet, more classes")} == set(THREE)


def test_response() -> None:
    """predict(m, X[1:3, ], type = "response") of the first row of the table."""
    names = two_classes(scaled=False)
    model = linsep.LogisticRegression(alpha=0.05).fit(names["X"], names["y"])
    found = model.predict_proba(names["X"][:3])[:, 1]
    np.testing.assert_allclose(found, [0.37541875, 0.30816934, 0.47712592], atol=1e-7)


@pytest.mark.parametrize(("rule", "chosen"), [("best", LAMBDA_MIN), ("one_standard_error", LAMBDA_1SE)])
def test_folds(rule: str, chosen: float) -> None:
    names = two_classes(scaled=False)
    chooser = linsep.CrossValidation(folds=np.tile(np.arange(5), 20), alphas=10.0 ** np.linspace(0, -3, 13), rule=rule)
    model = linsep.LogisticRegression(alpha=chooser, l1_ratio=1.0).fit(names["X"], names["y"])
    curve = model.alpha_curve_
    assert model.alpha_ == pytest.approx(chosen)
    seen = len(curve.alphas)
    np.testing.assert_allclose(2 * curve.losses, CVM[:seen], rtol=1e-3)
    np.testing.assert_allclose(2 * curve.errors, CVSD[:seen], rtol=5e-3, atol=1e-9)
    assert seen == len(CVM)


def test_path() -> None:
    """glmnet(X, y, family = "binomial", standardize = FALSE, nlambda = 5, thresh = 1e-20)."""
    names = two_classes(scaled=False)
    path = linsep.regularization_path(names["X"], names["y"], l1_ratio=1.0, size=5, ratio=1e-4)
    np.testing.assert_allclose(path.alphas, 0.323 * 10.0 ** -np.arange(5.0), rtol=1e-6)
    np.testing.assert_allclose(path.deviance, [0, 0.7064989707, 0.8858804662, 0.9127833793, 0.9141505603], atol=1e-5)
    assert path.nonzeros.tolist() == [0, 2, 4, 4, 4]
