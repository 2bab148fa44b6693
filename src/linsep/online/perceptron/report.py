"""A run in words: the warning of one that did not converge, and the lines of the summary."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from linsep.online.perceptron.plan import PerceptronStatus
from linsep.online.perceptron.theorem import PATIENCE, Circumstances, Judged, why_no_bound
from linsep.online.words import counted
from linsep.separability import Verdict
from linsep.types import FloatArray, IntArray

_UNITS_SHOWN = 6


def warning(at: Circumstances, result: Any, judged: Judged, rate_bound: float) -> str:
    """Why it stopped, what `separability` says, what the weights are worth, what to do."""
    epochs, last = len(result.mistakes), int(result.mistakes[-1].sum()) if len(result.mistakes) else 0
    parts = [
        f"Perceptron did not converge: {result.status.value} "
        f"({counted(epochs, 'epoch')}, {counted(int(result.updates.sum()), 'update')}, "
        f"{counted(last, 'mistake')} in the last epoch).",
        *(f"Separability{whom}: {sentence}." for whom, sentence in separability_in_words(at, judged)),
        worth(at, result),
        "Remedy: " + "; ".join(_remedies(at, result.status, judged, rate_bound)) + ".",
    ]
    return " ".join(parts)


def separability_in_words(at: Circumstances, judged: Judged) -> list[tuple[str, str]]:
    """For each verdict, the classes it is about and the sentence."""
    if not at.linear and not at.plan.delta:
        return [("", f"not judged in the feature space of the kernel {at.kernel!r}")]
    groups: dict[Verdict | None, list[str]] = {}
    for name, verdict in judged.verdicts:
        groups.setdefault(verdict, []).append(name)
    undecided = f"not decided within {PATIENCE:g} s, or interrupted, or not proved; separability(X, y) takes its time"
    sentences = []
    for verdict, names in groups.items():
        classes = "class" if len(names) == 1 else "classes"
        whom = f" ({classes} {', '.join(names)} against the rest)" if any(names) else ""
        sentences.append((whom, undecided if verdict is None else verdict.value))
    if judged.left_out:
        sentences.append(("", f"not asked of {counted(judged.left_out, 'more class', 'more classes')} with mistakes"))
    return sentences


def worth(at: Circumstances, result: Any) -> str:
    """The training accuracy of what is returned, and of the pocket."""
    if at.plan.pocket:
        return f"The pocket's weights, which are returned, classify {result.accuracy:.2%} of the training rows."
    what = "averaged" if at.plan.average else "last"
    return (
        f"The {what} weights classify {result.accuracy:.2%} of the training rows; "
        f"the pocket's, the best of those after the epochs with the fewest mistakes, {result.pocket_accuracy:.2%}."
    )


def _remedies(at: Circumstances, status: PerceptronStatus, judged: Judged, rate_bound: float) -> list[str]:
    if status is PerceptronStatus.DIVERGED:
        smaller = f"give a learning_rate below {rate_bound:.3g}" if rate_bound < inf else "give a smaller learning_rate"
        return [f"{smaller}, or 'auto'; scale the columns of X"]
    hopeless = any(_hopeless(at, verdict) for _, verdict in judged.verdicts)
    remedies = ["no number of epochs will do"] if hopeless else ["raise max_epochs"]
    if why_no_bound(at, status, judged.separable) is None:
        remedies[0] += " (summary() has Novikoff's bound on the updates)"
    if at.plan.delta:
        remedies.append("raise tol")
        if at.plan.order != "given":
            remedies.append(
                "give order='given' or a smaller learning_rate: at a fixed rate a changing order moves w for ever"
            )
    if at.plan.normalize and not hopeless:
        remedies.insert(0, "normalize=True can keep a separable problem from converging: leave it out")
    if not at.plan.pocket and not at.plan.delta:
        remedies.append("pocket='epoch' returns the best weights seen")
    if hopeless:
        remedies.append("LogisticRegression and LinearSVM have an optimum on such data, by their penalty")
    return remedies


def _hopeless(at: Circumstances, verdict: Verdict | None) -> bool:
    """Rows that lie on the hyperplane are right where a tie is for their class, and else never."""
    quasi = verdict is Verdict.QUASI_SEPARABLE
    return verdict is Verdict.NOT_SEPARABLE or (quasi and at.plan.tie == "mistake")


def head(n: int, features: int, classes: Any) -> str:
    shown = ", ".join(str(c) for c in classes[:_UNITS_SHOWN]) + (", …" if len(classes) > _UNITS_SHOWN else "")
    size = f"{counted(n, 'row')}, {counted(features, 'feature')}"
    return f"Perceptron: {size}, {len(classes):,} classes ({shown})"


def facts(at: Circumstances, result: Any, judged: Judged, bound: str, rows: int) -> list[tuple[str, str]]:
    """Titles and sentences; bound: that of `novikoff`."""
    epochs = len(result.mistakes)
    last = int(result.mistakes[-1].sum()) if epochs else 0
    return [
        ("rule", _rule(at)),
        ("ended", f"{result.status.value}; {counted(epochs, 'epoch')}, {counted(last, 'mistake')} in the last"),
        ("updates", _updates(result.updates)),
        ("Novikoff", bound),
        *(("verdict", sentence + whom) for whom, sentence in separability_in_words(at, judged) if judged.verdicts),
        ("accuracy", f"{result.accuracy:.2%} of {counted(rows, 'training row')}{_pocket(at, result)}"),
    ]


def _pocket(at: Circumstances, result: Any) -> str:
    if result.status.converged or at.plan.pocket:
        return ""
    return f"; a pocket would have had {result.pocket_accuracy:.2%}"


def _rule(at: Circumstances) -> str:
    plan = at.plan
    step = {"mistake": "η t x", "thresholded": "η (t − sign) x", "unthresholded": "η (t − score) x"}[plan.rule]
    words = [f"{plan.rule}, w += {step}, η = {plan.rate:g}"]
    words.append("incremental" if plan.batch == 1 else f"blocks of {plan.batch:,} rows")
    words.append(f"{plan.order} order")
    if at.kernel is not None:
        words.append(f"dual, {at.kernel} kernel")
    if at.units > 1:
        words.append("Kesler's joint rule" if plan.joint else f"{at.units:,} independent units")
    named = [("centred", at.center), ("unit length", plan.normalize), ("averaged", plan.average)]
    words += [text for text, present in named if present]
    if plan.pocket:
        words.append(f"pocket judged after each {plan.pocket}")
    return ", ".join(words)


def _updates(updates: IntArray) -> str:
    total = f"{int(updates.sum()):,}"
    if np.count_nonzero(updates) < 2:
        return total
    shown = ", ".join(f"{int(u):,}" for u in updates[:_UNITS_SHOWN])
    return f"{total} (by unit: {shown}{', …' if len(updates) > _UNITS_SHOWN else ''})"


def novikoff(result: Any, limits: FloatArray) -> str:
    """Updates against the bounds of the units."""
    updates = result.updates[: len(limits)]
    if np.isinf(limits).any():
        return "no finite bound: the margin ρ is 0 (ties count as right), or so small beside R that X should be scaled"
    pairs = [f"{int(k):,} ≤ (R/ρ)² = {_number(limit)}" for k, limit in zip(updates, limits, strict=True)]
    more = ", …" if len(pairs) > _UNITS_SHOWN else ""
    return "updates " + ", ".join(pairs[:_UNITS_SHOWN]) + more


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1000.0 <= value < 1e15 else f"{value:.4g}"
