"""Archives: one kind of record in one file, written atomically, read without trust. docs/model-file.md has the format.

    manifest.json   {"format": 1, "kind": "linear_model", "digest": "…"}
    record.json     the record, with references to
    arrays/*.npy    its arrays

The digest is BLAKE2b (32 bytes, hexadecimal) of

    linsep FORMAT KIND newline, then for each other member, sorted by name:  name NUL size NUL content

It shows that nothing was changed by accident; who changes a file on purpose can also write a new digest. An archive of
an older format is brought up to date by the functions in `UPGRADES`, one a format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, NamedTuple

from linsep.errors import InvalidFile, InvalidType
from linsep.storage import npy
from linsep.storage.atomic import write_atomically
from linsep.storage.content import Array, Reader, Record, Writer, parse
from linsep.storage.limits import DEFAULT, Limits
from linsep.storage.package import MANIFEST, RECORD, read_members, write_members

#: The format that is written.
FORMAT = 1

#: (kind, f) → from the record of that kind in format f to that in format f + 1; a kind that did not change has none.
UPGRADES: dict[tuple[str, int], Callable[[Record], Record]] = {}

_LONGEST_KIND = 64


class _Manifest(NamedTuple):
    format: int
    kind: str
    digest: str


def write_archive(path: str | os.PathLike[str], kind: str, record: Record, *, force: bool = False) -> Path:
    """Write the record to one file, the same bytes for the same record; the place that it was written to.

    force: replace a file of that name. Without it nothing that is there is touched; in no case is a file half-written.
    """
    if not _is_kind(kind):
        raise InvalidType(f"kind={kind!r}: give a name of letters, digits and _")
    writer = Writer(DEFAULT)
    text = writer.text(record)

    def write(file: BinaryIO) -> None:
        if not write_members(file, _members(kind, text, writer.arrays), DEFAULT):
            file.seek(0)
            file.truncate()
            write_members(file, _members(kind, text, writer.arrays), DEFAULT, pack=False)

    return write_atomically(path, write, force=force)


def _members(kind: str, text: bytes, arrays: dict[str, Array]) -> Iterator[tuple[str, bytes]]:
    """Sorted by name, the manifest last: then no array is made into bytes before its turn."""
    state = _digest(FORMAT, kind)
    for name in sorted([*arrays, RECORD]):
        content = text if name == RECORD else npy.to_bytes(arrays[name])
        _add(state, name, content)
        yield name, content
    manifest = f'{{"format":{FORMAT},"kind":"{kind}","digest":"{state.hexdigest()}"}}'
    yield MANIFEST, manifest.encode("ascii")


def read_archive(path: str | os.PathLike[str], limits: Limits = DEFAULT) -> tuple[str, Record]:
    """Kind and record of a file, checked and brought up to the present format. Nothing in it is ever executed."""
    try:
        return _read(read_members(path, limits), limits)
    except InvalidFile as problem:
        raise InvalidFile(f"{os.fspath(path)!r} cannot be read as a model file: {problem}") from None
    except MemoryError:
        raise InvalidFile(f"{os.fspath(path)!r} does not fit into memory") from None


def _read(members: dict[str, bytes], limits: Limits) -> tuple[str, Record]:
    absent = next((name for name in (MANIFEST, RECORD) if name not in members), None)
    if absent is not None:
        raise InvalidFile(f"it is a zip file without {absent}, which every model file has")
    manifest = _manifest(members.pop(MANIFEST))
    state = _digest(manifest.format, manifest.kind)
    for name in sorted(members):
        _add(state, name, members[name])
    if state.hexdigest() != manifest.digest:
        raise InvalidFile("its content was changed after it was written (the digest differs)")
    text = members.pop(RECORD)
    arrays = {name: npy.from_bytes(members.pop(name), name) for name in list(members)}
    record = Reader(limits, arrays).record(text, RECORD)
    for older in range(manifest.format, FORMAT):
        record = UPGRADES.get((manifest.kind, older), _unchanged)(record)
    return manifest.kind, record


def _manifest(text: bytes) -> _Manifest:
    found = parse(text, MANIFEST)
    if not isinstance(found, dict) or type(found.get("format")) is not int or found["format"] < 1:
        raise InvalidFile("its manifest does not say which format it has")
    if found["format"] > FORMAT:
        raise InvalidFile(
            f"it has format {found['format']}, which a newer version of linsep wrote; this one reads formats up to "
            f"{FORMAT}. Update linsep"
        )
    if not _is_kind(found.get("kind")) or not isinstance(found.get("digest"), str):
        raise InvalidFile("its manifest does not say what it holds")
    return _Manifest(found["format"], found["kind"], found["digest"])


def _is_kind(kind: object) -> bool:
    return isinstance(kind, str) and kind.isascii() and kind.isidentifier() and len(kind) <= _LONGEST_KIND


def _digest(version: int, kind: str) -> blake2b:
    return blake2b(f"linsep {version} {kind}\n".encode("ascii"), digest_size=32)


def _add(state: blake2b, name: str, content: bytes) -> None:
    state.update(f"{name}\0{len(content)}\0".encode("ascii"))
    state.update(content)


def _unchanged(record: Record) -> Record:
    return record
