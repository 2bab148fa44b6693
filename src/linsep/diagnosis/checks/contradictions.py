"""Rows with the same features and different classes: no classifier of these features can have all of them right.

Rows that are the same have the same score for any weights, so those with (almost) the same score ⟨x, r⟩, r drawn at
random, are candidates; of these the entries decide, exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Finding, Severity
from linsep.diagnosis.words import percent
from linsep.separability.words import rows as some_rows
from linsep.types import IntArray

#: Candidates whose entries are compared, rows listed, and the share of rows from which it is a matter of caution.
_MOST, _LISTED, _MANY = 200_000, 100, 0.05


@dataclass(frozen=True)
class ContradictoryRows(Finding):
    """`count` of `total` rows share their features with a row of another class; `rows` are the first of them, and at
    least `errors` rows are misclassified by any classifier."""

    kind = "contradictions"
    rows: tuple[int, ...]
    count: int
    errors: int
    total: int

    @property
    def sentence(self) -> str:
        errors = f"{self.errors:,} row{'s' * (self.errors != 1)} ({percent(self.errors / self.total)})"
        return (
            f"{self.count:,} rows ({some_rows(np.array(self.rows))}) have the same features as a row of another class, "
            f"so at least {errors} must be misclassified by any classifier"
        )

    @property
    def remedy(self) -> str:
        return "add the feature that tells them apart, or take this as the best that these features allow"


def check(evidence: Evidence) -> Iterator[ContradictoryRows]:
    candidates, codes = _candidates(evidence), evidence.rows.labels.codes
    groups: dict[bytes, list[int]] = defaultdict(list)
    for i, key in _keys(evidence, candidates):
        groups[key].append(i)
    mixed = [g for g in groups.values() if len(set(codes[g].tolist())) > 1]
    if not mixed:
        return
    rows = np.sort(np.concatenate([np.array(g) for g in mixed]))
    errors = sum(len(g) - int(np.bincount(codes[g]).max()) for g in mixed)
    total = len(evidence.used)
    severity = Severity.CAUTION if errors > _MANY * total else Severity.NOTE
    yield ContradictoryRows(severity, tuple(map(int, rows[:_LISTED])), len(rows), errors, total)


def _candidates(evidence: Evidence) -> IntArray:
    """Rows whose random score another row of another class has too, up to rounding."""
    training, sizes = evidence.rows, evidence.deviations
    r = np.random.default_rng(0).normal(size=training.design.d + 1)
    r[:-1] /= np.where(sizes > 0.0, sizes, 1.0)
    scores = training.design.scores(r)[evidence.used]
    order = np.argsort(scores, kind="stable")
    rounding = 1e-11 * float(np.abs(r[:-1]) @ np.sqrt(training.design.column_squares / training.design.n))
    begins = np.flatnonzero(np.diff(scores[order], prepend=-np.inf) > rounding)
    codes = training.labels.codes[evidence.used][order]
    mixed = np.minimum.reduceat(codes, begins) != np.maximum.reduceat(codes, begins)
    sizes_of_groups = np.diff(np.r_[begins, len(order)])
    return np.asarray(evidence.used[order[np.repeat(mixed, sizes_of_groups)]][:_MOST])


def _keys(evidence: Evidence, candidates: IntArray) -> Iterator[tuple[int, bytes]]:
    """The entries of each candidate, as bytes."""
    if not len(candidates):
        return
    design = evidence.rows.design
    if not design.sparse:
        for i in candidates:
            yield int(i), (design.table[i] + 0.0).tobytes()  # −0 is 0
        return
    part = design.table[candidates]
    part.eliminate_zeros()
    for place, i in enumerate(candidates):
        inside = slice(part.indptr[place], part.indptr[place + 1])
        yield int(i), part.indices[inside].tobytes() + b"|" + part.data[inside].tobytes()
