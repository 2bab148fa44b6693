"""Certificates and witnesses as values, and the verifier that trusts none of them."""

from typing import TYPE_CHECKING

from linsep.certify.certificate import Certificate, Kind, combine
from linsep.later import later

if TYPE_CHECKING:
    from linsep.certify.verifier import Verdict, verify

__all__ = ["Certificate", "Kind", "Verdict", "combine", "verify"]

__getattr__ = later(__name__, dict.fromkeys(("Verdict", "verify"), "linsep.certify.verifier"))
