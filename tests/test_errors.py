"""The tree of exceptions: each kind is caught as its built-in parent, and unknown names get a nearest one."""

import pickle

import pytest

from linsep import errors
from linsep.problem import losses, multiclass


@pytest.mark.parametrize(
    ("kind", "parent"),
    [
        (errors.InvalidParameter, ValueError),
        (errors.InvalidType, TypeError),
        (errors.InvalidData, ValueError),
        (errors.Refused, ValueError),
        (errors.NoOptimum, ArithmeticError),
        (errors.Diverged, ArithmeticError),
    ],
)
def test_every_error_is_ours_and_the_built_in_kind(kind: type[Exception], parent: type[Exception]) -> None:
    assert issubclass(kind, errors.LinsepError)
    assert issubclass(kind, parent)
    copy = pickle.loads(pickle.dumps(kind("the reason")))
    assert type(copy) is kind
    assert str(copy) == "the reason"


@pytest.mark.parametrize("kind", [errors.NotCertified, errors.NotConverged, errors.DataWarning])
def test_warnings_are_user_warnings(kind: type[Warning]) -> None:
    assert issubclass(kind, UserWarning)
    assert not issubclass(kind, errors.LinsepError)


def test_unknown_name_says_what_was_given_what_is_allowed_and_the_nearest() -> None:
    error = errors.unknown_name("solver", "newton-cg", ["dual_cd", "newton_cg", "whitened"])
    assert isinstance(error, errors.InvalidParameter)
    assert str(error) == (
        "unknown solver 'newton-cg': allowed are 'dual_cd', 'newton_cg', 'whitened'; the nearest is 'newton_cg'"
    )


@pytest.mark.parametrize(("given", "nearest"), [("Hinge", "hinge"), ("LOG", "log"), ("xyzzy", ""), (None, ""), (3, "")])
def test_there_is_always_a_nearest_name(given: object, nearest: str) -> None:
    message = str(errors.unknown_name("loss", given, ("log", "hinge")))
    assert repr(given) in message
    assert f"the nearest is '{nearest}" in message


@pytest.mark.parametrize(
    ("given", "nearest"),
    [
        *(("one_vs_rest", "ovr"), ("one-vs-rest", "ovr"), ("OneVsRest", "ovr"), ("one vs all", "ovr"), ("ova", "ovr")),
        *(
            ("one_vs_one", "ovo"),
            ("multinomial", "softmax"),
            ("one_of_n", "one_of_k"),
            ("crammer-singer", "crammer_singer"),
        ),
    ],
)
def test_what_others_call_a_scheme_leads_to_its_name(given: str, nearest: str) -> None:
    with pytest.raises(errors.InvalidParameter, match=f"the nearest is '{nearest}'"):
        multiclass.find(given, losses.get("log"))


@pytest.mark.parametrize(("given", "nearest"), [("logistic", "log"), ("svm", "hinge"), ("squared_error", "squared")])
def test_what_others_call_a_loss_leads_to_its_name(given: str, nearest: str) -> None:
    with pytest.raises(errors.InvalidParameter, match=f"the nearest is '{nearest}'"):
        losses.get(given)


def test_no_names_to_choose_from() -> None:
    assert "no plug-in to choose from" in str(errors.unknown_name("plug-in", "a", ()))
