"""Files that were damaged or made to do harm: the clear error, within bounded memory, and never anything else."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linsep.errors import InvalidFile
from linsep.storage import Limits, npy, read_archive, write_archive

MIB = 2**20
Members = dict[str, bytes]


@contextmanager
def bounded(most: int) -> Iterator[None]:
    """At most so many bytes at any time, as Python's and NumPy's allocators count them."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def forge(path: Path, members: Members, kind: str = "thing", packed: int = zipfile.ZIP_DEFLATED) -> Path:
    """A file with these members and a right digest: what somebody can make on purpose."""
    state = blake2b(f"linsep 1 {kind}\n".encode(), digest_size=32)
    for name in sorted(members):
        state.update(f"{name}\0{len(members[name])}\0".encode())
        state.update(members[name])
    manifest = json.dumps({"format": 1, "kind": kind, "digest": state.hexdigest()}).encode()
    with zipfile.ZipFile(path, "w", packed) as package:
        for name, content in {**members, "manifest.json": manifest}.items():
            package.writestr(name, content)
    return path


def array(header: str, content: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def header(descr: str = "'<f8'", shape: str = "(2,)", fortran: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


def refused(path: Path, said: str, most: int = 8 * MIB) -> None:
    with bounded(most), pytest.raises(InvalidFile, match=said) as caught:
        read_archive(path)
    assert path.name in str(caught.value)
    assert len(str(caught.value)) < 800


def test_forged_files_are_read_where_they_are_sound(tmp_path: Path) -> None:
    members = {"record.json": b'{"x":{"$array":"arrays/x.npy"}}', "arrays/x.npy": array(header(), bytes(16))}
    assert read_archive(forge(tmp_path / "m", members))[1]["x"].tolist() == [0.0, 0.0]


# -- no zip -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"P", "not a zip"),
        (b"hello, this is no zip file at all", "not a zip"),
        (pickle.dumps({"a": 1}), "not a zip"),
        (b"PK\x03\x04" + bytes(100), "cut off"),
        (b"PK\x05\x06" + bytes(18), "without manifest"),
        (b"PK\x05\x06" + bytes(4) + b"\xff\xff\xff\xff" + bytes(10), "65,535 members"),
        (b"PK\x05\x06" + bytes(8) + b"\xff" * 8 + bytes(2), "damaged"),
    ],
)
def test_no_zip(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "m").write_bytes(content)
    refused(tmp_path / "m", said)


def test_a_zip_of_something_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m", "w") as package:
        package.writestr("record.json", "{}")
    refused(tmp_path / "m", "without manifest.json")
    np.savez(tmp_path / "m.npz", weights=np.zeros(3))
    refused(tmp_path / "m.npz", "'weights.npy', which no model file has")


def test_a_pickle_inside_is_never_opened(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "harmed",))

    stream = io.BytesIO()
    np.save(stream, np.array([Harm()], dtype=object), allow_pickle=True)
    members = {"record.json": b'{"x":{"$array":"arrays/x.npy"}}', "arrays/x.npy": stream.getvalue()}
    refused(forge(tmp_path / "m", members), "header")
    assert not (tmp_path / "harmed").exists()


# -- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("../x.npy", "/etc/x.npy", "arrays/../x.npy", "arrays/..npy", "arrays\\x.npy", "C:/x.npy", "arrays/a/b.npy"),
        *(
            "x.py",
            "arrays/.npy",
            "arrays/" + "x" * 300 + ".npy",
            "arrays/é.npy",
            "arrays/x.npy/",
            "record.json ",
            "é" * 60,
        ),
    ],
)
def test_names(tmp_path: Path, name: str) -> None:
    refused(forge(tmp_path / "m", {"record.json": b"{}", name: b""}), "which no model file has")


@pytest.mark.filterwarnings("ignore:Duplicate")
def test_the_same_name_twice(tmp_path: Path) -> None:
    forge(tmp_path / "m", {"record.json": b"{}"})
    with zipfile.ZipFile(tmp_path / "m", "a") as package:
        package.writestr("record.json", "{}")
    refused(tmp_path / "m", "two members named 'record.json'")


def test_members_that_the_record_does_not_know(tmp_path: Path) -> None:
    sound = array(header(), bytes(16))
    refused(forge(tmp_path / "m", {"record.json": b"{}", "arrays/x.npy": sound}), "does not refer to arrays/x.npy")
    twice = b'{"a":{"$array":"arrays/x.npy"},"b":{"$array":"arrays/x.npy"}}'
    refused(forge(tmp_path / "m", {"record.json": twice, "arrays/x.npy": sound}), "not there, or twice")
    refused(forge(tmp_path / "m", {"record.json": b'{"a":{"$array":"record.json"}}'}), "not there")


