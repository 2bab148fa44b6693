"""The losses as the kernels compute them: against mpmath to a few units in the last place, at every extreme,
and against the NumPy reference in sums over rows of every number and weight."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from linsep.kernels import reference
from linsep.types import FloatArray

from .cases import WEIGHTS, assert_close, every_variant, loss_calls

Exact = Callable[[Any], Any]

ULPS = 3
SMALLEST = 8e-308  # twice e^−708: below that the kernels' exp is 0
LARGEST = 3e307  # e^708: above it the exponential loss may be infinite


def sigmoid(M: Any) -> Any:
    return 1 / (1 + mpmath.exp(-M))


def x_log_x(t: Any) -> Any:
    return t * mpmath.log(t) if t > 0 else mpmath.mpf(0)


def slack(M: Any) -> Any:
    return max(mpmath.mpf(0), 1 - M)


#: value, first and second derivative of the margin; conjugate of the multiplier
TEXTBOOK: dict[str, tuple[Exact, Exact, Exact, Exact | None]] = {
    "log": (
        lambda M: mpmath.log1p(mpmath.exp(-M)),
        lambda M: -sigmoid(-M),
        lambda M: sigmoid(M) * sigmoid(-M),
        lambda t: x_log_x(t) + ((1 - t) * mpmath.log1p(-t) if t < 1 else 0),
    ),
    "hinge": (slack, lambda M: -(M < 1), lambda M: 0, lambda t: -t),
    "squared_hinge": (
        lambda M: slack(M) ** 2,
        lambda M: -2 * slack(M),
        lambda M: 2 * (M < 1),
        lambda t: t * t / 4 - t,
    ),
    "smoothed_hinge": (
        lambda M: 0.5 - M if M < 0 else slack(M) ** 2 / 2,
        lambda M: -min(mpmath.mpf(1), slack(M)),
        lambda M: 0 <= M < 1,
        lambda t: t * t / 2 - t,
    ),
    "squared": (lambda M: (1 - M) ** 2, lambda M: 2 * (M - 1), lambda M: 2, lambda t: t * t / 4 - t),
    "exponential": (
        lambda M: mpmath.exp(-M),
        lambda M: -mpmath.exp(-M),
        lambda M: mpmath.exp(-M),
        lambda t: x_log_x(t) - t,
    ),
    "sigmoid": (
        lambda M: 2 * sigmoid(-M),
        lambda M: -2 * sigmoid(M) * sigmoid(-M),
        lambda M: 2 * sigmoid(M) * sigmoid(-M) * mpmath.tanh(M / 2),
        None,
    ),
}
every_loss = pytest.mark.parametrize("loss", TEXTBOOK)
with_conjugate = pytest.mark.parametrize("loss", [name for name, formulas in TEXTBOOK.items() if formulas[3]])


def margins() -> FloatArray:
    random = np.random.default_rng(0)
    powers = 10.0 ** np.array([-300, -16, -8, -4, -1, 0, 1, 2, 3, 5, 16, 100, 154, 200, 307, 308])
    near = [1 - 2.0**-53, 1 + 2.0**-52, 0.5, 30, 36.7, 37.5, 700, 707.9, 708.1, 709, 720, 745, 746]
    one_side = np.concatenate([powers, near, random.uniform(0, 3, 60), random.uniform(0, 708, 60)])
    return np.concatenate([[0.0], one_side, -one_side])


def multipliers(loss: str) -> FloatArray:
    random = np.random.default_rng(1)
    t = np.concatenate([[0.0, 0.5, 1.0], 10.0 ** np.arange(-307.0, 0, 11), 1 - 2.0 ** -np.arange(1.0, 54)])
    t = np.concatenate([t, random.random(100)])
    low, high = reference.LOSSES[loss].domain
    if high > 1:
        t = np.concatenate([t, 10.0 ** np.arange(1, 300, 20), random.uniform(1, 100, 50)])
    return np.concatenate([t, -t]) if low < 0 else t


@cache
def exact(loss: str, which: int) -> list[Any]:
    formula = TEXTBOOK[loss][which]
    assert formula is not None
    points = multipliers(loss) if which == 3 else margins()
    with mpmath.workdps(60):
        return [mpmath.mpf(formula(mpmath.mpf(float(x)))) for x in points]


def assert_accurate(actual: FloatArray, loss: str, which: int, scale: FloatArray | None = None) -> None:
    """Within ULPS units in the last place of the true value, or of `scale` where the formula cancels."""
    for k, (a, e) in enumerate(zip(actual.tolist(), exact(loss, which), strict=True)):
        if abs(e) > LARGEST and abs(a) == np.inf:
            assert a * e > 0
            continue
        size = abs(float(e)) if scale is None else max(abs(float(e)), float(scale[k]))
        allowed = SMALLEST if size <= SMALLEST else ULPS * np.spacing(size)
        assert abs(a - e) <= allowed, (loss, which, margins()[k] if which < 3 else multipliers(loss)[k], a, e)


def one_by_one(evaluate: Callable[[FloatArray, FloatArray], float], points: FloatArray, width: int) -> FloatArray:
    """The value at every point, from sums in which one row of `width` has weight, at a place that moves."""
    chosen = np.eye(width)
    return np.array([evaluate(np.full(width, x), chosen[k % width]) for k, x in enumerate(points)])


@every_variant
@every_loss
@pytest.mark.parametrize("y", [1.0, -1.0])
@pytest.mark.parametrize("width", [1, 19])
def test_values(native: ModuleType, loss: str, y: float, width: int) -> None:
    """In vector code and in the scalar rest of a loop."""

    def value(f: FloatArray, s: FloatArray) -> float:
        return float(native.loss_values(loss, y * f, np.full(width, y), s, 1.0, None, None, 1))

    assert_accurate(one_by_one(value, margins(), width), loss, 0)


@every_variant
@every_loss
@pytest.mark.parametrize("y", [1.0, -1.0])
def test_derivatives(native: ModuleType, loss: str, y: float) -> None:
    M = margins()
    g, h = np.empty_like(M), np.empty_like(M)
    native.loss_values(loss, y * M, np.full_like(M, y), None, 1.0, g, h, 1)
    assert_accurate(y * g, loss, 1)
    cancels = np.ones_like(M) if loss == "sigmoid" else None  # its curvature changes sign at 0
    assert_accurate(h, loss, 2, cancels)


@every_variant
@with_conjugate
@pytest.mark.parametrize("width", [1, 19])
def test_conjugates(native: ModuleType, loss: str, width: int) -> None:
    def conjugate(theta: FloatArray, s: FloatArray) -> float:
        value, size = native.loss_conjugate(loss, theta, np.ones(width), s, 1.0, (1.0, 1.0), np.empty(width), 1)
        assert size == abs(value)
        return float(value)

    t = multipliers(loss)
    cancels = None if loss in ("log", "hinge") else np.abs(t) * np.maximum(1, np.log(np.maximum(t, 1)))
    assert_accurate(one_by_one(conjugate, t, width), loss, 3, cancels)


@every_variant
@with_conjugate
def test_fenchel_equality_at_the_gradient(native: ModuleType, loss: str) -> None:
    """ℓ(M) + ℓ*(−θ) + θM = 0 at θ = −ℓ′(M): value, derivative and conjugate belong together."""
    M = np.linspace(-5, 5, 1001)
    theta, r, ones = np.empty_like(M), np.empty_like(M), np.ones_like(M)
    native.loss_linearised(loss, M, np.zeros_like(M), ones, theta, 1)
    for k in range(0, len(M), 50):
        one = np.zeros_like(M)
        one[k] = 1.0
        value = native.loss_values(loss, M, ones, one, 1.0, None, None, 1)
        conjugate, _ = native.loss_conjugate(loss, theta.copy(), ones, one, 1.0, (1.0, 1.0), r, 1)
        assert value + conjugate + theta[k] * M[k] == pytest.approx(0, abs=1e-14 * (1 + abs(value) + abs(conjugate)))


#: value, first and second derivative at M = −∞ and at M = +∞
LIMITS = {
    "log": ((np.inf, -1, 0), (0, 0, 0)),
    "hinge": ((np.inf, -1, 0), (0, 0, 0)),
    "squared_hinge": ((np.inf, -np.inf, 2), (0, 0, 0)),
    "smoothed_hinge": ((np.inf, -1, 0), (0, 0, 0)),
    "squared": ((np.inf, -np.inf, 2), (np.inf, np.inf, 2)),
    "exponential": ((np.inf, -np.inf, np.inf), (0, 0, 0)),
    "sigmoid": ((2, 0, 0), (0, 0, 0)),
}


@every_variant
@every_loss
def test_infinite_margins(native: ModuleType, loss: str) -> None:
    g, h = np.empty(9), np.empty(9)
    for M, limit in zip((-np.inf, np.inf), LIMITS[loss], strict=True):
        value = native.loss_values(loss, np.full(9, M), np.ones(9), np.eye(9)[4], 1.0, None, None, 1)
        native.loss_values(loss, np.full(9, M), np.ones(9), None, 1.0, g, h, 1)
        assert (value, g[0], h[0]) == limit
        assert (g == g[0]).all()
        assert (h == h[0]).all()


@every_variant
@pytest.mark.parametrize("loss", ["log", "squared", "exponential", "sigmoid"])
def test_nan_is_not_repaired(native: ModuleType, loss: str) -> None:
    f = np.zeros(9)
    f[5] = np.nan
    assert np.isnan(native.loss_values(loss, f, np.ones(9), None, 1.0, None, None, 1))


@every_variant
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize(("n", "k"), [(1, 2), (3, 3), (255, 10), (256, 2), (257, 3), (5000, 10)])
def test_sums_against_the_reference(native: ModuleType, kind: str, n: int, k: int) -> None:
    for call in loss_calls(n, kind, k):
        assert_close(call.native(native, None), call.reference(np.empty((n, 0))), 1e-12, call)


@every_variant
@every_loss
def test_a_row_without_weight_counts_nothing_even_if_infinite(native: ModuleType, loss: str) -> None:
    f, s, y = np.array([-np.inf, 0.5, -1e300]), np.array([0.0, 2.0, 0.0]), np.ones(3)
    g, h = np.empty(3), np.empty(3)
    expected = reference.loss_values(loss, f[1:2], y[1:2], s[1:2], 1.0, None, None)
    with np.errstate(invalid="ignore", over="ignore"):
        assert reference.loss_values(loss, f, y, s, 1.0, g, h) == expected
    assert native.loss_values(loss, f, y, s, 1.0, g, h, 1) == pytest.approx(expected, rel=1e-15)
    assert g[0] == g[2] == h[0] == h[2] == 0
    value, _ = native.loss_search(loss, f, np.ones(3), 0.0, y, s, 1.0, 1)
    assert value == pytest.approx(expected, rel=1e-15)


@every_variant
@pytest.mark.parametrize("loss", ["squared_hinge", "squared", "exponential"])
def test_a_multiplier_without_weight_counts_nothing_even_if_infinite(native: ModuleType, loss: str) -> None:
    theta, s, r = np.array([np.inf, 0.5]), np.array([0.0, 2.0]), np.empty(2)
    value, size = native.loss_conjugate(loss, theta, np.ones(2), s, 1.0, (1.0, 1.0), r, 1)
    conjugate = reference.LOSSES[loss].conjugate
    assert conjugate is not None
    assert value == pytest.approx(2 * conjugate(np.array(0.5)), rel=1e-15)
    assert size == -value
    np.testing.assert_array_equal(r, [0.0, 1.0])


@every_variant
@pytest.mark.parametrize("loss", reference.JOINT_LOSSES)
def test_scores_without_weight_count_nothing_even_if_infinite(native: ModuleType, loss: str) -> None:
    Z, s, labels, R = (
        np.array([[0.0, np.inf], [1.0, 2.0]]),
        np.array([0.0, 2.0]),
        np.zeros(2, np.int64),
        np.ones((2, 2)),
    )
    expected = reference.joint_values(loss, Z[1:].copy(), labels[1:], s[1:], 1.0, 2, None)
    assert native.joint_values(loss, Z, labels, s, 1.0, 2, R, 1) == pytest.approx(expected, rel=1e-15)
    np.testing.assert_array_equal(R[0], 0.0)


@every_variant
@pytest.mark.parametrize("gap", [-1e3, -40.0, -1.0, 0.0, 1e-8, 1.0, 20.0, 36.0, 40.0, 300.0, 1e3, 1e308])
def test_softmax_in_both_tails(native: ModuleType, gap: float) -> None:
    """The label leads two equal scores by `gap`: ln(1 + 2e^−gap), and its gradient, to the last digits."""
    Z, R = np.array([[0.0, gap, 0.0]]), np.empty((1, 3))
    value = native.joint_values("softmax", Z, np.ones(1, np.int64), None, 1.0, 3, R, 1)
    with mpmath.workdps(60):
        others = 2 * mpmath.exp(-mpmath.mpf(gap))
        share, loss = float(others / (1 + others)), float(mpmath.log1p(others))
    np.testing.assert_allclose(value, loss, rtol=1e-15, atol=SMALLEST)
    np.testing.assert_allclose(R[0], [share / 2, -share, share / 2], rtol=1e-15, atol=SMALLEST)


@every_variant
@pytest.mark.parametrize("loss", reference.JOINT_LOSSES)
def test_multipliers_outside_of_the_simplex(native: ModuleType, loss: str) -> None:
    """Infinite where e_y − θ is no distribution, but for rows without weight, and for the squares."""
    labels, R = np.zeros(2, np.int64), np.empty((2, 3))
    inside, weights = np.array([0.5, -0.25, -0.25]), np.array([1.0, 0.0])
    for wrong in ([0.5, 0.1, -0.6], [1.5, -0.75, -0.75], [-0.5, 0.5, 0.0], [0.5, -0.25, 0.0]):
        theta = np.array([inside, wrong])
        expected = reference.joint_conjugate(loss, theta, labels, None, 1.0, 3, R)
        assert native.joint_conjugate(loss, theta, labels, None, 1.0, 3, R, 1) == pytest.approx(expected)
        assert np.isinf(expected[0]) == (loss != "one_of_k")
        kept = reference.joint_conjugate(loss, theta, labels, weights, 1.0, 3, R)
        assert native.joint_conjugate(loss, theta, labels, weights, 1.0, 3, R, 1) == pytest.approx(kept)
        assert np.isfinite(kept[0])
