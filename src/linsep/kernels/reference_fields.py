"""Plain twin of the scan of separated fields (fields.hpp): one character after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

RAGGED, OPEN_QUOTE, AFTER_QUOTE = range(1, 4)


@dataclass
class Layout:
    records: int = 0
    fields: int = 0
    quoted: int = 0
    blanks: list[int] = field(default_factory=list)
    ragged: list[int] = field(default_factory=list)
    fault: int = 0
    at: tuple[int, int] = (0, 0)
    found: int = 0
    stray: tuple[int, int] = (0, 0)
    line_of: int = 0


def layout(text: bytes, separator: str, quote: str | None, wanted: int = -1, lenient: bool = False) -> Layout:
    """The layout of a text; `wanted` is the record whose line is asked for, where the scan ends.

    `lenient`: a record with another number of fields is left out and listed by line, first and last byte + 1.
    """
    out, at, line, begin = Layout(), 0, 1, 0
    characters = text.decode("latin-1")
    while at < len(characters):
        first, first_line, fields = at, line, 0
        while True:
            fields += 1
            at, line, begin = _field(out, characters, (at, line, begin), separator, quote)
            if out.fault:
                return out
            if at == len(characters) or characters[at] == "\n":
                break
            at += 1
        blank = characters[first:at] in ("", "\r")
        if blank and out.fields != 1 and (out.fields > 1 or out.records == 0):
            out.blanks.append(out.records + len(out.blanks))
        elif out.records and fields != out.fields:
            if not lenient:
                out.fault, out.at, out.found = RAGGED, (first_line, 1), fields
                return out
            out.ragged += [first_line, first, min(at + 1, len(characters))]
        else:
            out.fields, out.records = fields, out.records + 1
            if out.records - 1 == wanted:
                out.line_of = first_line
                return out
        at, line, begin = at + 1, line + 1, at + 1
    return out


def _field(
    out: Layout, text: str, place: tuple[int, int, int], separator: str, quote: str | None
) -> tuple[int, int, int]:
    """The place behind the field that begins here: byte, line, and the byte where that line begins."""
    at, line, begin = place
    if quote is None or text[at : at + 1] != quote:
        while at < len(text) and text[at] not in (separator, "\n"):
            if text[at] == quote and out.stray == (0, 0):
                out.stray = (line, at - begin + 1)
            at += 1
        return at, line, begin
    opened = (line, at - begin + 1)
    out.quoted, at = out.quoted + 1, at + 1
    while at < len(text):
        if text[at] == "\n":
            line, begin = line + 1, at + 1
        if text[at : at + 2] == quote * 2:
            at += 2
        elif text[at] == quote:
            rest = text[at + 1 : at + 3]
            if rest[:1] in ("", separator, "\n"):
                return at + 1, line, begin
            if rest in ("\r", "\r\n"):
                return at + 2, line, begin
            out.fault, out.at = AFTER_QUOTE, (line, at + 1 - begin + 1)
            return at, line, begin
        else:
            at += 1
    out.fault, out.at = OPEN_QUOTE, opened
    return at, line, begin
