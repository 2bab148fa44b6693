"""A report as a file, for the command line and for Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

from linsep.report.blocks import Report
from linsep.report.build import build_report, report_of
from linsep.report.cases import case_of_arrays
from linsep.report.render import render
from linsep.storage.atomic import write_atomically
from linsep.tables import Table
from linsep.workflow.trained import Trained

Place = str | os.PathLike[str]


def write_report(
    trained: Trained, table: Table, path: Place, force: bool = False, table_is_training: bool | None = None
) -> Path:
    """Write the report on a trained model and a table to one HTML file; the place written to."""
    return _write(build_report(trained, table, table_is_training), path, force)


def report(
    model: Any, X: Any, y: Any, path: Place | None = None, *, sample_weight: Any = None, force: bool = False
) -> str:
    """The report on a fitted linear classifier, or its `model_`, and rows with their classes, as HTML.

    With a path it is also written there: all of it or nothing, and over an old file only by force.

    >>> from linsep import LogisticRegression
    >>> from linsep.report import report
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.5], [0.5]], ["no", "no", "yes", "yes", "no", "yes"]
    >>> page = report(LogisticRegression(alpha=0.1).fit(X, y), X, y)
    >>> page.startswith("<!DOCTYPE html>"), "The data given are the training rows" in page
    (True, True)
    """
    made = report_of(case_of_arrays(model, X, y, sample_weight))
    if path is not None:
        _write(made, path, force)
    return render(made)


def _write(made: Report, path: Place, force: bool) -> Path:
    content = render(made).encode("utf-8")

    def fill(file: BinaryIO) -> None:
        file.write(content)

    return write_atomically(path, fill, force=force)
