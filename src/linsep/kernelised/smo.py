"""SMO run to a certificate: steps in portions, between which Python can stop it.

The compiled run stops when the gap of its active rows is within the target. Then every row's v is made exact and the
certificate decides; if rows that rested matter again, the run goes on with them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from linsep.certify import Certificate
from linsep.kernelised.rows import TrainingRows
from linsep.kernelised.soft_margin import Rounding, SoftMargin, certify
from linsep.kernels import native
from linsep.model import Watch
from linsep.solvers import Record, Status
from linsep.types import FloatArray, IntArray

if TYPE_CHECKING:
    from linsep.kernels._baseline import Smo

#: Kernel values that one portion of steps reads, about a tenth of a second.
_PORTION = 3e7
#: Up to so many rows the run goes on from tol towards rounding, for at most so many steps.
_SMALL, _EXTRA = 300, 20_000
#: A relative curvature below this along a step shows that K is not positive semi-definite.
_INDEFINITE = -1e-8

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class SmoEffort:
    """How well to solve, and what it may cost; `seconds` for all problems together, `bytes` for rows of K;
    to_rounding: whether small problems go on from tol."""

    tol: float = 1e-4
    max_iter: int | None = None
    seconds: float = inf
    bytes: float = 2e8
    threads: int = 1
    shrinking: bool = True
    to_rounding: bool = True


@dataclass(frozen=True, eq=False)
class SmoSolution:
    """β and b with what is proved of them."""

    beta: FloatArray
    b: float
    status: Status
    certificate: Certificate
    trace: list[Record] = field(repr=False)

    @property
    def steps(self) -> int:
        return self.trace[-1].step if self.trace else 0


@dataclass
class SmoRun:
    """One problem on its way: the compiled run, its clock and its trace."""

    problem: SoftMargin
    rows: TrainingRows
    chosen: IntArray | None
    effort: SmoEffort
    watch: Watch | None = None
    trace: list[Record] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    judged: tuple[int, FloatArray, float, Certificate] | None = None

    def solve(self) -> SmoSolution:
        """Until the certificate holds, the budget ends or Ctrl-C: that keeps the best point so far."""
        p, e = self.problem, self.effort
        smo = native.Smo.over(self.rows.over(self.chosen), p.y, p.low, p.high, p.intercept, e.bytes, e.shrinking)
        try:
            status = self._iterate(smo)
            if status.certified and e.to_rounding and len(p.y) <= _SMALL:
                smo.run(min(_EXTRA, self._limit - smo.state.iterations), 0.0, 0.0, e.threads)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        beta, b, certificate = self._certify(smo)
        if status is Status.STALLED and certificate.holds:
            status = Status.CERTIFIED
        if status is Status.CERTIFIED and certificate.relative_gap > e.tol:
            status = Status.NUMERICAL_LIMIT
        return SmoSolution(beta, b, status, certificate, self.trace)

    def _iterate(self, smo: Smo) -> Status:
        target, n = self.effort.tol, len(self.problem.y)
        portion = max(64, int(_PORTION / n))
        while True:
            before = smo.state.iterations
            steps = min(portion, self._limit - before)
            done = smo.run(steps, target, self._floor(smo), self.effort.threads)
            self._note(smo)
            if done:
                ended = self._judge(smo, stuck=smo.state.iterations == before)
                if ended is not None:
                    return ended
                target *= 0.5
            if smo.state.iterations >= self._limit:
                return Status.MAX_ITER
            if time.perf_counter() - self.began >= self.effort.seconds:
                return Status.TIME_LIMIT

    @property
    def _limit(self) -> int:
        return self.effort.max_iter or max(10_000_000, 100 * len(self.problem.y))

    def _judge(self, smo: Smo, stuck: bool) -> Status | None:
        """What the exact gap says; None where the run has to go on."""
        convex = self._slack(smo) is not None
        _, _, certificate = self._certify(smo)
        if convex and certificate.holds:
            return Status.CERTIFIED
        if not convex and smo.state.gap <= self.effort.tol * (smo.state.dual + smo.state.gap):
            return Status.STATIONARY
        return Status.STALLED if stuck else None

    def _certify(self, smo: Smo) -> tuple[FloatArray, float, Certificate]:
        """Every v made exact, then b and the certificate; remembered until the next step."""
        steps = smo.state.iterations
        if self.judged is not None and self.judged[0] == steps:
            return self.judged[1:]
        smo.complete(self.effort.threads)
        beta, v = np.empty_like(self.problem.y), np.empty_like(self.problem.y)
        smo.read(beta, v)
        convex = self._slack(smo) is not None
        b, certificate = certify(self.problem, beta, v, self._rounding(smo), self.effort.tol, convex)
        self.judged = (steps, beta, b, certificate)
        return beta, b, certificate

    def _slack(self, smo: Smo) -> float | None:
        return None if smo.state.least_curvature < _INDEFINITE else self.rows.slack

    def _rounding(self, smo: Smo) -> Rounding:
        """Every step adds two roundings of the size of v to v."""
        drift = 2.0 * _EPS * smo.state.iterations * (1.0 + smo.state.largest_v)
        largest = float(np.abs(self.rows.diagonal).max())
        return Rounding(self.rows.entry_error, largest, self._slack(smo) or 0.0, drift)

    def _floor(self, smo: Smo) -> float:
        """Gaps below this are rounding: no further step can prove more."""
        rounding = replace(self._rounding(smo), slack=0.0)
        size = 2.0 * smo.state.dual  # Σ|β| = Σyβ = 2D/α − Σβv, about
        share = min(1.0, size / max(float(self.problem.cost.sum()), 1e-300))
        return share * rounding.allowance(self.problem) / self.problem.alpha

    def _note(self, smo: Smo) -> None:
        s, alpha = smo.state, self.problem.alpha
        record = Record(s.iterations, time.perf_counter() - self.began, alpha * (s.dual + s.gap), alpha * s.dual)
        self.trace.append(record)
        if self.watch is not None:
            self.watch(record)
