"""What a command shows: results on standard output, everything else on standard error.

For people: tables and sentences, with colours where the output is a terminal. For machines (`--json`): one JSON object
on standard output and nothing else, numbers that are not finite as null.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from linsep.cached import cached_property
from linsep.cli.language import spoken

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_UNBOUNDED = 100_000

#: Names and values of a file may hold what a terminal obeys; it is shown, and not sent.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


@dataclass
class Screen:
    """Collects what was noticed, so that each remark is shown once."""

    json: bool = False
    said: list[str] = field(default_factory=list)

    @cached_property
    def out(self) -> Console:
        """Made when there is something to say, as `err` is: most predictions are silent."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        return _console(stderr=True)

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees what goes on."""
        return not self.json and sys.stderr.isatty() and self.err.is_terminal

    def note(self, words: str, style: str = "yellow") -> None:
        """One remark on standard error, in the words of the command line; in JSON it is part of the object."""
        from rich.text import Text

        words = visible(spoken(words))
        if words not in self.said:
            self.said.append(words)
            if not self.json:
                self.err.print(Text(words, style=style))

    def notes(self, words: Iterable[str]) -> None:
        for each in words:
            self.note(each)

    def say(self, words: str = "", style: str = "") -> None:
        """A line of the result; not in JSON."""
        from rich.text import Text

        if not self.json:
            self.out.print(Text(visible(words), style=style))

    def table(self, headers: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> None:
        """Rows in columns; the columns whose numbers are in `right` are numbers."""
        from rich.table import Table as Grid

        if self.json:
            return
        right = set(right)
        grid = Grid(box=None, pad_edge=False, header_style="bold")
        for place, header in enumerate(headers):
            grid.add_column(_cell(header), justify="right" if place in right else "left", overflow="fold")
        for row in rows:
            grid.add_row(*map(_cell, row))
        self.out.print(grid)

    def finish(self, result: dict[str, Any]) -> None:
        """The result for machines."""
        if self.json:
            sys.stdout.write(json.dumps({**plain(result), "notes": self.said}, ensure_ascii=False) + "\n")


def visible(words: str) -> str:
    """The same, with control characters as their numbers."""
    return words.translate(_CONTROLS)


def _cell(words: str) -> Text:
    """In one line, whatever the value."""
    from rich.text import Text

    return Text(visible(words).replace("\n", "\\n"))


def _console(stderr: bool) -> Console:
    """A file or a pipe has no width: there every row of a table is one line, which grep and cut can use."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            """As everywhere: the error goes up to where it becomes an exit code."""
            raise

    console = Plain(stderr=stderr, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _UNBOUNDED
    console.soft_wrap = not (stderr and console.is_terminal)  # remarks break between words; results stay lines to copy
    return console


def plain(value: Any) -> Any:
    """As JSON has it: arrays are lists, what is not finite is null."""
    import numpy as np

    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
