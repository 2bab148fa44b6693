"""Where results go: a file that is written completely or not at all, or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linsep.errors import InvalidParameter

if TYPE_CHECKING:
    import polars as pl

_ROWS = 50_000


def check_free(path: Path | None, force: bool) -> None:
    """Before any work: a name that is taken is no surprise for the end of a long fit."""
    if path is None:
        return
    if path.is_dir():
        raise InvalidParameter(f"{str(path)!r} is a folder; give the name of a file in it")
    if path.exists() and not force:
        raise InvalidParameter(
            f"{str(path)!r} is there already; give another name with --output, or --force to replace it"
        )
    if not path.absolute().parent.is_dir():
        raise InvalidParameter(
            f"there is no folder {str(path.absolute().parent)!r}; make it first, or give another --output"
        )


def write_frame(columns: Mapping[str, Any], output: Path | None, force: bool) -> None:
    """Columns as CSV, to a file or to standard output, a block of rows at a time."""
    import polars as pl

    from linsep.storage.atomic import write_atomically

    blocks = _blocks(pl.DataFrame(dict(columns)))
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(blocks)
        sys.stdout.buffer.flush()
    else:
        write_atomically(output, lambda file: file.writelines(blocks), force=force)


def _blocks(frame: pl.DataFrame) -> Iterator[bytes]:
    for begin in range(0, max(frame.height, 1), _ROWS):
        yield frame[begin : begin + _ROWS].write_csv(include_header=begin == 0).encode()
