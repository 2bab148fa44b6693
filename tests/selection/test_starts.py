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


def searched(loss, error, count=8, decades=7.0):
    tried = []

    def evaluate(alpha):
        tried.append(alpha)
        return loss(np.log10(alpha)), error, 0.0

    walk = Walk(evaluate, np.inf, level=0.1)
    walk.coarsely(np.geomspace(1.0, 10.0**-decades, count))
    walk.refine(4)
    best = tried[int(np.argmin([loss(np.log10(a)) for a in tried]))]
    return tried, best


def test_a_curve_that_turns_before_its_end_is_not_followed_beyond():
    """Steep down to 10^−6.4, slowly up again: 10^−7 is the lowest of the grid, yet the lowest point lies before it."""
    tried, best = searched(lambda t: 0.3 * (t + 6.4) ** 2 if t > -6.4 else 0.05 * (t + 6.4) ** 2, 0.01)
    assert min(tried) > 0.9e-7
    assert abs(np.log10(best) + 6.4) < 0.2


def test_a_bump_at_the_end_of_the_grid_is_no_valley():
    """Steep to 10^−6, all but level to 10^−7 but for a bump, where parabolas see a valley; then down to 10^−9.5."""

    def loss(t):
        level = 0.09 * max(t + 6.0, 0.0) ** 2 - 0.002 * max(-t - 6.0, 0.0) + 0.003 * np.exp(-50.0 * (t + 6.5) ** 2)
        return level if t > -7.0 else level + 0.08 * ((t + 9.5) ** 2 - 2.5**2)

    tried, best = searched(loss, 0.05)
    assert min(tried) < 1e-8
    assert abs(np.log10(best) + 9.5) < 0.6


def test_in_half_decades_the_search_ends_where_the_curve_turns():
    """Lowest at 10^−4.9: 10^−5 is the last value of the grid that is tried, and the vertex is found beside it."""
    tried, best = searched(lambda t: 0.3 * (t + 4.9) ** 2 if t > -4.9 else 0.2 * (t + 4.9) ** 2, 0.01, 15)
    assert min(tried) > 0.9e-5
    assert abs(np.log10(best) + 4.9) < 0.05


def test_in_half_decades_a_parabola_that_was_wrong_does_not_end_the_search():
    """The fall slows down at 10^−5 as if it turned there, and goes on to 10^−8."""
    tried, best = searched(lambda t: 0.4 * max(t + 5.0, 0.0) ** 2 + 0.05 * (t + 8.0) ** 2, 0.01, 15)
    assert min(tried) < 1e-8
    assert abs(np.log10(best) + 8.0) < 0.3


def test_a_curve_that_falls_on_is_followed():
    tried, best = searched(lambda t: 0.1 * (t + 9.3) ** 2, 0.01)
    assert min(tried) < 1e-8
    assert abs(np.log10(best) + 9.3) < 0.3


def test_from_the_middle_of_a_coarse_grid_to_the_first_value_well_above_the_best():
    """Down from 10^−4: 10^−5 is much worse, so up to 10^−1, where it is worse again. No other value of the grid."""
    tried, best = searched(lambda t: (t + 2.1) ** 2, 0.01)
    np.testing.assert_allclose(np.log10(tried[:5]), [-4.0, -5.0, -3.0, -2.0, -1.0])
    assert abs(np.log10(best) + 2.1) < 0.1
    assert len(tried) <= 9


def test_the_lower_half_of_a_coarse_grid_is_enough_where_the_best_lies_there():
    tried, best = searched(lambda t: (t + 5.2) ** 2, 0.01)
    assert max(tried) < 1.1e-4
    assert abs(np.log10(best) + 5.2) < 0.1


def test_up_from_where_small_values_are_level():
    """Flat below 10^−3.5, and the best far above: level values are no reason to stay."""
    _, best = searched(lambda t: 0.1 * (t + 0.8) ** 2 if t > -3.5 else 0.729, 0.01)
    assert abs(np.log10(best) + 0.8) < 0.2


def test_nothing_more_is_tried_where_the_best_and_its_neighbours_are_as_good():
    """Up to the top for the largest value within an error of the best; no parabola on differences of 0.01 errors."""
    tried, _ = searched(lambda t: 1e-4 * (t + 5.0) ** 2, 0.01)
    np.testing.assert_allclose(sorted(np.log10(tried)), np.arange(-7.0, 1.0), atol=1e-12)
