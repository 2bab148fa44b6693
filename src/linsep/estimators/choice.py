"""ChoicePerceptron: an expert's choices behind scikit-learn's interface. The mathematics is in online/choice*.py."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import inf
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from linsep import selection
from linsep.certify import Certificate
from linsep.data.choices import States, read_choices, read_states
from linsep.errors import InvalidData, NoOptimum, NotCertified, NotConverged, unknown_name
from linsep.estimators import parameters
from linsep.estimators.choice_alpha import chosen_alpha
from linsep.estimators.choice_summary import bound_sentence, summarise
from linsep.estimators.chooser import Chooser
from linsep.estimators.progress import EpochLines, watcher
from linsep.model import Watch
from linsep.model.summary import describe_certificate
from linsep.online.choice import Comparisons, Rule, Stop, Walk, learn
from linsep.online.choice_bound import Consistency, consistency
from linsep.online.choice_logistic import Target, fit_logistic
from linsep.online.words import counted
from linsep.problem.choice_problem import Chosen
from linsep.solvers import Status
from linsep.types import FloatArray

VARIANTS = ("perceptron", "logistic")


def _of_variant(name: str) -> Any:
    return available_if(lambda estimator: estimator.variant == name)


class ChoicePerceptron(Chooser):
    """Learns from an expert's choices: w with ⟨w, φ(a*, s)⟩ ≥ ⟨w, φ(a, s)⟩ for every action a of every state s.

        perceptron:   â = argmax_a ⟨w, φ(a, s)⟩;  where â ≠ a*:  w ← w + φ(a*, s) − φ(â, s)
        logistic:     p(a | s) ∝ e^⟨w, φ(a, s)⟩;  min 1/n Σ_s −ln p(a* | s) + α/2 ‖w‖²

    X is a list of states. A state is a table (actions × d), with any number of actions, and the expert's choice a row
    of it: 0, 1, …; or a dict {action: features}, and the choice a key. Or X is one table (dense or sparse) of all
    actions, with `groups` (for every row the number or name of its state; the rows of a state follow each other) or
    `offsets` (n + 1 numbers: state s has the rows offsets[s] to offsets[s + 1] − 1).

    Parameters
    ----------
    variant : "perceptron" or "logistic", default="perceptron"
    tie : "mistake" or "first", default="mistake"
        Perceptron, while learning: with "mistake" the expert's action must score above every other, so a tie is a
        mistake (else w = 0 would do); with "first" the first of equals is chosen, as by argmax. `predict` always
        takes the first of equals. An action with exactly the features of the expert's never counts as a mistake.
    order : "shuffled" or "given", default="shuffled"
        Perceptron: the order of the states, drawn anew before each epoch or as given.
    average : bool, default=False
        Perceptron: return the mean of w over all visits to a state instead of the last w. Better where no w agrees
        with every choice, which is usual; then reaching `max_epochs` is no cause for a warning.
    max_epochs : int, default=100
        Perceptron: passes over the states at most. It stops after one without a mistake.
    record : bool, default=False
        Perceptron: keep w after every update in `trajectory_`.
    alpha : float, "auto", "cv" or CrossValidation, default=1e-4
        Logistic: the strength α ≥ 0 of the penalty. The loss is a mean over the states. "auto" and "cv" choose it by
        folds of the states.
    tol : float, default=1e-4
        Logistic: the certified relative excess over the minimum to reach.
    max_iter : int or None, default=None
        Logistic: Newton steps at most; None is the solver's own limit.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the shuffled order. None is 0.
    n_jobs : int or None, default=None
        Threads at most. The result does not depend on it.
    verbose : int, default=0
        1: epochs or steps on stderr if that is a terminal, at most two a second; 2: all, wherever stderr goes.

    Attributes
    ----------
    coef_ : array of shape (d,)
        The weights that decide.
    last_coef_ : array of shape (d,)
        The perceptron's last weights: `coef_`, unless that is their average.
    status_ : enum
        Why it stopped; its value is a sentence.
    converged_ : bool
        An epoch without a mistake; logistic: the certificate holds.
    n_iter_ : int
        Epochs, or Newton steps.
    mistakes_ : array of shape (n_iter_,)
        Mistakes of every epoch (perceptron; each is an update).
    n_updates_ : int
        Their sum.
    trajectory_, update_states_ : arrays of shape (n_updates_ + 1, d) and (n_updates_,)
        With record=True: w before the first update and after each, and the state that made each update, counted on
        over the calls of `partial_fit`.
    consistency_ : Consistency or None
        Perceptron, after `fit`: R, a margin ρ, and Novikoff's bound `consistency_.updates` = (R/ρ)².
    certificate_ : Certificate or None
        Logistic: how far from the minimum w can be.
    alpha_, alpha_curve_
        Logistic: the α of the fit, and the curve that it was read off (None where it was given).
    agreement_ : float
        The share of the choices learned from, after `partial_fit` of those given last, that `predict` repeats.
    n_undecided_ : int
        States in which another action has exactly the features of the expert's.
    n_states_, n_actions_, n_features_in_, feature_names_in_
        Of what was learned from.

    >>> from linsep import ChoicePerceptron
    >>> states = [{"stay": [0, 0], "run": [1, 3]}, {"stay": [0, 1], "run": [2, 0], "jump": [3, 1]}]
    >>> model = ChoicePerceptron(order="given").fit(states, ["run", "stay"])
    >>> model.mistakes_, model.coef_
    (array([2, 0]), array([-2.,  3.]))
    >>> model.predict([{"wait": [5, 1], "hide": [0, 2]}])
    array(['hide'], dtype=object)
    """

    last_coef_: FloatArray
    status_: Stop | Status
    certificate_: Certificate | None
    consistency_: Consistency | None

    def __init__(
        self,
        variant: str = "perceptron",
        *,
        tie: str = "mistake",
        order: str = "shuffled",
        average: bool = False,
        max_epochs: int = 100,
        record: bool = False,
        alpha: Any = 1e-4,
        tol: float = 1e-4,
        max_iter: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.tie = tie
        self.order = order
        self.average = average
        self.max_epochs = max_epochs
        self.record = record
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- learning ---------------------------------------------------------------------------------------

    def fit(self, X: Any, choices: Any, *, groups: Any = None, offsets: Any = None) -> Self:
        """Learn from states X and the expert's choices, from w = 0."""
        rule, alpha, verbose = self._rule(), parameters.alpha(self.alpha), parameters.verbosity(self.verbose)
        target = self._target()
        states = read_states(X, groups, offsets, self._threads())
        compared = self._compared(states, choices)
        self._forget(states)
        if self.variant == "logistic":
            watch, curve = watcher(verbose, target.tol, inf), None
            if isinstance(alpha, selection.Chooser):
                alpha, curve = chosen_alpha(alpha, compared, target, rule.seed, watch)
            self._fit_logistic(compared, replace(target, alpha=alpha), watch)
            self.alpha_, self.alpha_curve_ = alpha, curve
        else:
            walk, stop = learn(compared, rule, EpochLines.of(verbose, rule.max_epochs).mistakes)
            self._accept(walk, stop, compared)
            self.consistency_ = consistency(compared, walk.w)
            self._warn_of_mistakes()
        return self

    @_of_variant("perceptron")  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, choices: Any, *, groups: Any = None, offsets: Any = None) -> Self:
        """One pass over these states, say those of one game, going on from the weights so far."""
        rule = self._rule()
        known = hasattr(self, "_walk")
        states = self._read(X, groups, offsets) if known else read_states(X, groups, offsets, self._threads())
        compared = self._compared(states, choices)
        if not known:
            self._forget(states)
            self._walk = Walk.start(states.design.d, rule.record)
        order = np.arange(len(states.segments), dtype=np.int64)
        if rule.order == "shuffled":
            np.random.default_rng((rule.seed, self._walk.visits)).shuffle(order)
        self._walk.epoch(compared, rule, order, self.n_states_)
        self.consistency_ = None
        self._accept(self._walk, Stop.ONE_PASS, compared)
        return self

    def _rule(self) -> Rule:
        if self.variant not in VARIANTS:
            raise unknown_name("variant", self.variant, VARIANTS)
        parameters.flag("average", self.average)
        return Rule(
            tie=self.tie,
            order=self.order,
            max_epochs=parameters.whole("max_epochs", self.max_epochs, 1),
            record=parameters.flag("record", self.record),
            seed=parameters.seed(self.random_state),
        )

    def _target(self) -> Target:
        """An α that is yet to be chosen stands as 1."""
        alpha = parameters.alpha(self.alpha)
        return Target(
            alpha=1.0 if isinstance(alpha, selection.Chooser) else alpha,
            tol=parameters.number("tol", self.tol, open_end=True),
            max_iter=None if self.max_iter is None else parameters.whole("max_iter", self.max_iter, 1),
        )

    def _compared(self, states: States, choices: Any) -> Comparisons:
        chosen = Chosen(states.segments, read_choices(choices, states))
        compared = Comparisons.of(states.design, chosen)
        if not np.isfinite(compared.radius):
            raise InvalidData("the squares of the features overflow float64: divide the features by their size")
        if compared.radius == 0.0:
            raise InvalidData(
                "nothing can be learned: in every state all actions have the same features (or differ by so little "
                "that the squares are 0 in float64: scale them), or there is one action only"
            )
        return compared

    def _forget(self, states: States) -> None:
        for name in [name for name in vars(self) if name.endswith("_") or name == "_walk"]:
            delattr(self, name)
        self.n_features_in_ = states.design.d
        if states.names is not None:
            self.feature_names_in_ = states.names
        self.n_states_ = self.n_actions_ = self.n_undecided_ = 0
        self.certificate_ = self.consistency_ = None

    def _count(self, compared: Comparisons) -> None:
        """What was learned from, and how much of it the weights repeat."""
        segments, rows = compared.chosen.segments, compared.chosen.rows
        self.n_states_ += len(segments)
        self.n_actions_ += segments.rows
        self.n_undecided_ += compared.undecided
        scores = compared.design.scores(np.append(self.coef_, 0.0))
        self.agreement_ = float((segments.argmax(scores) == rows).mean())

    def _accept(self, walk: Walk, stop: Stop, compared: Comparisons) -> None:
        self._walk, self.averaged_ = walk, bool(self.average)
        self.last_coef_ = walk.w.copy()
        self.coef_ = walk.average if self.averaged_ else self.last_coef_
        self.mistakes_, self.n_updates_ = np.array(walk.mistakes, dtype=np.int64), walk.updates
        self.n_iter_ = len(walk.mistakes)
        self.status_, self.converged_ = stop, stop is Stop.CONVERGED
        if walk.record is not None:
            self.trajectory_ = np.array(walk.record.weights)
            self.update_states_ = np.array(walk.record.states, dtype=np.int64)
        self._count(compared)

    def _warn_of_mistakes(self) -> None:
        over = self.averaged_ and self.status_ is Stop.MAX_EPOCHS  # the average is meant for such choices
        if self.converged_ or over or self.consistency_ is None:
            return
        if self.status_ is Stop.INTERRUPTED:
            todo = "fit(…) begins anew; partial_fit(…) goes on"
        elif self.consistency_.consistent:
            todo = "A larger max_epochs converges"
        else:
            todo = "The averaged perceptron (average=True) and variant='logistic' make the best of such choices"
        last = ", ".join(map(str, self.mistakes_[-3:]))
        warnings.warn(
            f"{self.status_.value} ({last} in the last of {counted(self.n_iter_, 'epoch')}). "
            f"Bound on the updates: {bound_sentence(self.consistency_)}. {todo}",
            NotConverged,
            stacklevel=3,
        )

    def _fit_logistic(self, compared: Comparisons, target: Target, watch: Watch | None) -> None:
        solution = fit_logistic(compared.design, compared.chosen, target, watch)
        if solution.status is Status.NO_OPTIMUM:
            raise NoOptimum(
                "some weights never put another action ahead of the expert's, so without a penalty the probabilities "
                "grow for ever: give alpha > 0, for example 1e-4"
            )
        self.coef_ = solution.w[:-1].copy()
        self.certificate_, self.status_ = solution.certificate, solution.status
        self.converged_, self.n_iter_ = solution.certificate.holds, solution.steps
        self._count(compared)
        if not self.converged_:
            warnings.warn(
                f"{self.status_.value}: {describe_certificate(self.certificate_)}", NotCertified, stacklevel=3
            )

    # -- what it learned --------------------------------------------------------------------------------

    @_of_variant("logistic")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, groups: Any = None, offsets: Any = None) -> list[FloatArray] | FloatArray:
        """p(a | s) for every action: an array a state, or one for all rows where X is one table."""
        states = self._read(X, groups, offsets)
        p = states.segments.softmax(self._scores(states))
        return p if states.flat else states.segments.split(p)

    def summary(self) -> str:
        """The fitted model in words: why it stopped, updates against the bound or certificate, largest weights."""
        self._check_fitted()
        return summarise(self)
