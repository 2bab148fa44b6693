"""The program: its commands, and the one place where a command's end becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.metadata import version as installed
from typing import Annotated, Any

import typer

from linsep.cli.demo import demo
from linsep.cli.give import convert, export, report
from linsep.cli.groups import expanded
from linsep.cli.language import spoken
from linsep.cli.look import info, summary
from linsep.cli.options import GROUPS
from linsep.cli.outcome import Exit, Failure, explained
from linsep.cli.path import path
from linsep.cli.predict import evaluate, predict
from linsep.cli.proof import separate, verify
from linsep.cli.train import train

app = typer.Typer(
    name="linsep",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"linsep {installed('linsep')}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and end.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """Linear classification with a proof: from a file to a decision.

    linsep demo shows everything on data that come with it; linsep COMMAND --help explains a command, with examples.
    """


COMMANDS: tuple[Callable[..., Any], ...] = (
    train, predict, evaluate, verify, summary, report, info, path, separate, export, convert, demo,
)  # fmt: skip


def ending(command: Callable[..., Exit]) -> Callable[..., None]:
    """The command, with its errors in words and its exit code told to the shell."""

    @wraps(command)
    def run(**given: Any) -> None:
        try:
            with explained():
                code = command(**given)
                sys.stdout.flush()
        except Failure as failure:
            code = _end(failure)
        raise typer.Exit(code)

    return run


for each in COMMANDS:
    app.command()(ending(expanded(each, GROUPS)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        app(list(sys.argv[1:] if arguments is None else arguments), prog_name="linsep")
    except SystemExit as end:
        return int(end.code or 0)
    return Exit.CERTIFIED


def _end(failure: Failure) -> Exit:
    """The sentence on standard error. A reader that has gone away is no error worth words."""
    if failure.output_lost:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that closing it does not fail again
    if str(failure):
        print(f"linsep: {spoken(str(failure))}", file=sys.stderr)
    return failure.code


def entry() -> None:
    """For the installed command: the kernels have threads of their own, and those of BLAS would only wait for them."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
