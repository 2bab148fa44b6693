"""Certificates and witnesses as values."""

from linsep.certify.certificate import Certificate, Kind, combine

__all__ = ["Certificate", "Kind", "combine"]
