"""Attributes that are computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class cached_property(Generic[T]):
    """`functools.cached_property` without the lock that it has up to Python 3.11, one for all objects: fits in several
    threads waited for each other's scan of the data, and a child forked meanwhile waited for ever."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, "", compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        value: T = self._compute(instance)
        instance.__dict__[self._name] = value  # found there before this is asked again
        return value
