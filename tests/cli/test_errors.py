"""Errors people meet: one sentence on standard error that says where and what to do, the right code, no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from linsep.cli.language import spoken
from linsep.cli.screen import Screen

GOOD = ["x,kind,class"] + [f"{i % 17},{'abc'[i % 3]},{'yes' if (i * 7) % 5 > 1 else 'no'}" for i in range(60)]


def lines(*rows: str) -> bytes:
    return ("\n".join(rows) + "\n").encode()


#: name → content, arguments after the file, exit code, what the sentence says
FILES: dict[str, tuple[bytes, tuple[str, ...], int, str]] = {
    "no such column": (lines(*GOOD), ("-t", "clas"), 5, r"bad\.csv: there is no column 'clas': did you mean 'class'\?"),
    "no target": (lines(*GOOD), (), 2, r"name it with --target; the columns are 'x', 'kind', 'class'"),
    "one class": (lines("x,class", *["1,a", "2,a"] * 20), ("-t", "class"), 5, r"'class': the target is always a"),
    "a quantity": (
        lines("x,y", *(f"{i},{i * 0.37:.3f}" for i in range(3000))), ("-t", "y"), 5,
        r"bad\.csv, column 'y': the target has 3,000 different numbers.*regression\?",
    ),
    "ragged": (lines(*GOOD[:20], "1,2", *GOOD[20:]), ("-t", "class"), 5, r"line 21: 2 fields .*--drop-ragged"),
    "encoding": (
        lines(*GOOD) + "1,é,yes\n".encode("latin-1"), ("-t", "class"), 5,
        r"bad\.csv, line 62, column 3: the byte 0xe9 is not utf-8; read it with --encoding latin-1",
    ),
    "decimal comma": (
        lines("x;class", *(f"1.{100 + i},{i % 10};{'ab'[i % 2]}" for i in range(60))), ("-t", "class"), 5,
        r"bad\.csv, line 2, column 'x': the number '1\.100,0' .*--decimal ,",
    ),
    "thousands": (
        lines("x;class", *(f"1,{100 + i}.{i % 10};{'ab'[i % 2]}" for i in range(60))), ("-t", "class"), 5,
        r"bad\.csv, line 2, column 'x': the number '1,100\.0' .*--decimal \.",
    ),
    "empty": (b"", ("-t", "class"), 5, r"bad\.csv: it is empty"),
    "no target in a row": (lines(*GOOD, "1,a,"), ("-t", "class"), 5, r"line 62.*--drop-missing-target"),
    "nothing to learn from": (
        lines("x,class", *(f"1,{'ab'[i % 2]}" for i in range(60))), ("-t", "class"), 5,
        r"bad\.csv: no column is left to learn from \('x' is constant",
    ),
    "unknown loss": (lines(*GOOD), ("-t", "class", "--loss", "hing"), 2, r"unknown loss 'hing'.*nearest is 'hinge'"),
    "unknown multiclass": (lines(*GOOD), ("-t", "class", "--multiclass", "ovq"), 2, r"nearest is 'ov[or]'"),
    "alpha": (lines(*GOOD), ("-t", "class", "--alpha", "x"), 2, r"--alpha x .*'auto', 'cv'$"),
    "negative tol": (lines(*GOOD), ("-t", "class", "--tol", "-1"), 2, r"--tol -1\.0: allowed is a finite number > 0"),
    "no time": (lines(*GOOD), ("-t", "class", "--time", "0"), 2, r"--time 0\.0: allowed is a finite number > 0$"),
    "l1": (lines(*GOOD), ("-t", "class", "--l1", "3"), 2, r"--l1 3\.0: allowed is a number from 0"),
    "held out": (lines(*GOOD), ("-t", "class", "--held-out", "1"), 2, r"--held-out 1\.0: allowed is a share"),
    "folds": (lines(*GOOD), ("-t", "class", "--folds", "1"), 2, r"--folds 1: allowed is a whole number from 2"),
    "class weight": (lines(*GOOD), ("-t", "class", "--class-weight", "no"), 2, r"unknown --class-weight 'no'"),
    "cost": (lines(*GOOD), ("-t", "class", "--cost", "5"), 2, r"--cost 5: give the cost of a false alarm"),
    "cost without positive": (lines(*GOOD), ("-t", "class", "--cost", "1:5"), 2, r"--positive no or --positive yes$"),
    "positive": (lines(*GOOD), ("-t", "class", "--positive", "yess"), 2, r"unknown class 'yess'.*nearest is 'yes'"),
    "decimal": (lines(*GOOD), ("-t", "class", "--decimal", "x"), 2, r"--decimal x: allowed are"),
    "encoding name": (lines(*GOOD), ("-t", "class", "--encoding", "klingon"), 2, r"--encoding klingon is not known"),
    "config": (lines(*GOOD), ("-t", "class", "--config", "absent.toml"), 5, r"cannot read absent\.toml: No such file"),
    "threads": (lines(*GOOD), ("-t", "class", "--threads", "0"), 2, r"--threads 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_training(case, run):
    content, options, code, sentence = FILES[case]
    Path("bad.csv").write_bytes(content)
    ended = run("train", "bad.csv", *options)
    assert ended.code == code
    assert ended.err.startswith("linsep: ")
    assert ended.err.count("\n") == 1
    assert re.search(sentence, ended.err.strip()), ended.err
    assert not ended.out
    assert not list(Path().glob("bad.linsep"))


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("train", "adult.cvs", "-t", "income", "--force"), 5, r"adult\.cvs: there is no such file; .* 'adult\.csv'"),
        (("train", ".", "-t", "income"), 5, r"\.: is a directory; give a file in it"),
        (("train", "adult.csv", "-t", "income"), 2, r"'adult\.linsep' is there already; .*--force to replace it"),
        (("train", "adult.csv", "-t", "income", "-o", "no/where.linsep"), 2, r"there is no folder '.*no'"),
        (("train", "adult.csv", "-t", "income", "-o", "."), 2, r"'\.' is a folder"),
        (("train", "rows.svm", "-t", "income", "--force"), 2, r"--target income: in svmlight files the target is"),
        (("train", "mushrooms.csv", "-t", "class", "--alpha", "0"), 4, r"smell"),
        (("predict", "absent.linsep", "new.csv"), 5, r"absent\.linsep"),
        (("predict", "new.csv", "adult.linsep"), 5, r"'new\.csv' cannot be read as a model file"),
        (("predict", "rows.linsep", "new.csv"), 5, r"trained on a matrix of 4 columns without names"),
        (("predict", "adult.linsep", "rows.svm"), 5, r"trained on a table with named columns"),
        (("predict", "adult.linsep", "new.csv", "-o", "adult.csv"), 2, r"'adult\.csv' is there already"),
        (("evaluate", "adult.linsep", "new.csv"), 5, r"new\.csv: there is no column 'income'"),
        (("evaluate", "adult.linsep", "loans.parquet"), 5, r"there is no column 'income'"),
        (("export", "adult.linsep", "-o", "adult.pmml"), 2, r"form of an export '\.pmml'.*'\.onnx'"),
        (("convert", "adult.csv", "-o", "adult.xlsx"), 2, r"unknown format to write '\.xlsx'"),
        (("convert", "rows.svm", "-o", "rows.csv"), 2, r"matrix without names"),
        (("path", "adult.csv", "-t", "incom", "--size", "3"), 5, r"did you mean 'income'\?"),
        (("separate", "adult.csv", "-t", "incom"), 5, r"did you mean 'income'\?"),
        (("info", "absent.csv"), 5, r"absent\.csv: there is no such file"),
    ],
)  # fmt: skip
def test_commands(arguments, code, sentence, run):
    ended = run(*arguments)
    assert ended.code == code, ended.err
    assert ended.err.startswith("linsep: ")
    assert ended.err.count("\n") == 1
    assert re.search(sentence, ended.err), ended.err


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("train",), ("train", "adult.csv", "--lss", "log"), ("train", "adult.csv", "--tol", "x")],
)
def test_usage(arguments, run):
    ended = run(*arguments)
    assert ended.code == 2
    assert "Usage: linsep" in ended.err
    assert "Traceback" not in ended.err


def test_a_missing_column_is_named(run):
    Path("less.csv").write_text("age,degree,member\n30,phd,true\n")
    ended = run("predict", "adult.linsep", "less.csv")
    assert ended.code == 5
    assert "'hours'" in ended.err


def test_an_unknown_class_is_named(run):
    text = Path("adult_test.csv").read_text().replace(">50K", "rich", 1)
    Path("odd.csv").write_text(text)
    ended = run("evaluate", "adult.linsep", "odd.csv")
    assert ended.code == 5
    assert ended.err.startswith("linsep: odd.csv: row ")
    assert "the class 'rich', which was not in training (1 such rows); the classes are <=50K, >50K" in ended.err


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no folder in which nobody may write")
@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "adult.csv", "-t", "income", "-o", "adult.csv"),
        ("train", "adult.cs?", "-t", "income", "-o", "./adult.csv"),
        ("predict", "adult.linsep", "new.csv", "-o", "new.csv"),
        ("report", "adult.linsep", "adult.csv", "-o", "adult.linsep"),
        ("convert", "adult.csv", "-o", "adult.csv"),
        ("path", "adult.csv", "-t", "income", "-o", "adult.csv"),
    ],
)
def test_no_output_replaces_what_it_is_made_of(arguments, run):
    before = Path(arguments[-1]).read_bytes()
    ended = run(*arguments, "--force")
    assert ended.code == 2
    assert ended.err == f"linsep: {str(Path(arguments[-1]))!r} is what is read here; give another name with --output\n"
    assert Path(arguments[-1]).read_bytes() == before


def test_what_a_terminal_obeys_is_shown_and_not_sent(run, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    Path("odd.csv").write_text("\x1b[31mage,kind\n" + "".join(f'{i},"a\x1b]0;title\x07\n{i % 3}"\n' for i in range(60)))
    ended = run("info", "odd.csv")
    assert ended.code == 0, ended.err
    assert "\x1b" not in ended.out + ended.err
    assert "\\x1b[31mage" in ended.out
    assert "a\\x1b]0;title\\x07\\n0, " in ended.out
    missing = run("train", "odd.csv", "-t", "\x1b[1m")
    assert "\x1b" not in missing.err


def test_too_many_columns_for_the_memory(run):
    Path("wide.svm").write_text("1 1:2\n-1 4000000000000:1\n" * 20)
    ended = run("train", "wide.svm", "--alpha", "1")
    assert ended.code == 5
    assert re.search(r"^linsep: (there is not enough memory|Unable to allocate)", ended.err, re.M), ended.err


def test_a_file_that_one_may_not_read(run, monkeypatch):
    """What the system says of the file is said, not that the command was written wrongly."""
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert run("summary", "adult.linsep").code == 0
    assert run("info", "adult.csv").code == 0


def test_a_folder_that_lets_nobody_write(run):
    ended = run("train", "adult.csv", "-t", "income", "--alpha", "1", "--held-out", "0", "-o", "/proc/adult.linsep")
    assert ended.code == 5
    assert re.fullmatch(r"linsep: cannot write '/proc/adult.linsep': .*\n", ended.err)


def test_a_folder_that_takes_nothing_is_known_before_the_work(run, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    monkeypatch.setattr("linsep.tables.read_table", None)
    for name, said in (("new.linsep", "no permission; .*"), ("a" * 300, "the name is too long")):
        ended = run("train", "adult.csv", "-t", "income", "-o", name)
        assert ended.code == 5
        assert re.fullmatch(rf"linsep: cannot write '{name}': {said}\n", ended.err)


@pytest.mark.parametrize("option", ["--config", "--schema"])
def test_settings_nested_too_deeply(option, run):
    Path("deep.toml").write_text(f"age = {'[' * 3000}{']' * 3000}\n")
    ended = run("train", "adult.csv", "-t", "income", "-o", "new.linsep", option, "deep.toml")
    assert ended.code == 5
    assert re.fullmatch(r"linsep: deep\.toml.* nested too deeply for .*\n", ended.err)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_lists_do_not_fit_into_fields(form, run):
    Path("lists.ndjson").write_text('{"x": 1, "tags": [1]}\n' * 3)
    ended = run("convert", "lists.ndjson", "-o", f"lists.{form}")
    assert ended.code == 2
    assert (
        "linsep: column 'tags' holds List(Int64), which a field cannot; write .parquet, .arrow or .ndjson" in ended.err
    )
    assert not list(Path().glob(f"*lists.{form}*"))


def test_damaged_model(run):
    whole = Path("adult.linsep").read_bytes()
    Path("half.linsep").write_bytes(whole[: len(whole) // 2])
    ended = run("predict", "half.linsep", "new.csv")
    assert ended.code == 5
    assert "half.linsep" in ended.err


@pytest.mark.parametrize("name", ["hurt.linsep", "hurt.zip"])
@pytest.mark.parametrize(("begin", "end"), [(100, 200), (-2000, -22), (-500, 0)])
def test_information_on_a_damaged_model(name, begin, end, run):
    """Its end may still be that of a zip, its directory not."""
    whole = bytearray(Path("adult.linsep").read_bytes())
    whole[begin : len(whole) + end if end <= 0 else end] = b""
    Path(name).write_bytes(whole)
    ended = run("info", name)
    assert ended.code == 5
    assert re.fullmatch(rf"linsep: .*{name}.*\n", ended.err)


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("say header=True if its first line holds names", "say --header if its first line holds names"),
        ("header=False", "--no-header"),
        ("zero_based=False", "--one-based"),
        ("give another name, or force=True to replace it", "give another name, or --force to replace it"),
        ("time_limit ended the search", "--time ended the search"),
        ("say format='csv'", "say --format csv"),
        ("quote='': none", "--quote '': none"),
        ("n_jobs=0: allowed", "--threads 0: allowed"),
        ("column 'format=csv' is constant", "column 'format=csv' is constant"),
        ("alone, or use Firth's correction, LogisticRegression(penalty='firth')", "alone"),
        ("city=Rome", "city=Rome"),
    ],
)
def test_parameters_are_options(python, shell):
    assert spoken(python) == shell


def test_remarks_break_between_words_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    words = "each value once, none with a space: looks like an identification, left out of the model"
    screen = Screen()
    screen.note(words, style="")
    screen.say(words)
    seen = capsys.readouterr()
    assert len(seen.err.splitlines()) == 3
    assert seen.err.split() == words.split()
    assert seen.out == words + "\n"
