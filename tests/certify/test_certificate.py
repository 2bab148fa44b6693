"""A certificate's arithmetic, and what it says about weights and predictions."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
import pytest

from linsep.certify import Certificate, Kind, combine
from linsep.solvers import fit_problem
from tests.certify.cases import SLOPES, constructed, margin_problem


def certificate(primal: float, bound: float, tol: float = 1e-4, allowance: float = 0.0) -> Certificate:
    return Certificate(primal, bound, Kind.DUALITY_GAP, tol, alpha=0.5, allowance=allowance)


def test_gap_and_relative_gap() -> None:
    c = certificate(2.0, 1.5)
    assert c.gap == 0.5
    assert c.relative_gap == 0.25
    assert c.distance == sqrt(2.0 * 0.5 / 0.5)
    assert c.prediction_change(3.0) == 3.0 * c.distance


def test_rounding_may_put_the_bound_above_the_value() -> None:
    assert certificate(1.0, 1.0 + 1e-16).gap == 0.0


@pytest.mark.parametrize(
    ("primal", "bound", "relative"),
    [
        (0.0, 0.0, 0.0),
        (0.0, -1e-9, inf),
        (1.0, -inf, inf),
        (nan, 0.0, inf),
        (inf, 0.0, inf),
        (-2.0, -3.0, 0.5),
    ],
)
def test_relative_gap_at_the_edges(primal: float, bound: float, relative: float) -> None:
    assert certificate(primal, bound).relative_gap == relative


def test_it_holds_within_tol_or_at_rounding() -> None:
    assert certificate(1.0, 1.0 - 1e-4).holds
    assert not certificate(1.0, 1.0 - 1.1e-4).holds
    assert certificate(1e-20, 0.0, allowance=1e-20).holds  # P* is about 0: no float64 method can do more
    assert not certificate(1e-20, 0.0, allowance=1e-22).holds
    assert not Certificate(1.0, -inf, Kind.NONE, 1e-4, 0.5, allowance=inf).holds
    assert not certificate(0.04, -4e171, allowance=3e171).holds  # rounding is all there is to that bound


def test_its_text_says_whether_it_holds() -> None:
    assert str(certificate(1.0, 1.0)).startswith("certified")
    assert str(certificate(1.0, 0.5)).startswith("NOT certified")
    local = str(Certificate(1.0, -inf, Kind.STATIONARY, 1e-4, 0.5))
    assert local.startswith("not certified: the objective is not convex")


def test_the_worst_part_binds() -> None:
    parts = (certificate(1.0, 1.0 - 1e-6), certificate(0.01, 0.00999), certificate(5.0, 5.0))
    whole = combine(parts)
    assert whole.primal == sum(p.primal for p in parts)
    assert whole.bound == sum(p.bound for p in parts)
    assert whole.relative_gap == parts[1].relative_gap
    assert whole.gap < 1e-4 * whole.primal  # yet it does not hold
    assert not whole.holds
    assert combine(parts[::2]).holds
    assert whole.parts == parts
    # ‖W − W*‖² is the sum over the problems, and so is its bound
    assert whole.distance == pytest.approx(sqrt(sum(p.distance**2 for p in parts)))


def test_a_part_without_bound_leaves_the_whole_without() -> None:
    none = Certificate(1.0, -inf, Kind.NONE, 1e-4, 0.5)
    whole = combine((certificate(1.0, 1.0), none))
    assert whole.relative_gap == inf
    assert whole.kind is Kind.NONE
    assert not whole.holds


def test_a_part_at_rounding_does_not_spoil_the_whole() -> None:
    whole = combine((certificate(1.0, 1.0), certificate(1e-18, 0.0, allowance=1e-18)))
    assert whole.at_rounding
    assert whole.holds


@pytest.mark.parametrize("steps", [1, 2, 3, 1000])
@pytest.mark.parametrize("loss", sorted(SLOPES))
def test_distance_and_prediction_change_are_bounds(loss: str, steps: int) -> None:
    """‖w − w*‖, and the change of any score without intercept, at any moment of a fit."""
    case = constructed(loss, 1e-2, False, True, seed=steps)
    rng = np.random.default_rng(steps)
    solution = fit_problem(margin_problem(loss, case), start=case.w + rng.normal(size=6) * 0.1, max_iter=steps)
    c = solution.certificate
    assert np.linalg.norm(solution.w[:-1] - case.w[:-1]) <= c.distance
    for x in case.X:
        assert abs(x @ (solution.w[:-1] - case.w[:-1])) <= c.prediction_change(float(np.linalg.norm(x)))
