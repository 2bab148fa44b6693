"""Trained models, curves and quality in words and tables, the same for every command that shows them."""

from __future__ import annotations

from linsep.cli.language import spoken
from linsep.cli.screen import Screen
from linsep.model.summary import facts
from linsep.quality import Quality
from linsep.selection import Curve
from linsep.workflow.trained import Trained

#: Measures of which less is better.
_LESS = frozenset({"log loss", "Brier score"})
_SHOWN_CLASSES = 8


def show(screen: Screen, trained: Trained) -> None:
    """What was learnt, how well it is proved, how good it is, and what was noticed."""
    screen.notes(trained.notes)
    headline(screen, trained)
    describe_curve(screen, trained.curve, trained.model.alpha)
    describe_quality(screen, trained.quality)


def told(trained: Trained) -> dict[str, object]:
    """The same for machines."""
    certificate = trained.model.certificate
    return {
        "classes": trained.classes,
        "rows": trained.model.n_rows,
        "features": trained.model.n_features,
        "loss": trained.model.loss,
        "alpha": trained.model.alpha,
        "certified": trained.model.certified,
        "status": trained.model.status.name,
        "relative_gap": certificate.relative_gap,
        "alpha_curve": None if trained.curve is None else trained.curve.record(),
        "quality": None if trained.quality is None else measured(trained.quality),
        "interrupted": trained.interrupted,
        "findings": list(trained.notes),
        "trained": trained.provenance.record(),
        "seconds": trained.provenance.seconds,
        "seed": trained.recipe.seed,
    }


def measured(quality: Quality) -> dict[str, object]:
    """For machines: each measure by name with its interval, and the constant classifier's value beside it."""
    found = {
        name: {"value": each.value, "low": each.low, "high": each.high, "constant": quality.baseline[name]}
        for name, each in quality.measures.items()
    }
    return {"measures": found, "confusion": quality.confusion, "rows": quality.rows, "level": quality.level}


def headline(screen: Screen, trained: Trained) -> None:
    """What was learnt from what, and how well that is proved."""
    model = trained.named_model
    classes = ", ".join(str(c) for c in model.classes[:_SHOWN_CLASSES])
    classes += ", …" if len(model.classes) > _SHOWN_CLASSES else ""
    screen.say(f"{trained.provenance.target or 'target'}: {classes}", style="bold")
    screen.say(f"{_count(model.n_rows, 'row')}, {_count(model.n_features, 'feature')}, {_time(trained)} in all")
    screen.say(f"{'trained':<12}{_origin(trained)}")
    for title, words in facts(model):
        screen.say(f"{title:<12}{spoken(words) if title == 'status' else words}")
    threshold = trained.decision.threshold
    if threshold is not None:
        label = trained.classes[trained.decision.positive]
        screen.say(f"{'decision':<12}{label} where its probability is more than {threshold:.4g}, by the costs given")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _time(trained: Trained) -> str:
    seconds = trained.provenance.seconds
    return f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:,.0f} s"


def _origin(trained: Trained) -> str:
    """On what, when, with what."""
    origin = trained.provenance
    sources = ", ".join(origin.sources[:3]) + (f" and {len(origin.sources) - 3:,} more" * (len(origin.sources) > 3))
    versions = ", ".join(f"{name} {number}" for name, number in origin.versions.items())
    return f"on {sources or 'a table'}, {origin.began}, seed {trained.recipe.seed}; {versions}"


def describe_curve(screen: Screen, curve: Curve | None, used: float) -> None:
    """How α was found, in a line."""
    if curve is None:
        return
    screen.say(f"{'alpha from':<12}{curve.sentence(used)}")
    for note in curve.notes:
        screen.say(f"{'':<12}{spoken(note)}", style="dim")


def describe_quality(screen: Screen, quality: Quality | None, rows: str = "rows held out") -> None:
    """Each measure with its interval, beside the constant classifier's."""
    if quality is None:
        return
    screen.say()
    screen.say(f"on {quality.rows:,} {rows}, {quality.level:.0%} intervals", style="bold")
    lines = [
        (name, *(f"{v:.4f}" for v in (e.value, e.low, e.high, quality.baseline[name])), _verdict(name, quality))
        for name, e in quality.measures.items()
    ]
    screen.table(["", "model", "from", "to", "constant", ""], lines, right=(1, 2, 3, 4))


def _verdict(name: str, quality: Quality) -> str:
    """Whether the interval lies on the better side of the constant classifier."""
    estimate, constant = quality.measures[name], quality.baseline[name]
    better = estimate.high < constant if name in _LESS else estimate.low > constant
    worse = estimate.low > constant if name in _LESS else estimate.high < constant
    return "better than constant" if better else "WORSE than constant" if worse else "no better than constant"
