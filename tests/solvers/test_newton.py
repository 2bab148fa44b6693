"""Newton asks the curvature around its point for a bound only where the dual's rounding stands in the way."""

import numpy as np
import pytest

from linsep import LinearClassifier, LinearSVM
from linsep.certify.certificate import Kind
from linsep.solvers import newton


@pytest.mark.parametrize("alpha", [1e-5, 1e-6, 1e-7])
def test_the_dual_proves_what_is_asked(monkeypatch, alpha):
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 30))
    y = X[:, :5].sum(axis=1) + 0.1 * random.normal(size=6000) > 0
    asked = []
    bound = newton.curvature_bound
    monkeypatch.setattr(newton, "curvature_bound", lambda *given: asked.append(given) or bound(*given))
    model = LinearSVM("squared_hinge", alpha=alpha, solver="newton").fit(X, y)
    assert not asked
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.relative_gap <= 1e-4


@pytest.mark.parametrize("solver", ["newton_cg", "whitened"])
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "exponential"])
def test_a_start_that_is_optimal(loss: str, solver: str) -> None:
    """Rows that are all the same, as many of either class: the gradient at 0 is 0."""
    found = LinearClassifier(loss, alpha=0.1, solver=solver).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert found.certificate_.holds
    assert not found.coef_.any()
