"""Text as UTF-8: checked, or translated from the encoding that was named."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace

from linsep.errors import BadFile
from linsep.tables.content import CHUNK, Content

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def as_utf8(content: Content, encoding: str) -> Content:
    """The text in UTF-8 without a byte order mark; an error with line and column where it is not in the encoding."""
    name = codecs.lookup(encoding).name
    if name.startswith("utf-8") or name == "ascii":
        _refuse_binary(content)
        for _ in _decoded(content, name):
            pass
        if content.head(3) != codecs.BOM_UTF8:
            return content
        return replace(content, data=memoryview(content.data)[3:], path=None)
    text = bytearray()
    for piece in _decoded(content, name):
        text += piece.encode()
    return Content(content.name, text)


def _refuse_binary(content: Content) -> None:
    head = content.head()
    if head.startswith(_UTF16):
        raise BadFile(content.name, "this text is in UTF-16; read it with encoding utf-16", line=1, column=1)
    zero = head.find(b"\0")
    if zero >= 0:
        line, column = _place(head, zero)
        raise BadFile(
            content.name,
            "there is a zero byte, so this is not a text; name the format, or the encoding if this is utf-16-le or -be",
            line=line,
            column=column,
        )


def _decoded(content: Content, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(content.data), CHUNK):
        pending = len(decoder.getstate()[0])
        piece = content.data[start : start + CHUNK]
        try:
            yield decoder.decode(piece, final=start + CHUNK >= len(content.data))
        except UnicodeDecodeError as error:
            raise _wrong_encoding(content, start - pending + error.start, encoding) from None


def _wrong_encoding(content: Content, at: int, encoding: str) -> BadFile:
    line, column = _place(content.data[:at], at)
    found = content.data[at : at + 1][0]
    others = "latin-1 or cp1252" if encoding.startswith("utf-8") else "utf-8 or latin-1"
    return BadFile(
        content.name,
        f"the byte 0x{found:02x} is not {encoding}; read it with encoding {others}",
        line=line,
        column=column,
    )


def _place(text: object, at: int) -> tuple[int, int]:
    """Line and column, both from 1, the column in bytes, of a byte of the text."""
    before = bytes(text[:at])  # type: ignore[index]
    return before.count(b"\n") + 1, at - before.rfind(b"\n")
