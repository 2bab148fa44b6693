"""Multipliers that balance a free intercept."""

from __future__ import annotations

import numpy as np
import pytest

from linsep.data import as_design
from linsep.problem import balance, joint
from linsep.problem.balance import balanced, newton_step
from linsep.types import FloatArray, IntArray

N, K = 500, 6


def multipliers(kind: str) -> tuple[FloatArray, IntArray, FloatArray]:
    """Rows of weight 0 among them; some multipliers 0, or a class that is rare and nearly certain elsewhere."""
    rng = np.random.default_rng(0)
    target, share = rng.integers(0, K, N), rng.integers(0, 4, N).astype(np.float64)
    p = rng.dirichlet(np.ones(K), size=N)
    if kind == "corners":
        p *= rng.random((N, K)) < 0.5
        p[np.arange(N), target] += 0.1
    if kind == "rare":
        target[:] = np.where(rng.random(N) < 0.01, 0, np.maximum(target, 1))
        p[:, 0] *= 1e-6
    p /= p.sum(axis=1, keepdims=True)
    return joint.get("softmax").project_dual(np.eye(K)[target] - p, target), target, share / share.sum()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["inside", "corners", "rare"])
def test_every_class_sums_to_nothing(kind: str, threads: int) -> None:
    theta, target, share = multipliers(kind)
    assert np.abs(share @ theta).max() > 1e-3
    found, change = balanced(theta.copy(), target, share, threads)
    assert np.abs(share @ found).max() <= N * np.finfo(float).eps  # what a sum of N terms may be off by
    assert np.isfinite(joint.get("softmax").conjugate(found, target)).all()
    assert (found[theta == 0.0] == 0.0).all()
    tilted = (np.eye(K)[target] - theta) * np.exp(change)
    tilted /= tilted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, np.eye(K)[target] - tilted, atol=1e-13)


def test_what_is_balanced_stays() -> None:
    theta, target, share = multipliers("inside")
    once, _ = balanced(theta.copy(), target, share, 1)
    again, change = balanced(once.copy(), target, share, 1)
    assert np.abs(change).max() <= 1e-12
    np.testing.assert_allclose(again, once, atol=1e-14)


def test_a_step_that_gains_nothing_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    theta, target, share = multipliers("inside")
    near, _ = balanced(theta.copy(), target, share, 1)
    near[:50] *= 0.9  # a little out of balance
    monkeypatch.setattr(balance, "newton_step", lambda *given: np.linspace(-2.0, 2.0, K))
    found, change = balanced(near.copy(), target, share, 1)
    assert not change.any()
    np.testing.assert_allclose(found, near, atol=1e-14)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("least", [0.0, 1e-3])
def test_a_class_that_is_certain_in_every_row_is_not_moved(least: float) -> None:
    q, share = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.25, 0.75]]), np.full(3, 1.0 / 3.0)
    missing = np.array([least, -1e-3 - least, 1e-3])
    delta = newton_step(as_design(q, 1), share, share @ q, missing, share @ (q * (1.0 - q)))
    assert delta[0] == 0.0
    assert np.isfinite(delta).all()
    assert delta[1] < delta[2] or least  # which the others cannot make up for: both go as far as they may
