"""linsep export, convert and report: a model or a table in another form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from linsep.cli.groups import Own
from linsep.cli.options import Answer, Data, Force, Model, Reading
from linsep.cli.outcome import Exit
from linsep.cli.output import check_free, csv_blocks, in_memory, ndjson_blocks
from linsep.cli.screen import Screen
from linsep.cli.stored import open_model, table_for
from linsep.cli.watched import watched
from linsep.errors import Refused, unknown_name

if TYPE_CHECKING:
    import polars as pl

    from linsep.workflow.trained import Trained

_FORM = "Where to write; its suffix names the form."
Page = Annotated[Path, Own("Where to write.", ("--output", "-o"), "PATH", suffixes=(".html",))]
Export = Annotated[Path, Own(_FORM, ("--output", "-o"), "PATH", suffixes=(".onnx", ".sql", ".joblib"))]
Converted = Annotated[
    Path, Own(_FORM, ("--output", "-o"), "PATH", suffixes=(".csv", ".tsv", ".parquet", ".arrow", ".ndjson"))
]
Name = Annotated[str, Own("Of SQL: the table to score.", ("--table",), "NAME")]
Keep = Annotated[
    list[str], Own("Of SQL: a column to repeat beside the result; may be repeated.", ("--keep",), "COLUMN")
]


def report(
    model: Model, data: Data, output: Page, reading: Reading, target: Answer = None, force: Force = False
) -> Exit:
    """Write a report about a model as one HTML page.

    It needs no network: what was fitted, the certificate, the quality on the data given, coefficients, margins.

    Example:

      linsep report adult.linsep adult_test.csv -o report.html
    """
    from linsep.report import write_report

    check_free(output, force, (model, *data))
    screen, trained = Screen(), open_model(model)
    with watched(screen) as watch:
        watch.stage("reading")
        table = table_for(trained, data, reading, target)
        watch.stage("writing the report")
        write_report(trained, table, output, force=force)
    screen.note(f"written to {output}", style="")
    return Exit.CERTIFIED


def export(model: Model, output: Export, table: Name = "data", keep: Keep = [], force: Force = False) -> Exit:  # noqa: B006 (it is only read)
    """Write a model as ONNX, SQL or a scikit-learn pipeline.

    The suffix decides: .onnx; .sql for a query that scores the rows of a table where they are; .joblib for a pipeline
    of scikit-learn over a frame of pandas, which joblib.load reads where linsep is not installed. A database gives rows
    in any order: the query repeats the columns that name them (an id), and those of --keep.

    Examples:

      linsep export adult.linsep -o adult.onnx

      linsep export adult.linsep -o adult.joblib

      linsep export adult.linsep -o adult.sql --table people --keep age
    """
    from linsep.storage.atomic import write_atomically

    make = EXPORTS.get(output.suffix)
    if make is None:
        raise unknown_name("form of an export", output.suffix, EXPORTS)
    check_free(output, force, (model,))
    screen, trained = Screen(), open_model(model)
    content = make(trained, table, keep)
    write_atomically(output, lambda file: _put(file, content), force=force)
    screen.note(f"written to {output}", style="")
    if output.suffix != ".sql" and _has_categories(trained):
        screen.note(_AS_IT_STANDS)
    return Exit.CERTIFIED


def convert(data: Data, output: Converted, reading: Reading, force: Force = False) -> Exit:
    """Write a table in another format.

    The suffix decides: .csv, .tsv, .parquet, .arrow, .ndjson. Types are those that linsep info shows; missing values
    stay missing.

    Example:

      linsep convert adult.csv.gz -o adult.parquet
    """
    from linsep.storage.atomic import write_atomically
    from linsep.tables import read_table

    write = FORMS.get(output.suffix)
    if write is None:
        raise unknown_name("format to write", output.suffix, FORMS)
    check_free(output, force, data)
    screen = Screen()
    with watched(screen) as watch:
        watch.stage("reading")
        table = read_table(data, reading.options())
    screen.notes(table.notes)
    if table.frame is None:
        raise Refused("a matrix without names (svmlight, npz) is not converted to a table")
    frame = table.frame
    write_atomically(output, lambda file: file.writelines(write(frame)), force=force)
    screen.note(f"written to {output}", style="")
    return Exit.CERTIFIED


def _put(file: BinaryIO, content: bytes) -> None:
    file.write(content)


def _onnx(trained: Trained, table: str, keep: list[str]) -> bytes:
    from linsep.export import to_onnx

    made: bytes = to_onnx(trained).SerializeToString()
    return made


def _sql(trained: Trained, table: str, keep: list[str]) -> bytes:
    from linsep.export import to_sql

    columns = None if trained.features.names is not None else [f"x{j + 1}" for j in range(trained.model.n_features)]
    sql = to_sql(trained, columns)
    ids = [name for name in _ids(trained) if name not in (*keep, *sql.outputs)]
    return (sql.query(table, [*ids, *keep]) + ";\n").encode()


def _has_categories(trained: Trained) -> bool:
    from linsep.tables.schema import ColumnType
    from linsep.workflow.features import FrameFeatures

    return isinstance(trained.features, FrameFeatures) and bool(
        trained.features.encoder.schema_.of(ColumnType.CATEGORY)
    )


def _ids(trained: Trained) -> list[str]:
    """The columns that name the rows."""
    from linsep.tables.schema import ColumnType
    from linsep.workflow.features import FrameFeatures

    if not isinstance(trained.features, FrameFeatures):
        return []
    return [column.name for column in trained.features.encoder.schema_.of(ColumnType.ID)]


def _joblib(trained: Trained, table: str, keep: list[str]) -> bytes:
    from importlib import import_module
    from io import BytesIO

    from linsep.export import to_sklearn

    content = BytesIO()
    import_module("joblib").dump(to_sklearn(trained), content)
    return content.getvalue()


#: linsep strips what it reads; nobody else does.
_AS_IT_STANDS = (
    "it compares categories as they stand: give them without spaces around, and missing where the file has ? or NA "
    "(pandas: skipinitialspace=True, na_values='?')"
)

#: suffix → what makes the bytes of an export
EXPORTS: dict[str, Callable[[Trained, str, list[str]], bytes]] = {".onnx": _onnx, ".sql": _sql, ".joblib": _joblib}

#: suffix → a frame in that form, in pieces
FORMS: dict[str, Callable[[pl.DataFrame], Iterator[bytes]]] = {
    ".csv": csv_blocks,
    ".tsv": lambda frame: csv_blocks(frame, "\t"),
    ".parquet": lambda frame: in_memory(frame.write_parquet),
    ".arrow": lambda frame: in_memory(frame.write_ipc),
    ".ndjson": ndjson_blocks,
}
