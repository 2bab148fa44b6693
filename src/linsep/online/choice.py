"""The perceptron on an expert's choices.

In state s the expert took a* among actions with features φ(a, s). Sought is w with ⟨w, φ(a*, s)⟩ ≥ ⟨w, φ(a, s)⟩
for all a and s. From w = 0, one state after the other:

    â = argmax_a ⟨w, φ(a, s)⟩;     where â ≠ a*:  w ← w + φ(a*, s) − φ(â, s)

It is the perceptron on the differences δ = φ(a*, s) − φ(a, s), all to be positive, so Novikoff's theorem holds: if
some w of length 1 has ⟨w, δ⟩ ≥ ρ > 0 for all of them, there are at most (R/ρ)² updates, R = max ‖δ‖, whatever the
order, the number of states and the number of actions. An action whose features equal the expert's gives δ = 0: no w
can tell the two apart, and it counts as the expert's own.

The averaged perceptron returns the mean of w over all visits to a state, updated or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from linsep.data.design import Design
from linsep.errors import unknown_name
from linsep.kernels import native
from linsep.online.recording import refuse_beyond
from linsep.problem.choice_problem import Chosen
from linsep.types import FloatArray, IntArray

TIE = ("mistake", "first")
ORDERS = ("given", "shuffled")


class Stop(Enum):
    """Why the perceptron stopped; the value is the sentence."""

    CONVERGED = "converged: an epoch passed without a mistake"
    MAX_EPOCHS = "max_epochs was reached while there were still mistakes"
    INTERRUPTED = "interrupted; these are the weights so far"
    ONE_PASS = "one pass over the states that partial_fit was given"


@dataclass(frozen=True)
class Rule:
    """tie: "mistake", the expert's action must be ahead of all others; "first", the first of equals is chosen.
    order: "given", or "shuffled" before each epoch from the seed. record: keep every w."""

    tie: str = "mistake"
    order: str = "shuffled"
    max_epochs: int = 1000
    record: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.tie not in TIE:
            raise unknown_name("tie", self.tie, TIE)
        if self.order not in ORDERS:
            raise unknown_name("order", self.order, ORDERS)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The differences δ that matter: rows of the design beside the row chosen in their state, those with δ = 0 marked.

    radius      R, the largest ‖δ‖
    undecided   states in which another action has the features of the expert's
    """

    design: Design
    chosen: Chosen
    same: np.ndarray[tuple[int], np.dtype[np.uint8]]
    radius: float
    undecided: int

    @classmethod
    def of(cls, design: Design, chosen: Chosen) -> Comparisons:
        squares = np.empty(design.n)
        native.choice_distances(design.matrix, chosen.segments.offsets, chosen.rows, squares)
        same = (squares == 0.0).astype(np.uint8)
        same[chosen.rows] = 0
        undecided = int(np.count_nonzero(np.add.reduceat(same, chosen.segments.starts, dtype=np.int64)))
        return cls(design, chosen, same, float(np.sqrt(squares.max())), undecided)

    def least_lead(self, w: FloatArray) -> float:
        """min ⟨w, δ⟩ over all δ ≠ 0."""
        scores = self.design.scores(np.append(w, 0.0))
        lead = self.chosen.segments.spread(scores[self.chosen.rows]) - scores
        lead[self.same == 1] = np.inf
        lead[self.chosen.rows] = np.inf
        return float(lead.min())

    def margin(self, w: FloatArray) -> float:
        """The margin of w: min ⟨w, δ⟩ / ‖w‖; −∞ for w = 0."""
        length = float(np.linalg.norm(w))
        return self.least_lead(w) / length if length > 0.0 else -np.inf


def dense_rows(design: Design) -> FloatArray:
    """The rows as an array, by products with the smaller of the two identities."""
    if design.d <= design.n:
        return design.scores(np.eye(design.d + 1, design.d))
    return np.ascontiguousarray(design.adjoint(np.eye(design.n))[:-1].T)


@dataclass
class Trajectory:
    """w before the first update and after each, and the state of each update."""

    weights: list[FloatArray]
    states: list[int] = field(default_factory=list)

    def replay(self, states: Comparisons, made: IntArray, first: int) -> None:
        """Repeat an epoch's updates (state, row that won), rounding as the kernel does: first + φ(a*), then − φ(â)."""
        if not len(made):
            return
        numbers = (len(self.weights) + len(made)) * states.design.d
        refuse_beyond(numbers, "give fewer max_epochs or states, or record=False")
        own = dense_rows(states.design.rows(states.chosen.rows[made[:, 0]]))
        rival = dense_rows(states.design.rows(np.ascontiguousarray(made[:, 1])))
        for plus, minus in zip(own, rival, strict=True):
            self.weights.append(self.weights[-1] + plus - minus)
        self.states += (first + made[:, 0]).tolist()


@dataclass
class Walk:
    """The perceptron's state and record: it can go on from one set of states to the next.

    w          the last weights
    late       Σ t·update: the average is w − late/visits
    visits     to a state
    mistakes   of every epoch
    record     of every update, where wanted
    """

    w: FloatArray
    late: FloatArray
    visits: int = 0
    mistakes: list[int] = field(default_factory=list)
    record: Trajectory | None = None

    @classmethod
    def start(cls, features: int, record: bool) -> Walk:
        zero = np.zeros(features)
        return cls(zero, zero.copy(), record=Trajectory([zero.copy()]) if record else None)

    @property
    def updates(self) -> int:
        return sum(self.mistakes)

    @property
    def average(self) -> FloatArray:
        return self.w - self.late / max(self.visits, 1)

    def epoch(self, states: Comparisons, rule: Rule, order: IntArray, first: int = 0) -> int:
        """One visit to every state of the order; returns the number of mistakes. first: the number of state 0."""
        made = np.empty((len(order), 2), dtype=np.int64)
        chosen = states.chosen
        count = native.choice_epoch(
            states.design.matrix, chosen.segments.offsets, chosen.rows, states.same, order, rule.tie == "mistake",
            self.w, self.late, self.visits, made,
        )  # fmt: skip
        self.visits += len(order)
        self.mistakes.append(count)
        if self.record is not None:
            self.record.replay(states, made[:count], first)
        return count


def learn(states: Comparisons, rule: Rule, watch: Callable[[int, int], None] = lambda *_: None) -> tuple[Walk, Stop]:
    """Epochs from w = 0 until one has no mistake, or max_epochs, or Ctrl-C."""
    walk = Walk.start(states.design.d, rule.record)
    order = np.arange(len(states.chosen.segments), dtype=np.int64)
    random = np.random.default_rng(rule.seed)
    try:
        for _ in range(rule.max_epochs):
            if rule.order == "shuffled":
                random.shuffle(order)
            mistakes = walk.epoch(states, rule, order)
            watch(len(walk.mistakes), mistakes)
            if mistakes == 0:
                return walk, Stop.CONVERGED
    except KeyboardInterrupt:
        return walk, Stop.INTERRUPTED
    return walk, Stop.MAX_EPOCHS
