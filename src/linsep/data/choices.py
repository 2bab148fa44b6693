"""States with their actions, and the action that an expert took in each.

| given as X                                          | an expert's choice             |
|-----------------------------------------------------|--------------------------------|
| a list of tables (actions of the state × d)         | its row in that table: 0, 1, … |
| an array (n × actions × d)                          | the same                       |
| a list of dicts {action: features}                  | its key                        |
| one table of all actions, with `groups` (one number | its row within the state       |
|   or name of a state a row) or `offsets` (n + 1)    |                                |

The rows of all states become one design; `Segments` says where each state begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.data.names import Names, feature_names
from linsep.data.segments import Segments
from linsep.data.source import as_design
from linsep.errors import InvalidData, InvalidType, Refused
from linsep.types import IntArray

_FORMS = "give a list with one table (actions x features) a state, or one table of all actions with groups or offsets"


@dataclass(frozen=True, eq=False)
class States:
    """n states: the rows of all their actions, where each state begins, and the actions' names where they have any.

    flat    X was one table, so that scores come back as one array
    """

    design: Design
    segments: Segments
    keys: list[list[Hashable]] | None
    names: Names | None
    flat: bool


def read_states(X: Any, groups: Any, offsets: Any, threads: int) -> States:
    """X in any of its forms, checked: at least one state, no state without an action, d the same, finite."""
    if groups is not None and offsets is not None:
        raise Refused("groups and offsets were both given: give one, they say the same")
    if groups is None and offsets is None:
        tables, keys, names = _tables(X)
        segments = Segments(np.append(0, np.cumsum([t.shape[0] for t in tables])).astype(np.int64))
        matrix = _stacked(X, tables)
    else:
        matrix, keys, names = X, None, feature_names(X)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        segments = Segments(_of_groups(groups, rows) if offsets is None else _of_offsets(offsets, rows))
    design = as_design(matrix, threads)
    if not design.scan.finite:
        raise InvalidData(_placed(design, segments))
    return States(design, segments, keys, names, groups is not None or offsets is not None)


def _tables(X: Any) -> tuple[list[Any], list[list[Hashable]] | None, Names | None]:
    """One table a state, with the names of the actions if the states are dicts."""
    if sparse.issparse(X) or hasattr(X, "columns") or (isinstance(X, np.ndarray) and X.ndim == 2):
        raise InvalidData(f"X is one table of shape {X.shape} without groups or offsets: {_FORMS}")
    if isinstance(X, str | bytes | Mapping) or not (isinstance(X, Sequence | np.ndarray)):
        raise InvalidType(f"X is a {type(X).__name__}: {_FORMS}")
    if len(X) == 0:
        raise InvalidData(f"X holds no states: {_FORMS}")
    by_name = sum(isinstance(state, Mapping) for state in X)
    if by_name not in (0, len(X)):
        raise InvalidData(f"{by_name} of {len(X)} states are dicts of actions: give all or none in this form")
    keys = [list(state) for state in X] if by_name else None
    given = [list(state.values()) for state in X] if by_name else X
    tables = [_table(state, i) for i, state in enumerate(given)]
    width = tables[0].shape[1]
    for i, table in enumerate(tables):
        if table.shape[1] != width:
            raise InvalidData(f"state {i} has {table.shape[1]} features an action, state 0 has {width}: one d for all")
    return tables, keys, _common_names(given)


def _common_names(states: Any) -> Names | None:
    names = feature_names(states[0])
    if names is not None:
        for i, state in enumerate(states):
            if not np.array_equal(feature_names(state), names):  # type: ignore[arg-type]
                raise InvalidData(f"the columns of state {i} are not those of state 0: {', '.join(names)}")
    return names


def _table(state: Any, i: int) -> Any:
    if sparse.issparse(state):
        table = state
    else:
        try:
            table = state if type(state) is np.ndarray else np.asarray(state)
        except ValueError:
            raise InvalidData(f"the actions of state {i} have different numbers of features: one d for all") from None
    if table.ndim and table.shape[0] == 0:
        raise InvalidData(f"state {i} has no actions: drop it, nothing can be chosen there")
    if table.ndim != 2:
        raise InvalidData(
            f"state {i} has shape {table.shape}: a state is a table with one row of features an action; {_FORMS}"
        )
    return table


def _stacked(X: Any, tables: list[Any]) -> Any:
    if isinstance(X, np.ndarray) and X.ndim == 3:
        return X.reshape(-1, X.shape[2])
    if any(sparse.issparse(table) for table in tables):
        return sparse.vstack(tables, format="csr")
    return np.concatenate(tables)


def _of_groups(groups: Any, rows: int) -> IntArray:
    """Offsets from a number or name of the state for every row; the rows of a state follow each other."""
    given = np.asarray(groups)
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise InvalidData(f"groups is NaN in row {int(np.isnan(given).argmax())}: every row belongs to a state")
    if given.ndim != 1 or len(given) != rows:
        raise InvalidData(
            f"groups has shape {given.shape} and X has {rows} rows: give for every row the number or name of its "
            "state; where states begin goes to offsets"
        )
    begins = np.flatnonzero(np.append(True, given[1:] != given[:-1])) if rows else np.zeros(0, dtype=np.int64)
    counts = Counter(given[begins].tolist())
    label, count = counts.most_common(1)[0] if counts else ("", 0)
    if count > 1:
        raise InvalidData(f"the rows of state {label!s} do not follow each other: sort the rows by their state")
    return np.append(begins, rows).astype(np.int64)


def _of_offsets(offsets: Any, rows: int) -> IntArray:
    given = np.asarray(offsets)
    if given.ndim != 1 or given.dtype.kind not in "iu" or len(given) < 2:
        raise InvalidData(
            f"offsets has shape {given.shape} and type {given.dtype}: give n + 1 whole numbers, state s has the rows "
            "offsets[s] to offsets[s + 1] - 1"
        )
    result = given.astype(np.int64)
    if result[0] != 0 or result[-1] != rows:
        raise InvalidData(f"offsets go from {result[0]} to {result[-1]}; they go from 0 to the {rows} rows of X")
    short = np.flatnonzero(np.diff(result) <= 0)
    if len(short):
        s = int(short[0])
        raise InvalidData(f"state {s} has no actions: offsets {result[s]} and {result[s + 1]} do not rise")
    return result


def _placed(design: Design, segments: Segments) -> str:
    """Which entry is not finite: the row's is NaN times 0, the feature's stands in the row itself."""
    row = int(np.isnan(design.scores(np.zeros(design.d + 1))).argmax())
    feature = int((~np.isfinite(design.rows(np.array([row])).adjoint(np.ones(1)))).argmax())
    state = int(np.searchsorted(segments.offsets, row, side="right")) - 1
    return (
        f"X contains NaN or infinity in state {state}, action {row - int(segments.offsets[state])}, feature {feature}: "
        "features are finite numbers"
    )


def read_choices(choices: Any, states: States) -> IntArray:
    """The chosen row of the design for every state, from numbers within the state or from the actions' names."""
    if choices is None:
        raise InvalidData("This estimator requires y to be passed, but the target y is None: give the expert's choices")
    n = len(states.segments)
    if not hasattr(choices, "__len__") or len(choices) != n:
        count = f"{len(choices)} choices" if hasattr(choices, "__len__") else f"a {type(choices).__name__}"
        raise InvalidData(f"choices has {count} and X has {n} states: give one choice a state")
    if states.keys is None:
        within = _numbers(choices, states.segments)
    else:
        within = np.array([_position(k, c, i) for i, (k, c) in enumerate(zip(states.keys, choices, strict=True))])
    return states.segments.starts + within


def _numbers(choices: Any, segments: Segments) -> IntArray:
    given = np.asarray(choices)
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise InvalidData(
            f"choices has shape {given.shape} and type {given.dtype}: give for every state the row of the expert's "
            "action, a whole number from 0; for names give the states as dicts {action: features}"
        )
    outside = np.flatnonzero(~((given >= 0) & (given < segments.sizes) & (given == np.floor(given))))
    if len(outside):
        s = int(outside[0])
        raise InvalidData(
            f"choices[{s}] = {given[s]!s}, but state {s} has {segments.sizes[s]} actions: "
            f"allowed are the whole numbers from 0 to {segments.sizes[s] - 1}"
        )
    return given.astype(np.int64)


def _position(keys: list[Hashable], choice: Any, state: int) -> int:
    try:
        return keys.index(choice)
    except ValueError:
        allowed = ", ".join(map(repr, keys))
        raise InvalidData(
            f"choices[{state}] = {choice!r} is not an action of state {state}: allowed are {allowed}"
        ) from None
