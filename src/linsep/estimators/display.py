"""What a notebook shows of a fitted estimator: scikit-learn's diagram, then the certificate."""

from __future__ import annotations

from html import escape

from linsep.model import LinearModel
from linsep.model.summary import describe_data, facts

_BOX = "border-left: 4px solid {colour}; padding: 0.3em 0.8em; margin: 0.5em 0; font-family: monospace"


def certificate_html(model: LinearModel) -> str:
    """A table of the facts, green where certified, red where not."""
    colour = "#2e7d32" if model.certified else "#c62828"
    rows = "".join(
        f"<tr><th style='text-align: left; padding-right: 1em'>{escape(title)}</th>"
        f"<td style='text-align: left'>{escape(text)}</td></tr>"
        for title, text in [("data", describe_data(model)), *facts(model)]
    )
    return f"<div class='linsep-certificate' style='{_BOX.format(colour=colour)}'><table>{rows}</table></div>"
