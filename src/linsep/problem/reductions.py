"""Multiclass: how K classes become problems with one margin, and how their scores become class scores.

A reduction turns class numbers 0..K−1 into m binary tasks (`reduce`) and m scores a row into K (`retrieve`);
the predicted class is the one with the largest class score, the first of equals.

| name  | tasks                            | class score of k                                             |
|-------|----------------------------------|--------------------------------------------------------------|
| ovr   | k against the rest, K of them    | the score of task k                                          |
| ovo   | i against j, i < j, on their own | its votes, ties broken by its summed scores; or those alone  |
|       | rows: K(K−1)/2 of them           |                                                              |
| ecoc  | one a column of the codebook     | minus the mean loss of its code word (problem/codes.py)      |

`Joint` is no reduction: one problem with a loss of all K scores (softmax, Crammer–Singer, 1-of-K targets).
Two classes always use the scalar margin, whatever was chosen: `OneMargin`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linsep.data.labels import Labels
from linsep.errors import InvalidParameter
from linsep.later import scipy
from linsep.problem import joint
from linsep.problem.base import JointLoss, MarginLoss
from linsep.types import FloatArray, IntArray

#: One-vs-one beyond this many problems, or beyond this memory for their weights, is refused.
MOST_PROBLEMS = 50_000
MOST_BYTES = 2 * 2**30


@dataclass(frozen=True, eq=False)
class Task:
    """One binary problem: the rows it is about (None: all) and −1.0 or 1.0 for each of them."""

    rows: IntArray | None
    signs: FloatArray


@dataclass(frozen=True)
class Scheme(ABC):
    """How the classes are told apart: by a reduction or by a joint loss."""

    name: ClassVar[str]

    @abstractmethod
    def count(self, n_classes: int) -> int:
        """The number of scores a row."""

    def refusal(self, n_classes: int, n_features: int) -> str | None:
        """Why this many classes cannot be taken, or None."""
        return None

    @abstractmethod
    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        """Class scores (n, K) from the scores (n, m)."""

    def describe(self, task: int, classes: np.ndarray[Any, Any]) -> str:
        """The problem of that number in words, for messages."""
        return "the problem"


class Reduction(Scheme):
    """A scheme of binary tasks."""

    @abstractmethod
    def reduce(self, labels: Labels) -> Iterator[Task]:
        """The tasks in order, made one by one: all of them at once can be larger than the data."""


@dataclass(frozen=True)
class OneMargin(Reduction):
    """Two classes: the score is positive for the second."""

    name = "binary"

    def count(self, n_classes: int) -> int:
        return 1

    def reduce(self, labels: Labels) -> Iterator[Task]:
        yield Task(None, labels.signs())

    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        return np.concatenate((-scores, scores), axis=1)

    def describe(self, task: int, classes: np.ndarray[Any, Any]) -> str:
        return f"class {classes[1]!s} against class {classes[0]!s}"


@dataclass(frozen=True)
class OneVsRest(Reduction):
    """Each class against all others."""

    name = "ovr"

    def count(self, n_classes: int) -> int:
        return n_classes

    def reduce(self, labels: Labels) -> Iterator[Task]:
        for k in range(len(labels.classes)):
            yield Task(None, np.where(labels.codes == k, 1.0, -1.0))

    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        return scores

    def describe(self, task: int, classes: np.ndarray[Any, Any]) -> str:
        return f"class {classes[task]!s} against the rest"


@dataclass(frozen=True)
class OneVsOne(Reduction):
    """Each pair i < j of classes on its own rows; a positive score is for j.

    decide  "votes": one vote a pair, ties broken by the summed scores, squeezed into (−1/4, 1/4);
            "scores": the summed scores, each pair counting for j and against i
    """

    name = "ovo"
    decide: str = "votes"

    def __post_init__(self) -> None:
        if self.decide not in ("votes", "scores"):
            raise InvalidParameter(f"decide={self.decide!r}: allowed are 'votes' and 'scores'")

    def count(self, n_classes: int) -> int:
        return n_classes * (n_classes - 1) // 2

    def refusal(self, n_classes: int, n_features: int) -> str | None:
        count = self.count(n_classes)
        memory = 8 * count * (n_features + 1)
        if count <= MOST_PROBLEMS and memory <= MOST_BYTES:
            return None
        return (
            f"one-vs-one with {n_classes:,} classes means {count:,} binary problems with {n_features + 1:,} "
            f"weights each, {in_bytes(memory)} for the weights alone; at most {MOST_PROBLEMS:,} problems and "
            f"{in_bytes(MOST_BYTES)} are allowed. Use multiclass='softmax', 'ovr' or 'ecoc'"
        )

    def reduce(self, labels: Labels) -> Iterator[Task]:
        order = np.argsort(labels.codes, kind="stable")
        ends = np.cumsum(np.bincount(labels.codes, minlength=len(labels.classes)))[:-1]
        members = np.split(order, ends)
        for i, j in zip(*self.pairs(len(labels.classes)), strict=True):
            rows = np.sort(np.concatenate((members[i], members[j])))
            yield Task(rows, np.where(labels.codes[rows] == j, 1.0, -1.0))

    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        first, second = self.pairs(n_classes)
        tasks = np.arange(len(first))
        ones = np.ones(len(first))
        # +1 for the second class of a pair, −1 for the first
        sides = scipy.sparse.csr_array(
            (np.r_[ones, -ones], (np.r_[second, first], np.r_[tasks, tasks])), shape=(n_classes, len(first))
        )
        sums: FloatArray = np.ascontiguousarray((sides @ scores.T).T)
        if self.decide == "scores":
            return sums
        won_less_lost: FloatArray = (sides @ np.where(scores > 0.0, 1.0, -1.0).T).T
        return break_ties(0.5 * (won_less_lost + (n_classes - 1)), sums)

    def describe(self, task: int, classes: np.ndarray[Any, Any]) -> str:
        first, second = self.pairs(len(classes))
        return f"class {classes[second[task]]!s} against class {classes[first[task]]!s}"

    @staticmethod
    def pairs(n_classes: int) -> tuple[IntArray, IntArray]:
        """i and j of every pair i < j, ordered by i, then j."""
        return np.triu_indices(n_classes, 1)


@dataclass(frozen=True)
class Joint(Scheme):
    """One problem with a loss of all K scores."""

    name = "joint"
    loss: JointLoss

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", joint.resolve(self.loss))

    @property
    def shift_invariant(self) -> bool:
        """The loss does not change when all scores of a row are shifted: the weights have a free gauge."""
        return self.loss.name in ("softmax", "crammer_singer")

    def count(self, n_classes: int) -> int:
        return n_classes

    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        return scores


def break_ties(counts: FloatArray, scores: FloatArray) -> FloatArray:
    """Whole or half numbers, with differences below a half decided by the scores."""
    squeezed: FloatArray = scores / (4.0 * (np.abs(scores) + 1.0))
    squeezed += counts
    return squeezed


def in_bytes(count: float) -> str:
    """A number of bytes for a message: 3.7 GiB."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:,.1f} GiB"
