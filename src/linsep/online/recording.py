"""Every intermediate w costs memory: how much of it a record may take."""

from __future__ import annotations

from linsep.errors import Refused
from linsep.problem.reductions import in_bytes

_MOST_BYTES = 2 * 2**30


def refuse_beyond(numbers: int, instead: str) -> None:
    """Refuse a record of so many float64 numbers where that is too much; instead: what to give."""
    if 8 * numbers > _MOST_BYTES:
        size, most = in_bytes(8 * numbers), in_bytes(_MOST_BYTES)
        raise Refused(f"the record of the weights grows to {size}, and at most {most} are kept: {instead}")
