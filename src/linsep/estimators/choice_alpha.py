"""α of the logistic choices by folds: whole states are left out, and −ln p(the expert's action) of those is the loss.

The grid begins where no score can move by more than a hundredth, 100‖g‖R with g the gradient at w = 0 and R the
largest distance of an action's features from the expert's, and spans seven decades.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from linsep.errors import InvalidParameter
from linsep.model import Watch
from linsep.online.choice import Comparisons
from linsep.online.choice_logistic import Target, solve_logistic
from linsep.problem.choice_problem import ChoiceProblem
from linsep.selection import Chooser, CrossValidation, Curve, LeaveOneOut
from linsep.selection.dealing import deal, given_folds
from linsep.selection.grid import checked_alphas, exponential
from linsep.selection.walk import Walk
from linsep.types import FloatArray, IntArray

_DEPTH, _MOVE = 1e-7, 0.01
_REASON = "folds took the place of leave-one-out: a state is left out with all its actions"


def chosen_alpha(
    chooser: Chooser, compared: Comparisons, target: Target, seed: int, watch: Watch | None
) -> tuple[float, Curve]:
    """By the chooser's folds of the states."""
    settings = _folds_of(chooser)
    problem = ChoiceProblem.of(compared.design, compared.chosen, 1.0)
    walk = Walk(_Left(problem, _dealt(settings, len(problem.segments), seed), target), inf, watch)
    if watch is not None:
        watch.stage("choosing alpha")
    if settings.alphas is not None:
        walk.through(checked_alphas(settings.alphas))
    else:
        slope = float(np.linalg.norm(problem.at(problem.zero()).grad))
        top = slope * compared.radius / _MOVE
        walk.down(exponential(top if top > 0.0 else 1.0, _DEPTH, settings.size))
    notes = (_REASON,) if isinstance(chooser, LeaveOneOut) else ()
    count = int(settings.folds) if np.ndim(settings.folds) == 0 else len(np.unique(settings.folds))
    curve = walk.curve(f"{count} folds of the states", "choice loss", notes)
    return chooser.pick(curve), curve


def _folds_of(chooser: Chooser) -> CrossValidation:
    if isinstance(chooser, LeaveOneOut):
        return CrossValidation(chooser.folds, rule=chooser.rule, seed=chooser.seed)
    if not isinstance(chooser, CrossValidation):
        raise InvalidParameter(f"alpha={chooser!r}: for choices 'auto', 'cv' and CrossValidation(…) choose α")
    if chooser.scoring is not None or chooser.repeats != 1:
        raise InvalidParameter("α of choices is scored by the loss on one deal: leave out scoring and repeats")
    return chooser


def _dealt(settings: CrossValidation, states: int, seed: int) -> IntArray:
    if np.ndim(settings.folds) != 0:
        return given_folds(settings.folds, states)
    own = seed if settings.seed is None else settings.seed
    return deal(np.zeros(states, dtype=np.int64), int(settings.folds), None, own)


@dataclass(eq=False)
class _Left:
    """Loss, standard error and worst gap at one α after another, each fit begun at the last."""

    problem: ChoiceProblem
    fold: IntArray
    target: Target
    parts: list[tuple[ChoiceProblem, ChoiceProblem]] = field(init=False)
    last: list[FloatArray | None] = field(init=False)

    def __post_init__(self) -> None:
        sides = [(np.flatnonzero(self.fold != f), np.flatnonzero(self.fold == f)) for f in range(self.fold.max() + 1)]
        self.parts = [(self.problem.states(train), self.problem.states(held)) for train, held in sides]
        self.last = [None] * len(self.parts)

    def __call__(self, alpha: float) -> tuple[float, float, float]:
        means, gaps = [], []
        for f, (train, held) in enumerate(self.parts):
            target = replace(self.target, alpha=alpha)
            solution = solve_logistic(train.with_alpha(alpha), target, self.last[f])
            self.last[f] = solution.w
            means.append(held.mean(held.loss_values(held.scores(solution.w))))
            gaps.append(solution.certificate.relative_gap)
        sizes = np.array([len(held.segments) for _, held in self.parts])
        loss = float(np.average(means, weights=sizes))
        variance = float(np.average((np.array(means) - loss) ** 2, weights=sizes)) / (len(means) - 1)
        return loss, float(np.sqrt(variance)), max(gaps)
