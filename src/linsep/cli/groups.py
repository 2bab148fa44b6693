"""Options that several commands share, each group one dataclass and one table of help.

A command asks for a group by a parameter of that type:

    def info(file: File, reading: ReadOptions) -> None: ...

and `expanded` gives it the options of the group instead, collected again before the command runs. An option that is not
given keeps the dataclass's default, or that of a settings file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True)
class Option:
    """One option: the field it sets, the type that is read from the command line, and its help.

    also  types that a settings file may have instead: a place for the name of a column, a list for a pair
    """

    field: str
    type: Any
    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    read: Callable[[Any], Any] = lambda given: given
    also: tuple[type, ...] = ()

    @property
    def flag(self) -> str:
        """Its long name: --drop-ragged."""
        return self.flags[0].split("/")[0] if self.flags else f"--{self.field.replace('_', '-')}"

    def words(self, value: Any) -> list[str]:
        """How the option with this value is written."""
        if isinstance(value, tuple | list):
            return [word for each in value for word in (self.flag, str(each))]
        if isinstance(value, bool):
            on, *off = self.flags[0].split("/")
            return [on] if value else off
        return [self.flag, str(value)]

    def parameter(self, panel: str) -> inspect.Parameter:
        flags = self.flags or (self.flag,)
        info = typer.Option(*flags, help=self.help, metavar=self.metavar, show_default=False, rich_help_panel=panel)
        return inspect.Parameter(
            self.field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[self.type | None, info]
        )


@dataclass(frozen=True)
class Group:
    """The options of one dataclass: a title for the help, and how it is made of the values that were given."""

    title: str
    options: tuple[Option, ...]
    build: Callable[[Mapping[str, Any]], Any]

    def collect(self, given: dict[str, Any]) -> Any:
        """Take the group's values out of what was given, and build."""
        values = {option.field: given.pop(option.field) for option in self.options}
        readers = {option.field: option.read for option in self.options}
        return self.build({name: readers[name](value) for name, value in values.items() if value not in (None, [])})


def expanded(command: Callable[..., Any], groups: Mapping[type, Group]) -> Callable[..., Any]:
    """The command with the options of its groups in its signature."""
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    wanted = {name: groups[hints[name]] for name in signature.parameters if hints.get(name) in groups}

    @wraps(command)
    def run(**given: Any) -> Any:
        return command(**{name: group.collect(given) for name, group in wanted.items()}, **given)

    plain = [
        p.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, p in signature.parameters.items()
        if name not in wanted
    ]
    added = [option.parameter(group.title) for group in wanted.values() for option in group.options]
    run.__signature__ = inspect.Signature([*plain, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*plain, *added)}
    return run
