"""The programs of LIBLINEAR: `linsep train` on the same file gives the model of the table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import linsep
from linsep.cli.app import main
from tests.coming_from.page import rows, three_classes, two_classes
from tests.coming_from.test_liblinear import THREE, TWO, options, scores

PROGRAMS = [(there, here) for there, here in rows("LIBLINEAR's programs") if "-c C" in there]


@pytest.mark.parametrize(("theirs", "ours"), PROGRAMS)
def test_train(theirs: str, ours: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, path, out = two_classes(), tmp_path / "rows.svm", tmp_path / "rows.linsep"
    dump_svmlight_file(names["X"], names["y"], str(path), zero_based=False)
    words = ours.replace("rows.svm", str(path)).replace("ALPHA", "0.05").split()[1:]
    assert main([*words, "--held-out", "0", "--output", str(out)]) == 0
    cell = options(theirs).removeprefix("train ").removesuffix(" rows.svm")
    expected = scores(TWO[cell], cell, names["X"])
    np.testing.assert_allclose(linsep.load(out).model.decision_function(names["X"]), expected, atol=1e-5)


def test_several_classes_and_predict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, path, out = three_classes(), tmp_path / "rows.svm", tmp_path / "rows.linsep"
    dump_svmlight_file(names["X"], names["y"], str(path), zero_based=False)
    alpha = str(1 / (150 * 0.2))
    given = ["--alpha", alpha, "--multiclass", "ovr", "--held-out", "0", "-o", str(out)]
    assert main(["train", str(path), *given]) == 0
    cell = "-s 0 -c 0.2 -B 1 -R"
    expected = scores(THREE[cell], cell, names["X"])
    np.testing.assert_allclose(linsep.load(out).model.decision_function(names["X"]), expected, atol=1e-5)
    capsys.readouterr()
    assert main(["predict", str(out), str(path)]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [int(float(line["prediction"])) for line in lines] == expected.argmax(axis=1).tolist()


def test_alpha_by_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, path, out = two_classes(), tmp_path / "rows.svm", tmp_path / "rows.linsep"
    dump_svmlight_file(names["X"], names["y"], str(path), zero_based=False)
    words = dict(rows("LIBLINEAR's programs"))["train -C -s 0 rows.svm"].replace("rows.svm", str(path)).split()[1:]
    words = [word if word != "5" else "4" for word in words]
    assert main([*words, "--held-out", "0", "--output", str(out)]) == 0
    assert linsep.load(out).curve.method == "4 folds"


def test_words_and_their_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands for namespaces, -q and --invert_hash: a table, --interaction and summary."""
    names, path, out = two_classes(), tmp_path / "rows.csv", tmp_path / "rows.linsep"
    lines = [
        f"{x[2]:.3f},{x[3]:.3f},{'small' if x[0] < 0 else 'large'},{y}"
        for x, y in zip(names["X"], names["y"], strict=True)
    ]
    path.write_text("\n".join(["a,b,size,kind", *lines]))
    given = ["--target", "kind", "--interaction", "a:b", "--alpha", "0.05", "--held-out", "0", "-o", str(out)]
    assert main(["train", str(path), *given]) == 0
    capsys.readouterr()
    assert main(["summary", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "size=small" in shown
    assert linsep.load(out).model.n_features == 5
