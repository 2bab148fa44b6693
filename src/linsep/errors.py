"""One tree of exceptions, and the warnings.

Everything linsep raises on purpose is a `LinsepError`; each kind is also the built-in exception that
scikit-learn's conventions expect (ValueError for a bad value, TypeError for a bad type).
A message says what was given, what is allowed, and the nearest thing that works.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


class LinsepError(Exception):
    """The root: catch this to catch all that linsep raises on purpose."""


class InvalidParameter(LinsepError, ValueError):
    """A parameter has a value that is not allowed."""


class InvalidType(LinsepError, TypeError):
    """A parameter or an input has a type that is not allowed."""


class InvalidData(LinsepError, ValueError):
    """The data cannot be used: NaN, one class only, negative weights, mismatched shapes."""


class BadFile(InvalidData):
    """A file cannot be read: `file`, `line` (from 1) and `column` (a name, or a byte of the line from 1) say where."""

    def __init__(
        self,
        file: str,
        reason: str,
        *,
        line: int | None = None,
        row: int | None = None,
        column: str | int | None = None,
    ) -> None:
        places = [file]
        if line is not None:
            places.append(f"line {line:,}")
        if row is not None and line is None:
            places.append(f"row {row:,}")
        if column is not None:
            places.append(f"column {column!r}" if isinstance(column, str) else f"column {column:,}")
        super().__init__(f"{', '.join(places)}: {reason}")
        self.file, self.reason, self.line, self.row, self.column = file, reason, line, row, column


class Refused(LinsepError, ValueError):
    """Each choice is valid, their combination makes no sense; the message is the reason."""


class NoOptimum(LinsepError, ArithmeticError):
    """The objective has no minimiser, for example log loss without penalty on separable data.

    `diagnosis` has all that was found about the data, where an estimator raised it.
    """

    diagnosis: object = None


class NoMaximumMargin(LinsepError, ValueError):
    """There is no maximum margin to give: `reason` in words; `witness` is the verdict of `separability`."""

    def __init__(self, reason: str, remedy: str, witness: object = None) -> None:
        super().__init__(f"{reason}. {remedy}")
        self.reason, self.witness = reason, witness


class NotSeparable(NoMaximumMargin):
    """No hyperplane separates the two classes; the witness has a point common to both convex hulls."""


class MarginTooSmall(NoMaximumMargin):
    """A hyperplane separates the two classes, by too little for float64 to find the one of maximum margin."""


class Diverged(LinsepError, ArithmeticError):
    """The steps are too large: the loss grows without bound. The message has a rate that works."""


class Undecided(LinsepError, TimeoutError):
    """The time that was given ended before the question was answered."""


class InvalidFile(LinsepError, ValueError):
    """The content of a file is not what it should be: damaged, changed, of another kind, too large or too new."""


class FileAccess(LinsepError, OSError):
    """The system does not let a file be read or written: absent, there already, no permission, disk full."""


class MissingPackage(LinsepError, ImportError):
    """Something optional is not installed; the message says how to install it."""


class NotCertified(UserWarning):
    """The fit stopped before its certificate reached `tol`."""


class DataWarning(UserWarning):
    """The fit is certified, but something serious in the data deserves a look; `diagnosis_` has the numbers."""


class NotSeparableWarning(UserWarning):
    """The data have no maximum margin that can be found; the fallback was fitted instead."""


class NotConverged(UserWarning):
    """The algorithm ended at its budget before its stopping rule was met."""


def check_flag(name: str, given: object) -> None:
    """True or False, of Python or NumPy, and nothing that merely looks like it."""
    if isinstance(given, bool):
        return
    import numpy as np  # only here: the names of errors are needed before anything is computed

    if not isinstance(given, np.bool_):
        raise InvalidType(f"{name}={given!r} is a {type(given).__name__}; allowed is True or False")


def unknown_name(
    kind: str, given: object, allowed: Iterable[str], elsewhere: Mapping[str, str] | None = None
) -> InvalidParameter:
    """The error for a name that is not in a list: what was given, what is allowed, the nearest name.

    elsewhere: what others call the same, by its name here; one of these that is nearer leads to the name here.
    """
    names = sorted(allowed)
    message = f"unknown {kind} {given!r}: "
    if not names:
        return InvalidParameter(message + f"there is no {kind} to choose from")
    known = {_plain(other): name for other, name in (elsewhere or {}).items() if name in names}
    known |= {_plain(name): name for name in names}
    # cutoff 0: there is always a nearest name, however far
    nearest = get_close_matches(_plain(str(given)), known, n=1, cutoff=0.0)[0]
    message += "allowed are " + ", ".join(map(repr, names))
    return InvalidParameter(f"{message}; the nearest is {known[nearest]!r}")


def _plain(name: str) -> str:
    """Without capitals, and with one sign between words."""
    return name.lower().replace("-", "_").replace(" ", "_")
