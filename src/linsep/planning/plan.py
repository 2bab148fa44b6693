"""The plan of a fit: which solver and why, how long, how much memory, before any of it is done.

    seconds = Σ counts · work · speed · e^(⟨exponents, traits⟩ + steep · steepness) · (trial / expected of it)^trust
              + around · speed of a call

counts and exponents are those of typical fits (table.py), work is that of the sizes (work.py), speeds are this
machine's (machine.py), and a trial on few rows (trial.py) corrects for how hard the problem is. Nothing of it changes
what a fit does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log

import numpy as np

from linsep.planning.machine import speeds
from linsep.planning.table import Typical, typical
from linsep.planning.trial import Trial
from linsep.planning.work import Size
from linsep.types import FloatArray

#: What `fit` does around its problems (reading, checks, fingerprints, the model), in calls of a solver on a tiny one.
AROUND = 2.0
#: Beyond this a smaller α makes no difference to float64.
_STEEPEST = 20.0


@dataclass(frozen=True)
class Range:
    """What is expected, and between what bounds it should stay."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True)
class Plan:
    """What a fit would do.

    solver      its name; `why` it is the one, in the words of the table of solvers
    size        rows, columns, entries, scores a row, problems
    tol         the certified relative excess that it works towards
    seconds     of the whole fit, on this machine
    memory      the most bytes held at once beside the data as given
    data        bytes of the data as given
    limit       the seconds after which it would be ended, infinite without a limit
    """

    solver: str
    why: str
    size: Size
    tol: float
    seconds: Range
    memory: Range
    data: int
    limit: float

    def __str__(self) -> str:
        s, t, m = self.size, self.seconds, self.memory
        problems = f", {s.problems:,} problems" if s.problems > 1 else ""
        scores = f", {s.scores} scores a row" if s.scores > 1 else ""
        kept = f"{s.entries:,} entries, sparse" if s.sparse else "dense"
        lines = [
            f"data      {s.rows:,} rows, {s.columns:,} columns ({kept}), {_bytes(self.data)}{scores}{problems}",
            f"solver    {self.solver}: {self.why}",
            f"seconds   about {_seconds(t.expected)} (from {_seconds(t.low)} to {_seconds(t.high)})",
            f"memory    about {_bytes(m.expected)} beside the data (from {_bytes(m.low)} to {_bytes(m.high)})",
        ]
        if isfinite(self.limit) and t.high > self.limit:
            lines.append(f"limit     time_limit={self.limit:g} may end it before tol={self.tol:g} is certified")
        return "\n".join(lines)


def expected_seconds(solver: str, size: Size, trial: Trial | None, threads: int) -> Range:
    """By the table, corrected by the trial."""
    counts, speed = typical(solver, joint=size.scores > 1), speeds(threads)
    seconds = _by_table(counts, speed, size)
    if trial is not None:
        small = _by_table(counts, speed, trial.size, small=size.traits[2])
        seconds *= (trial.seconds / small) ** counts.trust
        if not trial.ended:
            seconds *= counts.unended
    seconds = seconds * exp(counts.steep * min(size.steepness, _STEEPEST)) + AROUND * float(speed[0])
    return Range(seconds / counts.spread, seconds, seconds * counts.spread)


def _by_table(counts: Typical, speed: FloatArray, size: Size, small: float | None = None) -> float:
    """small: whether it goes on to rounding, which a trial does if the whole fit does."""
    traits = size.traits
    if small is not None:
        traits[2] = small
    work = float(size.work @ (speed * np.array(counts.counts)))
    return work * float(np.exp(traits @ np.array(counts.exponents)))


def _seconds(value: float) -> str:
    """Two digits, in a unit of its size."""
    if value < 1e-3:
        return f"{1e6 * value:.2g} µs" if value < 9.95e-5 else f"{1e6 * value:.0f} µs"
    if value < 1.0:
        return f"{1e3 * value:.2g} ms" if value < 9.95e-2 else f"{1e3 * value:.0f} ms"
    return f"{value:.2g} s" if value < 99.5 else f"{value / 60:,.0f} min"


def _bytes(value: float) -> str:
    power = min(int(log(max(value, 1.0), 1000)), 4)
    shown = value / 1000.0**power
    return f"{shown:.2g} {_SIZES[power]}" if shown < 99.5 else f"{shown:.0f} {_SIZES[power]}"


_SIZES = ("bytes", "kB", "MB", "GB", "TB")
