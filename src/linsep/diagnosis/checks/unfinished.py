"""What remains of a fit that ended before its certificate reached tol.

Where the gap g has been falling, ln g is taken as a line over the last steps of the trace, and followed to ln(tol·P):
that gives steps, and by the seconds a step took, seconds. Before there is a bound, the decreases of P are followed in
the same way. It is an extrapolation, and says so: Newton's steps speed up at the end, others slow down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, log, nan

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity
from linsep.diagnosis.words import duration
from linsep.problem.reductions import Reduction
from linsep.solvers import Record, Status

_REMEDIES = {
    Status.MAX_ITER: "raise max_iter (it counts steps of about one pass each)",
    Status.TIME_LIMIT: "raise time_limit",
    Status.STALLED: "raise alpha, or scale the columns of X, for example with StandardScaler",
    Status.INTERRUPTED: "fit again, with warm_start=True to go on from here",
}
#: Steps of the trace that are followed, and a relative gap below which accepting it may be advised.
_LAST, _TOLERABLE = 10, 0.1
#: Rate, steps and seconds where they cannot be told.
_UNKNOWN = (nan, inf, inf)


@dataclass(frozen=True)
class Unfinished(Finding):
    """P = `value` is `gap` above the lower bound, `relative_gap` against `tol`; by the last steps it falls to `rate`
    times itself a step, and would take `steps` more and `seconds`. Infinite or NaN where that is not known. `problem`
    is the one of several that is furthest from its optimum."""

    kind = "unfinished"
    status: Status
    value: float
    gap: float
    relative_gap: float
    tol: float
    rate: float
    steps: float
    seconds: float
    problem: str = ""

    @property
    def sentence(self) -> str:
        return f"{self.status.value}. {self.distance}{self.outlook}"

    @property
    def distance(self) -> str:
        where = f"; {self.problem}" if self.problem else ""
        if not isfinite(self.relative_gap):
            return f"P = {self.value:.6g}; how far that is from the optimum is not known{where}"
        return (
            f"P = {self.value:.6g} is at most {self.gap:.2g} above the optimum "
            f"(relative {self.relative_gap:.1e}, asked tol={self.tol:.1e}){where}"
        )

    @property
    def outlook(self) -> str:
        """How long it would still take, as far as that can be told."""
        if not isfinite(self.steps):
            return ""
        what = "the gap fell" if isfinite(self.relative_gap) else "P's decrease fell"
        return (
            f". In the last steps {what} to {self.rate:.2g} times itself a step: at that rate about {self.steps:,.0f} "
            f"more step{'s' * (self.steps != 1)} and {duration(self.seconds)} to tol"
        )

    @property
    def remedy(self) -> str:
        parts = [_REMEDIES[self.status]] if self.status in _REMEDIES else []
        if self.relative_gap < _TOLERABLE:
            parts.append(f"or accept tol={_rounded_up(self.relative_gap):.0e}")
        return ", ".join(parts)

    def record(self) -> dict[str, object]:
        numbers = super().record()
        finite = {k: None if isinstance(v, float) and not isfinite(v) else v for k, v in numbers.items()}
        return {**finite, "status": self.status.name}


def check(evidence: Evidence) -> Iterator[Unfinished]:
    model = evidence.model
    if (model.certified and model.status is not Status.INTERRUPTED) or model.status is Status.NO_OPTIMUM:
        return
    c, parts = model.certificate, model.certificate.parts
    stalled = model.status is Status.STALLED  # more steps would not help, whatever the last ones did
    worst = max(range(len(parts)), key=lambda j: parts[j].relative_gap) if parts else 0
    outcome = (model.status, c.primal, c.gap if isfinite(c.gap) else inf, c.relative_gap, c.tol)
    ahead = _UNKNOWN if stalled else outlook(model.run.traces[worst], c.tol)
    yield Unfinished(Severity.SERIOUS, *outcome, *ahead, _which(evidence, worst))


def _which(evidence: Evidence, worst: int) -> str:
    parts, scheme = evidence.model.certificate.parts, evidence.model.objective.scheme
    if not parts or not isinstance(scheme, Reduction):
        return ""
    failed = sum(not status.certified for status in evidence.model.run.statuses)
    named = scheme.describe(worst, evidence.model.classes)
    return f"{failed:,} of {len(parts):,} problems, the worst is {named}"


def outlook(trace: Sequence[Record], tol: float) -> tuple[float, float, float]:
    """Rate, steps and seconds to tol: by the fall of the gap, or of the decreases of P where there is no bound."""
    known = [r for r in trace if isfinite(r.bound) and r.value > r.bound]
    if len(known) >= 3:
        measure = [(r.step, r.value - r.bound) for r in known]
    else:
        steps = [(b.step, a.value - b.value) for a, b in pairwise(trace)]
        measure = [(k, fall) for k, fall in steps if isfinite(fall) and fall > 0.0]
    measure = measure[-_LAST:]
    if len(measure) < 3 or not trace[-1].value:
        return _UNKNOWN
    at, size = np.array([k for k, _ in measure]), np.array([g for _, g in measure])
    slope = float(np.polyfit(at, np.log(size), 1)[0])
    goal = tol * abs(trace[-1].value)
    if not slope < -1e-6:
        return _UNKNOWN
    left = max(log(size[-1] / goal) / -slope, 1.0)
    recent = trace[max(len(trace) - 1 - _LAST, 0) :]
    each = (recent[-1].seconds - recent[0].seconds) / (len(recent) - 1)
    return float(np.exp(slope)), float(np.ceil(left)), float(np.ceil(left) * each)


def _rounded_up(value: float) -> float:
    """One significant digit, upwards."""
    step = 10.0 ** np.floor(np.log10(value)) if value > 0.0 else 1.0
    return float(np.ceil(value / step) * step)
