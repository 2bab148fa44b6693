"""What to train and how: every choice with its default, from the command line or a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from linsep.errors import InvalidData, InvalidParameter, unknown_name
from linsep.quality.costs import ALLOWED


@dataclass(frozen=True)
class Recipe:
    """The defaults train logistic regression with α chosen by the data.

    loss          of the margin: log, hinge, squared_hinge, …
    alpha         strength of the penalty: a number, "auto" or "cv"
    l1            share of the penalty that is L1, from 0 to 1
    multiclass    for more than two classes: auto, softmax, ovr, ovo, ecoc, …
    class_weight  None or "balanced"
    positive      the class that curves and costs speak of, by its label; None: the second of two
    cost          (a) of taking another class for it, (b) of missing it; None: a mistake is a mistake
    folds         of cross-validation, wherever it is used
    held_out      share of the rows that quality is measured on, 0: it is not measured
    tol           certified relative excess
    time          seconds for the fit, None: no limit
    threads       at most, None: all cores
    seed          of everything that is drawn
    """

    loss: str = "log"
    alpha: float | str = "auto"
    l1: float = 0.0
    multiclass: str = "auto"
    class_weight: str | None = None
    positive: str | None = None
    cost: tuple[float, float] | None = None
    folds: int = 5
    held_out: float = 0.2
    tol: float = 1e-4
    time: float | None = None
    threads: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.held_out < 1.0:
            raise InvalidParameter(f"held_out={self.held_out!r}: allowed is a share of the rows, from 0 to less than 1")
        if self.folds < 2:
            raise InvalidParameter(f"folds={self.folds!r}: allowed is a whole number from 2 on")
        if self.class_weight not in (None, "balanced"):
            raise unknown_name("class_weight", self.class_weight, ["balanced"])
        if self.cost is not None:
            object.__setattr__(self, "cost", _costs(self.cost))

    def record(self) -> dict[str, Any]:
        """As plain values, for a model file."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**plain, "cost": None if self.cost is None else list(self.cost)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """From plain values; a name that is none of the fields is an error with the nearest one."""
        known = {field.name for field in fields(cls)}
        for name in record:
            if name not in known:
                raise unknown_name("setting", name, known)
        return cls(**record)


def read_config(path: str | Path) -> dict[str, Any]:
    """The settings of a TOML file, as a flat table; `Recipe.from_record` checks their names."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise InvalidData(f"{path} is not a TOML file: {error}") from None
    except UnicodeDecodeError as error:
        raise InvalidData(f"{path} is not a TOML file: byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise InvalidData(f"cannot read {path}: {error.strerror}") from None
    except RecursionError:
        raise InvalidData(f"{path} is nested too deeply for settings") from None


def _costs(given: Any) -> tuple[float, float]:
    """Two positive finite numbers."""
    try:
        pair = tuple(float(each) for each in given)
    except (TypeError, ValueError):
        pair = ()
    if len(pair) != 2 or not all(map(ALLOWED.holds, pair)):
        raise InvalidParameter(
            f"cost={given!r}: allowed are two positive numbers up to {ALLOWED.high:g}, the cost of taking another "
            "class for the positive one and that of missing it"
        )
    return pair
