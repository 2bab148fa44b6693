"""How long a fit or a verdict may take: a deadline for all that runs inside the block, looked at between its steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import Thread
from typing import TypeVar

from linsep.types import FloatArray

T = TypeVar("T")

#: Seconds between two looks: the system may tell another thread of Ctrl-C than the one that waits.
LOOK = 0.05

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=inf)


class OutOfTime(Exception):
    """The deadline has passed; whoever set it catches this."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Inside, `seconds_left` raises `OutOfTime` after so many seconds."""
    token = _DEADLINE.set(min(_DEADLINE.get(), time.perf_counter() + seconds))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def seconds_left() -> float:
    """Until the deadline, ∞ without one."""
    left = _DEADLINE.get() - time.perf_counter()
    if left <= 0.0:
        raise OutOfTime
    return left


def out_of_time() -> bool:
    """Whether the deadline has passed: for work that has something to show before its end."""
    return time.perf_counter() >= _DEADLINE.get()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C where there was no step yet, but weights w that are better than none."""

    def __init__(self, w: FloatArray) -> None:
        super().__init__()
        self.w = w


@contextmanager
def keeping(best: Callable[[], FloatArray]) -> Iterator[None]:
    """Ctrl-C within comes with the best weights of that moment."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(best()) from None


def interruptible(work: Callable[[], T]) -> T:
    """Work in a thread: Ctrl-C does not wait for it. It cannot be cut off; its own limit of time ends it, if any."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = Thread(target=run)  # no daemon: at the exit Python waits for it, since C++ must not be cut off
    thread.start()
    while not future.done():  # not by thread.join: up to Python 3.12 Ctrl-C in it passes the thread off as ended
        wait([future], timeout=LOOK)
    return future.result()
