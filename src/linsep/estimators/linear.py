"""LinearClassifier: any loss, any multiclass scheme, any solver, behind scikit-learn's interface.

No mathematics here: parameters are checked and translated, `fit_model` solves, attributes are the model's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from linsep import diagnosis
from linsep.data.reading import refuse_overflow
from linsep.errors import LinsepError
from linsep.estimators import parameters, penalty_parameters
from linsep.estimators.choosing import choose, given_alpha
from linsep.estimators.diagnosed import Diagnosed
from linsep.estimators.fitted import Fitted
from linsep.estimators.progress import watcher
from linsep.model import Effort, LinearModel, Objective, Training, Watch, fit_model, read_training, with_offset
from linsep.model.probability import available
from linsep.problem import multiclass
from linsep.selection import Chooser, Task
from linsep.solvers import Status
from linsep.types import FloatArray

if TYPE_CHECKING:  # what only some fits need is imported where it is used
    from linsep.inference import Inference
    from linsep.planning import Plan

Array = np.ndarray[Any, Any]
Fitter = Callable[[Training, Objective, Effort, FloatArray | None, Watch | None], LinearModel]


def _gives_probabilities(estimator: LinearClassifier) -> bool:
    model = getattr(estimator, "model_", None)
    if model is not None:
        return bool(model.gives_probabilities)
    try:
        loss = parameters.margin_loss(estimator.loss)
        return estimator.probability is True or available(multiclass.find(estimator.multiclass, loss), loss)
    except LinsepError:
        return False


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


class LinearClassifier(Diagnosed, Fitted, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier that minimises

        P(w, b) = 1/S Σᵢ sᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b) + α Σⱼ fⱼ [(1−ρ)/2 wⱼ² + ρ|wⱼ|],    S = Σᵢ sᵢ

    (by default ρ = 0 and f = 1: α/2 ‖w‖²) and proves how close it came: `certificate_` bounds P(w, b) − min P from
    above.

    Parameters
    ----------
    loss : str or MarginLoss, default="log"
        "log", "hinge", "squared_hinge", "smoothed_hinge", "squared", "exponential", "sigmoid" (not convex: a
        local optimum without a bound), or an object of your own class derived from `MarginLoss`.
    alpha : float, "auto", "cv" or Chooser, default=1e-4
        The strength α ≥ 0 of the penalty on w; the intercept is never penalised. The loss is a mean, so α
        means the same for any number of rows (as in scikit-learn's SGDClassifier). Where others have C on the
        sum of the losses, α = 1/(nC) and C = 1/(nα): the default is C = 1 for 10,000 rows, C = 67 for iris.
        With α = 0 and separable data no optimum exists for most losses, and `fit` raises `NoOptimum`.
        "auto" chooses α by approximate leave-one-out, "cv" by five folds; `LeaveOneOut(…)` and
        `CrossValidation(folds=10, rule="one_standard_error")` and the like say how.
    l1_ratio : float, default=0.0
        ρ from 0 (ridge) to 1 (lasso): above 0 weights become exactly 0, for every smooth loss.
    penalty_factors : array of shape (d,) or None, default=None
        fⱼ ≥ 0: how much of the penalty each feature bears; 0 leaves its weight free. None is 1 for all.
    bounds : None or pair (lower, upper), default=None
        Between which each weight must lie; numbers for all features, arrays of shape (d,), or None for no bound:
        (0, None) is for weights that are not negative. With several classes the same for each.
    fit_intercept : bool, default=True
        Whether b is free; otherwise it is 0.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes, which multiply the sample weights. "balanced": every class counts the same.
    multiclass : str or object, default="auto"
        For more than two classes: "softmax" (loss "log"), "crammer_singer" (loss "hinge"), "one_of_k" (loss
        "squared"), "ovr", "ovo", "ecoc", or an object: `OneVsOne(decide="scores")`, `OutputCodes(size=30)`,
        a `JointLoss`. "auto" is "softmax" for the log loss, "one_of_k" for the squared loss, else "ovr".
        Two classes always use one margin. Each problem of "ovr", "ovo", "ecoc" is a mean over its own rows.
    probability : bool, default=False
        Whether scores that are no probabilities by themselves are made some after the fit, from left-out rows
        (docs/probabilities.md): hinge losses, squared and sigmoid loss, "crammer_singer", "one_of_k", "ovo", "ecoc".
        The log and exponential loss with two classes, "softmax" or "ovr" have `predict_proba` in any case.
    solver : str, default="auto"
        "auto" chooses by the facts of the problem; every solver reaches the same optimum.
    tol : float, default=1e-4
        The certified relative excess, (P − lower bound) / P, to reach. Small problems (at most 100,000
        entries) always go on to rounding.
    max_iter : int or None, default=None
        Steps at most, about one pass over the data each, for each problem; None is the solver's own limit.
    time_limit : float or None, default=None
        Seconds at most, for the whole fit.
    warm_start : bool, default=False
        Begin from the weights of the last fit, if it had the same classes and number of features.
    n_jobs : int or None, default=None
        Threads at most; None and −1 are all cores. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order and samples that solvers draw. None is 0: the same data give the same model.
    verbose : int or Watch, default=0
        1: progress on stderr if that is a terminal; 2: every step, wherever stderr goes. Or an object of your own with
        the methods of `linsep.model.Watch`, which is told what begins and every step.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (m, d) and (m,)
        m = 1 for two classes, else a row a class ("ovo", "ecoc": a row a problem). Read-only: they are
        certified. Softmax and Crammer–Singer weights sum to 0 over the classes (not with L1 or bounds).
    classes_ : array of shape (K,)
    alpha_ : float
        The α of the fit.
    alpha_curve_ : Curve or None
        Left-out loss against α with its standard error, where α was chosen.
    certificate_ : Certificate
    status_ : Status
        How the fit ended.
    n_iter_ : int
        Steps taken (by the problem that took most).
    history_ : list of Record
        The trace: step, seconds, value, bound; several problems follow each other, each beginning at step 0.
    model_ : LinearModel
        All of this as a value that works without the estimator.
    diagnosis_ : Diagnosis
        What else is worth knowing, in values and words: scales, copies, collinear columns, separation, a feature that
        decides alone, what remains of a fit that ended early. Made when first asked for, from the rows of the fit:
        X is kept by reference up to 32 MB, beyond that only while the caller holds it (`diagnose`).
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A fit that ends before its certificate reaches `tol` warns once (`NotCertified`) with the gap, the cause
    if it is known, and what to do. Ctrl-C keeps the best point so far, with the same warning. A certified fit is
    silent unless something serious in the data is plain to see (`DataWarning`): a class of three rows, for example.
    """

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

    def plan(self, X: Any, y: Any, sample_weight: Any = None) -> Plan:
        """What `fit` would do with these data: the solver and why, seconds and memory with a range.

        Nothing is fitted but a small sample of the rows (a fraction of a second), and the estimator stays as it is. The
        first plan on a machine measures its speed, in about two seconds, and keeps that in the user's cache. Where α is
        yet to be chosen, the plan is that of one fit.
        """
        from linsep.planning import make_plan

        effort = self._effort()
        training, objective = self._read(X, y, sample_weight)
        return make_plan(training, objective, effort, X)

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

    # -- predictions ------------------------------------------------------------------------------------

    def decision_function(self, X: Any, *, offset: Any = None) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K); with the offset where one is given."""
        return self._model.decision_function(X, self._predict_threads(), offset=offset)

    def predict(self, X: Any) -> Array:
        """The class of every row."""
        return self._model.predict(X, self._predict_threads())

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """P(class), (n, K), columns in the order of `classes_`; weights of the classes are divided out."""
        return self._model.predict_proba(X, self._predict_threads())

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """ln P(class), (n, K)."""
        return self._model.predict_log_proba(X, self._predict_threads())

    def inference(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        covariance: Any = "model",
        clusters: Any = None,
        level: float = 0.95,
        weights: Any = "frequency",
        reference: Any = None,
        intervals: Any = None,
        offset: Any = None,
    ) -> Inference:
        """Standard errors, tests, intervals and odds ratios, from the data of the fit: see `linsep.infer`."""
        from linsep.inference import infer

        return infer(
            self._model,
            X,
            y,
            sample_weight,
            covariance=covariance,
            clusters=clusters,
            level=level,
            weights=weights,
            reference=reference,
            intervals=intervals,
            offset=offset,
        )

    def summary(self) -> str:
        """The fitted model in words: objective, certificate, solver, largest weights, and what is serious."""
        return "\n".join([self._model.summary(), *self._serious()])

    def _predict_threads(self) -> int | None:
        return None if self.n_jobs is None else parameters.threads(self.n_jobs)

    # -- scikit-learn -----------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
