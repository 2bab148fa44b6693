"""Options that several commands share, each group one dataclass and one table of help.

A command asks for a group by a parameter of that type:

    def info(file: File, reading: ReadOptions) -> None: ...

and its command line has the options of the group instead, collected again before the command runs (`commands.py`). An
option that is not given keeps the dataclass's default, or that of a settings file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

#: Names that an option takes, each with a word about it, or none.
Values = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Own:
    """A parameter that a command takes itself: an option with its flags, or without flags an argument.

    least     the smallest number that is allowed
    suffixes  what the name of the file may end with; the end names its form
    values    as of an `Option`
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    least: int | None = None
    suffixes: tuple[str, ...] = ()
    values: Values = ()

    def parameter(self, name: str, kind: Any, default: Any) -> click.Parameter:
        """As click has it; default is `...` where there is none."""
        if not self.flags:
            return Argument(name, kind, self.help, self.metavar)
        how = reading(kind) if self.least is None else {"type": click.IntRange(min=self.least)}
        how |= {"required": True} if default is ... else {"default": default}
        how |= {"shell_complete": _with_suffix(self.suffixes)} if self.suffixes else {}
        return click.Option([name, *self.flags], metavar=self.metavar, **_named(self.help, self.values), **how)


class Argument(click.Argument):
    """With words about it in the help, which click leaves to the command."""

    def __init__(self, name: str, kind: Any, words: str, metavar: str | None) -> None:
        many = kind == list[str]
        file = click.Path(allow_dash=True, readable=False) if many else click.Path(path_type=Path, readable=False)
        super().__init__([name], required=True, nargs=-1 if many else 1, type=file, metavar=metavar)
        self.words = words

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.words


@dataclass(frozen=True)
class Option:
    """One option: the field it sets, the type that is read from the command line, and its help.

    also    types that a settings file may have instead: a place for the name of a column, a list for a pair
    values  the help lists them where it says {values}, and the shell offers them; they are those that the library
            takes (tests/cli/test_completion.py)
    """

    field: str
    type: Any
    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    read: Callable[[Any], Any] = lambda given: given
    also: tuple[type, ...] = ()
    values: Values = ()

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

    def parameter(self) -> click.Option:
        flags = self.flags or (self.flag,)
        how = reading(self.type) | _named(self.help, self.values)
        return click.Option([self.field, *flags], metavar=self.metavar, default=None, **how)


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


Offer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _named(words: str, values: Values) -> dict[str, Any]:
    """The help of an option, and what the shell offers for it."""
    if not values:
        return {"help": words}
    return {"help": words.format(values=_listed(values)), "shell_complete": _among(values)}


def _listed(values: Values) -> str:
    """log (default), hinge (SVM) or squared"""
    *most, last = [name + (f" ({words})" if words else "") for name, words in values]
    return f"{', '.join(most)} or {last}" if most else last


def _among(values: Values) -> Offer:
    """What the shell offers for one of these names."""

    def offer(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(name, help=words or None) for name, words in values if name.startswith(begun)]

    return offer


def _with_suffix(suffixes: tuple[str, ...]) -> Offer:
    """What the shell offers for a file to write: the name that was begun, in each form."""

    def offer(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        name = Path(begun).name
        made = [begun[: len(begun) - len(name)] + name.partition(".")[0] + suffix for suffix in suffixes if name]
        return [CompletionItem(begun, type="file"), *(CompletionItem(each) for each in made if each.startswith(begun))]

    return offer


def reading(kind: Any) -> dict[str, Any]:
    """How click reads a value of this type; one that may also be None is read as what it is else."""
    if kind is bool:
        return {"is_flag": True}
    if kind == list[str]:
        return {"type": str, "multiple": True}
    return {"type": click.Path(path_type=Path, readable=False) if kind is Path else kind}
