"""Margin losses: mathematics over the whole registry, accuracy against mpmath.

Every loss is tested by being registered; a built-in one also needs its formula in TEXTBOOK.
"""

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from linsep.errors import Refused
from linsep.problem import losses
from linsep.problem.losses import MARGIN_LOSSES, MarginLoss

ALL = list(MARGIN_LOSSES)
CONVEX = [loss for loss in ALL if loss.convex]
WITH_CONJUGATE = [loss for loss in ALL if loss.offers("conjugate")]
WITH_FLOOR = [loss for loss in ALL if loss.offers("d2_floor")]

MARGINS = np.array([0, 1e-8, -1e-8, 1, -1, 10, -10, 40, -40, 1e3, -1e3, 1e5, -1e5])
GRID = np.linspace(-30.0, 30.0, 2401) + 0.0031  # meets no kink

TEXTBOOK: dict[str, Callable[[Any], Any]] = {
    "log": lambda M: mpmath.log1p(mpmath.exp(-M)),
    "hinge": lambda M: max(mpmath.mpf(0), 1 - M),
    "squared_hinge": lambda M: max(mpmath.mpf(0), 1 - M) ** 2,
    "smoothed_hinge": lambda M: mpmath.mpf(0) if M >= 1 else (1 - M) ** 2 / 2 if M >= 0 else 0.5 - M,
    "squared": lambda M: (1 - M) ** 2,
    "exponential": lambda M: mpmath.exp(-M),
    "sigmoid": lambda M: 2 / (1 + mpmath.exp(M)),
    "perceptron": lambda M: max(mpmath.mpf(0), -M),
}
# where d1 or d2 jumps, so that mpmath's difference quotients mean nothing
KINKS = {"hinge": [1], "squared_hinge": [1], "smoothed_hinge": [0, 1], "perceptron": [0]}


