"""linsep path: the coefficients for every strength of the penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from linsep.cli.groups import Own
from linsep.cli.options import LOSSES, Data, Encoding, Force, Json, Output, Reading
from linsep.cli.outcome import Exit
from linsep.cli.output import check_free, write_frame
from linsep.cli.screen import Screen
from linsep.cli.stored import labelled_rows
from linsep.cli.watched import watched

if TYPE_CHECKING:
    from linsep.selection import Path

Target = Annotated[str | None, Own("The column with the classes; svmlight has them.", ("--target", "-t"), "COLUMN")]
L1 = Annotated[float, Own("Share of the penalty that is L1, 0 to 1.", ("--l1",), "SHARE")]
Size = Annotated[int, Own("Values of alpha.", ("--size",), least=1)]
_TOL = 1e-4
Loss = Annotated[str, Own("{values}.", ("--loss",), values=LOSSES)]


def path(
    data: Data,
    reading: Reading,
    encoding: Encoding,
    target: Target = None,
    l1: L1 = 1.0,
    size: Size = 100,
    loss: Loss = "log",
    output: Output = None,
    force: Force = False,
    json: Json = False,
) -> Exit:
    """Fit the whole regularisation path.

    From no feature at all down to nearly no penalty, every point certified. As CSV: a line for each α with the number
    of weights that are not zero, the deviance explained, the certified gap and every coefficient (of the standardised
    columns).

    Example:

      linsep path adult.csv --target income --l1 1 -o path.csv
    """
    from linsep.estimators import regularization_path

    check_free(output, force, data)
    screen = Screen(json)
    with watched(screen, _TOL) as watch:
        features, X, table = labelled_rows(screen, data, reading.options(target=target), encoding.settings(), watch)
        watch.stage("following the path")
        found = regularization_path(
            X, table.target, loss, l1_ratio=l1, size=size, sample_weight=table.weights, tol=_TOL, verbose=watch
        )
    columns = _columns(found, features.names or tuple(f"column {j + 1}" for j in range(X.shape[1])))
    if json:
        screen.finish(columns)
    else:
        write_frame(columns, output, force)
    if output is not None:
        screen.note(f"written to {output}", style="")
    if len(found) < size:
        screen.note(f"interrupted after {len(found)} of {size} values of alpha")
    return Exit.CERTIFIED if len(found) == size and (found.gaps <= _TOL).all() else Exit.STOPPED


def _columns(found: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """α, what it makes of the fit, and the coefficients that are ever not 0."""
    import numpy as np

    columns: dict[str, Any] = dict(found.columns(coefficients=False))
    for k, prefix in enumerate(found.prefixes()):
        weights = np.stack([found.coef(j)[k] for j in range(len(found))])
        columns |= {f"{prefix}{name}": weights[:, i] for i, name in enumerate(names) if weights[:, i].any()}
    return columns
