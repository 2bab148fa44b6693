"""`regularization_path`: parameters checked and translated; selection/path.py follows the path."""

from __future__ import annotations

from typing import Any

from linsep.data.reading import refuse_overflow
from linsep.errors import InvalidParameter
from linsep.estimators import parameters, penalty_parameters
from linsep.estimators.progress import watcher
from linsep.model import Effort, Objective, Watch, read_training, with_offset
from linsep.problem import multiclass as schemes
from linsep.selection.grid import checked_alphas
from linsep.selection.path import Path, default_alphas, follow


def regularization_path(
    X: Any,
    y: Any,
    loss: Any = "log",
    *,
    l1_ratio: float = 0.0,
    alphas: Any = None,
    size: int = 100,
    ratio: float | None = None,
    penalty_factors: Any = None,
    bounds: Any = None,
    offset: Any = None,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    class_weight: Any = None,
    multiclass: Any = "auto",
    solver: str = "auto",
    tol: float = 1e-4,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int | Watch = 0,
) -> Path:
    """The model at every α of a grid, from the largest, where it says nothing, down; every point is certified.

    Parameters
    ----------
    l1_ratio : float in [0, 1], default=0.0
        The share ρ of L1 in α[(1 − ρ)/2 ‖w‖² + ρ‖w‖₁].
    alphas : array of numbers > 0, optional
        The values of α; else an exponential grid of `size` values, from the smallest α at which all weights are zero
        (for L2 alone: nearly zero) down to `ratio` times that.
    ratio : float in (0, 1), optional
        None is 10⁻⁷ for L2; with L1, 10⁻⁴ for more rows than columns and 10⁻² otherwise.
    time_limit : float or None, default=None
        Seconds for the whole path; it ends early with the points that were reached.
    loss, penalty_factors, bounds, offset, fit_intercept, class_weight, multiclass, solver, tol, n_jobs, random_state,
    verbose
        As those of `LinearClassifier`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from linsep import regularization_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = regularization_path(X / X.std(axis=0), y, size=10)
    >>> path.coefs.shape
    (10, 1, 30)
    >>> bool(path.deviance[0] < 0.05 < 0.9 < path.deviance[-1])
    True
    """
    chosen = parameters.margin_loss(loss)
    scheme = schemes.find(multiclass, chosen)
    shape = penalty_parameters.read(l1_ratio, penalty_factors, bounds)
    intercept = parameters.flag("fit_intercept", fit_intercept)
    count = parameters.whole("size", size, 1)
    depth = None if ratio is None else parameters.number("ratio", ratio, open_end=True)
    if depth is not None and depth >= 1.0:
        raise InvalidParameter(f"ratio={ratio!r}: allowed is a number between 0 and 1, or None")
    effort = Effort(
        solver=parameters.solver_name(solver),
        tol=parameters.number("tol", tol, open_end=True),
        time_limit=parameters.number("time_limit", time_limit, open_end=True, none="no limit"),
        seed=parameters.seed(random_state),
    )
    watch = watcher(verbose, effort.tol, effort.time_limit)
    given = None if alphas is None else checked_alphas(alphas)
    threads = parameters.threads(n_jobs)
    training = read_training(X, y, sample_weight, class_weight, threads, "regularization_path")
    refuse_overflow(training.design)
    scheme = schemes.of_classes(scheme, training.n_classes)
    training = with_offset(training, offset, scheme)
    objective = Objective(chosen, scheme, 1.0, intercept, *shape.columns(training.design.d))
    values = default_alphas(training, objective, count, depth) if given is None else given
    return follow(training, objective, values, effort, watch)
