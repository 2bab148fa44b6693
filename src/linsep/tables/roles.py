"""Which column plays which part: target, weight, group, id, ignored; by name or by place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from linsep.errors import InvalidParameter
from linsep.tables.options import Place, ReadOptions
from linsep.tables.schema import ROLES, ColumnType, no_such_column
from linsep.tables.schema_file import Fixed, FixedTypes
from linsep.tables.where import Where

_NUMBER = re.compile(r"[+-]?\d+")


def find_column(place: Place, names: Sequence[str], where: Where) -> str:
    """The name of the column at a place: a name wins; then "last", or a number from 1, negative from the right."""
    if isinstance(place, str):
        if place in names:
            return place
        if place == "last":
            return names[-1]
        if not _NUMBER.fullmatch(place):
            raise where.bad(None, no_such_column(place, names))
    number = int(place)
    if number == 0 or abs(number) > len(names):
        raise where.bad(
            None, f"there is no column {number}: they are 1 to {len(names)}, or -1 to -{len(names)} from the right"
        )
    return names[number - 1 if number > 0 else number]


def find_roles(names: Sequence[str], options: ReadOptions, fixed: FixedTypes, where: Where) -> dict[str, Fixed]:
    """What is given for each column, by options or by a schema; options win."""
    if fixed.strict:
        for name in fixed.by_name:
            if name not in names:
                raise where.bad(
                    None, "the schema has a type for a column that is not there: " + no_such_column(name, names)
                )
    given = {name: kind for name, kind in fixed.by_name.items() if name in names}
    asked = [
        (options.target, ColumnType.TARGET),
        (options.weights, ColumnType.WEIGHT),
        (options.groups, ColumnType.GROUP),
        (options.id, ColumnType.ID),
        *((place, ColumnType.IGNORED) for place in options.ignore),
    ]
    chosen: dict[str, ColumnType] = {}
    for place, kind in asked:
        if place is None:
            continue
        name = find_column(place, names, where)
        if chosen.get(name, kind) is not kind:
            raise InvalidParameter(
                f"column {name!r} is to be both {chosen[name].value} and {kind.value}; give it one part"
            )
        chosen[name] = kind
        if kind in ROLES:  # the option takes the place of what a schema says
            given = {other: each for other, each in given.items() if each.type is not kind or other == name}
        given[name] = _role(kind, given.get(name))
    _refuse_doubles(given)
    return given


def _role(kind: ColumnType, before: Fixed | None) -> Fixed:
    """A role, with what a schema says of its values: `income = "category"` of a target."""
    if before is None or kind not in ROLES:
        return Fixed(kind)
    return Fixed(kind, holds=before.holds if before.type in ROLES else before.type)


def _refuse_doubles(given: dict[str, Fixed]) -> None:
    for role in ROLES:
        names = [name for name, each in given.items() if each.type is role]
        if len(names) > 1:
            raise InvalidParameter(
                f"there is at most one {role.value}, but the schema names {names[0]!r} and {names[1]!r}"
            )
