"""What a perceptron is asked to do, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from linsep.types import IntArray

#: What a score of 0 counts as: class −1, class 1, or a mistake whatever the class.
TIES = {"negative": -1, "mistake": 0, "positive": 1}
RULES = ("mistake", "thresholded", "unthresholded")
ORDERS = ("given", "shuffled", "random")
POCKETS = ("epoch", "update")
MULTICLASS = ("independent", "kesler")


class PerceptronStatus(Enum):
    """How a fit ended; the value is the message."""

    CONVERGED = "converged: an epoch passed without a mistake"
    SETTLED = "converged: an epoch moved the weights by no more than tol"
    MAX_EPOCHS = "max_epochs was reached while examples were still misclassified"
    UNSETTLED = "max_epochs was reached while the weights still moved by more than tol an epoch"
    DIVERGED = "the weights grew without bound: the learning rate is too large"
    INTERRUPTED = "interrupted; these are the weights so far"

    @property
    def converged(self) -> bool:
        return self in (PerceptronStatus.CONVERGED, PerceptronStatus.SETTLED)


@dataclass(frozen=True)
class Plan:
    """The rule and its circumstances.

    rate    η
    batch   rows a block: 1 is the incremental form, n the batch form
    joint   K classes by Kesler's rule instead of K units
    pocket  "update", "epoch", or None: the last weights are returned, and a shortlist of epochs is judged at the end
    tol     the delta rule has settled when an epoch moves w by at most tol·‖w‖
    """

    rule: str = "mistake"
    rate: float = 1.0
    batch: int = 1
    tie: str = "mistake"
    order: str = "given"
    bias: bool = True
    joint: bool = False
    normalize: bool = False
    average: bool = False
    pocket: str | None = None
    record: bool = False
    max_epochs: int = 1000
    tol: float = 1e-6
    seed: int = 0

    @property
    def delta(self) -> bool:
        """Whether correct examples are corrected too: the unthresholded rule."""
        return self.rule == "unthresholded"


@dataclass(frozen=True, eq=False)
class Result:
    """The record of a run.

    mistakes         (epochs, units); the joint rule counts as its first unit
    updates          (units,)
    accuracy         on the training rows, of the weights returned
    pocket_accuracy  of the best weights judged, those returned among them
    """

    status: PerceptronStatus
    mistakes: IntArray
    updates: IntArray
    accuracy: float
    pocket_accuracy: float
