"""Who follows the work of training, and how a part of it says that it is a part."""

from __future__ import annotations

from dataclasses import dataclass

from linsep.model import Watch
from linsep.solvers import Record


@dataclass(frozen=True)
class Part:
    """Passes on what a part of the work says, with the name of the part before each stage."""

    watch: Watch
    name: str

    def stage(self, name: str) -> None:
        self.watch.stage(f"{self.name}, {name}")

    def begin(self, problem: int, count: int) -> None:
        self.watch.begin(problem, count)

    def __call__(self, record: Record) -> None:
        self.watch(record)


class Unwatched:
    """Nobody looks."""

    def stage(self, name: str) -> None:
        pass

    def begin(self, problem: int, count: int) -> None:
        pass

    def __call__(self, record: Record) -> None:
        pass
