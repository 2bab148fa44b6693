"""linsep verify and separate: proofs, from a model file or from data alone."""

from __future__ import annotations

from typing import Annotated

from linsep.cli.groups import Own
from linsep.cli.options import Answer, Data, Encoding, Json, Model, Reading
from linsep.cli.outcome import Exit
from linsep.cli.screen import Screen
from linsep.cli.stored import labelled_rows, open_model, table_for
from linsep.cli.watched import watched

Target = Annotated[str | None, Own("The column with the classes; svmlight has them.", ("--target", "-t"), "COLUMN")]


def verify(model: Model, data: Data, reading: Reading, target: Answer = None, json: Json = False) -> Exit:
    """Check a model's certificate against its training data.

    Everything is computed again from the file and the data by code that shares nothing with the solvers: that the data
    are the same, the value reached, and the bound that nothing can go below. Exit code 0 if it holds, else 3.

    Example:

      linsep verify adult.linsep adult.csv
    """
    from linsep.certify import verify as check
    from linsep.data.sparse_rows import as_scipy
    from linsep.workflow.trained import class_labels

    screen, trained = Screen(json), open_model(model)
    with watched(screen) as watch:
        watch.stage("reading")
        table = table_for(trained, data, reading, target)
        watch.stage(f"verifying on {table.rows:,} rows")
        X, notes = trained.features.transform(table)
        labels = class_labels(table, trained.classes, trained.provenance.target)
        verdict = check(trained.model, as_scipy(X), labels, table.weights)
    screen.notes((*table.notes, *notes))
    screen.say(str(verdict), style="green" if verdict.ok else "red")
    found = {"ok": verdict.ok, "unknown": verdict.unknown, "primal": verdict.primal, "bound": verdict.bound}
    checks = [{"name": each.name, "passed": each.passed, "detail": each.detail} for each in verdict.checks]
    screen.finish({**found, "relative_gap": verdict.relative_gap, "checks": checks})
    return Exit.CERTIFIED if verdict.ok else Exit.STOPPED


def separate(data: Data, reading: Reading, encoding: Encoding, target: Target = None, json: Json = False) -> Exit:
    """Say whether a hyperplane separates the classes, and prove it.

    Separable: the hyperplane and its margin. Quasi-separable: the direction, with the features and rows that it rests
    on. Not separable: a point common to the convex hulls of the classes. Exit code 0 if separable, else 3.

    Example:

      linsep separate mushrooms.csv --target class
    """
    from dataclasses import replace

    import numpy as np

    from linsep.separability import Verdict, separability

    screen = Screen(json)
    with watched(screen) as watch:
        features, X, table = labelled_rows(screen, data, reading.options(target=target), encoding.settings(), watch)
        watch.stage("looking for a hyperplane")
        found = separability(X, table.target)
    if features.names is not None:
        found = replace(found, names=np.array(features.names, dtype=object))
    screen.say(found.summary())
    used = found.feature_names or []
    if used and found.names is not None:
        screen.say(f"features: {', '.join(used[:20])}" + (f" and {len(used) - 20:,} more" if len(used) > 20 else ""))
    margin = found.margin if found.verdict is Verdict.SEPARABLE else None
    screen.finish({"verdict": found.verdict.name, "proved": found.proved, "margin": margin, "features": used})
    return Exit.CERTIFIED if found.verdict is Verdict.SEPARABLE else Exit.STOPPED
