"""Lists and numbers in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from linsep.diagnosis.finding import Column

_SHOWN = 6


def columns(found: Sequence[Column]) -> str:
    """column 'age'; columns 'age', 'height' and 3 more."""
    shown = ", ".join(str(c) for c in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return f"column{'s' * (len(found) != 1)} {shown}{more}"


def times(ratio: float) -> str:
    """3,000, or 10^9 where nobody counts zeros."""
    return f"10^{round(log10(ratio))}" if ratio >= 1e5 else f"{round(ratio, 1 - floor(log10(ratio))):,.0f}"


def percent(share: float) -> str:
    """As many digits as it takes not to call it all or nothing."""
    if share <= 0.0 or share >= 1.0:
        return f"{share:.0%}"
    return f"{100.0 * share:.{2 + max(0, floor(-log10(min(share, 1.0 - share))) - 2)}f}%"


def duration(seconds: float) -> str:
    """12 s, 3 min, 2 h, 5 days."""
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.2g} {unit}" if seconds < 100.0 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.2g} s" if seconds < 100.0 else f"{seconds:.0f} s"
