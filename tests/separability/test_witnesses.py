"""A witness that was changed does not verify."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from linsep import Separability, separability, verify
from linsep.separability import Combination, Verdict

rng = np.random.default_rng(0)
X = rng.integers(-5, 6, (60, 3)).astype(float)
QUASI = np.column_stack([X, np.zeros(60)])
QUASI[:3, -1] = 1.0
MIXED = np.append([1, 1, 1, 0, 0], rng.integers(0, 2, 55))
APART = (X[:, 0] + X[:, 1] > 0.5).astype(int)


def separable() -> Separability:
    return separability(X, APART)


def quasi() -> Separability:
    return separability(QUASI, MIXED)


def overlap() -> Separability:
    return separability(X, MIXED)


def shifted(c: Combination) -> Combination:
    weights = (c.weights[0] + Fraction(1, 10**30), c.weights[1] - Fraction(1, 10**30), *c.weights[2:])
    return replace(c, weights=weights)


def test_the_three_are_what_they_should_be() -> None:
    names = [result.verdict.name for result in (separable(), quasi(), overlap())]
    assert names == ["SEPARABLE", "QUASI_SEPARABLE", "NOT_SEPARABLE"]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, w=-s.w),
        lambda s: replace(s, b=s.b + 10.0 * abs(s.w).sum() * 5),
        lambda s: replace(s, margin=2.0 * s.margin),
        lambda s: replace(s, features=s.features[:1]),
        lambda s: replace(s, w=s.w * np.nan),
        lambda s: replace(s, w=s.w[:2]),
        lambda s: replace(s, fit_intercept=False),
        lambda s: replace(s, verdict=Verdict.QUASI_SEPARABLE),
        lambda s: replace(s, verdict=Verdict.NOT_SEPARABLE),
        lambda s: replace(s, n_rows=59),
        lambda s: replace(s, exact=((Fraction(1), Fraction(0), Fraction(0), Fraction(0)),)),
    ],
)
def test_hyperplane(change: Any) -> None:
    assert verify(separable(), X, APART)
    assert not verify(change(separable()), X, APART)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, w=s.w + np.array([1e-9, 0.0, 0.0, 0.0])),
        lambda s: replace(s, b=s.b + 1e-12),
        lambda s: replace(s, rows=s.rows[1:]),
        lambda s: replace(s, w=0.0 * s.w),
        lambda s: replace(s, hull=shifted(s.hull)),
        lambda s: replace(s, hull=None),
        lambda s: replace(s, verdict=Verdict.SEPARABLE),
    ],
)
def test_quasi_direction(change: Any) -> None:
    assert verify(quasi(), QUASI, MIXED)
    assert not verify(change(quasi()), QUASI, MIXED)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, hull=shifted(s.hull)),
        lambda s: replace(s, hull=replace(s.hull, rows=s.hull.rows[::-1].copy())),
        lambda s: replace(s, hull=replace(s.hull, rows=s.hull.rows + 60)),
        lambda s: replace(s, hull=replace(s.hull, weights=tuple(-w for w in s.hull.weights))),
        lambda s: replace(s, hull=replace(s.hull, others=1 - s.hull.others)),
        lambda s: replace(s, faces=tuple(shifted(c) for c in s.faces)),
        lambda s: replace(s, classes=np.array([0, 2])),
    ],
)
def test_common_point(change: Any) -> None:
    assert verify(overlap(), X, MIXED)
    assert not verify(change(overlap()), X, MIXED)


def test_faces_that_leave_something() -> None:
    """The common point alone does not exclude quasi-separation, where it does not span everything."""
    false = replace(quasi(), verdict=Verdict.NOT_SEPARABLE, faces=(quasi().hull,))
    verdict = verify(false, QUASI, MIXED)
    assert not verdict
    assert {c.name for c in verdict.checks if not c.passed} == {"spanning"}


def test_other_data() -> None:
    other = X.copy()
    other[7, 1] += 1.0
    for result, y in ((separable(), APART), (overlap(), MIXED)):
        assert not verify(result, other, y)
        assert not verify(result, X, 1 - y)
        assert not verify(result, X[:-1], y[:-1])


@pytest.mark.usefixtures("unsolved")
def test_residual_is_checked() -> None:
    wide, y = rng.normal(size=(500, 130)), rng.integers(0, 2, 500)
    result = separability(wide, y)
    assert verify(result, wide, y).unknown
    assert not verify(replace(result, residual=result.residual / 1e3), wide, y).unknown
