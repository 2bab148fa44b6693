"""The line search on functions of one variable whose minimum is known."""

from __future__ import annotations

from math import exp, inf

import numpy as np
import pytest

from linsep.problem.problem import Line
from linsep.solvers.line_search import line_search, slope_search


class Counted:
    """½a(t − m)², and how often it was asked away from 0."""

    def __init__(self, minimum: float, curvature: float = 1.0) -> None:
        self.minimum, self.curvature, self.asked = minimum, curvature, 0

    def __call__(self, t: float) -> tuple[float, float]:
        self.asked += t != 0.0
        away = t - self.minimum
        return 0.5 * self.curvature * away * away, self.curvature * away


@pytest.mark.parametrize("minimum", [0.8, 1.0, 1.2, 1.7])
def test_a_good_natural_step_is_taken_at_once(minimum: float) -> None:
    line = Counted(minimum)
    assert line_search(line, 4.0, natural=1.0) == 1.0
    assert line.asked == 1


@pytest.mark.parametrize("minimum", [1e-3, 0.05, 0.52, 15.0, 3.0])
@pytest.mark.parametrize("curvature", [1e-6, 1.0, 1e6])
def test_another_is_improved(minimum: float, curvature: float) -> None:
    """Too long a step, and one that leaves most of the slope: the step found leaves a tenth, or is the longest."""
    line = Counted(minimum, curvature)
    t = line_search(line, 4.0, natural=1.0)
    if minimum == 3.0:  # within its bounds the natural step leaves two thirds of the slope, and is good enough
        assert t == 1.0
    else:
        assert t == 4.0 if minimum > 4.0 else abs(t - minimum) <= 0.1 * minimum


def test_without_a_natural_step() -> None:
    assert line_search(Counted(5.0)) == 1.0
    assert line_search(Counted(0.25)) == pytest.approx(0.25, abs=0.025)


def test_infinite_values_only_shorten_the_bracket() -> None:
    def line(t: float) -> tuple[float, float]:
        return (inf, inf) if t > 0.3 else Counted(0.2)(t)

    assert line_search(line, 4.0, natural=1.0) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("line", [Counted(-1.0), Counted(0.0)], ids=["ascent", "flat"])
def test_no_step_where_none_descends(line: Line) -> None:
    assert line_search(line, 4.0, natural=1.0) == 0.0


def test_a_curve_that_is_no_parabola() -> None:
    """e^t − 3t has its minimum at ln 3, and slope −2 at 0."""
    t = line_search(lambda t: (exp(t) - 3.0 * t, exp(t) - 3.0), 4.0, natural=3.0)
    assert abs(exp(t) - 3.0) <= 0.2


@pytest.mark.parametrize("seed", range(30))
def test_a_search_by_slopes_never_ends_uphill(seed: int) -> None:
    """Kinks anywhere in (0, 1): a slope of less than a tenth of the first may be all uphill."""
    rng = np.random.default_rng(seed)
    places, rises = 10.0 ** rng.uniform(-6, 0, size=3), rng.exponential(size=3) * (0.2, 1.0, 3.0)[seed % 3]

    def slope(t: float) -> float:
        return -1.0 + float(rises[places < t].sum()) + 1e-3 * t

    t = slope_search(slope)
    value = -t + float(rises @ np.maximum(t - places, 0.0)) + 5e-4 * t * t
    assert t > 0.0
    assert value < 0.0
