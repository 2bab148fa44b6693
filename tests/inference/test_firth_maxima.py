"""Firth's criterion with several maxima: the profile is the highest of them, found here on a dense grid.

One column with long tails, whose rows tell the classes apart but for a few: one maximum on the scale of the bulk of the
rows, another on that of the tails.
"""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from linsep import LogisticRegression

CUT = 0.5 * float(chi2.isf(0.05, 1))


def tails(seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    n = int(random.integers(15, 41))
    x = random.standard_normal(n) ** 3
    y = (x > np.quantile(x, random.uniform(0.2, 0.8))).astype(int)
    y[random.choice(n, int(random.integers(2, 8)), replace=False)] ^= 1
    return x, y


def criterion(x: Any, y: Any, w: Any, b: Any) -> Any:
    """l + ½ ln det I for arrays of weights and intercepts."""
    z = np.multiply.outer(w, x) + np.asarray(b)[..., None]
    e = np.exp(-np.abs(z))
    v = e / (1.0 + e) ** 2
    s0, s1, s2 = v.sum(-1), (v * x).sum(-1), (v * x * x).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (y * z - np.logaddexp(0.0, z)).sum(-1) + 0.5 * np.log(s0 * s2 - s1 * s1)


def profile(x: Any, y: Any, j: int, c: float) -> float:
    """The highest value with w (j = 0) or b (j = 1) at c: a grid, then finer ones around its best points."""
    grid = np.sinh(np.linspace(-7.6, 7.6, 16_001))  # up to 1,000, and fine near 0
    best = -np.inf
    for top in np.argsort(-np.nan_to_num(along(x, y, j, c, grid), nan=-np.inf))[:30]:
        low, high = grid[max(top - 2, 0)], grid[min(top + 2, len(grid) - 1)]
        for _ in range(8):
            fine = np.linspace(low, high, 41)
            values = np.nan_to_num(along(x, y, j, c, fine), nan=-np.inf)
            middle, reach = fine[values.argmax()], 2.0 * (fine[1] - fine[0])
            best, low, high = max(best, float(values.max())), middle - reach, middle + reach
    return best


def along(x: Any, y: Any, j: int, c: float, others: Any) -> Any:
    held = np.full(len(others), c)
    return criterion(x, y, *((held, others) if j == 0 else (others, held)))


@pytest.mark.parametrize("seed", [0, 1, 30, 50, 54, 94])
def test_ends_are_where_the_highest_maximum_crosses(seed: int) -> None:
    x, y = tails(seed)
    found = LogisticRegression(penalty="firth").fit(x[:, None], y).inference(x[:, None], y)
    best = float(criterion(x, y, found.estimates[0], found.estimates[1]))
    for j, ends in enumerate(found.intervals):
        for end in ends:
            assert best - profile(x, y, j, end) == pytest.approx(CUT, abs=1e-7)
            for part in (0.25, 0.5, 0.75):
                inner = found.estimates[j] + part * (end - found.estimates[j])
                assert -1e-9 < best - profile(x, y, j, inner) < CUT
    assert not any("highest" in note for note in found.notes)
