"""What the report says is true: coefficients, reasons, left-out scores, suspects, commands, against computed truth."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import linsep
from linsep import LinearSVM, LogisticRegression, Perceptron
from linsep.data.sparse_rows import as_scipy
from linsep.errors import FileAccess, InvalidData, InvalidType
from linsep.inference import Inference
from linsep.quality import Predictions
from linsep.report import build_report, render, report, write_report
from linsep.report.axes import Axis, linear_ticks
from linsep.report.blocks import Callout, Chips, Grid, Section
from linsep.report.cases import case_of_arrays, case_of_table
from linsep.report.coefficient_rows import binary_coefficients
from linsep.report.confusion import most_confused
from linsep.report.explain import reasons
from linsep.report.numbers import count, number, percent, shortened, signed
from linsep.report.sections import SECTIONS
from linsep.report.sections.margins import suspects
from linsep.report.sections.reproduce import commands
from linsep.workflow.features import FrameFeatures
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from tests.report.cases import HOSTILE, Balance, fresh, hostile, hostile_report, many_report, table_of


def all_words(section: Section | None) -> str:
    assert section is not None
    return repr(section.blocks)


def test_coefficients_in_the_units_of_the_data_give_the_scores() -> None:
    trained, table = hostile()
    case = case_of_table(trained, table)
    assert isinstance(trained.features, FrameFeatures)
    assert table.frame is not None
    raw = as_scipy(trained.features.encoder.rows(table.frame, scaled=False).matrix)
    rows = binary_coefficients(case)
    scores = raw @ np.array([row.value for row in rows[:-1]]) + rows[-1].value
    sign = 1.0 if trained.decision.positive == 1 else -1.0
    np.testing.assert_allclose(scores, sign * trained.score(table).scores, atol=1e-9)
    assert rows[-1].name == "intercept"


def test_intervals_are_those_of_inference() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression(alpha=0.05).fit(X[:, :6], y)
    case = case_of_arrays(model, X[:, :6], y)
    found = model.inference(X[:, :6], y)
    rows = binary_coefficients(case)
    ends = np.array([[row.low, row.high] for row in rows], dtype=float)
    np.testing.assert_allclose(ends, found.intervals, rtol=1e-9)
    assert [row.value for row in rows] == pytest.approx([*model.coef_[0], model.intercept_[0]])


def test_intercept_in_units_has_the_interval_of_a_fit_in_units() -> None:
    """Without a penalty the fit to raw columns is the same model: its own interval is the truth."""

    X, y = load_iris(return_X_y=True)
    kept = y > 0
    X, y = X[kept][:, [0, 1]], y[kept]
    table = table_of(pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), "y")
    case = case_of_table(train(table, Recipe(alpha=0.0, tol=1e-12, held_out=0.0)), table)
    truth = LogisticRegression(alpha=0, tol=1e-12).fit(X, y).inference(X, y)
    rows = binary_coefficients(case)
    np.testing.assert_allclose([[row.low, row.high] for row in rows], truth.intervals, rtol=1e-5)


def test_reasons_add_up_to_the_lead() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=0.01).fit(X, y)
    case = case_of_arrays(model, X, y)
    scores = model.decision_function(X)
    mean = scores.mean(axis=0)
    for row, towards, away in ((0, 0, 1), (77, 1, 2), (149, 2, 0)):
        chips = reasons(case, row, towards, away)
        assert len(chips) == 4  # as many as there are columns
        terms = [float(chip.text.split()[-1].replace("−", "-")) for chip in chips]
        lead = (scores[row, towards] - scores[row, away]) - (mean[towards] - mean[away])
        assert sum(terms) == pytest.approx(lead, abs=0.05 * sum(map(abs, terms)))  # shown with two digits


def test_left_out_scores_are_worse_than_fitted_ones_and_near_those_of_refits() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=0.01).fit(X, y)
    case = case_of_arrays(model, X, y)
    judged = case.judged.predictions
    assert "leave-one-out" in case.judged.words
    assert judged.probabilities is not None
    assert case.predictions.probabilities is not None
    every = np.arange(len(y))
    assert judged.probabilities[every, y].mean() < case.predictions.probabilities[every, y].mean()
    for row in (70, 133):
        others = np.delete(every, row)
        refit = LogisticRegression(alpha=0.01).fit(X[others], y[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(judged.probabilities[row], refit, atol=0.02)


def test_wrong_labels_are_suspected() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 100)
    X = 4.0 * np.eye(3)[y] + rng.normal(size=(300, 3))
    wrong = rng.choice(300, 9, replace=False)
    labels = y.copy()
    labels[wrong] = (labels[wrong] + 1) % 3
    model = LogisticRegression(alpha=0.05).fit(X, labels)
    case = case_of_arrays(model, X, labels)
    found = np.flatnonzero(suspects(case.judged.predictions))
    assert len(found) >= suspects(case.predictions).sum()  # a fit that has seen a label contradicts it less
    assert len(set(found) & set(wrong)) >= 8
    assert len(set(found) - set(wrong)) <= 3
    assert not suspects(Predictions(y, y, np.eye(3)[y], np.eye(3)[y], np.full(3, 1 / 3))).any()


def test_most_confused_classes() -> None:
    matrix = np.diag([9.0, 9.0, 9.0, 9.0])
    matrix[1, 3] = 4.0
    assert most_confused(matrix, 2).tolist() == [1, 3]
    assert most_confused(matrix, 9).tolist() == [0, 1, 2, 3]


def test_training_rows_are_recognised() -> None:
    trained, table = hostile()
    at_home, away = build_report(trained, table), build_report(trained, fresh())
    assert "The data given are the training rows" in all_words(at_home.section("overview"))
    assert "The data given are the training rows" not in all_words(away.section("overview"))
    assert "no longer" not in all_words(away.section("warnings"))
    assert "Intervals speak of the rows of the fit" in all_words(away.section("coefficients"))
    told = build_report(trained, table, table_is_training=False)
    assert "The data given are the training rows" not in all_words(told.section("overview"))
    with pytest.raises(InvalidData, match="fingerprints differ"):
        build_report(trained, fresh(), table_is_training=True)


def test_a_saved_model_gives_the_same_report(tmp_path: Path) -> None:
    trained, table = hostile()
    trained.save(tmp_path / "model.linsep")
    again = linsep.load(tmp_path / "model.linsep")
    assert render(build_report(again, table)) == render(hostile_report())


def test_refusals_are_shown_in_words() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    case = case_of_arrays(LinearSVM(alpha=0.01).fit(X, y), X, y)
    assert isinstance(case.inferred, str)
    page = render(linsep.report.build.report_of(case))
    assert "Coefficients without intervals" in page
    assert "Odds ratio" not in page
    fitted = case_of_arrays(LogisticRegression(alpha=0.01).fit(X, y), X, y)
    assert isinstance(fitted.inferred, Inference)


def test_many_classes_are_cut_and_it_is_said() -> None:
    made = many_report()
    words = Balance(render(made)).text
    assert "20 classes of 40" in words
    assert "The 20 largest classes" in words
    section = made.section("coefficients")
    assert section is not None
    grids = [block for block in section.blocks if isinstance(block, Grid)]
    assert len(grids[0].rows) == 20
    assert all(isinstance(cell, Chips) for cell in grids[0].rows[0][1:])


def test_every_section_is_there_and_can_be_missing() -> None:
    names = [section.name for section in hostile_report().sections]
    assert len(names) == len(SECTIONS)
    X, y = load_iris(return_X_y=True)
    page = report(LogisticRegression(alpha=0.1).fit(X, y), X, y)
    assert "Strength of the penalty" not in page
    assert "Most telling words" not in page


def test_commands_can_be_typed() -> None:
    trained, _ = hostile()
    lines = commands(trained).split("\n")
    assert lines[0].startswith("linsep train rows.csv --target y ")
    assert "--cost 1:3" in lines[0]
    assert "--seed 0" in lines[0]
    assert f"--positive '{HOSTILE}'" in lines[0]
    assert lines[1].startswith("linsep verify rows.linsep")


def test_folders_of_this_machine_stay_out() -> None:
    words = Balance(render(hostile_report())).text
    assert "rows.csv was read by a test" in words
    assert "folder/" not in words


def test_written_at_once_and_never_over_another_file(tmp_path: Path) -> None:
    trained, table = hostile()
    place = write_report(trained, table, tmp_path / "report.html")
    first = place.read_bytes()
    assert first.decode("utf-8") == render(hostile_report())
    with pytest.raises(FileAccess, match="is there already"):
        trained.report(fresh(), place)
    assert place.read_bytes() == first
    trained.report(fresh(), place, force=True)
    assert place.read_bytes() != first
    assert os.listdir(tmp_path) == ["report.html"]


def test_estimators_write_too(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=0.1).fit(X, y)
    page = model.report(X, y, tmp_path / "iris.html")
    assert (tmp_path / "iris.html").read_text(encoding="utf-8") == page
    with pytest.raises(InvalidType, match="Perceptron"):
        report(Perceptron().fit(X[:100], y[:100]), X, y)
    with pytest.raises(InvalidData, match="which the model does not know"):
        report(model, X, np.where(y == 2, 7, y))


def test_warnings_are_those_of_the_diagnosis() -> None:
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, X[:, 0]])
    model = LogisticRegression(alpha=0.1).fit(X, y)
    section = linsep.report.build.report_of(case_of_arrays(model, X, y)).section("warnings")
    assert section is not None
    shown = [block for block in section.blocks if isinstance(block, Callout)]
    assert len(shown) == len(model.diagnosis_.findings) >= 1


def test_weights_count(tmp_path: Path) -> None:
    """A row of weight 2 is two rows, in every number of the quality."""
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=0.1).fit(X, y)
    weights = np.where(y == 0, 2.0, 1.0)
    twice = np.concatenate([np.arange(150), np.flatnonzero(y == 0)])
    weighted, repeated = case_of_arrays(model, X, y, weights), case_of_arrays(model, X[twice], y[twice])
    for name, estimate in weighted.quality.measures.items():
        assert estimate == pytest.approx(repeated.quality.measures[name]), name


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (12345.678, "12,346"),
        (-0.5, "−0.5"),
        (1.2e-9, "1.2 × 10⁻⁹"),
        (float("nan"), "–"),
        (0.01234, "0.01234"),
    ],
)
def test_numbers(value: float, words: str) -> None:
    assert number(value) == words


def test_more_numbers() -> None:
    assert (percent(0.8514), signed(0.25), count(1234.0), count(2.5)) == ("85.1%", "+0.25", "1,234", "2.5")
    assert number(float("-inf")) == "−∞"
    assert shortened("a  b\nc", 10) == "a b c"
    assert shortened("abcdefgh", 5) == "abcd…"


def test_ticks_are_round_and_within() -> None:
    for low, high in ((0.0, 1.0), (-3.7, 12.1), (1e-7, 3e-7), (99.0, 101.0)):
        ticks = linear_ticks(low, high)
        assert 2 <= len(ticks) <= 8
        assert all(low - 1e-12 <= tick <= high * (1.0 + 1e-12) for tick in ticks)
    axis = Axis(1e-6, 10.0, 0.0, 70.0, log=True)
    assert axis.at(1e-3) == pytest.approx(30.0)
    assert [axis.at(tick) for tick in axis.ticks()] == sorted(axis.at(tick) for tick in axis.ticks())
    assert Axis(2.0, 3.0, 0.0, 10.0, log=True).ticks() == [2.0]
