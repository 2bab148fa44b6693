"""Who is told what a command is doing: the line on the terminal, or nobody."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from signal import SIG_IGN, SIGINT, signal
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

from linsep.cli.screen import Screen

if TYPE_CHECKING:
    from linsep.model import Watch


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C is not heard meanwhile: for what takes a moment and must not be lost. Elsewhere than in the main thread it
    is not heard anyway."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, before)


@contextmanager
def watched(screen: Screen, tol: float = 1e-4, seconds: float | None = None) -> Iterator[Watch]:
    """Yields who is to be told what runs; warnings of other libraries are kept off the screen meanwhile."""
    from linsep.workflow.watching import Unwatched

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not screen.is_watched:
            yield Unwatched()
            return
        from rich.live import Live

        from linsep.cli.live import A_SECOND, Line

        line = Line(tol, inf if seconds is None else seconds, 0.0)
        with Live(line, console=screen.err, refresh_per_second=A_SECOND, transient=True):
            yield line
