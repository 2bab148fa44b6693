"""From what a user names to files: a path, a pattern, a list of either, or "-" for standard input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from glob import glob
from pathlib import Path
from typing import TypeAlias

from linsep.errors import BadFile, InvalidParameter

Source: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

STANDARD_INPUT = "-"


def find_files(source: Source) -> list[str]:
    """The files in order, each of which exists and is none of a directory; a pattern's in the order of their names."""
    if isinstance(source, str | os.PathLike):
        return _find(os.fspath(source))
    files = [name for each in source for name in _find(os.fspath(each))]
    if not files:
        raise InvalidParameter("the list of files is empty: give at least one")
    return files


def _find(name: str) -> list[str]:
    if name == STANDARD_INPUT:
        return [name]
    if os.path.isdir(name):
        raise BadFile(name, f"is a directory; give a file in it, or a pattern such as {os.path.join(name, '*.csv')}")
    if os.path.exists(name):
        return [name]
    if any(character in name for character in "*?["):
        found = sorted(each for each in glob(name, recursive=True) if not os.path.isdir(each))
        if not found:
            raise BadFile(name, "no file matches this pattern" + _nearest(name))
        return found
    raise BadFile(name, "there is no such file" + _nearest(name))


def _nearest(name: str) -> str:
    """The file in the same directory with the nearest name, or what is wrong with the directory."""
    path = Path(name)
    if not path.parent.is_dir():
        return "" if any(c in str(path.parent) for c in "*?[") else f"; nor is there a directory {str(path.parent)!r}"
    try:
        names = [each.name for each in path.parent.iterdir() if each.is_file()]
    except OSError:
        return ""
    by_stem = {each.split(".")[0].lower(): each for each in sorted(names, reverse=True)}  # all may end in .csv
    nearest = get_close_matches(path.name.split(".")[0].lower(), by_stem, n=1, cutoff=0.6)
    return f"; the nearest name is {str(path.parent / by_stem[nearest[0]])!r}" if nearest else ""
