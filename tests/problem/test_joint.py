"""K-score losses: against their definition row by row in mpmath, conjugacy, shifts, Hessians, names."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from linsep.errors import InvalidParameter, InvalidType, Refused
from linsep.problem import joint, losses
from linsep.problem.joint import JOINT_LOSSES, JointLoss
from linsep.types import FloatArray, IntArray

ALL = list(JOINT_LOSSES)
SMOOTH = [loss for loss in ALL if loss.smooth]
SHIFT_INVARIANT = [joint.get("softmax"), joint.get("crammer_singer")]

TEXTBOOK: dict[str, Callable[[list[Any], int], Any]] = {
    # written relative to Z_y, so that 80 digits suffice in the tail where y wins
    "softmax": lambda Z, y: mpmath.log1p(sum(mpmath.exp(z - Z[y]) for k, z in enumerate(Z) if k != y)),
    "crammer_singer": lambda Z, y: max(z + (k != y) for k, z in enumerate(Z)) - Z[y],
    "one_of_k": lambda Z, y: mpmath.fsum((z - (k == y)) ** 2 for k, z in enumerate(Z)),
}


def by_name(losses: list[JointLoss]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("loss", losses, ids=lambda loss: loss.name)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with np.errstate(all="raise", under="ignore"):
        yield


def scores(scale: float, K: int = 5, n: int = 60) -> tuple[FloatArray, IntArray]:
    random = np.random.default_rng(K)
    return scale * random.normal(size=(n, K)), random.integers(0, K, n)


def simplex(n: int, K: int) -> FloatArray:
    """Points of the simplex: inside, on faces, and corners."""
    random = np.random.default_rng(n)
    q = random.exponential(size=(n, K)) * (random.random((n, K)) < 0.7)
    q[np.arange(n), random.integers(0, K, n)] += 0.1
    total: FloatArray = q.sum(axis=1, keepdims=True)
    return q / total


def one_hot(y: IntArray, K: int) -> FloatArray:
    return np.eye(K)[y]


def test_the_registry_is_the_list_of_the_design() -> None:
    assert set(TEXTBOOK) == set(JOINT_LOSSES.names())
    assert {loss.name: loss.binary for loss in ALL} == {
        "softmax": "log",
        "crammer_singer": "hinge",
        "one_of_k": "squared",
    }
    assert all(losses.get(str(loss.binary)).joint == loss.name for loss in ALL)
    assert [loss.name for loss in ALL if loss.probability] == ["softmax"]
    assert [loss.name for loss in ALL if not loss.smooth] == ["crammer_singer"]
    assert all(loss.convex and loss.kernel == loss.name for loss in ALL)


@by_name(ALL)
@pytest.mark.parametrize("scale", [0.0, 1e-8, 1.0, 10.0, 40.0, 1e3, 1e5])
@pytest.mark.parametrize("K", [2, 3, 7])
def test_value_against_the_definition(loss: JointLoss, scale: float, K: int) -> None:
    Z, y = scores(scale, K, 20)
    with mpmath.workdps(80):
        rows = zip(Z.tolist(), y.tolist(), strict=True)
        truth = [float(TEXTBOOK[loss.name]([mpmath.mpf(z) for z in row], own)) for row, own in rows]
    # the scores' own rounding, |Z - Z_y| to one unit in its last place, bounds what any method can give
    spread = np.ptp(Z, axis=1)
    assert (np.abs(loss.value(Z, y) - truth) <= 1e-15 * np.abs(truth) * (2 + spread) + 1e-300).all()


@by_name(ALL)
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_gradient_against_mpmath(loss: JointLoss, scale: float) -> None:
    Z, y = scores(scale, 4, 12)
    truth = np.empty_like(Z)
    with mpmath.workdps(80):
        for i, (row, own) in enumerate(zip(Z.tolist(), y.tolist(), strict=True)):
            for k in range(4):
                along = lambda t, row=row, own=own, k=k: TEXTBOOK[loss.name](  # noqa: E731
                    [mpmath.mpf(z) + (t if j == k else 0) for j, z in enumerate(row)], own
                )
                truth[i, k] = float(mpmath.diff(along, 0))
    # relative accuracy entry by entry, the one of the own class included
    np.testing.assert_allclose(loss.gradient(Z, y), truth, rtol=1e-13, atol=1e-60)


@by_name(ALL)
def test_gradient_is_a_subgradient(loss: JointLoss) -> None:
    Z, y = scores(2.0)
    other = np.random.default_rng(1).normal(size=Z.shape) * 3
    bound = loss.value(Z, y) + np.einsum("nk,nk->n", loss.gradient(Z, y), other - Z)
    assert (loss.value(other, y) >= bound - 1e-12).all()
    at_a_tie = np.zeros_like(Z)
    bound = loss.value(at_a_tie, y) + np.einsum("nk,nk->n", loss.gradient(at_a_tie, y), other)
    assert (loss.value(other, y) >= bound - 1e-12).all()


@by_name(ALL)
@pytest.mark.parametrize("size", [1e3, 1e8, 1e300])
def test_huge_scores(loss: JointLoss, size: float) -> None:
    Z = np.array([[size, 0, -size], [-size, size, 0], [size, size, size], [-size, -size, -size]])
    y = np.array([0, 0, 1, 2])
    value, gradient = loss.value(Z, y), loss.gradient(Z, y)
    assert not np.isnan(value).any()
    assert np.isfinite(gradient).all()
    if loss.name != "one_of_k":
        np.testing.assert_allclose(value[:2], [0, 2 * size + (loss.name == "crammer_singer")], rtol=1e-15)
        np.testing.assert_allclose(value[2:], np.log(3) if loss.smooth else 1.0, rtol=1e-15)
    if loss.smooth:
        assert np.isfinite(loss.hessian_product(Z, y, np.ones_like(Z))).all()


@by_name(SHIFT_INVARIANT)
def test_a_common_shift_of_the_scores_changes_nothing(loss: JointLoss) -> None:
    Z, y = scores(4.0)
    Z = np.round(Z * 64) / 64  # so that adding the shift is exact
    shift = np.array([[1024.0], [-4096.0], [0.5]] * 20)
    np.testing.assert_array_equal(loss.value(Z + shift, y), loss.value(Z, y))
    np.testing.assert_array_equal(loss.gradient(Z + shift, y), loss.gradient(Z, y))
    np.testing.assert_allclose(loss.gradient(Z, y).sum(axis=1), 0, atol=1e-15)


@by_name(SHIFT_INVARIANT)
def test_two_classes_are_the_margin_loss(loss: JointLoss) -> None:
    Z, y = scores(3.0, K=2)
    binary = losses.get(str(loss.binary))
    M = Z[np.arange(len(y)), y] - Z[np.arange(len(y)), 1 - y]
    np.testing.assert_allclose(loss.value(Z, y), binary.value(M), rtol=1e-14)
    own = loss.gradient(Z, y)[np.arange(len(y)), y]
    np.testing.assert_allclose(own, binary.d1(M), rtol=1e-14)
    theta = -loss.gradient(Z, y)
    np.testing.assert_allclose(loss.conjugate(theta, y), binary.conjugate(-own), rtol=1e-12, atol=1e-15)


@by_name(SMOOTH)
def test_hessian_product_is_the_slope_of_the_gradient(loss: JointLoss) -> None:
    Z, y = scores(2.0)
    V = np.random.default_rng(2).normal(size=Z.shape)
    h = 1e-5
    slope = (loss.gradient(Z + h * V, y) - loss.gradient(Z - h * V, y)) / (2 * h)
    np.testing.assert_allclose(loss.hessian_product(Z, y, V), slope, rtol=1e-7, atol=1e-9)


@by_name(SMOOTH)
@pytest.mark.parametrize("scale", [1.0, 15.0])
def test_hessian_is_symmetric_and_positive_semidefinite(loss: JointLoss, scale: float) -> None:
    Z, y = scores(scale)
    n, K = Z.shape
    columns = [loss.hessian_product(Z, y, np.tile(e, (n, 1))) for e in np.eye(K)]
    hessian = np.stack(columns, axis=2)
    np.testing.assert_allclose(hessian, hessian.transpose(0, 2, 1), rtol=1e-12, atol=1e-300)
    assert np.linalg.eigvalsh(hessian).min() >= -1e-15
    if loss in SHIFT_INVARIANT:
        np.testing.assert_allclose(loss.hessian_product(Z, y, np.ones_like(Z)), 0, atol=1e-16)


@pytest.mark.parametrize("own", [0, 1])
def test_softmax_hessian_keeps_its_tail_where_one_class_is_almost_certain(own: int) -> None:
    Z, y = np.array([[60.0, 0.0, 1.0]]), np.array([own])
    V = np.array([[0.3, -1.0, 2.0]])
    with mpmath.workdps(60):
        e = [mpmath.exp(mpmath.mpf(z)) for z in Z[0].tolist()]
        p = [t / mpmath.fsum(e) for t in e]
        v = [mpmath.mpf(t) for t in V[0].tolist()]
        mean = mpmath.fdot(p, v)
        truth = [float(pk * (vk - mean)) for pk, vk in zip(p, v, strict=True)]
    np.testing.assert_allclose(joint.get("softmax").hessian_product(Z, y, V)[0], truth, rtol=1e-13)


@by_name(ALL)
def test_fenchel_young_inequality(loss: JointLoss) -> None:
    for K in (2, 5):
        q = simplex(80, K)
        Z, y = scores(4.0, K, 80)
        theta = one_hot(y, K) - q
        conjugate = loss.conjugate(theta, y)
        assert np.isfinite(conjugate).all()
        for shuffle in range(40):
            moved = np.roll(Z, shuffle, axis=0)
            total = loss.value(moved, y) + conjugate + np.einsum("nk,nk->n", theta, moved)
            assert (total >= -1e-13).all()


@by_name(ALL)
@pytest.mark.parametrize("scale", [0.0, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("K", [2, 3, 50, 1000])
def test_fenchel_young_equality_at_the_gradient(loss: JointLoss, scale: float, K: int) -> None:
    Z, y = scores(scale, K)
    theta = -loss.gradient(Z, y)
    product = np.einsum("nk,nk->n", theta, Z)
    room = 1e-14 * (1 + loss.value(Z, y) + np.abs(theta * Z).sum(axis=1))
    assert (np.abs(loss.value(Z, y) + loss.conjugate(theta, y) + product) <= room).all()
    assert (np.abs(loss.fenchel(Z, y) - loss.conjugate(theta, y)) <= room).all()


def test_conjugates_in_closed_form() -> None:
    q, y = simplex(50, 4), np.arange(50) % 4
    theta = one_hot(y, 4) - q
    others = q.sum(axis=1) - q[np.arange(50), y]
    hinge = joint.get("crammer_singer").conjugate(theta, y)
    np.testing.assert_allclose(hinge, -others, rtol=1e-13, atol=1e-15)
    entropy = (q * np.log(np.where(q > 0, q, 1))).sum(axis=1)
    np.testing.assert_allclose(joint.get("softmax").conjugate(theta, y), entropy, rtol=1e-13, atol=1e-14)
    corner = one_hot(y, 4) - one_hot((y + 1) % 4, 4)
    np.testing.assert_array_equal(joint.get("softmax").conjugate(corner, y), 0)
    np.testing.assert_array_equal(joint.get("softmax").conjugate(np.zeros((50, 4)), y), 0)
    np.testing.assert_array_equal(joint.get("crammer_singer").conjugate(corner, y), -1)


def test_conjugate_of_one_of_k_against_its_maximiser() -> None:
    random = np.random.default_rng(3)
    theta, y = random.normal(size=(30, 4)), random.integers(0, 4, 30)
    loss = joint.get("one_of_k")
    best = one_hot(y, 4) - theta / 2
    truth = -np.einsum("nk,nk->n", theta, best) - loss.value(best, y)
    np.testing.assert_allclose(loss.conjugate(theta, y), truth, rtol=1e-12, atol=1e-14)


@by_name(SHIFT_INVARIANT)
@pytest.mark.parametrize(
    "theta",
    [
        [0.5, -0.25, -0.2],  # does not sum to 0
        [0.5, -0.5 - 1e-13, 0.0],
        [1.5, -0.75, -0.75],  # q_y = -0.5
        [0.5, 0.1, -0.6],  # q_1 = -0.1
        [-0.5, 0.25, 0.25],  # q_y = 1.5
        [0.0, 1e-300, 0.0],
        [np.nan, 0.0, 0.0],
    ],
)
def test_conjugate_is_infinite_outside_the_simplex(loss: JointLoss, theta: list[float]) -> None:
    assert loss.conjugate(np.array([theta]), np.array([0])) == np.inf


def test_softmax_conjugate_keeps_relative_accuracy_for_small_multipliers() -> None:
    size = np.geomspace(1e-200, 0.1, 50)
    theta = np.stack([4 * size, -size, -3 * size], axis=1)
    theta[:, 0] = -(theta[:, 1] + theta[:, 2])
    with mpmath.workdps(300):
        truth = []
        for row in theta.tolist():
            q = [1 - mpmath.mpf(row[0]), -mpmath.mpf(row[1]), -mpmath.mpf(row[2])]
            truth.append(float(mpmath.fsum(t * mpmath.log(t) for t in q)))
    computed = joint.get("softmax").conjugate(theta, np.zeros(50, dtype=np.int64))
    np.testing.assert_allclose(computed, truth, rtol=3e-15)


@by_name(ALL)
def test_arguments_are_left_alone_and_any_memory_order_serves(loss: JointLoss) -> None:
    Z, y = scores(2.0)
    theta = -loss.gradient(Z, y)
    fortran, fortran_theta = np.asfortranarray(Z), np.asfortranarray(theta)
    for array in (Z, y, theta, fortran, fortran_theta):
        array.flags.writeable = False
    np.testing.assert_allclose(loss.value(fortran, y), loss.value(Z, y), rtol=1e-14)
    np.testing.assert_allclose(loss.gradient(fortran, y), loss.gradient(Z, y), rtol=1e-14)
    np.testing.assert_allclose(loss.conjugate(fortran_theta, y), loss.conjugate(theta, y), rtol=1e-13)
    if loss.smooth:
        np.testing.assert_allclose(
            loss.hessian_product(fortran, y, fortran_theta), loss.hessian_product(Z, y, theta), rtol=1e-12
        )
    assert loss.value(Z[:0], y[:0]).shape == (0,)


# --- names and a user's own loss


class PairwiseLogistic(JointLoss):
    """sum_{k != y} ln(1 + e^{Z_k - Z_y}), with the least that a user has to write."""

    convex = True

    def value(self, Z: Any, y: Any) -> Any:
        A = Z - Z[np.arange(len(y)), y][:, None]
        return np.logaddexp(0, A).sum(axis=1) - np.log(2)

    def gradient(self, Z: Any, y: Any) -> Any:
        rows = np.arange(len(y))
        P = 1 / (1 + np.exp(Z[rows, y][:, None] - Z))
        P[rows, y] -= P.sum(axis=1)
        return P


def test_a_users_own_loss_needs_only_value_and_gradient() -> None:
    own = joint.resolve(PairwiseLogistic())
    assert (own.name, own.kernel, own.smooth, own.binary) == ("PairwiseLogistic", None, True, None)
    assert not own.offers("hessian_product")
    assert not own.offers("conjugate")
    Z, y = scores(1.0)
    with pytest.raises(Refused, match="does not define hessian_product"):
        own.hessian_product(Z, y, Z)
    with pytest.raises(Refused, match="does not define conjugate"):
        own.conjugate(Z, y)
    # two classes: the log loss of the difference, whose conjugate is known
    Z, y = scores(1.0, K=2)
    np.testing.assert_allclose(own.fenchel(Z, y), joint.get("softmax").fenchel(Z, y), rtol=1e-12, atol=1e-13)


def test_names() -> None:
    for name in JOINT_LOSSES.names():
        assert joint.resolve(name) is joint.get(name)
    with pytest.raises(InvalidParameter, match=r"'crammer-singer'.*nearest is 'crammer_singer'"):
        joint.get("crammer-singer")
    with pytest.raises(InvalidType, match="JointLoss"):
        joint.resolve(losses.get("log"))  # type: ignore[arg-type]


def test_registering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JOINT_LOSSES, "_members", dict(JOINT_LOSSES._members))
    assert joint.register(PairwiseLogistic()) is joint.get("PairwiseLogistic")


@by_name(ALL)
def test_losses_are_values(loss: JointLoss) -> None:
    assert pickle.loads(pickle.dumps(loss)) == loss == copy.deepcopy(loss)
