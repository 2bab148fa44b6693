"""Records on disk: one file that is never half-written, and reading that cannot run code or exhaust memory.

A record is a nested dict with string keys that holds JSON values and NumPy arrays. This package knows nothing of
models.
"""

from linsep.storage.archive import read_archive, write_archive
from linsep.storage.content import Record
from linsep.storage.limits import Limits

__all__ = ["Limits", "Record", "read_archive", "write_archive"]
