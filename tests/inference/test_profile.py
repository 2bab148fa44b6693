"""Profile intervals: the root of the likelihood ratio found by brute force, and R's own."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import chi2, norm
from sklearn.datasets import load_iris

from linsep import LogisticRegression
from tests.inference.cases import binary, three, with_ones

X, Y = binary(60, seed=4)


def best_value(A: Any, y: Any, j: int, c: float) -> float:
    """max of the log likelihood with coefficient j at c, by a general minimiser."""
    free = [k for k in range(A.shape[1]) if k != j]

    def loss(v: Any) -> tuple[float, Any]:
        theta = np.empty(A.shape[1])
        theta[free], theta[j] = v, c
        z = A @ theta
        gradient = A.T @ (1.0 / (1.0 + np.exp(-z)) - y)
        return float((np.logaddexp(0.0, z) - y * z).sum()), gradient[free]

    return -float(minimize(loss, np.zeros(len(free)), jac=True, method="BFGS", options={"gtol": 1e-9}).fun)


def test_brute_force() -> None:
    A = with_ones(X / [1.0, 10.0, 0.1])
    model = LogisticRegression(alpha=0).fit(A[:, :3], Y)
    found = model.inference(A[:, :3], Y, intervals="profile", level=0.9)
    assert found.goodness is not None
    cut = found.goodness.log_likelihood - 0.5 * chi2.isf(0.1, 1)
    for j in range(4):
        for end, step in zip(found.intervals[j], (-1.0, 1.0), strict=True):
            far = found.estimates[j] + step * 6.0 * found.standard_errors[j]
            expected = brentq(lambda c, j=j: best_value(A, Y, j, c) - cut, found.estimates[j], far, xtol=1e-9)
            assert end == pytest.approx(expected, abs=1e-6)
        ratio = 2.0 * (found.goodness.log_likelihood - best_value(A, Y, j, 0.0))
        assert found.p_values[j] == pytest.approx(chi2.sf(ratio, 1), rel=1e-5)
        assert np.sign(found.z[j]) == np.sign(found.estimates[j])


def test_intervals_of_R() -> None:
    """confint(glm(Species == "virginica" ~ Sepal.Length + Sepal.Width, binomial)), R 4.2.2, by spline interpolation."""
    data, species = load_iris(return_X_y=True)
    rows, y = data[species > 0][:, :2], species[species > 0]
    found = LogisticRegression(alpha=0).fit(rows, y).inference(rows, y, intervals="profile")
    assert np.allclose(found.estimates, [1.902375218956852, 0.404659412230153, -13.046029653370910], rtol=1e-9)
    expected = [
        [0.964992216769041, 3.00445467603893],
        [-1.288532752921433, 2.13471638057748],
        [-19.669132155786134, -7.44509321903553],
    ]
    assert np.allclose(found.intervals, expected, rtol=1e-3)


def test_softmax_ends_have_the_right_likelihood_ratio() -> None:
    rows, y = three(90)
    model = LogisticRegression(alpha=0).fit(rows, y)
    found = model.inference(rows, y, intervals="profile", reference="b")
    wald = model.inference(rows, y, reference="b")
    assert np.allclose(found.intervals, wald.intervals, atol=0.6 * found.standard_errors.max())
    # an interval reaches 0 exactly where the test has p = 1 − level
    j = int(np.argmin(np.abs(found.p_values - 0.3)))
    again = model.inference(rows, y, intervals="profile", reference="b", level=1.0 - float(found.p_values[j]))
    assert np.abs(again.intervals[j]).min() == pytest.approx(0.0, abs=1e-7)
    assert norm.sf(abs(found.z[j])) * 2 == pytest.approx(found.p_values[j])
