"""Files that are there completely or not at all.

The content goes to a new file in the same folder, is flushed to the disk, and only then takes the name. Whatever
happens before (disk full, Ctrl-C, a crash of the process) leaves an older file of that name as it was.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from linsep.errors import FileAccess

_CAUSES = {
    errno.ENOSPC: "the disk is full; free some space, or save to another disk",
    errno.EDQUOT: "your quota of disk space is used up; free some space, or save to another disk",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EACCES: "no permission; save to a folder of your own",
    errno.EPERM: "no permission; save to a folder of your own",
    errno.EROFS: "the disk is read-only; save to another place",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EIO: "the disk reports an error",
}
_CAUSES_OF_READING = dict.fromkeys((errno.EACCES, errno.EPERM), "no permission; ask its owner, or copy it")


def write_atomically(path: str | os.PathLike[str], write: Callable[[BinaryIO], None], *, force: bool) -> Path:
    """Let `write` fill the file at `path`, which must not be there already unless force; the place written to."""
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:60]}.{secrets.token_hex(6)}.part")
    try:
        _check_target(target, force)
        with open(part, "xb") as file:
            if force and target.exists():
                os.chmod(part, stat.S_IMODE(target.stat().st_mode))
            write(file)
            file.flush()
            os.fsync(file.fileno())
        _publish(part, target, force)
    except FileAccess:
        raise
    except OSError as problem:
        raise cannot("write", target, problem) from problem
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    _flush_folder(target.parent)
    return target


def cannot(verb: str, path: Path, problem: OSError) -> FileAccess:
    """The error for what the system refused, in a sentence."""
    causes = _CAUSES if verb == "write" else _CAUSES | _CAUSES_OF_READING
    cause = causes.get(problem.errno or 0, problem.strerror or str(problem))
    kept = "; the file that was there is as it was" if verb == "write" and os.path.exists(path) else ""
    return FileAccess(f"cannot {verb} {str(path)!r}: {cause}{kept}")


def _check_target(target: Path, force: bool) -> None:
    if target.is_dir():
        raise FileAccess(f"{str(target)!r} is a folder; give the name of a file in it, for example 'model.linsep'")
    if not target.parent.is_dir():
        raise FileAccess(f"there is no folder {str(target.parent)!r}; make it first, or save to another place")
    if not target.exists():
        return
    if not target.is_file():
        raise FileAccess(f"{str(target)!r} is not an ordinary file; give the name of a new file")
    if not force:
        raise _there_already(target)


def _there_already(target: Path) -> FileAccess:
    return FileAccess(f"{str(target)!r} is there already; give another name, or force=True to replace it")


def _publish(part: Path, target: Path, force: bool) -> None:
    """Give the finished file its name; without force not even to one that appeared meanwhile."""
    if force:
        os.replace(part, target)
        return
    try:
        os.link(part, target)
    except FileExistsError:
        raise _there_already(target) from None
    except OSError:  # a file system without links
        if target.exists():
            raise _there_already(target) from None
        os.replace(part, target)


def _flush_folder(folder: Path) -> None:
    """The new name to the disk too, where the system has a way to ask for it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
