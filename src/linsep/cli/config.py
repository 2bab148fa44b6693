"""--config: a TOML file with any of the settings of `linsep train`; options on the command line go before it.

target = "income"
ignore = ["fnlwgt"]
loss = "hinge"
alpha = "cv"
interaction = ["age:sex"]

[words]
ngram_range = [1, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linsep.cli.groups import Group, Option
from linsep.cli.options import ENCODING, FITTING, READING, Encoding, Fitting, Reading
from linsep.errors import InvalidParameter, unknown_name

#: Settings that the command takes itself.
_OWN = ("target", "words")
#: What a value in the file may be for each type of option, and in words; an option may have more (`also`).
_ALLOWED: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a string"),
    Path: ((str,), "a string"),
    list[str]: ((str, int, list), "a list of strings"),
}

_OTHERS = {int: "a whole number", float: "a number", bool: "true or false", list: "a list"}


@dataclass(frozen=True)
class Settings:
    """Everything that was given for a training, by a file or as options."""

    target: str | int | None
    reading: Reading
    fitting: Fitting
    encoding: Encoding
    words: Mapping[str, Any] | None


def settings(path: Path | None, target: str | None, reading: Reading, fitting: Fitting, encoding: Encoding) -> Settings:
    """Those of the file, and over them those of the command line."""
    from linsep.workflow.recipe import read_config

    file = {} if path is None else read_config(path)
    known = {name for group in (READING, FITTING, ENCODING) for option in group.options for name in _names(option)}
    for name in file:
        if name not in known and name not in _OWN:
            raise unknown_name(f"setting of {path}", name, {*_OWN, *known})
    if not isinstance(file.get("target"), str | int | None):
        raise InvalidParameter(f"{path}: target = {file['target']!r}: allowed is the name of a column, or its place")
    words = file.get("words")
    if words is not None and not isinstance(words, dict):
        raise InvalidParameter(f"{path}: words is a table of settings, such as [words] with ngram_range = [1, 2] in it")
    return Settings(
        target if target is not None else file.get("target"),
        Reading({**_part(file, READING, path), **reading}),
        Fitting({**_part(file, FITTING, path), **fitting}),
        Encoding({**_part(file, ENCODING, path), **encoding}),
        words,
    )


def _names(option: Option) -> tuple[str, str]:
    """As the library has it, and as the command line has it: interactions, interaction."""
    return option.field, option.flag.removeprefix("--").replace("-", "_")


def _part(file: Mapping[str, Any], group: Group, path: Path | None) -> dict[str, Any]:
    """The settings of a group that the file has."""
    return {
        option.field: _value(option, file[name], f"{path}: {name} = {file[name]!r}")
        for option in group.options
        for name in _names(option)
        if name in file
    }


def _value(option: Option, given: Any, where: str) -> Any:
    """As the option reads it: strings are written as on the command line, arrays may hold the parts."""
    kinds, words = _ALLOWED[option.type]
    kinds += option.also
    if not isinstance(given, kinds) or (isinstance(given, bool) and bool not in kinds):
        more = "".join(f" or {_OTHERS[kind]}" for kind in option.also)
        raise InvalidParameter(f"{where}: allowed is {words}{more}")
    if option.type == list[str]:
        items = given if isinstance(given, list) else [given]
        return option.read(items) if all(isinstance(each, str) for each in items) else _tuples(items)
    return _tuples(given) if isinstance(given, list) else option.read(given)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
