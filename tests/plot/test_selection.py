"""What is drawn of α: the curve's own numbers and marks, the path's own coefficients."""

import numpy as np
import pytest

from linsep import LogisticRegression, plot, regularization_path
from linsep.errors import InvalidParameter, InvalidType
from tests.plot.cases import line, mixed


def test_the_curve_and_its_marks():
    X, y = mixed()
    model = LogisticRegression(alpha="cv").fit(X, y)
    curve = model.alpha_curve_
    ax = plot.alpha_curve(model)
    drawn = line(ax, "left-out log loss, 5 folds")
    np.testing.assert_array_equal(drawn[:, 0], curve.alphas)
    np.testing.assert_array_equal(drawn[:, 1], curve.losses)
    assert (line(ax, f"best, α = {curve.best:.3g}")[:, 0] == curve.best).all()
    assert ax.get_xscale() == "log"
    assert plot.alpha_curve(curve, ax=ax) is ax


def test_the_paths_side_by_side():
    X, y = mixed()
    both = [regularization_path(X, y, l1_ratio=ratio, size=8) for ratio in (0.0, 1.0)]
    panels = plot.coefficient_paths(*both)
    assert panels.shape == (1, 2)
    assert [ax.get_title() for ax in panels.flat] == ["L2", "L1"]
    for ax, path in zip(panels.flat, both, strict=True):
        for j in range(2):
            np.testing.assert_array_equal(line(ax, f"x{j}")[:, 1], path.coefs[:, 0, j])


def test_what_is_refused():
    X, y = mixed()
    with pytest.raises(InvalidType, match="whose alpha is a number"):
        plot.alpha_curve(LogisticRegression().fit(X, y))
    with pytest.raises(InvalidType, match="at least one"):
        plot.coefficient_paths()
    with pytest.raises(InvalidParameter, match="k=1: the path has 1 rows"):
        plot.coefficient_paths(regularization_path(X, y, size=3), k=1)
