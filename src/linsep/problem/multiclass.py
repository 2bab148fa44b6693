"""The names of the multiclass schemes, and what "auto" means.

Two classes: the scalar margin. More: the loss's own K-score loss for log (softmax) and squared (1-of-K
targets), one-vs-rest for the others.
"""

from __future__ import annotations

from collections.abc import Callable

from linsep.errors import InvalidType, Refused, unknown_name
from linsep.problem import joint
from linsep.problem.base import JointLoss, MarginLoss
from linsep.problem.codes import OutputCodes
from linsep.problem.reductions import Joint, OneMargin, OneVsOne, OneVsRest, Scheme

_SCHEMES: dict[str, Callable[[], Scheme]] = {
    "softmax": lambda: Joint(joint.get("softmax")),
    "crammer_singer": lambda: Joint(joint.get("crammer_singer")),
    "one_of_k": lambda: Joint(joint.get("one_of_k")),
    "ovr": OneVsRest,
    "ovo": OneVsOne,
    "ecoc": OutputCodes,
}
#: What others call them.
_ELSEWHERE = {
    "one_vs_rest": "ovr", "one_versus_rest": "ovr", "one_vs_all": "ovr", "one_against_rest": "ovr", "ova": "ovr",
    "one_vs_one": "ovo", "one_versus_one": "ovo", "all_pairs": "ovo", "pairwise": "ovo",
    "multinomial": "softmax", "output_codes": "ecoc", "error_correcting_output_codes": "ecoc",
}  # fmt: skip
_AUTO_JOINT = frozenset({"softmax", "one_of_k"})


def names() -> list[str]:
    """What the parameter `multiclass` may say."""
    return ["auto", *_SCHEMES]


def find(multiclass: str | Scheme | JointLoss, loss: MarginLoss) -> Scheme:
    """The scheme for more than two classes; refuses a joint loss that does not generalise `loss`."""
    if isinstance(multiclass, Scheme):
        scheme = multiclass
    elif isinstance(multiclass, JointLoss):
        scheme = Joint(multiclass)
    elif not isinstance(multiclass, str):
        allowed = ", ".join(map(repr, names()))
        raise InvalidType(
            f"multiclass={multiclass!r} is a {type(multiclass).__name__}; allowed are {allowed}, "
            "a Scheme or a JointLoss"
        )
    elif multiclass == "auto":
        scheme = Joint(joint.get(str(loss.joint))) if loss.joint in _AUTO_JOINT else OneVsRest()
    elif multiclass in _SCHEMES:
        scheme = _SCHEMES[multiclass]()
    else:
        raise unknown_name("multiclass", multiclass, names(), _ELSEWHERE)
    _check_fits(scheme, loss)
    return scheme


def of_classes(scheme: Scheme, n_classes: int) -> Scheme:
    """The scheme for so many classes: two always use the scalar margin, where there is one."""
    if n_classes == 2 and not (isinstance(scheme, Joint) and scheme.loss.binary is None):
        return OneMargin()
    return scheme


def _check_fits(scheme: Scheme, loss: MarginLoss) -> None:
    if not isinstance(scheme, Joint) or scheme.loss.binary in (None, loss.name):
        return
    own = f"{loss.joint!r}, " if loss.joint else ""
    raise Refused(
        f"multiclass={scheme.loss.name!r} is the loss {scheme.loss.binary!r} for more than two classes, but "
        f"loss={loss.name!r} was given; use loss={scheme.loss.binary!r}, "
        f"or multiclass={own}'ovr', 'ovo' or 'ecoc'"
    )
