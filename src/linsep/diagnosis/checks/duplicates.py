"""Columns that are copies of each other.

Columns that are the same have the same product with any vector, so those with (almost) the same product Xᵀr, r drawn at
random, are candidates; of these the entries decide, exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import columns
from linsep.types import FloatArray, IntArray

#: Candidates whose entries are compared, in number and in bytes.
_MOST, _BYTES = 20_000, 2**28


@dataclass(frozen=True)
class DuplicateColumns(Finding):
    """Each of `groups` is of columns with the same entries in all rows."""

    kind = "duplicates"
    delays = True
    groups: tuple[tuple[Column, ...], ...]

    @property
    def sentence(self) -> str:
        first = f"{columns(self.groups[0])} are copies of each other"
        more = len(self.groups) - 1
        return f"{first}, and so are {more:,} more group{'s' * (more > 1)} of columns" if more else first

    @property
    def remedy(self) -> str:
        return "keep one of each: the weight is shared among copies, and none of them shows it all"


def check(evidence: Evidence) -> Iterator[DuplicateColumns]:
    design = evidence.rows.design
    sums = design.adjoint(np.random.default_rng(0).normal(size=design.n))[:-1]
    candidates = np.setdiff1d(_near(sums), evidence.extremes.constant)[:_MOST]
    if not design.sparse:
        candidates = candidates[: _BYTES // (8 * design.n)]
    groups: dict[bytes, list[int]] = defaultdict(list)
    for j, key in _keys(evidence, candidates):
        groups[key].append(j)
    found = sorted(g for g in groups.values() if len(g) > 1)
    if found:
        severity = Severity.NOTE if evidence.model.alpha > 0.0 else Severity.CAUTION
        yield DuplicateColumns(severity, tuple(evidence.columns(g) for g in found))


def _near(values: FloatArray) -> IntArray:
    """Places of values that another one is very near to."""
    order = np.argsort(values, kind="stable")
    gaps, least = np.diff(values[order]), 1e-9 * np.abs(values[order])
    close = gaps <= np.maximum(least[1:], least[:-1])
    return np.sort(order[np.r_[close, False] | np.r_[False, close]])


def _keys(evidence: Evidence, candidates: IntArray) -> Iterator[tuple[int, bytes]]:
    """The entries of each candidate, as bytes."""
    design = evidence.rows.design
    if not len(candidates):
        return
    if not design.sparse:
        for j in candidates:
            yield int(j), (design.table[:, j] + 0.0).tobytes()  # −0 is 0
        return
    part = design.table[:, candidates].tocsc()
    part.eliminate_zeros()
    part.sort_indices()
    for place, j in enumerate(candidates):
        inside = slice(part.indptr[place], part.indptr[place + 1])
        yield int(j), part.indices[inside].tobytes() + b"|" + part.data[inside].tobytes()
