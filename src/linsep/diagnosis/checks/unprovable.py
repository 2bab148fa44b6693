"""Without a penalty: more weights than the proof can take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linsep.certify.curvature import MOST_UNKNOWNS
from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity
from linsep.problem.reductions import Joint


@dataclass(frozen=True)
class TooLargeToProve(Finding):
    """`weights` of one problem with their intercepts, of which at most `most` can be taken."""

    kind = "unprovable"
    delays = True
    weights: int
    most: int

    @property
    def sentence(self) -> str:
        return (
            "without a penalty only the second derivatives prove how far the optimum is, as a matrix of "
            f"{self.weights:,}² numbers ({_gigabytes(self.weights)}); it is formed up to {self.most:,}² "
            f"({_gigabytes(self.most)})"
        )

    @property
    def remedy(self) -> str:
        return "use a small alpha, for example 1e-8, whose proof needs no matrix"


def check(evidence: Evidence) -> Iterator[TooLargeToProve]:
    model = evidence.model
    loss = model.objective.loss
    if model.certified or model.alpha > 0.0 or not (loss.smooth and loss.convex):
        return
    joint = isinstance(model.objective.scheme, Joint) and model.loss != "one_of_k"  # whose classes share one matrix
    weights = (model.n_features + 1) * (model.w.shape[1] if joint else 1)
    if weights > MOST_UNKNOWNS:
        yield TooLargeToProve(Severity.SERIOUS, weights, MOST_UNKNOWNS)


def _gigabytes(size: int) -> str:
    return f"{8.0 * size * size / 1e9:.1f} GB"
