"""Names of losses, and a user's own loss in NumPy: what it needs, what it may leave out, what is refused."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from linsep.errors import InvalidParameter, InvalidType, Refused
from linsep.problem import losses
from linsep.problem.losses import MARGIN_LOSSES, MarginLoss


@pytest.mark.parametrize(
    ("given", "nearest"),
    [("logg", "log"), ("Hinge", "hinge"), ("square", "squared"), ("exp", "exponential"), ("logistic", "log")],
)
def test_unknown_names_are_told_the_nearest(given: str, nearest: str) -> None:
    for look_up in (losses.get, losses.resolve):
        with pytest.raises(InvalidParameter) as error:
            look_up(given)
        assert f"unknown loss {given!r}" in str(error.value)
        assert f"the nearest is {nearest!r}" in str(error.value)
        assert all(repr(name) in str(error.value) for name in MARGIN_LOSSES.names())


class Quartic(MarginLoss):
    """(1 - M)^4 with the least that a user has to write."""

    convex = True

    def value(self, M: Any) -> Any:
        return (1 - M) ** 4

    def d1(self, M: Any) -> Any:
        return -4 * (1 - M) ** 3


@dataclass(frozen=True)
class Huberised(MarginLoss):
    """A loss with a parameter."""

    width: float = 0.5
    name = "huberised"
    convex = True

    def value(self, M: Any) -> Any:
        u = np.clip(1 - M, 0, self.width)
        return u * (np.maximum(1 - M, 0) - u / 2) / self.width

    def d1(self, M: Any) -> Any:
        return -np.clip(1 - M, 0, self.width) / self.width


@pytest.fixture
def registry_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MARGIN_LOSSES, "_members", dict(MARGIN_LOSSES._members))


def test_a_users_own_loss_needs_only_value_and_d1() -> None:
    own = losses.resolve(Quartic())
    assert own.name == "Quartic"
    assert own.smooth
    assert [own.kernel, own.curvature, own.joint, own.refusal] == [None] * 4
    offered = [m for m in ("value", "d1", "d2", "d2_floor", "conjugate") if own.offers(m)]
    assert offered == ["value", "d1"]
    assert own.d2_floor(np.zeros(3), 1.0) is None
    with pytest.raises(Refused, match="'Quartic' does not define d2"):
        own.d2(np.zeros(3))
    with pytest.raises(Refused, match="'Quartic' does not define conjugate"):
        own.conjugate(np.zeros(3))


def test_fenchels_equality_serves_in_place_of_a_conjugate() -> None:
    M = np.linspace(-3, 3, 61)
    theta = -Quartic().d1(M)
    closed_form = 3 * np.abs(theta / 4) ** (4 / 3) - theta  # sup of -theta M - (1 - M)^4
    np.testing.assert_allclose(Quartic().fenchel(M), closed_form, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("registry_restored")
def test_registering_and_registering_again() -> None:
    assert losses.register(Huberised(0.5)) == losses.get("huberised")
    assert losses.register(Huberised(0.25)) == losses.resolve("huberised") != Huberised(0.5)


def test_registration_in_a_test_does_not_last() -> None:
    assert "huberised" not in MARGIN_LOSSES.names()


def test_convexity_must_be_declared() -> None:
    class Undeclared(MarginLoss):
        value = Quartic.value
        d1 = Quartic.d1

    for take in (losses.resolve, losses.register):
        with pytest.raises(InvalidParameter, match="'Undeclared' must declare convex"):
            take(Undeclared())


def test_the_name_of_a_built_in_loss_is_not_given_away() -> None:
    class Impostor(Quartic):
        name = "log"

    for take in (losses.resolve, losses.register):
        with pytest.raises(InvalidParameter, match=r"belongs to a built-in loss.*'own_log'"):
            take(Impostor())


def test_neither_kernel_nor_name_is_inherited() -> None:
    class Changed(type(losses.get("log"))):  # type: ignore[misc]
        pass

    assert (Changed().kernel, Changed().name) == (None, "Changed")


def test_value_and_d1_cannot_be_left_out() -> None:
    class Half(MarginLoss):
        convex = True
        value = Quartic.value

    with pytest.raises(TypeError, match="d1"):
        Half()  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (3, "given was 3 of type int"),
        (None, "given was None"),
        (Quartic, r"pass Quartic\(\)"),
        (dict, "derive it from MarginLoss"),
    ],
)
def test_what_is_no_loss_is_a_type_error(given: Any, hint: str) -> None:
    with pytest.raises(InvalidType, match=hint):
        losses.resolve(given)


class Sum(Quartic):
    """Of all margins."""

    def value(self, M: Any) -> Any:
        return ((1 - M) ** 4).sum()


class Hole(Quartic):
    def d1(self, M: Any) -> Any:
        return np.sqrt(M)


class Uphill(Quartic):
    """Another sign."""

    def d1(self, M: Any) -> Any:
        return 4 * (1 - M) ** 3


class Bent(MarginLoss):
    """Not convex."""

    convex = True

    def value(self, M: Any) -> Any:
        return 1.0 - np.tanh(M)

    def d1(self, M: Any) -> Any:
        return np.tanh(M) ** 2 - 1.0


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    ("loss", "says"),
    [
        (Sum(), r"value of loss 'Sum' gives an array of shape \(\) for 17 margins from -4 to 4"),
        (Hole(), "d1 of loss 'Hole' gives NaN"),
        (Uphill(), "'Uphill' declares convex = True, but its value at the margin .* is below its tangent"),
        (Bent(), "'Bent' declares convex = True, but"),
    ],
)
def test_a_wrong_loss_is_found_out_before_any_work(loss: MarginLoss, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        losses.resolve(loss)


def test_it_may_be_declared_not_convex() -> None:
    class Declared(Bent):
        convex = False

    assert isinstance(losses.resolve(Declared()), Bent)
