"""LinearClassifier: any loss, any multiclass scheme, any solver, behind scikit-learn's interface.

No mathematics here: `Fitting` does the work, attributes are the model's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from linsep.errors import LinsepError
from linsep.estimators import parameters
from linsep.estimators.fitting import Fitting
from linsep.model.probability import available
from linsep.problem import multiclass
from linsep.types import FloatArray

if TYPE_CHECKING:  # what only some fits need is imported where it is used
    from linsep.inference import Inference
    from linsep.planning import Plan

Array = np.ndarray[Any, Any]


def _gives_probabilities(estimator: LinearClassifier) -> bool:
    model = getattr(estimator, "model_", None)
    if model is not None:
        return bool(model.gives_probabilities)
    try:
        loss = parameters.margin_loss(estimator.loss)
        return estimator.probability is True or available(multiclass.find(estimator.multiclass, loss), loss)
    except LinsepError:
        return False


class LinearClassifier(Fitting, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
        entries, and 1,000,000 products of entries and scores) always go on to rounding.
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
        """The fitted model in words: objective, certificate, solver, weights, the choice of α, and what is serious."""
        return "\n".join([self._model.summary(), *self._chosen(), *self._serious()])

    def _chosen(self) -> list[str]:
        """Lines of the summary on the choice of α, where there was one."""
        curve = self.alpha_curve_
        if curve is None:
            return []
        return ["", f"alpha from  {curve.sentence(self.alpha_)}", *(f"{'':<12}{note}" for note in curve.notes)]

    def _predict_threads(self) -> int | None:
        return None if self.n_jobs is None else parameters.threads(self.n_jobs)

    # -- scikit-learn -----------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
