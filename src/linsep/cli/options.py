"""The options of the commands, with the help that teaches them.

The modules of the commands load what computes inside their functions: help, completion and mistakes in an option are
answered without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from linsep.cli.groups import Group, Option, Own, Values
from linsep.errors import InvalidParameter

if TYPE_CHECKING:
    from linsep.tables import ReadOptions
    from linsep.workflow.features import EncodingSettings
    from linsep.workflow.recipe import Recipe

Data = Annotated[
    list[str],
    Own("Files to read, a pattern in quotes such as 'part-*.csv.gz', or - for standard input.", metavar="FILE..."),
]
Model = Annotated[Path, Own("A .linsep file.", metavar="MODEL")]
Answer = Annotated[
    str | None,
    Own("The column with the classes, if it is not that of training.", ("--target", "-t"), "COLUMN"),
]
Output = Annotated[Path | None, Own("Where to write.", ("--output", "-o"), "PATH")]
Force = Annotated[bool, Own("Replace a file that is there already.", ("--force", "-f"))]
Json = Annotated[bool, Own("One JSON object on standard output, for machines.", ("--json",))]


def strength(given: str) -> float | str:
    """α: a number, or the name of a way to choose it."""
    try:
        return float(given)
    except ValueError:
        return given


def pair(given: str) -> tuple[float, ...]:
    """ "1:5" → (1, 5)."""
    try:
        false_alarm, miss = (float(each) for each in given.split(":"))
    except ValueError:
        raise InvalidParameter(
            f"--cost {given}: give the cost of a false alarm and that of a miss with a colon between, such as 1:5"
        ) from None
    return false_alarm, miss


def products(given: list[str]) -> tuple[tuple[str, ...], ...]:
    """["age:sex"] → (("age", "sex"),)."""
    return tuple(tuple(each.split(":")) for each in given)


def functions(given: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """["radial:age:hours"] → (("radial", ("age", "hours")),)."""
    found = [(kind, tuple(names)) for kind, *names in (each.split(":") for each in given)]
    for kind, names in found:
        if not names:
            raise InvalidParameter(f"--basis {kind}: give the columns behind a colon, such as {kind}:age")
    return tuple(found)


class Reading(dict[str, Any]):
    """Options of `ReadOptions` that were given."""

    def options(self, **more: Any) -> ReadOptions:
        from linsep.tables import ReadOptions

        return ReadOptions(**{**self, **more})

    def again(self) -> list[str]:
        """What has to be said again of files that are written like these; types and parts of columns are in a model."""
        given = ((option, self[option.field]) for option in READING.options if option.field in self)
        return [word for option, value in given if option.field in _OF_THE_FILE for word in option.words(value)]


class Fitting(dict[str, Any]):
    """Options of `Recipe` that were given."""

    def recipe(self) -> Recipe:
        from linsep.workflow.recipe import Recipe

        return Recipe.from_record(self)


class Encoding(dict[str, Any]):
    """Options of `EncodingSettings` that were given."""

    def settings(self, words: Mapping[str, Any] | None = None) -> EncodingSettings:
        from linsep.workflow.features import EncodingSettings

        return EncodingSettings(**self, words=words)


#: What says how a file is written, not what its columns are.
_OF_THE_FILE = frozenset({
    "format", "separator", "quote", "header", "skip", "encoding", "decimal", "missing", "line_limit", "matrix",
    "drop_missing_target", "drop_ragged", "zero_based",
})  # fmt: skip

FORMATS: Values = tuple((name, "") for name in ("csv", "tsv", "ndjson", "parquet", "arrow", "svmlight", "npz"))
ENCODINGS: Values = (("utf-8", "default"), ("latin-1", ""), ("cp1252", ""), ("utf-16", ""))
DECIMALS: Values = ((".", ""), (",", ""))
LOSSES: Values = (
    ("log", "default: logistic regression"), ("hinge", "SVM"), ("squared_hinge", ""), ("smoothed_hinge", ""),
    ("squared", ""), ("exponential", ""), ("sigmoid", ""),
)  # fmt: skip
ALPHAS: Values = (("auto", "default"), ("cv", ""))
SCHEMES: Values = (
    ("auto", "default: softmax for log, one_of_k for squared, else ovr"), ("softmax", ""), ("ovr", "one versus rest"),
    ("ovo", "one versus one"), ("ecoc", "output codes"), ("crammer_singer", ""), ("one_of_k", ""),
)  # fmt: skip
CLASS_WEIGHTS: Values = (("balanced", ""),)
UNSEEN: Values = (("rare", "default"), ("zero", ""), ("error", ""))

READING = Group(
    "Reading",
    (
        Option("format", str, "{values}; by default found out.", values=FORMATS),
        Option("separator", str, "Between fields; by default found out.", ("--separator", "-s"), "CHAR"),
        Option("quote", str, "Around fields that hold a separator; '' for none, as in most TSV.", (), "CHAR"),
        Option("header", bool, "Whether the first line holds names; by default found out.", ("--header/--no-header",)),
        Option("skip", int, "Lines before the table.", (), "LINES"),
        Option("ignore", list[str], "A column to leave out; may be repeated.", ("--ignore",), "COLUMN",
               tuple),
        Option("weights", str, "The column that says how many rows a row counts for.", (), "COLUMN", also=(int,)),
        Option("groups", str, "The column that says which rows belong together.", (), "COLUMN", also=(int,)),
        Option("id", str, "The column that names a row; it is left out of the model.", (), "COLUMN", also=(int,)),
        Option("encoding", str, "Of text: {values}, among others.", values=ENCODINGS),
        Option("decimal", str, "'.' reads 1,234.5 and ',' reads 1.234,5.", (), "CHAR", values=DECIMALS),
        Option("missing", list[str], "What stands for a missing value; may be repeated.", ("--missing",), "TEXT",
               tuple),
        Option("line_limit", int, "Longest line that is read, in bytes (64 MB).", (), "BYTES"),
        Option("matrix", str, "Of npz: the array with the rows (X); --target names the one with the classes.", (),
               "NAME"),
        Option("schema", Path, "TOML file with the types of columns, such as: zip = \"category\".", (), "FILE"),
        Option("drop_missing_target", bool, "Leave out rows without a target.", ("--drop-missing-target",)),
        Option("drop_ragged", bool, "Leave out rows with too few or too many fields.", ("--drop-ragged",)),
        Option("zero_based", bool, "Of svmlight: whether the first column is 0; by default found out.",
               ("--zero-based/--one-based",)),
    ),
    Reading,
)  # fmt: skip

FITTING = Group(
    "Fitting",
    (
        Option("loss", str, "{values}.", values=LOSSES),
        Option("alpha", str, "Strength of the penalty: a number, {values}.", ("--alpha", "-a"), "ALPHA", strength,
               (int, float), ALPHAS),
        Option("l1", float, "Share of the penalty that is L1, 0 to 1: more makes more weights exactly 0.", (), "SHARE"),
        Option("multiclass", str, "For more than two classes: {values}.", values=SCHEMES),
        Option("class_weight", str, "{values}: every class counts the same in the decision.", values=CLASS_WEIGHTS),
        Option("positive", str, "The class that curves and costs speak of.", (), "CLASS", str, (int, bool)),
        Option("cost", str, "Cost of a false alarm and of a miss, such as 1:5; sets the threshold.", (), "A:B", pair,
               (list,)),
        Option("folds", int, "Folds of cross-validation (5)."),
        Option("held_out", float, "Share of rows to measure quality on (0.2); 0 measures nothing.", (), "SHARE"),
        Option("tol", float, "Certified relative excess to reach (1e-4)."),
        Option("time", float, "Seconds at most for a fit; measuring makes one more fit, or five.", (), "SECONDS"),
        Option("threads", int, "At most; the result does not depend on it.", ("--threads", "-j")),
        Option("seed", int, "Of everything that is drawn (0)."),
    ),
    Fitting,
)  # fmt: skip

ENCODING = Group(
    "Features",
    (
        Option("rare", int, "Levels of a category in fewer rows than this share one column (5)."),
        Option("unseen", str, "What a level is that training did not have: {values}.", values=UNSEEN),
        Option("interactions", list[str], "Multiply columns, such as age:sex; may be repeated.", ("--interaction",),
               "A:B", products),
        Option("bases", list[str], "Functions of numeric columns beside them: polynomial:age, radial:age:hours or "
               "sigmoid:age; may be repeated.", ("--basis",), "KIND:A", functions),
    ),
    Encoding,
)  # fmt: skip


GROUPS: dict[type, Group] = {Reading: READING, Fitting: FITTING, Encoding: ENCODING}
