"""A verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linsep.types import IntArray

if TYPE_CHECKING:
    from linsep.separability.verdict import Separability

_SHOWN = 6


def in_words(s: Separability) -> str:
    """What was found, and what proves it: a few lines."""
    lines = [f"{s.n_rows:,} rows, {s.n_features:,} features, {len(s.classes)} classes: {s.verdict.value}."]
    if s.verdict.name == "SEPARABLE":
        lines.append(f"The margin of the hyperplane is {s.margin:.4g}. {_PROVED if s.proved else _NOT_PROVED}")
    if s.verdict.name == "QUASI_SEPARABLE":
        lines += _quasi(s)
    if s.hull is not None:
        lines.append(f"{begun(common_point(s))}.")
    if s.verdict.name == "NOT_SEPARABLE":
        lines.append(_optimum(s))
    return "\n".join(lines)


_PROVED = "Proved exactly: every row is on its side, in rational arithmetic where rounding could matter."
_NOT_PROVED = "Not proved: margins are within rounding."


def _quasi(s: Separability) -> list[str]:
    assert s.rows is not None
    assert s.features is not None
    rest, one = s.n_rows - len(s.rows), len(s.rows) == 1
    if len(s.classes) > 2:
        lie, others = f"{'row is' if one else 'rows are'} strictly ahead of some other class", f"{rest:,} of none"
    else:
        lie = "row lies strictly on its side" if one else "rows lie strictly on their side"
        others = f"{rest:,} on the hyperplane itself"
    lines = [f"{len(s.rows):,} {lie} ({rows(s.rows)}), {others}; it uses {features(s)}."]
    if s.alone is not None and len(s.alone):
        lines.append(f"Alone {'they do' if len(s.alone) > 1 else 'it does'} so for some rows: {names(s, s.alone)}.")
    lines.append("Proved exactly." if s.proved else "Not proved to be no more than that.")
    return lines


def common_point(s: Separability) -> str:
    """What the combination of rows is, and what follows from it: a sentence without capital and full stop."""
    assert s.hull is not None
    count = len(s.hull.rows)
    if len(s.classes) > 2:
        what = f"{count} weighted differences of scores add up to 0"
    elif s.fit_intercept:
        what = f"a mean of rows of one class is a mean of rows of the other ({count} rows in all)"
    else:
        what = f"0 is a mean of {count} row{'s, each' if count > 1 else ''} times its sign"
    if s.residual == 0.0:
        return f"{what}, exactly: so no hyperplane separates strictly"
    if len(s.classes) > 2:
        return f"{what} up to {s.residual:.2g} (columns scaled to about 1): not a proof"
    return f"{what} up to {s.residual:.2g}: so no margin exceeds {s.largest_margin:.2g}"


def _optimum(s: Separability) -> str:
    if s.faces:
        return "No direction separates even some rows: the log loss has a minimum without a penalty. Proved exactly."
    if s.hull is None:
        return "Not proved: the search found no hyperplane, and no common point of the hulls either."
    return "Whether some rows could be separated from all others (quasi-separation) was not decided."


def begun(sentence: str) -> str:
    """With a capital at its beginning, and every name in it as it was."""
    return sentence[:1].upper() + sentence[1:]


def rows(chosen: IntArray) -> str:
    """row 3; rows 3, 5, 8, …"""
    shown = ", ".join(str(int(i)) for i in chosen[:_SHOWN])
    return f"row{'s' if len(chosen) > 1 else ''} {shown}" + (", …" if len(chosen) > _SHOWN else "")


def features(s: Separability) -> str:
    """The features of the direction."""
    assert s.features is not None
    return names(s, s.features)


def names(s: Separability, chosen: IntArray) -> str:
    """feature 'age'; features 'age', 'height' and 3 more."""
    shown = ", ".join(repr(s.name_of(int(j))) for j in chosen[:_SHOWN])
    more = f" and {len(chosen) - _SHOWN:,} more" if len(chosen) > _SHOWN else ""
    return f"feature{'s' if len(chosen) != 1 else ''} {shown}{more}"
