"""Classes with very few rows, and classes of very different size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity

#: Rows below which a class has few, and with so many rows in all hopelessly few.
FEW, HOPELESS, ENOUGH = 10, 4, 50
#: The largest class over the smallest beyond which classes are unbalanced.
UNBALANCED = 20.0


@dataclass(frozen=True)
class FewRows(Finding):
    """`classes` have `counts` rows each, of `rows` in all."""

    kind = "few_rows"
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    rows: int

    @property
    def sentence(self) -> str:
        shown = [f"class {c} has {k} row{'s' * (k != 1)}" for c, k in zip(self.classes[:3], self.counts, strict=False)]
        more = f", and {len(self.classes) - 3:,} more classes have fewer than {FEW}" if len(self.classes) > 3 else ""
        return f"{', '.join(shown)}{more}, of {self.rows:,} in all"

    @property
    def remedy(self) -> str:
        return "what is learnt of so few rows is chance: collect more, merge the class with another, or leave it out"


@dataclass(frozen=True)
class UnbalancedClasses(Finding):
    """The largest class has `ratio` times the rows of the smallest."""

    kind = "unbalanced"
    largest: str
    smallest: str
    ratio: float

    @property
    def sentence(self) -> str:
        return f"class {self.largest} has {self.ratio:,.0f} times as many rows as class {self.smallest}"

    @property
    def remedy(self) -> str:
        return (
            "judge the model by more than its accuracy; class_weight='balanced' makes classes count the same, and "
            "changes the probabilities too"
        )


def few_rows(evidence: Evidence) -> Iterator[FewRows]:
    counts = evidence.facts.counts
    total = int(counts.sum())
    few = np.flatnonzero(counts < FEW)
    if not len(few) or total < ENOUGH:
        return
    few = few[np.argsort(counts[few], kind="stable")]
    rare = counts[few[0]] < HOPELESS and np.median(counts) >= FEW  # where all classes are small it is by design
    severity = Severity.SERIOUS if rare else Severity.CAUTION
    classes = tuple(str(evidence.model.classes[k]) for k in few)
    yield FewRows(severity, classes, tuple(int(counts[k]) for k in few), total)


def unbalanced(evidence: Evidence) -> Iterator[UnbalancedClasses]:
    counts, classes = evidence.facts.counts, evidence.model.classes
    low, high = int(counts.argmin()), int(counts.argmax())
    ratio = float(counts[high] / max(counts[low], 1))
    if ratio >= UNBALANCED and evidence.model.class_weight is None:
        yield UnbalancedClasses(Severity.NOTE, str(classes[high]), str(classes[low]), ratio)
