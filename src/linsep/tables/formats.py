"""The formats: which reader reads a file, told by its name, else by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from linsep.errors import BadFile, unknown_name
from linsep.later import calling
from linsep.tables.content import SUFFIXES, Content, load
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.sources import STANDARD_INPUT


@dataclass(frozen=True)
class Format:
    """suffixes of its files; read: its reader; begins: the first bytes of every file, empty for text."""

    suffixes: tuple[str, ...]
    read: Callable[[Content, ReadOptions], Part]
    begins: tuple[bytes, ...] = ()

    @property
    def is_text(self) -> bool:
        return not self.begins


_DELIMITED, _BINARY = "linsep.tables.delimited", "linsep.tables.binary"
FORMATS: dict[str, Format] = {
    "csv": Format((".csv", ".txt", ".data"), calling(_DELIMITED, "read_csv")),
    "tsv": Format((".tsv", ".tab"), calling(_DELIMITED, "read_tsv")),
    "ndjson": Format((".ndjson", ".jsonl", ".json"), calling(_BINARY, "read_ndjson")),
    "parquet": Format((".parquet", ".pq"), calling(_BINARY, "read_parquet"), (b"PAR1",)),
    "arrow": Format((".arrow", ".feather", ".ipc"), calling(_BINARY, "read_arrow"), (b"ARROW1", b"\xff\xff\xff\xff")),
    "svmlight": Format((".svm", ".svmlight", ".libsvm"), calling("linsep.tables.sparse_text", "read_svmlight")),
    "npz": Format((".npz",), calling("linsep.tables.arrays", "read_npz"), (b"PK\x03\x04", b"PK\x05\x06")),
}
_BY_SUFFIX = {suffix: name for name, each in FORMATS.items() for suffix in each.suffixes}

#: Other files by their first bytes and something that they hold near the beginning.
OTHERS = (
    (b"PK\x03\x04", b"[Content_Types].xml", "an Excel workbook"),
    (b"PK\x03\x04", b"mimetypeapplication/vnd.oasis", "an OpenDocument file"),
    (b"\xd0\xcf\x11\xe0", b"", "an old Excel workbook"),
    (b"SQLite format 3", b"", "an SQLite database"),
    (b"%PDF", b"", "a PDF file"),
)

_SVMLIGHT_LINE = re.compile(rb"\s*[^\s:,#]+(\s+qid:\d+)?(\s+\d+:[^\s:]+)+\s*(#.*)?")


def read_file(name: str, options: ReadOptions) -> Part:
    """One file by its reader."""
    if options.format is not None and options.format not in FORMATS:
        raise unknown_name("format", options.format, FORMATS)
    shown = "standard input" if name == STANDARD_INPUT else name
    content = load(name, lambda head: FORMATS[_format(name, head, options)].is_text, options.line_limit)
    content = Content(shown, content.data, content.path)
    if len(content.data) == 0:
        raise BadFile(shown, "it is empty")
    head = content.head()
    _refuse_others(shown, head)
    chosen = FORMATS[_format(name, head, options)]
    actual = _by_first_bytes(head)
    if chosen.is_text and actual is not None:
        raise BadFile(
            shown, f"it is read as text, but begins like a file of the format {actual}; say format={actual!r}"
        )
    return chosen.read(content, options)


def _refuse_others(shown: str, head: bytes) -> None:
    """Files that people have and that are none of the formats, with the way to one that is."""
    for begins, holds, what in OTHERS:
        if head.startswith(begins) and holds in head:
            raise BadFile(shown, f"this is {what}; save the table as CSV, and read that")


def _format(name: str, head: bytes, options: ReadOptions) -> str:
    if options.format is not None:
        return options.format
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    if suffixes and suffixes[-1] in SUFFIXES:
        suffixes.pop()
    named = _BY_SUFFIX.get(suffixes[-1]) if suffixes else None
    return named or _by_first_bytes(head) or _by_first_line(head)


def _by_first_bytes(head: bytes) -> str | None:
    return next((name for name, each in FORMATS.items() if each.begins and head.startswith(each.begins)), None)


def _by_first_line(head: bytes) -> str:
    """Of text: objects in braces are NDJSON, index:value pairs are svmlight, everything else is separated fields."""
    lines = (line for line in head.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
    first = next(lines, b"")
    if first.lstrip().startswith(b"{"):
        return "ndjson"
    return "svmlight" if _SVMLIGHT_LINE.fullmatch(first) else "csv"
