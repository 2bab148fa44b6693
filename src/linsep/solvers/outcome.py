"""How a fit went: what a model keeps of it, whoever found the weights."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from linsep.certify.certificate import Certificate


class Status(Enum):
    """How a fit ended; the value is the message."""

    CERTIFIED = "the certificate reached tol"
    NUMERICAL_LIMIT = "the gap is down to rounding: no float64 method can certify more"
    STATIONARY = "the gradient vanished; the objective is not convex, so this is a local statement"
    MAX_ITER = "max_iter was reached before the certificate reached tol"
    TIME_LIMIT = "time_limit was reached before the certificate reached tol"
    STALLED = "no further progress was possible before the certificate reached tol"
    INTERRUPTED = "interrupted; this is the best point so far"
    NO_OPTIMUM = "no optimum exists: the data are separable and there is no penalty"

    @property
    def certified(self) -> bool:
        return self in (Status.CERTIFIED, Status.NUMERICAL_LIMIT, Status.STATIONARY)

    def proved_by(self, certificate: Certificate) -> Status:
        """Of a fit that was not cut short: what its certificate says in the end, rounding included."""
        if self not in (Status.CERTIFIED, Status.NUMERICAL_LIMIT, Status.STALLED):
            return self
        if certificate.relative_gap <= certificate.tol:
            return Status.CERTIFIED
        return Status.NUMERICAL_LIMIT if certificate.holds else Status.STALLED


@dataclass(frozen=True)
class Record:
    """One line of the trace."""

    step: int
    seconds: float
    value: float
    bound: float
