"""What must hold for all data: other units, another origin, another order of the rows change nothing but the words."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import LogisticRegression
from tests.inference.cases import binary, three

MODELS: dict[str, tuple[Any, Any]] = {
    "binary": (LogisticRegression(alpha=0), binary(80, 2)),
    "softmax": (LogisticRegression(alpha=0), three(90)),
    "firth": (LogisticRegression(penalty="firth"), binary(40, 2, seed=3)),
}


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=8, deadline=None)
@given(
    logs=st.lists(st.floats(-4.0, 4.0), min_size=2, max_size=2),
    shifts=st.lists(st.floats(-50.0, 50.0), min_size=2, max_size=2),
    seed=st.integers(0, 100),
)
def test_units_origin_and_order(name: str, logs: list[float], shifts: list[float], seed: int) -> None:
    model, (X, y) = MODELS[name]
    order = np.random.default_rng(seed).permutation(len(X))
    units = 10.0 ** np.array(logs)
    other = ((X + shifts) * units)[order]
    plain = model.fit(X, y).inference(X, y, intervals="wald")
    changed = model.fit(other, y[order]).inference(other, y[order], intervals="wald")
    width = 3
    features = np.arange(len(plain.estimates)) % width < 2
    back = np.tile([*units, 1.0], len(features) // width)[features]
    np.testing.assert_allclose(changed.estimates[features] * back, plain.estimates[features], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(changed.standard_errors[features] * back, plain.standard_errors[features], rtol=1e-5)
    np.testing.assert_allclose(changed.p_values[features], plain.p_values[features], rtol=1e-4, atol=1e-12)
    assert plain.goodness is not None
    assert changed.goodness is not None
    assert changed.goodness.statistic == pytest.approx(plain.goodness.statistic, rel=1e-7)
    near, far = plain.predict(X[order]), changed.predict(other)
    np.testing.assert_allclose(far.lower, near.lower, rtol=1e-4, atol=1e-9)
