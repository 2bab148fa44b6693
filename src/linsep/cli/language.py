"""What Python parameters are called on the command line.

Errors and notes come from the library, which says `header=True` where the shell has `--header`. Every word that goes to
the screen passes through here: the names are those of the options, so that a new option is translated by being there.
"""

from __future__ import annotations

import re

from linsep.cli.options import GROUPS

#: Parameters of the library that have another name, or belong to no group of options.
_OTHERS = {
    "force": "--force",
    "target": "--target",
    "time_limit": "--time",
    "n_jobs": "--threads",
    "random_state": "--seed",
    "l1_ratio": "--l1",
    "words": "the table [words] of --config",
}

#: Advice that a shell has another way to follow.
_PHRASES = {
    "fit again, with warm_start=True to go on from here": "train again, and let it finish",
    "raise time_limit": "give it more --time",
    ", or scale the columns of X, for example with StandardScaler": "",
    "; give two rows, or probability=False": "; give two rows",
    "use it from Python (linsep.load), or ": "",
    "drop it and fit again": "leave it out with --ignore and train again",
    "drop these rows": "leave these rows out",
    "read it with encoding ": "read it with --encoding ",
    ", or an object such as CrossValidation(folds=10)": "",
    ", or None for no limit": "",
    ", or use Firth's correction, LogisticRegression(penalty='firth')": "",
    ", None for every core, or -1": ", or -1",
    ", a NumPy RandomState or Generator, and None for 0": "",
}

_FLAGS = {
    **{option.field: option.flag for group in GROUPS.values() for option in group.options},
    **_OTHERS,
}
#: What turns an option off that has a name for that.
_OFF = {
    option.flag: option.words(False)[0]
    for group in GROUPS.values()
    for option in group.options
    if option.type is bool and any("/" in flag for flag in option.flags)
}
_VALUE = r"('[^']*'|\"[^\"]*\"|\([^)]*\)|[^\s,;:)]*)"
_GIVEN = re.compile(rf"(?<!['\"\w\-])({'|'.join(_FLAGS)})={_VALUE}")
_BARE = re.compile(rf"(?<!['\"\w\-])({'|'.join(name for name in _FLAGS if '_' in name)})\b(?!=)")


def spoken(words: str) -> str:
    """The same in the language of the shell."""
    for phrase, other in _PHRASES.items():
        words = words.replace(phrase, other)
    words = _GIVEN.sub(lambda found: _option(_FLAGS[found[1]], found[2]), words)
    return _BARE.sub(lambda found: _FLAGS[found[1]], words)


def _option(flag: str, value: str) -> str:
    """An option as one writes it: a switch alone, anything else with its value."""
    if value == "False":
        return _OFF.get(flag) or flag.replace("--", "--no-", 1)
    shown = "" if value in ("True", "None") else value.strip("'\"") or ("''" if value else "")
    return f"{flag} {shown}".rstrip()
