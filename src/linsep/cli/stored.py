"""Model files and the tables that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linsep.cli.options import Reading
from linsep.cli.screen import Screen
from linsep.errors import InvalidFile, InvalidParameter

if TYPE_CHECKING:
    from linsep.model import Watch
    from linsep.tables import ReadOptions, Table
    from linsep.tables.schema import Schema
    from linsep.workflow.features import EncodingSettings, Features
    from linsep.workflow.trained import Trained


def open_model(path: Path) -> Trained:
    """What `linsep train` wrote."""
    from linsep.loading import load
    from linsep.workflow.trained import Trained

    found = load(path)
    if not isinstance(found, Trained):
        raise InvalidFile(
            f"{str(path)!r} holds a {type(found).__name__} without the columns it was trained on; use it from Python "
            "(linsep.load), or train with: linsep train"
        )
    return found


def table_for(
    trained: Trained, data: list[str], reading: Reading, target: str | None = None, *, labelled: bool = True
) -> Table:
    """The files as the model's own columns: the types of training hold, and the target unless another is named."""
    from linsep.tables import read_table
    from linsep.workflow.features import FrameFeatures
    from linsep.workflow.matrix import MatrixFeatures

    more: dict[str, object] = {}
    if isinstance(trained.features, FrameFeatures) and "schema" not in reading:
        learnt = trained.features.encoder.schema_
        more["schema"] = learnt if labelled else _without_target(learnt)
    if isinstance(trained.features, MatrixFeatures) and "zero_based" not in reading:
        more["zero_based"] = trained.features.zero_based
    answer = target if target is not None else trained.provenance.target
    if labelled and answer is not None:
        more["target"] = answer
    return read_table(data, reading.options(**more))


def _without_target(schema: Schema) -> Schema:
    """The column of the classes is not looked at: in rows to predict it is absent, or empty."""
    from linsep.tables.schema import ColumnType

    target = schema.target
    return schema if target is None else schema.with_types({target.name: ColumnType.IGNORED}, "not needed to predict")


def labelled_rows(
    screen: Screen, data: list[str], options: ReadOptions, encoding: EncodingSettings, watch: Watch
) -> tuple[Features, Any, Table]:
    """Files without a model, as rows of numbers with a class each; what was noticed goes to the screen."""
    from linsep.data.sparse_rows import as_scipy
    from linsep.tables import read_table
    from linsep.workflow.features import learn_features

    watch.stage("reading")
    table = read_table(data, options)
    if table.target is None:
        raise InvalidParameter(f"{', '.join(table.sources)}: there is no target; name its column with target=")
    watch.stage(f"encoding {table.rows:,} rows")
    features, X, notes = learn_features(table, encoding)
    screen.notes((*table.notes, *notes))
    return features, as_scipy(X), table
