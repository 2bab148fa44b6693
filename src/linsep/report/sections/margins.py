"""Rows one should look at: the closest calls, the largest mistakes, labels that may be wrong.

The margin of a row is by how much the score of its own class leads that of the best other. A label may be wrong where
the model gives another class at least the probability that it gives that class on the mean of the rows labelled with it
(the rule of confident learning); the rows are ranked by how far the other class leads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.quality import Predictions
from linsep.report.blocks import Block, Chips, Folded, Grid, Heading, Paragraph, Section
from linsep.report.case import Case
from linsep.report.explain import quote, reasons
from linsep.report.numbers import number, percent, plural
from linsep.types import BoolArray, FloatArray, IntArray

_EACH = 6


@dataclass(frozen=True, eq=False)
class _Leads:
    """rival: the best class other than the row's own; margin: by how much the own class leads it."""

    rival: IntArray
    margin: FloatArray


def margins(case: Case) -> Section:
    leads = _leads(case.predictions)
    order = np.argsort(leads.margin, kind="stable")
    wrong, close = int((leads.margin < 0.0).sum()), np.argsort(np.abs(leads.margin), kind="stable")[:_EACH]
    blocks: list[Block] = [
        Paragraph(
            f"The margin is by how much the score of a row's own class leads the best other. Of {case.rows:,} rows "
            f"{wrong:,} ({percent(wrong / case.rows)}) are on the wrong side. Beside each row stand the values that "
            "moved the score most, against the mean row: + speaks for the class that the model leans to. Rows are "
            "counted from 1."
        ),
        Heading("Closest calls"),
        _grid(case, "Rows nearest to the boundary", close, leads),
        Heading("Largest mistakes"),
    ]
    worst = order[: min(_EACH, wrong)]
    blocks.append(
        _grid(case, "Rows furthest on the wrong side", worst, leads) if wrong else Paragraph("There is none.")
    )
    blocks += _suspects(case, leads)
    return Section("rows", "Rows to look at", tuple(blocks))


def _leads(p: Predictions) -> _Leads:
    scores = np.column_stack([-p.scores, p.scores]) / 2.0 if p.scores.ndim == 1 else p.scores.copy()
    every = np.arange(len(p.truth))
    own = scores[every, p.truth]
    scores[every, p.truth] = -np.inf
    rival = scores.argmax(axis=1)
    return _Leads(rival, own - scores[every, rival])


def _grid(case: Case, caption: str, rows: IntArray, leads: _Leads) -> Grid:
    lines = tuple(_line(case, int(i), leads) for i in rows)
    return Grid(caption, ("Row", "Labelled", "Model leans to", "Because of"), lines)


def _line(case: Case, row: int, leads: _Leads) -> tuple[str | Chips, ...]:
    truth, rival, margin = int(case.predictions.truth[row]), int(leads.rival[row]), float(leads.margin[row])
    leans, other = (truth, rival) if margin > 0.0 else (rival, truth)
    chances = case.predictions.probabilities
    sure = "" if chances is None else f"{percent(float(chances[row, leans]))}, "
    leaning = f"{case.classes[leans]}\n{sure}margin {number(margin, 3)}"
    because = Chips(reasons(case, row, leans, other), quote(case, row))
    return f"{row + 1:,}", case.classes[truth], leaning, because


def _suspects(case: Case, leads: _Leads) -> list[Block]:
    heading, judged = Heading("Labels that may be wrong"), case.judged
    p = judged.predictions
    if p.probabilities is None:
        return [heading, Paragraph("This needs probabilities, which the model does not give.")]
    found = np.flatnonzero(suspects(p))
    if not len(found):
        return [heading, Paragraph("No row's label is contradicted by a confident model.")]
    share = percent(len(found) / len(p.truth))
    words = (
        f"For {plural(len(found), 'row')} of {len(p.truth):,} ({share}) the model is at least as sure of another class "
        "as it is, on the mean, of rows that have that label. Some are mistakes of the model, some labels to check. "
        f"Judged by {judged.words}."
    )
    lead = p.probabilities[found].max(axis=1) - p.probabilities[found, p.truth[found]]
    ranked = judged.rows[found[np.argsort(-lead, kind="stable")][:_EACH]]
    listed = _grid(case, "Rows whose label is contradicted most", ranked, leads)
    return [heading, Paragraph(words), Folded(listed.caption, (listed,)), _by_pair(case, p, found)]


def suspects(p: Predictions) -> BoolArray:
    """Rows for which some other class reaches the mean probability that it has on the rows labelled with it."""
    assert p.probabilities is not None
    sizes = np.bincount(p.truth, minlength=p.n_classes)
    every = np.arange(len(p.truth))
    own = p.probabilities[every, p.truth]
    usual = np.bincount(p.truth, weights=own, minlength=p.n_classes) / np.maximum(sizes, 1)
    likeliest = p.probabilities.argmax(axis=1)
    confident = p.probabilities[every, likeliest] >= np.where(sizes > 0, usual, np.inf)[likeliest]
    return np.asarray((likeliest != p.truth) & confident)


def _by_pair(case: Case, p: Predictions, found: IntArray) -> Grid:
    """How many of each label look like which other class."""
    assert p.probabilities is not None
    both = np.column_stack([p.truth[found], p.probabilities[found].argmax(axis=1)])
    pairs, counts = np.unique(both, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_EACH]
    lines = tuple((case.classes[pairs[i, 0]], case.classes[pairs[i, 1]], f"{counts[i]:,}") for i in order)
    return Grid("Labels and what the rows look like", ("Labelled", "Looks like", "Rows"), lines, frozenset({2}))
