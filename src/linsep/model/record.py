"""A LinearModel as a record for a model file, and back: the same predictions, and what verify needs, to the bit.

Of a loss with kinks all multipliers are kept (multipliers.py). A smooth loss with the ridge penalty can be verified
without them, so beyond `MOST_SMOOTH` numbers they are left out.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linsep.certify import Certificate, Kind
from linsep.errors import InvalidFile
from linsep.model import multipliers
from linsep.model.calibration import Calibration
from linsep.model.label_record import class_weight_from, class_weight_record, classes_from, classes_record
from linsep.model.model import LinearModel, Origin, Run
from linsep.model.objective_record import objective_from, objective_record
from linsep.problem.reductions import Joint
from linsep.solvers import Record as Line
from linsep.solvers import Status
from linsep.storage.fields import check_fields

KIND = "linear_model"
MOST_SMOOTH = 2**17
LONGEST_TRACE = 1000

_NUMBERS = ("primal", "bound", "tol", "alpha", "gradient", "allowance")
_COLUMNS = ("step", "seconds", "value", "bound")


def model_record(model: LinearModel, *, time: str | None = None, trace: bool = True) -> dict[str, Any]:
    """time: when it was saved, in words of the caller; trace: how the fit went, with the seconds that it took."""
    return {
        "classes": classes_record(model.classes),
        "weights": model.w,
        "feature_names": model.feature_names,
        "objective": objective_record(model.objective),
        "certificate": _certificate_record(model.certificate),
        "multipliers": multipliers.to_record(_kept(model)),
        "run": _run_record(model.run, trace),
        "calibration": None if model.calibration is None else model.calibration.record(),
        "provenance": _provenance(model.origin, time),
    }


def model_from(record: dict[str, Any]) -> LinearModel:
    """The model, frozen as it was saved."""
    run = _run_from(record["run"], record["multipliers"])
    model = LinearModel(
        w=record["weights"],
        classes=classes_from(record["classes"]),
        objective=objective_from(record["objective"]),
        certificate=_certificate_from(record["certificate"]),
        run=run,
        origin=_origin(record["provenance"], record["feature_names"]),
        calibration=_calibration(record.get("calibration")),
    )
    check_fields(model)
    return model


def _kept(model: LinearModel) -> multipliers.Duals:
    scheme = model.objective.scheme
    smooth = scheme.loss.smooth if isinstance(scheme, Joint) else model.objective.loss.smooth
    size = sum(theta.size for theta in model.dual if theta is not None)
    spared = smooth and model.objective.penalty.ridge and size > MOST_SMOOTH
    return (None,) * len(model.dual) if spared else model.dual


# -- the certificate ----------------------------------------------------------------------------------------


def _certificate_record(certificate: Certificate) -> dict[str, Any]:
    """Its numbers, and those of its parts as columns."""
    parts = certificate.parts
    return {
        "kind": certificate.kind.name,
        **{name: float(getattr(certificate, name)) for name in _NUMBERS},
        "strength": certificate.strength,
        "fingerprint": dict(certificate.fingerprint),
        "parts": {
            "kind": [part.kind.name for part in parts],
            "strength": [part.strength for part in parts],
            **{name: np.array([getattr(part, name) for part in parts], dtype=np.float64) for name in _NUMBERS},
        }
        if parts
        else None,
    }


def _certificate_from(record: dict[str, Any]) -> Certificate:
    columns = record["parts"]
    parts: tuple[Certificate, ...] = ()
    if columns is not None:
        rows = zip(*(columns[name].tolist() for name in _NUMBERS), strict=True)
        parts = tuple(
            Certificate(kind=Kind[kind], strength=strength, **dict(zip(_NUMBERS, row, strict=True)))
            for kind, strength, row in zip(columns["kind"], columns["strength"], rows, strict=True)
        )
    return Certificate(
        kind=Kind[record["kind"]],
        strength=record["strength"],
        parts=parts,
        fingerprint=dict(record["fingerprint"]),
        **{name: float(record[name]) for name in _NUMBERS},
    )


# -- how the fit went ---------------------------------------------------------------------------------------


def _run_record(run: Run, trace: bool) -> dict[str, Any]:
    return {
        "status": run.status.name,
        "solver": run.solver,
        "statuses": [status.name for status in run.statuses],
        "trace": _trace_record(run.traces) if trace else None,
    }


def _trace_record(traces: tuple[list[Line], ...]) -> dict[str, Any]:
    """All lines as columns, `lines` of each problem; of a long trace the last line of each."""
    if sum(map(len, traces)) > LONGEST_TRACE:
        traces = tuple(trace[-1:] for trace in traces)
    lines = [line for trace in traces for line in trace]
    columns = {name: np.array([getattr(line, name) for line in lines], dtype=np.float64) for name in _COLUMNS}
    return {"lines": np.array([len(trace) for trace in traces], dtype=np.int64), **columns}


def _run_from(record: dict[str, Any], kept: dict[str, Any] | None) -> Run:
    statuses = tuple(Status[name] for name in record["statuses"])
    return Run(
        status=Status[record["status"]],
        solver=record["solver"],
        statuses=statuses,
        traces=_traces_from(record["trace"], len(statuses)),
        dual=multipliers.from_record(kept, len(statuses)),
    )


def _traces_from(record: dict[str, Any] | None, problems: int) -> tuple[list[Line], ...]:
    if record is None:
        return tuple([] for _ in range(problems))
    rows = zip(*(record[name].tolist() for name in _COLUMNS), strict=True)
    lines = [Line(int(step), *numbers) for step, *numbers in rows]
    ends = np.cumsum(record["lines"]).tolist()
    if len(ends) != problems or (problems and ends[-1] != len(lines)):
        raise InvalidFile("the trace does not fit the problems of the model")
    return tuple(lines[start:end] for start, end in zip([0, *ends], ends, strict=False))


def _calibration(record: dict[str, Any] | None) -> Calibration | None:
    return None if record is None else Calibration.from_record(record)


# -- where it comes from ------------------------------------------------------------------------------------


def _provenance(origin: Origin, time: str | None) -> dict[str, Any]:
    return {
        "estimator": origin.estimator,
        "rows": int(origin.rows),
        "total_weight": float(origin.total_weight),
        "class_weight": class_weight_record(origin.class_weight),
        "class_factors": origin.class_factors,
        "seed": origin.seed,
        "fingerprints": dict(origin.fingerprints),
        "software": origin.software or software(),
        "time": origin.time if time is None else time,
    }


def _origin(record: dict[str, Any], names: Any) -> Origin:
    return Origin(
        rows=record["rows"],
        total_weight=float(record["total_weight"]),
        names=names,
        fingerprints=dict(record["fingerprints"]),
        estimator=record["estimator"],
        class_weight=class_weight_from(record["class_weight"]),
        class_factors=record.get("class_factors"),
        seed=record["seed"],
        software=dict(record["software"]),
        time=record["time"],
    )


@cache
def software() -> dict[str, str]:
    """The versions that matter for the numbers."""
    from importlib.metadata import version

    return {name: version(name) for name in ("linsep", "numpy", "scipy")}
