"""`separability(X, y)`: the question. What answers it is loaded when it is asked (judge.py)."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

from linsep.errors import InvalidParameter, Undecided, check_flag

if TYPE_CHECKING:
    from linsep.separability.verdict import Separability


def separability(
    X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None, n_jobs: int | None = None
) -> Separability:
    """Whether a hyperplane tells the classes apart: separable, quasi-separable or not, with a proof.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n, d)
    y : labels, two classes or more
        With more than two the question is the one that decides whether the softmax optimum exists: weights with
        z_c ≥ z_k for every row of class c and every other class k.
    fit_intercept : bool, default=True
        False: only hyperplanes through the origin.
    time_limit : float or None, default=None
        Seconds after which it gives up with the error `Undecided`. Most data take seconds; thousands of weights that
        overlap only just can take minutes.
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
    from linsep.solvers.patience import OutOfTime, at_most, seconds_left

    check_flag("fit_intercept", fit_intercept)
    seconds = _seconds(time_limit)
    training = read_training(X, y, None, None, resolve_threads(n_jobs), "separability")
    if seconds == inf:
        return judge(training, bool(fit_intercept))
    try:
        with at_most(seconds):
            return judge(training, bool(fit_intercept))
    except OutOfTime:
        seconds_left()  # a caller's deadline that has passed as well is for the caller to catch
        raise Undecided(
            f"not decided within time_limit={time_limit} s: {training.design.n:,} rows, {training.design.d:,} "
            f"features, {training.n_classes} classes. Give more time, or rows or features that may do"
        ) from None


def _seconds(given: float | None) -> float:
    if given is None:
        return inf
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < inf:
        raise InvalidParameter(f"time_limit={given!r}: allowed are seconds > 0, finite, and None for no limit")
    return float(given)
