"""What a way to choose α is: a frozen dataclass of settings that turns a task into a curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from linsep.errors import unknown_name
from linsep.model import Effort, Objective, Training, Watch
from linsep.selection.curve import Curve


@dataclass(frozen=True, eq=False)
class Task:
    """Data, and the objective whose α is to be found; groups: a label a row, rows of one label stay together."""

    training: Training
    objective: Objective
    effort: Effort
    groups: Any = None
    watch: Watch | None = None


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
