"""Completion: the shells offer the values of options, and these are the ones that the library takes."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from linsep.cli import give, options
from linsep.cli.app import COMMANDS, GROUPS, app, function_of
from linsep.cli.commands import command_of
from linsep.features.categories import UNSEEN
from linsep.problem import losses, multiclass
from linsep.selection.choosers import CHOOSERS
from linsep.tables.formats import FORMATS
from tests.cli.conftest import COMMAND, environment

PATIENCE = 60


def names(values):
    return {name for name, _ in values}


def test_the_values_are_those_that_the_library_takes():
    minimised = {name for name in losses.MARGIN_LOSSES.names() if losses.get(name).refusal is None}
    assert names(options.LOSSES) == minimised
    assert names(options.SCHEMES) == set(multiclass.names())
    assert names(options.FORMATS) == set(FORMATS)
    assert names(options.UNSEEN) == set(UNSEEN)
    assert names(options.ALPHAS) == set(CHOOSERS)


@pytest.mark.parametrize(("command", "forms"), [("export", give.EXPORTS), ("convert", give.FORMS)])
def test_the_forms_of_a_file_are_those_that_are_written(command, forms):
    offered = complete("zsh", f"linsep {command} some.csv -o a", 4)
    assert set(offered) == {f"a{suffix}" for suffix in forms}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_lists_the_values(command):
    made = command_of(function_of(command), GROUPS, lambda function: function)
    shown = re.sub(r"\s+", " ", made.get_help(app.make_context("linsep", [command, "--help"], resilient_parsing=True)))
    asked = {option.flag: option.values for group in GROUPS.values() for option in group.options if option.values}
    for flag, values in asked.items():
        if f"{flag} " in shown and flag != "--decimal":
            assert all(name in shown for name in names(values)), flag


def complete(shell, words, place):
    """What click's protocol answers to this shell; fish names the word that was begun, the others its place."""
    at = words.rpartition(" ")[2] if shell == "fish" else str(place)
    asked = {"_LINSEP_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": at}
    done = subprocess.run(
        COMMAND, env=environment() | asked, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    lines = done.stdout.splitlines()
    if shell == "zsh":  # type, value, help
        return [value for kind, value in zip(lines[::3], lines[1::3], strict=True) if kind == "plain"]
    return [re.split(r"[,\t]", line)[1] for line in lines if line.startswith("plain")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "place", "offered"),
    [
        ("linsep train a.csv --loss ", 4, [name for name, _ in options.LOSSES]),
        ("linsep train --loss s", 3, ["squared_hinge", "smoothed_hinge", "squared", "sigmoid"]),
        ("linsep train --multiclass o", 3, ["ovr", "ovo", "one_of_k"]),
        ("linsep train --class-weight ", 3, ["balanced"]),
        ("linsep train --alpha ", 3, ["auto", "cv"]),
        ("linsep train --unseen ", 3, ["rare", "zero", "error"]),
        ("linsep info --format p", 3, ["parquet"]),
        ("linsep path a.csv --loss h", 4, ["hinge"]),
        ("linsep export a.linsep -o b", 4, ["b.onnx", "b.sql", "b.joblib"]),
        ("linsep convert a.csv -o x/b.p", 4, ["x/b.parquet"]),
    ],
)
def test_values_are_offered(shell, words, place, offered):
    assert complete(shell, words, place) == offered


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_a_zsh_that_nobody_has_set_up_completes(folder):
    for _ in range(2):  # the second time what the first found is there
        script = "source <($LINSEP --show-completion); echo $_comps[linsep]"
        done = subprocess.run(
            ["zsh", "-f", "-c", script.replace("$LINSEP", subprocess.list2cmdline(COMMAND))],
            cwd=folder, env={**environment(), "SHELL": "zsh", "HOME": str(folder)}, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("_linsep_completion\n", "")


def test_a_real_bash_completes_values(folder):
    """linsep train a.csv --loss sq<TAB>"""
    bash = {**environment(), "SHELL": "/bin/bash"}
    shown = subprocess.run(
        [*COMMAND, "--show-completion"], env=bash, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    program = folder / "linsep"
    program.write_text(f'#!/bin/bash\nexec {subprocess.list2cmdline(COMMAND)} "$@"\n')
    program.chmod(0o755)
    script = shown.stdout + (
        "\nCOMP_WORDS=(linsep train a.csv --loss sq); COMP_CWORD=4; _linsep_completion linsep; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder, env={**bash, "PATH": f"{folder}:{bash['PATH']}"}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["squared_hinge squared"], done.stderr
