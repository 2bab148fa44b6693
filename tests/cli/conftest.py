"""A folder of generated files, one with models too, and two ways to run the command: in this process, and for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import linsep
from linsep.cli.app import main
from tests.cli import files

COMMAND = (sys.executable, "-m", "linsep")


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """With this linsep first, wherever the tests run; a terminal of a known kind."""
    source = str(Path(linsep.__file__).parents[1])
    path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "TERM": "xterm", "COLUMNS": "200"}


def launch(arguments: Sequence[str], folder: Path, slowly: str | None = None, **more: Any) -> subprocess.Popen[bytes]:
    """slowly: a statement to begin with, which makes some part of the work last."""
    command = (
        COMMAND if slowly is None else (sys.executable, "-c", f"{slowly}\nfrom linsep.__main__ import entry\nentry()")
    )
    return subprocess.Popen([*command, *arguments], cwd=folder, env=environment(), **more)


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, a model of each kind; not to be changed."""
    folder = tmp_path_factory.mktemp("originals")
    files.write_all(folder)
    with chdir(folder):
        assert main(["train", "adult.csv", "--target", "income", "--json"]) == 0
        assert main(["train", "rows.svm", "--alpha", "0.01", "--held-out", "0", "--json"]) == 0
    return folder


@pytest.fixture
def folder(originals: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy, and the current folder."""
    shutil.copytree(originals, tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path):
        yield tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """linsep ARGUMENTS, here and in this process."""

    def call(*arguments: str) -> Ended:
        capsys.readouterr()
        code = main(list(arguments))
        seen = capsys.readouterr()
        return Ended(code, seen.out, seen.err)

    return call
