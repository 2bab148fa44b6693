"""Coefficients in the user's units, with their intervals: one line a column of the design.

The design holds z = (x − c)/s, so a coefficient w of z is w/s of x, and so are the ends of its interval. The intercept
becomes b − Σ wc/s; its variance is that of this sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.features.columns import EncodedColumn
from linsep.inference import Inference
from linsep.quality.intervals import normal_quantile
from linsep.report.case import Case
from linsep.types import FloatArray

#: Kinds of columns that are 1 or 0, and whose name says what 1 is.
_PLAIN = frozenset({"category", "boolean", "missing"})


@dataclass(frozen=True)
class Coefficient:
    """effect: what one standard deviation of the column adds to the score; low and high None without inference."""

    name: str
    unit: str
    kind: str
    value: float
    effect: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None

    @property
    def certain(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low is not None and self.high is not None and self.low * self.high > 0.0


def binary_coefficients(case: Case) -> list[Coefficient]:
    """Of the score of the positive class, the intercept last."""
    sign = 1.0 if case.positive == 1 else -1.0
    centre, scale = _scales(case)
    w = sign * case.model.coef[0]
    values = w / scale
    low, high, p = _intervals(case, sign, centre, scale)
    columns = case.columns
    rows = [
        Coefficient(
            case.name(j),
            _unit(columns[j]) if columns is not None else "1",
            "" if columns is None else columns[j].kind,
            float(values[j]),
            float(w[j] * case.deviations[j]),
            _or_none(low, j),
            _or_none(high, j),
            _or_none(p, j),
        )
        for j in range(len(w))
    ]
    if case.model.fit_intercept:
        b, d = sign * float(case.model.intercept[0]) - float(values @ centre), len(w)
        rows.append(Coefficient("intercept", "", "", b, 0.0, _or_none(low, d), _or_none(high, d), None))
    return rows


def _unit(column: EncodedColumn) -> str:
    """Nothing where the name says it: “who=man” is being so."""
    return column.unit if column.kind not in _PLAIN else ""


def _scales(case: Case) -> tuple[FloatArray, FloatArray]:
    if case.columns is None:
        return np.zeros(case.model.n_features), np.ones(case.model.n_features)
    centre, scale = (np.array([getattr(c, name) for c in case.columns]) for name in ("centre", "scale"))
    return centre, scale


Ends = tuple[FloatArray | None, FloatArray | None, FloatArray | None]


def _intervals(case: Case, sign: float, centre: FloatArray, scale: FloatArray) -> Ends:
    """Lower and upper ends in the user's units, and p-values, where they are known."""
    found = case.inferred
    if not isinstance(found, Inference):
        return None, None, None
    d = len(scale)
    ends = sign * found.intervals[:d] / scale[:, None]
    low, high = ends.min(axis=1), ends.max(axis=1)
    if case.model.fit_intercept:
        way = np.append(-centre / scale, 1.0)
        middle = sign * float(found.estimates @ way)
        half = normal_quantile(found.level) * float(way @ found.covariance @ way) ** 0.5
        low, high = np.append(low, middle - half), np.append(high, middle + half)
    return low, high, found.p_values


def _or_none(values: FloatArray | None, j: int) -> float | None:
    return None if values is None or not np.isfinite(values[j]) else float(values[j])
