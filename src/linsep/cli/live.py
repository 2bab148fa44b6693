"""One line that says what runs now: the stage, value and gap, and the time left.

It is on standard error, on a terminal only; where that is a file or a pipe, and with --json, there is none.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from rich.live import Live
from rich.text import Text

from linsep.cli.screen import Screen
from linsep.estimators.progress import Progress
from linsep.model import Watch
from linsep.workflow.watching import Unwatched

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_A_SECOND = 8


@dataclass
class Line(Progress):
    """What a fit says of itself, kept until the line is drawn again."""

    text: str = ""

    def stage(self, name: str) -> None:
        super().stage(name)
        self.text = f"{name} …"

    def show(self, line: str) -> None:
        self.text = line

    def __rich__(self) -> Text:
        seconds = time.perf_counter() - self.began
        frame = _FRAMES[int(seconds * _A_SECOND) % len(_FRAMES)]
        return Text(f"{frame} {seconds:.0f} s  {self.text}", overflow="ellipsis", no_wrap=True)


@contextmanager
def watched(screen: Screen, tol: float = 1e-4, seconds: float | None = None) -> Iterator[Watch]:
    """Yields who is to be told what runs; warnings of other libraries are kept off the screen meanwhile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if screen.json or not screen.err.is_terminal:
            yield Unwatched()
            return
        line = Line(tol, inf if seconds is None else seconds, 0.0)
        with Live(line, console=screen.err, refresh_per_second=_A_SECOND, transient=True):
            yield line
