"""The values that pass between workloads, entrants and the referee."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Loss = Literal["log", "hinge", "squared_hinge", "softmax", "crammer_singer"]
Matrix: TypeAlias = Any  # an ndarray or a scipy.sparse.csr_matrix
Setting = dict[str, Any]


class Absent(Exception):
    """The data of a workload are not on this machine; the message is the reason to skip it."""


@dataclass(frozen=True)
class Data:
    """The arrays every entrant gets: X dense or CSR, y the class index 0 .. K-1."""

    X: Matrix
    y: NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """What to minimise, C sum loss + 1/2 ||w||^2 (or + ||w||_1) with a free or no intercept, and facts of the data."""

    loss: Loss
    C: float
    intercept: bool
    n: int
    d: int
    classes: int
    sparse: bool
    threads: int
    l1: bool = False

    @property
    def alpha(self) -> float:
        """The same problem on the mean loss: mean loss + alpha/2 ||w||^2, or + alpha ||w||_1."""
        return 1.0 / (self.n * self.C)

    @property
    def multiclass(self) -> bool:
        return self.loss in ("softmax", "crammer_singer")


@dataclass(frozen=True)
class Workload:
    """One row of the registry: a data set, an objective on it, and the ratio asked of linsep."""

    name: str
    title: str
    data: str
    loss: Loss
    C: float = 1.0
    intercept: bool = False
    floor: float | None = None
    l1: bool = False


@dataclass(frozen=True)
class Fit:
    """An entrant's answer: coef (1, d) or (K, d), intercept (1,) or (K,), and whatever it says about it."""

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    says: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One timed fit as the referee saw it; `objective` is the referee's own."""

    entrant: str
    setting: str
    seconds: float
    objective: float
    says: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """How a run of the referee is conducted."""

    tolerances: tuple[float, ...] = (1e-2, 1e-4, 1e-6)
    repeats: int = 5
    limit: float = 30.0
    threads: int = 2
    quick: bool = False
