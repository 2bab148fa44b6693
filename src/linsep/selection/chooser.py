"""What a way to choose α is: a frozen dataclass of settings that turns a task into a curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from linsep.errors import unknown_name
from linsep.model import Effort, Objective, Training, Watch
from linsep.selection import left_out
from linsep.selection.curve import Curve
from linsep.selection.grid import depth_of, exponential, largest_alpha
from linsep.selection.refits import Fits, fits_of
from linsep.selection.scoring import Fold
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class Task:
    """Data, and the objective whose α is to be found; groups: a label a row, rows of one label stay together.

    The methods are those of a linear model; whoever fits another one derives from this class.
    """

    training: Training
    objective: Objective
    effort: Effort
    groups: Any = None
    watch: Watch | None = None

    def grid(self, size: int) -> FloatArray:
        """So many values in equal ratios, from the α at which the model says nothing down."""
        top, depth = largest_alpha(self.training, self.objective), depth_of(self.training, self.objective)
        return exponential(top, depth, size)

    def fits(self, folds: Sequence[Fold]) -> Fits:
        """What gives the left-out scores of every fold at one α after another."""
        return fits_of(self.training, self.objective, self.effort, folds)

    def no_shortcut(self) -> str | None:
        """Why rows cannot be left out without a refit, or None."""
        return left_out.refusal(self.training, self.objective)


#: How a value is read off the curve: the properties of `Curve`.
RULES = ("best", "one_standard_error")


def check_rule(rule: Any) -> None:
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)


class Chooser(ABC):
    """Settings of one way to choose α."""

    name: ClassVar[str]
    rule: str

    @abstractmethod
    def curve(self, task: Task) -> Curve:
        """Left-out loss against α, over a grid that reaches beyond the best on both sides where it can."""

    def pick(self, curve: Curve) -> float:
        """The α that the rule takes from the curve."""
        return float(getattr(curve, self.rule))
