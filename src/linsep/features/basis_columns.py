"""Bases over numeric columns of a table: functions of their standardised values, beside the columns themselves.

The bases are those of the library; a polynomial gives only its terms of degree two and more, as the others are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures

from linsep.errors import InvalidFile, InvalidParameter, InvalidType
from linsep.features.centred import RadialBasis, SigmoidBasis
from linsep.features.columns import EncodedColumn
from linsep.tables.schema import no_such_column
from linsep.types import FloatArray

PolynomialBasis = PolynomialFeatures

#: Numbers in the table of a polynomial's powers at most: what a few bytes of a file can ask for is bounded.
_MOST_POWERS = 2**24

#: Name in a record → class, and which of its parameters and fitted arrays make it again.
_KINDS: dict[str, tuple[type, tuple[str, ...], tuple[str, ...]]] = {
    "polynomial": (PolynomialBasis, ("degree", "interaction_only"), ()),
    "radial": (RadialBasis, (), ("centres_", "widths_")),
    "sigmoid": (SigmoidBasis, (), ("centres_", "widths_")),
}


@dataclass(frozen=True, eq=False)
class BasisColumns:
    """A fitted basis and the columns it is a function of."""

    sources: tuple[str, ...]
    basis: Any

    @classmethod
    def fit(cls, sources: tuple[str, ...], basis: Any, standardised: FloatArray) -> BasisColumns:
        return cls(sources, clone(basis).fit(standardised))

    @property
    def columns(self) -> list[EncodedColumn]:
        names = self.basis.get_feature_names_out([f"z({name})" for name in self.sources])
        source = " × ".join(self.sources)
        return [EncodedColumn(str(name), source, "basis", "1 of the function") for name in names[self._kept]]

    def encode(self, standardised: FloatArray) -> FloatArray:
        values: FloatArray = np.asarray(self.basis.transform(standardised), dtype=np.float64)[:, self._kept]
        return values

    @property
    def _kept(self) -> Any:
        if isinstance(self.basis, PolynomialBasis):
            return self.basis.powers_.sum(axis=1) >= 2
        return slice(None)

    def record(self) -> dict[str, Any]:
        kind = next(name for name, (cls, _, _) in _KINDS.items() if type(self.basis) is cls)
        _, parameters, fitted = _KINDS[kind]
        return {
            "kind": kind,
            "sources": list(self.sources),
            "parameters": {name: _plain(getattr(self.basis, name)) for name in parameters},
            "fitted": {name: getattr(self.basis, name) for name in fitted},
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> BasisColumns:
        if record["kind"] not in _KINDS:
            raise InvalidParameter(f"unknown basis {record['kind']!r} in the record")
        kind, parameters, fitted = _KINDS[record["kind"]]
        made = kind(**{name: record["parameters"][name] for name in parameters})
        sources = tuple(record["sources"])
        if isinstance(made, PolynomialBasis):
            _check_degree(made.degree, len(sources))
            made.fit(np.zeros((1, len(sources))))
        for name in fitted:
            setattr(made, name, np.asarray(record["fitted"][name], dtype=np.float64))
        made.n_features_in_ = len(sources)
        return cls(sources, made)

    def flaw(self) -> str | None:
        """Why no fit gives it, or None (storage/fields.py). A sigmoid has its centres by column, a radial across."""
        if isinstance(self.basis, PolynomialBasis):
            return None
        centres, widths = self.basis.centres_, self.basis.widths_
        axis = 0 if isinstance(self.basis, SigmoidBasis) else 1
        sized = centres.ndim == 2 and centres.shape[axis] == len(self.sources) and widths.shape == centres.shape[:1]
        if sized and np.isfinite(centres).all() and np.isfinite(widths).all() and (widths > 0.0).all():
            return None
        return f"a basis over {self.sources} has centres of the shape {centres.shape}, or widths that do not fit them"


def _check_degree(degree: Any, sources: int) -> None:
    """A whole number or a pair of them, of so few terms that they can be listed."""
    most = degree[-1] if isinstance(degree, list) and len(degree) == 2 else degree
    if not isinstance(most, int) or not 0 <= most <= 1000 or comb(sources + most, most) * sources > _MOST_POWERS:
        raise InvalidFile(f"a polynomial of degree {str(degree)[:80]} over {sources:,} columns is no basis of a model")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def check_bases(given: Any, numbers: Sequence[str], known: Sequence[str]) -> list[tuple[tuple[str, ...], Any]]:
    """Names of numeric columns with the basis over them."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise InvalidType(f"bases is a {type(given).__name__}; allowed is a mapping from columns to bases")
    found = []
    for names, basis in given.items():
        sources = (names,) if isinstance(names, str) else tuple(names)
        for name in sources:
            if name not in known:
                raise InvalidParameter("bases: " + no_such_column(name, known))
            if name not in numbers:
                raise InvalidParameter(f"bases: column {name!r} is not a number; bases are over numeric columns")
        if type(basis) not in [cls for cls, _, _ in _KINDS.values()]:
            raise InvalidType(f"bases: {basis!r}; allowed are PolynomialBasis, RadialBasis and SigmoidBasis")
        found.append((sources, basis))
    return found
