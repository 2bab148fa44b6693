"""A zip of a few plainly named members, and a reader that believes nothing.

Before anything is unpacked: the directory at the end of the file must be whole and small, every name one of

    manifest.json    record.json    arrays/NAME.npy

and there once, nothing encrypted, and the sizes that are stated within the limits (`Limits`). What comes out must
have exactly the stated size and the CRC.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from linsep.errors import FileAccess, InvalidFile, Refused
from linsep.storage.atomic import cannot
from linsep.storage.limits import Limits

MANIFEST, RECORD = "manifest.json", "record.json"

_NAME = re.compile(r"manifest\.json|record\.json|arrays/[A-Za-z0-9_-]{1,100}\.npy")
_END = struct.Struct(
    "<4s4H2LH"
)  # the record at the end of a zip: mark, disks, members, size and place of the directory
_ENTRY = 512  # bytes that one member takes in the directory at most
_SAMPLE, _LARGE, _WORTH = 2**16, 2**20, 0.9

#: What the standard library may say about a file that is no sound zip.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    KeyError,
)


# -- writing ------------------------------------------------------------------------------------------------


def write_members(file: BinaryIO, members: Iterable[tuple[str, bytes]], limits: Limits, *, pack: bool = True) -> bool:
    """Write the members, in order, always the same bytes; whether the reader's ratios hold (unpacked they do)."""
    try:
        with zipfile.ZipFile(file, "w", allowZip64=False) as package:
            for name, content in members:
                _write_member(package, name, content, pack)
            infos = package.infolist()
    except zipfile.LargeZipFile:
        raise Refused(
            "the file would be larger than 4 GiB, which a model file cannot be; drop features or classes"
        ) from None
    return _excess(infos, file.tell(), limits) is None


def _write_member(package: zipfile.ZipFile, name: str, content: bytes, pack: bool) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED if pack and _worth_packing(content) else zipfile.ZIP_STORED
    package.writestr(info, content, compresslevel=6)


def _worth_packing(content: bytes) -> bool:
    """Large arrays of weights hardly shrink: a sample from the middle tells."""
    if len(content) < _LARGE:
        return True
    sample = content[len(content) // 2 :][:_SAMPLE]
    return len(zlib.compress(sample)) < _WORTH * len(sample)


# -- reading ------------------------------------------------------------------------------------------------


def read_members(path: str | os.PathLike[str], limits: Limits) -> dict[str, bytes]:
    """The members of the file by name, checked; an error that begins with the name of the file otherwise."""
    place = Path(path)
    try:
        status = place.stat()
        if stat.S_ISDIR(status.st_mode):
            raise FileAccess(f"{str(place)!r} is a folder, not a model file")
        if not stat.S_ISREG(status.st_mode):
            raise FileAccess(f"{str(place)!r} is not an ordinary file")
        with place.open("rb") as file:
            return _read_all(file, limits)
    except FileNotFoundError:
        raise FileAccess(f"there is no file {str(place)!r}") from None
    except (FileAccess, InvalidFile):
        raise
    except OSError as problem:
        raise cannot("read", place, problem) from problem


def _read_all(file: BinaryIO, limits: Limits) -> dict[str, bytes]:
    size = os.fstat(file.fileno()).st_size
    _check_directory(file, size, limits)
    try:
        with zipfile.ZipFile(file) as package:
            infos = package.infolist()
            _check_members(infos, size, limits)
            return {info.filename: _read_member(package, info) for info in infos}
    except InvalidFile:
        raise
    except _DAMAGE as problem:
        raise InvalidFile(f"it is damaged: {str(problem)[:200] or type(problem).__name__}") from None


def _check_directory(file: BinaryIO, size: int, limits: Limits) -> None:
    """The directory is whole, at the end, and not so large that reading it costs memory."""
    if size > limits.file:
        raise InvalidFile(f"it has {size:,} bytes; at most {limits.file:,} are allowed")
    if size == 0:
        raise InvalidFile("it is empty")
    head = file.read(4)
    if head not in (b"PK\x03\x04", b"PK\x05\x06"):
        raise InvalidFile("it is not a zip file, which every model file is")
    file.seek(max(size - _END.size, 0))
    tail = file.read(_END.size)
    if len(tail) < _END.size or tail[:4] != b"PK\x05\x06":
        raise InvalidFile("it is cut off, or something was added at its end")
    _, disk, first, here, count, length, offset, comment = _END.unpack(tail)
    if disk or first or here != count or comment or offset + length + _END.size != size:
        raise InvalidFile("it is damaged: its directory is not where it should be")
    if count > limits.members or length > _ENTRY * limits.members:
        raise InvalidFile(f"it says that it has {count:,} members; at most {limits.members:,} are allowed")
    file.seek(0)


def _check_members(infos: list[zipfile.ZipInfo], size: int, limits: Limits) -> None:
    seen: set[str] = set()
    for info in infos:
        name = info.filename
        if _NAME.fullmatch(name) is None or info.orig_filename != name:
            raise InvalidFile(f"it has a member named {name[:100]!r}, which no model file has")
        if name in seen:
            raise InvalidFile(f"it has two members named {name!r}")
        seen.add(name)
        if info.flag_bits & 0x1:
            raise InvalidFile(f"its member {name!r} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InvalidFile(f"its member {name!r} is packed in a way that no model file is")
        if info.compress_size > size:
            raise InvalidFile(f"it is damaged: its member {name!r} is larger than the file")
    excess = _excess(infos, size, limits)
    if excess:
        raise InvalidFile(excess)


def _excess(infos: list[zipfile.ZipInfo], size: int, limits: Limits) -> str | None:
    """What is too large once unpacked, or None."""
    total = sum(info.file_size for info in infos)
    if total > limits.unpacked or total > max(limits.unpacked_floor, limits.ratio * size):
        return f"it would take {total:,} bytes unpacked, out of {size:,}: no sound model file does"
    for info in infos:
        if not info.filename.endswith(".json"):
            continue
        if info.file_size > limits.json or info.file_size > max(
            limits.json_floor, limits.json_ratio * info.compress_size
        ):
            return f"its member {info.filename!r} would take {info.file_size:,} bytes: no sound model file does"
    return None


def _read_member(package: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with package.open(info) as member:  # gives no more than the stated size, and checks the CRC at its end
        content = member.read(info.file_size)
        more = member.read(1)
    if more or len(content) != info.file_size:
        raise InvalidFile(f"it is damaged: its member {info.filename!r} does not have the stated size")
    return content
