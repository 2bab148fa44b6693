"""CSV, TSV and other separated fields: every field is read as it stands; types come later (infer.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linsep.errors import BadFile
from linsep.tables.content import Content
from linsep.tables.encodings import as_utf8
from linsep.tables.layout import Layout, find_layout, has_header
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.schema_file import fixed_types

if TYPE_CHECKING:
    import polars as pl


def read_csv(content: Content, options: ReadOptions) -> Part:
    """Separated fields; the separator is found out."""
    return _read(content, options, None)


def read_tsv(content: Content, options: ReadOptions) -> Part:
    """Fields separated by tabs."""
    return _read(content, options, "\t")


def _read(content: Content, options: ReadOptions, separator: str | None) -> Part:
    text = _without_first_lines(as_utf8(content, options.encoding), options.skip)
    if not bytes(text.data[: 2**16]).strip() and not bytes(text.data).strip():
        raise BadFile(
            content.name, "it is empty" + (f" below the {options.skip} lines skipped" if options.skip else "")
        )
    _refuse_old_line_ends(content.name, text)
    if blank := _blank_lines_before(text):
        text, options = _without_first_lines(text, blank), replace(options, skip=options.skip + blank)
    layout = find_layout(text, options, separator)
    header = options.header
    notes = []
    if header is None:
        header = has_header(text, layout, _known_names(options), options.missing)
        if not header:
            notes.append(
                f"{content.name} has no header as it seems: its columns are column_1 to column_{layout.fields}; "
                "say header=True if its first line holds names"
            )
    if header and layout.records == 1:
        raise BadFile(content.name, "there is a header and no rows below it", line=1 + options.skip)
    frame = _frame(text, layout)
    notes += _left_out(content.name, layout, options)
    first = 1 if header else 0
    names = _names(content.name, [cell or "" for cell in frame.row(0)], options) if header else None
    frame.columns = names or [f"column_{j + 1}" for j in range(layout.fields)]

    def line_of(row: int) -> int:
        return layout.line_of(text, row + first) + options.skip

    return Part(content.name, frame=frame[first:], notes=tuple(notes), line_of=line_of)


def _refuse_old_line_ends(file: str, text: Content) -> None:
    """Lines that end in a carriage return alone, as Excel for Mac still writes them, would all be one."""
    head = text.head()
    if b"\n" not in head and head.count(b"\r") > 1:
        raise BadFile(
            file, "its lines end in a carriage return alone (old Macintosh); save it anew, or: tr '\\r' '\\n'", line=1
        )


def _blank_lines_before(text: Content) -> int:
    """How many there are before the table."""
    head = text.head()
    return head[: len(head) - len(head.lstrip(b"\r\n"))].count(b"\n")


def _left_out(file: str, layout: Layout, options: ReadOptions) -> list[str]:
    """What is said about lines that are not rows; blank lines at the end need no word."""
    notes = []
    inside = [number for i, number in enumerate(layout.blanks) if number - i < layout.records]
    if inside:
        notes.append(f"{file}: blank lines left out: {len(inside):,}")
    if layout.ragged:
        lines = ", ".join(f"{line + options.skip:,}" for line, _, _ in layout.ragged[:5])
        more = ", …" if len(layout.ragged) > 5 else ""
        notes.append(f"{file}: lines with another number of fields left out: {len(layout.ragged):,} ({lines}{more})")
    return notes


def _known_names(options: ReadOptions) -> frozenset[str]:
    """Names that the user says the table has."""
    places = (options.target, options.weights, options.groups, options.id, *options.ignore)
    return frozenset(p for p in places if isinstance(p, str)) | frozenset(fixed_types(options.schema).by_name)


def _without_first_lines(text: Content, count: int) -> Content:
    if count == 0:
        return text
    at = 0
    data = bytes(text.data)
    for _ in range(count):
        at = data.find(b"\n", at) + 1
        if at == 0:
            raise BadFile(text.name, f"it has fewer lines than the {count} to skip")
    return replace(text, data=data[at:], path=None)


def _frame(text: Content, layout: Layout) -> pl.DataFrame:
    import polars as pl

    source = text.path if text.path is not None and not layout.ragged else _without(text, layout)
    try:
        frame = pl.read_csv(
            source,
            has_header=False,
            separator=layout.separator,
            quote_char=layout.quote,
            infer_schema=False,
            glob=False,
        )
    except pl.exceptions.PolarsError as error:
        raise BadFile(text.name, f"polars cannot read it: {str(error).splitlines()[0]}") from None
    if frame.height != layout.records + len(layout.blanks) or frame.width != layout.fields:
        raise BadFile(
            text.name,
            f"polars finds {frame.height:,} rows of {frame.width} fields where there are "
            f"{layout.records + len(layout.blanks):,} of {layout.fields}; check its quotes",
        )
    if not layout.blanks:
        return frame
    return frame.filter(~pl.int_range(pl.len()).is_in(pl.Series(layout.blanks, dtype=pl.Int64).implode()))


def _without(text: Content, layout: Layout) -> bytes:
    """The text without the records that are left out."""
    kept, at = bytearray(), 0
    for _, begin, end in layout.ragged:
        kept += text.data[at:begin]
        at = end
    return bytes(kept + text.data[at:]) if layout.ragged else bytes(text.data)


def _names(file: str, cells: list[str], options: ReadOptions) -> list[str]:
    """The names in a header, each once; a column without a name gets that of its place."""
    names = [cell.strip() or f"column_{j + 1}" for j, cell in enumerate(cells)]
    for j, name in enumerate(names):
        if name in names[:j]:
            raise BadFile(
                file,
                f"two columns, {names.index(name) + 1} and {j + 1}, have this name; rename one",
                line=1 + options.skip,
                column=name,
            )
    return names
