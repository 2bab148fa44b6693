"""Folds: classes spread evenly, groups never split, the same deal for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.errors import InvalidData, InvalidParameter
from linsep.selection.dealing import check_unsplit, deal, given_folds


@given(st.lists(st.integers(0, 3), min_size=10, max_size=80), st.integers(2, 6), st.integers(0, 9))
def test_classes_and_sizes_differ_by_at_most_one(codes, folds, seed):
    codes = np.array(codes)
    fold = deal(codes, folds, None, seed)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for k in np.unique(codes):
        counts = np.bincount(fold[codes == k], minlength=folds)
        assert counts.max() - counts.min() <= 1


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1)), min_size=20, max_size=100), st.integers(0, 5))
def test_no_group_is_split_and_no_fold_is_empty(rows, seed):
    groups, codes = np.array(rows).T
    folds = min(4, len(np.unique(groups)))
    if folds < 2:
        return
    fold = deal(codes, folds, groups, seed)
    assert len(np.unique(fold)) == folds
    for g in np.unique(groups):
        assert len(np.unique(fold[groups == g])) == 1


def test_groups_are_stratified_as_well_as_they_can_be():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    codes = np.repeat(random.random(60) < 0.3, 10).astype(int)  # each group of one class
    fold = deal(codes, 5, groups, 1)
    shares = [codes[fold == f].mean() for f in range(5)]
    assert max(shares) - min(shares) < 0.1


def test_repeatable_and_different_for_another_seed():
    codes = np.arange(100) % 3
    assert (deal(codes, 5, None, 3) == deal(codes, 5, None, 3)).all()
    assert (deal(codes, 5, None, 3) != deal(codes, 5, None, 4)).any()


def test_what_cannot_be_dealt():
    codes = np.array([0, 1, 0])
    with pytest.raises(InvalidData, match="folds=5 for 3 rows"):
        deal(codes, 5, None, 0)
    with pytest.raises(InvalidData, match="2 groups, which are never split"):
        deal(codes, 3, ["a", "b", "a"], 0)
    with pytest.raises(InvalidData, match="one label a row"):
        deal(codes, 2, ["a", "b"], 0)
    with pytest.raises(InvalidData, match="one label a row"):
        given_folds([0, 1], 3)
    with pytest.raises(InvalidParameter, match="at least two folds"):
        given_folds([1, 1, 1], 3)
    with pytest.raises(InvalidData, match="group a lies in more than one"):
        check_unsplit(np.array([0, 1, 1]), ["a", "b", "a"])
