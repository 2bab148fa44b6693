"""Cross-validation against brute-force refits, scikit-learn, repeated rows, and by its own rules."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Sklearn
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import PredefinedSplit

import linsep
from linsep import CrossValidation, LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.model import Effort
from linsep.selection import CHOOSERS
from linsep.selection.folds import _Deal
from linsep.selection.refits import OneByOne, TogetherIfPossible, fits_of
from linsep.selection.walk import Walk
from tests.selection.cases import cancer, noisy, task_of, wine

ALPHAS = [1.0, 0.1, 0.01, 1e-3]


def brute_force(make, X, y, fold, alphas, loss):
    """Mean left-out loss and its standard error by separate fits."""
    means = np.array(
        [
            [loss(make(a).fit(X[fold != f], y[fold != f]), X[fold == f], y[fold == f]) for f in np.unique(fold)]
            for a in alphas
        ]
    )
    sizes = np.bincount(fold)
    mean = np.average(means, axis=1, weights=sizes)
    spread = np.average((means - mean[:, None]) ** 2, axis=1, weights=sizes)
    return mean, np.sqrt(spread / (len(sizes) - 1))


def folds_for(n, count=4, seed=0):
    return np.random.default_rng(seed).permutation(n) % count


@pytest.mark.parametrize("loss", ["log", "squared_hinge", "smoothed_hinge", "squared", "exponential", "hinge"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_equals_separate_fits(loss, storage):
    X, y = noisy()
    fold = folds_for(len(y))
    curve = CrossValidation(folds=fold, alphas=ALPHAS).curve(task_of(storage(X), y, loss))
    value = linsep.problem.losses.get(loss).value

    def left_out(model, rows, labels):
        return value(np.where(labels == "yes", 1.0, -1.0) * model.decision_function(rows)).mean()

    mean, error = brute_force(lambda a: LinearClassifier(loss, alpha=a), X, y, fold, ALPHAS, left_out)
    tolerance = 1e-3 * error.min() if loss != "hinge" else 0.05 * error.min()
    np.testing.assert_allclose(curve.losses, mean, atol=tolerance)
    np.testing.assert_allclose(curve.errors, error, rtol=0.02)


@pytest.mark.parametrize("scheme", ["softmax", "ovr", "ovo", "ecoc"])
def test_several_classes_equal_separate_fits(scheme):
    X, y = wine()
    fold = folds_for(len(y))
    curve = CrossValidation(folds=fold, alphas=ALPHAS, scoring="accuracy").curve(task_of(X, y, scheme=scheme))
    mean, error = brute_force(
        lambda a: LogisticRegression(alpha=a, multiclass=scheme), X, y, fold, ALPHAS, lambda m, A, b: -m.score(A, b)
    )
    np.testing.assert_allclose(curve.losses, mean, atol=1e-12)
    np.testing.assert_allclose(curve.errors, error, atol=1e-12)


def test_together_and_one_by_one_are_the_same():
    X, y = cancer()
    task = task_of(X, y)
    folds = _Deal.of(task.training, folds_for(len(y))).folds
    together = fits_of(task.training, task.objective, task.effort, folds)
    assert isinstance(together, TogetherIfPossible)
    alone = OneByOne(task.training, task.objective, Effort(tol=1e-8), folds)
    for alpha in (1.0, 1e-2, 1e-4):
        (ours, gap), (theirs, _) = together.at(alpha), alone.at(alpha)
        assert gap < 1e-3
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a.scores, b.scores, atol=2e-3 * np.abs(b.scores).max())
    assert not together.failed


def test_wide_data_by_conjugate_gradients():
    random = np.random.default_rng(1)
    X = sparse.random_array((300, 3000), density=0.02, rng=random).tocsr()
    y = np.where(X @ random.normal(size=3000) + 0.3 * random.normal(size=300) > 0, 1, 0)
    task = task_of(X, y, "exponential")
    folds = _Deal.of(task.training, folds_for(len(y))).folds
    together = fits_of(task.training, task.objective, task.effort, folds)
    assert isinstance(together, TogetherIfPossible)
    alone = OneByOne(task.training, task.objective, Effort(tol=1e-8), folds)
    for alpha in (1e-2, 1e-3):
        ours, theirs = together.at(alpha)[0], alone.at(alpha)[0]
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a.scores, b.scores, atol=0.02 * np.abs(b.scores).std())


def test_losses_of_scikit_learn():
    X, y = cancer()
    fold = folds_for(len(y), 3)
    n_train = len(y) * 2 / 3
    C = np.array([0.01, 0.1, 1.0])
    theirs = (
        LogisticRegressionCV(
            Cs=C, cv=PredefinedSplit(fold), scoring="neg_log_loss", tol=1e-8, max_iter=5000, use_legacy_attributes=True
        )
        if "use_legacy_attributes" in LogisticRegressionCV().get_params()
        else LogisticRegressionCV(Cs=C, cv=PredefinedSplit(fold), scoring="neg_log_loss", tol=1e-8, max_iter=5000)
    )
    theirs.fit(X, y)
    scores = np.asarray(next(iter(theirs.scores_.values())))
    # C on the sum is α = 1/(nC), n the rows of the training part, which differ by one between the folds
    ours = CrossValidation(folds=fold, alphas=1.0 / (n_train * C)).curve(task_of(X, y))
    np.testing.assert_allclose(ours.losses, -np.average(scores, axis=0, weights=np.bincount(fold)), rtol=2e-3)


def test_weights_are_repetitions_where_folds_are_given():
    X, y = noisy(200)
    copies = np.random.default_rng(2).integers(0, 4, 200)
    fold = folds_for(200)
    weighted = CrossValidation(folds=fold, alphas=ALPHAS).curve(task_of(X, y, weights=copies.astype(float)))
    rows = np.repeat(np.arange(200), copies)
    repeated = CrossValidation(folds=fold[rows], alphas=ALPHAS).curve(task_of(X[rows], y[rows]))
    np.testing.assert_allclose(weighted.losses, repeated.losses, rtol=1e-6)
    np.testing.assert_allclose(weighted.errors, repeated.errors, rtol=1e-5)


def test_rules_and_attributes():
    X, y = noisy()
    best = LogisticRegression(alpha="cv").fit(X, y)
    simpler = LogisticRegression(alpha=CrossValidation(rule="one_standard_error")).fit(X, y)
    curve = best.alpha_curve_
    assert best.alpha_ == curve.best == best.model_.alpha
    assert simpler.alpha_ == curve.one_standard_error > best.alpha_
    at = list(curve.alphas).index(simpler.alpha_)
    least = curve.losses.min()
    assert curve.losses[at] <= least + curve.errors[np.argmin(curve.losses)]
    assert best.certificate_.holds
    number = LogisticRegression(alpha=0.5).fit(X, y)
    assert number.alpha_ == 0.5
    assert number.alpha_curve_ is None


@pytest.mark.parametrize("estimator", [LogisticRegression, LinearSVM, LeastSquaresClassifier, LinearClassifier])
def test_every_estimator_finds_something_near_the_best(estimator):
    X, y = noisy(200, 20)
    model = estimator(alpha="cv").fit(X, y)
    curve = model.alpha_curve_
    assert not curve.at_edge
    assert curve.losses[0] > curve.losses.min() + curve.errors[0] / 2


def test_the_same_for_any_number_of_threads_and_run():
    X, y = noisy(3000, 40)
    curves = [LogisticRegression(alpha="cv", n_jobs=jobs).fit(X, y).alpha_curve_ for jobs in (1, 2, 2)]
    for other in curves[1:]:
        assert (curves[0].losses == other.losses).all()
        assert (curves[0].errors == other.errors).all()


def test_seeds_and_repeats():
    X, y = noisy()
    one, same, other = (
        LogisticRegression(alpha="cv", random_state=seed).fit(X, y).alpha_curve_.losses for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()
    own = LogisticRegression(alpha=CrossValidation(seed=1), random_state=5).fit(X, y).alpha_curve_.losses
    assert (own == one).all()
    repeated = LogisticRegression(alpha=CrossValidation(repeats=3)).fit(X, y).alpha_curve_
    assert repeated.method == "5 folds, dealt 3 times"
    once = LogisticRegression(alpha="cv").fit(X, y).alpha_curve_
    assert np.median(repeated.errors / once.errors) > 0.4  # more deals are not more rows


def test_groups_are_respected():
    random = np.random.default_rng(0)
    base, y = noisy(60, 30)
    groups = np.repeat(np.arange(60), 5)
    X, y = np.repeat(base, 5, axis=0) + 1e-3 * random.normal(size=(300, 30)), np.repeat(y, 5)
    leaking = LogisticRegression(alpha="cv").fit(X, y).alpha_curve_
    honest = LogisticRegression(alpha="cv").fit(X, y, groups=groups).alpha_curve_
    assert honest.losses.min() > 1.5 * leaking.losses.min()  # copies of left-out rows no longer help
    with pytest.raises(InvalidParameter, match="groups are for the choice of alpha"):
        LogisticRegression().fit(X, y, groups=groups)


def test_metadata_routing():
    from sklearn import config_context
    from sklearn.model_selection import GroupKFold, cross_validate

    X, y = noisy(120)
    groups = np.arange(120) // 4
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression(alpha="cv").set_fit_request(groups=True)
        found = cross_validate(model, X, y, cv=GroupKFold(3), params={"groups": groups}, return_estimator=True)
    assert all(m.alpha_curve_.method == "5 folds" for m in found["estimator"])


def test_a_class_that_a_fold_lacks():
    X, y = wine()
    y = y.astype(object)
    y[0] = 7  # one row of its own
    for scheme in ("softmax", "ovr", "ovo"):
        curve = LogisticRegression(alpha="cv", multiclass=scheme).fit(X, y.astype(int)).alpha_curve_
        assert np.isfinite(curve.losses).all()
        assert any("lacks class 7" in note for note in curve.notes)
    scored = CrossValidation(scoring="balanced_accuracy").curve(task_of(X, y.astype(int)))
    assert np.isfinite(scored.losses).all()
    with pytest.raises(InvalidData, match="the scorer 'neg_log_loss' cannot score the left-out rows"):
        CrossValidation(scoring="neg_log_loss").curve(task_of(X, y.astype(int)))


def test_a_fold_without_a_class_to_learn_is_not_counted():
    X, y = noisy(100)
    y[:] = "no"
    y[:10] = "yes"
    fold = np.arange(100) % 4
    fold[:10] = 0
    curve = CrossValidation(folds=fold, alphas=ALPHAS).curve(task_of(X, y))
    assert any("not counted" in note for note in curve.notes)
    with pytest.raises(InvalidData, match="fewer than two folds"):
        CrossValidation(folds=np.arange(100) < 10).curve(task_of(X, y))


def test_a_small_rise_at_the_top_does_not_cut_the_grid_short():
    """Where the model says next to nothing a loss may rise by 1e-4, surely, before it falls by 1e-2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 6))
    y = np.digitize(X @ rng.normal(size=6) + rng.logistic(size=240), [-1.5, 1.5])
    curve = CrossValidation().curve(task_of(X, y, "hinge", "crammer_singer"))
    assert curve.losses[1] > curve.losses[0]
    assert curve.best < 1.0
    one_vs_rest = CrossValidation().curve(task_of(X, y, "hinge", "ovr"))
    assert any("largest tried" in note for note in one_vs_rest.notes) == (one_vs_rest.best == one_vs_rest.alphas[0])


