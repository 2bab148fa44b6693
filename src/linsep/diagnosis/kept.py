"""What an estimator keeps after a fit so that its diagnosis can be made when somebody asks.

Up to `SMALL` bytes the rows themselves stay (no copy: a reference). Of larger data only a weak reference stays, which
keeps nothing alive: while the caller holds the array, the rows can be looked at. Labels and weights stay, at most 16
bytes a row. Entries that were changed in place since the fit are found out by their fingerprint, and not looked at. A
pickle holds the facts and the diagnosis if it was made, never rows.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any, Self

from linsep.data.design import Design
from linsep.data.source import as_design
from linsep.data.sparse_rows import SparseRows
from linsep.diagnosis.diagnosis import Diagnosis
from linsep.diagnosis.evidence import Evidence, Facts
from linsep.diagnosis.registry import diagnose
from linsep.errors import InvalidData
from linsep.model import LinearModel, Training
from linsep.model.fingerprint import fingerprints

#: Bytes of X up to which a fit keeps its rows alive.
SMALL = 2**25


class Kept:
    """A model, its facts, and the way back to its rows."""

    def __init__(self, model: LinearModel, training: Training) -> None:
        self.model, self.facts = model, Facts.of(training)
        self._found: Diagnosis | None = None
        small = _size(training.design) <= SMALL
        self._training: Training | None = training if small else None
        self._large = None if small else _Large(training)

    def diagnosis(self, training: Training | None = None) -> Diagnosis:
        """Made once; with the rows given, if they are at hand."""
        if self._found is None:
            self._found = diagnose(Evidence(self.model, self.facts, training or self._rows()))
        return self._found

    def without_rows(self) -> Diagnosis:
        """What the facts alone tell, at no cost."""
        return diagnose(Evidence(self.model, self.facts, None))

    def again(self, training: Training) -> Diagnosis:
        """With the rows of the fit given once more."""
        if not _same(self.model, training):
            raise InvalidData(
                "these are not the data of the fit: their fingerprints differ. Give X, y and sample_weight as they "
                "were given to fit"
            )
        self._found = diagnose(Evidence(self.model, self.facts, training))
        return self._found

    def _rows(self) -> Training | None:
        """The rows of the fit, if they are still there and still the same."""
        training = self._training or (None if self._large is None else self._large.training())
        if training is None:
            return None
        fresh = replace(training, design=replace(training.design))  # read the fingerprint again
        return fresh if _same(self.model, fresh) else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_training": None, "_large": None}


def _size(design: Design) -> int:
    arrays = design.source if design.sparse else (design.source,)
    return sum(int(a.nbytes) for a in arrays)


def _same(model: LinearModel, training: Training) -> bool:
    found = fingerprints(training.design, training.labels, training.weights)
    return all(model.fingerprints[name] == value for name, value in found.items())


class _Large:
    """A weak reference to the arrays of X; the rest of the training data as it is."""

    def __init__(self, training: Training) -> None:
        design = training.design
        self.sparse, self.shape, self.threads = design.sparse, (design.n, design.d), design.threads
        self.arrays = [weakref.ref(a) for a in (design.source if design.sparse else (design.source,))]
        self.rest = (training.labels, training.weights, training.names, training.owner, training.class_weight)

    def training(self) -> Training | None:
        arrays: list[Any] = [ref() for ref in self.arrays]
        if any(a is None for a in arrays):
            return None
        X = SparseRows(arrays[0], arrays[1], arrays[2], self.shape[1]) if self.sparse else arrays[0]
        return Training(as_design(X, self.threads), *self.rest)
