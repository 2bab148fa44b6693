"""A column that varies far more than the rest: it slows solvers, and the penalty hardly touches its weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import columns, times

#: Beyond the median of the others by this much a column dwarfs them; by so much it is a matter of caution. The
#: largest over the smallest that is a likely cause where a fit was not certified.
DWARFS, EXTREME, SLOWS = 300.0, 1e6, 1e4


@dataclass(frozen=True)
class DwarfingColumns(Finding):
    """`columns`, largest first, vary far more than the median column; `ratio` is that of the
    largest column to the smallest one, `smallest`."""

    kind = "scale"
    delays = True
    columns: tuple[Column, ...]
    smallest: Column
    ratio: float

    @property
    def sentence(self) -> str:
        first = f"column {self.columns[0]} is about {times(self.ratio)} times as large as column {self.smallest}"
        if len(self.columns) == 1:
            return first
        return f"{first} ({columns(self.columns)} dwarf the rest)"

    @property
    def remedy(self) -> str:
        return "scale the columns, for example with StandardScaler: one alpha suits weights of one size"


def check(evidence: Evidence) -> Iterator[DwarfingColumns]:
    sizes = evidence.sizes
    if sizes is None:
        return
    varied = np.flatnonzero(sizes > 0.0)
    if len(varied) < 2:
        return
    order = varied[np.argsort(-sizes[varied], kind="stable")]
    typical = float(np.median(sizes[order[1:]]))
    large = order[sizes[order] >= DWARFS * typical]
    ratio = float(sizes[order[0]] / sizes[order[-1]])
    if not len(large) and (evidence.certified or ratio < SLOWS):
        return
    severity = Severity.CAUTION if ratio >= EXTREME and evidence.model.alpha > 0.0 else Severity.NOTE
    if not evidence.certified:
        severity = Severity.SERIOUS
    (smallest,) = evidence.columns(order[-1:])
    yield DwarfingColumns(severity, evidence.columns(large if len(large) else order[:1]), smallest, ratio)
