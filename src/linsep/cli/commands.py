"""From a function to a command: its parameters are the options, its docstring the help.

    def info(data: Data, reading: Reading, json: Json = False) -> Exit: ...

`Data` and `Json` are annotated with what they are on the command line (`Own`); `Reading` stands for a group of options,
which has a section of its own in the help.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import click

from linsep.cli.groups import Argument, Group, Own

_FIRST_LINE_OF_AN_EXAMPLE = "\n\n  linsep "


class Command(click.Command):
    """One whose help has the arguments, then its own options, then those of each group."""

    def __init__(self, name: str, own: Sequence[click.Parameter], groups: Sequence[Group], **more: Any) -> None:
        self.sections: dict[str, list[click.Parameter]] = {
            group.title: [option.parameter() for option in group.options] for group in groups
        }
        shared = [parameter for section in self.sections.values() for parameter in section]
        super().__init__(name, params=[*own, *shared], **more)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shared = {id(parameter) for section in self.sections.values() for parameter in section}
        own = [parameter for parameter in self.get_params(ctx) if id(parameter) not in shared]
        parts: dict[str, list[click.Parameter]] = {
            "Arguments": [each for each in own if isinstance(each, Argument)],
            "Options": [each for each in own if not isinstance(each, Argument)],
            **self.sections,
        }
        for title, parameters in parts.items():
            records = [record for each in parameters if (record := each.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command_of(
    function: Callable[..., Any],
    groups: Mapping[type, Group],
    ending: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Command:
    """The command that runs the function; `ending` says what becomes of what it returns or raises."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    wanted = {name: groups[hints[name]] for name in parameters if hints[name] in groups}

    def run(**given: Any) -> Any:
        given = {name: list(each) if isinstance(each, tuple) else each for name, each in given.items()}
        return function(**{name: group.collect(given) for name, group in wanted.items()}, **given)

    own = [_parameter(each, hints[name]) for name, each in parameters.items() if name not in wanted]
    words = (inspect.getdoc(function) or "").replace(_FIRST_LINE_OF_AN_EXAMPLE, "\n\n\b\n  linsep ")
    return Command(function.__name__, own, list(wanted.values()), callback=ending(run), help=words)


def _parameter(parameter: inspect.Parameter, hint: Any) -> click.Parameter:
    assert get_origin(hint) is Annotated
    kind, own = get_args(hint)
    assert isinstance(own, Own)
    values = [each for each in get_args(kind) if each is not NoneType]
    if kind != list[str] and values:  # str | None
        kind = values[0]
    default = ... if parameter.default is inspect.Parameter.empty else parameter.default
    return own.parameter(parameter.name, kind, default)
