"""All checks, as data: a new one is a file in checks/ and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from linsep.certify import Kind
from linsep.diagnosis.checks import (
    classes,
    collinear,
    constant,
    contradictions,
    duplicates,
    leak,
    no_optimum,
    scale,
    separation,
    unfinished,
    unprovable,
    wide,
)
from linsep.diagnosis.diagnosis import Diagnosis
from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding


@dataclass(frozen=True)
class Check:
    """looks_at_rows: it needs the rows of the fit; where it may do without them it is False."""

    name: str
    find: Callable[[Evidence], Iterator[Finding]]
    looks_at_rows: bool = True


CHECKS: tuple[Check, ...] = (
    Check("no optimum", no_optimum.check),
    Check("what remains", unfinished.check, looks_at_rows=False),
    Check("too large to prove", unprovable.check, looks_at_rows=False),
    Check("few rows", classes.few_rows, looks_at_rows=False),
    Check("unbalanced classes", classes.unbalanced, looks_at_rows=False),
    Check("more columns than rows", wide.check, looks_at_rows=False),
    Check("scales", scale.check, looks_at_rows=False),
    Check("constant columns", constant.check),
    Check("duplicate columns", duplicates.check),
    Check("collinear columns", collinear.check),
    Check("columns that separate rows", separation.one_sided),
    Check("near-separation", separation.near_separation),
    Check("a column that decides alone", leak.check),
    Check("contradictory rows", contradictions.check),
)


def diagnose(evidence: Evidence, checks: Iterable[Check] = CHECKS) -> Diagnosis:
    """Every check that has what it looks at, the gravest finding first."""
    model = evidence.model
    known = "not convex, at a stationary point" if model.certificate.kind is Kind.STATIONARY else "certified"
    ended = known if model.certified else "not certified"
    found: list[Finding] = []
    unchecked = []
    for check in checks:
        if check.looks_at_rows and evidence.training is None:
            unchecked.append(check.name)
        else:
            found.extend(check.find(evidence))
    found.sort(key=lambda finding: -finding.severity)
    return Diagnosis(f"{model.origin.estimator}, {ended}", tuple(found), tuple(unchecked))
