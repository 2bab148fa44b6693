"""linsep predict and evaluate: a model file on new rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from linsep.cli.options import Data, Force, Json, Model, Output, Reading
from linsep.cli.outcome import Exit
from linsep.cli.screen import Screen
from linsep.cli.stored import open_model, table_for
from linsep.cli.tables import csv_lines
from linsep.cli.words import describe_quality
from linsep.quality import measure
from linsep.storage.atomic import write_atomically
from linsep.tables import Table
from linsep.tables.schema import ColumnType
from linsep.types import FloatArray
from linsep.workflow.trained import Scored, Trained

Scores = Annotated[bool, typer.Option("--scores", help="Add the score of every class.")]


def predict(
    model: Model,
    data: Data,
    reading: Reading,
    output: Output = None,
    scores: Scores = False,
    force: Force = False,
) -> Exit:
    """Predict the class of every row, with probabilities, as CSV.

    The columns may come in any order; columns that training did not have are left out with a word about it. A column
    that names the rows (an id) is repeated in the output.

    Examples:

      linsep predict adult.linsep new.csv > predictions.csv

      cat new.csv | linsep predict adult.linsep - -o predictions.csv
    """
    screen, trained = Screen(), open_model(model)
    table = table_for(trained, data, reading, labelled=False)
    scored = trained.score(table)
    screen.notes((*table.notes, *scored.notes))
    lines = _lines(trained, table, scored, scores)
    if output is None:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    else:
        write_atomically(output, lambda file: file.writelines(line.encode() for line in lines), force=force)
    return Exit.CERTIFIED


def evaluate(model: Model, data: Data, reading: Reading, json: Json = False) -> Exit:
    """Measure a model on rows whose class is known and that it was not trained on.

    Every measure has its 95 % interval, and the constant classifier's value beside it.

    Example:

      linsep evaluate adult.linsep adult_test.csv
    """
    screen, trained = Screen(json), open_model(model)
    table = table_for(trained, data, reading, labelled=True)
    predictions, notes = trained.predictions(table)
    quality = measure(predictions)
    screen.notes((*table.notes, *notes))
    describe_quality(screen, quality, "rows")
    if len(trained.classes) <= 12:
        _confusion(screen, trained, quality.confusion)
    screen.finish({"classes": trained.classes, **quality.record()})
    return Exit.CERTIFIED


def _confusion(screen: Screen, trained: Trained, confusion: FloatArray) -> None:
    names = [str(c) for c in trained.classes]
    screen.say()
    rows = [(name, *(f"{cell:,.6g}" for cell in line)) for name, line in zip(names, confusion, strict=True)]
    screen.table(["true \\ predicted", *names], rows, right=range(1, len(names) + 1))


def _lines(trained: Trained, table: Table, scored: Scored, with_scores: bool) -> Iterator[str]:
    """CSV: the row's name if it has one, the class, a probability a class, a score a class."""
    classes = [str(each) for each in trained.classes]
    named = table.schema.of(ColumnType.ID) if table.frame is not None else ()
    heads = [each.name for each in named] + ["prediction"]
    columns = [np.asarray(table.frame[each.name].cast(str)) for each in named] if table.frame is not None else []
    columns.append(np.array(classes, dtype=object)[scored.predicted])
    if scored.probabilities is not None:
        heads += [f"probability {each}" for each in classes]
        columns += list(scored.probabilities.T)
    if with_scores:
        wide = scored.scores if scored.scores.ndim == 2 else scored.scores[:, None]
        heads += [f"score {each}" for each in (classes if wide.shape[1] > 1 else classes[1:])]
        columns += list(wide.T)
    return csv_lines(heads, columns)
