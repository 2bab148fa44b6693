"""One line that says what runs now: the stage, value and gap, and the time left.

It is on standard error, on a terminal only; where that is a file or a pipe, and with --json, there is none.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.text import Text

from linsep.estimators.progress import Progress

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
A_SECOND = 8


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
        frame = _FRAMES[int(seconds * A_SECOND) % len(_FRAMES)]
        return Text(f"{frame} {seconds:.0f} s  {self.text}", overflow="ellipsis", no_wrap=True)
