"""linsep train: from a file to a model file, with a report on screen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linsep.cli.live import watched
from linsep.cli.options import Data, Encoding, Fitting, Force, Json, Output, Reading, place
from linsep.cli.outcome import Exit
from linsep.cli.screen import Screen
from linsep.cli.words import show, told
from linsep.errors import FileAccess
from linsep.solvers import Status
from linsep.tables import read_table
from linsep.workflow.recipe import read_config
from linsep.workflow.train import train as train_model

Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="What is to be learnt: a column's name, its place (1 is the first), or last.",
                 metavar="COLUMN"),
]  # fmt: skip
Config = Annotated[
    Path | None, typer.Option("--config", "-c", help="TOML file with settings; options override it.", metavar="FILE")
]


def train(
    data: Data,
    reading: Reading,
    fitting: Fitting,
    encoding: Encoding,
    target: Target = None,
    output: Output = None,
    config: Config = None,
    force: Force = False,
    json: Json = False,
) -> Exit:
    """Train a model and write it to a file.

    By default logistic regression with α chosen by the data, its quality measured on rows held out, and a certificate
    of how far from the optimum it can be. Ctrl-C keeps the best model so far, marked as such.

    Examples:

      linsep train adult.csv --target income

      linsep train spam.tsv -t 1 --loss hinge -o spam.linsep

      linsep train loans.parquet -t default --positive yes --cost 1:20
    """
    screen = Screen(json)
    settings = {} if config is None else read_config(config)
    words = settings.pop("words", None)
    column = target if target is not None else settings.pop("target", None)
    recipe = fitting.recipe(settings)
    path = output or _beside(data[0])
    _check_free(path, force)
    table = read_table(data, reading.options(**({} if column is None else {"target": place(column)})))
    with watched(screen) as announce:
        trained = train_model(table, recipe, encoding.settings(words), announce)
    trained.save(path, force=force)
    screen.notes(trained.notes)
    show(screen, trained)
    screen.say()
    screen.say(f"written to {path}   (seed {recipe.seed}; check it with: linsep verify {path} {' '.join(data)})")
    screen.finish({"model": str(path), **told(trained)})
    finished = trained.model.certified and trained.model.status is not Status.INTERRUPTED
    return Exit.CERTIFIED if finished else Exit.STOPPED


def _beside(source: str) -> Path:
    """adult.csv.gz → adult.linsep, in the current folder."""
    if source == "-":
        return Path("model.linsep")
    name = Path(source).name.split(".")[0].replace("*", "").replace("?", "").strip("-_ ")
    return Path(f"{name or 'model'}.linsep")


def _check_free(path: Path, force: bool) -> None:
    """Before any work: a name that is taken is no surprise for the end of a long fit."""
    if path.exists() and not force:
        raise FileAccess(f"{str(path)!r} is there already; give another name with --output, or --force to replace it")
