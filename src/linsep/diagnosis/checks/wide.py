"""More columns than rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity


@dataclass(frozen=True)
class MoreColumnsThanRows(Finding):
    """`features` columns, `rows` rows."""

    kind = "wide"
    rows: int
    features: int

    @property
    def sentence(self) -> str:
        return (
            f"there are more columns ({self.features:,}) than rows ({self.rows:,}): some weights fit any labels "
            "whatsoever, so how well these rows are classified says nothing"
        )

    @property
    def remedy(self) -> str:
        return "judge the model on other rows, and choose alpha by left-out rows"


def check(evidence: Evidence) -> Iterator[MoreColumnsThanRows]:
    rows, features = int(evidence.facts.counts.sum()), evidence.model.n_features
    if rows <= features:
        yield MoreColumnsThanRows(Severity.NOTE, rows, features)
