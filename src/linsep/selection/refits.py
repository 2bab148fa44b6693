"""The left-out scores of every fold at one α after another: by their multipliers (duals.py) where the rows are wide,
together where all share their passes, else fold by fold.

All begin each fit where the solutions at other α lead, and none works to more than the curve can show. Left-out losses
move by about √(2·excess·λ²), λ² ≈ d/n, so that an excess of 10⁻⁵ of the objective is far below a standard error; and
the excess of a fit is far below what is proved of it, because its last Newton step about squares the error. Conjugate
gradients on many weights, and softmax in the dual, work longest for the proof, and are content with less of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from linsep.data.labels import Labels
from linsep.model import Effort, LinearModel, Objective, Training, fit_model, problems_of
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.reductions import Joint, OneMargin, OneVsRest
from linsep.selection.duals import DualFolds
from linsep.selection.scoring import Fold, FoldFit, objective_of
from linsep.selection.shared import FORMED, SharedFolds, TooHard
from linsep.selection.sight import FoldProblems
from linsep.selection.starts import Starts
from linsep.solvers import Status
from linsep.solvers.table import row_of
from linsep.types import FloatArray, IntArray

#: The relative excess of the fold fits: small problems, Hessians at hand, conjugate gradients, any other solver; of
#: small problems by their multipliers; and of Newton–CG, and softmax in the dual, which it takes over from.
_SMALL, _TOL_SMALL, _TOL_FORMED, _TOL_WIDE, _TOL = 100_000, 1e-9, 1e-6, 3e-5, 1e-4
_TOL_SMALL_DUAL, _TOL_CG = 1e-6, 1e-3


class Fits(Protocol):
    """Goes from one α to the next."""

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        """The fits of all folds, and the worst of their certified relative excesses."""


@dataclass(eq=False)
class Together:
    """Every binary problem of the scheme with all folds at once."""

    folds: Sequence[Fold]
    problems: list[SharedFolds]

    @staticmethod
    def of(training: Training, objective: Objective, folds: Sequence[Fold]) -> Together:
        fold = np.empty(training.design.n, dtype=np.int64)
        for f, part in enumerate(folds):
            fold[part.held] = f
        design = training.design
        tol = _TOL_FORMED if design.d <= FORMED else _TOL_WIDE
        tol = _TOL_SMALL if design.entries <= _SMALL else tol
        shared = []
        for problem in problems_of(training, objective):
            assert isinstance(problem, MarginProblem)
            shared.append(SharedFolds(FoldProblems(problem, fold, len(folds)), tol))
        return Together(folds, shared)

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        gap = max(problem.at(alpha) for problem in self.problems)
        scores = np.stack([problem.sight.left for problem in self.problems], axis=1)
        return [FoldFit(self._weights(f), scores[fold.held]) for f, fold in enumerate(self.folds)], gap

    def _weights(self, f: int) -> FloatArray:
        return np.stack([problem.sight.W[:, f] for problem in self.problems], axis=1)


@dataclass(eq=False)
class OneByOne:
    """A fit a fold, by whatever solver suits, each begun where the others lead."""

    training: Training
    objective: Objective
    effort: Effort
    folds: Sequence[Fold]
    parts: list[Training] = field(init=False)
    starts: Starts = field(init=False)

    def __post_init__(self) -> None:
        self.parts = [part_of(self.training, fold.train, fold.present) for fold in self.folds]
        self.starts = Starts(len(self.folds))

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        fits, worst = [], 0.0
        for f, (fold, part) in enumerate(zip(self.folds, self.parts, strict=True)):
            objective = replace(objective_of(self.objective, fold), alpha=alpha)
            model = uninterrupted(fit_model(part, objective, self.effort, self.starts.at(f, alpha)))
            w = np.array(model.w)
            self.starts.keep(f, alpha, w)
            worst = max(worst, model.certificate.relative_gap)
            scores = self.training.design.rows(fold.held).scores(w)
            if self.training.offset is not None:
                scores += _offset_of(self.training.offset, fold.held, fold.present).reshape(scores.shape)
            fits.append(FoldFit(w, scores))
        return fits, worst


@dataclass(eq=False)
class TogetherIfPossible:
    """Together until a step fails to lower the objectives, from then on one by one."""

    together: Together
    alone: OneByOne
    failed: bool = False

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        if not self.failed:
            try:
                return self.together.at(alpha)
            except TooHard:
                self.failed = True
        return self.alone.at(alpha)


def uninterrupted(model: LinearModel) -> LinearModel:
    """The model; a fit that Ctrl-C ended passes the interruption on, for it stands for nothing among others."""
    if model.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return model


def part_of(training: Training, rows: IntArray, present: IntArray) -> Training:
    """Some of the rows, as data of their own with the classes they have."""
    labels = training.labels
    codes = np.searchsorted(present, labels.codes[rows]).astype(np.int64)
    weights = None if training.weights is None else training.weights[rows]
    offset = None if training.offset is None else _offset_of(training.offset, rows, present)
    part = Labels(labels.classes[present], codes)
    return replace(training, design=training.design.rows(rows), labels=part, weights=weights, offset=offset)


def fits_of(training: Training, objective: Objective, effort: Effort, folds: Sequence[Fold]) -> Fits:
    """By multipliers where the rows are wide, together where the loss is smooth, else one by one.

    The first two are for problems about all rows, whose classes no fold lacks.
    """
    loss = objective.loss
    alone = OneByOne(training, objective, replace(effort, tol=max(effort.tol, _loosest(training, objective))), folds)
    if not all(len(fold.present) == training.n_classes for fold in folds):
        return alone
    duals = DualFolds.of(training, objective, replace(effort, tol=_dual_tol(training, objective)), folds)
    if duals is not None:
        return duals
    curved = loss.smooth and loss.convex and loss.offers("d2")
    whole = isinstance(objective.scheme, OneMargin | OneVsRest)
    every_row = sum(len(fold.held) for fold in folds) == training.design.n
    plain = objective.penalty.ridge and training.offset is None and effort.solver == "auto"
    if curved and whole and every_row and plain:
        return TogetherIfPossible(Together.of(training, objective, folds), alone)
    return alone


def _dual_tol(training: Training, objective: Objective) -> float:
    """The excess of a fit by its multipliers: of softmax a row has one for every class."""
    joint = isinstance(objective.scheme, Joint)
    if training.design.entries * (training.n_classes if joint else 1) <= _SMALL:
        return _TOL_SMALL_DUAL
    return _TOL_CG if joint else _TOL


def _loosest(training: Training, objective: Objective) -> float:
    """The excess that a fit of its own may have, by the solver that is best for the whole."""
    problem = next(iter(problems_of(training, objective))).with_alpha(1.0)
    return _TOL_CG if row_of(problem).solver in ("newton_cg", "softmax_dual") else _TOL


def _offset_of(offset: FloatArray, rows: IntArray, present: IntArray) -> FloatArray:
    """The offsets of some rows and classes; two classes that are left of more have one margin, the difference."""
    chosen = offset[rows]
    if chosen.ndim == 1:
        return chosen
    chosen = chosen[:, present]
    return chosen[:, 1] - chosen[:, 0] if len(present) == 2 else np.ascontiguousarray(chosen)
