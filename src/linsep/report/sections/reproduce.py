"""How to make the same again, and how to check it."""

from __future__ import annotations

import shlex
from dataclasses import fields

from linsep.report.blocks import Block, Code, Facts, Grid, Paragraph, Section
from linsep.report.case import Case
from linsep.report.numbers import number
from linsep.tables import ColumnType
from linsep.workflow.features import EncodingSettings, FrameFeatures
from linsep.workflow.recipe import Recipe
from linsep.workflow.trained import Trained

#: What the fingerprints are of.
_FINGERPRINTS = {
    "X": "rows as numbers",
    "y": "classes of the rows",
    "weights": "weights of the rows",
    "offset": "offsets",
}


def reproduce(case: Case) -> Section:
    blocks: list[Block] = []
    if case.trained is not None:
        blocks += [
            Paragraph(
                "The same files, versions and options give the same model, bit for bit. How files are read (separator, "
                "encoding, types fixed by hand) and settings of words are not shown: add them if there were any."
            )
        ]
        blocks += [Code(commands(case.trained)), Facts(_history(case.trained))]
    else:
        blocks += [Paragraph("The model was fitted in Python; these are its parameters."), Facts(_parameters(case))]
    prints = {**case.model.fingerprints, **case.model.certificate.fingerprint}
    rows = tuple((name, words, prints[name]) for name, words in _FINGERPRINTS.items() if name in prints)
    blocks.append(Grid("Fingerprints of the data that the certificate speaks of", ("", "Of", "Fingerprint"), rows))
    return Section("reproduce", "How to reproduce", tuple(blocks))


def commands(trained: Trained) -> str:
    """Training, checking and this report, as typed; settings that are the usual ones are left out."""
    sources = list(trained.provenance.sources) or ["data.csv"]
    train = ["linsep", "train", *sources]
    if trained.provenance.target is not None:
        train += ["--target", trained.provenance.target]
    train += [*_reading(trained), *_options(trained.recipe)]
    model = sources[0].split(".")[0] + ".linsep"
    lines = [[*train, "--output", model], ["linsep", "verify", model, *sources]]
    lines.append(["linsep", "report", model, *sources, "--output", "report.html"])
    return "\n".join(" ".join(map(_quoted, line)) for line in lines)


def _quoted(word: str) -> str:
    return shlex.quote(word)


def _reading(trained: Trained) -> list[str]:
    """What the encoder tells of how the table was read and encoded."""
    if not isinstance(trained.features, FrameFeatures):
        return []
    encoder, usual = trained.features.encoder, EncodingSettings()
    schema = encoder.schema_
    found = [word for column in schema.of(ColumnType.IGNORED) for word in ("--ignore", column.name)]
    for option, role in {"--weights": schema.weight, "--groups": schema.group}.items():
        found += [option, role.name] if role is not None else []
    found += ["--rare", str(encoder.rare)] if encoder.rare != usual.rare else []
    found += ["--unseen", encoder.unseen] if encoder.unseen != usual.unseen else []
    return found + [word for each in encoder.products_ for word in ("--interaction", f"{each.first}:{each.second}")]


def _options(recipe: Recipe) -> list[str]:
    usual, found = Recipe(), []
    for field in fields(Recipe):
        value = getattr(recipe, field.name)
        if value != getattr(usual, field.name) or field.name == "seed":
            written = ":".join(f"{each:g}" for each in value) if isinstance(value, tuple) else str(value)
            found += [f"--{field.name.replace('_', '-')}", written]
    return found


def _history(trained: Trained) -> tuple[tuple[str, str], ...]:
    p = trained.provenance
    return (
        ("Seed", str(trained.recipe.seed)),
        ("Trained", f"{p.began}, in {number(p.seconds, 2)} s"),
        ("Versions", ", ".join(f"{name} {version}" for name, version in p.versions.items())),
        ("Rows", f"{trained.model.n_rows:,}"),
    )


def _parameters(case: Case) -> tuple[tuple[str, str], ...]:
    model = case.model
    found = [
        ("Estimator", model.origin.estimator),
        ("Loss", model.loss),
        ("Classes", model.multiclass),
        ("α", number(model.alpha, 12)),
        ("Share of L1", number(model.l1_ratio)),
        ("Intercept", "free" if model.fit_intercept else "none"),
        ("Class weights", "none" if model.class_weight is None else str(model.class_weight)),
        ("Tolerance", number(model.certificate.tol)),
    ]
    if model.origin.seed is not None:
        found.append(("Seed", str(model.origin.seed)))
    versions = model.origin.software
    if versions:
        found.append(("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())))
    return tuple(found)
