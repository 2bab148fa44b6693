"""What was fitted, and the certificate, in words and formulas."""

from __future__ import annotations

from math import isfinite

from linsep.model.correction import Correction
from linsep.model.summary import facts
from linsep.report.blocks import Block, Callout, Code, Facts, Heading, Paragraph, Section, Tone
from linsep.report.case import Case
from linsep.report.numbers import number, percent

#: What the loss makes of a model, in a sentence.
_METHODS = {
    "log": "Logistic regression: the score of a row is the logarithm of the odds that it is of the second class.",
    "softmax": "Multinomial logistic regression: the probabilities of the classes are as e to their scores.",
    "hinge": "A linear support vector machine: rows are to lie on their side of the boundary, with a margin.",
    "crammer_singer": "A multi-class support vector machine: the score of the true class is to lead by a margin.",
    "squared": "Least squares: scores are to be near +1 and −1.",
    "one_of_k": "Least squares: the score of the true class is to be 1, those of the others 0.",
}


def fitted(case: Case) -> Section:
    model = case.model
    blocks: list[Block] = [
        *([Paragraph(_METHODS[model.loss])] if model.loss in _METHODS else []),
        Paragraph("With xᵢ the rows, yᵢ their classes and sᵢ their weights, w and b are what makes this least:"),
        Code(_formula(case)),
        Facts(tuple((title[:1].upper() + title[1:], words) for title, words in facts(model) if title != "certificate")),
        Heading("The certificate"),
        *_certificate(case),
        *_decision(case),
    ]
    return Section("model", "What was fitted", tuple(blocks))


def _formula(case: Case) -> str:
    model = case.model
    score = "⟨xᵢ, w⟩ + b" if model.fit_intercept else "⟨xᵢ, w⟩"
    ratio = model.l1_ratio
    penalty = " + α/2 ‖w‖²" if model.alpha > 0.0 else ""
    if ratio > 0.0 and model.alpha > 0.0:
        penalty = f" + α (ρ ‖w‖₁ + (1 − ρ)/2 ‖w‖²),  ρ = {number(ratio)}"
    if model.objective.correction is Correction.FIRTH:
        penalty = " − Firth's correction, half the log determinant of the information"
    known = f",   α = {number(model.alpha)}" if model.alpha > 0.0 else ""
    return f"P(w, b) = 1/S Σᵢ sᵢ ℓ(yᵢ, {score}){penalty},   S = Σᵢ sᵢ{known}"


def _certificate(case: Case) -> list[Block]:
    model, c = case.model, case.model.certificate
    if not isfinite(c.relative_gap):
        tone, title = (Tone.CAUTION, "No bound on the optimum") if model.certified else (Tone.SERIOUS, "Not certified")
        return [Callout(tone, title, (f"{_begun(c.kind.value)}. The value reached is P = {number(c.primal, 6)}.",))]
    share = number(100.0 * c.relative_gap, 2)
    lines = [
        f"P = {number(c.primal, 7)} was reached, and it is proved that no weights whatever go below "
        f"{number(c.bound, 7)}: the model is at most {share}% above the best there is "
        f"({number(100.0 * c.tol, 2)}% was asked for).",
        f"The proof: {c.kind.value}. It is computed again from the data by `linsep verify`, without the solver.",
    ]
    if c.parts:
        lines.append(
            f"The model is made of {len(c.parts):,} problems; the figures are of all, the share is of the worst."
        )
    elif isfinite(c.distance):
        lines.append(f"So the weights are within {number(c.distance, 2)} of the best ones (‖w − w*‖).")
    holds = model.certified
    return [Callout(Tone.GOOD if holds else Tone.SERIOUS, "It holds" if holds else "It does not hold", tuple(lines))]


def _decision(case: Case) -> list[Block]:
    """The threshold, where costs set one."""
    decision = None if case.trained is None else case.trained.decision
    if decision is None or decision.threshold is None or decision.costs is None:
        return []
    label, costs = case.said(decision.positive), decision.costs
    words = (
        f"A row is taken for {label} where the probability of that is more than {percent(decision.threshold)}: a false "
        f"alarm costs {number(costs.false_positive)}, a miss {number(costs.false_negative)}."
    )
    return [Heading("The decision"), Paragraph(words)]


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
