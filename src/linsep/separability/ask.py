"""`separability(X, y)`: the question. What answers it is loaded when it is asked (judge.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linsep.errors import check_flag

if TYPE_CHECKING:
    from linsep.separability.verdict import Separability


def separability(X: Any, y: Any, *, fit_intercept: bool = True, n_jobs: int | None = None) -> Separability:
    """Whether a hyperplane tells the classes apart: separable, quasi-separable or not, with a proof.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n, d)
    y : labels, two classes or more
        With more than two the question is the one that decides whether the softmax optimum exists: weights with
        z_c ≥ z_k for every row of class c and every other class k.
    fit_intercept : bool, default=True
        False: only hyperplanes through the origin.
    n_jobs : int or None, default=None
        Threads at most; None and −1 are all cores. The result does not depend on it.

    Returns
    -------
    Separability
        The verdict, the hyperplane or the weights of a common point of both hulls, and `summary()`.
        `linsep.verify(result, X, y)` checks it again.

    Examples
    --------
    >>> from linsep import separability
    >>> result = separability([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1])
    >>> result.verdict.name, result.proved
    ('SEPARABLE', True)
    >>> xor = separability([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    >>> xor.verdict.name, xor.hull.rows.tolist(), [str(w) for w in xor.hull.weights]
    ('NOT_SEPARABLE', [0, 1, 2, 3], ['1/4', '1/4', '1/4', '1/4'])
    """
    from linsep.kernels.threads import resolve_threads
    from linsep.model import read_training
    from linsep.separability.judge import judge

    check_flag("fit_intercept", fit_intercept)
    return judge(read_training(X, y, None, None, resolve_threads(n_jobs), "separability"), bool(fit_intercept))
