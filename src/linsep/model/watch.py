"""Who follows a fit."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from linsep.solvers import Record


@runtime_checkable
class Watch(Protocol):
    """Follows a fit."""

    def stage(self, name: str) -> None:
        """What follows, in words: "choosing alpha", "fitting"; problems and records after it belong to it."""

    def begin(self, problem: int, count: int) -> None:
        """Problem number `problem` of `count` begins."""

    def __call__(self, record: Record) -> None:
        """One more line of its trace."""
