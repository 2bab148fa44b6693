"""Words that all summaries share."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """1 row, 1,000 rows."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
