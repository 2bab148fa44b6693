"""A registry of losses: names become losses, a user's own loss is checked, mistakes get a helpful error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from linsep.errors import InvalidParameter, InvalidType, unknown_name
from linsep.problem.base import Loss

L = TypeVar("L", bound=Loss)


class Registry(Generic[L]):
    """The losses of one kind by name. The name of a built-in one cannot be given to another loss."""

    def __init__(
        self, kind: str, base: type[L], built_in: Iterable[L], elsewhere: Mapping[str, str] | None = None
    ) -> None:
        """elsewhere: what others call a loss, by its name here."""
        self.kind = kind
        self._elsewhere = elsewhere
        self.base = base
        self._members: dict[str, L] = {loss.name: loss for loss in built_in}
        self._built_in = {name: type(loss) for name, loss in self._members.items()}

    def __iter__(self) -> Iterator[L]:
        return iter(self._members.values())

    def names(self) -> list[str]:
        return list(self._members)

    def register(self, loss: L) -> L:
        """Make the loss known by its name; an own loss may be registered again."""
        self._members[loss.name] = self._checked(loss)
        return loss

    def get(self, name: str) -> L:
        """The loss of that name."""
        try:
            return self._members[name]
        except KeyError:
            raise unknown_name(self.kind, name, self._members, self._elsewhere) from None

    def resolve(self, loss: str | L) -> L:
        """A name becomes its loss; a loss object is checked and returned."""
        return self.get(loss) if isinstance(loss, str) else self._checked(loss)

    def _checked(self, loss: L) -> L:
        if not isinstance(loss, self.base):
            raise InvalidType(self._not_a_loss(loss))
        if not isinstance(getattr(loss, "convex", None), bool):
            raise InvalidParameter(
                f"{self.kind} {loss.name!r} must declare convex = True or False: the certificate needs it"
            )
        if self._built_in.get(loss.name, type(loss)) is not type(loss):
            raise InvalidParameter(
                f"{type(loss).__name__} has the name {loss.name!r}, which belongs to a built-in {self.kind}; "
                f"give it another, for example {'own_' + loss.name!r}"
            )
        return loss

    def _not_a_loss(self, given: object) -> str:
        base = self.base.__name__
        allowed = f"a {self.kind} is a name ({', '.join(map(repr, self.names()))}) or a {base} object"
        if not isinstance(given, type):
            return f"{allowed}; given was {given!r} of type {type(given).__name__}"
        if issubclass(given, self.base):
            return f"{allowed}; given was the class {given.__name__}: pass {given.__name__}()"
        return f"{allowed}; given was the class {given.__name__}: derive it from {base}"
