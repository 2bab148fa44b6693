"""The most memory that a fit holds beside the data as they were given, in bytes.

    8 [ vectors · n K + squares · (d + 1)² (K/2 for a matrix a class) + weights · (d + 1) K ] + multipliers + copies

Measured once for every solver (bytes do not depend on the machine). A copy of X is made where it cannot be read in
place, and a dense one where columns lie so far from 0 that they are centred first; a linear
program holds all its rows so.
"""

from __future__ import annotations

from dataclasses import dataclass

from linsep.planning.work import WIDEST, Size


@dataclass(frozen=True)
class Room:
    """Vectors of n K numbers, matrices of (d + 1)², vectors of (d + 1) K that a solver holds at once; a_class: it has
    a matrix a class."""

    vectors: float
    squares: float
    weights: float
    a_class: bool = False


ROOM: dict[str, Room] = {
    "newton": Room(11, 2, 10),
    "whitened": Room(13, 2, 10, a_class=True),
    "augmented_lagrangian": Room(14, 3, 10),
    "least_squares": Room(9, 4, 12),
    "dual_cd": Room(13, 0, 12),
    "crammer_singer": Room(7, 0, 12),
    "newton_cg": Room(13, 0, 12),
    "softmax_dual": Room(6, 0, 8),
    "lbfgs": Room(8, 0, 30),
    "linear_program": Room(20, 1, 10),
    "proximal_newton": Room(13, 3, 35),
    "proximal_lagrangian": Room(20, 3, 20),
}


def beside_data(solver: str, size: Size, *, keeps_multipliers: bool) -> float:
    """Bytes of vectors and matrices."""
    room, d = ROOM[solver], size.columns + 1
    matrices = room.squares * d * d if size.columns <= WIDEST else 0.0
    if room.a_class:
        matrices *= max(size.scores / 2.0, 1.0)
    if solver == "newton" and size.scores > 1:
        matrices = 2.0 * (d * size.scores) ** 2
    if solver == "linear_program":
        matrices += 5.0 * size.rows * d * max(size.scores - 1, 1) ** 2
    numbers = room.vectors * size.rows * size.scores + matrices + room.weights * d * size.scores
    kept = size.rows * size.problems if keeps_multipliers else 0
    return 8.0 * (numbers + kept + d * size.problems)


def square(columns: int) -> float:
    """Bytes of a matrix of so many columns and its factor."""
    return 16.0 * columns * columns
