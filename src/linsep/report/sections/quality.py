"""How good the model is: measures with intervals, on rows held out at training and on the rows given."""

from __future__ import annotations

from linsep.quality import Quality
from linsep.report.blocks import Block, Grid, Paragraph, Section
from linsep.report.case import Case
from linsep.report.confusion import confusion_blocks
from linsep.report.measures import MEANINGS, shown, within
from linsep.report.numbers import percent
from linsep.report.per_class import class_table

#: The order in which measures are shown, whatever order a model file kept them in.
_ORDER = {name: place for place, name in enumerate(MEANINGS)}


def quality(case: Case) -> Section:
    blocks: list[Block] = []
    if case.held_out is not None:
        blocks.append(_measures(case.held_out, f"On {case.held_out.rows:,} rows held out at training"))
    if case.is_training:
        title = f"On the {case.rows:,} training rows themselves, which is too good"
    else:
        title = f"On the {case.rows:,} rows given"
    blocks.append(_measures(case.quality, title))
    level = percent(case.quality.level, 0)
    blocks.append(Paragraph(f"Intervals are {level} intervals, for rows drawn like these."))
    blocks += confusion_blocks(case)
    if not case.binary:
        blocks += class_table(case)
    return Section("quality", "How good it is", tuple(blocks))


def _measures(found: Quality, caption: str) -> Grid:
    rows = tuple(
        (
            name,
            shown(name, estimate.value),
            within(name, estimate),
            shown(name, found.baseline[name]),
            MEANINGS.get(name, ""),
        )
        for name, estimate in sorted(found.measures.items(), key=lambda pair: _ORDER.get(pair[0], len(_ORDER)))
    )
    interval = f"{percent(found.level, 0)} interval"
    return Grid(caption, ("Measure", "Value", interval, "Constant", "What it is"), rows, frozenset({1, 2, 3}))