def by_name(losses: list[MarginLoss]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("loss", losses, ids=lambda loss: loss.name)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """No function of a loss may warn, overflow included."""
    with np.errstate(all="raise", under="ignore"):
        yield


def rounded(value: Any) -> float:
    """The nearest double; beyond the largest one, inf."""
    return float(value) if abs(value) < np.finfo(float).max else float(mpmath.sign(value)) * np.inf


def test_the_registry_is_the_list_of_the_design() -> None:
    assert set(TEXTBOOK) == set(MARGIN_LOSSES.names())
    assert [loss.name for loss in ALL if not loss.convex] == ["sigmoid"]
    assert [loss.name for loss in ALL if not loss.smooth] == ["hinge", "perceptron"]
    assert {loss.name: loss.probability_scale for loss in ALL if loss.probability} == {
        "log": 1.0,
        "exponential": 2.0,
    }
    assert {loss.name: loss.joint for loss in ALL if loss.joint} == {
        "log": "softmax",
        "hinge": "crammer_singer",
        "squared": "one_of_k",
    }
    assert [loss.name for loss in ALL if loss.kernel != loss.name] == ["perceptron"]


@by_name(ALL)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_value_and_derivatives_against_mpmath(loss: MarginLoss, order: int) -> None:
    margins = np.array([M for M in MARGINS if order == 0 or M not in KINKS.get(loss.name, [])])
    with mpmath.workdps(80):
        formula = TEXTBOOK[loss.name]
        expected = [rounded(mpmath.diff(formula, mpmath.mpf(M), order)) for M in margins.tolist()]
    computed = (loss.value, loss.d1, loss.d2)[order](margins)
    assert computed.dtype == np.float64
    np.testing.assert_allclose(computed, expected, rtol=1e-15, atol=1e-70)


def test_log_loss_is_accurate_to_the_last_places_everywhere() -> None:
    sizes = np.geomspace(1e-12, 700, 300)
    margins = np.concatenate([np.linspace(-50, 50, 1001), sizes, -sizes])
    with mpmath.workdps(50):
        expected = [rounded(TEXTBOOK["log"](mpmath.mpf(M))) for M in margins.tolist()]
    np.testing.assert_allclose(losses.get("log").value(margins), expected, rtol=1e-15, atol=0)


@by_name(ALL)
def test_first_derivative_is_the_slope_of_the_value(loss: MarginLoss) -> None:
    M, h = GRID[np.abs(GRID) < 8], 1e-4
    slope = (loss.value(M + h) - loss.value(M - h)) / (2 * h)
    np.testing.assert_allclose(loss.d1(M), slope, rtol=1e-7, atol=1e-7)


@by_name(ALL)
def test_second_derivative_is_the_slope_of_the_first(loss: MarginLoss) -> None:
    M, h = GRID[np.abs(GRID) < 8], 1e-4
    slope = (loss.d1(M + h) - loss.d1(M - h)) / (2 * h)
    np.testing.assert_allclose(loss.d2(M), slope, rtol=1e-7, atol=1e-7)


@by_name(ALL)
@pytest.mark.parametrize("size", [1e3, 1e8, 1e150, 1e300])
def test_huge_margins(loss: MarginLoss, size: float) -> None:
    M = np.array([-size, size])
    for function in (loss.value, loss.d1, loss.d2):
        assert not np.isnan(function(M)).any()
    assert loss.value(M)[0] >= loss.value(M)[1] >= 0 or loss.name == "squared"
    with mpmath.workdps(50):
        truth = [rounded(TEXTBOOK[loss.name](mpmath.mpf(m))) for m in M.tolist()]
    np.testing.assert_allclose(loss.value(M), truth, rtol=1e-15, atol=1e-300)


def test_conventions_at_the_kinks() -> None:
    one, zero = np.array([1.0]), np.array([0.0])
    assert losses.get("hinge").d1(one) == 0
    assert losses.get("perceptron").d1(zero) == -1
    assert losses.get("squared_hinge").d2(one) == 0
    assert losses.get("smoothed_hinge").d2(one) == 0
    assert losses.get("smoothed_hinge").d2(zero) == 1


@by_name(ALL)
def test_convexity_is_what_is_declared(loss: MarginLoss) -> None:
    rising = np.diff(loss.d1(GRID)) >= 0
    assert rising.all() == loss.convex
    assert (loss.d2(GRID) >= 0).all() == loss.convex


@by_name(ALL)
def test_curvature_is_the_supremum_of_d2(loss: MarginLoss) -> None:
    fine = np.linspace(-5, 5, 200_001)
    largest = loss.d2(fine).max()
    if loss.curvature is not None:
        assert largest <= loss.curvature
        assert largest == pytest.approx(loss.curvature, rel=1e-8)
        assert np.abs(loss.d2(fine)).max() <= loss.curvature
    else:
        assert not loss.smooth or loss.d2(np.array([-50.0]))[0] > 1e20


@by_name(ALL)
def test_multipliers_lie_between_the_declared_bounds(loss: MarginLoss) -> None:
    theta = -loss.d1(np.concatenate([GRID, MARGINS[np.abs(MARGINS) < 700]]))
    assert loss.dual_lower <= theta.min()
    assert theta.max() <= loss.dual_upper
    for bound, reached in ((loss.dual_lower, theta.min()), (loss.dual_upper, theta.max())):
        assert reached == pytest.approx(bound, abs=1e-5) if np.isfinite(bound) else abs(reached) > 50


@by_name(WITH_CONJUGATE)
def test_fenchel_young_inequality(loss: MarginLoss) -> None:
    theta = np.linspace(max(loss.dual_lower, -20), min(loss.dual_upper, 20), 401)
    M = GRID[::7]
    total = loss.value(M) + loss.conjugate(theta)[:, None] + theta[:, None] * M
    assert (total >= -1e-13 * (1 + loss.value(M))).all()


@by_name(WITH_CONJUGATE)
def test_fenchel_young_equality_at_the_derivative(loss: MarginLoss) -> None:
    M = np.concatenate([GRID, MARGINS[np.abs(MARGINS) < 700]])
    theta = -loss.d1(M)
    scale = 1 + loss.value(M) + np.abs(theta * M)
    assert (np.abs(loss.value(M) + loss.conjugate(theta) + theta * M) <= 1e-14 * scale).all()
    assert (np.abs(loss.fenchel(M) - loss.conjugate(theta)) <= 1e-14 * scale).all()


@by_name(WITH_CONJUGATE)
def test_conjugate_is_infinite_outside_its_domain_and_finite_at_its_ends(loss: MarginLoss) -> None:
    assert np.isfinite(loss.conjugate(np.array([0.0, -0.0, 1e-300, 0.5, 1.0]))).all()
    for bound, outward in ((loss.dual_lower, -1.0), (loss.dual_upper, 1.0)):
        if np.isfinite(bound):
            outside = bound + outward * np.array([1e-15, 1.0, 1e300])
            assert (loss.conjugate(outside) == np.inf).all()
            assert np.isfinite(loss.conjugate(np.array([bound]))).all()
    assert not np.isnan(loss.conjugate(np.array([-1e300, 1e300]))).any()


@by_name([losses.get("log"), losses.get("exponential")])
def test_entropies_keep_relative_accuracy_for_small_multipliers(loss: MarginLoss) -> None:
    theta = np.geomspace(1e-300, 0.3, 200)
    with mpmath.workdps(400):
        truth = []
        for t in map(mpmath.mpf, theta.tolist()):
            rest = (1 - t) * mpmath.log(1 - t) if loss.name == "log" else -t
            truth.append(rounded(t * mpmath.log(t) + rest))
    np.testing.assert_allclose(loss.conjugate(theta), truth, rtol=2e-15)


@by_name(WITH_FLOOR)
def test_d2_floor_is_the_minimum_over_the_interval(loss: MarginLoss) -> None:
    assert loss.smooth
    assert loss.convex
    random = np.random.default_rng(0)
    M = np.concatenate([random.normal(0, 2, 400), MARGINS])
    r = np.concatenate([random.exponential(1, 400), np.full(len(MARGINS), 0.25)])
    floor = loss.d2_floor(M, r)
    assert floor is not None
    inside = M + r * np.linspace(-1, 1, 801)[:, None]
    lowest = loss.d2(inside[:, np.abs(M) < 700]).min(axis=0)
    finite = floor[np.abs(M) < 700]
    assert (finite <= lowest * (1 + 1e-14)).all()
    np.testing.assert_allclose(finite, lowest, rtol=1e-13, atol=1e-300)
    np.testing.assert_array_equal(loss.d2_floor(M, 0.0), loss.d2(M))
    np.testing.assert_array_equal(loss.d2_floor(M, 0.5), loss.d2_floor(M, np.full_like(M, 0.5)))


def test_only_smooth_convex_losses_have_a_floor() -> None:
    without = {loss.name for loss in ALL if loss.d2_floor(np.zeros(1), 1.0) is None}
    assert without == {"hinge", "perceptron", "sigmoid"}


@by_name(ALL)
def test_losses_are_frozen_values(loss: MarginLoss) -> None:
    assert pickle.loads(pickle.dumps(loss)) == loss == copy.deepcopy(loss)
    assert hash(loss) == hash(copy.copy(loss))
    assert losses.resolve(copy.deepcopy(loss)).name == loss.name
    with pytest.raises(FrozenInstanceError):
        loss.name = "other"


def test_functions_leave_their_argument_alone() -> None:
    M = np.linspace(-2, 2, 9)
    M.flags.writeable = False
    for loss in ALL:
        for function in (loss.value, loss.d1, loss.d2):
            assert function(M).shape == M.shape
            assert function(M.reshape(3, 3)).shape == (3, 3)
            assert function(M[:0]).shape == (0,)


def test_only_the_perceptron_loss_is_refused() -> None:
    refused = {loss.name: loss.refusal for loss in ALL if loss.refusal is not None}
    assert list(refused) == ["perceptron"]
    assert "w = 0" in str(refused["perceptron"])
    assert "Perceptron estimator" in str(refused["perceptron"])


def test_the_sigmoid_loss_says_why_it_has_no_conjugate() -> None:
    sigmoid = losses.get("sigmoid")
    with pytest.raises(Refused, match="'sigmoid' does not define conjugate"):
        sigmoid.conjugate(np.zeros(1))
    with pytest.raises(Refused, match="'sigmoid' is not convex"):
        sigmoid.fenchel(np.zeros(1))
