"""linsep path: the coefficients for every strength of the penalty."""

from __future__ import annotations

import sys
from typing import Annotated

import numpy as np
import typer

from linsep.cli.live import watched
from linsep.cli.options import Data, Force, Json, Output, Reading, place
from linsep.cli.outcome import Exit
from linsep.cli.screen import Screen
from linsep.cli.tables import csv_lines
from linsep.errors import InvalidData
from linsep.estimators import regularization_path
from linsep.storage.atomic import write_atomically
from linsep.tables import read_table
from linsep.workflow.features import EncodingSettings, learn_features

Target = Annotated[str, typer.Option("--target", "-t", help="The column with the classes.", metavar="COLUMN")]
L1 = Annotated[float, typer.Option("--l1", help="Share of the penalty that is L1, 0 to 1.", metavar="SHARE")]
Size = Annotated[int, typer.Option("--size", help="Values of alpha.", min=1)]
Loss = Annotated[str, typer.Option("--loss", help="log, squared_hinge, squared, …")]


def path(
    data: Data,
    target: Target,
    reading: Reading,
    l1: L1 = 1.0,
    size: Size = 100,
    loss: Loss = "log",
    output: Output = None,
    force: Force = False,
    json: Json = False,
) -> Exit:
    """Fit the whole regularisation path: from no feature at all down to nearly no penalty, every point certified.

    As CSV: a line for each α with the number of weights that are not zero, the deviance explained, the certified gap
    and every coefficient (of the standardised columns).

    Example:

      linsep path adult.csv --target income --l1 1 -o path.csv
    """
    screen = Screen(json)
    table = read_table(data, reading.options(target=place(target)))
    if table.target is None:
        raise InvalidData(f"there is no target column {target!r}")
    features, X, notes = learn_features(table, EncodingSettings())
    screen.notes((*table.notes, *notes))
    with watched(screen) as announce:
        announce("following the path")
        found = regularization_path(X, table.target, loss, l1_ratio=l1, size=size, sample_weight=table.weights)
    columns = found.columns(coefficients=False)
    names = features.names or tuple(f"column {j + 1}" for j in range(X.shape[1]))
    for k, prefix in enumerate(found.prefixes()):
        weights = np.stack([found.coef(j)[k] for j in range(len(found))])
        columns |= {f"{prefix}{name}": weights[:, i] for i, name in enumerate(names) if weights[:, i].any()}
    lines = csv_lines(list(columns), list(columns.values()))
    if json:
        screen.finish(columns)
    elif output is None:
        sys.stdout.writelines(lines)
    else:
        write_atomically(output, lambda file: file.writelines(line.encode() for line in lines), force=force)
        screen.note(f"written to {output}", style="")
    return Exit.CERTIFIED
