"""Completion in the shell: --show-completion prints the script, --install-completion puts it where the shell finds it.

bash and zsh read a line in their start file, fish a folder of scripts.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

_VARIABLE = "_LINSEP_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")
#: A zsh whose start file does not ask for completion has none.
_COMPLETING = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\n"


def _show(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(_script(ctx, _shell()))
        ctx.exit()


def _install(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        shell = _shell()
        click.echo(f"completion is in {_put(shell, _script(ctx, shell))}; it works in the next {shell} that is started")
        ctx.exit()


def _script(ctx: click.Context, shell: str) -> str:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    source: str = kind(ctx.command, {}, "linsep", _VARIABLE).source()
    first, rest = source.split("\n", 1)  # for zsh the first line says what is completed, wherever the script is put
    return f"{first}\n{_COMPLETING}{rest}" if shell == "zsh" else source


def _shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _SHELLS:
        raise click.UsageError(f"SHELL is {name!r}: completion is there for {', '.join(_SHELLS)}; set SHELL to one")
    return name


def _put(shell: str, script: str) -> Path:
    """Where it was written; the start file gets its line once."""
    home = Path.home()
    if shell == "fish":
        place = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config")) / "fish" / "completions" / "linsep.fish"
    else:
        place = Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share")) / "linsep" / f"completion.{shell}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(script, encoding="utf-8")
    if shell != "fish":
        start, line = home / f".{shell}rc", f'source "{place}"'
        before = start.read_text(encoding="utf-8") if start.exists() else ""
        if line not in before.splitlines():
            start.write_text(before + "\n" * (not before.endswith("\n") and bool(before)) + line + "\n", "utf-8")
    return place


SHOW = click.Option(
    ["--show-completion"], is_flag=True, is_eager=True, expose_value=False, callback=_show,
    help="Print the script that completes commands and options in this shell.",
)  # fmt: skip
INSTALL = click.Option(
    ["--install-completion"], is_flag=True, is_eager=True, expose_value=False, callback=_install,
    help="Set up completion in this shell: bash, zsh or fish.",
)  # fmt: skip
