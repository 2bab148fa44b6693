"""Fitting: parameters are checked and translated, α is chosen, `fit_model` solves, and the model is kept.

All of `LinearClassifier` that is not scikit-learn's, so that a command need not wait for scikit-learn to be imported.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from linsep import diagnosis
from linsep.data.reading import refuse_overflow
from linsep.estimators import parameters, penalty_parameters
from linsep.estimators.choosing import choose, given_alpha
from linsep.estimators.diagnosed import Diagnosed
from linsep.estimators.progress import watcher
from linsep.model import Effort, LinearModel, Objective, Training, Watch, fit_model, read_training, with_offset
from linsep.problem import multiclass
from linsep.selection import Chooser, Task
from linsep.solvers import Status
from linsep.types import FloatArray

Fitter = Callable[[Training, Objective, Effort, FloatArray | None, Watch | None], LinearModel]


def _announce(watch: Watch | None, stage: str) -> None:
    if watch is not None:
        watch.stage(stage)


def _with_probabilities(model: LinearModel, training: Training, effort: Effort) -> LinearModel:
    """Ctrl-C leaves the model without them, and marks it; so does a fit that was interrupted already."""
    if model.status is Status.INTERRUPTED:
        return model
    from linsep.selection.calibrate import calibrated

    try:
        return calibrated(model, training, effort)
    except KeyboardInterrupt:
        return replace(model, run=replace(model.run, status=Status.INTERRUPTED))


class Fitting(Diagnosed):
    """The parameters of `LinearClassifier`, and what `fit` does with them."""

    def __init__(
        self,
        loss: Any = "log",
        *,
        alpha: Any = 1e-4,
        l1_ratio: float = 0.0,
        penalty_factors: Any = None,
        bounds: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        probability: bool = False,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | Watch = 0,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.penalty_factors = penalty_factors
        self.bounds = bounds
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.probability = probability
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, offset: Any = None) -> Self:
        """Fit to rows X and their classes y; a row of weight k counts as k copies of it.

        groups: a label a row, for the choice of α by left-out rows: rows of one label are left out together.
        offset: a known part of each row's score, (n,) for two classes, (n, K) for more, which training adds. It is no
        part of the model: predictions are without it, `decision_function` takes one.
        """
        fitter, effort = self._fitter(), self._effort()
        alpha = given_alpha(self.alpha, groups)
        warm, asked = (parameters.flag(name, getattr(self, name)) for name in ("warm_start", "probability"))
        watch = watcher(self.verbose, effort.tol, effort.time_limit)
        training, objective = self._read(X, y, sample_weight, offset)
        curve = None
        if isinstance(alpha, Chooser):
            number, curve, effort = choose(alpha, Task(training, objective, effort, groups, watch))
            objective = replace(objective, alpha=number)
        start = self._start(training, objective) if warm else None
        _announce(watch, "fitting")
        model = fitter(training, objective, effort, start, watch)
        if asked and model.status is not Status.NO_OPTIMUM and not model.gives_probabilities:
            _announce(watch, "making scores probabilities")
            model = _with_probabilities(model, training, effort)
        self._accept(model, training)
        self.alpha_curve_ = curve
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> tuple[Training, Objective]:
        """The parameters of the objective checked, then the data; an α that is yet to be chosen stands as 1."""
        loss = parameters.margin_loss(self.loss)
        scheme = multiclass.find(self.multiclass, loss)
        alpha = parameters.alpha(self.alpha)
        shape = penalty_parameters.read(self.l1_ratio, self.penalty_factors, self.bounds)
        intercept = parameters.flag("fit_intercept", self.fit_intercept)
        threads = parameters.threads(self.n_jobs)
        training = read_training(X, y, sample_weight, self.class_weight, threads, type(self).__name__)
        refuse_overflow(training.design)
        scheme = multiclass.of_classes(scheme, training.n_classes)
        training = with_offset(training, offset, scheme)
        number = 1.0 if isinstance(alpha, Chooser) else alpha
        return training, Objective(loss, scheme, number, intercept, *shape.columns(training.design.d))

    def _fitter(self) -> Fitter:
        """What turns data and an objective into a model."""
        return fit_model

    def _effort(self) -> Effort:
        return Effort(
            solver=parameters.solver_name(self.solver),
            tol=parameters.number("tol", self.tol, open_end=True),
            max_iter=None if self.max_iter is None else parameters.whole("max_iter", self.max_iter, 1),
            time_limit=parameters.number("time_limit", self.time_limit, open_end=True, none="no limit"),
            seed=parameters.seed(self.random_state),
        )

    def _start(self, training: Training, objective: Objective) -> FloatArray | None:
        """The weights of the last fit, if they are of the same kind."""
        last: LinearModel | None = getattr(self, "model_", None)
        if last is None or last.n_features != training.design.d or last.objective.scheme != objective.scheme:
            return None
        if not np.array_equal(last.classes, training.labels.classes):
            return None
        start = last.w.copy()
        if not objective.intercept:
            start[-1] = 0.0
        return start

    def _accept(self, model: LinearModel, training: Training) -> None:
        """Raise or warn, and keep the model."""
        if model.status is Status.NO_OPTIMUM:
            raise diagnosis.no_optimum(model, training)
        self.model_ = model
        self._kept = diagnosis.Kept(model, training)
        warning = diagnosis.warning(self._kept, training)
        if warning is not None:
            warnings.warn(warning, stacklevel=3)

    @property
    def alpha_(self) -> float:
        return self._fitted("alpha_").alpha
