"""Which solver runs by default: a table of facts, read from top to bottom.

The facts are those of the problem alone (loss, penalty, n, d, storage), never the number of threads or a
measured speed, so the same problem always takes the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from linsep.errors import Refused, unknown_name
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import Solver


@dataclass(frozen=True)
class Facts:
    """What the choice may depend on."""

    loss: str
    convex: bool
    curved: bool  # smooth, with a second derivative
    joint: bool
    penalised: bool
    sparse: bool
    rows: int
    weights: int  # unknowns: (d + 1)·K
    columns: int
    entries: int  # stored entries of X
    ridge: bool  # l1_ratio=0 without penalty factors and bounds
    offset: bool


def facts_of(problem: Problem) -> Facts:
    joint = isinstance(problem, JointProblem)
    return Facts(
        loss=problem.loss.name,
        convex=problem.loss.convex,
        curved=problem.loss.smooth and problem.loss.offers("hessian_product" if joint else "d2"),
        joint=joint,
        penalised=problem.alpha > 0.0,
        sparse=problem.design.sparse,
        rows=problem.design.n,
        weights=(problem.design.d + 1) * (problem.shape[1] if joint else 1),
        columns=problem.design.d,
        entries=problem.design.entries,
        ridge=problem.penalty.ridge,
        offset=problem.offset is not None,
    )


@dataclass(frozen=True)
class Row:
    """One line of the table: when it applies, in words and as a test, and the solver's name."""

    when: str
    applies: Callable[[Facts], bool]
    solver: str


#: Every solver by its name, which is that of its module too, and its class. Only the one that runs is loaded.
SOLVERS = {
    "newton": "Newton", "whitened": "Whitened", "newton_cg": "NewtonCG", "dual_cd": "DualCD",
    "softmax_dual": "SoftmaxDual", "augmented_lagrangian": "AugmentedLagrangian", "linear_program": "LinearProgram",
    "least_squares": "LeastSquares", "crammer_singer": "CrammerSinger", "lbfgs": "LBFGS",
    "proximal_newton": "ProximalNewton", "proximal_lagrangian": "ProximalLagrangian",
}  # fmt: skip


def solver_of(name: str) -> type[Solver]:
    """The solver of this name."""
    found: type[Solver] = getattr(import_module(f"linsep.solvers.{name}"), SOLVERS[name])
    return found


#: Columns up to which a Hessian is formed from all rows, and up to which from a sample.
FULL, SAMPLED = 1000, 3000
#: Losses that one coordinate of the dual at a time suits.
_IN_THE_DUAL = frozenset({"log", "squared_hinge", "smoothed_hinge"})


def _affordable(f: Facts) -> bool:
    """Few columns, or a dense matrix of a few more, whose class blocks fit in half a gigabyte."""
    blocks = 8 * f.columns * f.weights
    return f.columns <= FULL or (not f.sparse and f.columns <= SAMPLED and blocks <= 2**29)


TABLE: tuple[Row, ...] = (
    Row(
        "hinge with L1, penalty factors or bounds, or with offsets and a penalty",
        lambda f: f.loss == "hinge" and (not f.ridge or (f.offset and f.penalised)),
        "proximal_lagrangian",
    ),
    Row("L1, penalty factors or bounds", lambda f: not f.ridge, "proximal_newton"),
    Row("squared loss with offsets", lambda f: f.loss in {"squared", "one_of_k"} and f.offset, "proximal_newton"),
    Row("squared loss, one margin or 1 of K", lambda f: f.loss in {"squared", "one_of_k"}, "least_squares"),
    Row(
        "hinge and Crammer–Singer without a penalty",
        lambda f: f.loss in {"hinge", "crammer_singer"} and not f.penalised,
        "linear_program",
    ),
    Row("Crammer–Singer", lambda f: f.loss == "crammer_singer", "crammer_singer"),
    Row(
        "hinge, up to 1,000 columns (dense: 3,000)",
        lambda f: f.loss == "hinge" and _affordable(f),
        "augmented_lagrangian",
    ),
    Row("hinge, more columns", lambda f: f.loss == "hinge", "dual_cd"),
    Row("no second derivative, or not convex", lambda f: not (f.curved and f.convex), "lbfgs"),
    Row("K scores, a loss of your own", lambda f: f.joint and f.loss != "softmax", "lbfgs"),
    Row(
        "K scores, up to 150 weights (without a penalty: 2,000)",
        lambda f: f.joint and f.weights <= (150 if f.penalised else 2000),
        "newton",
    ),
    Row("K scores, up to 1,000 columns (dense: 3,000)", lambda f: f.joint and _affordable(f), "whitened"),
    Row(
        "softmax with a penalty, sparse or more columns than rows",
        lambda f: f.joint and f.penalised and not f.offset and (f.sparse or f.columns > f.rows),
        "softmax_dual",
    ),
    Row("K scores, more columns", lambda f: f.joint, "newton_cg"),
    Row(
        "one margin, up to 1,000 columns (without a penalty: 3,000)",
        lambda f: not f.joint and f.columns <= (FULL if f.penalised else SAMPLED),
        "newton",
    ),
    Row("one margin, dense, up to 3,000 columns", _affordable, "whitened"),
    Row(
        "log or a smooth hinge with a penalty, sparse or more columns than rows",
        lambda f: f.loss in _IN_THE_DUAL and f.penalised and not f.offset and (f.sparse or f.columns > f.rows),
        "dual_cd",
    ),
    Row("one margin, more columns", lambda f: True, "newton_cg"),
)


def row_of(problem: Problem) -> Row:
    """The first line of the table that applies."""
    facts = facts_of(problem)
    return next(row for row in TABLE if row.applies(facts))


def refuse(solver: Solver, problem: Problem, asked: str) -> None:
    """Raises where the solver cannot take the problem; if it is the table's choice, no other could."""
    reason = solver.refusal(problem)
    if reason is not None:
        raise Refused(reason if asked != "auto" else f"no solver takes this combination: {reason}")


def choose(problem: Problem, name: str) -> type[Solver]:
    """The solver class for the problem: by name, or by the table for "auto"."""
    if problem.loss.refusal is not None:
        raise Refused(problem.loss.refusal)
    if name == "auto":
        return solver_of(row_of(problem).solver)
    if name not in SOLVERS:
        raise unknown_name("solver", name, ["auto", *SOLVERS])
    return solver_of(name)