def test_the_grid_is_extended_and_cut_short():
    X, y = noisy(400, 5)
    easy = X[:, 0] > 0
    easy[:3] ^= True
    curve = CrossValidation(size=3).curve(task_of(X * 1e-4, easy))  # tiny columns: the best α is tiny too
    assert not curve.at_edge or any("smallest tried" in note for note in curve.notes)
    short = CrossValidation().curve(task_of(np.random.default_rng(0).normal(size=(60, 100)), np.arange(60) % 2))
    assert any("only got worse" in note for note in short.notes)
    given = CrossValidation(alphas=[10.0, 5.0]).curve(task_of(X, y))
    assert list(given.alphas) == [10.0, 5.0]
    assert any("smallest tried, 5: a better one may lie beyond" in note for note in given.notes)


def test_scorers():
    X, y = cancer()
    fold = folds_for(len(y))
    task = task_of(X, y)
    auc = CrossValidation(folds=fold, alphas=ALPHAS, scoring="roc_auc").curve(task)
    assert auc.scored == "minus roc_auc"
    assert -1.0 < auc.losses.min() < -0.98

    def misses(model, rows, labels):
        return -float((model.predict(rows) != labels).sum())

    counted = CrossValidation(folds=fold, alphas=ALPHAS, scoring=misses).curve(task)
    assert counted.scored == "minus misses"
    log = CrossValidation(folds=fold, alphas=ALPHAS, scoring="neg_log_loss").curve(task)
    np.testing.assert_allclose(log.losses, CrossValidation(folds=fold, alphas=ALPHAS).curve(task).losses, rtol=1e-9)


