"""A loss of the user's own, tried out on a few margins before any work."""

from __future__ import annotations

import numpy as np

from linsep.errors import InvalidParameter
from linsep.problem.base import MarginLoss
from linsep.types import FloatArray


def try_out(loss: MarginLoss) -> None:
    """A number for every margin; and where it is declared convex no value below a tangent, on which bounds rely."""
    M = np.linspace(-4.0, 4.0, 17)
    values, slopes = (_numbers_of(loss, name, M) for name in ("value", "d1"))
    if not loss.convex:
        return
    with np.errstate(invalid="ignore", over="ignore"):
        tangents = values[:, None] + slopes[:, None] * (M - M[:, None])
        below = tangents - values > 1e-6 * (1.0 + np.abs(values) + np.abs(values)[:, None])
    if below.any():
        touching, under = (float(M[i]) for i in np.argwhere(below)[0])
        raise InvalidParameter(
            f"loss {loss.name!r} declares convex = True, but its value at the margin {under:g} is below its tangent at "
            f"{touching:g}: d1 is not the derivative of value, or convex is False"
        )


def _numbers_of(loss: MarginLoss, name: str, M: FloatArray) -> FloatArray:
    given = np.asarray(getattr(loss, name)(M.copy()))
    if given.shape != M.shape or given.dtype.kind not in "fiub" or np.isnan(given).any():
        what = "NaN" if given.shape == M.shape else f"an array of shape {given.shape}"
        raise InvalidParameter(
            f"{name} of loss {loss.name!r} gives {what} for {len(M)} margins from {M[0]:g} to {M[-1]:g}: allowed is a "
            "number for each"
        )
    return np.asarray(given, dtype=np.float64)
