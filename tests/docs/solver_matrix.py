"""Every loss × penalty × storage cell with the solver that runs by default, or the sentence that refuses it.

`python -m tests.docs.solver_matrix` rewrites the table in docs/solvers.md; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from linsep.data import as_design
from linsep.errors import Refused
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2, Penalty
from linsep.problem.problem import Problem
from linsep.solvers.base import Goal
from linsep.solvers.table import choose

PAGE = Path(__file__).parents[2] / "docs" / "solvers.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"

STORAGES = {
    "50 columns": np.ones((8, 50)),
    "2,000 columns, dense": np.ones((8, 2000)),
    "20,000 columns, sparse": sparse.random(8, 20_000, density=0.001, format="csr", random_state=0),
}
PENALTIES = {"α > 0": L2(1e-3), "α = 0": L2(0.0), "L1, factors, bounds": Penalty(1e-3, 1.0)}


def problems() -> Iterator[tuple[str, str, list[Problem]]]:
    """Name of the loss, name of the penalty, and one problem a storage."""
    signs, codes = np.tile([-1.0, 1.0], 4), np.tile(np.arange(4), 2)
    for loss in losses.MARGIN_LOSSES:
        for name, penalty in PENALTIES.items():
            designs = [as_design(X, 1) for X in STORAGES.values()]
            yield loss.name, name, [MarginProblem(d, signs, None, penalty, True, loss) for d in designs]
    for scores in joint.JOINT_LOSSES:
        for name, penalty in PENALTIES.items():
            designs = [as_design(X, 1) for X in STORAGES.values()]
            yield (
                scores.name,
                name,
                [JointProblem(d, codes, None, penalty, True, scores, 4) for d in designs],
            )


def cell(problem: Problem) -> tuple[str, str | None]:
    """The solver's name, and its refusal if it refuses."""
    try:
        solver = choose(problem, "auto")(goal=Goal(1e-4, False))
    except Refused as refusal:
        return "refused", str(refusal)
    sentence = solver.refusal(problem)
    return (f"`{solver.name}`", None) if sentence is None else ("refused", sentence)


def table() -> str:
    lines = ["| loss | penalty | " + " | ".join(STORAGES) + " |", "|---|---|" + "---|" * len(STORAGES)]
    notes: list[str] = []
    for loss, penalty, cells in problems():
        shown = []
        for text, sentence in map(cell, cells):
            if sentence is not None:
                if sentence not in notes:
                    notes.append(sentence)
                text = f"refused [{notes.index(sentence) + 1}]"
            shown.append(text)
        lines.append(f"| `{loss}` | {penalty} | " + " | ".join(shown) + " |")
    lines += ["", *(f"{i}. {note}" for i, note in enumerate(notes, 1))]
    return "\n".join(lines)


def page_with(table_text: str) -> str:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{table_text}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(table()), encoding="utf-8")
