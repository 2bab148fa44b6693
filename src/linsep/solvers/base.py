"""What a solver is, and what it returns.

A solver is a frozen dataclass of settings with two methods,

    init(problem, start)  → state        start: weights to begin from, or None
    step(problem, state)  → state        about one pass over the data

and a set of `needs`, facts that the problem must offer. `driver.solve` is the only loop. A state carries the best
point so far with the best lower bound known; a solver tries for a bound when its own measure says that it may
be near, because only the solver knows a good dual point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from linsep.certify.bounds import NO_BOUND, TIGHT, Bound
from linsep.certify.certificate import Certificate
from linsep.problem.problem import Problem
from linsep.solvers.outcome import Record, Status
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class State:
    """The best point so far.

    w         weights with the intercept last
    value     P(w)
    bound     the best lower bound known so far
    gradient  ‖∇P(w)‖ where known
    done      set by a solver that can do no more: the driver stops
    loose     the bound is far below the optimum, as far as the solver can tell: it asks for another step even where
              the goal is met, so that the gap says how good the point is
    """

    w: FloatArray
    value: float
    bound: Bound = NO_BOUND
    gradient: float = float("inf")
    done: Status | None = None
    loose: bool = False


@dataclass(frozen=True, eq=False)
class Solution:
    """What a fit returns: weights with the intercept last, multipliers, status, certificate, trace."""

    w: FloatArray
    dual: FloatArray | None
    status: Status
    certificate: Certificate
    trace: list[Record] = field(default_factory=list)
    solver: str = ""

    @property
    def steps(self) -> int:
        return self.trace[-1].step if self.trace else 0


#: Steps that a solver takes at most for a tighter bound alone.
MOST_WAITS = 3
#: Relative gap above which the multipliers of a proximal-point method lag far behind its weights.
_LAG = 2e-4


@dataclass(frozen=True)
class Goal:
    """What the solvers aim for: the relative excess, and whether to go on to rounding."""

    tol: float
    to_rounding: bool

    @property
    def target(self) -> float:
        """The relative excess that a solver works towards."""
        return 1e-13 if self.to_rounding else self.tol

    def met(self, value: float, bound: Bound) -> bool:
        gap = value - bound.value
        if self.to_rounding:
            return gap <= 2.0 * bound.allowance
        return gap <= self.tol * abs(value) or gap <= 2.0 * bound.allowance

    def loose(self, value: float, bound: Bound, excess: float) -> bool:
        """Met, but the gap is far above an estimate of the excess, and not for rounding."""
        return self.met(value, bound) and value - bound.value > max(TIGHT * excess, 2.0 * bound.allowance)

    def lags(self, value: float, bound: Bound) -> bool:
        """Met, but where a proximal-point method's gap is mostly that of its multipliers."""
        return self.met(value, bound) and value - bound.value > max(_LAG * abs(value), 2.0 * bound.allowance)


#: Of a solver that only prepares a start: nothing is near enough to try for a bound.
NO_GOAL = Goal(0.0, False)


@dataclass(frozen=True)
class Solver(ABC):
    """Base of all solvers."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    max_iter: ClassVar[int] = 1000
    centres: ClassVar[bool] = False  # takes columns off their means by itself
    goal: Goal = Goal(1e-4, False)
    seed: int = 0

    @abstractmethod
    def init(self, problem: Any, start: FloatArray | None) -> Any:
        """The state before the first step."""

    @abstractmethod
    def step(self, problem: Any, state: Any) -> Any:
        """The state after about one more pass."""

    def finish(self, problem: Any, state: Any) -> Any:
        """The state of a fit that met its goal, with a tighter bound where the solver's own is loose."""
        return state

    def refusal(self, problem: Problem) -> str | None:
        """Why this solver cannot take the problem, or None."""
        loss = problem.loss
        facts = {
            "margin": (len(problem.shape) == 1, "one margin a row, not K scores"),
            "joint": (len(problem.shape) == 2, "K scores a row"),
            "smooth": (loss.smooth, "a loss with a continuous derivative, such as 'squared_hinge' or 'smoothed_hinge'"),
            "convex": (loss.convex, "a convex loss"),
            "curvature": (
                loss.offers("d2" if len(problem.shape) == 1 else "hessian_product"),
                "a second derivative",
            ),
            "conjugate": (loss.offers("conjugate"), "a conjugate"),
            "blocks": (len(problem.shape) == 1 or loss.name == "softmax", "one margin a row, or softmax"),
            "model": (
                len(problem.shape) == 1 or loss.name in {"softmax", "one_of_k"},
                "one margin a row, softmax or 1-of-K targets",
            ),
            "penalty": (problem.alpha > 0.0, "a penalty: alpha > 0"),
            "ridge": (problem.penalty.ridge, "l1_ratio=0 without penalty factors and bounds"),
            "no offset": (problem.offset is None, "a fit without offset"),
        }
        missing = [facts[need][1] for need in sorted(self.needs) if not facts[need][0]]
        if not missing:
            return None
        given = f"loss {loss.name!r} at alpha={problem.alpha:g} was given"
        return f"solver {self.name!r} needs {' and '.join(missing)}; {given}"
