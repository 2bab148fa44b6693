"""Classifiers side by side, the optional import, and the gallery."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.preprocessing import PolynomialFeatures

import linsep
from linsep import LeastSquaresClassifier, LogisticRegression, RadialBasis, plot
from linsep.errors import InvalidData, InvalidParameter
from linsep.plot import gallery
from tests.plot.cases import apart, contour_points, dots, line, mixed

ROOT = Path(__file__).parents[2]


def test_an_outlier_moves_least_squares_alone():
    X, y = apart(30)
    far = np.array([[9.0, 4.0], [9.5, 4.5]])
    before, after = plot.least_squares_and_outlier(X, y, far, 1)
    for ax, rows, classes in ((before, X, y), (after, np.vstack([X, far]), np.append(y, [1, 1]))):
        least = LeastSquaresClassifier(alpha=0.0).fit(rows, classes)
        assert np.allclose(least.decision_function(line(ax, "least squares")), 0.0, atol=1e-9)
        logistic = LogisticRegression(alpha=1e-4).fit(rows, classes)
        assert np.allclose(logistic.decision_function(line(ax, "logistic regression")), 0.0, atol=1e-8)
    assert np.array_equal(dots(after, "outliers"), far)
    with pytest.raises(InvalidParameter, match="label=7 is not a class"):
        plot.least_squares_and_outlier(X, y, far, 7)
    with pytest.raises(InvalidData, match="rows of two finite numbers"):
        plot.least_squares_and_outlier(X, y, [[1.0, 2.0, 3.0]], 1)


def test_memory_and_constant():
    X, y = mixed(100)
    y = np.where(y == 1, "yes", "no")
    train, test = (X[::2], y[::2]), (X[1::2][:60], y[1::2][:60])
    model = LogisticRegression(alpha=1e-2).fit(*train)
    ax = plot.memory_and_constant(model, train, test)
    commonest = max(sorted(set(train[1])), key=list(train[1]).count)
    constant = [np.mean(part[1] == commonest) for part in (train, test)]
    heights = [bar.get_height() for bar in ax.patches]
    expected = [1.0, constant[0], model.score(*train), constant[1], constant[1], model.score(*test)]
    assert np.allclose(heights, expected)
    with pytest.raises(InvalidParameter, match=r"allowed is a pair \(X, y\)"):
        plot.memory_and_constant(model, X, test)


def test_the_boundary_is_the_same_in_both_spaces():
    X, y = mixed()
    basis = RadialBasis([[-1.0, 0.0], [1.0, 0.0]], width=1.0).fit(X)
    model = LogisticRegression(alpha=1e-3).fit(basis.transform(X), y)
    inputs, features = plot.input_and_feature_space(basis, model, X, y)
    assert np.abs(model.decision_function(contour_points(features, 0.0))).max() < 1e-9
    curved = model.decision_function(basis.transform(contour_points(inputs, 0.0)))
    assert np.abs(curved).max() < 0.02  # the contour is straight between the points of the grid
    assert np.array_equal(dots(features, "1"), basis.transform(X)[y == 1])
    assert features.get_xlabel() == "radial(x[0]=-1, x[1]=0)"


def test_one_input_two_features():
    x = np.linspace(-3.0, 3.0, 40)[:, None]
    y = np.abs(x[:, 0]) > 1.5
    basis = PolynomialFeatures(2, include_bias=False).fit(x)
    model = LogisticRegression(alpha=1e-4).fit(basis.transform(x), y)
    inputs, _ = plot.input_and_feature_space(basis, model, x, y)
    edges = sorted(found.get_xdata()[0] for found in inputs.lines if len(set(found.get_xdata())) == 1)
    assert len(edges) == 2
    assert np.abs(model.decision_function(basis.transform(np.array(edges)[:, None]))).max() < 0.5
    with pytest.raises(InvalidData, match="the basis has 3 functions"):
        plot.input_and_feature_space(PolynomialFeatures(2).fit(x), model, x, y)


def test_a_missing_matplotlib_is_explained():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import linsep\n"
        "try:\n    linsep.plot\n"
        "except linsep.errors.MissingPackage as error:\n    print(isinstance(error, ImportError), error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True linsep.plot draws with matplotlib")
    assert "pip install 'linsep[plot]'" in done.stdout


def test_linsep_does_without_matplotlib_and_matplotlib_without_a_display():
    code = "import sys, linsep; print('matplotlib' in sys.modules); print(linsep.plot.step_and_sigmoid().get_ylabel())"
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=bare)
    assert done.stdout.split() == ["False", "output"]


def test_every_function_is_in_the_gallery():
    shown = {picture.function for picture in gallery.PICTURES} | {gallery.MOVING[1]}
    assert shown >= set(plot.__all__)
    assert len({picture.name for picture in gallery.PICTURES}) == len(gallery.PICTURES)


def test_gallery_files_are_there_and_small():
    """If this fails: python -m linsep.plot.gallery docs/pictures."""
    folder = ROOT / "docs" / "pictures"
    assert (folder / "README.md").read_text(encoding="utf-8") == gallery.listing()
    for name in [picture.file for picture in gallery.PICTURES]:
        assert 2_000 < (folder / name).stat().st_size <= 60_000, name


@pytest.mark.parametrize("name", ["hard-margin", "losses", "novikoff-proof"])
def test_gallery_renders(name, tmp_path):
    picture = next(p for p in gallery.PICTURES if p.name == name)
    assert gallery.render(picture, tmp_path).stat().st_size > 2_000
    assert not pyplot.get_fignums()


def test_gallery_says_how_it_is_called(capsys):
    assert gallery.main([]) == 2
    assert "FOLDER" in capsys.readouterr().err
    assert linsep.plot is plot
