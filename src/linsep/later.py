"""What is loaded when first asked for: whoever fits a logistic regression need not wait for the perceptron."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: from a name to the module that has it."""

    def find(name: str) -> Any:
        if name in where:
            found = getattr(import_module(where[name]), name)
            setattr(sys.modules[package], name, found)  # asked for once
            return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


class Package:
    """Parts of a package, each loaded when it is first used."""

    def __init__(self, name: str, *parts: str) -> None:
        self._name, self._parts = name, parts

    def __getattr__(self, part: str) -> Any:
        if part not in self.__dict__["_parts"]:
            raise AttributeError(f"{part!r} is none of the parts of {self._name} that are loaded later")
        found = self.__dict__[part] = import_module(f"{self._name}.{part}")
        return found


#: SciPy takes longer to import than most tables to be learnt: what fits and predicts has it from here.
scipy = Package("scipy", "linalg", "sparse")


def calling(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is loaded when the function is first called, for tables that list many."""

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*given, **named)

    return call
