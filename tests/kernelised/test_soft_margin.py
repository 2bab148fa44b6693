"""The intercept, the values and the certificate of the soft-margin problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep.certify import Kind
from linsep.kernelised.soft_margin import Rounding, SoftMargin, certify


def problem(seed: int, n: int = 12, intercept: bool = True) -> tuple[SoftMargin, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    return SoftMargin(y, rng.integers(1, 4, n) / 5.0, 0.3, intercept), np.round(rng.normal(size=n), 1)


@given(st.integers(0, 10_000))
def test_the_best_intercept(seed: int) -> None:
    """No other break point is better, and where the optimum is an interval, b is its midpoint."""
    p, v = problem(seed)
    b = p.best_intercept(v)

    def hinges(at: float) -> float:
        return float(p.cost @ np.maximum(p.y * (v - at), 0.0))

    values = np.array([hinges(at) for at in v])
    assert hinges(b) == pytest.approx(values.min(), abs=1e-12)
    best = v[values <= values.min() + 1e-12]
    assert b == pytest.approx(0.5 * (best.min() + best.max()))


def test_without_an_intercept_it_is_zero() -> None:
    p, v = problem(0, intercept=False)
    assert p.best_intercept(v) == 0.0


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.booleans())
def test_weak_duality(seed: int, intercept: bool) -> None:
    """No w and b have a lower value than the bound of any feasible β."""
    rng = np.random.default_rng(seed)
    p, _ = problem(seed, intercept=intercept)
    X = rng.normal(size=(12, 3))
    beta = rng.uniform(p.low, p.high)
    if intercept:  # shrink the side in excess
        positive, negative = beta[beta > 0].sum(), -beta[beta < 0].sum()
        beta = np.where(beta > 0, beta * min(1, negative / positive), beta * min(1, positive / negative))
    b, c = certify(p, beta, p.y - X @ X.T @ beta, Rounding(1e-15, 10.0), 1e-4, convex=True)
    assert c.kind is Kind.DUALITY_GAP
    w = X.T @ beta
    hinges = np.maximum(1 - p.y * (X @ w + b), 0.0)
    assert c.primal == pytest.approx(p.alpha * (p.cost @ hinges + 0.5 * w @ w))
    for _ in range(20):
        w, b = rng.normal(size=3), float(rng.normal()) if intercept else 0.0
        value = p.alpha * (p.cost @ np.maximum(1 - p.y * (X @ w + b), 0.0) + 0.5 * w @ w)
        assert value >= c.bound


def test_what_is_left_of_the_constraint_is_charged() -> None:
    p, v = problem(1)
    beta = 0.5 * p.high
    rounding = Rounding(1e-15, 1.0)
    _, c = certify(p, beta, v, rounding, 1e-4, convex=True)
    _, dual = p.values(beta, v, 0.0)
    reach = p.intercept_reach(c.primal, 1.0)
    assert c.bound == pytest.approx(dual - p.alpha * beta.sum() * reach, rel=1e-9)


def test_an_indefinite_kernel_proves_nothing() -> None:
    p, v = problem(2)
    _, c = certify(p, np.zeros(12), v, Rounding(0.0, 1.0), 1e-4, convex=False)
    assert c.kind is Kind.STATIONARY
    assert c.gap == np.inf
    rising, falling = v[p.y > 0].max(), v[p.y < 0].min()
    assert c.gradient == pytest.approx(max(rising - falling, 0.0))
