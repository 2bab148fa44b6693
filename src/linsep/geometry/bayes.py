"""Class posteriors and the optimal rule.

    P(k | x) = P(k) p(x | k) / Σⱼ P(j) p(x | j)
    the rule of least expected cost:  argmin over a of  Σₖ cost[k, a] P(k | x)      (cost of deciding a where k is true)
    with a cost of 1 for every mistake:  argmax over k of P(k | x)

No rule has a lower probability of a mistake than this one, 1 − E max P(k | x). For Gaussian classes that share their
covariance C, ln P(k)p(x | k) is linear in x up to a common term, with wₖ = C⁻¹mₖ and bₖ = ln P(k) − ½⟨mₖ, C⁻¹mₖ⟩: the
posterior is the softmax of linear scores, and logistic regression has the right form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from linsep.errors import InvalidData, InvalidParameter
from linsep.types import FloatArray, IntArray


def class_posteriors(priors: Any, likelihoods: Any) -> FloatArray:
    """P(k | x), (n, K), from priors P(k), (K,), and likelihoods p(x | k), (n, K).

    >>> class_posteriors([0.5, 0.5], [[0.2, 0.6]])
    array([[0.25, 0.75]])
    """
    likelihood = _table("likelihoods", likelihoods)
    prior = _priors(priors, likelihood.shape[1])
    if not (likelihood >= 0.0).all():
        raise InvalidData("likelihoods are finite and not negative; where they underflow, give gaussian_posteriors")
    joint = prior * likelihood
    total = joint.sum(axis=1, keepdims=True)
    if not total.all():
        row = int(np.argmin(total[:, 0]))
        raise InvalidData(f"row {row} has likelihood 0 under every class of positive prior: it has no posterior")
    posterior: FloatArray = joint / total
    return posterior


def gaussian_posteriors(X: Any, means: Any, covariances: Any, priors: Any = None) -> FloatArray:
    """P(k | x), (n, K), of Gaussian classes: means (K, d), one covariance (d, d) for all or (K, d, d), priors (K,).

    Without priors the classes are equally likely. Computed from logarithms: far from every mean nothing underflows.

    >>> gaussian_posteriors([[0.0]], [[-1.0], [1.0]], [[1.0]])
    array([[0.5, 0.5]])
    """
    rows, centres, shapes = _table("X", X), _table("means", means), _table("covariances", covariances)
    K, d = centres.shape
    if shapes.shape not in ((d, d), (K, d, d)):
        raise InvalidData(f"covariances have shape {shapes.shape}; allowed are ({d}, {d}) for all and ({K}, {d}, {d})")
    if rows.shape[1] != d:
        raise InvalidData(f"X has {rows.shape[1]} features and the means have {d}")
    prior = _priors(np.full(K, 1.0 / K) if priors is None else priors, K)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.log(prior) + np.column_stack(
            [_log_density(rows - centres[k], shapes if shapes.ndim == 2 else shapes[k]) for k in range(K)]
        )
    best = logs.max(axis=1, keepdims=True)
    if not np.isfinite(best).all():
        row = int(np.argmin(np.isfinite(best[:, 0])))
        raise InvalidData(f"row {row} is so far from every mean that the squared distance leaves float64: scale X")
    joint = np.exp(logs - best)
    posterior: FloatArray = joint / joint.sum(axis=1, keepdims=True)
    return posterior


def bayes_rule(posteriors: Any, costs: Any = None) -> IntArray:
    """The decision of least expected cost for every row of P(k | x), (n, K): the first of equals.

    costs (K, A): costs[k, a] is that of deciding a where k is true. None: every mistake costs 1.

    >>> bayes_rule([[0.9, 0.1], [0.4, 0.6]]).tolist()
    [0, 1]
    >>> bayes_rule([[0.9, 0.1], [0.4, 0.6]], costs=[[0, 1], [20, 0]]).tolist()    # a missed 1 costs 20 times as much
    [1, 1]
    """
    posterior = _table("posteriors", posteriors)
    sums = posterior.sum(axis=1)
    if not ((posterior >= 0.0).all() and np.allclose(sums, 1.0, atol=1e-6)):
        raise InvalidData("every row of posteriors holds probabilities: not negative, with sum 1")
    if costs is None:
        return np.asarray(posterior.argmax(axis=1), dtype=np.int64)
    cost = _table("costs", costs)
    if cost.ndim != 2 or len(cost) != posterior.shape[1]:
        raise InvalidParameter(
            f"costs have shape {cost.shape}; allowed is a finite table with a row for each of {posterior.shape[1]} "
            "classes and a column for each decision"
        )
    return np.asarray((posterior @ cost).argmin(axis=1), dtype=np.int64)


def _table(name: str, given: Any) -> FloatArray:
    """Finite numbers, as a table at least."""
    try:
        table = np.atleast_2d(np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidData(f"{name}={given!r}: allowed is a table of numbers") from None
    if not np.isfinite(table).all():
        raise InvalidData(f"{name} holds NaN or infinity; allowed are finite numbers")
    return table


def _priors(given: Any, K: int) -> FloatArray:
    prior = np.ravel(_table("priors", given))
    if prior.shape != (K,):
        raise InvalidParameter(f"priors have shape {prior.shape}; allowed is one for each of {K} classes")
    if not ((prior >= 0.0).all() and abs(float(prior.sum()) - 1.0) <= 1e-6):
        raise InvalidParameter(f"priors={prior.tolist()}: allowed are probabilities, not negative, with sum 1")
    return prior


def _log_density(centred: FloatArray, covariance: FloatArray) -> FloatArray:
    """ln of the Gaussian density without the constant (2π)^(−d/2), which all classes share."""
    if not np.allclose(covariance, covariance.T, rtol=0.0, atol=1e-9 * np.abs(covariance).max()):
        raise InvalidData("a covariance is not symmetric")
    try:
        lower = cholesky(covariance, lower=True)
    except LinAlgError:
        raise InvalidData("a covariance is not positive definite: a class without spread in some direction") from None
    whitened = solve_triangular(lower, centred.T, lower=True)
    density: FloatArray = -0.5 * np.square(whitened).sum(axis=0) - np.log(np.diagonal(lower)).sum()
    return density
