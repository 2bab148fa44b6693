"""Novikoff's bound: on separable data the perceptron, from w = 0, makes at most (R/ρ)² updates, whatever n and d.

R is the length of the longest input and ρ the maximum margin through the origin of the space it runs in: with a bias
that is the space of (x, 1), and R² = max‖x‖² + 1. (An update adds at least ρ to ⟨w*, w⟩, ‖w*‖ = 1, and at most R² to
‖w‖²; so kρ ≤ ⟨w*, w⟩ ≤ ‖w‖ ≤ √k R.)

K > 2 classes, by the joint rule that corrects the true and the predicted class, are one such perceptron on Kesler's
vectors: for every row and every other class k, x in the block of its own class and −x in that of k; R² = 2 max‖x‖².
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from scipy import sparse

from linsep.data.source import as_design, as_matrix
from linsep.errors import check_flag
from linsep.kernels.threads import resolve_threads
from linsep.model import read_training
from linsep.separability.margin_certificate import MaximumMargin
from linsep.separability.max_margin import maximum_margin
from linsep.separability.refusal import need_no_hyperplane
from linsep.types import IntArray


def novikoff_bound(X: Any, y: Any, *, bias: bool = True, n_jobs: int | None = None) -> float:
    """(R/ρ)², and infinity if the classes cannot be separated.

    Classes that can, by a margin too small beside R for float64 to find it (about 1e-13 of it), raise `MarginTooSmall`.

    >>> round(novikoff_bound([[2.0, 0.0], [0.0, 2.0]], [1, -1], bias=False), 9)
    2.0
    """
    check_flag("bias", bias)
    threads = resolve_threads(n_jobs)
    training = read_training(X, y, None, None, threads, "novikoff_bound")
    rows: Any = X.tocsr() if sparse.issparse(X) else as_matrix(X)
    if bias:
        ones = np.ones((training.design.n, 1), dtype=rows.dtype if rows.dtype.kind == "f" else np.float64)
        rows = sparse.hstack([rows, ones], format="csr") if sparse.issparse(X) else np.hstack([rows, ones])
    if training.n_classes == 2:
        signs = training.labels.signs()
    else:
        rows = kesler(rows, training.labels.codes, training.n_classes)
        signs = np.ones(rows.shape[0])
    design = as_design(rows, threads)
    found = maximum_margin(design, signs, through_origin=True)
    if isinstance(found, MaximumMargin):
        return float(design.row_norms().max()) / found.margin**2
    need_no_hyperplane(training, found.bound, intercept=bool(bias))
    return inf


def kesler(rows: Any, codes: IntArray, K: int) -> Any:
    """Kesler's vectors, (n(K − 1), Kd): a multiclass problem as one of two classes, all of them positive."""
    table = sparse.csr_array(rows, dtype=np.float64)
    d, parts = table.shape[1], []
    for k in range(K):
        others = np.flatnonzero(codes != k)
        entries = table[others].tocoo()
        row, column = entries.coords
        own = codes[others][row] * d + column
        values = np.concatenate([entries.data, -entries.data])
        at = np.concatenate([row, row]), np.concatenate([own, k * d + column])
        parts.append(sparse.coo_array((values, at), shape=(len(others), K * d)))
    return sparse.vstack(parts, format="csr")
