"""`read_table`: from a name to a table."""

from __future__ import annotations

from linsep.errors import BadFile, InvalidType
from linsep.later import calling
from linsep.tables.columns import table_of_frames
from linsep.tables.formats import read_file
from linsep.tables.options import ReadOptions
from linsep.tables.sources import Source, find_files
from linsep.tables.table import Table

_table_of_matrices = calling("linsep.tables.matrices", "table_of_matrices")


def read_table(source: Source, options: ReadOptions | None = None) -> Table:
    """Read a file, the files of a pattern, a list of files, or standard input ("-").

    CSV, TSV, NDJSON, Parquet, Arrow, svmlight and npz, plain or compressed with gzip, zstd, bzip2 or xz. Types are
    inferred, each with a reason (`Table.schema`); `ReadOptions` fixes what the files do not say. Whatever cannot be
    read as it stands raises `BadFile` with file, line and column; nothing is repaired in silence (`Table.notes`).

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
    >>> _ = file.write_text("name,legs,kind\\nRex,4,dog\\nTom,4,cat\\nPip,2,bird\\n")
    >>> table = read_table(file, ReadOptions(target="kind"))
    >>> [(column.name, column.type.value) for column in table.schema.columns]
    [('name', 'category'), ('legs', 'number'), ('kind', 'target')]
    >>> table.target.tolist()
    ['dog', 'cat', 'bird']
    """
    if options is not None and not isinstance(options, ReadOptions):
        raise InvalidType(f"options is a {type(options).__name__}; give linsep.ReadOptions(…)")
    given = options or ReadOptions()
    parts = [read_file(name, given) for name in find_files(source)]
    for part in parts:
        if (part.frame is None) != (parts[0].frame is None):
            raise BadFile(part.name, f"{parts[0].name} is of another format; read together files of one format")
    build = _table_of_matrices if parts[0].frame is None else table_of_frames
    table: Table = build(parts, given)
    return table
