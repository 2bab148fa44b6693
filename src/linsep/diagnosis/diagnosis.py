"""A diagnosis: all findings of a fit, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from linsep.diagnosis.finding import Finding, Severity

Kind = TypeVar("Kind", bound=Finding)


@dataclass(frozen=True)
class Diagnosis:
    """What is known about a fit and its data beside the certificate.

    subject    the estimator and how its fit ended
    findings   the gravest first
    unchecked  names of the checks that could not run, because the rows of the fit are no longer at hand
    """

    subject: str
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def serious(self) -> tuple[Finding, ...]:
        """Those to look at before the model is used."""
        return tuple(f for f in self.findings if f.severity is Severity.SERIOUS)

    @property
    def causes(self) -> tuple[Finding, ...]:
        """Those that make a fit slow."""
        return tuple(f for f in self.findings if f.delays)

    def of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """The findings of one class."""
        return tuple(f for f in self.findings if isinstance(f, kind))

    def __str__(self) -> str:
        count = len(self.findings)
        what = "nothing was found" if count == 0 else f"{count} finding{'s' * (count > 1)}"
        lines = [f"{self.subject}: {what}."]
        lines += [f"- {f.severity.word}: {f}" for f in self.findings]
        if self.unchecked:
            lines.append(
                f"Not looked at, because the rows of the fit are no longer at hand: {', '.join(self.unchecked)}. "
                "Give them again: diagnose(X, y)."
            )
        return "\n".join(lines)

    def record(self) -> dict[str, Any]:
        """As a nested dict of JSON values."""
        return {
            "subject": self.subject,
            "findings": [f.record() for f in self.findings],
            "unchecked": list(self.unchecked),
        }
