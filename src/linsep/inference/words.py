"""An inference in words and as a table."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from linsep.inference.goodness import Goodness
from linsep.model.summary import describe_alpha, describe_data

if TYPE_CHECKING:
    from linsep.inference.result import Inference

_SHOWN = 60
_WIDTH = 11


def summarise(inference: Inference) -> str:
    """What was asked, the fit as a whole, the table, and what is valid, one subject a line."""
    model = inference.model
    facts = [
        ("of", _odds(inference)),
        ("alpha", describe_alpha(model)),
        ("errors", inference.method),
        *(_whole(inference.goodness) if inference.goodness is not None else []),
        ("valid", inference.statement),
        *(("note", note) for note in inference.notes),
    ]
    lines = [f"{model.origin.estimator}: {describe_data(model)}", *(f"{title:<12}{text}" for title, text in facts)]
    return "\n".join([*lines, "", *_table(inference)])


def _odds(inference: Inference) -> str:
    what = "log odds" if inference.scale > 0.0 else "the score"
    if len(inference.others) == 1:
        return f"{what} of {inference.others[0]!s} against {inference.reference!s}"
    return f"{what} of every other class against {inference.reference!s}"


def _whole(g: Goodness) -> list[tuple[str, str]]:
    test = f"LR = {g.statistic:.4f} with {g.degrees} degree{'s' * (g.degrees != 1)} of freedom"
    test += "" if isnan(g.p_value) else f", p = {g.p_value:.4g}"
    return [
        ("likelihood", f"ln L = {g.log_likelihood:.6f}, of intercepts alone {g.null_log_likelihood:.6f}; {test}"),
        ("criteria", f"AIC {g.aic:.4f}, BIC {g.bic:.4f}; {g.observations:,g} observations"),
        ("pseudo-R²", f"McFadden {g.mcfadden:.4f}, Cox–Snell {g.cox_snell:.4f}, Nagelkerke {g.nagelkerke:.4f}"),
    ]


def _table(inference: Inference) -> list[str]:
    """A line a coefficient; the odds ratios beside it where there are any."""
    columns = inference.columns()
    tail = 0.5 * (1.0 - inference.level)
    low, high = f"[{tail:.4g}", f"{1.0 - tail:.4g}]"
    heads = {
        "estimate": "estimate", "standard_error": "std. error", "z": "z", "p_value": "p", "lower": low, "upper": high,
    }  # fmt: skip
    if inference.scale > 0.0:
        heads |= {"odds_ratio": "odds ratio", "odds_ratio_lower": low, "odds_ratio_upper": high}
    names = inference.names[:_SHOWN]
    width = max(map(len, names))
    lines = [" " * width + "".join(f"{head:>{_WIDTH}}" for head in heads.values())]
    for i, name in enumerate(names):
        lines.append(f"{name:<{width}}" + "".join(_cell(key, float(columns[key][i])) for key in heads))
    hidden = len(inference.names) - len(names)
    return [*lines, f"and {hidden:,} more: see columns()"] if hidden else lines


def _cell(key: str, value: float) -> str:
    digits = ".2f" if key == "z" else ".2g" if key == "p_value" else ".4g"
    text = f"{value:{digits}}" if np.isfinite(value) else str(value)
    return f"{text:>{_WIDTH}}"
