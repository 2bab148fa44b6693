"""The costs of mistakes, which set a threshold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """What a mistake costs: a row of another class taken for this one, and a row of this class missed."""

    false_positive: float = 1.0
    false_negative: float = 1.0