# -- sizes --------------------------------------------------------------------------------------------------


def test_a_zip_bomb(tmp_path: Path) -> None:
    bomb = array(header(shape=f"({16 * MIB},)")) + bytes(128 * MIB)
    path = forge(tmp_path / "m", {"record.json": b'{"x":{"$array":"arrays/x.npy"}}', "arrays/x.npy": bomb})
    assert path.stat().st_size < MIB
    refused(path, "bytes unpacked")


def test_a_json_bomb(tmp_path: Path) -> None:
    refused(forge(tmp_path / "m", {"record.json": b'{"x":[' + b"[]," * (4 * MIB) + b"[]]}"}), "no sound model file")


def test_sizes_that_are_understated(tmp_path: Path) -> None:
    """The directory says 10 bytes, the packed data hold a megabyte."""
    path = forge(tmp_path / "m", {"record.json": b"{}", "arrays/x.npy": bytes(MIB)})
    content = bytearray(path.read_bytes())
    for place in range(len(content) - 4):
        if content[place : place + 4] == struct.pack("<L", MIB):
            content[place : place + 4] = struct.pack("<L", 10)
    path.write_bytes(content)
    refused(path, "damaged")


def test_many_members(tmp_path: Path) -> None:
    members = {"record.json": b"{}", **{f"arrays/x{i}.npy": b"" for i in range(5000)}}
    refused(forge(tmp_path / "m", members), "5,002 members")


def test_limits_of_the_caller(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "m", "thing", {"x": np.random.default_rng(0).random(1000), "d": {"d": {"d": 1}}})
    for limits, said in [
        (Limits(file=100), "at most 100"),
        (Limits(unpacked=1000), "unpacked"),
        (Limits(unpacked_floor=10, ratio=1), "unpacked"),
        (Limits(members=2), "members"),
        (Limits(json=10), "no sound"),
        (Limits(depth=2), "deeper than 2"),
    ]:
        with pytest.raises(InvalidFile, match=said):
            read_archive(path, limits)


# -- arrays -------------------------------------------------------------------------------------------------

_ABSURD = {
    "negative": header(shape="(-2,)"),
    "overflow": header(shape="(4294967296, 4294967296)"),
    "wraps to 16 bytes": header(shape="(9223372036854775809, 2)"),
    "huge": header(shape="(999999999999999999,)"),
    "digits": header(shape="(" + "9" * 900 + ",)"),
    "empty but huge": header(shape="(0, 999999999999999999, 999999999999999999)"),
    "dimensions": header(shape="(" + "1, " * 40 + "2)"),
    "object": header("'|O'"),
    "structure": header("[('a', '<f8')]"),
    "comma": header("'<f8,<f8'"),
    "big-endian": header("'>f8'"),
    "void": header("'|V8'"),
    "unicode": header("'<U2'"),
    "long double": header("'<f16'", "(1,)"),
    "odd size": header("'<f3'"),
    "no size": header("'|S0'"),
    "wide": header("'|S999999999'", "(1,)"),
    "unit": header("'<M8[xx]'"),
    "fortran": header(fortran="True"),
    "call": header(shape="(__import__('os').getpid(),)"),
    "nested": "(" * 500,
    "no header": "",
    "trailing": header() + " x",
    "one too few": header(shape="(3,)"),
    "one too many": header(shape="(1,)"),
}


@pytest.mark.parametrize("text", _ABSURD.values(), ids=_ABSURD)
def test_absurd_arrays(tmp_path: Path, text: str) -> None:
    members = {"record.json": b'{"x":{"$array":"arrays/x.npy"}}', "arrays/x.npy": array(text, bytes(16))}
    refused(forge(tmp_path / "m", members), "arrays/x.npy")


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x02\x00" + bytes(20)])
def test_arrays_without_a_header(content: bytes) -> None:
    with pytest.raises(InvalidFile, match="x is not a NumPy array"):
        npy.from_bytes(content, "x")


def test_truth_values_that_are_none() -> None:
    with pytest.raises(InvalidFile, match="neither 0 nor 1"):
        npy.from_bytes(array(header("'|b1'"), b"\x00\x02"), "x")


# -- JSON ---------------------------------------------------------------------------------------------------

