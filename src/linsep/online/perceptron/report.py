"""A run in words: the warning of one that did not converge, and the lines of the summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.online.perceptron.plan import PerceptronStatus
from linsep.online.perceptron.theorem import Circumstances, why_no_bound
from linsep.separability import Verdict
from linsep.types import FloatArray, IntArray

_UNITS_SHOWN = 6


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def warning(at: Circumstances, result: Any, verdicts: list[tuple[str, Any]], rate_bound: float) -> str:
    """Why it stopped, what `separability` says, what the weights are worth, what to do."""
    epochs, last = len(result.mistakes), int(result.mistakes[-1].sum()) if len(result.mistakes) else 0
    parts = [
        f"Perceptron did not converge: {result.status.value} "
        f"({counted(epochs, 'epoch')}, {counted(int(result.updates.sum()), 'update')}, "
        f"{counted(last, 'mistake')} in the last epoch).",
        *(f"Separability{f' ({whom})' if whom else ''}: {found.verdict.value}." for whom, found in verdicts),
        worth(at, result),
        "Remedy: " + "; ".join(_remedies(at, result.status, verdicts, rate_bound)) + ".",
    ]
    return " ".join(parts)


def worth(at: Circumstances, result: Any) -> str:
    """The training accuracy of what is returned, and of the pocket."""
    if at.plan.pocket:
        return f"The pocket's weights, which are returned, classify {result.accuracy:.2%} of the training rows."
    what = "averaged" if at.plan.average else "last"
    return (
        f"The {what} weights classify {result.accuracy:.2%} of the training rows; "
        f"the pocket's, the best of those after the epochs with the fewest mistakes, {result.pocket_accuracy:.2%}."
    )


def _remedies(
    at: Circumstances, status: PerceptronStatus, verdicts: list[tuple[str, Any]], rate_bound: float
) -> list[str]:
    if status is PerceptronStatus.DIVERGED:
        return [f"give a learning_rate below {rate_bound:.3g}, or 'auto'; scale the columns of X"]
    hopeless = any(_hopeless(at, found) for _, found in verdicts)
    remedies = ["no number of epochs will do"] if hopeless else ["raise max_epochs"]
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
        remedies.append("LogisticRegression and LinearSVM have an optimum on such data")
    return remedies


def _hopeless(at: Circumstances, found: Any) -> bool:
    """Rows that lie on the hyperplane are right where a tie is for their class, and else never."""
    quasi = found.verdict is Verdict.QUASI_SEPARABLE
    return found.verdict is Verdict.NOT_SEPARABLE or (quasi and at.plan.tie == "mistake")


def facts(at: Circumstances, result: Any, limits: FloatArray | None, rows: tuple[int, str]) -> list[tuple[str, str]]:
    """Titles and sentences; limits: Novikoff's bounds where they are known, rows: why they may not be."""
    epochs = len(result.mistakes)
    last = int(result.mistakes[-1].sum()) if epochs else 0
    return [
        ("rule", _rule(at)),
        ("ended", f"{result.status.value}; {counted(epochs, 'epoch')}, {counted(last, 'mistake')} in the last"),
        ("updates", _updates(result.updates)),
        ("Novikoff", novikoff(at, result, limits, rows[1])),
        ("accuracy", f"{result.accuracy:.2%} of {counted(rows[0], 'training row')}"),
    ]


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


def novikoff(at: Circumstances, result: Any, limits: FloatArray | None, unknown: str) -> str:
    """Updates against the bound, or why there is none."""
    why = why_no_bound(at, result.status)
    if why is not None:
        return f"the bound does not apply: {why}"
    if limits is None:
        return f"the bound applies, but is {unknown}"
    updates = result.updates[: len(limits)]
    pairs = [f"{int(k):,} ≤ (R/ρ)² = {_number(limit)}" for k, limit in zip(updates, limits, strict=True)]
    more = ", …" if len(pairs) > _UNITS_SHOWN else ""
    return "updates " + ", ".join(pairs[:_UNITS_SHOWN]) + more


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1000.0 <= value < 1e15 else f"{value:.4g}"
