"""The entrants by name. A new one is a class beside these and a line here."""

from __future__ import annotations

from benchmarks.entrants.base import Entrant
from benchmarks.entrants.cyanure import Cyanure
from benchmarks.entrants.glum import Glum
from benchmarks.entrants.lasso import Celer, Skglm
from benchmarks.entrants.liblinear import DUAL, LASSO, PRIMAL, Liblinear
from benchmarks.entrants.ours import Linsep
from benchmarks.entrants.scikit import Intelex, LinearSvc, Logistic
from benchmarks.entrants.snapml import SnapMl

_ALL: tuple[Entrant, ...] = (
    Linsep(),
    Logistic("lbfgs"),
    Logistic("newton-cholesky"),
    Logistic("newton-cg"),
    Logistic("saga"),
    Logistic("liblinear"),
    LinearSvc(),
    Intelex("lbfgs"),
    Intelex("newton-cg"),
    Liblinear("primal", PRIMAL),
    Liblinear("dual", DUAL),
    Liblinear("L1", LASSO),
    SnapMl(),
    Glum(),
    Cyanure(),
    Celer(),
    Skglm(),
)
ENTRANTS: dict[str, Entrant] = {entrant.name: entrant for entrant in _ALL}
OURS = "linsep"
