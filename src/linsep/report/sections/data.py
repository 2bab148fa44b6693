"""What the data are: columns with their types and the reasons, classes, missing values."""

from __future__ import annotations

import numpy as np

from linsep.report.blocks import Block, Bullets, Facts, Folded, Grid, Heading, Meter, Paragraph, Section
from linsep.report.case import Case
from linsep.report.numbers import count, number, percent, plural, shortened
from linsep.tables.schema import ColumnType
from linsep.workflow.features import FrameFeatures

#: Lines of a table of classes or columns that are shown at once, and at all.
SHOWN, MOST = 20, 300


def data(case: Case) -> Section:
    blocks: list[Block] = [Facts(_facts(case)), Heading("Classes"), *_classes(case)]
    blocks += _schema(case) if case.table is not None and case.table.frame is not None else _columns(case)
    if case.notes:
        blocks += [Heading("Notes"), Bullets(case.notes)]
    return Section("data", "The data", tuple(blocks))


def _facts(case: Case) -> tuple[tuple[str, str], ...]:
    found = [
        ("Rows given", f"{case.rows:,}" + (", the rows of the fit" if case.is_training else ", other than the fit's"))
    ]
    if case.names:
        found.append(("From", ", ".join(case.names)))
    found.append(("Rows of the fit", f"{case.model.n_rows:,}"))
    if case.trained is not None and case.trained.provenance.sources:
        found.append(("Trained on", ", ".join(case.trained.provenance.sources)))
    if case.trained is not None and case.trained.provenance.target is not None:
        found.append(("Target", case.trained.provenance.target))
    found.append(("Features", f"{case.model.n_features:,} columns of numbers" + _sources(case)))
    if case.predictions.weights is not None:
        found.append(("Weights", f"rows count {count(float(case.predictions.weights.sum()))} in all"))
    return tuple(found)


def _sources(case: Case) -> str:
    if case.columns is None:
        return ""
    return f", made of {plural(len({column.source for column in case.columns}), 'column')} of the table"


def _classes(case: Case) -> list[Block]:
    order = np.argsort(-case.totals, kind="stable")
    total, most = float(case.totals.sum()), float(case.totals.max())
    rows = tuple(
        (
            case.classes[k],
            count(case.totals[k]),
            Meter(percent(case.totals[k] / total), case.totals[k] / most),
            percent(case.predictions.priors[k]),
        )
        for k in order[:MOST]
    )
    header = ("Class", "Rows", "Share", "Share in training")
    caption = f"{len(rows):,} of {plural(len(order), 'class', 'classes')}, the largest first"
    if len(rows) <= SHOWN:
        return [Grid(caption, header, rows, frozenset({1, 3}))]
    first = Grid(f"The {SHOWN} largest of {len(order):,} classes", header, rows[:SHOWN], frozenset({1, 3}))
    return [first, Folded(f"The next {len(rows) - SHOWN:,}", (Grid(caption, header, rows[SHOWN:], frozenset({1, 3})),))]


def _schema(case: Case) -> list[Block]:
    assert case.table is not None
    columns, reasons = case.table.schema.columns, _reasons(case)
    rows = tuple(
        (
            column.name,
            column.type.value,
            f"{column.missing:,}",
            f"{column.distinct:,}",
            shortened(", ".join(shortened(each, 24) for each in column.examples), 70),
            reasons.get(column.name, column.reason),
        )
        for column in columns[:MOST]
    )
    header = ("Column", "Type", "Missing", "Different", "For example", "Why this type")
    caption = f"{plural(len(columns), 'column')} of the table" + (f", the first {MOST}" if len(columns) > MOST else "")
    grid = Grid(caption, header, rows, frozenset({2, 3}))
    out = len(case.table.schema.of(ColumnType.ID, ColumnType.CONSTANT, ColumnType.IGNORED))
    words = [Paragraph(f"{plural(out, 'column')} stayed out of the model; the last column says why.")] if out else []
    return [Heading("Columns"), *words, _folded(grid)]


def _reasons(case: Case) -> dict[str, str]:
    """Why columns have their types, as found at training: later tables only follow."""
    features = None if case.trained is None else case.trained.features
    if not isinstance(features, FrameFeatures):
        return {}
    return {column.name: column.reason for column in features.encoder.schema_.columns if column.reason}


def _folded(grid: Grid) -> Block:
    return Folded(grid.caption, (grid,)) if len(grid.rows) > 2 * SHOWN else grid


def _columns(case: Case) -> list[Block]:
    """Of a matrix: mean and spread of the columns."""
    low, high = (np.asarray(_dense(getattr(case.X, end)(axis=0)), dtype=np.float64).ravel() for end in ("min", "max"))
    rows = tuple(
        (case.name(j), number(case.means[j]), number(case.deviations[j]), number(low[j]), number(high[j]))
        for j in range(min(case.model.n_features, MOST))
    )
    caption = f"{len(rows):,} of {plural(case.model.n_features, 'column')}"
    grid = Grid(caption, ("Column", "Mean", "Deviation", "Least", "Greatest"), rows, frozenset({1, 2, 3, 4}))
    return [Heading("Columns"), _folded(grid)]


def _dense(values: object) -> object:
    return values.toarray() if hasattr(values, "toarray") else values
