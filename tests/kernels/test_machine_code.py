"""What only the machine code shows, and otherwise only a benchmark would: that rows are asked for ahead of their turn,
and that the losses are vector code. Read with objdump from the objects that the build leaves."""

import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from linsep.kernels import _REQUIRED

BUILD = Path(__file__).parents[2] / "build"
REGISTERS = {"baseline": "xmm", "avx2": "ymm", "avx512": "zmm"}

#: Loops over rows in random order, and how many of them a file has for each type of rows.
LOOPS = {"perceptron": 4, "sgd": 2, "dual": 4, "crammer_singer": 1, "softmax_dual": 1}
#: The lines of values, and of columns, in a loop and once more at their end: three types of dense rows, two of sparse.
ASKED = 3 * 2 + 2 * 4

#: Multiplications of one exponential, and of the logarithm beside it.
EXP, LOG = 13, 16

every_isa = pytest.mark.parametrize("isa", _REQUIRED)


@cache
def functions(isa: str, file: str) -> dict[str, list[str]]:
    """Instructions by function."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("instructions are named as on x86-64")
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("objdump is not installed")
    found = sorted(
        BUILD.glob(f"*/CMakeFiles/_{isa}.dir/src/linsep/kernels/{file}.cpp.o"), key=lambda o: o.stat().st_mtime
    )
    if not found:
        pytest.skip("the build left no objects (it was made elsewhere)")
    command = [objdump, "--disassemble", "--demangle", "--no-show-raw-insn", str(found[-1])]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^[0-9a-f]+ <(.*)>:$", text, flags=re.MULTILINE)[1:]
    return {f"{name} #{k}": parts[2 * k + 1].splitlines() for k, name in enumerate(parts[::2])}


def prefetches(lines: list[str]) -> int:
    return sum("\tprefetch" in line for line in lines)


def multiplications(lines: list[str], register: str) -> int:
    """Packed ones of doubles, in the widest register."""
    kind = re.compile(rf"\t(mulpd|v?mulpd|vfn?m(add|sub)\d+pd) .*%{register}")
    return sum(kind.search(line) is not None for line in lines)


@every_isa
@pytest.mark.parametrize("file", LOOPS)
def test_loops_ask_for_rows_ahead(isa: str, file: str) -> None:
    asked = sum(prefetches(lines) for lines in functions(isa, file).values())
    assert asked >= LOOPS[file] * ASKED


@every_isa
def test_every_type_of_rows_can_be_asked_for(isa: str) -> None:
    """Behind a table of functions: one of them was once empty."""
    kept = {name: prefetches(lines) for name, lines in functions(isa, "rows").items() if "kRowCalls<" in name}
    asked = {name.split("kRowCalls<linsep::")[1].split(" >::")[0]: count for name, count in kept.items() if count}
    least = {"CsrRows": 4, "DenseRows": 2, "DenseColumns": 1}
    assert len(asked) == 12
    assert all(count >= least[name.split("<")[0]] for name, count in asked.items())


@every_isa
@pytest.mark.parametrize(("loss", "least"), [("Log", EXP + LOG), ("Sigmoid", EXP), ("Exponential", EXP)])
@pytest.mark.parametrize("loop", ["loss_terms", "loss_line"])
def test_losses_are_vector_code(isa: str, loop: str, loss: str, least: int) -> None:
    """Two loops each, with weights and without."""
    found = [lines for name, lines in functions(isa, "losses").items() if f"{loop}<linsep::{loss}>" in name]
    assert sum(multiplications(lines, REGISTERS[isa]) for lines in found) >= 2 * least


@every_isa
def test_softmax_is_vector_code(isa: str) -> None:
    found = [lines for name, lines in functions(isa, "joint").items() if "softmax_terms" in name]
    assert sum(multiplications(lines, REGISTERS[isa]) for lines in found) >= EXP
