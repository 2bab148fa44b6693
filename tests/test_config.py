"""The package as a whole: what it exports, what it says of itself, how fast it imports."""

import subprocess
import sys

import pytest

import linsep
from linsep import kernels

IMPORT = """
import sys, time
import sklearn.linear_model
began = time.perf_counter()
import linsep
print(time.perf_counter() - began)
"""


def test_show_config(capsys: pytest.CaptureFixture[str]) -> None:
    linsep.show_config()
    said = capsys.readouterr().out
    assert f"kernels      {kernels.isa} (of " in said
    for word in (
        "threads",
        "python",
        "numpy",
        "scipy",
        "scikit-learn",
        "blas",
        f"linsep       {linsep.__version__}",
    ):
        assert word in said


def test_exports() -> None:
    for name in linsep.__all__:
        assert getattr(linsep, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = linsep.nonsense


def test_import_is_quick() -> None:
    def seconds() -> float:
        run = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
        return float(run.stdout)

    # a busy machine gets more than one chance
    assert any(seconds() < 0.3 for _ in range(5))
