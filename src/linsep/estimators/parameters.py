"""Parameters, checked before any work: what was given, what is allowed."""

from __future__ import annotations

from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from linsep import selection
from linsep.errors import InvalidParameter, InvalidType, check_flag
from linsep.kernels.threads import resolve_threads
from linsep.problem import joint, losses
from linsep.problem.base import JointLoss, MarginLoss
from linsep.selection import Chooser


def margin_loss(given: Any) -> MarginLoss:
    """The loss of that name, or the user's own; a K-score loss is explained."""
    name = given.name if isinstance(given, JointLoss) else given
    if isinstance(name, str) and name in joint.JOINT_LOSSES.names():
        binary = joint.get(name).binary
        raise InvalidParameter(f"loss={name!r} is a loss of K scores: give loss={binary!r} and multiclass={name!r}")
    return losses.resolve(given)


def number(name: str, given: Any, *, least: float = 0.0, open_end: bool = False, none: str = "") -> float:
    """A finite real number ≥ least, or > least; None is infinity where `none` says what it means."""
    if given is None and none:
        return inf
    if type(given) is float and least < given < inf:
        return given
    allowed = f"a finite number {'>' if open_end else '>='} {least:g}"
    allowed += f", or None for {none}" if none else ""
    if isinstance(given, bool | np.bool_) or not isinstance(given, Real):
        raise _wrong_type(name, given, allowed)
    try:
        value = float(given)
    except OverflowError:
        value = inf
    if not isfinite(value) or value < least or (open_end and value == least):
        raise InvalidParameter(f"{name}={given!r}: allowed is {allowed}")
    return value


def alpha(given: Any) -> float | Chooser:
    """A number, or a way to choose one: its name, or an object with its settings."""
    if isinstance(given, Chooser):
        return given
    if isinstance(given, str):
        choosers = selection.CHOOSERS  # loaded where one is asked for
        if given in choosers:
            return choosers[given]()
        names = ", ".join(map(repr, choosers))
        raise _wrong_type(
            "alpha", given, f"a finite number >= 0, {names}, or an object such as CrossValidation(folds=10)"
        )
    return number("alpha", given)


def whole(name: str, given: Any, least: int) -> int:
    """A whole number ≥ least."""
    if not is_whole(given):
        raise _wrong_type(name, given, f"a whole number >= {least}")
    if given < least:
        raise InvalidParameter(f"{name}={given!r}: allowed is a whole number >= {least}")
    return int(given)


def is_whole(given: Any) -> bool:
    """An integer of Python or NumPy, which a bool is not."""
    return type(given) is int or (isinstance(given, Integral) and not isinstance(given, bool))


def _wrong_type(name: str, given: Any, allowed: str) -> InvalidType:
    return InvalidType(f"{name}={given!r} is a {type(given).__name__}; allowed is {allowed}")


def flag(name: str, given: Any) -> bool:
    """True or False, and nothing that merely looks like it."""
    check_flag(name, given)
    return bool(given)


def verbosity(given: Any) -> int:
    """False, True, 0, 1, 2."""
    return int(given) if isinstance(given, bool | np.bool_) else whole("verbose", given, 0)


def threads(n_jobs: Any) -> int:
    """How many threads `n_jobs` means here."""
    return resolve_threads(n_jobs)


def seed(random_state: Any) -> int:
    """A whole number; None is 0: the same data give the same model. A generator is drawn from once."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if is_whole(random_state) and random_state >= 0:
        return int(random_state)
    raise InvalidParameter(
        f"random_state={random_state!r}: allowed are a whole number >= 0, a NumPy RandomState or Generator, "
        "and None for 0"
    )


def solver_name(given: Any) -> str:
    """Which names exist is known to the table of the solvers."""
    if not isinstance(given, str):
        raise _wrong_type("solver", given, "'auto' or the name of a solver")
    return given
