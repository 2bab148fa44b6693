"""The one message of a fit: what its estimator warns of or raises.

A fit that was not certified says how far it came, the likely cause, what remains and what to do. A certified fit says
nothing, unless something in the data is serious and cheap to see: a class of three rows, columns that say nothing, a
column that decides alone (looked for where the fit is suspiciously good).
"""

from __future__ import annotations

import numpy as np

from linsep.diagnosis.checks import classes, constant, leak
from linsep.diagnosis.checks.unfinished import Unfinished
from linsep.diagnosis.diagnosis import Diagnosis
from linsep.diagnosis.evidence import Evidence, Facts
from linsep.diagnosis.finding import Finding, Severity
from linsep.diagnosis.kept import Kept
from linsep.diagnosis.registry import diagnose
from linsep.errors import DataWarning, NoOptimum, NotCertified
from linsep.model import LinearModel, Training
from linsep.problem.reductions import Joint
from linsep.solvers import Status

#: The share of the first loss that is left of a fit that is suspiciously good.
_SUSPICIOUS = 0.02
#: Entries of X up to which a fit that failed is diagnosed at once, in less than about a second.
_AT_ONCE = 20_000_000


def warning(kept: Kept, training: Training) -> Warning | None:
    """What to warn of after a fit, or None."""
    model = kept.model
    if not model.certified or model.status is Status.INTERRUPTED:
        small = training.design.entries <= _AT_ONCE
        return NotCertified(_not_certified(model, kept.diagnosis(training) if small else kept.without_rows()))
    serious = [f for f in _glance(Evidence(model, kept.facts, training)) if f.severity is Severity.SERIOUS]
    if not serious:
        return None
    return DataWarning(f"{model.origin.estimator} is certified, but look at the data: {' '.join(map(str, serious))}")


def no_optimum(model: LinearModel, training: Training) -> NoOptimum:
    """The error of a problem without a minimiser, with its diagnosis."""
    found = diagnose(Evidence(model, Facts.of(training), training))
    error = NoOptimum(found.findings[0].sentence)
    error.diagnosis = found
    return error


def _not_certified(model: LinearModel, found: Diagnosis) -> str:
    (left,) = found.of(Unfinished)
    state = "was interrupted" if model.certified else "is not certified"
    parts = [f"{model.origin.estimator} {state}: {left.sentence}."]
    causes = found.causes[:2]
    if causes:
        parts.append(f"Likely cause: {'; '.join(f.sentence for f in causes)}.")
    remedies = [left.remedy, *(f.remedy for f in causes[:1] if model.status is not Status.STALLED)]
    parts.append(f"Remedy: {'; '.join(r for r in remedies if r)}.")
    return " ".join(parts)


def _glance(evidence: Evidence) -> list[Finding]:
    """The checks that cost next to nothing, and those that the fit itself gives reason for."""
    found: list[Finding] = [*classes.few_rows(evidence)]
    if not evidence.model.w[:-1].any():
        found += constant.check(evidence)
    if _suspiciously_good(evidence.model):
        found += leak.check(evidence)
    return found


def _suspiciously_good(model: LinearModel) -> bool:
    if isinstance(model.objective.scheme, Joint) or len(model.run.traces) > 1:
        first = max((trace[0].value for trace in model.run.traces if trace), default=0.0)
    else:
        first = float(model.objective.loss.value(np.zeros(1))[0])
    return model.certificate.primal <= _SUSPICIOUS * first
