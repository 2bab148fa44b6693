"""Plain NumPy twins of the dual kernels: one sweep each, row by row, on dense rows.

They follow sweep.hpp, dual.hpp, crammer_singer.hpp and softmax_dual.hpp step by step, lanes and windows included, so
the same seed gives the same order and, up to the rounding of sums, the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int32]

_MASK = (1 << 64) - 1


@dataclass
class SweepState:
    """The part of the C++ DualState that a sweep reads and moves."""

    random: int
    active: int
    lanes: int = 1
    windows: int = 1
    b: float = 0.0
    v2: float = 0.0
    r: float = 0.0
    rest_high: float = np.inf
    rest_low: float = -np.inf
    rest_below: float = 0.0
    gap: float = 0.0


def xorshift(state: int) -> int:
    """Marsaglia's xorshift with shifts 13, 7, 17 on 64 bits."""
    state ^= (state << 13) & _MASK
    state ^= state >> 7
    return state ^ ((state << 17) & _MASK)


def shuffle(order: Rows, count: int, state: int) -> int:
    """Fisher and Yates on order[:count]; returns the new random state."""
    for k in range(count, 1, -1):
        state = xorshift(state)
        j = ((state >> 32) * k) >> 32
        order[k - 1], order[j] = order[j], order[k - 1]
    return state


