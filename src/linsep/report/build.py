"""From a model and rows to a report."""

from __future__ import annotations

from linsep.report.blocks import Report
from linsep.report.case import Case
from linsep.report.cases import case_of_table
from linsep.report.numbers import plural
from linsep.report.sections import SECTIONS
from linsep.tables import Table
from linsep.workflow.trained import Trained


def build_report(trained: Trained, table: Table, table_is_training: bool | None = None) -> Report:
    """All that the report says, as plain values.

    table_is_training: whether these are the rows of the fit; None: found out by their fingerprints.
    """
    return report_of(case_of_table(trained, table, table_is_training))


def report_of(case: Case) -> Report:
    sections = tuple(section for section in (make(case) for make in SECTIONS) if section is not None)
    rows = f"{plural(case.rows, 'row')}, {'those of the fit' if case.is_training else 'other than those of the fit'}"
    source = f" · {', '.join(case.names)}" if case.names else ""
    title = f"Predicting {case.subject}" if case.trained is not None else f"{case.subject}: report"
    return Report(title, f"{case.model.origin.estimator} · {rows}{source}", sections)
