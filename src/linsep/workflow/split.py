"""Which rows are kept from the fit to measure it: the same for the same data and seed.

Many rows: a share of them is held out once. Few rows: every row is held out once, in folds, because a fifth of few rows
measures nothing. Classes keep their shares; rows of one group stay together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linsep.selection.dealing import deal
from linsep.types import IntArray

#: Rows up to which every row is held out once.
FEW = 2000


def splits(codes: IntArray, groups: Any, share: float, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """(rows to fit, rows to measure), once or once a fold; nothing where too few rows or groups are there."""
    folds = max(round(1.0 / share), 2) if share > 0.0 else 0
    if groups is not None:
        folds = min(folds, len(np.unique(groups)))
    if folds < 2 or len(codes) < 2 * folds:
        return
    fold = deal(codes, folds, groups, seed)
    for k in range(1 if len(codes) > FEW else folds):
        fitted, measured = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if len(np.unique(codes[fitted])) > 1:
            yield fitted, measured
