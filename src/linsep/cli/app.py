"""The program: its commands, and the one place where a command's end becomes an exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from linsep.cli.commands import command_of
from linsep.cli.completion import INSTALL, SHOW
from linsep.cli.language import spoken
from linsep.cli.options import GROUPS
from linsep.cli.outcome import Exit, Failure, explained
from linsep.cli.output import reopen, whole
from linsep.cli.screen import visible
from linsep.errors import unknown_name

#: Each command and the module of its function, which is loaded for that command, and for the list of all.
COMMANDS = {
    "train": "train", "predict": "predict", "evaluate": "predict", "verify": "proof", "summary": "look",
    "report": "give", "info": "look", "path": "path", "separate": "proof", "export": "give", "convert": "give",
    "demo": "demo",
}  # fmt: skip
_HELP = {"help_option_names": ["-h", "--help"]}


def function_of(command: str) -> Callable[..., Exit]:
    """What the command runs."""
    found: Callable[..., Exit] = getattr(import_module(f"linsep.cli.{COMMANDS[command]}"), command)
    return found


def ending(command: Callable[..., Exit]) -> Callable[..., None]:
    """The command, with its errors in words and its exit code told to the shell."""

    def run(**given: Any) -> None:
        try:
            with explained():
                code = command(**given)
                sys.stdout.flush()
        except Failure as failure:
            code = _end(failure)
        raise click.exceptions.Exit(code)

    return run


class Program(click.Group):
    """Makes the command that is asked for, and no other."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with explained():  # the help of all is written here, that of a command by `invoke`
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:
        with explained():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(function_of(cmd_name), GROUPS, ending) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(str(unknown_name("command", args[0], known)))
        return super().resolve_command(ctx, args)


def _tell_version(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from importlib.metadata import version

        print(f"linsep {version('linsep')}")
        ctx.exit()


app = Program(
    "linsep",
    help="""Linear classification with a proof: from a file to a decision.

    linsep demo shows everything on data that come with it; linsep COMMAND --help explains a command, with examples.
    """,
    no_args_is_help=True,
    context_settings=_HELP,
    params=[
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_tell_version,
            help="Show the version and end.",
        ),
        INSTALL,
        SHOW,
    ],
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        app.main(list(sys.argv[1:] if arguments is None else arguments), prog_name="linsep")
    except Failure as failure:
        return _end(failure)
    except SystemExit as end:
        return int(end.code or 0)
    return Exit.CERTIFIED


def _end(failure: Failure) -> Exit:
    """The sentence on standard error. A reader that has gone away is no error worth words."""
    if failure.output_lost:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that closing it does not fail again
    if str(failure):
        print(f"linsep: {visible(spoken(str(failure)))}", file=sys.stderr)
    return failure.code


def entry() -> None:
    """For the installed command, one process a command.

    The kernels have threads of their own, and those of BLAS would only wait for them. What a process makes while it
    starts is not garbage, so it is looked for less often; and what is there at its end need not be looked through.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    reopen()
    sys.stdout = whole(sys.stdout)
    gc.set_threshold(10_000)
    code = main()
    gc.freeze()
    sys.exit(code)
