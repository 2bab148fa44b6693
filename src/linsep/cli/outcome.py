"""How a command ends: exit codes, and errors in a sentence on standard error, never a traceback."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from linsep import errors


class Exit(IntEnum):
    """What the shell is told."""

    CERTIFIED = 0
    FAILED = 1
    USAGE = 2
    STOPPED = 3
    NO_OPTIMUM = 4
    BAD_DATA = 5
    INTERRUPTED = 130
    BROKEN_PIPE = 141


#: The first kind that an error is of decides.
CODES: tuple[tuple[type[BaseException], Exit], ...] = (
    (errors.NoOptimum, Exit.NO_OPTIMUM),
    (errors.NoMaximumMargin, Exit.NO_OPTIMUM),
    (errors.InvalidParameter, Exit.USAGE),
    (errors.InvalidType, Exit.USAGE),
    (errors.Refused, Exit.USAGE),
    (errors.MissingPackage, Exit.USAGE),
    (errors.FileAccess, Exit.BAD_DATA),
    (errors.LinsepError, Exit.BAD_DATA),
    (KeyboardInterrupt, Exit.INTERRUPTED),
    (BrokenPipeError, Exit.BROKEN_PIPE),
    (MemoryError, Exit.BAD_DATA),
)

#: What is said of errors that have no words of their own.
_WORDS: dict[type[BaseException], str] = {
    KeyboardInterrupt: "interrupted; nothing was written",
    BrokenPipeError: "",
    MemoryError: "there is not enough memory for data of this size; give fewer rows or columns, or a larger machine",
}


#: What a disk says that takes nothing more.
FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of disk space is used up",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EIO: "the disk reports an error",
    errno.EBADF: "it is closed",
}


class Failure(Exception):
    """An error on its way to the shell: a sentence, a code, and whether standard output takes nothing more."""

    def __init__(self, words: str, code: Exit, output_lost: bool = False) -> None:
        super().__init__(words)
        self.code, self.output_lost = code, output_lost


@contextmanager
def explained() -> Iterator[None]:
    """Errors that linsep raises on purpose, and interruptions, become failures; a defect keeps its traceback."""
    try:
        yield
    except tuple(kind for kind, _ in CODES) as error:
        code = next(code for kind, code in CODES if isinstance(error, kind))
        raise Failure(_WORDS.get(type(error), str(error)), code, code is Exit.BROKEN_PIPE) from error
    except OSError as error:  # files have errors of ours, so this is where standard output goes
        if error.errno not in FULL:
            raise
        raise Failure(f"cannot write to standard output: {FULL[error.errno]}", Exit.BAD_DATA, True) from error
