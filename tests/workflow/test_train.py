"""Training: the held-out estimate is honest, weights are copies, an interruption keeps what there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import linsep
from linsep.errors import InvalidData, InvalidParameter, NoOptimum, Refused
from linsep.quality import measure
from linsep.selection import calibrate
from linsep.tables import ReadOptions, Table, read_table
from linsep.workflow.classifier import TableClassifier
from linsep.workflow.recipe import Recipe
from linsep.workflow.split import splits
from linsep.workflow.train import train
from linsep.workflow.trained import Trained, class_numbers
from linsep.workflow.watching import Unwatched


def as_table(frame: pl.DataFrame, folder: Path, **options: object) -> Table:
    place = folder / "rows.parquet"
    frame.write_parquet(place)
    return read_table(place, ReadOptions(**{"target": "y", **options}))  # type: ignore[arg-type]


def rows(n: int, seed: int = 0, classes: tuple[str, ...] = ("a", "b")) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x, kind = rng.normal(size=n), rng.choice(["p", "q", "r"], n)
    score = 1.5 * x + (kind == "p") + rng.logistic(size=n)
    cut = np.quantile(score, np.linspace(0, 1, len(classes) + 1)[1:-1])
    return pl.DataFrame(
        {"x": x, "z": rng.normal(size=n), "kind": kind, "y": np.array(classes)[np.searchsorted(cut, score)]}
    )


class Impatient(Unwatched):
    """Presses Ctrl-C once, when a part of a stage begins."""

    def __init__(self, stage: str, part: int) -> None:
        self.at, self.part, self.now = stage, part, ""

    def stage(self, name: str) -> None:
        self.now = name

    def begin(self, problem: int, count: int) -> None:
        if self.now.endswith(self.at) and problem == self.part:
            self.at = "never again"
            raise KeyboardInterrupt


def test_noise_is_not_learnt(tmp_path):
    """Levels and a class that have nothing to do with each other: the mean of six areas is 0.5 but for chance."""
    areas = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        levels = {f"k{j}": np.char.add("v", rng.integers(0, 20, 400).astype(str)) for j in range(3)}
        table = as_table(pl.DataFrame(levels | {"y": rng.choice(["a", "b"], 400)}), tmp_path)
        areas.append(train(table).quality.measures["AUC"].value)
    assert abs(np.mean(areas) - 0.5) < 3.5 * 0.029 / np.sqrt(6)


def test_quality_is_that_of_a_fit_that_never_saw_the_rows(tmp_path):
    table = as_table(rows(2500), tmp_path)
    trained = train(table)
    codes = class_numbers(table, trained.classes, None)
    ((fitted, measured),) = splits(codes, None, 0.2, 0)
    blind = train(table.take(fitted), Recipe(held_out=0))
    expected = measure(blind.predictions(table.take(measured))[0])
    assert trained.quality.measures["accuracy"] == expected.measures["accuracy"]
    assert trained.quality.measures["log loss"] == expected.measures["log loss"]
    assert trained.model.alpha == blind.model.alpha
    assert trained.curve.notes[0] == "chosen on 2,000 rows; the other 500 measure the quality"
    assert trained.model.certified
    same = train(table, Recipe(alpha=trained.model.alpha))
    assert (same.model.w == trained.model.w).all()
    assert same.quality.measures == trained.quality.measures


def test_few_rows_are_each_held_out_once(tmp_path):
    assert train(as_table(rows(203), tmp_path), Recipe(alpha=0.01)).quality.rows == 203


def test_weights_are_copies(tmp_path):
    frame = rows(200).with_columns(w=pl.Series(np.random.default_rng(1).integers(1, 4, 200)))
    recipe = Recipe(alpha=0.01, held_out=0)
    weighted = train(as_table(frame, tmp_path, weights="w"), recipe)
    copies = frame[np.repeat(np.arange(200), frame["w"])].drop("w")
    plain = train(as_table(copies, tmp_path), recipe)
    np.testing.assert_allclose(weighted.priors, plain.priors)
    # the encoder scales by rows, not by weights: compare what is said of rows
    wide = weighted.score(as_table(frame, tmp_path)).probabilities
    again = plain.score(as_table(frame, tmp_path)).probabilities
    assert np.abs(wide - again).max() < 0.01


def test_a_class_may_be_missing_from_a_fold(tmp_path):
    frame = pl.concat([rows(100, classes=("a", "b", "c")), rows(2).with_columns(y=pl.lit("rare"))])
    trained = train(as_table(frame, tmp_path), Recipe(alpha=0.01))
    assert trained.classes.tolist() == ["a", "b", "c", "rare"]
    assert trained.quality.rows == 102
    assert trained.quality.confusion.sum() == 102
    assert np.isfinite(trained.quality.measures["log loss"].value)


def test_groups_with_a_given_alpha_serve_the_measuring(tmp_path):
    frame = rows(300).with_columns(house=pl.int_range(300) // 3)
    assert train(as_table(frame, tmp_path, groups="house"), Recipe(alpha=0.01)).quality is not None
    chosen = train(as_table(frame, tmp_path, groups="house"))
    assert "rows of one group are left out together" in " ".join(chosen.curve.notes)


def test_folds_are_those_of_the_recipe(tmp_path):
    table = as_table(rows(200), tmp_path)
    assert train(table, Recipe(alpha="cv", folds=7, held_out=0)).curve.method == "7 folds"
    grouped = as_table(rows(200).with_columns(g=pl.int_range(200) // 2), tmp_path, groups="g")
    assert train(grouped, Recipe(folds=3, held_out=0)).curve.method == "3 folds"


def test_balanced_classes_leave_probabilities_right(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=3000)
    frame = pl.DataFrame(
        {"x": x, "z": rng.normal(size=3000), "y": np.where(x - 2 + rng.logistic(size=3000) > 0, "yes", "no")}
    )
    table = as_table(frame, tmp_path)
    trained = train(table, Recipe(alpha=1e-4, held_out=0, class_weight="balanced"))
    scored = trained.score(table)
    assert scored.probabilities[:, 1].mean() == pytest.approx(trained.priors[1], rel=0.1)
    assert (scored.predicted == 1).mean() > 1.5 * trained.priors[1]


@pytest.mark.parametrize("alpha", ["auto", "cv"])
@pytest.mark.parametrize("count", [300, 2500])
def test_interrupted_choice_takes_the_best_so_far(tmp_path, alpha, count):
    table = as_table(rows(count), tmp_path)
    trained = train(table, Recipe(alpha=alpha), watch=Impatient("choosing alpha", 2))
    assert trained.interrupted
    assert trained.model.certified
    assert len(trained.curve.alphas) == 2
    assert trained.quality is None
    trained.save(tmp_path / "kept.linsep")
    assert linsep.load(tmp_path / "kept.linsep").interrupted


def test_interrupted_before_any_alpha_is_passed_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(as_table(rows(300), tmp_path), watch=Impatient("choosing alpha", 0))


def test_interrupted_fit_of_several_problems_keeps_those_done(tmp_path):
    table = as_table(rows(300, classes=("a", "b", "c")), tmp_path)
    trained = train(table, Recipe(alpha=0.01, multiclass="ovr"), watch=Impatient("fitting", 2))
    assert trained.interrupted
    assert not trained.model.certified
    assert trained.model.coef[0].any()
    assert any("interrupted" in note for note in trained.notes)


def test_interrupted_measuring_keeps_the_model(tmp_path):
    trained = train(as_table(rows(300), tmp_path), watch=Impatient("held out, choosing alpha", 1))
    assert not trained.interrupted
    assert trained.quality is None
    assert "interrupted while measuring: the quality on rows held out is not known" in trained.notes


def test_interrupted_fit_without_the_rows_held_out_keeps_the_model(tmp_path):
    """α is chosen on the rows that are not held out; Ctrl-C in the fit that follows ends the measuring alone."""

    class AtTheFirstStep(Impatient):
        def __call__(self, record):
            if self.now == self.at:
                self.at = "never again"
                raise KeyboardInterrupt

    trained = train(as_table(rows(2500), tmp_path), watch=AtTheFirstStep("fitting", -1))
    assert trained.model.certified
    assert not trained.interrupted
    assert trained.quality is None
    assert "interrupted while measuring: the quality on rows held out is not known" in trained.notes


def test_rows_that_cannot_be_learnt_alone_leave_the_choice_to_all(tmp_path):
    """Two groups hold a class, and one of them is held out: two folds of the rest do not both have the class."""
    group, x = np.arange(2500) // 50, np.random.default_rng(0).normal(size=2500)
    y = np.where((group < 2) & (np.arange(2500) % 2 == 0), "b", "a")
    table = as_table(pl.DataFrame({"x": x, "z": x**2, "house": group, "y": y}), tmp_path, groups="house")
    trained = train(table, Recipe(folds=2))
    assert trained.model.certified
    assert trained.quality is None
    assert any("could not be measured: fewer than two folds" in note for note in trained.notes)


def test_interrupted_before_there_are_probabilities(tmp_path, monkeypatch):
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "calibrated", stop)
    table = as_table(rows(300), tmp_path)
    trained = train(table, Recipe(loss="hinge", alpha=0.01, positive="b", cost=(1, 5)))
    assert trained.interrupted
    assert not trained.model.gives_probabilities
    with pytest.raises(Refused, match="costs need probabilities"):
        trained.score(table)


def test_interrupted_diagnosis_says_so(tmp_path, monkeypatch):
    def stop(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TableClassifier, "findings", stop)
    trained = train(as_table(rows(300), tmp_path), Recipe(alpha=0.01, held_out=0))
    assert any("what is serious in the data is not known" in note for note in trained.notes)


def test_findings_speak_of_columns_by_name(tmp_path):
    frame = rows(300).with_columns(
        leak=(pl.col("y") == "a").cast(pl.Float64) * 3.0 + pl.Series(np.random.default_rng(0).random(300))
    )
    trained = train(as_table(frame, tmp_path), Recipe(alpha=1e-6, held_out=0))
    assert any("'leak'" in note for note in trained.notes)
    assert trained.model.feature_names is None


def test_labels_of_any_type_are_found(tmp_path):
    def numbers(given: list[object], classes: list[object]) -> list[int]:
        table = as_table(pl.DataFrame({"x": np.arange(len(given)) % 3 * 1.0, "y": given}), tmp_path)
        return class_numbers(table, np.array(classes), "y").tolist()

    assert numbers([7, -1, 7, -1], [-1, 7]) == [1, 0, 1, 0]
    assert numbers(["7", "-1", "7", "-1"], [-1, 7]) == [1, 0, 1, 0]
    assert numbers(["b", "a", "b", "a"], ["a", "b"]) == [1, 0, 1, 0]
    assert numbers([True, False, True, False], [False, True]) == [1, 0, 1, 0]
    with pytest.raises(InvalidData, match=r"row 1 has the class 'b', which was not in training \(2 such rows\)"):
        numbers(["b", "a", "b", "a"], ["a", "c"])


def test_settings_are_checked_before_the_data(tmp_path):
    table = as_table(rows(50), tmp_path)
    with pytest.raises(InvalidParameter, match="nearest is 'hinge'"):
        train(table, Recipe(loss="hing"))
    with pytest.raises(InvalidParameter, match="name it with target=; the columns are 'x', 'z', 'kind', 'y'"):
        train(read_table(tmp_path / "rows.parquet"))


def test_no_optimum_names_the_column(tmp_path):
    frame = rows(200).with_columns(exact=(pl.col("y") == "a").cast(pl.Int64) * 2 + 1)
    with pytest.raises(NoOptimum, match="'exact'"):
        train(as_table(frame, tmp_path), Recipe(alpha=0.0))


def test_record_round_trip(tmp_path):
    table = as_table(rows(200), tmp_path)
    trained = train(table, Recipe(loss="hinge"))
    again = Trained.from_record(trained.record())
    assert np.array_equal(again.score(table).probabilities, trained.score(table).probabilities)
    assert again.quality.measures == trained.quality.measures
    assert again.curve.best == trained.curve.best
