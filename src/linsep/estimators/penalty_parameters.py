"""l1_ratio, penalty factors and bounds, checked before any work; their lengths once the features are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.errors import InvalidParameter, InvalidType
from linsep.estimators import parameters
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class Shape:
    """The penalty but for α, as given: numbers or arrays; None where there is nothing."""

    l1_ratio: float
    factors: FloatArray | None
    lower: FloatArray | None
    upper: FloatArray | None

    def columns(self, d: int) -> tuple[float, FloatArray | None, FloatArray | None, FloatArray | None]:
        """One number a feature."""
        lower, upper = (_spread("bounds", given, d) for given in (self.lower, self.upper))
        crossed = None if lower is None or upper is None else np.flatnonzero(lower > upper)
        if crossed is not None and len(crossed):
            j = int(crossed[0])
            raise InvalidParameter(
                f"bounds: feature {j} has the lower bound {lower[j]:g} above its upper bound {upper[j]:g}"  # type: ignore[index]
            )
        return self.l1_ratio, _spread("penalty_factors", self.factors, d), lower, upper


def read(l1_ratio: Any, factors: Any, bounds: Any) -> Shape:
    """The three parameters of an estimator."""
    ratio = share(l1_ratio)
    weights = None if factors is None else _numbers("penalty_factors", factors)
    if weights is not None and (weights.ndim != 1 or not np.isfinite(weights).all() or (weights < 0.0).any()):
        raise InvalidParameter("penalty_factors: allowed are finite numbers >= 0, one a feature; 0 is no penalty")
    if bounds is None:
        return Shape(ratio, weights, None, None)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise InvalidType(f"bounds={bounds!r}: allowed are None and a pair (lower, upper), for example (0, None)")
    lower, upper = (None if given is None else _numbers("bounds", given) for given in bounds)
    for given, outside in ((lower, np.inf), (upper, -np.inf)):
        if given is not None and (np.isnan(given).any() or (given == outside).any() or given.ndim > 1):
            raise InvalidParameter(
                f"bounds={bounds!r}: each is a number or one a feature, below +inf on the lower side and above -inf on "
                "the upper side"
            )
    return Shape(ratio, weights, lower, upper)


def share(l1_ratio: Any) -> float:
    """ρ alone."""
    ratio = parameters.number("l1_ratio", l1_ratio)
    if ratio > 1.0:
        raise InvalidParameter(f"l1_ratio={l1_ratio!r}: allowed is a number from 0 (ridge) to 1 (lasso)")
    return ratio


def _numbers(name: str, given: Any) -> FloatArray:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidType(f"{name}={given!r}: allowed are numbers") from None


def _spread(name: str, given: FloatArray | None, d: int) -> FloatArray | None:
    if given is None:
        return None
    if given.ndim == 1 and len(given) != d:
        raise InvalidParameter(f"{name} has {len(given)} numbers, X has {d} features: one a feature is needed")
    return np.ascontiguousarray(np.broadcast_to(given, d))
