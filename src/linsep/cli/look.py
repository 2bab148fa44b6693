"""linsep info and summary: what a file holds, what a model is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from linsep.cli.groups import Own
from linsep.cli.options import Data, Json, Model, Reading
from linsep.cli.outcome import Exit
from linsep.cli.screen import Screen
from linsep.cli.stored import open_model
from linsep.cli.watched import watched

if TYPE_CHECKING:
    from linsep.tables import Table
    from linsep.workflow.trained import Trained

Write = Annotated[bool, Own("Print the types as a schema file, ready to be edited.", ("--write-schema",))]
Most = Annotated[int, Own("Coefficients to show.", ("--most",), least=1)]

#: Bytes at the end of a file where a zip lists its last members.
_DIRECTORY = 2**16


class Coefficient(NamedTuple):
    """One weight: of which class or problem ("" for two classes), column, unit; scaled: of the standardised column."""

    label: str
    name: str
    unit: str
    weight: float
    scaled: float


def info(data: Data, reading: Reading, write_schema: Write = False, json: Json = False) -> Exit:
    """Show what a file holds: its columns, with their types.

    Each type comes with the reason for it; --schema sets it right where it is wrong. Of a model file: what it is.

    Examples:

      linsep info adult.csv

      linsep info adult.csv --write-schema > types.toml
    """
    from linsep.cli.words import show, told
    from linsep.tables import read_table
    from linsep.tables.schema_file import schema_text

    screen = Screen(json)
    if len(data) == 1 and data[0] != "-" and _is_model(Path(data[0])):
        trained = open_model(Path(data[0]))
        show(screen, trained)
        screen.finish(told(trained))
        return Exit.CERTIFIED
    with watched(screen) as watch:
        watch.stage("reading")
        table = read_table(data, reading.options())
    screen.notes(table.notes)
    if write_schema:
        print(schema_text(table.schema), end="")
        return Exit.CERTIFIED
    lines = table.schema.lines()
    screen.say(_size(table), style="bold")
    if lines:
        screen.table(list(lines[0]), [list(line.values()) for line in lines], right=(2, 3))
    screen.finish({"rows": table.rows, "columns": lines, "sources": list(table.sources)})
    return Exit.CERTIFIED


def summary(model: Model, most: Most = 20, json: Json = False) -> Exit:
    """Show a model: certificate, quality, largest coefficients.

    And where it comes from: files, seed, versions, how α was chosen, what was noticed. Coefficients are in the units of
    your columns: how much the score changes for one more of each. They are sorted by the weight of the standardised
    column, which does not depend on units.

    Example:

      linsep summary adult.linsep --most 50
    """
    from linsep.cli.words import show, told

    screen, trained = Screen(json), open_model(model)
    show(screen, trained)
    screen.say()
    rows = coefficients(trained)
    for label, chosen in _by_size(rows, most):
        if label:
            screen.say(label, style="bold")
        screen.table(
            ["coefficient", "for one more", "of", "standardised"],
            [(f"{c.weight:+.4g}", c.unit, c.name, f"{c.scaled:+.4g}") for c in chosen],
            right=(0, 3),
        )
    screen.finish({**told(trained), "coefficients": [each._asdict() for each in rows]})
    return Exit.CERTIFIED


def coefficients(trained: Trained) -> list[Coefficient]:
    """In the user's units, class by class."""
    import numpy as np

    from linsep.workflow.features import FrameFeatures

    model = trained.model
    if isinstance(trained.features, FrameFeatures):
        encoder = trained.features.encoder
        weights, _ = encoder.in_units(model.coef, model.intercept)
        columns = [(each.name, each.unit) for each in encoder.columns_]
    else:
        weights, columns = model.coef, [(f"column {j + 1}", "1") for j in range(model.n_features)]
    labels = [""] if len(weights) == 1 else _labels(trained, len(weights))
    return [
        Coefficient(label, name, unit, float(w), float(scaled))
        for label, row, design in zip(labels, np.asarray(weights), model.coef, strict=True)
        for (name, unit), w, scaled in zip(columns, row, design, strict=True)
    ]


def _labels(trained: Trained, count: int) -> list[str]:
    if count == len(trained.classes):
        return [str(each) for each in trained.classes]
    return [trained.model.objective.scheme.describe(j, trained.classes) for j in range(count)]


def _by_size(rows: list[Coefficient], most: int) -> list[tuple[str, list[Coefficient]]]:
    """For each class its largest weights by what they do to the standardised columns, without those that are 0."""
    grouped: dict[str, list[Coefficient]] = {}
    for row in rows:
        grouped.setdefault(row.label, []).extend([row] * (row.weight != 0.0))
    return [(label, sorted(own, key=lambda row: -abs(row.scaled))[:most]) for label, own in grouped.items()]


def _size(table: Table) -> str:
    if table.frame is None:
        rows, columns = table.matrix.shape
        return f"{rows:,} rows, {columns:,} columns without names"
    return f"{table.rows:,} rows, {len(table.schema.columns):,} columns"


def _is_model(path: Path) -> bool:
    """By its name, or a zip whose directory, at its end, has a manifest. What is wrong with it its reader says."""
    if not os.path.isfile(path):
        return False
    if path.suffix == ".linsep":
        return True
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == b"PK"
            file.seek(-min(path.stat().st_size, _DIRECTORY), os.SEEK_END)
            return zipped and b"manifest.json" in file.read()
    except OSError:
        return False