def runs(active: int, rows: int, lanes: int, windows: int) -> Iterator[list[slice]]:
    """The windows of a sweep, each a list of one slice of the order for each lane."""
    count = 1 if lanes == 1 else max(1, -(-active * windows // rows))
    for k in range(count):
        start, stop = active * k // count, active * (k + 1) // count
        m = stop - start
        yield [slice(start + m * q // lanes, start + m * (q + 1) // lanes) for q in range(lanes)]


def split_resting(order: Rows, resting: set[int], active: int, back: bool) -> int:
    """Active rows first, those that rested before next if they come back, resting rows last."""
    visited = [int(i) for i in order[:active]]
    before = [int(i) for i in order[active:]]
    kept = [i for i in visited if i not in resting] + (before if back else [])
    last = [i for i in visited if i in resting] + ([] if back else before)
    order[:] = kept + last
    return len(kept)


def box_step(loss: str, a: float, cost: float, margin: float, q: float) -> float:
    """The minimiser of a one-dimensional quadratic over the box [0, U]."""
    upper = np.inf if loss == "squared_hinge" else cost
    diagonal = {"hinge": 0.0, "squared_hinge": 0.5, "smoothed_hinge": 1.0}[loss] / cost
    gradient, curvature = margin - 1.0 + diagonal * a, q + diagonal
    if (a == 0.0 and gradient >= 0.0) or (a == upper and gradient <= 0.0):
        return a
    target = a - gradient / curvature if curvature > 0 else (upper if gradient < 0 else 0.0)
    return float(min(max(target, 0.0), upper))


def sigmoid(t: float) -> float:
    e = np.exp(-abs(t))
    return float((e if t < 0 else 1.0) / (1.0 + e))


def logit_root(m: float, h: float, t: float, sigma: float) -> tuple[float, float]:
    """The root t of t + m + h sigmoid(t) as the kernel leaves it, and sigmoid(t)."""
    low, high = -m - h, -m
    if not low < t < high:
        t = min(max(-m / (1.0 + 0.25 * h), low), high)
        sigma = sigmoid(t)
    for _ in range(100):
        f = t + m + h * sigma
        if f > 0:
            high = t
        else:
            low = t
        following = t - f / (1.0 + h * sigma * (1.0 - sigma))
        newton = low <= following <= high
        if not newton:
            following = 0.5 * (low + high)
        step = abs(following - t)
        t, sigma = following, sigmoid(following)
        if (newton and 0.05 * h * step <= 0.01) or step <= 1e-15 * abs(t):
            break
    return t, sigma


@dataclass
class BinaryDual:
    """Arrays of dual.hpp; `logit` is used by the log loss only."""

    loss: str
    x: Array
    y: Array
    cost: Array
    a: Array
    logit: Array
    order: Rows
    w: Array


def _rests(p: BinaryDual, s: SweepState, i: int, margin: float) -> bool:
    """Whether row i rests after its visit at this margin, judged before its step."""
    a, c = p.a[i], p.cost[i]
    if p.loss == "log":
        size, theta = abs(p.logit[i] + margin), a / c
        square = 0.5 * theta * (1.0 - theta) * size**2
        return bool(c * min(square + 0.05 * size**3, size) < s.rest_below)
    diagonal = {"hinge": 0.0, "squared_hinge": 0.5, "smoothed_hinge": 1.0}[p.loss] / c
    gradient = margin - 1.0 + diagonal * a
    upper = np.inf if p.loss == "squared_hinge" else c
    if (a == 0.0 and gradient >= 0.0) or (a == upper and gradient <= 0.0):
        return bool(gradient > s.rest_high or gradient < s.rest_low)
    return False


def _visit(p: BinaryDual, s: SweepState, i: int, u: Array, bias: float) -> tuple[float, bool]:
    """One step: returns y·Δa and whether the row rests."""
    margin, q = p.y[i] * (p.x[i] @ u + bias), p.x[i] @ p.x[i] + s.v2
    rest, before = _rests(p, s, i, margin), p.a[i]
    if p.loss == "log":
        c = p.cost[i]
        p.logit[i], sigma = logit_root(margin - q * before, q * c, p.logit[i], before / c)
        p.a[i] = c * sigma
    else:
        p.a[i] = box_step(p.loss, before, p.cost[i], margin, q)
    change = float(p.y[i] * (p.a[i] - before))
    u += s.lanes * change * p.x[i]
    return change, rest


def dual_sweep(p: BinaryDual, s: SweepState) -> None:
    """One sweep of dual coordinate descent; see dual.hpp."""
    s.random = shuffle(p.order, s.active, s.random)
    resting: set[int] = set()
    for window in runs(s.active, len(p.order), s.lanes, s.windows):
        copies, moved = [p.w.copy() for _ in window], 0.0
        for u, rows in zip(copies, window, strict=True):
            own = 0.0
            for i in p.order[rows]:
                change, rest = _visit(p, s, int(i), u, s.b + s.v2 * (s.r + s.lanes * own))
                own += change
                if rest:
                    resting.add(int(i))
            moved += own
        p.w[:] = np.mean(copies, axis=0)
        s.r += moved
    s.active = split_resting(p.order, resting, s.active, back=p.loss == "log")


def free_first(p: BinaryDual, s: SweepState) -> int:
    """The active rows strictly inside their box go to the front of the order, which stays as it is else."""
    active = p.order[: s.active].copy()
    upper = np.inf if p.loss == "squared_hinge" else p.cost[active]
    inside = (p.a[active] > 0.0) & (p.a[active] < upper)
    p.order[: s.active] = np.concatenate([active[inside], active[~inside]])
    return int(np.count_nonzero(inside))


def crammer_singer_row(a: Array, g: Array, own: int, cost: float, q: float) -> Array:
    """argmin over a' of <g, a' − a> + q/2 |a' − a|²  subject to Σ a' = 0, a' ≤ cost·e_own.

    a'ₖ = min(Uₖ, aₖ + (β − gₖ)/q); the root β is found among the sorted break points.
    """
    upper = np.zeros_like(a)
    upper[own] = cost
    centre = g - q * a
    for level in np.sort(centre + q * upper):
        if np.minimum(upper, (level - centre) / q).sum() >= 0:
            break
    free = level <= centre + q * upper
    beta = (centre[free].sum() - q * upper[~free].sum()) / free.sum()
    return np.asarray(np.minimum(upper, (beta - centre) / q))


@dataclass
class CrammerSinger:
    """Arrays of crammer_singer.hpp; `room` for each row's list of classes, 0: no lists."""

    x: Array
    y: NDArray[np.int64]
    cost: Array
    a: Array
    b: Array
    r: Array
    order: Rows
    w: Array
    room: int = 0
    lists: dict[int, list[int]] = field(default_factory=dict)

    def classes(self, i: int, whole: bool) -> list[int]:
        """Those that a visit of row i is to; a row without a list visits all."""
        k = self.a.shape[1]
        return list(range(k)) if whole else self.lists.get(i, list(range(k)))

    def write_list(self, i: int, g: Array, before: Array, q: float, rest_high: float) -> None:
        """The classes of the sweeps to come: the own, those with a multiplier, and while there is room those near β."""
        own = int(self.y[i])
        moved = (self.a[i] < np.where(np.arange(len(g)) == own, self.cost[i], 0.0)).nonzero()[0]
        level = g[moved[0]] + q * (self.a[i] - before)[moved[0]]
        some = [k for k in range(len(g)) if k != own and self.a[i, k] != 0.0]
        near = [k for k in range(len(g)) if k != own and self.a[i, k] == 0.0 and level - g[k] <= rest_high]
        self.lists.pop(i, None)
        if len(some) < self.room:
            self.lists[i] = [own, *some, *near][: self.room]


def softmax_row(t: Array, z: Array, h: float) -> Array:
    """ln p as the kernel leaves it: Newton for t + h eᵗ = z + h p̂ + ν, Σ eᵗ = 1, from t = ln p̂."""
    old = p = np.exp(t)
    for _ in range(60):
        e = z - t + h * (old - p)
        free = p / (1.0 + h * p)
        step = (e - free @ e / free.sum()) / (1.0 + h * p)
        length = np.sqrt((p * step**2).max())
        edge = -np.log(h) - t if h > 0 else np.full_like(t, np.inf)
        cautious = np.maximum(edge, 2.0 * step / (2.0 + np.maximum(step, 0.0)))
        t = t + np.where(step > 0, np.minimum(step, cautious), step)
        t = t - t.max() - np.log(np.exp(t - t.max()).sum())
        p = np.exp(t)
        if length * min(h, 1.0) <= 0.05:
            break
    return np.asarray(t)


@dataclass
class SoftmaxRows:
    """Arrays of softmax_dual.hpp; w is d × K."""

    x: Array
    cost: Array
    t: Array
    b: Array
    r: Array
    order: Rows
    w: Array


def _softmax_share(t: Array, z: Array) -> float:
    """A row's share of the gap over its cost, as the kernel estimates it."""
    p, e = np.exp(t), z - t
    mean = p @ e
    variance = max(float(p @ e**2 - mean**2), 0.0)
    return float(min(0.5 * variance * (1.0 + np.sqrt(variance)), e.max() - mean))


def softmax_sweep(p: SoftmaxRows, s: SweepState) -> None:
    """One sweep over the rows' probabilities; see softmax_dual.hpp."""
    s.random = shuffle(p.order, s.active, s.random)
    resting: set[int] = set()
    for window in runs(s.active, len(p.order), s.lanes, s.windows):
        copies, moved = [p.w.copy() for _ in window], np.zeros_like(p.r)
        for u, rows in zip(copies, window, strict=True):
            own = np.zeros_like(p.r)
            for i in p.order[rows]:
                z = p.x[i] @ u + p.b + s.v2 * (p.r + s.lanes * own)
                if p.cost[i] * _softmax_share(p.t[i], z) < s.rest_below:
                    resting.add(int(i))
                new = softmax_row(p.t[i], z, p.cost[i] * (p.x[i] @ p.x[i] + s.v2))
                change = p.cost[i] * (np.exp(p.t[i]) - np.exp(new))
                p.t[i] = new
                u += s.lanes * np.outer(p.x[i], change)
                own += change
            moved += own
        p.w[:] = np.mean(copies, axis=0)
        p.r += moved
    s.active = split_resting(p.order, resting, s.active, back=True)


def crammer_singer_sweep(p: CrammerSinger, s: SweepState, whole: bool = True) -> None:
    """One sweep of the sequential dual method, without resting rows; see crammer_singer.hpp."""
    s.random = shuffle(p.order, s.active, s.random)
    for window in runs(s.active, len(p.order), s.lanes, s.windows):
        copies, moved = [p.w.copy() for _ in window], np.zeros_like(p.r)
        for u, rows in zip(copies, window, strict=True):
            own = np.zeros_like(p.r)
            for i in p.order[rows]:
                some, q = p.classes(int(i), whole), p.x[i] @ p.x[i] + s.v2
                g = p.x[i] @ u + p.b + s.v2 * (p.r + s.lanes * own) + 1.0
                g[p.y[i]] -= 1.0
                before = p.a[i].copy()
                p.a[i, some] = crammer_singer_row(before[some], g[some], some.index(p.y[i]), p.cost[i], q)
                if p.room and whole:
                    p.write_list(int(i), g, before, q, s.rest_high)
                u += s.lanes * np.outer(p.x[i], p.a[i] - before)
                own += p.a[i] - before
            moved += own
        p.w[:] = np.mean(copies, axis=0)
        p.r += moved
