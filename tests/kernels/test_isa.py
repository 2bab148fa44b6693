"""Which compiled variant is loaded, and that all of them offer what the stub and the reference say."""

from __future__ import annotations

import ast
import inspect
import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from linsep import kernels
from linsep.errors import InvalidParameter
from linsep.kernels import reference

from .cases import VARIANTS, every_variant, in_a_new_process

STUB = ast.parse(Path(kernels.__file__).with_name("_baseline.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def test_the_best_variant_is_the_default() -> None:
    assert list(VARIANTS) == kernels.available()
    assert kernels.available()[-1] == "baseline"
    if "LINSEP_ISA" not in os.environ:
        assert kernels.isa == kernels.available()[0]
    assert kernels.native is VARIANTS[kernels.isa]


@pytest.mark.parametrize("isa", VARIANTS)
def test_forcing_a_variant(isa: str) -> None:
    code = "from linsep import kernels; print(kernels.isa, kernels.native.__name__)"
    assert in_a_new_process(code, isa).stdout.split() == [isa, f"linsep.kernels._{isa}"]


def test_forcing_a_variant_that_there_is_not() -> None:
    result = in_a_new_process("import linsep.kernels", "avx1024")
    assert result.returncode == 1
    message = result.stderr.splitlines()[-1]
    assert "InvalidParameter" in message
    assert "LINSEP_ISA 'avx1024'" in message
    assert "'avx2', 'avx512', 'baseline'" in message
    assert "the nearest is 'avx" in message


def test_forcing_a_variant_that_this_machine_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_cpu_features", frozenset[str])
    monkeypatch.setenv("LINSEP_ISA", "avx512")
    with pytest.raises(InvalidParameter, match="LINSEP_ISA=avx512, but this machine runs only: baseline"):
        kernels._choose()
    monkeypatch.setenv("LINSEP_ISA", "")
    assert kernels._choose() == "baseline"


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"SSE42", "AVX"}, ["baseline"]),
        ({"AVX2", "FMA3"}, ["avx2", "baseline"]),
        ({"AVX2", "FMA3", "AVX512F", "AVX512CD"}, ["avx2", "baseline"]),
        ({"AVX2", "FMA3", "AVX512F", "AVX512CD", "AVX512_SKX"}, ["avx512", "avx2", "baseline"]),
        ({"X86_V2", "X86_V3"}, ["avx2", "baseline"]),
        ({"X86_V2", "X86_V3", "X86_V4"}, ["avx512", "avx2", "baseline"]),
    ],
)
def test_the_variants_a_cpu_runs(monkeypatch: pytest.MonkeyPatch, features: set[str], expected: list[str]) -> None:
    """By the names that NumPy has given the features, old and new."""
    numpy_core = import_module("numpy._core._multiarray_umath")
    monkeypatch.setattr(kernels, "_built", lambda isa: True)
    monkeypatch.setattr(numpy_core, "__cpu_features__", dict.fromkeys(features, True))
    assert kernels.available() == expected


@every_variant
def test_the_stub_names_all_that_is_compiled(native: ModuleType) -> None:
    assert public_names(native) == {*FUNCTIONS, *CLASSES}
    for name, declared in CLASSES.items():
        methods = {node.name for node in declared.body if isinstance(node, ast.FunctionDef)} - {"__init__"}
        attributes = {ast.unparse(node.target) for node in declared.body if isinstance(node, ast.AnnAssign)}
        assert public_names(getattr(native, name)) == methods | attributes


def public_names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if hasattr(reference, name)])
def test_the_reference_takes_the_same_arguments_in_the_same_order(name: str) -> None:
    declared = [argument.arg for argument in FUNCTIONS[name].args.posonlyargs]
    expected = [argument for argument in declared if argument not in ("threads", "single")]
    given = list(inspect.signature(getattr(reference, name)).parameters)
    assert ["matrix" if argument == "X" else argument for argument in given] == expected


def test_nothing_is_compiled_or_started_at_run_time() -> None:
    """No process is started and no file is written, from the import to a pass."""
    code = """
sys.dont_write_bytecode = True
import numpy as np, scipy.linalg
seen = []
def watch(event, args):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"):
        seen.append((event, args))
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        seen.append((event, args))
sys.addaudithook(watch)
from linsep.kernels import native
grad = np.empty(4)
matrix, y, f = native.Matrix.dense(np.ones((9, 3))), np.ones(9), np.empty(9)
native.loss_pass(matrix, "log", y, None, 1.0, np.ones(4), f, None, None, grad, 2)
print(len(seen), seen)
"""
    assert in_a_new_process(code).stdout.split()[:1] == ["0"]
