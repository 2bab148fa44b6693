"""--config: a TOML file with any of the settings of `linsep train`; options on the command line go before it.

target = "income"
ignore = ["fnlwgt"]
loss = "hinge"
alpha = "cv"

[words]
ngram_range = [1, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from linsep.cli.options import ENCODING, READING, Encoding, Fitting, Reading
from linsep.errors import InvalidParameter, unknown_name

#: Settings that the command takes itself.
_OWN = ("target", "words")


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
    from linsep.workflow.recipe import Recipe, read_config

    file = {} if path is None else read_config(path)
    known = {
        Reading: {option.field for option in READING.options},
        Fitting: {field.name for field in fields(Recipe)},
        Encoding: {option.field for option in ENCODING.options},
    }
    for name in file:
        if name not in _OWN and not any(name in names for names in known.values()):
            raise unknown_name(f"setting of {path}", name, {*_OWN, *(n for names in known.values() for n in names)})
    words = file.get("words")
    if words is not None and not isinstance(words, dict):
        raise InvalidParameter(f"{path}: words is a table of settings, such as [words] with ngram_range = [1, 2] in it")
    return Settings(
        target if target is not None else file.get("target"),
        Reading({**_part(file, known[Reading]), **reading}),
        Fitting({**_part(file, known[Fitting]), **fitting}),
        Encoding({**_part(file, known[Encoding]), **encoding}),
        words,
    )


def _part(file: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """Arrays become tuples, as the settings have them."""
    return {name: _tuples(value) for name, value in file.items() if name in names}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
