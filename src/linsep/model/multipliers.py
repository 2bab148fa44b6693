"""The multipliers θ of a fit, compactly and to the bit.

Away from its kink a row of the hinge loss has θ = 0 or θ = 1 (of Crammer–Singer's loss: most entries are 0), so a few
values make up nearly all of θ. They are the levels; each entry is a byte, its level's number, or 255 for an entry of a
row at the kink, whose value stands in `values`, in order. The bytes pack well: about one bit a row is left.

    θ = levels[codes],    then    θ[codes == 255] = values

All problems of a reduction follow each other: `rows` has the number of rows of each, −1 where nothing is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidFile
from linsep.types import FloatArray

_OTHER = 255
_OFTEN = 4  # times that a value must occur to be a level

Duals = tuple[FloatArray | None, ...]


def to_record(duals: Duals) -> dict[str, Any] | None:
    """None where nothing is kept."""
    kept = [theta for theta in duals if theta is not None]
    if not kept:
        return None
    bits = np.concatenate([np.ascontiguousarray(theta, dtype="<f8").ravel() for theta in kept]).view(np.int64)
    different, places, counts = np.unique(bits, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_OTHER]
    levels = order[counts[order] >= _OFTEN]
    code_of = np.full(len(different), _OTHER, dtype=np.uint8)
    code_of[levels] = np.arange(len(levels))
    codes = code_of[places.ravel()]
    return {
        "rows": np.array([-1 if theta is None else len(theta) for theta in duals], dtype=np.int64),
        "columns": kept[0].shape[1] if kept[0].ndim == 2 else None,
        "levels": different[levels].view(np.float64),
        "codes": codes,
        "values": bits[codes == _OTHER].view(np.float64),
    }


def from_record(record: dict[str, Any] | None, problems: int) -> Duals:
    if record is None:
        return (None,) * problems
    rows, columns, codes = record["rows"], record["columns"], record["codes"]
    width = 1 if columns is None else columns
    total = int(np.maximum(rows, 0).sum()) * width
    levels = np.zeros(_OTHER + 1)
    levels[: len(record["levels"])] = record["levels"]
    theta = levels[codes]
    other = codes == _OTHER
    if rows.shape != (problems,) or theta.shape != (total,) or int(other.sum()) != len(record["values"]):
        raise InvalidFile("the multipliers of the model do not fit its problems")
    theta[other] = record["values"]
    ends = np.cumsum(np.maximum(rows, 0) * width)
    pieces = np.split(theta, ends[:-1])
    shape = (-1,) if columns is None else (-1, columns)
    return tuple(None if n < 0 else piece.reshape(shape) for n, piece in zip(rows.tolist(), pieces, strict=True))
