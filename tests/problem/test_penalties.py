"""The penalty's formulas against their definitions: a fine grid of weights, one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.problem.penalties import L2, Penalty

GRID = np.concatenate([np.linspace(-100.0, 100.0, 400_001), [0.0]])
BOUNDS = [(-np.inf, np.inf), (0.0, np.inf), (-np.inf, 0.0), (-0.3, 0.2), (0.1, 0.5), (0.0, 0.0)]

penalties = st.builds(
    lambda alpha, ratio, factor, box: Penalty(alpha, ratio, np.array([factor]), np.array([box[0]]), np.array([box[1]])),
    st.sampled_from([0.1, 1.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from(BOUNDS),
)
numbers = st.integers(-300, 300).map(lambda k: k / 100)  # not denormal: squares of those vanish


def inside(penalty: Penalty) -> np.ndarray:
    assert penalty.lower is not None
    assert penalty.upper is not None
    ends = np.array([e for e in (penalty.lower[0], penalty.upper[0]) if np.isfinite(e)])
    grid = np.concatenate([GRID, ends])
    return grid[(grid >= penalty.lower[0]) & (grid <= penalty.upper[0])]


def values(penalty: Penalty, grid: np.ndarray) -> np.ndarray:
    assert penalty.factors is not None
    scale, ratio = penalty.alpha * penalty.factors[0], penalty.l1_ratio
    return scale * ((1.0 - ratio) / 2.0 * grid**2 + ratio * np.abs(grid))


@given(penalties, numbers)
def test_value_is_the_formula(penalty: Penalty, w: float) -> None:
    at = penalty.clip(np.array([w]))
    assert penalty.value(at) == pytest.approx(values(penalty, at)[0])


@given(penalties, numbers, st.sampled_from([0.1, 1.0, 5.0]))
def test_prox_is_the_minimiser(penalty: Penalty, w: float, step: float) -> None:
    grid = inside(penalty)
    best = grid[np.argmin(0.5 * (grid - w) ** 2 + step * values(penalty, grid))]
    assert penalty.prox(np.array([w]), step)[0] == pytest.approx(best, abs=1e-3)


@given(penalties, numbers)
def test_conjugate_is_the_supremum(penalty: Penalty, v: float) -> None:
    grid = inside(penalty)
    found, best = penalty.conjugate(np.array([v])), float((v * grid - values(penalty, grid)).max())
    if np.isinf(found):
        assert abs(grid[np.argmax(v * grid - values(penalty, grid))]) == 100.0  # at the grid's end: it grows for ever
        assert penalty.domain_excess(np.array([v]))[0] != 0.0
    else:
        if abs(penalty.maximiser(np.array([v]))[0]) <= 60.0:  # within the grid
            assert found == pytest.approx(best, abs=1e-4)
        assert penalty.domain_excess(np.array([v]))[0] == 0.0


@given(penalties, numbers, numbers)
def test_subgradients_lie_below(penalty: Penalty, w: float, gradient: float) -> None:
    at, grid = penalty.clip(np.array([w])), inside(penalty)
    z = penalty.subgradient(at, np.array([gradient]))[0]
    assert (values(penalty, grid) >= penalty.value(at) + z * (grid - at[0]) - 1e-6).all()


@given(penalties, numbers)
def test_distance_is_zero_at_the_optimum_alone(penalty: Penalty, w: float) -> None:
    best = penalty.prox(np.array([w]), 1.0)
    assert best - w + penalty.subgradient(best, best - w) == pytest.approx(0.0, abs=1e-12)
    other = penalty.clip(best + 0.5)
    if other[0] != best[0]:
        distance = np.abs(other - w + penalty.subgradient(other, other - w))[0]
        assert distance >= 0.99 * abs(other[0] - best[0])


@given(penalties, st.floats(0.1, 3.0), numbers)
def test_reach_bounds_the_weights_of_a_level_set(penalty: Penalty, most: float, size: float) -> None:
    grid = inside(penalty)
    within = grid[values(penalty, grid) <= most]
    if len(within):
        assert penalty.reach(np.array([abs(size)]), most) >= float(np.abs(size * within).max()) * (1 - 1e-9)


def test_the_ridge_is_the_penalty_it_was() -> None:
    w, v = np.array([0.3, -2.0]), np.array([1.0, 0.5])
    assert L2(0.2).value(w) == 0.5 * 0.2 * float(w @ w)
    assert L2(0.2).conjugate(v) == float(v @ v) / (2 * 0.2)
    assert L2(0.2).ridge
    assert L2(0.0).conjugate(v) == np.inf
    assert not Penalty(0.2, 0.1).ridge
    assert not Penalty(0.2, upper=np.ones(2)).ridge


def test_another_alpha_keeps_the_rest() -> None:
    penalty = Penalty(1.0, 0.5, np.ones(3), np.zeros(3), None).with_alpha(2.0)
    assert (penalty.alpha, penalty.l1_ratio) == (2.0, 0.5)
    assert penalty.factors is not None
    assert penalty.lower is not None
    assert L2(1.0).with_alpha(3.0).value(np.ones(2)) == 3.0


def test_k_classes_are_a_column_each() -> None:
    rng = np.random.default_rng(0)
    W, factors = rng.normal(size=(4, 3)), np.array([0.0, 1.0, 2.0, 0.5])
    penalty = Penalty(0.3, 0.4, factors)
    assert penalty.value(W) == pytest.approx(sum(penalty.value(w) for w in W.T))
    stacked = np.stack([penalty.prox(w, 0.7) for w in W.T], axis=1)
    assert np.array_equal(penalty.prox(W, 0.7), stacked)


def test_a_conjugate_that_overflows_bounds_nothing() -> None:
    assert Penalty(1e-200, 0.5).conjugate(np.array([1.0])) == np.inf
