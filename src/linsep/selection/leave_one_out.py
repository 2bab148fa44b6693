"""α by approximate leave-one-out: every row is predicted by a model that has not seen it, for the price of a few fits.

At each α one fit to all rows gives the scores of rows left out (left_out.py). With ℓ the loss as fitted and ℓ̃ as left
out, c the amount of a row that is left out, m rows drawn from n,

    loss(α) = mean of ℓ over all rows + mean of ℓ̃ − ℓ over the m rows,
    error(α)² = n/m Σ s c (ℓ̃ − loss)² / S²,

so the draw hardly matters: the difference varies much less than the losses. Values of α go down a coarse grid,
in ratios of 25, and then to the vertices of parabolas around the best, each fit begun at the last one.

At the best α some rows are left out in earnest, one after another, those that move most for certain. They estimate
by how much the shortcut is wrong on the mean; if that is more than half a standard error, it is not trusted.
Then, and where it does not apply, folds take its place, and a note says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from linsep.errors import InvalidParameter, InvalidType
from linsep.model import LinearModel, Training, fit_model
from linsep.selection.chooser import Chooser, Task, check_rule
from linsep.selection.curve import Curve
from linsep.selection.folds import CrossValidation
from linsep.selection.left_out import MOST_ROWS, LeftOut, copies, copies_left_out, left_out
from linsep.selection.refits import uninterrupted
from linsep.selection.scoring import LossScore, row_losses
from linsep.selection.walk import COARSE_LEVEL, Walk
from linsep.types import FloatArray, IntArray

#: Values of the coarse grid (by folds: of theirs), and those around the best.
_COARSE, _COARSE_FOLDS, _FINE = 6, 15, 4
#: Standard errors by which a wrong shortcut may move the curve; and where one refit is enough, as nothing can move it.
_MATERIAL, _SMALL = 0.5, 0.25
#: Refits after which no more are made, if the largest share of a move that is wrong could not move the curve by half
#: of what is material were it wrong of all moves.
_FIRST = 3
#: The relative excess of fits that are compared with each other.
_TIGHT = 1e-10


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Chooser):
    """Choose α by approximate leave-one-out, or by folds where that cannot be trusted.

    Parameters
    ----------
    rule : "best" or "one_standard_error", default="best"
        The α of least left-out loss, or the largest α whose loss is within one standard error of it.
    rows : int, default=20000
        How many rows are left out, at most, one at a time; drawn by the seed.
    refits : int, default=10
        How many rows are left out in earnest at the best α, to check the shortcut; fewer where the first three leave no
        doubt; 0 trusts it.
    seed : int or None, default=None
        Of the draw; None is the `random_state` of the estimator.
    folds : int, default=5
        How many folds, where they take its place.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from linsep import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(alpha="auto").fit(X / X.std(axis=0), y)
    >>> model.alpha_curve_.method
    'approximate leave-one-out'
    >>> bool(1e-5 < model.alpha_ < 1e-2)
    True
    """

    name: ClassVar[str] = "auto"
    method: ClassVar[str] = "approximate leave-one-out"
    rule: str = "best"
    rows: int = MOST_ROWS
    refits: int = 10
    seed: int | None = None
    folds: int = 5

    def __post_init__(self) -> None:
        check_rule(self.rule)
        for name, least in (("rows", 10), ("refits", 0), ("folds", 2)):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer):
                raise InvalidType(f"{name}={given!r} is a {type(given).__name__}; allowed is a whole number >= {least}")
            if given < least:
                raise InvalidParameter(f"{name}={given!r}: allowed is a whole number >= {least}")

    def curve(self, task: Task) -> Curve:
        seed = task.effort.seed if self.seed is None else self.seed
        reason = why_not(task)
        if reason is None:
            search = _Search(task, int(self.rows), seed)
            curve, doubt = search.curve(int(self.refits))
            if doubt is None:
                return curve
            reason = doubt
        folds = CrossValidation(self.folds, rule=self.rule, seed=seed).search(task, _COARSE_FOLDS, _FINE)
        return replace(folds, notes=(f"folds took the place of leave-one-out: {reason}", *folds.notes))


def why_not(task: Task) -> str | None:
    """Why leave-one-out does not apply, before anything is fitted; or None."""
    training = task.training
    if task.groups is not None:
        return "rows of one group are left out together"
    n, d = copies(training), training.design.d
    if 2 * d >= n:
        return f"{d:,} features are many for {n:,.0f} rows, and each row then decides too much"
    if np.bincount(training.labels.codes).min() < 2:
        return "a class has one row, and is unknown without it"
    return task.no_shortcut()


@dataclass(eq=False)
class _Search:
    """One fit after another, and the best of them so far."""

    task: Task
    rows: int
    seed: int
    last: FloatArray | None = None
    best: tuple[float, LinearModel, LeftOut] | None = None
    amounts: FloatArray = field(init=False)
    weights: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        training = self.task.training
        self.amounts = copies_left_out(training)
        self.weights = np.ones(training.design.n) if training.weights is None else training.weights

    def curve(self, refits: int) -> tuple[Curve, str | None]:
        """The curve, and why it is not to be trusted, or None."""
        task = self.task
        walk = Walk(self, task.effort.time_limit, task.watch, COARSE_LEVEL)
        walk.coarsely(task.grid(_COARSE))
        walk.refine(_FINE)
        scored = LossScore(task.training, task.objective).name
        curve = walk.curve(LeaveOneOut.method, scored, ())
        if curve.interrupted:
            return curve, None
        try:
            doubt, note = self._checked(curve, refits)
        except KeyboardInterrupt:
            unchecked = "Ctrl-C ended the search before the shortcut was checked by refits"
            return replace(curve, notes=(*curve.notes, unchecked), interrupted=True), None
        return replace(curve, notes=(*curve.notes, *note)), doubt

    def __call__(self, alpha: float) -> tuple[float, float, float]:
        """Loss, standard error and certified excess at this α."""
        task = self.task
        objective = replace(task.objective, alpha=alpha)
        model = uninterrupted(fit_model(task.training, objective, task.effort, self.last))
        self.last = np.array(model.w)
        found = left_out(model, task.training, seed=self.seed, most=self.rows)
        everywhere = self._losses(model, _columns(found.everywhere), slice(None))
        fitted, left = everywhere[found.rows], self._losses(model, _columns(found.scores), found.rows)
        s, c, total = self.weights[found.rows], found.amounts, float(self.weights.sum())
        loss = float(np.average(everywhere, weights=self.weights) + np.average(left - fitted, weights=s))
        share = np.count_nonzero(self.weights) / len(found.rows)
        error = float(np.sqrt(share * np.sum(s * c * (left - loss) ** 2))) / total
        if self.best is None or loss < self.best[0]:
            self.best = (loss, model, found)
        return loss, error, model.certificate.relative_gap

    def _losses(self, model: LinearModel, scores: FloatArray, rows: Any) -> FloatArray:
        labels = self.task.training.labels
        return row_losses(model.objective, labels.codes[rows], len(labels.classes), scores)

    def _checked(self, curve: Curve, refits: int) -> tuple[str | None, tuple[str, ...]]:
        """Why the curve is not to be trusted, or None; and what the refits said."""
        assert self.best is not None
        _, model, found = self.best
        if found.extreme > 0.01 * len(found.rows):
            return f"{found.extreme:,} of {len(found.rows):,} rows alone decide their own score", ()
        scores = model.class_scores(found.everywhere)
        decided = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        if (decided == self.task.training.labels.codes).all():
            return "at the best α the fit separates the classes, and its losses say little about other rows", ()
        if refits == 0:
            return None, ()
        return self._refitted(model, curve, refits)

    def _refitted(self, model: LinearModel, curve: Curve, refits: int) -> tuple[str | None, tuple[str, ...]]:
        tight = replace(self.task.effort, tol=min(self.task.effort.tol, _TIGHT))
        model = uninterrupted(fit_model(self.task.training, model.objective, tight, np.array(model.w)))
        found = left_out(model, self.task.training, seed=self.seed, most=self.rows)
        fitted, left = (self._losses(model, _columns(z), found.rows) for z in (found.fitted, found.scores))
        moves, weights = left - fitted, self.weights[found.rows]
        error = float(curve.errors[int(np.nanargmin(curve.losses))])
        moved = np.abs(_columns(found.scores - found.fitted)).max(axis=1) * weights
        enough = abs(float(np.average(moves, weights=weights))) <= _SMALL * error
        chosen, stand_for = _by_importance(moved, 1 if enough else refits)
        exact = self._without(model, found.rows[chosen[:_FIRST]], tight)
        share = _share((exact - left[chosen[:_FIRST]]), moves[chosen[:_FIRST]])
        if not share * float(np.average(np.abs(moves), weights=weights)) <= 0.5 * _MATERIAL * error:
            exact = np.append(exact, self._without(model, found.rows[chosen[_FIRST:]], tight))
        chosen, stand_for = chosen[: len(exact)], stand_for[: len(exact)]
        off = abs(float(((exact - left[chosen]) * weights[chosen]) @ stand_for)) / float(weights.sum())
        more = f" and {len(exact) - 3} more" if len(exact) > 3 else ""
        listed = ", ".join(f"{a:.4g} ({b:.4g})" for a, b in zip(left[chosen][:3], exact[:3], strict=True))
        note = f"left-out losses of rows that move much, by the shortcut (by refits): {listed}{more}"
        if off <= _MATERIAL * error:
            return None, (note,)
        return f"refits disagree with it; {note}", ()

    def _without(self, model: LinearModel, rows: IntArray, effort: Any) -> FloatArray:
        """The loss of each row under the fit without one copy of it."""
        training: Training = self.task.training
        found = np.empty(len(rows))
        for i, row in enumerate(rows):
            weights, at = self.weights.copy(), np.array([row])
            weights[row] = max(weights[row] - self.amounts[row], 0.0)
            refit = fit_model(replace(training, weights=weights), model.objective, effort, np.array(model.w))
            scores = training.design.rows(at).scores(np.array(uninterrupted(refit).w))
            found[i] = self._losses(model, _columns(scores), at)[0]
        return found


def _share(wrong: FloatArray, moves: FloatArray) -> float:
    """The largest share of a move that is wrong; infinite where what should not move does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmax(np.abs(wrong / moves), initial=0.0))


def _by_importance(moved: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Some rows, and how many each stands for: Σ of any x over all rows is about its sum over these, so multiplied.

    Half of them are those that move most, each for itself; the others lie at equal steps of the running sum of `moved`
    over the rest, so that large moves are looked at more often and count for less.
    """
    order = np.argsort(-moved, kind="stable")
    most, rest = order[: (count + 1) // 2], order[(count + 1) // 2 :]
    total = np.cumsum(moved[rest])
    more = count - len(most)
    if more == 0 or not len(rest) or total[-1] == 0.0:
        return most, np.ones(len(most))
    places = np.searchsorted(total, (np.arange(more) + 0.5) / more * total[-1])
    others = rest[np.minimum(places, len(rest) - 1)]
    return np.append(most, others), np.append(np.ones(len(most)), total[-1] / (more * moved[others]))


def _columns(scores: FloatArray) -> FloatArray:
    """(n, m), also for m = 1."""
    return scores[:, None] if scores.ndim == 1 else scores
