"""The game of grid_game.py: a garden, a gardener who picks fruit, and two ghosts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np

Cell = tuple[int, int]
STEPS: dict[str, Cell] = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
HEIGHT, WIDTH, FRUITS, TURNS = 9, 11, 8, 200
OPENED = 0.9  # of the inner walls
REST, CHASE = 0.3, 0.6  # how often a ghost stays where it is, and how often its step is towards the gardener
HORIZON = 10  # turns for which the chance to stay free is known
GARDENS = 12  # to learn in, and as many others to test in


@dataclass(frozen=True)
class Garden:
    """A maze: its open cells, each with the steps that are possible there."""

    ways: dict[Cell, dict[str, Cell]]

    @cached_property
    def distance(self) -> dict[Cell, dict[Cell, int]]:
        """Steps between any two cells."""
        return {cell: self.distances_from(cell) for cell in self.ways}

    @cached_property
    def number(self) -> dict[Cell, int]:
        return {cell: i for i, cell in enumerate(self.ways)}

    @cached_property
    def survival(self) -> list[np.ndarray]:
        """For t = 0, …, HORIZON: S[p, g, h], the chance of a gardener at p to stay free for t turns, ghosts at g and h.

        The ghosts move next. By dynamic programming over the turns, for a gardener who only runs:
            S(p, g, h) = E over the ghosts' steps g', h' of  max over the gardener's steps p' of  S(p', g', h'),
        and 0 wherever the gardener meets a ghost.
        """
        goes, steps = self._ghost_steps(), self._steps()
        padded = np.array([options + options[:1] * (4 - len(options)) for options in steps])
        apart = 1.0 - np.eye(len(steps))
        free = apart[:, :, None] * apart[:, None, :]
        chances = [free]
        for _ in range(HORIZON):
            best = chances[-1][padded].max(axis=1) * free
            chances.append(goes @ best @ goes.transpose(0, 2, 1) * free)
        return chances

    def _steps(self) -> list[list[int]]:
        return [[self.number[to] for to in targets.values()] for targets in self.ways.values()]

    def _ghost_steps(self) -> np.ndarray:
        """[p, g, g']: the probability that a ghost goes from g to g' when the gardener is at p."""
        steps = self._steps()
        far = np.array([[self.distance[p][g] for g in self.ways] for p in self.ways])
        goes = np.zeros((len(steps),) * 3)
        for g, options in enumerate(steps):
            nearer = far[:, options] == far[:, options].min(axis=1, keepdims=True)
            goes[:, g, g] = REST
            goes[:, g, options] += (1 - REST) * CHASE * nearer / nearer.sum(axis=1, keepdims=True)
            goes[:, g, options] += (1 - REST) * (1 - CHASE) / len(options)
        return goes

    def distances_from(self, start: Cell) -> dict[Cell, int]:
        """Steps from the start to every cell, breadth first."""
        steps, line = {start: 0}, [start]
        for cell in line:
            for target in self.ways[cell].values():
                if target not in steps:
                    steps[target] = steps[cell] + 1
                    line.append(target)
        return steps


def make_garden(rng: random.Random) -> Garden:
    """A maze grown at random, with enough walls opened afterwards that there are ways around."""
    rooms = {(r, c) for r in range(1, HEIGHT, 2) for c in range(1, WIDTH, 2)}
    open_cells, stack = {(1, 1)}, [(1, 1)]
    while stack:
        r, c = stack[-1]
        fresh = [(r + 2 * dr, c + 2 * dc) for dr, dc in STEPS.values()]
        fresh = [room for room in fresh if room in rooms and room not in open_cells]
        if not fresh:
            stack.pop()
            continue
        room = rng.choice(fresh)
        open_cells |= {room, ((r + room[0]) // 2, (c + room[1]) // 2)}
        stack.append(room)
    inner = {(r, c) for r in range(1, HEIGHT - 1) for c in range(1, WIDTH - 1) if (r + c) % 2}
    walls = sorted(inner - open_cells)
    open_cells |= set(rng.sample(walls, int(OPENED * len(walls))))
    ways = {
        cell: {name: to for name, (dr, dc) in STEPS.items() if (to := (cell[0] + dr, cell[1] + dc)) in open_cells}
        for cell in sorted(open_cells)
    }
    return Garden(ways)


@dataclass(frozen=True)
class State:
    """Who is where, what is left, and the gardener's last step."""

    garden: Garden
    gardener: Cell
    ghosts: tuple[Cell, ...]
    fruit: frozenset[Cell]
    last: str = ""

    @property
    def won(self) -> bool:
        return not self.fruit

    @property
    def lost(self) -> bool:
        return self.gardener in self.ghosts

    @property
    def actions(self) -> list[str]:
        return list(self.garden.ways[self.gardener])

    def after(self, action: str) -> State:
        """The gardener has moved, the ghosts not yet."""
        cell = self.garden.ways[self.gardener][action]
        return replace(self, gardener=cell, fruit=self.fruit - {cell}, last=action)

    def ghosts_moved(self, rng: random.Random) -> State:
        moved = []
        for ghost in self.ghosts:
            options = list(self.garden.ways[ghost].values())
            rng.shuffle(options)
            near = min(options, key=self.garden.distance[self.gardener].__getitem__)
            step = near if rng.random() < CHASE else options[0]
            moved.append(ghost if rng.random() < REST else step)
        return replace(self, ghosts=tuple(moved))

    def frame(self) -> str:
        shown = dict.fromkeys(self.garden.ways, " ") | dict.fromkeys(self.fruit, ".") | {self.gardener: "@"}
        shown |= dict.fromkeys(self.ghosts, "G")
        return "\n".join("".join(shown.get((r, c), "#") for c in range(WIDTH)) for r in range(HEIGHT))


@cache  # its tables are made once
def garden_of(number: int) -> Garden:
    return make_garden(random.Random(number))


def new_game(garden: Garden, rng: random.Random) -> State:
    """The gardener starts in the middle, ghosts at least 6 steps away."""
    gardener = min(garden.ways, key=lambda cell: abs(cell[0] - HEIGHT // 2) + abs(cell[1] - WIDTH // 2))
    others = [cell for cell in garden.ways if cell != gardener]
    far = [cell for cell in others if garden.distance[gardener][cell] >= 6]
    return State(garden, gardener, tuple(rng.sample(far, 2)), frozenset(rng.sample(others, FRUITS)))


Player = Callable[[State], str]


@dataclass
class Game:
    """One game: its states with the actions taken, and how it ended."""

    states: list[State] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    won: bool = False


def play(player: Player, garden: int, seed: int) -> Game:
    """A game of TURNS turns at most; the same seed gives the same start and the same luck to every player."""
    rng, game = random.Random(seed), Game()
    state = new_game(garden_of(garden), rng)
    for _ in range(TURNS):
        action = player(state)
        game.states.append(state)
        game.actions.append(action)
        state = state.after(action)
        if state.won or state.lost:
            break
        state = state.ghosts_moved(rng)
        if state.lost:
            break
    game.won = state.won and not state.lost
    return game


def play_many(player: Player, count: int, seed: int, *, unseen: bool) -> list[Game]:
    """Games in turn in the gardens to learn in, or in others: those of this seed, never seen while learning."""
    first = GARDENS * (1 + seed) if unseen else 0
    return [play(player, first + i % GARDENS, 2_000_000 * seed + 1_000_000 * unseen + i) for i in range(count)]
