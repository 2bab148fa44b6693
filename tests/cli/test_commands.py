"""What each command does, on generated files, through the program's own entry."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from pathlib import Path

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

import linsep
from linsep.cli.app import COMMANDS, function_of
from linsep.cli.demo import _write_data
from linsep.cli.outcome import Exit
from tests.cli.files import people, svmlight


def table(text: str) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(text), infer_schema_length=None)


def test_training_reports_and_writes(run):
    ended = run("train", "adult.csv", "-t", "income", "--force", "--seed", "7")
    assert ended.code == Exit.CERTIFIED
    for words in ("income: <=50K, >50K", "500 rows", "certificate holds", "alpha from", "on 500 rows held out",
                  "better than constant", "written to adult.linsep   (seed 7)",
                  "linsep verify adult.linsep adult.csv"):  # fmt: skip
        assert words in ended.out
    trained = linsep.load("adult.linsep")
    assert trained.recipe.alpha == "auto"
    assert trained.provenance.sources == ("adult.csv",)


def test_the_same_seed_gives_the_same_file(run):
    """But for the seconds it took and when it began."""
    first = linsep.load("adult.linsep")
    assert run("train", "adult.csv", "-t", "income", "--force").code == 0
    again = linsep.load("adult.linsep")
    assert np.array_equal(first.model.w, again.model.w)
    assert first.quality.measures == again.quality.measures


def test_json(run):
    ended = run("train", "adult.csv", "-t", "income", "--json", "--force")
    told = json.loads(ended.out)
    assert ended.err == ""
    assert told["certified"] is True
    assert (told["seed"], told["classes"], told["rows"]) == (0, ["<=50K", ">50K"], 500)
    assert json.loads(run("summary", "adult.linsep", "--json").out)["coefficients"]
    assert json.loads(run("evaluate", "adult.linsep", "adult_test.csv", "--json").out)["rows"] == 200
    assert json.loads(run("verify", "adult.linsep", "adult.csv", "--json").out)["ok"] is True
    assert json.loads(run("separate", "mushrooms.csv", "-t", "class", "--json").out)["verdict"] == "SEPARABLE"
    assert json.loads(run("info", "adult.csv", "--json").out)["rows"] == 500
    assert len(json.loads(run("path", "adult.csv", "-t", "income", "--size", "4", "--json").out)["alpha"]) == 4


def test_predictions_name_the_rows_and_agree_with_the_model(run):
    ended = run("predict", "adult.linsep", "new.csv", "--scores")
    found = table(ended.out)
    assert found.columns == ["id", "prediction", "probability <=50K", "probability >50K", "score >50K"]
    assert found["id"].to_list() == people(60, 2)["id"].to_list()
    scored = linsep.load("adult.linsep").score(linsep.read_table("new.csv"))
    assert np.allclose(found["probability >50K"], scored.probabilities[:, 1], rtol=1e-14)
    assert ((found["score >50K"] > 0) == (found["prediction"] == ">50K")).all()


def test_columns_in_any_order_with_extras_and_unseen_levels(run):
    plain = table(run("predict", "adult.linsep", "new.csv").out)
    new = pl.read_csv("new.csv")
    new.select([*reversed(new.columns)]).with_columns(extra=pl.lit(1)).write_csv("turned.csv")
    ended = run("predict", "adult.linsep", "turned.csv")
    assert table(ended.out).equals(plain)
    assert "column 'extra' was not in training: left out" in ended.err
    new.with_columns(degree=pl.lit("wizard")).write_csv("odd.csv")
    ended = run("predict", "adult.linsep", "odd.csv")
    assert ended.code == 0
    assert "'degree'" in ended.err
    assert "'wizard'" in ended.err


def test_held_out_rows_get_good_predictions(run):
    accuracy = json.loads(run("evaluate", "adult.linsep", "adult_test.csv", "--json").out)["measures"]["accuracy"]
    assert accuracy["low"] < accuracy["value"] < accuracy["high"]
    assert accuracy["value"] > accuracy["constant"] + 0.1
    shown = run("evaluate", "adult.linsep", "adult_test.csv")
    assert "true \\ predicted" in shown.out


def test_verify_finds_a_changed_row(run):
    assert run("verify", "adult.linsep", "adult.csv").code == Exit.CERTIFIED
    people(500).with_columns(age=pl.col("age") + 1).write_csv("changed.csv")
    ended = run("verify", "adult.linsep", "changed.csv")
    assert ended.code == Exit.STOPPED


@pytest.mark.parametrize("loss", ["log", "hinge", "squared_hinge"])
def test_every_command_on_svmlight(loss, run):
    """Labels stay the whole numbers that they are in the file."""
    options = ("--alpha", "0.01", "--held-out", "0", "--loss", loss, "--force")
    assert run("train", "rows.svm", *options).code == 0
    assert run("verify", "rows.linsep", "rows.svm").code == 0
    Path("test.svm").write_text(svmlight(100, 1))
    found = table(run("predict", "rows.linsep", "test.svm").out)
    assert found.columns == ["prediction", "probability -1", "probability 0", "probability 7"]
    assert set(found["prediction"].to_list()) == {-1, 0, 7}
    assert json.loads(run("evaluate", "rows.linsep", "test.svm", "--json").out)["measures"]["accuracy"]["value"] > 0.7
    assert "column 1" in run("summary", "rows.linsep").out
    assert run("export", "rows.linsep", "-o", f"{loss}.sql").code == 0


def test_every_command_on_npz(run):
    """Arrays of any name; train says how to check the model, and that works."""
    rng = np.random.default_rng(0)
    rows, answers = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    np.savez("plain.npz", X=rows, y=answers)
    np.savez("named.npz", A=rows, b=answers)
    np.savez("apart.npz", X=rows)
    np.save("answers.npy", answers)
    cases = {"plain": (), "named": ("--matrix", "A", "--target", "b"), "apart": ("--target", "answers.npy")}
    for name, options in cases.items():
        ended = run("train", f"{name}.npz", *options, "--alpha", "0.1", "--held-out", "0")
        assert ended.code == 0, ended.err
        advice = ended.out.split("check it with: linsep ")[1]
        assert run(*shlex.split(advice)).code == 0
        assert run("evaluate", f"{name}.linsep", f"{name}.npz", *options).code == 0


def test_the_advice_has_the_options_that_the_file_needs(run):
    people(300).write_csv("semicolon.txt", separator=";", null_value="none")
    options = ("--separator", ";", "--missing", "none", "--header", "--ignore", "member", "--weights", "age")
    ended = run("train", "semicolon.txt", "-t", "income", *options, "--alpha", "0.1", "--held-out", "0")
    advice = shlex.split(ended.out.split("check it with: linsep ")[1])
    assert advice[2:] == ["semicolon.txt", "--separator", ";", "--header", "--missing", "none"]
    assert run(*advice).code == 0


def test_a_target_of_another_name(run):
    pl.read_csv("adult_test.csv").rename({"income": "answer"}).write_csv("renamed.csv")
    assert run("evaluate", "adult.linsep", "renamed.csv").code == 5
    plain = run("evaluate", "adult.linsep", "adult_test.csv").out
    assert run("evaluate", "adult.linsep", "renamed.csv", "--target", "answer").out == plain


def test_a_row_is_a_line_where_there_is_no_terminal(run, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = run("info", "adult.csv").out.splitlines()
    assert len(lines) == 2 + len(pl.read_csv("adult.csv").columns)


def test_rows_without_names_say_so(run):
    Path("nameless.csv").write_text("".join(Path("new.csv").read_text().splitlines(keepends=True)[1:]))
    ended = run("predict", "adult.linsep", "nameless.csv")
    assert ended.code == 5
    assert "places, not names" in ended.err


def test_an_extra_column_is_spoken_of_once(run):
    pl.read_csv("new.csv").with_columns(extra=pl.lit(1)).write_csv("more.csv")
    assert run("predict", "adult.linsep", "more.csv").err.count("'extra'") == 1


def test_a_scikit_learn_pipeline(run):
    exported = run("export", "adult.linsep", "-o", "adult.joblib")
    assert exported.code == 0
    assert "it compares categories as they stand" in exported.err
    pipeline = joblib.load("adult.joblib")
    found = table(run("predict", "adult.linsep", "new.csv").out)
    given = pl.read_csv("new.csv").to_pandas()
    assert pipeline.predict(given).tolist() == found["prediction"].to_list()


def test_fewer_and_more_columns_of_svmlight(run):
    Path("narrow.svm").write_text("7 1:1.5\n-1 2:0.1\n")
    assert len(table(run("predict", "rows.linsep", "narrow.svm").out)) == 2
    Path("wide.svm").write_text("7 1:1.5 9:2\n-1 2:0.1\n")
    ended = run("predict", "rows.linsep", "wide.svm")
    assert ended.code == 0
    assert "columns (1 entries) were not in training and are left out" in ended.err


def test_costs_move_the_threshold(run):
    options = ("-t", "income", "--alpha", "0.01", "--held-out", "0", "--positive", ">50K", "--force")
    run("train", "adult.csv", *options, "--cost", "1:9", "-o", "costs.linsep")
    found = table(run("predict", "costs.linsep", "new.csv").out)
    assert ((found["probability >50K"] > 0.1) == (found["prediction"] == ">50K")).all()
    assert "probability is more than 0.1, by the costs given" in run("summary", "costs.linsep").out


def test_settings_file_and_options_over_it(run):
    ended = run("train", "adult.csv", "--config", "settings.toml", "--alpha", "0.1", "--force", "--json")
    told = json.loads(ended.out)
    assert (told["loss"], told["alpha"]) == ("hinge", 0.1)
    assert not any("member" in name for name in linsep.load("adult.linsep").features.names)
    Path("wrong.toml").write_text('los = "hinge"\n')
    ended = run("train", "adult.csv", "-t", "income", "--config", "wrong.toml", "--force")
    assert ended.code == 2
    assert "the nearest is 'loss'" in ended.err
    Path("words.toml").write_text("[words]\nngram_range = [1, 2]\n")
    assert run("train", "spam.tsv", "-t", "1", "-c", "words.toml", "--quote", "", "--alpha", "1e-3").code == 0
    assert any(" " in name.split(":")[-1].strip() for name in linsep.load("spam.linsep").features.names)


def test_a_column_may_have_a_number_for_a_name(run):
    Path("odd.csv").write_text("2,1\n" + "".join(f"{'ab'[i % 2]},{(i * 7) % 5 + (i % 2)}\n" for i in range(60)))
    ended = run("train", "odd.csv", "-t", "2", "--header", "--alpha", "0.1", "--held-out", "0")
    assert ended.code == 0
    assert "2: a, b" in ended.out


def test_a_time_limit_stops_before_tol(run):
    ended = run("train", "adult.csv", "-t", "income", "--time", "1e-6", "--alpha", "1e-6", "--held-out", "0", "--force",
                "--loss", "hinge", "--tol", "1e-12")  # fmt: skip
    assert ended.code == Exit.STOPPED
    assert "--time" in ended.err
    assert "the model is not certified" in ended.err
    assert "DOES NOT HOLD" in ended.out or "NONE" in ended.out
    assert "--time was reached before the certificate reached tol" in ended.out


def test_serious_findings_name_the_column_and_are_kept(run):
    people(500).with_columns(leak=pl.col("income") == ">50K").write_csv("leak.csv")
    ended = run("train", "leak.csv", "-t", "income", "--alpha", "1e-6", "--held-out", "0")
    assert "'leak'" in ended.err
    assert "--ignore" in ended.err
    assert any("'leak'" in note for note in linsep.load("leak.linsep").notes)
    assert "'leak'" in run("summary", "leak.linsep").err


def test_svmlight_needs_no_target(run):
    assert len(json.loads(run("path", "rows.svm", "--size", "3", "--json").out)["alpha"]) == 3
    assert json.loads(run("separate", "rows.svm", "--json").out)["proved"]
    for command in ("path", "separate"):
        ended = run(command, "adult.csv")
        assert (ended.code, ended.err.splitlines()[-1]) == (
            2, "linsep: adult.csv: there is no target; name its column with --target",
        )  # fmt: skip


def test_path_is_written_once_and_certified(run):
    assert run("path", "adult.csv", "-t", "income", "--size", "10", "-o", "path.csv").code == 0
    path = pl.read_csv("path.csv")
    assert path.height == 10
    assert (path["gap"] <= 1e-4).all()
    assert path["nonzeros"][0] <= 1
    assert run("path", "adult.csv", "-t", "income", "-o", "path.csv").code == 2


def test_conversion_keeps_the_table(run):
    for suffix in ("parquet", "arrow", "ndjson", "tsv"):
        assert run("convert", "adult.csv", "-o", f"copy.{suffix}").code == 0
        assert run("convert", f"copy.{suffix}", "-o", f"{suffix}.csv").code == 0
        assert pl.read_csv(f"{suffix}.csv").equals(pl.read_csv("adult.csv")), suffix


def test_info_of_files_and_models(run):
    shown = run("info", "adult.csv").out
    assert "500 rows, 6 columns" in shown
    assert "category" in shown
    assert "certificate holds" in run("info", "adult.linsep").out
    Path("schema.toml").write_text(run("info", "adult.csv", "--write-schema").out)
    assert run("info", "adult.csv", "--schema", "schema.toml").code == 0


def test_summary_is_a_model_card(run):
    shown = run("summary", "adult.linsep", "--most", "3").out
    for words in ("adult.csv", "seed 0", "linsep 0.", "certificate holds", "for one more", "rows held out"):
        assert words in shown, words


def test_standard_input(run, monkeypatch):
    class Given:
        buffer = io.BytesIO(Path("new.csv").read_bytes())

    monkeypatch.setattr(sys, "stdin", Given)
    assert len(table(run("predict", "adult.linsep", "-").out)) == 60


def test_groups_stay_together_with_a_fixed_alpha(run):
    people(300).with_columns(house=pl.int_range(300) // 3).write_csv("houses.csv")
    assert run("train", "houses.csv", "-t", "income", "--groups", "house", "--alpha", "0.01").code == 0


@pytest.mark.parametrize("command", [*map(function_of, COMMANDS)], ids=lambda each: each.__name__)
def test_every_command_teaches(command, run):
    ended = run(command.__name__, "--help")
    assert ended.code == 0
    assert f"  linsep {command.__name__}" in ended.out


def test_version(run):
    assert run("--version").out.startswith("linsep ")


SETTINGS = {
    'interaction = ["age:degree"]': 'interactions = [["age", "degree"]]',
    'basis = "radial:age"': 'bases = ["radial:age"]',
    'cost = "1:5"\npositive = ">50K"': 'cost = [1, 5]\npositive = ">50K"',
    'ignore = "member"': 'ignore = ["member"]',
    'target = "income"': "target = 6",
}


@pytest.mark.parametrize("written", SETTINGS)
def test_settings_are_written_as_on_the_command_line_or_as_values(written, run):
    found = []
    for text in (written, SETTINGS[written]):
        target = "" if "target" in text else 'target = "income"\n'
        Path("s.toml").write_text(f"{target}alpha = 0.1\nheld_out = 0\n{text}\n")
        ended = run("train", "adult.csv", "--config", "s.toml", "-o", "s.linsep", "--force")
        assert ended.code == 0, ended.err
        found.append(linsep.load("s.linsep").model.w)
    assert np.array_equal(*found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('folds = "five"', "folds = 'five': allowed is a whole number"),
        ("seed = true", "seed = True: allowed is a whole number"),
        ("alpha = [1, 2]", r"alpha = \[1, 2\]: allowed is a string or a whole number or a number"),
        ("loss = 3", "loss = 3: allowed is a string"),
        ("target = ['x']", "allowed is the name of a column, or its place"),
        ("[words]\nngram = [1, 2]", "unknown setting of words 'ngram'.*'ngram_range'"),
        ('basis = ["radial"]', "--basis radial: give the columns behind a colon"),
        ('basis = ["cubic:age"]', "unknown basis 'cubic'"),
        ('basis = ["radial:age", "sigmoid:age"]', "at most one basis over the same columns"),
    ],
)
def test_settings_of_the_wrong_kind(text, words, run):
    Path("s.toml").write_text(text)
    ended = run(
        "train", "adult.csv", "--config", "s.toml", "-o", "s.linsep", *(["-t", "income"] * ("target" not in text))
    )
    assert ended.code == Exit.USAGE
    assert re.fullmatch(f"linsep: .*{words}.*\n", ended.err)


def test_bases_travel_in_the_model(run):
    options = ("--basis", "polynomial:age:hours", "--basis", "sigmoid:age", "--alpha", "0.01", "--held-out", "0")
    assert run("train", "adult.csv", "-t", "income", *options, "-o", "bases.linsep").code == 0
    assert run("verify", "bases.linsep", "adult.csv").code == 0
    assert "z(age) z(hours)" in run("summary", "bases.linsep", "--most", "99").out
    assert len(table(run("predict", "bases.linsep", "new.csv").out)) == 60


def test_the_data_of_the_demo(tmp_path):
    data, kept = load_breast_cancer(), np.arange(569) % 4 != 3
    _write_data(tmp_path)
    found = pl.read_csv(tmp_path / "tumours.csv")
    assert found.columns == [*data.feature_names, "diagnosis"]
    assert np.array_equal(found.drop("diagnosis").to_numpy(), data.data[kept])
    assert found["diagnosis"].to_list() == data.target_names[data.target][kept].tolist()


@pytest.mark.parametrize("told", ["", "?"])
def test_rows_to_predict_may_have_an_empty_target(told, run, folder):
    """The column is there, as in many files of rows to be told apart; what is in it is not looked at."""
    lines = (folder / "new.csv").read_text().splitlines()
    (folder / "unknown.csv").write_text("\n".join([lines[0] + ",income", *(f"{line},{told}" for line in lines[1:])]))
    want, found = run("predict", "adult.linsep", "new.csv"), run("predict", "adult.linsep", "unknown.csv")
    assert found.code == 0, found.err
    assert found.out == want.out


def test_a_missing_column_is_named_with_the_file(run, folder):
    pl.read_csv(folder / "new.csv").drop("age").write_csv(folder / "less.csv")
    ended = run("predict", "adult.linsep", "less.csv")
    assert ended.code == 5
    assert re.match(r"linsep: \S*less\.csv: there is no column 'age'", ended.err.splitlines()[-1])


def test_the_rows_of_a_query_can_be_told_apart(run, folder):
    """A database that works in parallel gives rows in any order: the id is there without being asked for."""
    duckdb = pytest.importorskip("duckdb")
    assert run("export", "adult.linsep", "-o", "adult.sql", "--table", "people", "--keep", "age").code == 0
    assert run("predict", "adult.linsep", "new.csv", "-o", "predicted.csv").code == 0
    wanted = dict(pl.read_csv(folder / "predicted.csv").select("id", "prediction").rows())
    base = duckdb.connect()
    base.execute("CREATE TABLE people AS SELECT * FROM read_csv('new.csv') ORDER BY age")
    found = base.execute((folder / "adult.sql").read_text()).fetchall()
    assert {row[0]: row[2] for row in found} == wanted
    assert [row[1] for row in found] == sorted(row[1] for row in found)


def test_a_verdict_speaks_of_columns_by_their_names(run):
    rows = [f"{i % 10},{'odd' if i == 3 else 'even'},{'ab'[i % 3 == 0]}" for i in range(60)]
    Path("quasi.csv").write_text("size,mark,class\n" + "\n".join(rows) + "\n")
    ended = run("separate", "quasi.csv", "-t", "class", "--rare", "1")
    assert ended.code == 3, ended.err
    assert "quasi-separable" in ended.out
    assert "'mark=odd'" in ended.out
    assert not re.search(r"\bx\d", ended.out)


@pytest.mark.parametrize("first", [0, 1])
def test_new_rows_count_their_columns_as_training_did(first, run):
    """Also where the first column does not occur, which would tell."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))

    def text(rows, columns):
        return "".join(
            f"{1 if row @ [1, 2, 3] > 0 else -1} " + " ".join(f"{j + first}:{row[j]:.4f}" for j in columns) + "\n"
            for row in rows
        )

    Path("old.svm").write_text(text(X, [0, 1, 2]))
    Path("new.svm").write_text(text(X * [0, 1, 1], [1, 2]))
    Path("all.svm").write_text(text(X * [0, 1, 1], [0, 1, 2]))
    assert run("train", "old.svm", "--alpha", "0.01", "--held-out", "0").code == 0
    ended, same = run("predict", "old.linsep", "new.svm"), run("predict", "old.linsep", "all.svm")
    assert (ended.out, ended.err) == (same.out, "")
    other = run("predict", "old.linsep", "new.svm", "--one-based" if first == 0 else "--zero-based")
    assert "new.svm counts its columns from" in other.err
    wrong = Path("wrong.svm")
    wrong.write_text("1 0:1\n")
    assert ("--one-based says that the first is 1" in run("predict", "old.linsep", "wrong.svm").err) == (first == 1)
