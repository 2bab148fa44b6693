"""linsep demo: the whole story on data that come with scikit-learn, command by command."""

from __future__ import annotations

import shlex
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from linsep.cli.groups import Own
from linsep.cli.outcome import Exit
from linsep.cli.output import write_frame
from linsep.cli.screen import Screen

Folder = Annotated[
    Path | None,
    Own("Keep the files here instead of in a folder that goes away.", ("--folder",), "PATH"),
]

#: What is run, in order; the texts say why.
STORY: tuple[tuple[str, str], ...] = (
    ("What does the file hold?", "info tumours.csv"),
    ("Train a model, with α chosen by the data and quality on rows held out.", "train tumours.csv --target diagnosis"),
    ("Check its certificate again, by code that shares nothing with the solvers.", "verify tumours.linsep tumours.csv"),
    ("Which features matter?", "summary tumours.linsep --most 5"),
    ("How good is it on new rows?", "evaluate tumours.linsep new.csv"),
    ("Predict them.", "predict tumours.linsep new.csv -o predictions.csv"),
    ("Can a hyperplane separate the classes? With all features:", "separate tumours.csv --target diagnosis"),
    ("The same as a page to read.", "report tumours.linsep new.csv -o report.html"),
)


#: What was measured of the cells; each has a mean, a standard error and a worst value.
_MEASURED = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip


def demo(folder: Folder = None) -> Exit:
    """Run the whole story on embedded data.

    Every command is shown before it runs; it takes a few seconds.

    Examples:

      linsep demo

      linsep demo --folder story
    """
    screen = Screen()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        return _tell(screen, folder)
    with tempfile.TemporaryDirectory() as place:
        return _tell(screen, Path(place))


def _tell(screen: Screen, folder: Path) -> Exit:
    from linsep.cli.app import main  # the commands of the story are those of the program

    _write_data(folder)
    for why, words in STORY:
        screen.say()
        screen.say(f"# {why}", style="dim")
        screen.say(f"$ linsep {words}", style="bold")
        code = main(_within(folder, words))
        if code not in (Exit.CERTIFIED, Exit.STOPPED):
            return Exit(code)
    screen.say()
    screen.say("Your turn: linsep train FILE --target COLUMN        (linsep --help shows the rest)")
    return Exit.CERTIFIED


def _within(folder: Path, words: str) -> list[str]:
    """The files of the story lie in the folder, and may be there from the last time."""
    arguments = [
        str(folder / word) if "." in word and not word.startswith("-") else word for word in shlex.split(words)
    ]
    if arguments[0] == "train":
        arguments += ["-o", str(folder / "tumours.linsep")]
    return [*arguments, "--force"] if arguments[0] in ("train", "predict", "report") else arguments


def _write_data(folder: Path) -> None:
    """Wisconsin breast cancer: a table to train on, and new rows.

    The file is read where scikit-learn has it: importing sklearn.datasets takes longer than all the rest of the story.
    """
    import polars as pl

    lines = (files("sklearn") / "datasets" / "data" / "breast_cancer.csv").read_text().splitlines()
    classes = lines[0].split(",")[2:]
    rows = [line.split(",") for line in lines[1:]]
    names = [*(f"mean {each}" for each in _MEASURED), *(f"{each} error" for each in _MEASURED)]
    names += [f"worst {each}" for each in _MEASURED]
    table = pl.DataFrame({name: [float(row[j]) for row in rows] for j, name in enumerate(names)})
    table = table.with_columns(diagnosis=pl.Series([classes[int(row[-1])] for row in rows]))
    new = pl.int_range(table.height, eager=True) % 4 == 3
    for name, chosen in (("tumours.csv", ~new), ("new.csv", new)):
        write_frame(table.filter(chosen).to_dict(), folder / name, force=True)
