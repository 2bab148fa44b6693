"""Certificates and witnesses as values, and the verifier that trusts none of them."""

from typing import TYPE_CHECKING

from linsep.certify.certificate import Certificate, Kind, combine
from linsep.later import later

if TYPE_CHECKING:
    from linsep.certify.verifier import Verification, verify

__all__ = ["Certificate", "Kind", "Verification", "combine", "verify"]

__getattr__ = later(__name__, dict.fromkeys(("Verification", "verify"), "linsep.certify.verifier"))
