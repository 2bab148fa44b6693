"""Parquet and Arrow files, and NDJSON: formats whose values have types of their own."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from math import isinf
from typing import Any

from linsep.errors import BadFile
from linsep.tables.content import Content
from linsep.tables.encodings import as_utf8
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part

#: What JSON has that is neither a number nor a string.
_KINDS: dict[type, str] = {bool: "true or false", list: "a list", dict: "an object"}


def read_parquet(content: Content, options: ReadOptions) -> Part:
    _expect(content, b"PAR1", "Parquet")
    import polars as pl

    return _typed(content, "Parquet", lambda data: pl.read_parquet(data))


def read_arrow(content: Content, options: ReadOptions) -> Part:
    if content.head(6) == b"\xff\xff\xff\xff" + content.head(6)[4:]:
        import polars as pl

        return _typed(content, "Arrow", lambda data: pl.read_ipc_stream(data))
    _expect(content, b"ARROW1", "Arrow")
    import polars as pl

    return _typed(content, "Arrow", lambda data: pl.read_ipc(data))


def _expect(content: Content, magic: bytes, kind: str) -> None:
    head = content.head(8)
    if not head:
        raise BadFile(content.name, "it is empty")
    if not head.startswith(magic):
        raise BadFile(
            content.name, f"it is no {kind} file: it begins with {head!r}, not with {magic!r}; name its format"
        )


def _typed(content: Content, kind: str, read: Callable[[Any], Any]) -> Part:
    try:
        with content.open() as file:
            frame = read(file)
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BadFile(content.name, f"this {kind} file is damaged or truncated ({reason}); fetch it again") from None
    if frame.width == 0 or frame.height == 0:
        raise BadFile(content.name, f"it has {frame.width} columns and no rows")
    return Part(content.name, frame=frame)


def read_ndjson(content: Content, options: ReadOptions) -> Part:
    """One JSON object a line; a key that a line does not have is a missing value."""
    import polars as pl

    text = as_utf8(content, options.encoding)
    lines = bytes(text.data)
    if not lines.strip():
        raise BadFile(content.name, "it is empty")
    try:
        frame = pl.read_ndjson(io.BytesIO(lines), infer_schema_length=None)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise _wrong_line(content.name, lines, error) from None
    numbers: list[int] = []

    def line_of(row: int) -> int:
        if not numbers:
            numbers.extend(i for i, line in enumerate(lines.split(b"\n"), 1) if line.strip())
        return numbers[row]

    objects = sum(1 for line in lines.split(b"\n") if line.strip())
    if frame.height != objects or frame.width == 0:
        raise BadFile(content.name, f"there are {objects:,} lines and {frame.height:,} rows; give one object a line")
    return Part(content.name, frame=frame, line_of=line_of)


def _wrong_line(name: str, lines: bytes, error: BaseException) -> BadFile:
    if lines.lstrip().startswith(b"["):
        return BadFile(name, "this is a JSON array; write one object a line, as jq -c '.[]' does", line=1)
    kinds: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_float=_fraction, parse_constant=_constant)
        except ValueError as problem:
            column = getattr(problem, "colno", None)
            return BadFile(
                name, f"this is no JSON object ({getattr(problem, 'msg', problem)})", line=number, column=column
            )
        except RecursionError:
            return BadFile(name, "this is nested too deeply", line=number)
        if not isinstance(value, dict):
            return BadFile(name, f"expected an object {{…}}, found {line[:40].decode(errors='replace')}", line=number)
        for key, each in value.items():
            kind = _KINDS.get(type(each), "a number or a string")
            first, where = kinds.setdefault(key, (kind, number)) if each is not None else (kind, number)
            if kind != first:
                reason = f"found {kind} where line {where:,} has {first}; write them alike"
                return BadFile(name, reason, line=number, column=key)
    return BadFile(name, f"its lines do not make a table: {(str(error).splitlines() or ['?'])[0]}")


def _fraction(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(f"the number {digits} is too large")
    return number


def _constant(word: str) -> float:
    raise ValueError(f"{word} is no number in JSON; write null where a value is missing")
