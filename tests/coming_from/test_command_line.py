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
