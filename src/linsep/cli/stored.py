"""Model files and the tables that go with them."""

from __future__ import annotations

from pathlib import Path

from linsep.cli.options import Reading
from linsep.errors import InvalidFile
from linsep.loading import load
from linsep.tables import Table, read_table
from linsep.workflow.features import FrameFeatures
from linsep.workflow.trained import Trained


def open_model(path: Path) -> Trained:
    """What `linsep train` wrote."""
    found = load(path)
    if not isinstance(found, Trained):
        raise InvalidFile(
            f"{str(path)!r} holds a {type(found).__name__} without the columns it was trained on; use it from Python "
            "(linsep.load), or train with: linsep train"
        )
    return found


def table_for(trained: Trained, data: list[str], reading: Reading, *, labelled: bool) -> Table:
    """The files as the model's own columns: the types of training hold, and the target is the model's."""
    more: dict[str, object] = {}
    if isinstance(trained.features, FrameFeatures) and "schema" not in reading:
        more["schema"] = trained.features.encoder.schema_
    if labelled and trained.provenance.target is not None:
        more["target"] = trained.provenance.target
    return read_table(data, reading.options(**more))
