"""Certificates and witnesses as values, and the verifier that trusts none of them."""

from linsep.certify.certificate import Certificate, Kind, combine
from linsep.certify.verify import Verdict, verify

__all__ = ["Certificate", "Kind", "Verdict", "combine", "verify"]
