"""What a check found: a value with numbers and names first, a sentence second."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple


class Severity(IntEnum):
    """How much it matters. Only what is serious warns by itself; all of it stands in the diagnosis."""

    NOTE = 1  # good to know
    CAUTION = 2  # weights or probabilities may mislead
    SERIOUS = 3  # look before the model is used

    @property
    def word(self) -> str:
        return self.name.lower()


class Column(NamedTuple):
    """A feature: its number, and its name or x and its number."""

    number: int
    name: str

    def __str__(self) -> str:
        return repr(self.name)


@dataclass(frozen=True)
class Finding(ABC):
    """One thing that the user should know.

    kind    its name, as in the registry of checks
    delays  whether it makes a fit slow, so that it may be why one was not certified
    """

    kind: ClassVar[str]
    delays: ClassVar[bool] = False
    severity: Severity

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What was found, with numbers and names, without a full stop."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What to do, without a full stop; empty where there is nothing to do."""

    def __str__(self) -> str:
        advice = f" {_begun(self.remedy)}." if self.remedy else ""
        return f"{_begun(self.sentence)}.{advice}"

    def record(self) -> dict[str, Any]:
        """As a nested dict of JSON values."""
        numbers = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "severity"}
        return {
            "kind": self.kind,
            "severity": self.severity.word,
            **numbers,
            "sentence": self.sentence,
            "remedy": self.remedy,
        }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Column):
        return value._asdict()
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
