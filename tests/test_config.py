"""The package as a whole: what it exports, what it says of itself, what it loads."""

import subprocess
import sys

import pytest

import linsep
from linsep import kernels

IMPORT = """
import sys
import sklearn.linear_model
before = set(sys.modules)
import linsep
linsep.LogisticRegression
print(*sorted(set(sys.modules) - before))
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


def test_import_is_light() -> None:
    """Beside scikit-learn a first estimator loads only modules of linsep itself, and not all of those: tables, plots,
    reports, the command line, the verifier and what they need wait until they are asked for."""
    run = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert {name.partition(".")[0] for name in loaded} == {"linsep"}
    packages = {name.split(".")[1] for name in loaded if "." in name}
    assert not packages & {"cli", "report", "export", "plot", "workflow", "tables", "online", "kernelised", "inference"}
    assert not set(loaded) & {"linsep.certify.verifier", "linsep.separability.judge"}
    assert len(loaded) < 150
