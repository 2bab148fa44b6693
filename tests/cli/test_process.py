"""The command as a process: pipes, terminals, signals, full disks."""

from __future__ import annotations

import os
import pty
import re
import resource
import select
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from linsep import load
from tests.cli.conftest import COMMAND, Ended, environment, launch

PATIENCE = 120.0


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, arguments: tuple[str, ...], folder: Path, slowly: str | None = None) -> None:
        self.master, slave = pty.openpty()
        self.process = launch(arguments, folder, slowly, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        self.seen = ""

    def wait_for(self, words: str) -> None:
        """Until these words were shown; what is shown before them is forgotten."""
        until = time.monotonic() + PATIENCE
        while words not in self.seen:
            assert time.monotonic() < until, self.seen
            assert self._read(), f"ended before {words!r}: {self.seen}"
        self.seen = self.seen[self.seen.index(words) :]

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self) -> Ended:
        while self._read():
            pass
        assert self.process.stdout is not None
        out = self.process.stdout.read().decode()
        self.process.wait(PATIENCE)
        os.close(self.master)
        return Ended(self.process.returncode, out, self.seen)

    def _read(self) -> bool:
        if not select.select([self.master], [], [], PATIENCE)[0]:
            return False
        try:
            more = os.read(self.master, 65536).decode(errors="replace")
        except OSError:  # the other side has closed
            return False
        self.seen += more
        return bool(more)


#: Half a second for every step of a solver, and for every value of α that is tried: what is shown lasts long enough.
SLOW = """
import time
from linsep.{module} import {name}
before = {name}.{method}
def slower(self, given):
    time.sleep(0.5)
    return before(self, given)
{name}.{method} = slower
"""
SLOW_STEPS = SLOW.format(module="solvers.driver", name="_Run", method="note")
SLOW_CHOICE = SLOW.format(module="selection.folds", name="_Means", method="__call__")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [("predict", "adult.linsep", "new.csv"), ("info", "new.csv", "--json")])
def test_standard_output_on_a_full_disk(arguments, folder):
    with open("/dev/full", "wb") as full:
        process = launch(arguments, folder, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert err.decode().splitlines()[-1] == "linsep: cannot write to standard output: the disk is full"
    assert "Traceback" not in err.decode()


def small_files_only() -> None:
    """A limit on the size of files stands for the disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_predictions_that_do_not_fit_are_an_error(unbuffered, folder, monkeypatch):
    """Unbuffered, Python itself forgets what the disk did not take."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with open("predictions.csv", "wb") as place:
        arguments = ("predict", "adult.linsep", "adult.csv")
        process = launch(arguments, folder, stdout=place, stderr=subprocess.PIPE, preexec_fn=small_files_only)
        _, err = process.communicate(timeout=PATIENCE)
    words = "linsep: cannot write to standard output: the file would be larger than the system allows"
    assert (process.returncode, err.decode().splitlines()[-1]) == (5, words)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_help_on_a_full_disk(folder):
    with open("/dev/full", "wb") as full:
        process = launch(("train", "--help"), folder, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.decode()) == (5, "linsep: cannot write to standard output: the disk is full\n")


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "ndjson"])
def test_a_table_that_does_not_fit_is_not_written(form, folder):
    arguments = ("convert", "adult.csv", "-o", f"again.{form}")
    process = launch(arguments, folder, stderr=subprocess.PIPE, preexec_fn=small_files_only)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert re.fullmatch(r"linsep: cannot write '.*': the file would be larger than .*", err.decode().splitlines()[-1])
    assert not list(folder.glob("*again*"))


