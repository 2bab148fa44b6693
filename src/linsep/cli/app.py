"""The program: its commands, and the one place where a command's end becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
import typer

from linsep.cli.groups import expanded
from linsep.cli.options import GROUPS
from linsep.cli.outcome import Exit, Failure, explained
from linsep.cli.predict import evaluate, predict
from linsep.cli.train import train

app = typer.Typer(
    name="linsep",
    help="Linear classification with a proof: from a file to a decision.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: tuple[Callable[..., Any], ...] = (train, predict, evaluate)

for command in COMMANDS:
    app.command()(expanded(command, GROUPS))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        with explained():
            code = typer.main.get_command(app).main(
                list(sys.argv[1:] if arguments is None else arguments), prog_name="linsep", standalone_mode=False
            )
        return int(code or 0)
    except Failure as failure:
        return _end(str(failure), failure.code)
    except click.exceptions.Abort:
        return _end("interrupted; nothing was written", Exit.INTERRUPTED)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE


def _end(words: str, code: Exit) -> int:
    """The sentence on standard error. A reader that has gone away is no error worth words."""
    if code is Exit.BROKEN_PIPE:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that closing it does not fail again
    elif words:
        print(f"linsep: {words}", file=sys.stderr)
    return code


def entry() -> None:
    """For the installed command."""
    sys.exit(main())
