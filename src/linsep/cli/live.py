"""What runs now and for how long, on a terminal; nothing where standard error is a file or a pipe."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from linsep.cli.screen import Screen
from linsep.errors import DataWarning, NotCertified


@contextmanager
def watched(screen: Screen) -> Iterator[Callable[[str], None]]:
    """Yields what announces the next stage. Warnings of a fit become notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for kind in (NotCertified, DataWarning):
            warnings.simplefilter("always", kind)
        if screen.json or not screen.err.is_terminal:
            yield lambda words: None
        else:
            with screen.err.status("reading") as status:
                yield lambda words: status.update(words)
    screen.notes(str(each.message) for each in caught)
