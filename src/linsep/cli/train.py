"""linsep train: from a file to a model file, with a report on screen."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from linsep.cli.config import Settings, settings
from linsep.cli.groups import Own
from linsep.cli.options import Data, Encoding, Fitting, Force, Json, Output, Reading
from linsep.cli.outcome import Exit
from linsep.cli.output import check_free
from linsep.cli.screen import Screen
from linsep.cli.watched import undisturbed, watched

if TYPE_CHECKING:
    from linsep.workflow.recipe import Recipe
    from linsep.workflow.trained import Trained

Target = Annotated[
    str | None,
    Own("What is to be learnt: a column's name, its place (1 is the first), or last.", ("--target", "-t"), "COLUMN"),
]
Config = Annotated[Path | None, Own("TOML file with settings; options override it.", ("--config", "-c"), "FILE")]


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
    of how far from the optimum it can be. The model is written to the name of the data with .linsep, in the current
    folder. Ctrl-C ends the stage that is shown and keeps the best so far, marked as such.

    Exit code: 0 certified, 2 usage, 3 stopped before --tol, 4 no optimum exists, 5 bad data.

    Examples:

      linsep train adult.csv --target income

      linsep train spam.tsv -t 1 --loss hinge -o spam.linsep

      linsep train loans.parquet -t default --positive yes --cost 1:20

      linsep train 'part-*.csv.gz' -t last --alpha 0.001 --held-out 0 -o parts.linsep

      linsep train adult.csv --config settings.toml --force
    """
    from linsep.cli.words import show, told
    from linsep.workflow.classifier import TableClassifier

    given = settings(config, target, reading, fitting, encoding)
    recipe, screen, path = given.fitting.recipe(), Screen(json), output or _beside(data[0])
    TableClassifier.of(recipe).check()
    check_free(path, force, data)
    trained = _saved(data, given, recipe, screen, lambda made: made.save(path, force=force))
    code = Exit.CERTIFIED if trained.model.certified and not trained.interrupted else Exit.STOPPED
    try:
        show(screen, trained)
        screen.say()
        screen.say(f"written to {path}   (seed {recipe.seed})")
        again = [*given.reading.again(), *(["--target", str(given.target)] if _unnamed(trained, given) else [])]
        screen.say(f"check it with: linsep verify {shlex.join([str(path), *data, *again])}")
        screen.finish({"model": str(path), **told(trained)})
    except KeyboardInterrupt:
        screen.note(f"interrupted while it was shown; the model is in {path}")
    return code


def _saved(
    data: list[str], given: Settings, recipe: Recipe, screen: Screen, save: Callable[[Trained], None]
) -> Trained:
    """The model, saved as soon as there is one: Ctrl-C after that has nothing left to stop."""
    from linsep.tables import read_table
    from linsep.workflow.train import train as train_model

    column = {} if given.target is None else {"target": given.target}
    with ExitStack() as until_saved, watched(screen, recipe.tol, recipe.time) as watch:
        watch.stage("reading")
        table = read_table(data, given.reading.options(**column))
        trained = train_model(table, recipe, given.encoding.settings(given.words), watch)
        until_saved.enter_context(undisturbed())  # the end of `watch` included
        save(trained)
    return trained


def _unnamed(trained: Trained, given: Settings) -> bool:
    """Whether the target is not a column, whose name the model has, but an array or a file beside a matrix."""
    return trained.features.names is None and given.target is not None


def _beside(source: str) -> Path:
    """adult.csv.gz → adult.linsep, in the current folder."""
    if source == "-":
        return Path("model.linsep")
    name = Path(source).name.split(".")[0].replace("*", "").replace("?", "").strip("-_ ")
    return Path(f"{name or 'model'}.linsep")
