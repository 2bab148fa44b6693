"""α by folds: each part of the rows is predicted by a model that has not seen it, at every α of a grid.

    loss(α) = Σ_f S_f m_f(α) / Σ_f S_f,      error(α)² = Σ_f S_f (m_f − loss)² / (Σ_f S_f · (F − 1)),

m_f the mean loss of the rows of fold f, S_f their weight. Repeats deal the rows anew: the losses are averaged, and so
are the squared errors, not divided by the number of repeats, which all see the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.model import Training
from linsep.selection.chooser import Chooser, Task, check_rule
from linsep.selection.curve import Curve
from linsep.selection.dealing import check_unsplit, deal, given_folds
from linsep.selection.grid import checked_alphas
from linsep.selection.refits import Fits
from linsep.selection.scoring import Fold, LossScore, ScorerScore, score_of
from linsep.selection.walk import COARSE_LEVEL, Walk
from linsep.types import IntArray


@dataclass(frozen=True, eq=False)
class CrossValidation(Chooser):
    """Choose α by K-fold cross-validation.

    Parameters
    ----------
    folds : int or array of shape (n,), default=5
        How many folds, dealt so that every class is spread evenly; or the fold of every row.
    repeats : int, default=1
        How often the rows are dealt anew.
    scoring : None, str or callable, default=None
        None: the loss that is minimised. Else the name of a scikit-learn scorer or a callable
        (classifier, X, y) → larger is better; the curve then holds its negative.
    rule : "best" or "one_standard_error", default="best"
        The α of least left-out loss, or the largest α whose loss is within one standard error of it.
    size : int, default=20
        How many values of α, in equal ratios from the α at which the model says nothing.
    alphas : array of numbers > 0, optional
        The values themselves; then the grid is neither extended nor cut short.
    seed : int or None, default=None
        Of the deal; None is the `random_state` of the estimator.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from linsep import CrossValidation, LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(alpha=CrossValidation(rule="one_standard_error")).fit(X / X.std(axis=0), y)
    >>> model.alpha_ == model.alpha_curve_.one_standard_error
    True
    """

    name: ClassVar[str] = "cv"
    folds: Any = 5
    repeats: int = 1
    scoring: Any = None
    rule: str = "best"
    size: int = 20
    alphas: Any = None
    seed: int | None = None

    def __post_init__(self) -> None:
        check_rule(self.rule)
        for name, least in (("repeats", 1), ("size", 2)):
            _whole(name, getattr(self, name), least)
        if np.ndim(self.folds) == 0:
            _whole("folds", self.folds, 2)
        elif self.repeats > 1:
            raise InvalidParameter(f"repeats={self.repeats}, but folds are given for every row: there is one deal")
        if self.alphas is not None:
            checked_alphas(self.alphas)

    def curve(self, task: Task) -> Curve:
        if self.alphas is not None:
            return self._walked(task, lambda walk: walk.through(checked_alphas(self.alphas)))
        return self._walked(task, lambda walk: walk.down(task.grid(self.size)))

    def search(self, task: Task, coarse: int, fine: int) -> Curve:
        """The curve at fewer values: a coarse grid, then where its parabolas are lowest."""

        def steps(walk: Walk) -> None:
            walk.coarsely(task.grid(coarse))
            walk.refine(fine)

        return self._walked(task, steps, COARSE_LEVEL)

    def _walked(self, task: Task, steps: Callable[[Walk], None], level: float = 0.0) -> Curve:
        score = score_of(self.scoring, task.training, task.objective)
        deals = [_Deal.of(task.training, fold) for fold in self._deals(task)]
        runs = [_Run(deal, score, task.fits(deal.folds)) for deal in deals]
        walk = Walk(_Means(runs), task.effort.time_limit, task.watch, level)
        steps(walk)
        notes = tuple(dict.fromkeys(note for deal in deals for note in deal.notes))
        return walk.curve(self._method(), score.name, notes)

    def _deals(self, task: Task) -> list[IntArray]:
        codes = task.training.labels.codes
        if np.ndim(self.folds) != 0:
            fold = given_folds(self.folds, len(codes))
            if task.groups is not None:
                check_unsplit(fold, task.groups)
            return [fold]
        seed = task.effort.seed if self.seed is None else self.seed
        return [deal(codes, int(self.folds), task.groups, seed + 7919 * r) for r in range(self.repeats)]

    def _method(self) -> str:
        count = int(self.folds) if np.ndim(self.folds) == 0 else len(np.unique(self.folds))
        return f"{count} folds" + (f", dealt {self.repeats} times" if self.repeats > 1 else "")


@dataclass(frozen=True, eq=False)
class _Deal:
    """The folds that can be used, and what is to be said of the others."""

    folds: list[Fold]
    notes: list[str]

    @staticmethod
    def of(training: Training, fold: IntArray) -> _Deal:
        weights = np.ones(training.design.n) if training.weights is None else training.weights
        codes, classes = training.labels.codes, training.labels.classes
        folds, notes = [], []
        for f in range(int(fold.max()) + 1):
            held, train = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            totals = np.bincount(codes[train], weights=weights[train], minlength=len(classes))
            present, weight = np.flatnonzero(totals > 0.0), float(weights[held].sum())
            lacking = ", ".join(str(c) for c in classes[totals == 0.0])
            if len(present) < 2 or weight == 0.0:
                reason = f"its training part lacks class {lacking}" if weight > 0.0 else "all its rows have weight 0"
                notes.append(f"a fold says nothing and is not counted: {reason}")
                continue
            if lacking:
                notes.append(
                    f"the training part of a fold lacks class {lacking}: its left-out rows count as certain mistakes "
                    "with a fixed loss"
                )
                train = train[np.isin(codes[train], present)]
            folds.append(Fold(train, held, present, weight))
        if len(folds) < 2:
            raise InvalidData(
                "fewer than two folds have both classes in their training part: no α can be chosen by folds. Give "
                "fewer folds, other groups, or α as a number"
            )
        return _Deal(folds, notes)


@dataclass(frozen=True, eq=False)
class _Run:
    """One deal, and how its folds are fitted and scored."""

    deal: _Deal
    score: LossScore | ScorerScore
    fits: Fits

    def at(self, alpha: float) -> tuple[float, float, float]:
        fits, gap = self.fits.at(alpha)
        means = np.array([self.score(fold, fit) for fold, fit in zip(self.deal.folds, fits, strict=True)])
        weights = np.array([fold.weight for fold in self.deal.folds])
        loss = float(np.average(means, weights=weights))
        variance = float(np.average((means - loss) ** 2, weights=weights)) / (len(means) - 1)
        return loss, variance, gap


@dataclass(frozen=True, eq=False)
class _Means:
    """Loss, standard error and worst gap over all deals."""

    runs: list[_Run]

    def __call__(self, alpha: float) -> tuple[float, float, float]:
        parts = np.array([run.at(alpha) for run in self.runs])
        loss, variance = parts[:, :2].mean(axis=0)
        return float(loss), float(np.sqrt(variance)), float(parts[:, 2].max())


def _whole(name: str, given: Any, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise InvalidType(f"{name}={given!r} is a {type(given).__name__}; allowed is a whole number >= {least}")
    if given < least:
        raise InvalidParameter(f"{name}={given!r}: allowed is a whole number >= {least}")
