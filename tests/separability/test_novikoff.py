"""Novikoff's bound: plain perceptrons stay within it; it does not depend on copies of rows or on added zeros."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import novikoff_bound, training_margin
from tests.separability.test_max_margin import separable

SEEDS = st.integers(0, 2**32 - 1)


def perceptron_updates(X: Any, y: Any, limit: int = 10**5) -> int:
    """w ← w + yx at every mistake y⟨w, x⟩ ≤ 0, until there is none."""
    w, updates = np.zeros(X.shape[1]), 0
    while updates < limit:
        mistakes = 0
        for x, t in zip(X, y, strict=True):
            if t * (w @ x) <= 0.0:
                w, updates, mistakes = w + t * x, updates + 1, mistakes + 1
        if not mistakes:
            return updates
    raise AssertionError("no end")


def joint_updates(X: Any, y: Any, K: int) -> int:
    """w_y ← w_y + x, w_k ← w_k − x where k ≠ y has a score at least as high, until there is none."""
    W, updates, mistakes = np.zeros((K, X.shape[1])), 0, 1
    while mistakes:
        mistakes = 0
        for x, t in zip(X, y, strict=True):
            rival = int(np.argmax(np.where(np.arange(K) == t, -np.inf, W @ x)))
            if W[rival] @ x >= W[t] @ x:
                W[t] += x
                W[rival] -= x
                updates, mistakes = updates + 1, mistakes + 1
    return updates


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 6))
def test_perceptron_stays_within(seed: int, d: int) -> None:
    X, y = separable(seed, 20, d, margin=0.5)
    assert perceptron_updates(np.column_stack([X, np.ones(20)]), y) <= novikoff_bound(X, y) * (1.0 + 1e-9)


@settings(deadline=None, max_examples=15)
@given(SEEDS)
def test_joint_rule_stays_within(seed: int) -> None:
    random = np.random.default_rng(seed)
    y = np.arange(24) % 3
    X = random.standard_normal((24, 4)) + 6.0 * np.eye(4)[y]
    bound = novikoff_bound(X, y, bias=False)
    if np.isfinite(bound):
        assert joint_updates(X, y, 3) <= bound * (1.0 + 1e-9)


def test_is_that_of_the_space_with_a_one() -> None:
    X, y = separable(0, 30, 3)
    augmented = np.column_stack([X, np.ones(30)])
    R2 = np.square(X).sum(axis=1).max() + 1.0
    expected = R2 / training_margin(augmented, y, through_origin=True) ** 2
    assert novikoff_bound(X, y) == pytest.approx(expected, rel=1e-12)
    assert novikoff_bound(augmented, y, bias=False) == pytest.approx(expected, rel=1e-12)


def test_does_not_depend_on_n_or_d() -> None:
    X, y = separable(0, 30, 3)
    bound = novikoff_bound(X, y)
    assert novikoff_bound(np.vstack([X] * 5), np.tile(y, 5)) == pytest.approx(bound, rel=1e-11)
    assert novikoff_bound(np.column_stack([X, np.zeros((30, 7))]), y) == pytest.approx(bound, rel=1e-11)
    assert novikoff_bound(100.0 * X, y, bias=False) == pytest.approx(novikoff_bound(X, y, bias=False), rel=1e-9)


def test_two_classes_by_kesler_have_the_same_bound() -> None:
    """w₁ = −w₀ = w/2 turns one into the other: the ratio R²/ρ² is the same."""
    from linsep.data.source import as_design
    from linsep.separability.margin_certificate import MaximumMargin
    from linsep.separability.max_margin import maximum_margin
    from linsep.separability.novikoff import kesler

    X, y = separable(1, 30, 3)
    rows = kesler(X, (y > 0).astype(np.int64), 2)
    own = novikoff_bound(X, y, bias=False)
    if np.isfinite(own):
        design = as_design(rows, 1)
        found = maximum_margin(design, np.ones(30), through_origin=True)
        assert isinstance(found, MaximumMargin)
        assert design.row_norms().max() / found.margin**2 == pytest.approx(own, rel=1e-9)
