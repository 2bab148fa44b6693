"""The bytes of a file, decompressed; what goes wrong on the way is a `BadFile`.

Compression is told by the first bytes, whatever the name. A plain file is mapped into memory, not read. The lines of a
text are measured as they come in, so that one without an end is refused long before memory runs out.
"""

from __future__ import annotations

import io
import mmap
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linsep.errors import BadFile, MissingPackage
from linsep.tables.sources import STANDARD_INPUT

Buffer: TypeAlias = bytes | bytearray | mmap.mmap | memoryview

CHUNK = 2**22


@dataclass(frozen=True, eq=False)
class Content:
    """name: as given; data: its bytes; path: of a plain file on disk that has a Unicode name, None otherwise."""

    name: str
    data: Buffer
    path: str | None = None

    def array(self) -> NDArray[np.uint8]:
        """The bytes as an array, in place."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def open(self) -> IO[bytes]:
        """To be read from the beginning, without a copy of a file on disk."""
        return io.BytesIO(self.data) if self.path is None else open(self.path, "rb")

    def head(self, size: int = 2**16) -> bytes:
        """The first bytes."""
        return bytes(self.data[:size])


def _zstandard(stream: IO[bytes]) -> Iterator[bytes]:
    """One frame after the other; a stream that ends within a frame is truncated."""
    try:
        import zstandard
    except ImportError:
        raise MissingPackage("zstd files need the package zstandard: pip install zstandard") from None
    left = stream.read(CHUNK)
    while left:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if not left:
                raise EOFError
            try:
                yield frame.decompress(left)
            except zstandard.ZstdError as error:
                raise zlib.error(str(error)) from None
            left = frame.unused_data if frame.eof else stream.read(CHUNK)
        left = left or stream.read(CHUNK)


def _plain(stream: IO[bytes]) -> Iterator[bytes]:
    yield from iter(lambda: stream.read(CHUNK), b"")


def _gzip(stream: IO[bytes]) -> Iterator[bytes]:
    import gzip

    with gzip.GzipFile(fileobj=stream) as plain:
        yield from iter(lambda: plain.read(CHUNK), b"")


def _bzip2(stream: IO[bytes]) -> Iterator[bytes]:
    import bz2

    with bz2.BZ2File(stream) as plain:
        yield from iter(lambda: plain.read(CHUNK), b"")


def _xz(stream: IO[bytes]) -> Iterator[bytes]:
    import lzma

    try:
        with lzma.LZMAFile(stream) as plain:
            yield from iter(lambda: plain.read(CHUNK), b"")
    except lzma.LZMAError as error:
        raise zlib.error(str(error)) from None


#: The first bytes of each compression, what decompresses it, and the suffix of its files.
COMPRESSIONS: dict[bytes, tuple[Callable[[IO[bytes]], Iterator[bytes]], str]] = {
    b"\x1f\x8b": (_gzip, ".gz"),
    b"\x28\xb5\x2f\xfd": (_zstandard, ".zst"),
    b"BZh": (_bzip2, ".bz2"),
    b"\xfd7zXZ\x00": (_xz, ".xz"),
}
SUFFIXES = frozenset({*(suffix for _, suffix in COMPRESSIONS.values()), ".gzip", ".zstd"})


def load(name: str, is_text: Callable[[bytes], bool], line_limit: int) -> Content:
    """All bytes of a file or of standard input. `is_text` judges by the first of them whether lines are measured."""
    shown = "standard input" if name == STANDARD_INPUT else name
    with _reading(shown), _opened(name) as stream:
        decompress = next((read for magic, (read, _) in COMPRESSIONS.items() if stream.peek(8).startswith(magic)), None)
        details = os.fstat(stream.fileno()) if name != STANDARD_INPUT else None
        if decompress is None and details is not None and stat.S_ISREG(details.st_mode) and details.st_size:
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            if is_text(mapped[: 2**16]):
                lines = LineWatch(shown, line_limit)
                for start in range(0, len(mapped), CHUNK):
                    lines.measure(mapped[start : start + CHUNK])
            return Content(name, mapped, name if _is_unicode(name) else None)
        return Content(name, _collect(shown, (decompress or _plain)(stream), is_text, line_limit))


def _is_unicode(name: str) -> bool:
    """Whether other libraries can be given the name; a file may have any bytes as its name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _collect(name: str, chunks: Iterator[bytes], is_text: Callable[[bytes], bool], line_limit: int) -> bytearray:
    everything, lines = bytearray(), None
    for number, chunk in enumerate(chunks):
        if number == 0 and is_text(chunk[: 2**16]):
            lines = LineWatch(name, line_limit)
        if lines is not None:
            lines.measure(chunk)
        everything += chunk
    return everything


class LineWatch:
    """Measures lines as they come in, chunk after chunk, and refuses one that is longer than the limit."""

    def __init__(self, name: str, limit: int) -> None:
        self.name, self.limit, self.line, self.length = name, limit, 1, 0

    def measure(self, chunk: bytes) -> None:
        step = min(self.limit, CHUNK)  # within so few bytes no line can be too long that begins and ends there
        for start in range(0, len(chunk), step):
            self._measure_part(chunk[start : start + step])

    def _measure_part(self, part: bytes) -> None:
        first = part.find(b"\n")
        self.length += first if first >= 0 else len(part)
        if self.length > self.limit:
            raise BadFile(
                self.name,
                f"this line is longer than {self.limit:,} bytes, so this is hardly a table; "
                "if it is one, raise line_limit",
                line=self.line,
            )
        if first >= 0:
            self.line += part.count(b"\n")
            self.length = len(part) - part.rfind(b"\n") - 1


@contextmanager
def _opened(name: str) -> Iterator[io.BufferedReader]:
    if name != STANDARD_INPUT:
        with open(name, "rb") as stream:
            yield stream
        return
    stream = io.BufferedReader(sys.stdin.buffer)  # type: ignore[arg-type]
    try:
        yield stream
    finally:
        stream.detach()  # standard input stays open


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Failures of the system and of decompression, as a sentence."""
    try:
        yield
    except EOFError:
        raise BadFile(name, "the compressed data end in the middle: the file is truncated; fetch it again") from None
    except zlib.error as error:
        raise BadFile(name, f"the compressed data are damaged ({error}); fetch the file again") from None
    except PermissionError:
        raise BadFile(name, "there is no permission to read it; ask its owner, or copy it") from None
    except OSError as error:
        # what gzip and bzip2 raise for damaged data has no number of the system's
        reason = error.strerror.lower() if error.strerror else f"the compressed data are damaged ({error})"
        raise BadFile(name, f"it cannot be read: {reason}") from None
