"""Every format, plain and compressed, by name and by first bytes, gives the same table."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard
from scipy import sparse

from linsep import ReadOptions, read_table
from linsep.errors import InvalidParameter
from linsep.tables.formats import FORMATS

FRAME = pl.DataFrame({"age": [1.5, None, 3.25], "city": ["Ulm", "Köln", None], "label": ["a", "b", "a"]})
SVM = b"1 1:0.5 3:2\n-1 2:1\n"


def csv_bytes(frame: pl.DataFrame, separator: str = ",") -> bytes:
    return frame.write_csv(separator=separator).encode()


def parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def arrow(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_ipc(file)
    return file.getvalue()


def arrow_stream(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_ipc_stream(file)
    return file.getvalue()


FRAMES: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": csv_bytes,
    "tsv": lambda frame: csv_bytes(frame, "\t"),
    "ndjson": lambda frame: frame.write_ndjson().encode(),
    "parquet": parquet,
    "arrow": arrow,
    "feather": arrow_stream,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": lambda data: (
        zstandard.ZstdCompressor().compress(data[:20]) + zstandard.ZstdCompressor().compress(data[20:])
    ),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("suffix", FRAMES)
def test_frames(tmp_path: Path, suffix: str, compression: str) -> None:
    data = COMPRESSIONS[compression](FRAMES[suffix](FRAME))
    for name in (f"t.{suffix}{compression}", "t", f"t.{suffix}"):  # the first bytes tell format and compression
        file = tmp_path / name
        file.write_bytes(data)
        table = read_table(file, ReadOptions(target="label"))
        assert table.frame is not None
        assert table.frame.equals(FRAME), name
        assert [column.type.value for column in table.schema.columns] == ["number", "category", "target"]
        assert table.target is not None
        assert table.target.tolist() == ["a", "b", "a"]
        assert table.features == ("age", "city")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_svmlight(tmp_path: Path, compression: str) -> None:
    for name in ("t.svm" + compression, "t.libsvm", "t"):
        (tmp_path / name).write_bytes(COMPRESSIONS[compression](SVM))
        table = read_table(tmp_path / name)
        np.testing.assert_array_equal(table.matrix.toarray(), [[0.5, 0, 2], [0, 1, 0]])
        assert table.target is not None
        assert table.target.tolist() == [1, -1]
        assert table.frame is None
        assert table.features is None
        assert table.rows == 2


def test_svmlight_options(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text("a qid:1 0:1\nb qid:2 4:2\n")
    table = read_table(file)
    assert table.matrix.shape == (2, 5)
    assert table.target is not None
    assert table.target.tolist() == ["a", "b"]
    assert table.groups is not None
    assert table.groups.tolist() == [1, 2]
    assert [column.name for column in table.schema.columns] == ["label", "qid"]
    file.write_text("0 1:1\n1 2:1\n")
    assert read_table(file).matrix.shape == (2, 2)
    assert read_table(file, ReadOptions(zero_based=True)).matrix.shape == (2, 3)
    assert read_table(file, ReadOptions(features=7)).matrix.shape == (2, 7)
    assert read_table(file, ReadOptions(single=True, target="label")).matrix.dtype == np.float32
    file.write_text("0.5 1:1\n1.5 2:1\n")
    fractions = read_table(file).target
    assert fractions is not None
    assert fractions.tolist() == ["0.5", "1.5"]


def test_npz(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array(["a", "b"])
    np.savez(tmp_path / "dense.npz", X=X, y=y, X_test=X + 1, y_test=y[::-1])
    sparse.save_npz(tmp_path / "sparse.npz", sparse.csc_matrix(X))
    np.save(tmp_path / "y.npy", y)
    table = read_table(tmp_path / "dense.npz")
    np.testing.assert_array_equal(table.matrix, X)
    assert table.target is not None
    assert table.target.tolist() == ["a", "b"]
    other = read_table(tmp_path / "dense.npz", ReadOptions(matrix="X_test", target="y_test"))
    np.testing.assert_array_equal(other.matrix, X + 1)
    assert other.target is not None
    assert other.target.tolist() == ["b", "a"]
    table = read_table(tmp_path / "sparse.npz", ReadOptions(target=str(tmp_path / "y.npy")))
    np.testing.assert_array_equal(table.matrix.toarray(), X)
    assert table.target is not None
    assert table.target.tolist() == ["a", "b"]
    assert read_table(tmp_path / "sparse.npz").target is None


def test_the_target_of_a_matrix_by_the_name_that_models_have_for_it(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[0, 1, 1])
    found = read_table(tmp_path / "a.npz", ReadOptions(target="label")).target
    assert found is not None
    assert found.tolist() == [0, 1, 1]


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_text("y,x\nc,3.5\n")
    for source in (str(tmp_path / "*.csv"), [tmp_path / "a.csv", str(tmp_path / "b.csv")]):
        table = read_table(source)
        assert table.frame is not None
        assert table.frame.rows() == [(1.0, "a"), (2.0, "b"), (3.5, "c")]
        assert len(table.sources) == 2
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "b.svm").write_text("2 3:1\n")
    assert read_table(str(tmp_path / "?.svm")).matrix.shape == (2, 3)


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "a[1].csv"
    file.write_text("x,y\n1,a\n2,b\n")
    assert read_table(file).rows == 2


@pytest.mark.parametrize("suffix", [*FRAMES, "svm"])
def test_standard_input(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = SVM if suffix == "svm" else FRAMES[suffix](FRAME)
    for given in (data, gzip.compress(data)):
        stream = io.TextIOWrapper(io.BytesIO(given))
        monkeypatch.setattr(sys, "stdin", stream)
        table = read_table("-")
        assert (table.rows, table.sources) == (2 if suffix == "svm" else 3, ("standard input",))
        assert not stream.closed


def test_formats_have_their_own_suffixes() -> None:
    suffixes = [suffix for each in FORMATS.values() for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_unknown_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    with pytest.raises(InvalidParameter, match="nearest is 'parquet'"):
        read_table(tmp_path / "a.csv", ReadOptions(format="parket"))


def test_import_is_light_and_pipes_work() -> None:
    code = (
        "import sys, linsep; print([m for m in ('polars', 'zstandard') if m in sys.modules]); "
        "print(linsep.read_table('-').rows)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=csv_bytes(FRAME), capture_output=True, check=True)
    assert done.stdout.split() == [b"[]", b"3"]
