"""Where a row of a table stands: in which file, on which line."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from linsep.errors import BadFile
from linsep.tables.parts import Part


@dataclass(frozen=True, eq=False)
class Where:
    """The files of a table, in the order of its rows."""

    parts: tuple[Part, ...]

    def bad(self, row: int | None, reason: str, column: str | None = None) -> BadFile:
        """The error for a row (from 0), or for all of them."""
        if row is None:
            return BadFile(self.files, reason, column=column)
        ends = list(accumulate(_height(part) for part in self.parts))
        number = bisect_right(ends, row)
        part = self.parts[number]
        within = row - (ends[number - 1] if number else 0)
        return BadFile(part.name, reason, line=part.line_of(within), row=within + 1, column=column)

    def place(self, row: int) -> str:
        """In words, as in an error's message."""
        error = self.bad(row, "")
        return f"line {error.line:,}" if error.line is not None else f"row {error.row:,}"

    @property
    def files(self) -> str:
        first = self.parts[0].name
        return first if len(self.parts) == 1 else f"{first} and {len(self.parts) - 1} more"


def _height(part: Part) -> int:
    return int(part.matrix.shape[0]) if part.frame is None else part.frame.height
