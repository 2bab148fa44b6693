"""Perceptron: the rule of Rosenblatt and its relatives, behind scikit-learn's interface.

No mathematics here: parameters are checked and translated, linsep.online.perceptron runs, attributes are its record.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from linsep.data.reading import refuse_overflow
from linsep.errors import MarginTooSmall, NotConverged
from linsep.estimators import parameters
from linsep.estimators.discriminant import Array
from linsep.estimators.fold_probability import FoldProbability
from linsep.estimators.perceptron_parameters import asked_plan, kernel_form, start_weights
from linsep.estimators.progress import EpochLines
from linsep.kernelised import functions
from linsep.model import Training
from linsep.online import perceptron
from linsep.online.perceptron import Circumstances, report
from linsep.types import FloatArray, IntArray

#: Up to so many entries the training rows are remembered, by reference, for the bound in the summary.
_REMEMBERED = 1_000_000


class Perceptron(FoldProbability):
    """The perceptron: w += η t x for every example (x, t), t = ±1, on the wrong side of ⟨w, x⟩ + b = 0.

    Parameters
    ----------
    rule : {"mistake", "thresholded", "unthresholded"}, default="mistake"
        "mistake": w += η t x where t⟨w, x⟩ ≤ 0. "thresholded": w += η (t − sign⟨w, x⟩) x, which moves twice as far.
        "unthresholded", the delta rule of the squared error: w += η (t − ⟨w, x⟩) x, for every example.
    batch : "incremental", "batch" or int, default="incremental"
        How many examples are judged before their corrections, summed, are made: one, all, or so many.
    learning_rate : "auto" or float, default="auto"
        η > 0. "auto" is 1, and 1/(m·max‖x‖²) for the unthresholded rule with blocks of m rows, which cannot diverge.
        From w = 0 the rate of the other two rules changes the length of w only.
    fit_intercept : bool, default=True
        Whether x has an extra input of 1, whose weight b is learned like the others.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        What a score of 0 counts as: a mistake for both classes, or a prediction of the first class (−1), or of the
        second (1). `predict` takes the first class, and the second for "positive". With K scores: of equal
        ones the first wins, or the last, or none.
    start : array or None, default=None
        The weights to begin from, b last, (d + 1,) or (K, d + 1) (without the last where fit_intercept=False).
        None is 0.
    order : {"shuffled", "given", "random"}, default="shuffled"
        The examples of an epoch: shuffled anew, as given, or n drawn with replacement.
    center : bool, default=False
        Subtract the mean of every column. `coef_` and `intercept_` are for the rows as given all the same; without a
        bias every hyperplane of the run, that of `start` too, passes through the mean.
    normalize : bool, default=False
        Scale w (b included) to unit length after every update. This can keep a separable problem from converging.
    pocket : None, "epoch" or "update", default=None
        Return the weights with the best training accuracy after any epoch, or after any update (each is judged
        on all rows: n times the work), instead of the last.
    average : bool, default=False
        Return the mean of the weights after every example seen.
    dual : bool, default=False
        Learn counts αᵢ with w = η Σ αᵢtᵢxᵢ instead of w. A kernel other than "linear" implies it.
    kernel : str or callable, default="linear"
        "linear", "polynomial", "rbf", "sigmoid", "precomputed" or a function (A, B) → matrix.
    gamma, degree, coef0
        Constants of the kernels.
    multiclass : {"independent", "kesler"}, default="independent"
        More than two classes: a unit for each class against the rest, or the joint rule that adds ηx to the weights of
        the true class and subtracts it from those of the best other class.
    probability : bool, default=False
        Whether to run five times more, each time without a fifth of the rows, for `predict_proba`.
    max_epochs : int, default=1000
    tol : float, default=1e-6
        The unthresholded rule has settled when an epoch moves w by at most tol·‖w‖. The others end with an
        epoch without mistakes.
    record : bool, default=False
        Keep every intermediate w in `trajectory_`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order. None is 0: the same data give the same weights.
    n_jobs : int or None, default=None
        Threads of passes over all rows. The result does not depend on it.
    verbose : int, default=0
        1: epochs on stderr if that is a terminal, at most two a second; 2: all, wherever stderr goes.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (m, d) and (m,)
        m = 1 for two classes, else a row a class. With a kernel other than "linear" there is no `coef_`.
    classes_ : array of shape (K,)
    status_ : PerceptronStatus
        Why it stopped; its value is the sentence.
    converged_ : bool
    n_iter_ : int
        Epochs.
    n_updates_, n_rows_ : int
        Corrections made, and training rows.
    unbounded_ : str or None
        Why Novikoff's bound says nothing about the run; None where it does.
    mistakes_ : array of shape (n_iter_,)
        In every epoch, summed over the units.
    accuracy_, pocket_accuracy_ : float
        On the training rows: of the weights returned, and of the best that were judged (with pocket=None: those
        returned and those after the eight epochs with the fewest mistakes).
    trajectory_ : array of shape (updates + 1, d + 1), or (…, K, d + 1)
        With record=True: the start and the weights after every update, b last, for the rows as given. Units that
        the same rows correct move together: one entry here, and an update of each in `n_updates_`.
    update_rows_ : array
        With record=True or in the dual form: the row (of a block: the first) that made each update.
    counts_ : array of shape (n,) or (n, K)
        In the dual form: αᵢ, the corrections of row i in the whole run (a pocket or an average has others).
    support_, dual_coef_, support_vectors_
        In the dual form: the rows with coefficients ≠ 0, their coefficients (m, n_support), and these rows.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A fit that does not converge warns once (`NotConverged`): why it stopped, whether the classes are separable, what
    the weights and the pocket are worth, and what to do. No sample weights: an example is wrong or it is not.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.0]]), np.array([1, 1, -1, -1])
    >>> model = Perceptron(order="given").fit(X, y)
    >>> model.coef_, model.intercept_, model.n_updates_
    (array([[2., 1.]]), array([1.]), 1)
    """

    def __init__(
        self,
        *,
        rule: str = "mistake",
        batch: Any = "incremental",
        learning_rate: Any = "auto",
        fit_intercept: bool = True,
        tie: str = "mistake",
        start: Any = None,
        order: str = "shuffled",
        center: bool = False,
        normalize: bool = False,
        pocket: str | None = None,
        average: bool = False,
        dual: bool = False,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        multiclass: str = "independent",
        probability: bool = False,
        max_epochs: int = 1000,
        tol: float = 1e-6,
        record: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rule = rule
        self.batch = batch
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.tie = tie
        self.start = start
        self.order = order
        self.center = center
        self.normalize = normalize
        self.pocket = pocket
        self.average = average
        self.dual = dual
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.multiclass = multiclass
        self.probability = probability
        self.max_epochs = max_epochs
        self.tol = tol
        self.record = record
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X and their classes y."""
        plan = asked_plan(self)
        kernel = kernel_form(self)
        center = parameters.flag("center", self.center)
        asked = parameters.flag("probability", self.probability)
        parameters.verbosity(self.verbose)
        training = self._read(X, y)
        refuse_overflow(training.design)
        units = 1 if training.n_classes == 2 else training.n_classes
        n = training.design.n
        whole = plan.batch >= n and plan.order == "shuffled"  # a sum over all rows has no order
        plan = replace(plan, joint=plan.joint and units > 1, batch=min(plan.batch, n))
        plan = replace(plan, order="given") if whole else plan
        start = start_weights(self.start, units, training.design.d, plan.bias)
        rate_bound = perceptron.stable_rate(training.design, plan, center) if plan.delta else np.inf
        if self.learning_rate == "auto":
            plan = replace(plan, rate=0.5 * rate_bound if plan.delta else 1.0)
        at = Circumstances(plan, units, bool(start.any()), center, kernel)
        self._forget()
        run = self._run_primal if kernel is None else self._run_dual
        self._accept(run(training, at, start), training, at, rate_bound)
        if asked:
            self.calibration_ = self._calibrate(training, plan.seed)
        return self

    def _run_primal(self, training: Training, at: Circumstances, start: FloatArray) -> perceptron.Result:
        codes, watch = training.labels.codes, self._watch(at)
        result = perceptron.run_primal(training.design, codes, at.plan, start, center=at.center, watch=watch)
        self.coef_, self.intercept_ = result.weights[:, :-1].copy(), result.weights[:, -1].copy()
        if result.path is not None:
            self.trajectory_ = result.path[:, 0] if at.units == 1 else result.path
            self.update_rows_ = result.rows
        return result.record

    def _run_dual(self, training: Training, at: Circumstances, start: FloatArray) -> perceptron.Result:
        space = perceptron.kernel_space(training.design, at.center, at.kernel)
        self._kernel = functions.resolve(self.kernel, space, self.gamma, self.degree, self.coef0)
        rows = perceptron.KernelRows(self._kernel, space, at.plan.bias)
        result = perceptron.run_dual(rows, training.labels.codes, at.units, at.plan, self._watch(at))
        self.counts_, self.update_rows_ = result.counts, result.rows
        self.support_ = np.flatnonzero(result.coefficients.any(axis=1))
        self.dual_coef_ = np.ascontiguousarray(result.coefficients[self.support_].T)
        self._mean = perceptron.column_means(training.design) if at.center else None
        if at.linear:
            w = perceptron.linear_weights(training.design, result.coefficients, at.plan.bias, at.center)
            self.coef_, self.intercept_ = w[:, :-1].copy(), w[:, -1].copy()
        else:
            self.intercept_ = self.dual_coef_.sum(axis=1) * float(at.plan.bias)
        if not self._kernel.precomputed:
            self.support_vectors_ = space[self.support_]
        return result.record

    def _watch(self, at: Circumstances) -> Callable[[int, int], None]:
        return EpochLines.of(parameters.verbosity(self.verbose), at.plan.max_epochs).mistakes

    def _forget(self) -> None:
        """What a former fit left behind."""
        for name in [name for name in vars(self) if name.endswith("_") or name in ("_kernel", "_mean", "_limits")]:
            delattr(self, name)

    def _accept(self, result: perceptron.Result, training: Training, at: Circumstances, rate_bound: float) -> None:
        """Copy the record, and warn where it did not converge."""
        self._remember(training)
        self.status_, self.converged_ = result.status, result.status.converged
        self.n_iter_, self.mistakes_ = len(result.mistakes), result.mistakes.sum(axis=1)
        self.n_updates_ = int(result.updates.sum())
        self.accuracy_, self.pocket_accuracy_ = result.accuracy, result.pocket_accuracy
        self._at, self._result, self.n_rows_ = at, result, training.design.n
        self._rows = training if training.design.entries <= _REMEMBERED else None
        self._judged = perceptron.Judged() if self.converged_ else perceptron.judged(training, at, result)
        self.unbounded_ = perceptron.why_no_bound(at, result.status, self._judged.separable)
        if not self.converged_:
            warnings.warn(report.warning(at, result, self._judged, rate_bound), NotConverged, stacklevel=3)

    def decision_function(self, X: Any) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K)."""
        expected = self._expected()
        if hasattr(self, "coef_"):
            return super().decision_function(X)
        rows = perceptron.rows_to_score(X, expected, self._mean, self._at.kernel)
        kernel = None if self._kernel.precomputed else self._kernel
        support = self.support_ if kernel is None else self.support_vectors_
        scores = perceptron.kernel_scores(kernel, rows, support, self.dual_coef_) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The class of every row; a score of 0 is of the first class, with tie="positive" of the second."""
        scores = self.decision_function(X)
        chosen: Array = self.classes_[self._chosen(scores)]
        return chosen

    def _chosen(self, scores: FloatArray) -> IntArray:
        return perceptron.predicted(scores.reshape(len(scores), -1), self._at.plan.tie)

    def summary(self) -> str:
        """The run in words: the rule, why it stopped, updates against Novikoff's bound, the accuracy."""
        self._expected()
        head = report.head(self.n_rows_, self.n_features_in_, self.classes_)
        facts = report.facts(self._at, self._result, self._judged, self._novikoff(), self.n_rows_)
        return "\n".join([head, *(f"{title:<12}{text}" for title, text in facts)])

    def _novikoff(self) -> str:
        """Updates against the bounds, which are found when first asked for; or why they are not known."""
        if self.unbounded_ is not None:
            return f"the bound does not apply: {self.unbounded_}"
        rows: Training | None = self.__dict__.get("_rows")
        unknown = "the bound applies, but is not computed: "
        if not hasattr(self, "_limits"):
            if rows is None:
                return unknown + "the training rows are not kept with the model: ask novikoff_bound(X, y)"
            if not perceptron.unaltered(rows.design):
                return unknown + "the training rows were altered since the fit: ask novikoff_bound(X, y)"
            try:
                self._limits = perceptron.bounds(rows.design, rows.labels.codes, self._at)
            except MarginTooSmall as refused:
                return unknown + refused.reason
        if self._limits is None:
            return unknown + "centred, these sparse rows would be dense"
        return report.novikoff(self._result, self._limits)

    def __getstate__(self) -> dict[str, Any]:
        """Without the training rows."""
        state = dict(super().__getstate__())
        state.pop("_rows", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
