"""Each entrant runs in a process of its own, so that it can be ended at the limit and disturbs no other.

The process loads the prepared arrays, lets the entrant convert them if it has structures of its own, warms up
on a few rows (imports, thread pools), then fits on request and sends back seconds and weights.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store import load
from benchmarks.types import Data, Fit, Setting, Task

START_LIMIT = 300.0
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Stopped(Exception):
    """The entrant ran over the limit, failed or died; the message says which."""


def limit_threads(threads: int) -> None:
    """Bound the thread pools of processes started from now on."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(threads)


class Worker:
    """A process that fits one entrant on one task."""

    def __init__(self, entrant: str, task: Task, folder: Path) -> None:
        self._request = (entrant, task, folder)
        self._process: Any = None
        self._pipe: Connection

    def run(self, setting: Setting, limit: float) -> tuple[float, Fit]:
        """Seconds and weights of one fit; after `limit` seconds the process is ended and Stopped raised."""
        if self._process is None:
            self._start()
        self._pipe.send(setting)
        kind, *content = self._receive(limit, f"over {limit:g} s")
        if kind == "failed":
            raise Stopped(content[0])
        seconds, fit = content
        return seconds, fit

    def close(self) -> None:
        """End the process, busy or not."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._request), daemon=True)
        self._process.start()
        theirs.close()
        self._receive(START_LIMIT, "could not be made ready in time")

    def _receive(self, limit: float, complaint: str) -> tuple[Any, ...]:
        try:
            if self._pipe.poll(limit):
                message: tuple[Any, ...] = self._pipe.recv()
                return message
        except (EOFError, ConnectionError):
            complaint = "its process died"
        self.close()
        raise Stopped(complaint)


def _serve(pipe: Connection, name: str, task: Task, folder: Path) -> None:
    from benchmarks.entrants import ENTRANTS

    warnings.simplefilter("ignore")
    _silence()
    entrant, data = ENTRANTS[name], load(folder)
    few = _few_rows(data)
    small_task = replace(task, n=len(few.y))
    with contextlib.suppress(Exception):  # a failure that matters comes again on the full data
        entrant.fit(small_task, entrant.prepare(small_task, few.X, few.y), entrant.ladder(task)[0])
    started = time.perf_counter()
    prepared = entrant.prepare(task, data.X, data.y)
    preparation = {"preparation": time.perf_counter() - started}
    pipe.send(("ready",))
    while True:
        setting = pipe.recv()
        try:
            started = time.perf_counter()
            fit = entrant.fit(task, prepared, setting)
            seconds = time.perf_counter() - started
            pipe.send(("fitted", seconds, replace(fit, says={**fit.says, **preparation})))
        except Exception as error:
            pipe.send(("failed", f"{type(error).__name__}: {error}"[:300]))


def _few_rows(data: Data) -> Data:
    """The first 200 rows, and the first rows of every class."""
    rows = np.unique(np.concatenate([np.arange(200), np.unique(data.y, return_index=True)[1]]))
    return Data(data.X[rows], data.y[rows])


def _silence() -> None:
    """Some entrants print from C++."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
