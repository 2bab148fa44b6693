"""What a user should know about a fit and its data beside the certificate: values first, words second."""

from linsep.diagnosis.diagnosis import Diagnosis
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.kept import Kept
from linsep.diagnosis.message import no_optimum, warning

__all__ = ["Column", "Diagnosis", "Finding", "Kept", "Severity", "no_optimum", "warning"]
