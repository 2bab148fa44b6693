"""GradientClassifier: gradient descent as it is taught, on any margin loss."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from linsep import selection
from linsep.data.reading import refuse_overflow
from linsep.errors import InvalidParameter, LinsepError, NotConverged, Refused
from linsep.estimators import parameters
from linsep.estimators.choosing import choose, given_alpha
from linsep.estimators.discriminant import LinearDiscriminant
from linsep.estimators.gradient_settings import Settings, read_settings, start_weights
from linsep.estimators.progress import EpochLines
from linsep.model import Effort, Objective
from linsep.model.probability import available, log_probabilities, probabilities
from linsep.model.training import Training
from linsep.online.gradient import Descent, Epoch, GradientStatus, better_rate, descend, too_large
from linsep.online.gradient_scaling import Scaling
from linsep.online.gradient_steps import Pace, Walk
from linsep.online.gradient_stream import Stream, read_chunk
from linsep.online.gradient_summary import summarise
from linsep.online.gradient_task import Task, loss_of, target_of
from linsep.problem import multiclass
from linsep.problem.penalties import Penalty
from linsep.selection import Chooser, Curve
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]


def _gives_probabilities(estimator: GradientClassifier) -> bool:
    try:
        settings = read_settings(estimator)
        return available(settings.scheme, settings.loss)
    except LinsepError:
        return False


def _takes_streams(estimator: GradientClassifier) -> bool:
    if estimator.scale is True:
        raise AttributeError("scale=True needs all rows to standardise them: give partial_fit rows that are scaled")
    return True


class GradientClassifier(LinearDiscriminant):
    """A linear classifier by gradient descent on

        P(w, b) = 1/n Σᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b) + α [(1 − ρ)/2 ‖w‖² + ρ ‖w‖₁],     w ← soft(w − η_t ∇, η_t αρ)

    where ∇ is the gradient, without the L1 part, on one row, on a mini-batch, or on all rows, and soft moves every
    weight towards 0 and stops there (ρ = 0: plain descent). It shows the algorithm; for the optimum with a proof use
    `LinearClassifier`. It takes no sample weights.

    Parameters
    ----------
    loss : str or MarginLoss, default="log"
        "log", "hinge", "squared_hinge", "smoothed_hinge", "squared", "exponential", "sigmoid" (not convex: where it
        ends depends on the start), "perceptron" (with `alpha=0`, `learning_rate="constant"`, one row a step and
        start zero these steps are the perceptron's), or an object of your own class derived from `MarginLoss`.
    alpha : float, "auto", "cv" or an object, default=1e-4
        The strength α ≥ 0 of the penalty; the intercept is never penalised. "auto" and "cv", or an object such as
        `CrossValidation(folds=10)`, choose it by left-out rows of this objective, solved by `LinearClassifier`'s
        solvers; then the descent runs at that α. A stream (`partial_fit`) takes a number.
    l1_ratio : float, default=0.0
        ρ from 0 (ridge) to 1 (lasso): every step is followed by a move of all weights towards 0, by η αρ, at which they
        stop; weights become exactly 0.
    batch : "stochastic", "batch" or int, default="stochastic"
        Rows a step: one, all (steepest descent), or so many.
    learning_rate : str, default="curvature"
        η_t with t counting the updates from 1: "constant" η₀, "1/t" η₀/t, "inverse_scaling" η₀/tᵖ, "curvature"
        constant 1/L with L the largest curvature of the objective a step sees (see `docs/gradient.md`).
    eta0 : float or None, default=None
        η₀; None: 1/L.
    power : float, default=0.5
        p of "inverse_scaling".
    multiclass : "auto", "softmax", "ovr", "one_of_k", "crammer_singer" or JointLoss, default="auto"
        For more than two classes. "ovr" steps on the sum of the K losses.
    targets : "signed" or "binary", default="signed"
        Labels −1, 1 or 0, 1 for two classes. The gradients are identical, −yσ(−yz)x = (σ(z) − t)x for the log loss, and
        so are the weights; `summary` writes the update in the chosen labels.
    start : "zero", "random" or array, default="zero"
        "random": uniform in (−1/2d, 1/2d). An array: (d + 1,) or (K, d + 1), the intercept last.
    shuffle : bool, default=True
        Reshuffle the rows before each epoch; else the given order.
    tol_w, tol_loss : float or None, default=None and 1e-4
        Stop when |Δw| < tol_w, or when |ΔL| < tol_loss, over an epoch; L is the objective for "batch", else the
        smoothed loss. Either, both (whichever comes first) or none (exactly `max_epochs` epochs).
    max_epochs : int, default=1000
        Passes over the rows at most; a step on all rows is one.
    smoothing : float or None, default=None
        a of the smoothed loss L ← a·ℓ + (1 − a)·L; None: 1 / (updates an epoch).
    scale : bool, default=False
        Standardise the features inside (sparse rows, or no intercept: divide by the root mean square); weights are
        reported in the units of X. The penalty is on the weights of the standardised features.
    fit_intercept : bool, default=True
    record : None, "epochs" or "updates", default=None
        Keep the weights in `path_`, and the full loss of every epoch in `history_`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds shuffling and the random start; None is 0.
    n_jobs : int or None, default=None
        Threads of passes over all rows.
    verbose : int, default=0
        1: epochs on stderr if that is a terminal; 2: wherever stderr goes.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (m, d) and (m,), m = 1 for two classes, else K
    classes_ : array of shape (K,)
    alpha_, alpha_curve_
        After `fit`: the α of the descent, and the curve that it was read off (None where it was given).
    history_ : list of Epoch
        epoch, updates, loss, penalty, smoothed, change (|Δw|), rate, seconds; the first is the start.
    status_ : GradientStatus
        Why it stopped.
    n_iter_ : int
        Epochs.
    eta0_ : float
        η₀ as it was used.
    path_ : array of shape (1 + records, m, d + 1)
        The weights, the intercept last, in the units of X, from the start on; where `record` asks for them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linsep import GradientClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GradientClassifier(scale=True, tol_loss=1e-3).fit(X, y)
    >>> model.status_.name, model.score(X, y) > 0.9
    ('SMALL_CHANGE', True)
    """

    history_: list[Epoch]
    eta0_: float
    _walk: Walk

    def __init__(
        self,
        loss: Any = "log",
        *,
        alpha: Any = 1e-4,
        l1_ratio: float = 0.0,
        batch: Any = "stochastic",
        learning_rate: str = "curvature",
        eta0: float | None = None,
        power: float = 0.5,
        multiclass: Any = "auto",
        targets: str = "signed",
        start: Any = "zero",
        shuffle: bool = True,
        tol_w: float | None = None,
        tol_loss: float | None = 1e-4,
        max_epochs: int = 1000,
        smoothing: float | None = None,
        scale: bool = False,
        fit_intercept: bool = True,
        record: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.batch = batch
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power = power
        self.multiclass = multiclass
        self.targets = targets
        self.start = start
        self.shuffle = shuffle
        self.tol_w = tol_w
        self.tol_loss = tol_loss
        self.max_epochs = max_epochs
        self.smoothing = smoothing
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.record = record
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Descend on rows X and their classes y until a rule stops it.

        groups: a label a row, for the choice of α by left-out rows: rows of one label are left out together.
        """
        alpha, verbose = given_alpha(self.alpha, groups), parameters.verbosity(self.verbose)
        settings, training = read_settings(self), self._read(X, y)
        refuse_overflow(training.design)
        settings = settings.for_rows(training.design.n)
        scaling = Scaling.of(training.design, settings.intercept) if settings.scale else None
        inside = training if scaling is None else replace(training, design=scaling.apply(training.design))
        curve = None
        if isinstance(alpha, Chooser):
            alpha, curve = _chosen(alpha, settings, inside, groups)
        settings = replace(settings, alpha=alpha)
        task = self._task(settings, inside)
        w = start_weights(self.start, task.shape, settings)
        w = w if scaling is None else scaling.inside(w)
        pace = settings.pace(task)
        watch = EpochLines.of(verbose, settings.rules.max_epochs).descent
        self._forget()
        descent = descend(task, pace, settings.rules, w, watch)
        self._accept(descent, task, pace)
        self._remember(training)
        self._keep(descent, scaling)
        self.alpha_, self.alpha_curve_ = alpha, curve
        return self

    @available_if(_takes_streams)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """One pass over a chunk in its order; classes may be named ahead, or appear later with weights from zero.

        The first chunk begins at `start`; `shuffle`, `record`, the stopping rules and `max_epochs` are for `fit`. The
        rate of "curvature" is that of the chunk with the largest rows so far. `docs/gradient.md` says what becomes of
        two classes' weights when a third appears.
        """
        if isinstance(parameters.alpha(self.alpha), Chooser):
            raise InvalidParameter(
                f"alpha={self.alpha!r}: a stream has no rows to leave out; give partial_fit a number"
            )
        settings = read_settings(self)
        first = not hasattr(self, "coef_")
        stream = None if first else Stream(self.classes_, self._walk, self.history_, self.eta0_)
        chunk = read_chunk(X, y, classes, stream, None if first else self._expected(), self._threads())
        if first:
            self.n_features_in_ = chunk.training.design.d
            if chunk.training.names is not None:
                self.feature_names_in_ = chunk.training.names
        if stream is None:
            stream = chunk.begin(start_weights(self.start, chunk.shape(settings.scheme), settings))
        else:
            stream = chunk.continued(stream, settings.scheme)
        if len(stream.classes) > 1:
            task = self._task(settings, chunk.training)
            pace = settings.pace(task, stream.eta0)
            if not stream.step(task, pace):
                raise too_large(task, pace, stream.history)
        self.classes_, self.history_, self.eta0_ = stream.classes, stream.history, stream.eta0
        self.status_, self._walk = GradientStatus.STREAM, stream.walk
        self.alpha_, self.alpha_curve_ = settings.alpha, None
        self.__dict__.pop("path_", None)
        self._show(stream.walk.w)
        return self

    def _task(self, settings: Settings, training: Training) -> Task:
        k = training.n_classes
        loss = loss_of(multiclass.of_classes(settings.scheme, k), settings.loss)
        target = target_of(training.labels, loss, settings.binary_targets)
        return Task(training.design, target, loss, Penalty(settings.alpha, settings.l1_ratio), settings.intercept, k)

    def _accept(self, descent: Descent, task: Task, pace: Pace) -> None:
        """Raise or warn where no rule was met."""
        self.history_, self.status_, self.eta0_ = descent.history, descent.status, pace.schedule.eta0
        if descent.status is GradientStatus.DIVERGED:
            raise too_large(task, pace, descent.history)
        if not descent.status.converged or descent.rise > (self.tol_loss or 0.0):
            warnings.warn(_advice(descent, task, pace), NotConverged, stacklevel=3)

    def _forget(self) -> None:
        """What a former fit left behind."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_walk"]:
            delattr(self, name)

    def _keep(self, descent: Descent, scaling: Scaling | None) -> None:
        w = descent.walk.w if scaling is None else scaling.outside(descent.walk.w)
        self._walk = replace(descent.walk, w=w)
        self._show(w)
        if descent.path is not None:
            path = descent.path if scaling is None else np.array([scaling.outside(w) for w in descent.path])
            self.path_ = path[:, None] if path.ndim == 2 else np.swapaxes(path, 1, 2)

    def _show(self, w: FloatArray) -> None:
        columns = w[:, None] if w.ndim == 1 else w
        self.coef_, self.intercept_ = np.ascontiguousarray(columns[:-1].T), columns[-1].copy()
        self.n_iter_ = len(self.history_) - 1

    # -- predictions ------------------------------------------------------------------------------------

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """P(class), (n, K), columns in the order of `classes_`."""
        return self._probabilities(X, probabilities, 1.0)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """ln P(class), (n, K)."""
        return self._probabilities(X, log_probabilities, 0.0)

    def _probabilities(self, X: Any, function: Any, alone: float) -> FloatArray:
        scores, settings = self.decision_function(X), read_settings(self)
        if len(self.classes_) == 1:
            return np.full((len(scores), 1), alone)
        scheme = multiclass.of_classes(settings.scheme, len(self.classes_))
        result: FloatArray = function(scores, scheme, settings.loss)
        return result

    def _probability_objective(self) -> Objective | None:
        settings = read_settings(self)
        scheme = multiclass.of_classes(settings.scheme, len(self.classes_))
        return Objective(settings.loss, scheme, settings.alpha, settings.intercept, settings.l1_ratio)

    def summary(self) -> str:
        """The descent in words: objective, update, stopping, loss, smoothed loss."""
        self._expected()
        settings = read_settings(self)
        return summarise(self, loss_of(multiclass.of_classes(settings.scheme, len(self.classes_)), settings.loss))


def _chosen(chooser: Chooser, settings: Settings, training: Training, groups: Any) -> tuple[float, Curve]:
    """α by left-out rows of the objective that is descended on."""
    if settings.loss.refusal:
        raise Refused(settings.loss.refusal)
    scheme = multiclass.of_classes(settings.scheme, training.n_classes)
    objective = Objective(settings.loss, scheme, 1.0, settings.intercept, settings.l1_ratio)
    alpha, curve, _ = choose(chooser, selection.Task(training, objective, Effort(seed=settings.rules.seed), groups))
    return alpha, curve


def _advice(descent: Descent, task: Task, pace: Pace) -> str:
    """What was reached, and what to do."""
    last: Epoch = descent.history[-1]
    reached = f"{descent.status.value}: after {last.epoch:,} epochs |Δw| = {last.change:.3g}, L = {last.smoothed:.6g}"
    if descent.rise > 0.0:
        ends, began = f"{last.objective:.6g}", f"{descent.history[0].objective:.6g}"
        return f"{reached}, and the objective is {ends}, above the {began} it began with. {better_rate(task, pace)}"
    return (
        f"{reached}. Raise max_epochs, relax tol_w or tol_loss, let the rate fall ('1/t', 'inverse_scaling'), or scale"
    )
