"""What an entrant is: a name, a reason to skip, a ladder of settings from loose to tight, and a fit."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.types import Fit, Matrix, Setting, Task

ONE_VS_REST = "has several classes by one-vs-rest only, another objective"
PENALISED_INTERCEPT = "its intercept is penalised, another objective"
NEVER = 1_000_000  # as max_iter: the tolerance or the referee's clock ends the run


class Entrant(ABC):
    """One way to train; `module` is what it imports, so that a missing package is a reason and no crash."""

    name: str
    module: str
    penalties: frozenset[str] = frozenset({"l2"})

    @property
    def family(self) -> str:
        """Entrants of one family share code; that they agree proves nothing."""
        return self.module.partition(".")[0]

    def skip(self, task: Task) -> str | None:
        """Why this entrant does not run on this task, or None."""
        package = self.module.partition(".")[0]
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
        penalty = "l1" if task.l1 else "l2"
        return self.refuses(task) if penalty in self.penalties else f"not an entrant for {penalty.upper()} penalties"

    def imported(self, module: str | None = None) -> Any:
        """The entrant's package, imported when it is first needed."""
        return importlib.import_module(module or self.module)

    def prepare(self, task: Task, X: Matrix, y: NDArray[np.int64]) -> Any:
        """Convert the arrays to the entrant's own structures, before the clock starts; most have none."""
        return X, y

    @abstractmethod
    def refuses(self, task: Task) -> str | None:
        """Why the package cannot solve this task, or None."""

    @abstractmethod
    def ladder(self, task: Task) -> tuple[Setting, ...]:
        """Settings from loose to tight."""

    @abstractmethod
    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        """The timed call."""


def tolerances(values: Iterable[float], name: str = "tol") -> tuple[Setting, ...]:
    """A ladder of one setting by its values."""
    return tuple({name: value} for value in values)


def answer(task: Task, coef: Any, intercept: Any) -> Fit:
    """Bring coef to (1, d) or (K, d); an intercept that was not asked for must be zero."""
    rows = task.classes if task.multiclass else 1
    weights = np.asarray(coef, dtype=np.float64).reshape(rows, task.d)
    bias = np.zeros(rows) + np.asarray(intercept, dtype=np.float64).reshape(-1)
    return Fit(weights, bias)
