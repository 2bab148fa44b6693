"""What else should be known: the warnings of the diagnosis."""

from __future__ import annotations

from linsep.diagnosis import Finding, Severity
from linsep.report.blocks import Block, Callout, Paragraph, Section, Tone
from linsep.report.case import Case

_TONES = {Severity.NOTE: Tone.NOTE, Severity.CAUTION: Tone.CAUTION, Severity.SERIOUS: Tone.SERIOUS}


def diagnosis(case: Case) -> Section:
    found = case.diagnosis
    blocks: list[Block] = [_callout(each) for each in found.findings]
    if blocks:
        blocks.append(Paragraph("Rows named here are counted from 0."))
    else:
        blocks.append(Callout(Tone.GOOD, "Nothing was found that speaks against the data or the fit"))
    if found.unchecked:
        blocks.append(
            Paragraph(
                f"Not looked at, because the rows given are not those of the fit: {', '.join(found.unchecked)}. A "
                "report on the training rows looks at them."
            )
        )
    return Section("warnings", "Warnings", tuple(blocks))


def _callout(finding: Finding) -> Callout:
    lines = (_sentence(finding.sentence), *([_sentence(finding.remedy)] if finding.remedy else []))
    return Callout(_TONES[finding.severity], finding.severity.word.capitalize(), lines)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
