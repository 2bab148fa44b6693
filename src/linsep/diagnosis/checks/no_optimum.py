"""An objective without a minimiser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity
from linsep.solvers import Status


@dataclass(frozen=True)
class NoMinimum(Finding):
    """The loss falls for ever; `reason` is the verdict of separability in words, with what to do."""

    kind = "no_optimum"
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason

    @property
    def remedy(self) -> str:
        return ""


def check(evidence: Evidence) -> Iterator[NoMinimum]:
    if evidence.model.status is Status.NO_OPTIMUM:
        from linsep.separability.cause import explain_no_optimum  # rarely needed, and long to load

        found = explain_no_optimum(evidence.model, evidence.rows)
        yield NoMinimum(Severity.SERIOUS, found or _plain(evidence))


def _plain(evidence: Evidence) -> str:
    model = evidence.model
    which = ""
    if len(model.run.statuses) > 1:
        first = model.run.statuses.index(Status.NO_OPTIMUM)
        which = f" ({model.objective.scheme.describe(first, model.classes)})"
    return (
        f"no optimum exists{which}: the data are separable and alpha = 0, so the loss falls for ever as the "
        "weights grow, and any weights returned would be arbitrary. Give alpha > 0, for example alpha=1e-4"
    )
