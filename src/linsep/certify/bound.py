"""A lower bound on P*, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from linsep.certify.certificate import Kind
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class Bound:
    """A lower bound on P*, the multipliers that prove it, and its share of rounding.

    v  of the multipliers, the intercept's residual last, where screening asks for it
    """

    value: float
    kind: Kind
    allowance: float = 0.0
    theta: FloatArray | None = None
    v: FloatArray | None = None


NO_BOUND = Bound(-inf, Kind.NONE)
