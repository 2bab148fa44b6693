"""Rows dealt into folds: every class spread evenly, groups never split, the same deal for the same seed.

Without groups the rows of a class are shuffled and dealt out in turn, each class going on where the last one stopped:
in any two folds the numbers of rows of a class differ by at most one, and so do the sizes of the folds.

With groups the largest go first (the order of equals is shuffled), each to the fold where the counts of the classes
then lie nearest to an even spread: Σ over classes and folds of (count / rows of the class)² grows least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.types import IntArray


def deal(codes: IntArray, folds: int, groups: Any, seed: int) -> IntArray:
    """The fold of every row, 0 … folds − 1."""
    random = np.random.default_rng(seed)
    if groups is None:
        if folds > len(codes):
            raise InvalidData(f"folds={folds} for {len(codes)} rows: a fold needs a row; give at most as many folds")
        return _deal_rows(codes, folds, random)
    of_row = group_numbers(groups, len(codes))
    if folds > of_row.max() + 1:
        raise InvalidData(
            f"folds={folds}, but the rows have {of_row.max() + 1} groups, which are never split: give at most as many"
        )
    return _deal_groups(of_row, codes, folds, random)[of_row]


def group_numbers(groups: Any, n: int) -> IntArray:
    """A number for each label of a group."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise InvalidData(f"groups has the shape {labels.shape} and X has {n} rows: give one label a row")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def given_folds(folds: Any, n: int) -> IntArray:
    """Folds that the user made: a label a row."""
    labels = np.asarray(folds)
    if labels.shape != (n,):
        raise InvalidData(
            f"folds is an array of the shape {labels.shape} and X has {n} rows: give one label a row, or their number"
        )
    of_row = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    if of_row.max() < 1:
        raise InvalidParameter("folds holds one label only: left-out rows need at least two folds")
    return of_row


def check_unsplit(fold: IntArray, groups: Any) -> None:
    """Folds that were given, beside groups that were given."""
    of_row = group_numbers(groups, len(fold))
    first = np.zeros(of_row.max() + 1, dtype=np.int64)
    first[of_row] = fold
    split = np.flatnonzero(first[of_row] != fold)
    if len(split):
        label = np.asarray(groups)[split[0]]
        raise InvalidData(f"group {label!s} lies in more than one of the folds given: a group is never split")


def _deal_rows(codes: IntArray, folds: int, random: np.random.Generator) -> IntArray:
    shuffled = random.permutation(len(codes))
    in_order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[in_order] = np.arange(len(codes)) % folds
    return fold


def _deal_groups(of_row: IntArray, codes: IntArray, folds: int, random: np.random.Generator) -> IntArray:
    """The fold of every group."""
    classes = int(codes.max()) + 1
    counts = np.bincount(of_row * classes + codes, minlength=(of_row.max() + 1) * classes).reshape(-1, classes)
    shares = counts / counts.sum(axis=0)
    order = random.permutation(len(counts))
    order = order[np.argsort(-counts.sum(axis=1)[order], kind="stable")]
    held, size = np.zeros((folds, classes)), np.zeros(folds)
    fold = np.empty(len(counts), dtype=np.int64)
    left = len(order)
    for group in order:
        growth = (2.0 * held + shares[group]) @ shares[group]
        # the last groups fill the folds that are still empty
        open_to = size == 0 if np.count_nonzero(size == 0) >= left else np.ones(folds, dtype=bool)
        choice = np.lexsort((size, np.where(open_to, np.round(growth, 12), np.inf)))[0]
        fold[group], left = choice, left - 1
        held[choice] += shares[group]
        size[choice] += counts[group].sum()
    return fold
