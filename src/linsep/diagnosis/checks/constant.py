"""Columns that say the same of every row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linsep.diagnosis.evidence import Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import columns


@dataclass(frozen=True)
class ConstantColumns(Finding):
    """`columns` have one value each, of `features` in all."""

    kind = "constant"
    columns: tuple[Column, ...]
    features: int

    @property
    def all(self) -> bool:
        return len(self.columns) == self.features

    @property
    def sentence(self) -> str:
        if self.all:
            return "every column is constant: nothing tells the rows apart, and the model predicts one class for all"
        has = "has one value in all rows" if len(self.columns) == 1 else "have one value each in all rows"
        return f"{columns(self.columns)} {has} and can tell nothing apart"

    @property
    def remedy(self) -> str:
        if self.all:
            return "look at how X was made"
        return f"drop {'it' if len(self.columns) == 1 else 'them'}"


def check(evidence: Evidence) -> Iterator[ConstantColumns]:
    found, d = evidence.extremes.constant, evidence.model.n_features
    if len(found):
        severity = Severity.SERIOUS if len(found) == d else Severity.NOTE
        yield ConstantColumns(severity, evidence.columns(found), d)
