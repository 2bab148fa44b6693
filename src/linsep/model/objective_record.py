"""The objective in a record: loss by name, scheme with its parameters, penalty, intercept.

A loss of the user's own cannot travel as data, only its name and facts can. Where a loss of that name is registered
when the file is read (`linsep.problem.losses.register`), it is used; else an `AbsentLoss` stands for it, which is
enough to score, to predict and for probabilities, and says what is missing where its formula is needed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from linsep.errors import InvalidFile, Refused
from linsep.model.correction import Correction
from linsep.model.model import Objective
from linsep.problem import joint, losses
from linsep.problem.base import JointLoss, Loss, MarginLoss
from linsep.problem.codes import OutputCodes
from linsep.problem.reductions import Joint, OneMargin, OneVsOne, OneVsRest, Scheme
from linsep.types import FloatArray, IntArray

_SCHEMES: dict[str, type[Scheme]] = {kind.name: kind for kind in (OneMargin, OneVsRest, OneVsOne, OutputCodes)}
_BY_COLUMN = ("factors", "lower", "upper")  # of the penalty: arrays with a number a feature, or None
_FACTS = ("convex", "smooth", "probability", "attained")
_MARGIN_FACTS = (*_FACTS, "probability_scale")
_JOINT_FACTS = (*_FACTS, "binary", "shift_invariant")


def objective_record(objective: Objective) -> dict[str, Any]:
    return {
        "loss": _loss_record(objective.loss, _MARGIN_FACTS),
        "scheme": _scheme_record(objective.scheme),
        "penalty": _penalty_record(objective),
        "intercept": bool(objective.intercept),
        "correction": objective.correction.name,
    }


def objective_from(record: dict[str, Any]) -> Objective:
    return Objective(
        _margin_loss(record["loss"]),
        _scheme_from(record["scheme"]),
        intercept=bool(record["intercept"]),
        **_penalty_from(record["penalty"]),
        correction=_correction(record.get("correction", Correction.NONE.name)),
    )


def _correction(name: str) -> Correction:
    if name not in Correction.__members__:
        raise InvalidFile(f"the correction {name!r} is not known")
    return Correction[name]


# -- the penalty --------------------------------------------------------------------------------------------


def _penalty_record(objective: Objective) -> dict[str, Any]:
    return {"alpha": float(objective.alpha), "l1_ratio": float(objective.l1_ratio)} | {
        name: getattr(objective, name) for name in _BY_COLUMN
    }


def _penalty_from(record: dict[str, Any]) -> dict[str, Any]:
    """The arguments of Objective that say what the penalty is."""
    for name in _BY_COLUMN:
        if record[name] is not None and (record[name].dtype != np.float64 or record[name].ndim != 1):
            raise InvalidFile(f"the penalty's {name} are not a number a feature")
    return {"alpha": float(record["alpha"]), "l1_ratio": float(record["l1_ratio"])} | {
        name: record[name] for name in _BY_COLUMN
    }


# -- the scheme ---------------------------------------------------------------------------------------------


def _scheme_record(scheme: Scheme) -> dict[str, Any]:
    if isinstance(scheme, Joint):
        return {"name": scheme.name, "loss": _loss_record(scheme.loss, _JOINT_FACTS)}
    if _SCHEMES.get(scheme.name) is not type(scheme):
        raise Refused(
            f"the model uses the multiclass scheme {type(scheme).__name__}, which is not one of linsep's: how it "
            "decides cannot be stored. Use 'softmax', 'crammer_singer', 'one_of_k', 'ovr', 'ovo' or 'ecoc'"
        )
    return {"name": scheme.name, **{field.name: getattr(scheme, field.name) for field in fields(scheme)}}


def _scheme_from(record: dict[str, Any]) -> Scheme:
    name = record["name"]
    if name == Joint.name:
        return Joint(_joint_loss(record["loss"]))
    if name not in _SCHEMES:
        raise InvalidFile(f"the multiclass scheme {name!r} is not known")
    settings = {key: value for key, value in record.items() if key != "name"}
    return _SCHEMES[name](**settings)


# -- losses -------------------------------------------------------------------------------------------------


def _loss_record(loss: Loss, facts: tuple[str, ...]) -> dict[str, Any]:
    return {"name": loss.name, **{fact: getattr(loss, fact) for fact in facts}}


def _margin_loss(record: dict[str, Any]) -> MarginLoss:
    known = _name(record) in losses.MARGIN_LOSSES.names()
    return losses.get(record["name"]) if known else AbsentLoss(record)


def _joint_loss(record: dict[str, Any]) -> JointLoss:
    known = _name(record) in joint.JOINT_LOSSES.names()
    return joint.get(record["name"]) if known else AbsentJointLoss(record)


def _name(record: dict[str, Any]) -> str:
    if not isinstance(record["name"], str):
        raise InvalidFile(f"its loss is named {str(record['name'])[:80]}, which is no name")
    return record["name"]


def _absent(name: str, where: str) -> Refused:
    return Refused(
        f"the model was fitted with the loss {name!r} of your own, whose formula is not in the file; make it known "
        f"before loading, with linsep.problem.{where}.register({name}())"
    )


class AbsentLoss(MarginLoss):
    """Stands for a user's own loss that is not registered."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.__dict__.update({fact: facts[fact] for fact in ("name", *_MARGIN_FACTS)})

    def value(self, M: FloatArray) -> FloatArray:
        raise _absent(self.name, "losses")

    def d1(self, M: FloatArray) -> FloatArray:
        raise _absent(self.name, "losses")


class AbsentJointLoss(JointLoss):
    """Stands for a user's own K-score loss that is not registered."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.__dict__.update({fact: facts[fact] for fact in ("name", *_JOINT_FACTS)})

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        raise _absent(self.name, "joint")

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        raise _absent(self.name, "joint")
