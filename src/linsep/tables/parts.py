"""What a reader gives: the columns or the matrix of one file, and where its rows stand in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from linsep.tables.schema import ColumnType

if TYPE_CHECKING:
    import polars as pl


def _no_lines(row: int) -> int | None:
    return None


@dataclass(frozen=True, eq=False)
class Part:
    """One file: a frame, or a matrix with the arrays that came with it.

    line_of     the line of the file on which a row (from 0) stands; None for formats without lines
    zero_based  svmlight: whether its columns count from 0; None where none occurs
    """

    name: str
    frame: pl.DataFrame | None = None
    matrix: Any = None
    arrays: dict[ColumnType, NDArray[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    line_of: Callable[[int], int | None] = _no_lines
    zero_based: bool | None = None
