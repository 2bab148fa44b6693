"""The sections of a report, in their order, as data: a new one is a file here and a line in `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable

from linsep.report.blocks import Section
from linsep.report.case import Case
from linsep.report.sections.alpha import alpha
from linsep.report.sections.coefficients import coefficients
from linsep.report.sections.curves import curves
from linsep.report.sections.data import data
from linsep.report.sections.diagnosis import diagnosis
from linsep.report.sections.fitted import fitted
from linsep.report.sections.margins import margins
from linsep.report.sections.overview import overview
from linsep.report.sections.quality import quality
from linsep.report.sections.reproduce import reproduce
from linsep.report.sections.words import words

#: From a case to a section, or to None where it has nothing to say.
SECTIONS: tuple[Callable[[Case], Section | None], ...] = (
    overview,
    quality,
    curves,
    coefficients,
    words,
    margins,
    diagnosis,
    data,
    fitted,
    alpha,
    reproduce,
)
