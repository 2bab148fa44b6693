"""Help, completion and mistakes in an option are answered at once: nothing that computes is loaded for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from linsep.solvers.table import SOLVERS
from tests.cli.conftest import environment

HEAVY = ("numpy", "scipy", "sklearn", "polars", "pandas", "linsep.kernels", "linsep.model", "linsep.tables")

_ASK = """
import sys
from linsep.cli.app import main
code = main(sys.argv[1:])
print(code, *(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""

_COMPLETE = """
import atexit, sys
from linsep.cli.app import entry
atexit.register(lambda: print(*(name for name in {heavy!r} if name in sys.modules), file=sys.stderr))
sys.argv = ["linsep"]
entry()
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("--help",), 0),
        (("train", "--help"), 0),
        (("report", "--help"), 0),
        (("train", "--no-such-option"), 2),
        (("no-such-command",), 2),
    ],
)
def test_nothing_heavy_is_loaded(arguments, code):
    command = [sys.executable, "-c", _ASK.format(heavy=HEAVY), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    assert ended.stderr.splitlines()[-1] == str(code)


#: What a command has loaded when it ends: packages by their first name, and what it takes of ours.
_LOADED = """
import sys
from linsep.cli.app import main
code = main(sys.argv[1:])
print(code, *sorted(sys.modules), file=sys.stderr)
"""

#: What fits, certifies, verifies, chooses or explains: nothing that a prediction needs.
_NOT_TO_PREDICT = (
    "linsep.certify.bounds", "linsep.certify.verifier", "linsep.diagnosis", "linsep.estimators", "linsep.model.fit",
    "linsep.problem.problem", "linsep.selection.walk", "linsep.solvers.base", "linsep.workflow.train",
)  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    lines = [f"{i % 7},{'ab'[i % 2]} word{i % 5} and more,{'xy'[i * i % 5 > 1]},{'pqr'[i % 3]}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["size,words,label,kind", *lines]))
    return tmp_path


def loaded(folder, *arguments):
    """The modules that a command loads."""
    command = [sys.executable, "-c", _LOADED, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=folder, check=True)
    code, *modules = ended.stderr.splitlines()[-1].split()
    assert code == "0"
    return set(modules)


@pytest.mark.parametrize("target", ["label", "kind"])
def test_a_table_is_learnt_and_predicted_without_scikit_learn(target, rows):
    """It takes longer to import than most tables to be learnt; so do the large parts of SciPy."""
    slow = {"sklearn", "pandas", "scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.special"}
    assert not slow & loaded(rows, "train", "rows.csv", "--target", target)
    predicting = loaded(rows, "predict", "rows.linsep", "rows.csv")
    assert not {"scipy", *slow, *_NOT_TO_PREDICT} & predicting


def test_a_fit_loads_the_solver_that_runs(rows):
    """And neither the others nor the verifier, nor the sparse matrices of SciPy where the rows are dense."""
    learning = loaded(rows, "train", "rows.csv", "--target", "label", "--ignore", "words")
    solvers = {f"linsep.solvers.{name}" for name in SOLVERS}
    assert solvers & learning == {"linsep.solvers.newton", "linsep.solvers.dual_cd"}  # the second by selection/duals.py
    assert not {"scipy.sparse", "linsep.certify.verifier", "linsep.certify.independent"} & learning


@pytest.mark.parametrize("option", ["--ignore words", "--interaction size:kind", ""])
def test_no_prediction_loads_scipy(option, rows):
    """Dense or sparse, with products of columns or texts: SciPy is loaded where one of its matrices is asked for."""
    assert "numpy" in loaded(rows, "train", "rows.csv", "--target", "label", *option.split())
    assert "scipy" not in loaded(rows, "predict", "rows.linsep", "rows.csv", "--scores")


def test_the_process_of_a_command_looks_for_garbage_seldom(rows):
    """Less often while it starts, and not among all that is there when it ends."""
    words = (
        "import atexit, gc, sys\n"
        "from linsep.cli.app import entry\n"
        "usual = gc.get_threshold()[0]\n"
        "atexit.register(lambda: print(gc.isenabled(), gc.get_threshold()[0] > usual, gc.get_freeze_count() > 0))\n"
        "sys.argv = ['linsep', 'info', 'rows.csv', '--json']\n"
        "entry()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, env=environment(), cwd=rows, check=True
    )
    assert ended.stdout.splitlines()[-1] == "True True True"


def test_completion_needs_nothing_either():
    asked = {"_LINSEP_COMPLETE": "bash_complete", "COMP_WORDS": "linsep train --al", "COMP_CWORD": "2"}
    words = _COMPLETE.format(heavy=HEAVY)
    ended = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, env={**environment(), **asked}, check=False
    )
    assert "--alpha" in ended.stdout
    assert ended.stderr.strip() == ""


def test_names_that_are_a_module_too():
    """`linsep.separability` is the function, however early its package is loaded; parts are reached as attributes."""
    words = (
        "import linsep.separability.judge, linsep.estimators, linsep\n"
        "from linsep.separability import Verdict\n"
        "assert linsep.separability([[0.0], [1.0]], [0, 1]).verdict is Verdict.SEPARABLE\n"
        "assert linsep.problem.base.MarginLoss is linsep.MarginLoss\n"
        "assert all(getattr(linsep, name) is not None for name in linsep.__all__)\n"
        "assert set(linsep.__all__) <= set(dir(linsep))\n"
    )
    subprocess.run([sys.executable, "-c", words], env=environment(), check=True)
