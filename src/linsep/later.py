"""Names that are loaded when first asked for: whoever fits a logistic regression need not wait for the perceptron."""

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
