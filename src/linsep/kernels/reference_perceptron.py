"""The plain twin of perceptron.cpp: the same blocks, the same judgements, weights kept as they are.

The kernel holds w as scale·v and its sum as sum + steps·v; here w is w, and every step adds it to the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass
class Perceptron:
    """Dense rows with the extra input of 1 (0 without a bias) as their last entry; w is (units, width)."""

    X: Array
    y: Index
    w: Array
    rule: str = "mistake"
    rate: float = 1.0
    tie: int = 0
    batch: int = 1
    joint: bool = False
    normalize: bool = False
    blocks: int = 0
    sum: Array = field(init=False)
    updates: Index = field(init=False)
    path: list[Array] = field(default_factory=list)
    path_rows: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sum = np.zeros_like(self.w)
        self.updates = np.zeros(len(self.w), dtype=np.int64)

    def epoch(self, order: Index) -> Index:
        """One pass; mistakes of each unit."""
        mistakes = np.zeros(len(self.w), dtype=np.int64)
        for start in range(0, len(order), self.batch):
            steps = [(i, *self.judge(int(i), mistakes)) for i in order[start : start + self.batch]]
            wanted = [(i, delta) for i, delta in steps if delta.any()]
            for i, delta in wanted:
                self.w += np.outer(delta, self.X[i])
            if wanted:
                moved = np.any([delta != 0.0 for _, delta in wanted], axis=0)
                self._finish(moved, int(wanted[0][0]))
            self.sum += self.w
            self.blocks += 1
        return mistakes

    def _finish(self, moved: NDArray[np.bool_], row: int) -> None:
        if self.joint:
            self.updates[0] += 1
        else:
            self.updates += moved
        if self.normalize:
            length = np.linalg.norm(self.w) if self.joint else np.linalg.norm(self.w[moved], axis=1, keepdims=True)
            chosen = slice(None) if self.joint else moved
            self.w[chosen] /= np.where(length > 0.0, length, 1.0)
        self.path.append(self.w.copy())
        self.path_rows.append(row)

    def judge(self, i: int, mistakes: Index) -> tuple[Array]:
        """The step of every unit along row i."""
        z, K = self.w @ self.X[i], len(self.w)
        own = int(self.y[i])
        if self.joint:
            return (self._joint(z, own, mistakes),)
        t = np.where(np.arange(K) == own, 1.0, -1.0) if K > 1 else np.array([1.0 if own == 1 else -1.0])
        wrong = np.where(z == 0.0, self.tie == 0 or t != self.tie, np.sign(z) != t)
        mistakes += wrong
        if self.rule == "unthresholded":
            return (self.rate * (t - z),)
        return ((2.0 if self.rule == "thresholded" else 1.0) * self.rate * t * wrong,)

    def _joint(self, z: Array, own: int, mistakes: Index) -> Array:
        others = [k for k in range(len(z)) if k != own]
        top = max(z[k] for k in others)
        tied = [k for k in others if z[k] == top]
        rival = tied[-1] if self.tie > 0 else tied[0]
        loses_tie = self.tie == 0 or (rival > own if self.tie > 0 else rival < own)
        delta = np.zeros(len(z))
        if z[own] < top or (z[own] == top and loses_tie):
            mistakes[0] += 1
            delta[own], delta[rival] = self.rate, -self.rate
        return delta
