"""Every line that begins with "linsep" in README, docs/cli.md and --help is run, on generated files of those names."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import ExitStack, redirect_stdout
from pathlib import Path

import pytest

from linsep.cli.app import COMMANDS, function_of, main
from tests.cli.files import write_all

ROOT = Path(__file__).parents[2]
_LINE = re.compile(r"^(?:\$ )?((?:cat [^\n|]*\| )?linsep [a-z].*)$")
#: Of a verdict, not of a failure.
ALLOWED = {"separate": (0, 3), "verify": (0, 3)}


def examples(text: str) -> list[str]:
    found = (_LINE.match(line.strip()) for line in text.splitlines())
    return [each[1].split("   ")[0].strip() for each in found if each]


def perform(line: str) -> None:
    """The command, with `cat FILE |` before it and `> FILE` after it as the shell would have them."""
    words = shlex.split(line, comments=True)
    with ExitStack() as open_files:
        if words[0] == "cat":
            given = open_files.enter_context(open(words[1], encoding="utf-8"))
            open_files.callback(setattr, sys, "stdin", sys.stdin)
            sys.stdin = given
            words = words[3:]
        if ">" in words:
            out = open_files.enter_context(open(words[-1], "w", encoding="utf-8"))
            open_files.enter_context(redirect_stdout(out))
            words = words[:-2]
        assert words[0] == "linsep"
        assert main(words[1:]) in ALLOWED.get(words[1], (0,)), line


@pytest.mark.parametrize("command", [*map(function_of, COMMANDS)], ids=lambda each: each.__name__)
def test_help(command, folder):
    lines = examples(command.__doc__)
    assert lines
    for line in lines:
        if command.__name__ == "train":
            for model in folder.glob("*.linsep"):
                model.unlink()
        perform(line)


@pytest.mark.parametrize("page", ["README.md", "docs/cli.md"])
def test_pages(page, tmp_path, monkeypatch):
    """One after the other, from the data alone."""
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(?:bash|console|text)?\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    lines = [line for block in blocks for line in examples(block)]
    assert lines
    for line in lines:
        perform(line)
