"""The two values read off a curve, by hand."""

import numpy as np

from linsep.selection import Curve

ALPHAS = np.array([1.0, 0.1, 0.01, 0.001])


def curve(losses: list[float], error: float = 0.05) -> Curve:
    return Curve(ALPHAS, np.array(losses), np.full(4, error), "5 folds", "log loss")


def test_best_and_one_standard_error() -> None:
    c = curve([0.9, 0.54, 0.5, 0.6])
    assert c.best == 0.01
    assert c.one_standard_error == 0.1  # simpler: a larger α, never a smaller one
    assert not c.at_edge


def test_equal_losses_take_the_larger_alpha() -> None:
    assert curve([0.9, 0.5, 0.5, 0.6]).best == 0.1


def test_at_edge_and_failed_values() -> None:
    assert curve([0.4, 0.5, 0.6, 0.7]).at_edge
    assert curve([0.9, 0.8, 0.7, 0.6]).at_edge
    assert curve([np.nan, 0.5, 0.4, 0.6]).best == 0.01


def test_record_round_trip() -> None:
    c = curve([0.9, 0.54, 0.5, 0.6])
    again = Curve.from_record(c.record())
    np.testing.assert_array_equal(again.losses, c.losses)
    assert (again.method, again.scored, again.notes) == (c.method, c.scored, c.notes)
