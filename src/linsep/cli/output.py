"""Where results go: a file that is written completely or not at all, or standard output."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from linsep.errors import InvalidParameter, Refused

if TYPE_CHECKING:
    import polars as pl

_ROWS = 50_000


def whole(stream: TextIO) -> TextIO:
    """Standard output that takes all of a text or fails, and any letter.

    Unbuffered (`PYTHONUNBUFFERED`, as many containers have it) Python drops without a word what a full disk or a pipe
    did not take at once. A letter that the terminal's encoding lacks is written as its number, as on standard error.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    if isinstance(stream.buffer, io.RawIOBase):
        encoding, buffer = stream.encoding, io.BufferedWriter(stream.detach())
        return io.TextIOWrapper(buffer, encoding, "backslashreplace", line_buffering=True)
    stream.reconfigure(errors="backslashreplace")
    return stream


def reopen() -> None:
    """What the caller has closed is there again: nothing can be read, an error is not seen, a result is not lost in
    silence, for writing it fails."""
    for name, way, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, way), mode))


def check_free(path: Path | None, force: bool, reads: Sequence[str | Path] = ()) -> None:
    """Before any work: a name that is taken, or a folder that takes nothing, is no surprise for the end of a long fit;
    no file replaces its source."""
    if path is None:
        return
    try:
        _check_free(path, force, reads)
    except OSError as problem:
        from linsep.storage.atomic import cannot

        raise cannot("write", path, problem) from None


def _check_free(path: Path, force: bool, reads: Sequence[str | Path]) -> None:
    folder = path.absolute().parent
    if path.is_dir():
        raise InvalidParameter(f"{str(path)!r} is a folder; give the name of a file in it")
    if path.exists() and any(os.path.samefile(path, each) for each in _files(reads)):
        raise InvalidParameter(f"{str(path)!r} is what is read here; give another name with --output")
    if path.exists() and not force:
        raise InvalidParameter(
            f"{str(path)!r} is there already; give another name with --output, or --force to replace it"
        )
    if not folder.is_dir():
        raise InvalidParameter(f"there is no folder {str(folder)!r}; make it first, or give another --output")
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "")


def write_frame(columns: Mapping[str, Any], output: Path | None, force: bool) -> None:
    """Columns as CSV, to a file or to standard output, a block of rows at a time."""
    import polars as pl

    from linsep.storage.atomic import write_atomically

    blocks = csv_blocks(pl.DataFrame(dict(columns)))
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(blocks)
        sys.stdout.buffer.flush()
    else:
        write_atomically(output, lambda file: file.writelines(blocks), force=force)


def csv_blocks(frame: pl.DataFrame, separator: str = ",") -> Iterator[bytes]:
    """The frame as CSV, a block of rows at a time: the words of a full disk are Python's, not those of polars."""
    for name, kind in frame.schema.items():
        if kind.is_nested():
            raise Refused(f"column {name!r} holds {kind}, which a field cannot; write .parquet, .arrow or .ndjson")
    for begin, block in _slices(frame):
        yield block.write_csv(include_header=begin == 0, separator=separator).encode()


def ndjson_blocks(frame: pl.DataFrame) -> Iterator[bytes]:
    """An object a line, a block of rows at a time."""
    for _, block in _slices(frame):
        yield block.write_ndjson().encode()


def in_memory(write: Callable[[io.BytesIO], Any]) -> Iterator[bytes]:
    """What polars writes as a whole."""
    content = io.BytesIO()
    write(content)
    yield content.getvalue()


def _slices(frame: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    for begin in range(0, max(frame.height, 1), _ROWS):
        yield begin, frame[begin : begin + _ROWS]


def _files(reads: Sequence[str | Path]) -> Iterator[str]:
    """Those that are there, patterns resolved; what is not will be said where it is read."""
    from glob import glob

    for each in map(str, reads):
        yield from [each] if os.path.exists(each) else filter(os.path.exists, glob(each, recursive=True))
