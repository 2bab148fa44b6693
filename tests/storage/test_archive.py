"""Records on disk: what goes in comes out, in the same bytes, completely or not at all."""

from __future__ import annotations

import errno
import math
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from linsep.errors import FileAccess, InvalidFile, InvalidType
from linsep.storage import archive, atomic, npy, read_archive, write_archive

SAMPLE: dict[str, Any] = {
    "a": [1, 2.5, None, True, "é"],
    "b": {"x": np.arange(6.0).reshape(2, 3)},
    "s": np.array(["q"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


def same(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray):
        if not isinstance(two, np.ndarray) or one.shape != two.shape or one.dtype.newbyteorder("<") != two.dtype:
            return False
        if one.dtype == object:
            return one.tolist() == two.tolist()
        return np.ascontiguousarray(one.astype(two.dtype)).tobytes() == np.ascontiguousarray(two).tobytes()
    if isinstance(one, dict):
        return isinstance(two, dict) and one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return isinstance(two, list) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(two, float) and math.isnan(two)
    return type(one) is type(two) and one == two and (one != 0 or math.copysign(1, one) == math.copysign(1, two))


numbers = st.one_of(
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(sizes=(16, 32, 64)),
    hnp.boolean_dtypes(),
    hnp.byte_string_dtypes(max_len=5),
    hnp.unicode_string_dtypes(max_len=5),
    hnp.datetime64_dtypes(),
    hnp.timedelta64_dtypes(),
)
arrays = hnp.arrays(numbers, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
objects = st.lists(st.text(max_size=5), max_size=4).map(lambda texts: np.array([*texts, ""], dtype=object)[:-1])
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), arrays, objects),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(record=st.dictionaries(st.text(max_size=6), values, max_size=4))
def test_any_record_comes_back(folder: Path, record: dict[str, Any]) -> None:
    first = write_archive(folder / "a", "thing", record, force=True)
    kind, back = read_archive(first)
    assert kind == "thing"
    assert same(record, back)
    assert write_archive(folder / "b", "thing", back, force=True).read_bytes() == first.read_bytes()


def test_special_keys_and_names_do_not_clash(tmp_path: Path) -> None:
    record = {
        "$array": "arrays/x.npy",
        "$$number": {"$number": 1},
        "a-b": np.arange(3),
        "a/b": np.arange(4),
        "a": {"b": np.arange(5)},
        "../../etc": np.arange(2),
        "": np.arange(1),
        "x" * 300: np.arange(7),
    }
    assert same(record, read_archive(write_archive(tmp_path / "m", "thing", record))[1])


def test_layouts_that_are_not_c_order(tmp_path: Path) -> None:
    wide = np.arange(12.0).reshape(3, 4)
    record = {"f": np.asfortranarray(wide), "t": wide.T, "step": wide[::2, ::-1], "big": wide.astype(">f8")}
    back = read_archive(write_archive(tmp_path / "m", "thing", record))[1]
    for key, array in record.items():
        np.testing.assert_array_equal(back[key], array)
        assert back[key].flags.c_contiguous
        assert back[key].flags.writeable


def test_scalars_of_numpy_and_tuples_become_plain(tmp_path: Path) -> None:
    record = {"n": np.int32(3), "f": np.float32(0.1), "b": np.bool_(True), "t": (1, (2,)), "s": np.str_("x")}
    back = read_archive(write_archive(tmp_path / "m", "thing", record))[1]
    assert back == {"n": 3, "f": float(np.float32(0.1)), "b": True, "t": [1, [2]], "s": "x"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({1: 2}, "the key 1"),
        ({1, 2}, "holds a set at x"),
        (1j, "complex"),
        (np.array([1j]), "complex128"),
        (np.array([None, 1]), "array of object"),
        (np.zeros(2, dtype=[("a", "f8")]), "cannot be stored"),
        (np.zeros(2, dtype=np.longdouble), "cannot be stored"),
        (10**1000, "1000 digits"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_any_file(tmp_path: Path, value: Any, said: str) -> None:
    with pytest.raises(InvalidType, match=said):
        write_archive(tmp_path / "m", "thing", {"x": value})
    assert not list(tmp_path.iterdir())


def test_too_deep_is_refused(tmp_path: Path) -> None:
    record: dict[str, Any] = {}
    for _ in range(60):
        record = {"x": record}
    with pytest.raises(InvalidType, match="nested deeper"):
        write_archive(tmp_path / "m", "thing", record)


@pytest.mark.parametrize("kind", ["", "a b", 3, "x" * 65, "é"])
def test_kinds_are_names(tmp_path: Path, kind: Any) -> None:
    with pytest.raises(InvalidType, match="kind="):
        write_archive(tmp_path / "m", kind, {})


def test_arrays_that_pack_too_well_are_stored_as_they_are(tmp_path: Path) -> None:
    record = {"zeros": np.zeros(9 * 2**20), "text": np.array(["a" * 3_000_000], dtype=object)}  # 72 MiB of zeros
    path = write_archive(tmp_path / "m", "thing", record)
    back = read_archive(path)[1]
    assert same(record, back)


def test_strings_much_wider_than_their_text(tmp_path: Path) -> None:
    wide = np.zeros(2000, dtype="<U20000")
    wide[0] = "x"
    back = read_archive(write_archive(tmp_path / "m", "thing", {"w": wide}))[1]["w"]
    assert back.tolist() == wide.tolist()


# -- never half-written -------------------------------------------------------------------------------------


def test_existing_file_is_kept_without_force(tmp_path: Path) -> None:
    path = tmp_path / "m.linsep"
    path.write_text("mine")
    with pytest.raises(FileAccess, match="there already"):
        write_archive(path, "thing", SAMPLE)
    assert path.read_text() == "mine"
    os.chmod(path, 0o640)
    write_archive(path, "thing", SAMPLE, force=True)
    assert same(read_archive(path)[1], SAMPLE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["m.linsep"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m"
    monkeypatch.setattr(archive, "write_members", lambda *given, **more: bool(path.write_text("other")))
    with pytest.raises(FileAccess, match="there already"):
        write_archive(path, "thing", SAMPLE)
    assert path.read_text() == "other"
    assert os.listdir(tmp_path) == ["m"]


def test_file_systems_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*given: Any) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(atomic.os, "link", no_links)
    write_archive(tmp_path / "m", "thing", SAMPLE)
    assert same(read_archive(tmp_path / "m")[1], SAMPLE)
    with pytest.raises(FileAccess, match="there already"):
        write_archive(tmp_path / "m", "thing", SAMPLE)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF])
def test_disk_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    path = write_archive(tmp_path / "m", "thing", SAMPLE)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomic.os, "fsync", full)
    said = {errno.ENOSPC: "disk is full", errno.EDQUOT: "quota", errno.EIO: "disk reports"}.get(code, "Bad file")
    with pytest.raises(FileAccess, match=f"{said}.*as it was"):
        write_archive(path, "thing", {"x": 1}, force=True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


def test_a_real_limit_on_the_size_of_files(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(FileAccess, match="larger than the system allows"):
            write_archive(tmp_path / "m", "thing", {"x": np.random.default_rng(0).random(50_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **more: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(archive, "write_members", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_archive(tmp_path / "m", "thing", SAMPLE)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(FileAccess, match="is a folder"):
        write_archive(tmp_path, "thing", SAMPLE, force=True)
    with pytest.raises(FileAccess, match="there is no folder"):
        write_archive(tmp_path / "no" / "m", "thing", SAMPLE)
    with pytest.raises(FileAccess, match="name is too long"):
        write_archive(tmp_path / ("x" * 300), "thing", SAMPLE)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileAccess, match="not an ordinary file"):
            write_archive(tmp_path / "pipe", "thing", SAMPLE, force=True)
        with pytest.raises(FileAccess, match="not an ordinary file"):
            read_archive(tmp_path / "pipe")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*given: Any, **more: Any) -> None:
        raise PermissionError(errno.EACCES, "denied")

    path = write_archive(tmp_path / "m", "thing", SAMPLE)
    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(FileAccess, match=r"cannot write .*no permission"):
        write_archive(tmp_path / "n", "thing", SAMPLE)
    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(FileAccess, match=r"cannot read .*no permission; ask its owner"):
        read_archive(path)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "m")
    write_archive(tmp_path / "link", "thing", SAMPLE)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "m").is_file()
    write_archive(tmp_path / "link", "thing", SAMPLE, force=True)
    assert (tmp_path / "link").is_symlink()


def test_places_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileAccess, match="there is no file"):
        read_archive(tmp_path / "no")
    with pytest.raises(FileAccess, match="is a folder"):
        read_archive(tmp_path)


# -- formats ------------------------------------------------------------------------------------------------


def test_a_newer_format_is_refused_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "FORMAT", 2)
    path = write_archive(tmp_path / "m", "thing", SAMPLE)
    monkeypatch.setattr(archive, "FORMAT", 1)
    with pytest.raises(InvalidFile, match=r"format 2.*newer version.*Update linsep"):
        read_archive(path)


def test_older_formats_are_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_archive(tmp_path / "m", "thing", {"old": 1})
    monkeypatch.setattr(archive, "FORMAT", 4)
    monkeypatch.setitem(archive.UPGRADES, ("thing", 1), lambda record: {"new": record["old"]})
    monkeypatch.setitem(archive.UPGRADES, ("thing", 3), lambda record: {**record, "more": record["new"] + 1})
    monkeypatch.setitem(archive.UPGRADES, ("other", 2), lambda record: {})
    assert read_archive(path) == ("thing", {"new": 1, "more": 2})


def test_npy_is_what_numpy_reads(tmp_path: Path) -> None:
    for array in (np.arange(6.0).reshape(2, 3), np.array(3), np.array([True]), np.empty((0, 2)), np.array([b"ab"])):
        (tmp_path / "a.npy").write_bytes(npy.to_bytes(array))
        np.testing.assert_array_equal(np.load(tmp_path / "a.npy", allow_pickle=False), array)
        np.save(tmp_path / "b.npy", array)
        np.testing.assert_array_equal(npy.from_bytes((tmp_path / "b.npy").read_bytes(), "b"), array)
