"""The costs of mistakes, which set a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from linsep.types import Within

#: What a mistake may cost: squares of it, and sums of them, are numbers.
ALLOWED = Within(1e-100, 1e100)


@dataclass(frozen=True)
class Costs:
    """What a mistake costs: a row of another class taken for this one, and a row of this class missed."""

    false_positive: Annotated[float, ALLOWED] = 1.0
    false_negative: Annotated[float, ALLOWED] = 1.0
