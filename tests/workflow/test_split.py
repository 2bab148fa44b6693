"""Rows held out: classes keep their shares, groups stay whole, the same seed deals the same rows."""

from __future__ import annotations

import numpy as np

from linsep.workflow.split import FEW, splits


def codes(n: int, share: float = 0.3) -> np.ndarray:
    return (np.arange(n) < share * n).astype(np.int64)


def test_many_rows_are_split_once() -> None:
    (fitted, measured), *more = splits(codes(FEW + 100), None, 0.2, 0)
    assert not more
    assert len(measured) == (FEW + 100) // 5
    assert sorted([*fitted, *measured]) == list(range(FEW + 100))
    assert abs(codes(FEW + 100)[measured].mean() - 0.3) < 0.01


def test_few_rows_are_all_held_out_once() -> None:
    measured = np.concatenate([m for _, m in splits(codes(103), None, 0.2, 0)])
    assert sorted(measured) == list(range(103))


def test_groups_stay_together() -> None:
    groups = np.arange(300) // 7
    for fitted, measured in splits(codes(300)[::-1], groups, 0.2, 1):
        assert not set(groups[fitted]) & set(groups[measured])


def test_the_seed_deals_the_rows() -> None:
    first, again, other = (next(splits(codes(500), None, 0.2, seed))[1] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_nothing_to_hold_out() -> None:
    assert not list(splits(codes(500), None, 0.0, 0))
    assert not list(splits(codes(8), None, 0.2, 0))
    assert not list(splits(codes(100), np.zeros(100), 0.2, 0))
    # a class with a single row: the part without it has one class only, and is not used
    lonely = np.zeros(50, dtype=np.int64)
    lonely[0] = 1
    assert all(len(set(lonely[fitted])) == 2 for fitted, _ in splits(lonely, None, 0.2, 0))
