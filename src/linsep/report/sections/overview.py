"""In short: the three or four numbers, and the sentences, that whoever reads no further should have read."""

from __future__ import annotations

from linsep.quality import Estimate, Quality
from linsep.report.blocks import Block, Callout, Card, Cards, Paragraph, Section, Tone
from linsep.report.case import Case
from linsep.report.measures import shown, title, within
from linsep.report.numbers import number, percent, plural


def overview(case: Case) -> Section:
    blocks: list[Block] = [Paragraph(_sentence(case)), Cards(_cards(case))]
    blocks += _optimism(case)
    serious = case.diagnosis.serious
    if serious:
        words = f"{plural(len(serious), 'serious finding')}: look before the model is used"
        blocks.append(Callout(Tone.SERIOUS, words, tuple(str(each) for each in serious[:3])))
    return Section("overview", "In short", tuple(blocks))


def honest(case: Case) -> tuple[Quality, str]:
    """The quality that may be believed most, and where it was measured."""
    if not case.is_training:
        return case.quality, f"the {case.rows:,} rows given"
    if case.held_out is not None:
        return case.held_out, f"{case.held_out.rows:,} rows held out of training"
    return case.quality, f"the {case.rows:,} training rows"


def _sentence(case: Case) -> str:
    quality, where = honest(case)
    accuracy = quality.measures["accuracy"]
    most = case.said(int(case.predictions.priors.argmax()))
    which = f"{case.said(0)} from {case.said(1)}" if case.binary else f"{len(case.classes):,} classes apart"
    return (
        f"The model tells {which} by {plural(case.model.n_features, 'feature')}, learnt from {case.model.n_rows:,} "
        f"rows. It is right for {percent(accuracy.value)} of {where} "
        f"({percent(quality.level, 0)} interval {within('accuracy', accuracy)}). "
        f"Always saying {most} would be right for {percent(quality.baseline['accuracy'])}. {_gain(quality, accuracy)}"
    )


def _gain(quality: Quality, accuracy: Estimate) -> str:
    constant = quality.baseline["accuracy"]
    if accuracy.low > constant:
        spared = (accuracy.value - constant) / max(1.0 - constant, 1e-12)
        return f"That is {percent(spared, 0)} fewer mistakes."
    if accuracy.high < constant:
        return "So by accuracy it is worse than saying always the same; see AUC and costs before it is used."
    return "So by accuracy it is not shown to be better than saying always the same."


def _cards(case: Case) -> tuple[Card, ...]:
    quality = honest(case)[0]
    names = ["accuracy", "AUC", *(["log loss"] if "log loss" in quality.measures else [])]
    cards = [
        Card(
            title(name),
            shown(name, quality.measures[name].value),
            f"{within(name, quality.measures[name])} · constant {shown(name, quality.baseline[name])}",
        )
        for name in names
    ]
    return (*cards, _certificate(case))


def _certificate(case: Case) -> Card:
    c = case.model.certificate
    if not case.model.certified:
        return Card("Certificate", "none", "the fit did not reach its tolerance", Tone.SERIOUS)
    if c.relative_gap == float("inf"):
        return Card("Certificate", "none", "the objective is not convex: a local optimum", Tone.CAUTION)
    return Card("Certificate", "holds", f"at most {number(100.0 * c.relative_gap, 2)}% above the optimum", Tone.GOOD)


def _optimism(case: Case) -> list[Block]:
    if not case.is_training:
        return []
    line = (
        "Their fingerprints are those of the fit. What is measured on rows that the model was fitted to is too good: "
        + ("go by the rows held out." if case.held_out is not None else "measure on other rows.")
    )
    return [Callout(Tone.CAUTION, "The data given are the training rows", (line,))]
