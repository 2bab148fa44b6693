"""What the coefficients are called: a feature or the intercept, and with more than two classes the class before it."""

from __future__ import annotations

from collections.abc import Iterable

from linsep.data.names import Names


def coefficient_names(names: Names | None, features: int) -> list[str]:
    """The features' names, or x and a number, and the intercept after them."""
    known: Iterable[object] = (f"x{j}" for j in range(features)) if names is None else names
    return [*map(str, known), "intercept"]
