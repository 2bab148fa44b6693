"""The layout of a text of separated fields: its separator, whether it quotes, whether its first line holds names."""

from __future__ import annotations

import csv
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from linsep.errors import BadFile
from linsep.kernels import _parsing as parsing
from linsep.kernels.reference_fields import AFTER_QUOTE, OPEN_QUOTE, RAGGED
from linsep.tables.content import Content
from linsep.tables.options import ReadOptions

SEPARATORS = (",", "\t", ";", "|")
QUOTE = '"'

_SAMPLE_BYTES, _SAMPLE_RECORDS = 2**20, 1000
_NUMBER_OR_DATE = re.compile(r"[+-]?[\d.,]+(e[+-]?\d+)?%?|\d+[-/.:]\d+.*", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """separator; quote, None for none; fields a record; records; and what is left out.

    blanks  how many records and blank lines come before each blank line
    ragged  (line, first byte, last byte + 1) of each record with another number of fields
    """

    separator: str
    quote: str | None
    fields: int
    records: int
    blanks: tuple[int, ...]
    ragged: tuple[tuple[int, int, int], ...] = ()

    def line_of(self, content: Content, record: int) -> int:
        """The line on which a record begins, both counted without the lines that were skipped."""
        return _scan(content, self.separator, self.quote, bool(self.ragged), record).line_of


def find_layout(content: Content, options: ReadOptions, usual: str | None) -> Layout:
    """The layout, or an error that names line and column. `usual` is the separator that the format stands for."""
    separator, lenient = options.separator or usual or sniff_separator(content.head(_SAMPLE_BYTES)), options.drop_ragged
    if options.quote is not None:
        quote = options.quote or None
        return _checked(content, _scan(content, separator, quote, lenient), separator, quote, options)
    quoted = _scan(content, separator, QUOTE, lenient)
    if quoted.quoted == 0:
        return _checked(content, quoted, separator, None, options)
    if separator == "\t":
        # Tab-separated files seldom quote: there a quote that would join lines is more likely a part of the text.
        plain = _scan(content, separator, None, lenient)
        sound = not quoted.fault and not quoted.stray[0] and quoted.records == plain.records
        if not plain.fault and not sound:
            return _checked(content, plain, separator, None, options)
    return _checked(content, quoted, separator, QUOTE, options)


def _scan(content: Content, separator: str, quote: str | None, lenient: bool, wanted: int = -1) -> parsing.FieldsLayout:
    code = -1 if quote is None else ord(quote)
    return parsing.fields_layout(content.array(), ord(separator), code, wanted, lenient)


def _checked(
    content: Content, found: parsing.FieldsLayout, separator: str, quote: str | None, options: ReadOptions
) -> Layout:
    if found.fault:
        raise _fault(content, found, separator, options)
    if quote is not None and found.stray[0]:
        line, column = found.stray
        reason = (
            "a quote stands inside a field that does not begin with one; put the field in quotes and double the quotes "
            "in it, or read with quote='' if quotes are ordinary characters here"
        )
        raise BadFile(content.name, reason, line=line + options.skip, column=column)
    ragged = found.ragged
    spans = tuple(zip(ragged[0::3], ragged[1::3], ragged[2::3], strict=True))
    return Layout(separator, quote, found.fields, found.records, tuple(found.blanks), spans)


def _fault(content: Content, found: parsing.FieldsLayout, separator: str, options: ReadOptions) -> BadFile:
    line, column = found.at
    if found.fault == RAGGED:
        what = f"{found.found} field{'s' if found.found != 1 else ''}"
        reason = f"{what} where the first line has {found.fields} (separated by {separator!r})"
        if found.found > found.fields and _begins_below(content, found, separator):
            reason += f"; if the table begins below its first lines, read it with skip={line - 1 + options.skip}"
        else:
            reason += "; correct it, or leave such lines out with drop_ragged"
        return BadFile(content.name, reason, line=line + options.skip)
    reasons = {
        OPEN_QUOTE: "a quote is opened here and never closed; close it, or read with quote='' if quotes are ordinary "
        "characters here",
        AFTER_QUOTE: "text follows the quote that closes a field; double a quote that is part of the field, or read "
        "with quote='' if quotes are ordinary characters here",
    }
    return BadFile(content.name, reasons[found.fault], line=line + options.skip, column=column)


def _begins_below(content: Content, found: parsing.FieldsLayout, separator: str) -> bool:
    """Whether the first lines are a title: of the first records more are like the ragged one than like the first."""
    records = sample(content.head(_SAMPLE_BYTES), separator, QUOTE)[:50]
    counts = Counter(len(record) for record in records)
    return found.at[0] <= 20 and counts[found.found] > counts[found.fields]


def sniff_separator(head: bytes) -> str:
    """The separator that cuts most lines into the same number of fields, more than one; a comma where none does."""

    def agreement(separator: str) -> tuple[float, int]:
        counts = Counter(len(record) for record in sample(head, separator, QUOTE)[:50] if record)
        if not counts:
            return 0.0, 0
        fields, times = counts.most_common(1)[0]
        return (times / counts.total(), fields) if fields > 1 else (0.0, 0)

    scores = {separator: agreement(separator) for separator in SEPARATORS}
    best = max(scores, key=lambda separator: scores[separator])
    return best if scores[best][1] else ","


def sample(head: bytes, separator: str, quote: str | None) -> list[list[str]]:
    """The first records; the last line, which may be cut, is left out where others remain."""
    lines = head.decode("utf-8", errors="replace").splitlines(keepends=True)
    whole = lines[:-1] if len(lines) > 1 and len(head) >= _SAMPLE_BYTES else lines
    if quote is None:
        reader = csv.reader(whole, delimiter=separator, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(whole, delimiter=separator, quotechar=quote)
    records: list[list[str]] = []
    with suppress(csv.Error):  # a field longer than the module allows: what came before it serves
        records.extend(record for record in islice(reader, _SAMPLE_RECORDS) if record)
    return records


def has_header(content: Content, layout: Layout, known: frozenset[str], missing: tuple[str, ...]) -> bool:
    """Whether the first line holds names: one of the `known` names is there; or it looks unlike the lines below it.

    Names are not empty, not numbers or dates. And one stands above a column of numbers (and does not say that a value
    is missing); or they are all different, and none occurs again below as a value of its column.
    """
    records = [
        r for r in sample(content.head(_SAMPLE_BYTES), layout.separator, layout.quote) if len(r) == layout.fields
    ]
    if not records:
        return False
    first = [cell.strip() for cell in records[0]]
    if known & set(first):
        return True
    named = [cell for cell in first if cell]
    if len(named) < len(first) - 1:  # one may be empty: the index of a data frame
        return False
    if any(_NUMBER_OR_DATE.fullmatch(cell) or len(cell) > 100 for cell in named):
        return False
    absent = {"", *(marker.lower() for marker in missing)}
    columns = [[cell.strip() for cell in column] for column in zip(*records[1:], strict=True)]
    if any(name.lower() not in absent and _numbers(below, absent) for name, below in zip(first, columns, strict=False)):
        return True
    apart = all(name == "" or name not in below for name, below in zip(first, columns, strict=False))
    return apart and len(set(named)) == len(named)


def _numbers(cells: list[str], absent: set[str]) -> bool:
    """Whether all that are there are numbers or dates, and some are."""
    there = [cell for cell in cells if cell.lower() not in absent]
    return bool(there) and all(_NUMBER_OR_DATE.fullmatch(cell) for cell in there)
