"""Softmax by preconditioned Newton: the preconditioner follows the point where it is the Hessian of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from linsep import LogisticRegression


@pytest.mark.filterwarnings("ignore::linsep.errors.DataWarning")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_large_columns_tell_apart(seed: int, intercept: bool) -> None:
    """P* is 1e-9 and the curvature falls with it: a preconditioner from w = 0 would be off by as much."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 80)) * 10.0 ** rng.uniform(-9, 9, 80)
    model = LogisticRegression(alpha=1.0, fit_intercept=intercept).fit(X, np.arange(30) % 4)
    assert model.model_.run.solver == "whitened"
    assert model.certificate_.holds
    assert model.n_iter_ <= 200
