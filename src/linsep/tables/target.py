"""A target can be learnt: it is there in every row, has two classes or more, and is not a quantity.

Numbers are taken for a quantity if they have fractions and more than 10 different values, or if they are whole and
have more than 200. A schema that says `target:category` ends the doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.tables.schema import ColumnType
from linsep.tables.where import Where
from linsep.types import IntArray

MOST_FRACTIONS, MOST_WHOLE, SHOWN = 10, 200, 5


@dataclass(frozen=True)
class Labels:
    """Facts about a target: its name, what its values are, how many different ones, and whether numbers are whole."""

    name: str
    holds: ColumnType
    rows: int
    distinct: int
    whole: bool
    example: str
    fixed: bool = False


def refuse_missing(name: str, rows: IntArray, total: int, where: Where, role: ColumnType) -> None:
    """Rows without a target, weight or group: how many, and where the first are."""
    if len(rows) == 0:
        return
    places = ", ".join(where.place(int(row)) for row in rows[:SHOWN]) + (", …" if len(rows) > SHOWN else "")
    advice = (
        "correct them, or leave these rows out with drop_missing_target"
        if role is ColumnType.TARGET
        else "correct them"
    )
    reason = f"the {role.value} is missing in {len(rows):,} of {total:,} rows ({places}); {advice}"
    raise where.bad(int(rows[0]), reason, name)


def check_labels(labels: Labels, where: Where) -> None:
    """Refuse what cannot be meant as classes."""
    if labels.distinct == 1:
        raise where.bad(
            None, f"the target is always {labels.example}: a classifier needs two classes or more", labels.name
        )
    if labels.fixed:
        return
    if labels.holds is ColumnType.NUMBER and labels.distinct > (MOST_WHOLE if labels.whole else MOST_FRACTIONS):
        raise where.bad(
            None,
            f"the target has {labels.distinct:,} different numbers, such as {labels.example}: is this a regression? "
            "linsep learns classes; cut the numbers into classes, or give the column the type category in the schema",
            labels.name,
        )
    if labels.holds is ColumnType.CATEGORY and labels.rows >= 20 and labels.distinct > labels.rows / 2:
        raise where.bad(
            None,
            f"the target has {labels.distinct:,} different values in {labels.rows:,} rows, such as {labels.example!r}: "
            "is this a text or an id? Name another column, or give it the type category in the schema",
            labels.name,
        )


def refuse_bad_weights(name: str, weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]], where: Where) -> None:
    """Weights are finite and not negative."""
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise where.bad(row, f"the weight {weights[row]} is not a finite number of 0 or more", name)
