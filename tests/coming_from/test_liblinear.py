"""LIBLINEAR: weights that LIBLINEAR 2.50 gave (liblinear-official), and LIBLINEAR itself where it is installed.

    from liblinear.liblinearutil import train
    train(y, X, "-s 0 -c 0.2 -B 1 -R -e 1e-12 -q")

X is scale(iris.data[50:]) with labels 1 and 2, or scale(iris.data) with 0, 1 and 2; the bias comes last.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.coming_from.page import here, rows, three_classes, two_classes

# fmt: off
TWO = {
    "-s 0 -c 0.2 -B 1 -R": [[-0.0658685, 0.2356712, -1.2171999, -1.3967329, -0.0548774]],
    "-s 0 -c 0.2 -B 1": [[-0.0649474, 0.2356327, -1.2174503, -1.3956363, -0.0382817]],
    "-s 0 -c 0.2 -B 10": [[-0.0658553, 0.2356706, -1.217203, -1.3967166, -0.005464]],
    "-s 0 -c 0.2": [[-0.0628801, 0.2355695, -1.2182947, -1.3934337]],
    "-s 0 -c 0.2 -B 1 -R -w1 3": [[-0.0231861, 0.316206, -1.4669349, -1.6949988, 0.7030324]],
    "-s 7 -c 0.2 -B 1": [[-0.0649474, 0.2356327, -1.2174503, -1.3956363, -0.0382817]],
    "-s 1 -c 0.2 -B 1": [[0.2138914, 0.2536864, -0.9361853, -0.8969589, -0.0389509]],
    "-s 2 -c 0.2 -B 1 -R": [[0.2132486, 0.253883, -0.9353692, -0.8982731, -0.0419215]],
    "-s 2 -c 0.2 -B 1": [[0.2138914, 0.2536864, -0.9361853, -0.8969589, -0.0389509]],
    "-s 3 -c 0.2 -B 1": [[0.1474357, 0.3026253, -1.1907469, -1.0588707, 0.0015164]],
    "-s 4 -c 0.2 -B 1": [[0.1435608, 0.2500641, -0.7152358, -0.6872118, -0.1038009],
                         [-0.1435608, -0.2500641, 0.7152358, 0.6872118, 0.1038009]],
    "-s 5 -c 0.2 -B 1": [[0.0875342, 0.2013588, -0.8288204, -0.8850938, 0.0]],
    "-s 5 -c 0.2 -B 1 -R": [[0.0590024, 0.205386, -0.7936843, -0.9177519, -0.0630442]],
    "-s 6 -c 0.2 -B 1": [[0.0, 0.0, -1.2181333, -1.7235977, 0.0]],
    "-s 6 -c 0.2 -B 1 -R": [[0.0, 0.0, -1.2066028, -1.7465324, -0.0838215]],
}
THREE = {
    "-s 0 -c 0.2 -B 1 -R": [[-0.7444305, 0.8507014, -1.1603541, -1.0822122, -1.711844],
                            [0.0907703, -1.0360981, 0.3053219, -0.3261396, -0.8648667],
                            [0.4077903, -0.0943323, 1.1691807, 1.5767405, -1.9850353]],
    "-s 4 -c 0.2 -B 1": [[-0.3212898, 0.4041765, -0.8169914, -0.8249481, -0.0538709],
                         [0.2748972, -0.1393886, -0.2211662, -0.424404, 0.8812757],
                         [0.0463926, -0.2647879, 1.0381576, 1.2493521, -0.8274048]],
}
# fmt: on


def options(cell: str) -> str:
    return cell.replace("-c C", "-c 0.2")


def scores(given: list[list[float]], cell: str, X: Any) -> Any:
    """Of LIBLINEAR's weights; of two classes in our sign, for its first label was 1."""
    bias = float(cell.split("-B ")[1].split()[0]) if "-B" in cell else 0.0
    w = np.array(given)
    z = X @ w[:, :4].T + (bias * w[:, 4] if w.shape[1] == 5 else 0.0)
    return z if len(w) == 3 else (z[:, 1] - z[:, 0] if len(w) == 2 else -z[:, 0])


@pytest.mark.parametrize(("theirs", "ours"), rows("LIBLINEAR, two classes"))
def test_two_classes(theirs: str, ours: str) -> None:
    names = two_classes()
    expected = scores(TWO[options(theirs)], theirs, names["X"])
    np.testing.assert_allclose(here(ours, names).decision_function(names["X"]), expected, atol=1e-5)


@pytest.mark.parametrize(("theirs", "ours"), rows("LIBLINEAR, more classes"))
def test_more_classes(theirs: str, ours: str) -> None:
    names = three_classes()
    expected = scores(THREE[options(theirs)], theirs, names["X"])
    np.testing.assert_allclose(here(ours, names).decision_function(names["X"]), expected, atol=1e-5)


def test_every_figure_has_a_row() -> None:
    assert {options(there) for there, _ in rows("LIBLINEAR, two classes")} == set(TWO)
    assert {options(there) for there, _ in rows("LIBLINEAR, more classes")} == set(THREE)


#: In a process of its own: among others LIBLINEAR's -s 5 has ended far from its optimum.
ALONE = """
import json, sys
from liblinear import liblinearutil as util
options, X, y, count = json.load(sys.stdin)
model = util.train(y, X, options)
json.dump([model.get_labels(), [model.w[i] for i in range(count)]], sys.stdout)
"""


@pytest.mark.parametrize("given", TWO)
def test_figures_are_those_of_liblinear(given: str) -> None:
    pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    names, expected = two_classes(), np.array(TWO[given])
    asked = [f"{given} -e 1e-12 -q", np.asarray(names["X"]).tolist(), np.asarray(names["y"]).tolist(), expected.size]
    done = subprocess.run(
        [sys.executable, "-c", ALONE], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    labels, found = json.loads(done.stdout)
    assert labels == [1, 2]
    np.testing.assert_allclose(np.array(found).reshape(expected.T.shape).T, expected, atol=1e-5)
