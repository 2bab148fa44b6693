"""The words that tell most, for columns of text."""

from __future__ import annotations

import numpy as np

from linsep.report.blocks import Beside, Block, Chip, Chips, Grid, Heading, Meter, Paragraph, Section
from linsep.report.case import Case
from linsep.report.numbers import count, signed
from linsep.types import FloatArray, IntArray

_WORDS, _EACH, _CLASSES = 20, 10, 20


def words(case: Case) -> Section | None:
    """Nothing where no column is text."""
    if case.columns is None or case.directions is None:
        return None
    sources = list(dict.fromkeys(column.source for column in case.columns if column.kind == "text"))
    if not sources:
        return None
    blocks: list[Block] = [
        Paragraph(
            "Words are ranked by their weight times how much their frequency varies over the rows given: a word that "
            "is strong but hardly ever there tells little."
        )
    ]
    for source in sources:
        kinds = (column.kind == "text" and column.source == source for column in case.columns)
        places = np.flatnonzero(np.fromiter(kinds, dtype=bool))
        blocks += [Heading(f"Column {source}")] if len(sources) > 1 else []
        blocks += _binary(case, places, source) if case.binary else _many(case, places, source)
    return Section("words", "Most telling words", tuple(blocks))


def _word(case: Case, j: int, source: str) -> str:
    return case.name(j).removeprefix(f"{source}: ")


def _texts_with(case: Case, places: IntArray) -> FloatArray:
    """In how many of the rows given each word is."""
    part = case.X[:, places]
    return np.asarray(part.getnnz(axis=0) if hasattr(part, "getnnz") else np.count_nonzero(part, axis=0))


def _binary(case: Case, places: IntArray, source: str) -> list[Block]:
    assert case.directions is not None
    grids: list[Block] = []
    for k in (case.positive, 1 - case.positive):
        effects = case.directions[k, places] * case.deviations[places]
        order = np.argsort(-effects, kind="stable")[:_WORDS]
        chosen = places[order[effects[order] > 0.0]]
        if not len(chosen):
            continue
        top, texts = float(effects.max()), _texts_with(case, chosen)
        rows = tuple(
            (
                _word(case, int(j), source),
                Meter(signed(float(case.directions[k, j])), float(case.directions[k, j] * case.deviations[j]) / top),
                count(float(texts[i])),
            )
            for i, j in enumerate(chosen)
        )
        header = ("Word", "Weight", "Texts with it")
        grids.append(Grid(f"Words that speak for {case.said(k)}", header, rows, frozenset({2})))
    return [Beside(tuple(grids))] if grids else []


def _many(case: Case, places: IntArray, source: str) -> list[Block]:
    """A line a class: the words that speak for it, beside the mean of the classes."""
    assert case.directions is not None
    order = np.argsort(-case.totals, kind="stable")[:_CLASSES]
    mean = case.directions[:, places].mean(axis=0)
    rows = []
    for k in order:
        effects = (case.directions[k, places] - mean) * case.deviations[places]
        best = [int(i) for i in np.argsort(-effects, kind="stable")[:_EACH] if effects[i] > 0.0]
        chips = (Chip(f"{_word(case, int(places[i]), source)} {signed(float(effects[i]), 2)}", True) for i in best)
        rows.append((case.classes[k], count(case.totals[k]), Chips(tuple(chips))))
    which = "" if len(order) == len(case.classes) else f" of the {len(order)} largest of {len(case.classes):,} classes"
    caption = f"Words{which} that speak for each class, with what one standard deviation of the word adds to its score"
    return [Grid(caption, ("Class", "Rows", "Words"), tuple(rows), frozenset({1}))]
