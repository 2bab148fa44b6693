"""More than two classes, two at a time: few weights settle much before all of them are asked at once.

The conditions between classes c and k are those of a problem of these two alone, on u = w_k − w_c. A mean Σ λa = 0
there is one in all; and every v that violates nothing has u in the subspace N that the faces of the pair leave, often
only 0. Along a tree of pairs from the first class on, whose weights are 0, w_k = w_c + N t: v has as many coordinates
as the pairs of the tree leave, and so few that integers decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.decide import Mean
from linsep.separability.exact import Integers
from linsep.separability.settle import Known, settle
from linsep.types import IntArray

_PAIRS = 400  # that are asked at most
_ENOUGH = 40  # coordinates left: no more pairs need be asked
#: Coordinates that integers still decide, where the means of pairs have left them.
MOST = 250


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two classes, the means between them, and the subspace of w_k − w_c that these leave."""

    classes: tuple[int, int]
    means: tuple[Mean, ...]
    left: Integers


def known_by_pairs(cone: Cone) -> Known | None:
    """What pairs of classes settle of all conditions; None if every pair can be separated."""
    found: list[_Pair] = []
    for classes in _order(cone):
        if np.ptp(_joined([p.classes for p in found if not p.left.shape[1]], cone.n_classes)[list(classes)]) == 0:
            continue
        pair = _settled(cone, *classes)
        if pair.means:
            found.append(pair)
        if sum(p.left.shape[1] for p in _tree(found, cone)) <= _ENOUGH:
            break
    if not found:
        return None
    tree = _tree(found, cone)
    return Known(_basis(tree, cone), tuple(mean for pair in tree for mean in pair.means))


def _order(cone: Cone) -> Iterator[tuple[int, int]]:
    """The pairs with the most rows first: they leave least."""
    sizes = np.bincount(cone.codes[_rows(cone)], minlength=cone.n_classes)
    pairs = sorted(combinations(range(cone.n_classes), 2), key=lambda p: -int(sizes[p[0]]) * int(sizes[p[1]]))
    return iter(pairs[:_PAIRS])


def _rows(cone: Cone) -> IntArray:
    return np.arange(cone.design.n) if cone.alive is None else np.unique(cone.alive // cone.others)


def _settled(cone: Cone, c: int, k: int) -> _Pair:
    rows = _rows(cone)
    rows = rows[np.isin(cone.codes[rows], (c, k))]
    codes = (cone.codes[rows] == k).astype(np.int64)
    answer = settle(Cone(cone.design.rows(rows), codes, 2, cone.intercept))
    means = tuple(Mean(_numbers(cone, rows[mean.numbers], c + k), mean.weights) for mean in answer.means)
    return _Pair((c, k), means, _identity(cone.width) if answer.basis is None else answer.basis)


def _numbers(cone: Cone, rows: IntArray, both: int) -> IntArray:
    """The conditions of rows against the other class of their pair; both: the sum of the two."""
    own = cone.codes[rows]
    other = both - own
    return np.asarray(rows * cone.others + other - (other > own))


def _identity(width: int) -> Integers:
    out = np.zeros((width, width), dtype=object)
    np.fill_diagonal(out, 1)
    return out


def _joined(edges: list[tuple[int, int]], n_classes: int) -> IntArray:
    """A number for every class, the same for classes that edges connect."""
    group = np.arange(n_classes)
    for c, k in edges:
        group[group == group[k]] = group[c]
    return group


def _tree(found: list[_Pair], cone: Cone) -> list[_Pair]:
    """Pairs that connect all classes and leave as little as can be; nothing is known of those added at the end."""
    tree: list[_Pair] = []
    untied = [_Pair((0, k), (), _identity(cone.width)) for k in range(1, cone.n_classes)]
    for pair in [*sorted(found, key=lambda pair: pair.left.shape[1]), *untied]:
        group = _joined([p.classes for p in tree], cone.n_classes)
        if group[pair.classes[0]] != group[pair.classes[1]]:
            tree.append(pair)
    return tree


def _basis(tree: list[_Pair], cone: Cone) -> Integers:
    """(dims, coordinates): what a pair leaves moves all classes beyond it, as seen from the first."""
    columns = [np.zeros((cone.dims, 0), dtype=object)]
    for pair in tree:
        group = _joined([p.classes for p in tree if p is not pair], cone.n_classes)
        beyond = (group != group[0]).astype(np.int64).astype(object)[1:]
        columns.append(np.kron(beyond[:, None], pair.left))
    return np.hstack(columns)