def test_a_demo_that_does_not_fit(folder):
    process = launch(("demo", "--folder", "story"), folder, stderr=subprocess.PIPE, preexec_fn=small_files_only)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert re.fullmatch(r"linsep: cannot write '.*tumours\.csv': the file would be larger than .*\n", err.decode())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("info - <&-", 5, "linsep: standard input: it is empty\n"),
        ("predict adult.linsep new.csv >&-", 5, "linsep: cannot write to standard output: it is closed\n"),
        ("--help >&-", 5, "linsep: cannot write to standard output: it is closed\n"),
        ("info absent.csv 2>&-", 5, ""),
        ("info adult.csv 2>&- >seen", 0, ""),
    ],
)
def test_a_stream_that_is_closed(words, code, said, folder):
    command = f"{subprocess.list2cmdline(COMMAND)} {words}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr.decode()) == (code, said)


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_file_whose_name_is_no_unicode(form, folder):
    name = os.fsdecode(f"caf\xe9.{form}".encode("latin-1"))
    frame = pl.read_csv("adult.csv")
    Path(name).write_bytes(frame.write_csv().encode() if form == "csv" else frame.write_ndjson().encode())
    for arguments in (
        ("train", name, "-t", "income", "--alpha", "1", "--held-out", "0", "-o", "odd.linsep"),
        ("report", "odd.linsep", name, "-o", "odd.html"),
    ):
        process = launch(arguments, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    assert f"caf\ufffd.{form}" in Path("odd.html").read_text()


def test_a_terminal_with_few_letters(folder, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    process = launch(("summary", "adult.linsep"), folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert rb"+ \u03b1/2 \u2016w\u2016" in out


def test_ctrl_c_in_the_fit_keeps_the_best_point(folder):
    options = ("--loss", "hinge", "--alpha", "1e-5", "--tol", "1e-12", "-o", "kept.linsep")
    terminal = Terminal(("train", "adult.csv", "-t", "income", *options), folder, SLOW_STEPS)
    terminal.wait_for("fitting: step ")
    terminal.interrupt()
    ended = terminal.end()
    assert ended.code == 3, ended.err
    trained = load(folder / "kept.linsep")
    assert trained.interrupted
    assert not trained.model.certified
    assert 0.0 < trained.model.certificate.relative_gap < np.inf
    assert "interrupted" in ended.err
    assert "DOES NOT HOLD" in ended.out
    assert "on rows held out" not in ended.out


def test_ctrl_c_while_alpha_is_chosen_fits_at_the_best_so_far(folder):
    options = ("--alpha", "cv", "-o", "kept.linsep", "--seed", "3")
    terminal = Terminal(("train", "adult.csv", "-t", "income", *options), folder, SLOW_CHOICE)
    terminal.wait_for("choosing alpha: value 3 of 20")
    terminal.interrupt()
    ended = terminal.end()
    assert ended.code == 3, ended.err
    assert re.search(r"choosing alpha: value \d+ of 20, [\d.]+ s, left-out loss [\d.]+, .* left", ended.err)
    trained = load(folder / "kept.linsep")
    assert trained.interrupted
    assert trained.model.certified
    assert trained.curve.interrupted
    assert trained.model.alpha == trained.curve.best
    assert 3 <= len(trained.curve.alphas) < 20
    assert re.search(r"Ctrl-C ended the search after \d+ values of α", ended.out + ended.err)
    assert trained.quality is None
    assert "seed 3" in ended.out


def test_ctrl_c_while_measuring_keeps_the_model(folder):
    options = ("--alpha", "0.01", "-o", "kept.linsep")
    terminal = Terminal(("train", "adult.csv", "-t", "income", *options), folder, SLOW_STEPS)
    terminal.wait_for("rows held out, fitting")
    terminal.interrupt()
    ended = terminal.end()
    assert ended.code == 0, ended.err
    trained = load(folder / "kept.linsep")
    assert trained.model.certified
    assert not trained.interrupted
    assert trained.quality is None
    assert "interrupted while measuring: the quality on rows held out is not known" in ended.err


SLOW_SAVE = """
import sys, time
from linsep.workflow.trained import Trained
save = Trained.save
def slowly(self, path, *, force=False):
    sys.stderr.write("saving now")
    sys.stderr.flush()
    time.sleep(1.0)
    save(self, path, force=force)
Trained.save = slowly
"""
SLOW_SHOW = """
import sys, time
from linsep.cli import words
def show(screen, trained):
    sys.stderr.write("showing now")
    sys.stderr.flush()
    time.sleep(60.0)
words.show = show
"""


@pytest.mark.parametrize(("slowly", "stage"), [(SLOW_SAVE, "saving now"), (SLOW_SHOW, "showing now")])
def test_ctrl_c_once_there_is_a_model_loses_nothing(slowly, stage, folder):
    options = ("--alpha", "0.01", "--held-out", "0", "-o", "kept.linsep")
    terminal = Terminal(("train", "adult.csv", "-t", "income", *options), folder, slowly)
    terminal.wait_for(stage)
    terminal.interrupt()
    ended = terminal.end()
    assert ended.code == 0, ended.err
    assert load(folder / "kept.linsep").model.certified
    assert "nothing was written" not in ended.err
    assert ("the model is in kept.linsep" in ended.err) == (slowly is SLOW_SHOW)


def test_ctrl_c_while_the_program_is_loaded(folder):
    """As the import of what runs the commands would be interrupted."""
    interrupted = "import sys, importlib.abc\nclass Stop(importlib.abc.MetaPathFinder):\n"
    interrupted += "    def find_spec(self, name, path, target=None):\n"
    interrupted += "        if name == 'linsep.cli.app':\n            raise KeyboardInterrupt\n"
    process = launch(
        ("info", "adult.csv"), folder, interrupted + "sys.meta_path.insert(0, Stop())", stderr=subprocess.PIPE
    )
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.decode() == "linsep: interrupted; nothing was written\n"


def test_ctrl_c_before_there_is_a_model_writes_nothing(folder):
    terminal = Terminal(
        ("train", "adult.csv", "-t", "income", "--alpha", "cv", "-o", "kept.linsep"), folder, SLOW_CHOICE
    )
    terminal.wait_for("choosing alpha")
    terminal.interrupt()
    ended = terminal.end()
    assert ended.code == 130
    assert "linsep: interrupted; nothing was written" in ended.err
    assert "Traceback" not in ended.err
    assert not (folder / "kept.linsep").exists()


def test_progress_is_shown_on_a_terminal(folder):
    options = ("--loss", "hinge", "--alpha", "1e-3", "--held-out", "0", "-o", "again.linsep")
    ended = Terminal(("train", "adult.csv", "-t", "income", *options), folder, SLOW_STEPS).end()
    assert ended.code == 0, ended.err
    assert re.search(r"fitting: step \d+, .*P = [\d.]+, gap [\d.e-]+, .* left", ended.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("summary", "adult.linsep"),
        ("info", "adult.csv"),
        ("info", "adult.csv", "--json"),
        ("--help",),
        ("info", "--help"),
    ],
)
def test_a_reader_that_was_never_there(arguments, folder):
    process = launch(arguments, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read().decode()
    assert process.wait(PATIENCE) == 141


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_is_no_error(unbuffered, folder, monkeypatch):
    """Far more than a pipe holds, from standard input; what is no terminal gets no colours and no progress."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    line = (folder / "new.csv").read_text().splitlines()
    (folder / "many.csv").write_text("\n".join([line[0], *line[1:] * 2000]) + "\n")
    command = (
        "cat many.csv | "
        + subprocess.list2cmdline(COMMAND)
        + " predict adult.linsep - | head -1; echo ${PIPESTATUS[1]}"
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    head, code = done.stdout.split("\n")[:2]
    assert head == "id,prediction,probability <=50K,probability >50K"
    assert code == "141"
    assert done.stderr == ""


def test_a_full_disk_leaves_the_old_model_as_it_was(folder):
    before = (folder / "adult.linsep").read_bytes()
    arguments = ("train", "adult.csv", "-t", "income", "--alpha", "0.01", "--held-out", "0", "--force")
    process = launch(arguments, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=small_files_only)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert re.fullmatch(
        r"linsep: cannot write '.*adult\.linsep': the file would be larger than the system allows; "
        r"the file that was there is as it was\n",
        err.decode(),
    )
    assert (folder / "adult.linsep").read_bytes() == before
    assert not [each for each in folder.iterdir() if each.name.endswith(".part")]


def test_the_shell_completes_commands(folder):
    """The script that --show-completion prints, in a real bash: linsep ev<TAB>."""
    bash = {**environment(), "SHELL": "/bin/bash"}
    shown = subprocess.run(
        ["bash", "-c", subprocess.list2cmdline(COMMAND) + " --show-completion; true"],
        cwd=folder, env=bash, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert "complete -o nosort -F _linsep_completion linsep" in shown.stdout, shown.stderr
    program = folder / "linsep"
    program.write_text(f'#!/bin/bash\nexec {subprocess.list2cmdline(COMMAND)} "$@"\n')
    program.chmod(0o755)
    script = (
        shown.stdout + "\nCOMP_WORDS=(linsep ev); COMP_CWORD=1; _linsep_completion linsep; echo found: ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder, env={**bash, "PATH": f"{folder}:{bash['PATH']}"}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert "found: evaluate" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("shell", "start", "place"),
    [
        ("bash", ".bashrc", ".local/share/linsep/completion.bash"),
        ("zsh", ".zshrc", ".local/share/linsep/completion.zsh"),
        ("fish", None, ".config/fish/completions/linsep.fish"),
    ],
)
def test_completion_is_installed_once(shell, start, place, folder):
    home = {k: v for k, v in environment().items() if not k.startswith("XDG_")} | {"HOME": str(folder)}
    if start is not None:
        (folder / start).write_text("alias l=ls")
    for _ in range(2):
        done = subprocess.run(
            [*COMMAND, "--install-completion"],
            cwd=folder, env=home | {"SHELL": f"/bin/{shell}"}, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert str(folder / place) in done.stdout
    assert "_LINSEP_COMPLETE" in (folder / place).read_text()
    if start is not None:
        assert (folder / start).read_text() == f'alias l=ls\nsource "{folder / place}"\n'


def test_completion_for_a_shell_that_is_not_known(folder):
    done = subprocess.run(
        [*COMMAND, "--show-completion"],
        cwd=folder, env=environment() | {"SHELL": "/bin/tcsh"}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2
    assert "SHELL is 'tcsh': completion is there for bash, zsh, fish" in done.stderr
