"""linsep predict and evaluate: a model file on new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from linsep.cli.groups import Own
from linsep.cli.options import Answer, Data, Force, Json, Model, Output, Reading
from linsep.cli.outcome import Exit
from linsep.cli.output import check_free, write_frame
from linsep.cli.screen import Screen
from linsep.cli.stored import open_model, table_for
from linsep.cli.watched import watched

if TYPE_CHECKING:
    from linsep.tables import Table
    from linsep.types import FloatArray
    from linsep.workflow.trained import Scored, Trained

Scores = Annotated[bool, Own("Add the score of every class.", ("--scores",))]


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

      cat new.csv | linsep predict adult.linsep - -o scored.csv --scores
    """
    check_free(output, force, (model, *data))
    screen, trained = Screen(), open_model(model)
    with watched(screen) as watch:
        watch.stage("reading")
        table = table_for(trained, data, reading, labelled=False)
        watch.stage(f"predicting {table.rows:,} rows")
        scored = trained.score(table)
    screen.notes((*table.notes, *scored.notes))
    write_frame(_columns(trained, table, scored, scores), output, force)
    return Exit.CERTIFIED


def evaluate(model: Model, data: Data, reading: Reading, target: Answer = None, json: Json = False) -> Exit:
    """Measure a model on rows whose class is known.

    They should be rows that it was not trained on. Every measure has its 95 % interval, and the constant classifier's
    value beside it.

    Example:

      linsep evaluate adult.linsep adult_test.csv
    """
    from linsep.cli.words import describe_quality, measured
    from linsep.quality import measure

    screen, trained = Screen(json), open_model(model)
    with watched(screen) as watch:
        watch.stage("reading")
        table = table_for(trained, data, reading, target)
        watch.stage(f"predicting {table.rows:,} rows")
        predictions, notes = trained.predictions(table)
        quality = measure(predictions)
    screen.notes((*table.notes, *notes))
    describe_quality(screen, quality, "rows")
    if len(trained.classes) <= 12:
        _confusion(screen, trained, quality.confusion)
    screen.finish({"classes": trained.classes, **measured(quality)})
    return Exit.CERTIFIED


def _confusion(screen: Screen, trained: Trained, confusion: FloatArray) -> None:
    names = [str(c) for c in trained.classes]
    screen.say()
    rows = [(name, *(f"{cell:,.6g}" for cell in line)) for name, line in zip(names, confusion, strict=True)]
    screen.table(["true \\ predicted", *names], rows, right=range(1, len(names) + 1))


def _columns(trained: Trained, table: Table, scored: Scored, with_scores: bool) -> dict[str, Any]:
    """The row's name if it has one, the class, a probability a class, a score a class."""
    import polars as pl

    from linsep.tables.schema import ColumnType

    classes = [str(each) for each in trained.classes]
    named = table.schema.of(ColumnType.ID) if table.frame is not None else ()
    columns: dict[str, Any] = {} if table.frame is None else {each.name: table.frame[each.name] for each in named}
    added: dict[str, Any] = {"prediction": pl.Series(classes).gather(scored.predicted)}
    if scored.probabilities is not None:
        added |= {f"probability {c}": scored.probabilities[:, k] for k, c in enumerate(classes)}
    if with_scores:
        wide = scored.scores if scored.scores.ndim == 2 else scored.scores[:, None]
        told = classes if wide.shape[1] > 1 else classes[1:]
        added |= {f"score {c}": wide[:, k] for k, c in enumerate(told)}
    for name, values in added.items():
        columns[name if name not in columns else f"{name} (linsep)"] = values
    return columns
