"""One self-contained HTML page about a model and its data."""

from linsep.report.blocks import Report
from linsep.report.build import build_report
from linsep.report.render import render
from linsep.report.write import report, write_report

__all__ = ["Report", "build_report", "render", "report", "write_report"]
