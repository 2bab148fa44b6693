"""Progress of a fit on stderr: value, gap, and how long it may still take."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from math import inf, isfinite, log
from typing import TYPE_CHECKING

from linsep.estimators import parameters
from linsep.model import Watch
from linsep.solvers import Record

if TYPE_CHECKING:
    from linsep.online.gradient import Epoch

_SECONDS_BETWEEN_LINES = 0.5
#: Ends the name of the stage whose records are values of α with the loss of the rows left out, not steps of a fit.
_CHOOSING = "choosing alpha"


def watcher(given: int | Watch, tol: float, time_limit: float) -> Watch | None:
    """1: lines on a terminal, at most two a second; 2: every step, also where stderr is a file; or who watches."""
    if isinstance(given, Watch):
        return given
    verbose = parameters.verbosity(given)
    if verbose == 0 or (verbose == 1 and not sys.stderr.isatty()):
        return None
    return Progress(tol, time_limit, 0.0 if verbose > 1 else _SECONDS_BETWEEN_LINES)


@dataclass
class Progress:
    """Writes a line now and then. The time left follows from how fast the gap has been falling."""

    tol: float
    time_limit: float
    pause: float
    began: float = field(default_factory=time.perf_counter)
    written: float = -inf
    name: str = ""
    entered: float = field(default_factory=time.perf_counter)
    problem: int = 0
    count: int = 1
    first: tuple[float, float] | None = None

    def stage(self, name: str) -> None:
        self.name, self.entered = name, time.perf_counter()
        self.begin(0, 1)

    def begin(self, problem: int, count: int) -> None:
        self.problem, self.count, self.first = problem, count, None

    def __call__(self, record: Record) -> None:
        now = time.perf_counter()
        gap = self._relative_gap(record)
        if self.first is None and isfinite(gap):
            self.first = (record.seconds, gap)
        if now - self.written >= self.pause:
            self.written = now
            self.show(self.line(record))

    def show(self, line: str) -> None:
        """On stderr."""
        print(f"linsep: {line}", file=sys.stderr, flush=True)

    def line(self, record: Record) -> str:
        """Stage, problem, value, gap and time left; of a value of α the loss that it leaves on rows left out."""
        now = time.perf_counter()
        gap, elapsed = self._relative_gap(record), now - self.entered
        choosing = self.name.endswith(_CHOOSING)
        part = "value" if choosing else "problem"
        which = f"{part} {self.problem + 1:,} of {self.count:,}, " if self.count > 1 else ""
        left, limit = self._seconds_left(record, gap, elapsed), max(self.time_limit - (now - self.began), 0.0)
        expected = f"about {left:.2g} s left" if isfinite(left) else "time left not known yet"
        if limit < left:
            expected = f"at most {limit:.2g} s left"
        stage = f"{self.name}: " if self.name else ""
        if choosing:
            return f"{stage}{which}{elapsed:.1f} s, left-out loss {record.value:.6g}, {expected}"
        reached = f"gap {gap:.1e}" if isfinite(gap) else "gap not known yet"
        return f"{stage}{which}step {record.step}, {elapsed:.1f} s, P = {record.value:.8g}, {reached}, {expected}"

    def _relative_gap(self, record: Record) -> float:
        gap = record.value - record.bound
        return gap / abs(record.value) if isfinite(gap) and record.value != 0.0 else inf

    def _seconds_left(self, record: Record, gap: float, elapsed: float) -> float:
        """By the fall of ln gap so far; of many problems by those already done."""
        if self.count > 1:
            return elapsed / self.problem * (self.count - self.problem) if self.problem > 0 else inf
        if gap <= self.tol:
            return 0.0
        if self.first is None or not gap < self.first[1]:
            return inf
        rate = log(self.first[1] / gap) / max(record.seconds - self.first[0], 1e-9)
        return log(gap / self.tol) / rate


@dataclass
class EpochLines:
    """A line after an epoch, with the time that all `most` epochs would still take."""

    most: int
    pause: float
    began: float = field(default_factory=time.perf_counter)
    written: float = -inf

    @staticmethod
    def of(verbose: int, most: int) -> EpochLines:
        """verbose 1: on a terminal, at most two lines a second; 2: every epoch, also where stderr is a file."""
        silent = verbose == 0 or (verbose == 1 and not sys.stderr.isatty())
        return EpochLines(most, inf if silent else 0.0 if verbose > 1 else _SECONDS_BETWEEN_LINES)

    def __call__(self, epoch: int, reached: str) -> None:
        now = time.perf_counter()
        if self.pause == inf or now - self.written < self.pause:
            return
        self.written, elapsed = now, now - self.began
        left = f", at most {elapsed / epoch * (self.most - epoch):.2g} s left" if epoch else ""
        print(f"linsep: epoch {epoch}, {elapsed:.1f} s, {reached}{left}", file=sys.stderr, flush=True)

    def mistakes(self, epoch: int, mistakes: int) -> None:
        """Of a perceptron."""
        self(epoch, f"{mistakes:,} mistakes")

    def descent(self, line: Epoch) -> None:
        """Of gradient descent."""
        known = f"loss {line.loss:.6g}, " if line.loss == line.loss else ""
        self(line.epoch, f"{known}smoothed {line.smoothed:.6g}, |Δw| {line.change:.3g}, rate {line.rate:.3g}")
