"""The path: where it begins, that every point is certified and equals a fit of its own, and how it is shown."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression as Sklearn
from sklearn.metrics import log_loss

from linsep import LinearClassifier, LogisticRegression, regularization_path
from linsep.errors import InvalidParameter, InvalidType
from linsep.model import problems_of
from linsep.selection.grid import largest_alpha, null_loss, null_point
from tests.selection.cases import cancer, noisy, task_of, wine


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_every_point_is_a_fit_of_its_own(l1_ratio):
    X, y = cancer()
    path = regularization_path(X, y, l1_ratio=l1_ratio, size=6, tol=1e-8)
    assert (path.gaps <= 1e-8).all()
    for j in (0, 2, 5):
        alone = LogisticRegression(alpha=path.alphas[j], l1_ratio=l1_ratio, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(path.coef(j), alone.coef_, atol=2e-4 * max(1.0, np.abs(alone.coef_).max()))
        assert path.nonzeros[j] == np.count_nonzero(path.coef(j))
        null = log_loss(y, np.full(len(y), y.mean()))
        explained = 1.0 - log_loss(y, alone.predict_proba(X)) / null
        assert abs(path.deviance[j] - explained) < 1e-6


@pytest.mark.parametrize("classes", [2, 3])
def test_it_begins_where_all_weights_are_zero(classes):
    X, y = cancer() if classes == 2 else wine()
    path = regularization_path(X, y, l1_ratio=1.0, size=20)
    assert path.nonzeros[0] == 0
    assert path.nonzeros[1] > 0
    for factor, zero in ((1.0 + 1e-6, True), (0.98, False)):
        model = LogisticRegression(alpha=factor * path.alphas[0], l1_ratio=1.0).fit(X, y)
        assert (model.coef_ == 0.0).all() == zero


def test_the_top_with_factors_and_offset_is_exact_too():
    X, y = noisy()
    factors = np.ones(8)
    factors[0], factors[3] = 0.0, 2.0
    offset = 0.3 * X[:, 1]
    path = regularization_path(X, y, l1_ratio=1.0, size=10, penalty_factors=factors, offset=offset)
    assert path.nonzeros[0] == 1  # the free column
    model = LogisticRegression(alpha=0.97 * path.alphas[0], l1_ratio=1.0, penalty_factors=factors)
    assert np.count_nonzero(model.fit(X, y, offset=offset).coef_) == 2


def test_l2_begins_with_nearly_nothing_and_explains_more_and_more():
    X, y = cancer()
    path = regularization_path(X, y, size=15)
    assert path.deviance[0] < 0.02
    assert (np.diff(path.deviance) > 0).all()
    assert path.alphas[0] == largest_alpha(task_of(X, y).training, task_of(X, y).objective)
    np.testing.assert_allclose(np.diff(np.log(path.alphas)), np.log(1e-7) / 14, rtol=1e-9)


def test_scikit_learn_agrees():
    X, y = cancer()
    path = regularization_path(X, y, alphas=[0.1, 0.01], tol=1e-9)
    for j, alpha in enumerate(path.alphas):
        theirs = Sklearn(C=1 / (len(y) * alpha), tol=1e-10, max_iter=9999).fit(X, y)
        np.testing.assert_allclose(path.coef(j), theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("scheme", ["auto", "ovr"])
def test_deviance_of_several_classes_counts_the_offset(scheme):
    X, y = wine()
    offset = 2.0 * np.random.default_rng(0).normal(size=(len(y), 3))
    path = regularization_path(X, y, l1_ratio=1.0, size=6, ratio=1e-2, offset=offset, multiclass=scheme, tol=1e-8)

    def loss(j):
        scores = X @ path.coef(j).T + path.intercepts[j] + offset
        if scheme == "ovr":
            return np.logaddexp(0.0, np.where(np.eye(3)[y] == 1.0, -scores, scores)).mean()
        return np.mean(logsumexp(scores, axis=1) - scores[np.arange(len(y)), y])

    assert path.nonzeros[0] == 0  # so that the first is the model without features
    assert abs(path.deviance[0]) < 1e-7
    for j in (2, 5):
        np.testing.assert_allclose(path.deviance[j], 1.0 - loss(j) / loss(0), atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "squared"])
@pytest.mark.parametrize("scheme", ["auto", "ovo"])
def test_other_losses_and_several_classes(loss, scheme):
    X, y = wine()
    path = regularization_path(X, y, loss, size=4, ratio=1e-3, multiclass=scheme)
    assert path.coefs.shape == (4, 3, 13)
    assert (path.gaps <= 1e-4).all()
    assert path.deviance[-1] > path.deviance[0]


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_the_hinge_loss_with_l1(ratio):
    X, y = cancer()
    path = regularization_path(X, y, "hinge", l1_ratio=ratio, size=12)
    assert (path.gaps <= 1e-4).all()
    assert path.nonzeros[0] == 0
    assert path.nonzeros[1] > 0
    assert path.deviance[0] == pytest.approx(0.0, abs=1e-12)
    assert (np.diff(path.deviance) > 0).all()
    weighted = regularization_path(X, y, "hinge", l1_ratio=ratio, size=3, penalty_factors=np.linspace(0.5, 2.0, 30))
    assert weighted.nonzeros[0] == 0
    assert (weighted.gaps <= 1e-4).all()


def test_weights_are_repetitions():
    X, y = noisy(150)
    copies = np.random.default_rng(0).integers(0, 3, 150)
    rows = np.repeat(np.arange(150), copies)
    weighted = regularization_path(X, y, l1_ratio=0.5, size=5, sample_weight=copies)
    repeated = regularization_path(X[rows], y[rows], l1_ratio=0.5, size=5)
    np.testing.assert_allclose(weighted.alphas, repeated.alphas, rtol=1e-9)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-5)
    np.testing.assert_allclose(weighted.deviance, repeated.deviance, atol=1e-8)


def test_wide_l1_paths_are_kept_sparse():
    random = np.random.default_rng(0)
    X = sparse.random_array((100, 12_000), density=0.01, rng=random).tocsr()
    y = (X[:, :5].sum(axis=1) + 0.01 * random.normal(size=100) > 0.02).astype(int)
    path = regularization_path(X, y, l1_ratio=1.0, size=5)
    assert sparse.issparse(path.coefs)
    assert path.coefs.shape == (5, 12_000)
    assert np.count_nonzero(path.coef(4)) == path.nonzeros[4]
    margins = (2 * y - 1) * (X @ path.coef(4)[0] + path.intercepts[4, 0])
    explained = 1.0 - np.logaddexp(0.0, -margins).mean() / log_loss(y, np.full(len(y), y.mean()))
    assert abs(path.deviance[4] - explained) < 1e-9  # every weight stands at its own column
    with pytest.raises(InvalidParameter, match="24,000"):
        _too_many(path)


def _too_many(path):
    from dataclasses import replace

    return replace(path, coefs=sparse.hstack([path.coefs, path.coefs]).tocsr()).coefficients()


def test_frames_and_columns():
    pandas = pytest.importorskip("pandas")
    X, y = cancer()
    names = [f"column {j}" for j in range(30)]
    path = regularization_path(pandas.DataFrame(X, columns=names), y, size=3)
    frame = path.frame()
    assert list(frame.columns)[:6] == ["alpha", "nonzeros", "deviance_explained", "gap", "seconds", "intercept"]
    assert "column 29" in frame.columns
    assert len(frame) == len(path) == 3
    several = regularization_path(*wine(), size=2).columns(coefficients=True)
    np.testing.assert_array_equal(several["2: x0"], regularization_path(*wine(), size=2).coefs[:, 2, 0])
    assert "class 1 against class 0: x0" in regularization_path(*wine(), size=2, multiclass="ovo").coefficients()


def test_a_time_limit_keeps_the_points_so_far():
    X, y = cancer()
    path = regularization_path(X, y, time_limit=1e-9, size=50)
    assert 1 <= len(path) < 50


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"l1_ratio": 2.0}, InvalidParameter, "l1_ratio=2.0"),
        ({"ratio": 1.5}, InvalidParameter, "ratio=1.5: allowed is a number between 0 and 1"),
        ({"size": 0}, InvalidParameter, "size=0"),
        ({"alphas": [-1.0]}, InvalidParameter, "finite numbers > 0"),
        ({"alphas": ["a"]}, InvalidType, "numbers > 0"),
        ({"loss": "softmax"}, InvalidParameter, "loss of K scores"),
    ],
)
def test_what_is_refused(arguments, error, message):
    X, y = noisy(50)
    with pytest.raises(error, match=message):
        regularization_path(X, y, **arguments)


def test_progress(capsys):
    X, y = noisy(50)
    regularization_path(X, y, size=3, verbose=2)
    assert "problem 3 of 3" in capsys.readouterr().err
    LinearClassifier(alpha="cv", verbose=2).fit(X, y)
    assert "choosing alpha: value 2 of 20" in capsys.readouterr().err


class Patient:
    """Notes all stages; presses Ctrl-C when value number `at` of a stage begins."""

    def __init__(self, stage: str = "", at: int = -1) -> None:
        self.stages: list[str] = []
        self.records = 0
        self.stop = (stage, at)

    def stage(self, name: str) -> None:
        self.stages.append(name)

    def begin(self, problem: int, count: int) -> None:
        if (self.stages[-1:], problem) == ([self.stop[0]], self.stop[1]):
            raise KeyboardInterrupt

    def __call__(self, record) -> None:
        self.records += 1


def test_anyone_may_watch():
    X, y = noisy(50)
    watch = Patient()
    LinearClassifier("hinge", alpha="auto", probability=True, verbose=watch).fit(X, y)
    assert watch.stages == ["choosing alpha", "fitting", "making scores probabilities"]
    assert watch.records > 5


@pytest.mark.parametrize("multiclass", ["auto", "ovr"])
def test_the_largest_alpha_leaves_no_weight_with_many_classes(multiclass):
    """Weights that are small enough for tol would do for a certificate, but not for a path."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = sparse.csr_array(rng.random((200, 1500)) < 0.05).astype(float), rng.integers(0, 3, 200)
        path = regularization_path(X, y, l1_ratio=1.0, size=2, ratio=0.8, multiclass=multiclass)
        assert path.nonzeros[0] == 0 < path.nonzeros[1]
        assert path.gaps.max() <= 1e-4


def test_softmax_without_features_gives_every_class_its_share():
    X, y = wine()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    task = task_of(X, y, weights=weights)
    (problem,) = problems_of(task.training, task.objective)
    shares = np.bincount(y, weights=weights) / weights.sum()
    point = null_point(problem)
    np.testing.assert_allclose(point.w[-1], np.log(shares) - np.log(shares).mean(), rtol=1e-12)
    np.testing.assert_allclose(point.grad[-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(null_loss(problem), -(shares * np.log(shares)).sum(), rtol=1e-12)
