"""How good the model is: measures with intervals, on rows held out at training and on the rows given."""

from __future__ import annotations

from linsep.quality import Quality
from linsep.report.blocks import Beside, Block, Facts, Folded, Grid, Section
from linsep.report.case import Case
from linsep.report.confusion import confusion_blocks
from linsep.report.measures import MEANINGS, shown, title, within
from linsep.report.numbers import percent

#: The order in which measures are shown, whatever order a model file kept them in.
_ORDER = {name: place for place, name in enumerate(MEANINGS)}


def quality(case: Case) -> Section:
    tables: list[Block] = []
    if case.held_out is not None:
        tables.append(_measures(case.held_out, f"On {case.held_out.rows:,} rows held out at training"))
    if case.is_training:
        tables.append(_measures(case.quality, f"On the {case.rows:,} training rows: flattering"))
    else:
        tables.append(_measures(case.quality, f"On the {case.rows:,} rows given"))
    meanings = Facts(
        (
            *((title(name), MEANINGS[name]) for name in MEANINGS if name in case.quality.measures),
            ("Interval", f"{percent(case.quality.level, 0)}: for rows drawn like these"),
            ("Constant", "what is reached by always saying the most frequent class, with the frequencies of training"),
        )
    )
    blocks = [Beside(tuple(tables)), Folded("What the measures mean", (meanings,)), *confusion_blocks(case)]
    return Section("quality", "How good it is", tuple(blocks))


def _measures(found: Quality, caption: str) -> Grid:
    ordered = sorted(found.measures.items(), key=lambda pair: _ORDER.get(pair[0], len(_ORDER)))
    rows = tuple(
        (title(name), shown(name, estimate.value), within(name, estimate), shown(name, found.baseline[name]))
        for name, estimate in ordered
    )
    interval = f"{percent(found.level, 0)} interval"
    return Grid(caption, ("Measure", "Value", interval, "Constant"), rows, frozenset({1, 2, 3}))
