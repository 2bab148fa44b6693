"""The referee: runs every entrant up its ladder, evaluates F itself, and keeps every run.

First round: rung by rung, all entrants take turns; an entrant leaves when a fit runs over the limit or
fails. Later rounds repeat, again in turns, only the fits that may decide a cell of the table: those that
reach a tolerance in at most 1.5 times the entrant's best time and at most 4 times the fastest entrant's, and
the loosest of them.
The best known value is the lowest F of all runs; an excess is (F - best) / best.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.entrants import ENTRANTS, OURS
from benchmarks.objective import accuracy, objective
from benchmarks.types import Data, Fit, Rules, Run, Setting, Task
from benchmarks.worker import Stopped, Worker

PAUSE = 0.1  # seconds in which thread pools of the entrant before go to sleep
CONVERGED = 0.01  # a peer at this part of the smallest tolerance is done
PATIENCE = 20  # once the best is settled a fit may take so many times the fastest one to it, but always 5 s


@dataclass
class Contest:
    """One workload under the referee's eyes; `say` gets a line of progress and the share of the work done."""

    task: Task
    data: Data
    folder: Path
    rules: Rules
    say: Callable[[str, float], None]
    runs: list[Run] = field(default_factory=list)
    skips: dict[str, str] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    accuracy: float = 0.0
    share: float = 0.0

    def hold(self, names: list[str]) -> None:
        """Run all rounds."""
        self.skips = {name: reason for name in names if (reason := ENTRANTS[name].skip(self.task))}
        self._workers = {name: Worker(name, self.task, self.folder) for name in names if name not in self.skips}
        try:
            self._first_round()
            for repeat in range(1, self.rules.repeats):
                self.share = 0.7 + 0.3 * repeat / self.rules.repeats
                for name, label in self._contenders():
                    self._fit(name, self._settings(name)[label])
        finally:
            for worker in self._workers.values():
                worker.close()

    @property
    def best(self) -> float:
        return min((run.objective for run in self.runs), default=float("inf"))

    def excess(self, run: Run) -> float:
        """The relative excess of a run over the best known value."""
        return (run.objective - self.best) / abs(self.best)

    def _settings(self, name: str) -> dict[str, Setting]:
        ladder = ENTRANTS[name].ladder(self.task)
        if self.rules.quick:
            ladder = ladder[1::2]
        return {_label(setting): setting for setting in ladder}

    def _first_round(self) -> None:
        ladders = {name: list(self._settings(name).values()) for name in self._workers}
        rungs = max(map(len, ladders.values()), default=0)
        for rung in range(rungs):
            self.share = 0.7 * rung / rungs
            for name, ladder in ladders.items():
                if rung < len(ladder) and name not in self.ended and not self._converged(name):
                    self._fit(name, ladder[rung])

    def _converged(self, name: str) -> bool:
        """Whether a peer is so near to a settled best value that tighter settings tell nothing more."""
        return name != OURS and self.settled() and any(run.entrant == name for run in self._at_the_best())

    def _at_the_best(self) -> list[Run]:
        return [run for run in self.runs if self.excess(run) <= CONVERGED * min(self.rules.tolerances)]

    def settled(self) -> bool:
        """Whether two entrants that share no code agree on the best value."""
        return len({ENTRANTS[run.entrant].family for run in self._at_the_best()}) > 1

    def _contenders(self) -> list[tuple[str, str]]:
        """The settings worth repeating, loose ones first."""
        chosen: set[tuple[str, str]] = set()
        for tolerance in self.rules.tolerances:
            reached = [run for run in self.runs if self.excess(run) <= tolerance]
            fastest = min((run.seconds for run in reached), default=0.0)
            for name in {run.entrant for run in reached}:
                own = [run for run in reached if run.entrant == name]
                best = min(run.seconds for run in own)
                if best <= 4 * fastest or name == OURS:
                    chosen |= {(name, run.setting) for run in own if run.seconds <= 1.5 * best}
                    chosen.add((name, own[0].setting))  # the loosest, should it have been disturbed
        affordable = (pair for pair in chosen if self._spent(*pair) < self.rules.limit)
        return sorted(affordable, key=lambda pair: pair[::-1])

    def _spent(self, name: str, label: str) -> float:
        return sum(run.seconds for run in self.runs if (run.entrant, run.setting) == (name, label))

    def _fit(self, name: str, setting: Setting) -> None:
        label = _label(setting)
        time.sleep(PAUSE)
        try:
            seconds, fit = self._workers[name].run(setting, self._limit(name))
            self._record(name, label, seconds, fit)
        except (Stopped, ValueError) as reason:
            self.ended[name] = f"{reason} at {label}"
            self.say(f"{name:28} {label:18} {reason}", self.share)

    def _limit(self, name: str) -> float:
        """The limit of the rules; for peers less once the best is settled and a much faster time known."""
        if name == OURS or not self.settled():
            return self.rules.limit
        smallest = min(self.rules.tolerances)
        fastest = min(run.seconds for run in self.runs if self.excess(run) <= smallest)
        return min(self.rules.limit, max(5.0, PATIENCE * fastest))

    def _record(self, name: str, label: str, seconds: float, fit: Fit) -> None:
        value = objective(self.task, self.data, fit)
        if value < self.best:
            self.accuracy = accuracy(self.task, self.data, fit)
        run = Run(name, label, seconds, value, fit.says)
        self.runs.append(run)
        line = f"{name:28} {label:18} {seconds:9.4f} s  F = {value:.9g}, {self.excess(run):.1e} above the best"
        self.say(line, self.share)


def _label(setting: Setting) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in setting.items())
