"""Which solver runs by default: a table of facts, read from top to bottom.

The facts are those of the problem alone (loss, penalty, n, d, storage), never the number of threads or a
measured speed, so the same problem always takes the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linsep.errors import Refused, unknown_name
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.solvers.augmented_lagrangian import AugmentedLagrangian
from linsep.solvers.base import Solver
from linsep.solvers.crammer_singer import CrammerSinger
from linsep.solvers.dual_cd import DualCD
from linsep.solvers.lbfgs import LBFGS
from linsep.solvers.least_squares import LeastSquares
from linsep.solvers.linear_program import LinearProgram
from linsep.solvers.newton import Newton
from linsep.solvers.newton_cg import NewtonCG
from linsep.solvers.proximal_lagrangian import ProximalLagrangian
from linsep.solvers.proximal_newton import ProximalNewton
from linsep.solvers.softmax_dual import SoftmaxDual
from linsep.solvers.whitened import Whitened


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
    """One line of the table: when it applies, in words and as a test, and the solver."""

    when: str
    applies: Callable[[Facts], bool]
    solver: type[Solver]


SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver
    for solver in (
        Newton, Whitened, NewtonCG, DualCD, SoftmaxDual, AugmentedLagrangian, LinearProgram, LeastSquares,
        CrammerSinger, LBFGS, ProximalNewton, ProximalLagrangian,
    )
}  # fmt: skip

#: Columns up to which a Hessian is formed from all rows, and up to which from a sample.
FULL, SAMPLED = 1000, 3000


def _affordable(f: Facts) -> bool:
    """Few columns, or a dense matrix of a few more, whose class blocks fit in half a gigabyte."""
    blocks = 8 * f.columns * f.weights
    return f.columns <= FULL or (not f.sparse and f.columns <= SAMPLED and blocks <= 2**29)


TABLE: tuple[Row, ...] = (
    Row(
        "hinge with L1, penalty factors or bounds, or with offsets and a penalty",
        lambda f: f.loss == "hinge" and (not f.ridge or (f.offset and f.penalised)),
        ProximalLagrangian,
    ),
    Row("L1, penalty factors or bounds", lambda f: not f.ridge, ProximalNewton),
    Row("squared loss with offsets", lambda f: f.loss in {"squared", "one_of_k"} and f.offset, ProximalNewton),
    Row("squared loss, one margin or 1 of K", lambda f: f.loss in {"squared", "one_of_k"}, LeastSquares),
    Row(
        "hinge and Crammer–Singer without a penalty",
        lambda f: f.loss in LinearProgram.losses and not f.penalised,
        LinearProgram,
    ),
    Row("Crammer–Singer", lambda f: f.loss == "crammer_singer", CrammerSinger),
    Row(
        "hinge, up to 1,000 columns (dense: 3,000)",
        lambda f: f.loss == "hinge" and _affordable(f),
        AugmentedLagrangian,
    ),
    Row("hinge, more columns", lambda f: f.loss == "hinge", DualCD),
    Row("no second derivative, or not convex", lambda f: not (f.curved and f.convex), LBFGS),
    Row("K scores, a loss of your own", lambda f: f.joint and f.loss != "softmax", LBFGS),
    Row(
        "K scores, up to 150 weights (without a penalty: 2,000)",
        lambda f: f.joint and f.weights <= (150 if f.penalised else 2000),
        Newton,
    ),
    Row("K scores, up to 1,000 columns (dense: 3,000)", lambda f: f.joint and _affordable(f), Whitened),
    Row(
        "softmax with a penalty, sparse or more columns than rows",
        lambda f: f.joint and f.penalised and not f.offset and (f.sparse or f.columns > f.rows),
        SoftmaxDual,
    ),
    Row("K scores, more columns", lambda f: f.joint, NewtonCG),
    Row(
        "one margin, up to 1,000 columns (without a penalty: 3,000)",
        lambda f: not f.joint and f.columns <= (FULL if f.penalised else SAMPLED),
        Newton,
    ),
    Row("one margin, dense, up to 3,000 columns", _affordable, Whitened),
    Row(
        "log or a smooth hinge with a penalty, sparse or more columns than rows",
        lambda f: f.loss in DualCD.losses and f.penalised and not f.offset and (f.sparse or f.columns > f.rows),
        DualCD,
    ),
    Row("one margin, more columns", lambda f: True, NewtonCG),
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
        return row_of(problem).solver
    if name not in SOLVERS:
        raise unknown_name("solver", name, ["auto", *SOLVERS])
    return SOLVERS[name]
