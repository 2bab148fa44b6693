"""KernelSVM: the soft-margin support vector machine with any kernel, by SMO, with a certificate."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from linsep.certify import Certificate
from linsep.data.reading import read_rows
from linsep.data.source import locate_non_finite
from linsep.data.weights import sample_weights
from linsep.errors import InvalidData, InvalidType, NotCertified, Refused, unknown_name
from linsep.estimators import parameters
from linsep.estimators.choosing import choose, given_alpha
from linsep.estimators.discriminant import Discriminant
from linsep.estimators.kernel_choice import KernelTask
from linsep.estimators.progress import watcher
from linsep.kernelised.describe import explain, summarise
from linsep.kernelised.functions import resolve
from linsep.kernelised.model import KernelModel, fit_kernel_model
from linsep.kernelised.smo import SmoEffort
from linsep.model import Effort, Objective, Training
from linsep.problem import losses, multiclass
from linsep.problem.reductions import OneVsOne, OneVsRest, Reduction
from linsep.selection import Chooser
from linsep.solvers import Record, Status
from linsep.types import FloatArray, IntArray

_SCHEMES: dict[str, type[Reduction]] = {"ovo": OneVsOne, "ovr": OneVsRest}


class KernelSVM(Discriminant):
    """The support vector machine with a kernel: a wide margin in the space of φ, where k(x, z) = ⟨φ(x), φ(z)⟩.

        P(w, b) = 1/S Σᵢ sᵢ max(0, 1 − yᵢ(⟨φ(xᵢ), w⟩ + b)) + α/2 ‖w‖²,    S = Σᵢ sᵢ

    solved in its dual by SMO; `certificate_` bounds P(w, b) − min P from above, with the free b included.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "linear" ⟨x, z⟩, "polynomial" (γ⟨x, z⟩ + c)^p, "rbf" exp(−γ‖x − z‖²), "sigmoid" tanh(γ⟨x, z⟩ + c),
        "precomputed" (`fit` takes k of all training rows with each other, (n, n); `predict` k of the new rows with
        them), or a function (A, B) → matrix of k(a, b).
    alpha : float, "auto", "cv" or an object, default=1e-4
        The strength α > 0 of the penalty. The loss is a mean, so α means the same for any number of rows; C of
        scikit-learn's SVC is 1/(nα), and α = 1/(nC), with n the rows (of one pair of classes for "ovo"). "cv" and
        `CrossValidation(…)` choose it by folds; "auto" by fewer values of α, by folds as well: with a kernel every
        row has a feature of its own, and leave-one-out has no shortcut.
    gamma : float, "scale" or "auto", default="scale"
        γ of "polynomial", "rbf" and "sigmoid". "scale" is 1/(d · variance of the entries of X), "auto" 1/d.
    degree : int, default=3
        p of "polynomial".
    coef0 : float, default=0.0
        c of "polynomial" and "sigmoid".
    multiclass : {"ovo", "ovr"} or object, default="ovo"
        More than two classes: every pair on its own rows, by votes (ties by summed scores), or each against the rest.
    fit_intercept : bool, default=True
        Whether b is free; otherwise it is 0.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes, which multiply the sample weights.
    tol : float, default=1e-4
        The certified relative excess, (P − lower bound) / P, to reach. Problems of up to 300 rows go on from there
        towards rounding, for at most 20,000 steps.
    max_iter : int or None, default=None
        Steps of SMO at most, for each problem; None: 10 million, or 100 n if that is more.
    time_limit : float or None, default=None
        Seconds at most, for the whole fit.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix. More memory, fewer rows computed twice; the solution is the same.
    shrinking : bool, default=True
        Whether rows that have settled at a bound rest until the end.
    n_jobs : int or None, default=None
        Threads at most; None and −1 are all cores. The result does not depend on it.
    verbose : int, default=0
        1: progress on stderr if that is a terminal; 2: every portion of steps, wherever stderr goes.

    Attributes
    ----------
    support_ : array of shape (n_SV,)
        Numbers of the training rows that are support vectors of any problem.
    support_vectors_ : array or CSR of shape (n_SV, d)
        Those rows; (n_SV, 0) for "precomputed".
    dual_coef_ : array of shape (m, n_SV), CSR for "ovo" with more than two classes
        βᵢ = yᵢaᵢ with 0 ≤ aᵢ ≤ sᵢ/(Sα): w = Σᵢ βᵢφ(xᵢ). A row a problem; two classes have one.
    intercept_ : array of shape (m,)
    n_support_ : array of shape (K,)
        Support vectors of every class.
    alpha_, alpha_curve_
        The α of the fit, and the curve that it was read off (None where it was given).
    classes_, certificate_, status_, n_iter_, history_
        As for `LinearClassifier`; `n_iter_` counts steps of SMO, two multipliers each.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A bound needs a positive semi-definite kernel. Where it is not ("sigmoid", often), the fit ends at a stationary
    point of the dual and `certificate_` says so. A kernel of your own is tested on up to 2,000 rows and beyond that
    trusted, unless a step of SMO shows otherwise.

    >>> from sklearn.datasets import make_moons
    >>> from linsep import KernelSVM
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = KernelSVM("rbf", gamma=2.0, alpha=1e-3).fit(X, y)
    >>> model.certificate_.holds, bool(model.score(X, y) > 0.98)
    (True, True)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        alpha: Any = 1e-4,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        multiclass: Any = "ovo",
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        cache_size: float = 200.0,
        shrinking: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.multiclass = multiclass
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit to rows X and their classes y; a row of weight k counts as k copies of it.

        groups: a label a row, for the choice of α by folds: rows of one label are left out together.
        """
        alpha = given_alpha(self.alpha, groups)
        if not isinstance(alpha, Chooser):
            alpha = parameters.number("alpha", alpha, open_end=True)
        intercept = parameters.flag("fit_intercept", self.fit_intercept)
        degree = parameters.whole("degree", self.degree, 1)
        coef0 = parameters.number("coef0", self.coef0, least=-1e300)
        effort, scheme = self._effort(), self._scheme()
        watch = watcher(self.verbose, effort.tol, effort.seconds)
        training = self._begin(X, y, sample_weight, self.class_weight)
        copies = None if sample_weight is None else sample_weights(sample_weight, None, training.labels)
        kernel = resolve(self.kernel, training.design.table, self.gamma, degree, coef0, copies)
        chosen = multiclass.of_classes(scheme, training.n_classes)
        assert isinstance(chosen, Reduction)
        refusal = chosen.refusal(training.n_classes, 0)
        if refusal:
            raise Refused(refusal)
        curve = None
        if isinstance(alpha, Chooser):
            objective = Objective(losses.get("hinge"), chosen, 1.0, intercept)
            limits = Effort(tol=effort.tol, time_limit=effort.seconds)
            task = KernelTask(training, objective, limits, groups, watch, kernel=kernel, smo=effort)
            alpha, curve, left = choose(alpha, task)
            effort = replace(effort, seconds=left.time_limit)
        model = fit_kernel_model(training, kernel, chosen, (alpha, intercept), effort, watch)
        self._accept(model, training)
        self.alpha_, self.alpha_curve_ = alpha, curve
        return self

    def _begin(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Training:
        if not self._given:
            return super()._begin(X, y, sample_weight, class_weight)
        training = super()._begin(X.toarray() if sparse.issparse(X) else X, y, sample_weight, class_weight)
        if training.design.n != training.design.d:
            raise InvalidData(
                f"kernel='precomputed' takes k of every training row with every training row, a square matrix; X has "
                f"shape ({training.design.n}, {training.design.d})"
            )
        return training

    def _effort(self) -> SmoEffort:
        return SmoEffort(
            tol=parameters.number("tol", self.tol, open_end=True),
            max_iter=None if self.max_iter is None else parameters.whole("max_iter", self.max_iter, 1),
            seconds=parameters.number("time_limit", self.time_limit, open_end=True, none="no limit"),
            bytes=1e6 * parameters.number("cache_size", self.cache_size, open_end=True),
            threads=self._threads(),
            shrinking=parameters.flag("shrinking", self.shrinking),
        )

    def _scheme(self) -> Reduction:
        given = self.multiclass
        if isinstance(given, Reduction):
            return given
        if not isinstance(given, str):
            raise InvalidType(
                f"multiclass={given!r} is a {type(given).__name__}; allowed are 'ovo', 'ovr' and a reduction such as "
                "OneVsOne(decide='scores')"
            )
        if given not in _SCHEMES:
            raise unknown_name("multiclass", given, _SCHEMES)
        return _SCHEMES[given]()

    def _accept(self, model: KernelModel, training: Training) -> None:
        self._kernel_model = model
        self.support_: IntArray = model.support
        self.support_vectors_ = model.vectors
        self.dual_coef_ = model.coefficients
        self.intercept_: FloatArray = model.intercepts
        of_class = training.labels.codes[model.support]
        self.n_support_: IntArray = np.bincount(of_class, minlength=training.n_classes)
        self.certificate_: Certificate = model.certificate
        self.status_: Status = model.status
        self.n_iter_ = max(model.steps, 1)
        self.history_: list[Record] = [record for trace in model.traces for record in trace]
        if not model.status.certified:
            warnings.warn(explain(model, self.classes_), NotCertified, stacklevel=3)

    def decision_function(self, X: Any) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K); for "ovo" votes, ties by scores."""
        expected = self._expected()
        bad = locate_non_finite(X) if self._given else None
        if bad:
            raise InvalidData(bad)
        design = read_rows(X, expected, max(1, len(getattr(self, "support_", ()))), self._threads())
        if not design.scan.finite:
            raise InvalidData(locate_non_finite(X) or "Input X contains NaN or infinity")
        return self._kernel_model.class_scores(design)

    def summary(self) -> str:
        """The fitted model in words: objective, kernel, certificate, support vectors."""
        self._expected()
        return summarise(self._kernel_model, self.classes_, self.n_support_, type(self).__name__)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags

    @property
    def _given(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"