def test_time_limit_keeps_what_was_found():
    X, y = noisy(2000, 30)
    curve = CrossValidation().curve(task_of(X, y).__class__(*_with_limit(task_of(X, y))))
    assert 1 <= len(curve.alphas) < 20
    assert any("time_limit" in note for note in curve.notes)


def _with_limit(task):
    from dataclasses import replace

    return task.training, task.objective, replace(task.effort, time_limit=1e-9)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: CrossValidation(folds=1), InvalidParameter, "folds=1: allowed is a whole number >= 2"),
        (lambda: CrossValidation(folds=2.5), InvalidType, "folds=2.5"),
        (lambda: CrossValidation(rule="1se"), InvalidParameter, "unknown rule '1se'"),
        (lambda: CrossValidation(alphas=[0.0, 1.0]), InvalidParameter, "finite numbers > 0"),
        (lambda: CrossValidation(alphas="many"), InvalidType, "allowed are numbers"),
        (lambda: CrossValidation(folds=[0, 1], repeats=2), InvalidParameter, "there is one deal"),
        (lambda: CrossValidation(scoring="best").curve(task_of(*noisy(50))), InvalidParameter, "get_scorer_names"),
        (lambda: CrossValidation(scoring=3).curve(task_of(*noisy(50))), InvalidType, "is a int"),
        (lambda: LogisticRegression(alpha="vc").fit(*noisy(50)), InvalidType, "'cv', or an object"),
        (lambda: LogisticRegression(alpha="cv").fit(*noisy(50), groups=[1]), InvalidData, "one label a row"),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_names_and_log_loss_of_scikit_learn():
    assert CHOOSERS["cv"] is CrossValidation
    X, y = cancer()
    fold = folds_for(len(y), 2)
    curve = CrossValidation(folds=fold, alphas=[0.01]).curve(task_of(X, y))
    expected = np.mean([
        log_loss(y[fold == f], Sklearn(C=1 / (0.01 * (fold != f).sum()), tol=1e-10, max_iter=9999)
                 .fit(X[fold != f], y[fold != f]).predict_proba(X[fold == f]))
        for f in (0, 1)
    ])  # fmt: skip
    assert abs(curve.losses[0] - expected) < 1e-4


def test_values_that_are_given_reach_the_fits_as_plain_numbers():
    """Kernels take no bool of NumPy, and whatever is compared with a number of NumPy becomes one."""
    tried = []
    Walk(lambda alpha: (tried.append(alpha), (1.0, 0.1, 0.0))[1], np.inf).through(np.array([1.0, 0.1]))
    assert [type(alpha) for alpha in tried] == [float, float]
