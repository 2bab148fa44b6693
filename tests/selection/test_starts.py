"""Where fits of folds begin, on weights that are known functions of α; and where the search for α goes."""

import numpy as np

from linsep.selection.starts import Starts
from linsep.selection.walk import Walk


def weights(f, alpha):
    """What all folds share bends with ln α; what tells them apart does not change."""
    return np.array([np.log(alpha) ** 2, 1.0]) + f


def test_others_lead():
    starts = Starts(3)
    assert starts.at(0, 1.0) is None
    for f in range(3):
        starts.keep(f, 1.0, weights(f, 1.0))
    np.testing.assert_array_equal(starts.at(0, 0.1), weights(0, 1.0))
    starts.keep(0, 0.1, weights(0, 0.1))
    np.testing.assert_allclose(starts.at(1, 0.1), weights(1, 0.1))
    starts.keep(1, 0.1, weights(1, 0.1))
    np.testing.assert_allclose(starts.at(2, 0.1), weights(2, 0.1))


def test_between_two_values_on_the_line():
    starts = Starts(1)
    starts.keep(0, 1.0, np.array([0.0, 2.0]))
    starts.keep(0, 0.01, np.array([1.0, 0.0]))
    np.testing.assert_allclose(starts.at(0, 0.1), [0.5, 1.0])


def test_folds_of_other_classes_lead_nowhere():
    starts = Starts(2)
    starts.keep(0, 1.0, np.zeros((3, 4)))
    starts.keep(1, 1.0, np.ones((3, 3)))
    starts.keep(0, 0.1, np.ones((3, 4)))
    np.testing.assert_array_equal(starts.at(1, 0.1), np.ones((3, 3)))


def searched(loss, error, count=8):
    tried = []

    def evaluate(alpha):
        tried.append(alpha)
        return loss(np.log10(alpha)), error, 0.0

    walk = Walk(evaluate, np.inf, level=0.1)
    walk.coarsely(np.geomspace(1.0, 10.0 ** (1 - count), count))
    walk.refine(4)
    best = tried[int(np.argmin([loss(np.log10(a)) for a in tried]))]
    return tried, best


def test_a_curve_that_turns_before_its_end_is_not_followed_beyond():
    """Steep down to 10^−6.4, slowly up again: 10^−7 is the lowest of the grid, yet the lowest point lies before it."""
    tried, best = searched(lambda t: 0.3 * (t + 6.4) ** 2 if t > -6.4 else 0.05 * (t + 6.4) ** 2, 0.01)
    assert min(tried) > 0.9e-7
    assert abs(np.log10(best) + 6.4) < 0.2


def test_a_curve_that_falls_on_is_followed():
    tried, best = searched(lambda t: 0.1 * (t + 9.3) ** 2, 0.01)
    assert min(tried) < 1e-8
    assert abs(np.log10(best) + 9.3) < 0.3


def test_one_value_well_above_the_best_ends_a_coarse_grid():
    tried, best = searched(lambda t: (t + 2.1) ** 2, 0.01)
    assert min(tried) > 0.9e-3
    assert abs(np.log10(best) + 2.1) < 0.1
    assert len(tried) <= 8