_JSON = {
    "deep list": b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep": b'{"x":' * 60 + b"1" + b"}" * 60,
    "no object": b"[]",
    "an array": b'{"$number":"inf"}',
    "cut": b'{"x":',
    "encoding": b'{"x":"\xff"}',
    "twice": b'{"x":1,"x":2}',
    "NaN": b'{"x":NaN}',
    "digits": b'{"x":' + b"9" * 10_000 + b"}",
    "number": b'{"x":{"$number":"1"}}',
    "number list": b'{"x":{"$number":["inf"]}}',
    "unknown": b'{"x":{"$pickle":"abc"}}',
    "two marks": b'{"x":{"$strings":[],"$array":"x","width":1}}',
    "strings": b'{"x":{"$strings":[1],"shape":[1],"width":null}}',
    "shape": b'{"x":{"$strings":["a"],"shape":[2],"width":null}}',
    "negative shape": b'{"x":{"$strings":["a"],"shape":[-1,-1],"width":null}}',
    "shape of text": b'{"x":{"$strings":["a"],"shape":"ab","width":null}}',
    "dimensions": b'{"x":{"$strings":["a"],"shape":[' + b"1," * 200 + b'1],"width":null}}',
    "empty and huge": b'{"x":{"$strings":[],"shape":[0,2000000000,2000000000,2000000000],"width":null}}',
    "narrow": b'{"x":{"$strings":["abc"],"shape":[1],"width":2}}',
    "wide": b'{"x":{"$strings":["abc"],"shape":[1],"width":200000000}}',
    "width": b'{"x":{"$strings":["abc"],"shape":[1],"width":1e99}}',
}


@pytest.mark.parametrize("text", _JSON.values(), ids=_JSON)
def test_json(tmp_path: Path, text: bytes) -> None:
    refused(forge(tmp_path / "m", {"record.json": text}), "cannot be read as a model file", 32 * MIB)


@pytest.mark.parametrize(
    "manifest",
    [
        *("", "[]", "{}", '{"format":"1"}', '{"format":true}', '{"format":0}', '{"format":1}'),
        *('{"format":1,"kind":"x"}', '{"format":1,"kind":"../x","digest":""}', '{"format":1,"kind":"x","digest":""}'),
    ],
)
def test_manifests(tmp_path: Path, manifest: str) -> None:
    with zipfile.ZipFile(tmp_path / "m", "w") as package:
        package.writestr("record.json", "{}")
        package.writestr("manifest.json", manifest)
    refused(tmp_path / "m", "cannot be read as a model file")


def test_encrypted(tmp_path: Path) -> None:
    content = bytearray(forge(tmp_path / "m", {"record.json": b"{}"}).read_bytes())
    central = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[central + 8] |= 1
    (tmp_path / "m").write_bytes(content)
    refused(tmp_path / "m", "encrypted")


def test_other_ways_to_pack(tmp_path: Path) -> None:
    refused(forge(tmp_path / "m", {"record.json": b"{}"}, packed=zipfile.ZIP_LZMA), "packed in a way")


# -- accidents ----------------------------------------------------------------------------------------------

REAL: dict[str, Any] = {
    "weights": np.random.default_rng(0).normal(size=(40, 3)),
    "codes": np.zeros(3000, dtype=np.uint8),
    "names": np.array([f"column {i}" for i in range(39)], dtype=object),
    "numbers": {"gap": 1e-9, "bound": float("-inf"), "rows": 17},
}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], Path]:
    folder = tmp_path_factory.mktemp("real")

    def put(content: bytes) -> Path:
        (folder / "changed").write_bytes(content)
        return folder / "changed"

    write_archive(folder / "sound", "thing", REAL)
    put.content = (folder / "sound").read_bytes()  # type: ignore[attr-defined]
    return put


def _holds_or_refuses(path: Path) -> bool:
    """Either the clear error, or, where the change was outside all content, the very same record."""
    with bounded(4 * MIB):
        try:
            _, found = read_archive(path)
        except InvalidFile:
            return True
    return all(np.array_equal(found[key], REAL[key]) for key in ("weights", "codes", "names", "numbers"))


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_flipped_bytes(real: Any, data: st.DataObject) -> None:
    content = bytearray(real.content)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    assert _holds_or_refuses(real(bytes(content)))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_cut_off_and_added(real: Any, data: st.DataObject) -> None:
    content: bytes = real.content
    end = data.draw(st.integers(0, len(content) - 1))
    more = data.draw(st.binary(max_size=50))
    changed = data.draw(st.sampled_from([content[:end], content[end:], content + more + b"\0", content[:end] + more]))
    assume(changed != content)
    with bounded(4 * MIB), pytest.raises(InvalidFile):
        read_archive(real(changed))


def test_every_byte_of_directory_and_manifest(real: Any) -> None:
    """The bytes that steer the reader, each set to the extremes."""
    content: bytes = real.content
    for place in range(content.index(b"PK\x01\x02"), len(content)):
        for value in (0, 255):
            assert _holds_or_refuses(real(content[:place] + bytes([value]) + content[place + 1 :]))


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200).map(lambda tail: b"PK\x03\x04" + tail))
def test_noise(real: Any, content: bytes) -> None:
    with bounded(4 * MIB), pytest.raises(InvalidFile):
        read_archive(real(content))
