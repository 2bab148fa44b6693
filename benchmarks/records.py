"""Records: what a run of the referee leaves behind, as plain JSON, and the questions a report asks of it."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.entrants import OURS
from benchmarks.referee import Contest
from benchmarks.types import Rules, Workload

Record = dict[str, Any]
ROUNDING = 1e-12
PACKAGES = (
    "linsep",
    "numpy",
    "scipy",
    "scikit-learn",
    "scikit-learn-intelex",
    "liblinear-official",
    "snapml",
    "glum",
    "cyanure",
)


def workload_record(workload: Workload, contest: Contest) -> Record:
    """Everything about one workload."""
    best_run = min(contest.runs, key=lambda run: run.objective, default=None)
    return {
        **asdict(workload),
        **asdict(contest.task),
        "nonzeros": int(contest.data.X.nnz) if contest.task.sparse else None,
        "dtype": str(contest.data.X.dtype),
        "best": contest.best if contest.runs else None,
        "best_by": f"{best_run.entrant}, {best_run.setting}" if best_run else None,
        "confirmed": contest.settled(),
        "accuracy": contest.accuracy,
        "skips": contest.skips,
        "ended": contest.ended,
        "runs": [asdict(run) for run in contest.runs],
        **stamp(contest.rules),
    }


def stamp(rules: Rules) -> Record:
    """When, how and with what a record was made."""
    load = os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0
    environment = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "load": round(load, 1),
    }
    return {
        "date": datetime.date.today().isoformat(),
        "rules": asdict(rules),
        "environment": environment,
        "versions": {name: version for name in PACKAGES if (version := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def read(path: Path) -> Record:
    """The records of a file, or none."""
    if not path.exists():
        return {"workloads": {}, "small": {}}
    loaded: Record = json.loads(path.read_text())
    return loaded


def write(path: Path, records: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records) + "\n")


def excess(record: Record, run: Record) -> float:
    return float((run["objective"] - record["best"]) / abs(record["best"]))


def entrants(record: Record) -> list[str]:
    """Names of those that finished a run, in the order in which they first did."""
    return list(dict.fromkeys(run["entrant"] for run in record["runs"]))


def seconds_to(record: Record, entrant: str, tolerance: float) -> float | None:
    """Seconds of the entrant's cheapest run within the tolerance."""
    reached = (r["seconds"] for r in record["runs"] if r["entrant"] == entrant and excess(record, r) <= tolerance)
    return min(reached, default=None)


def fastest_peer(record: Record, tolerance: float) -> tuple[str, float] | None:
    times = {name: seconds_to(record, name, tolerance) for name in entrants(record) if name != OURS}
    reached = {name: seconds for name, seconds in times.items() if seconds is not None}
    return min(reached.items(), key=lambda item: item[1]) if reached else None


def ratio(record: Record, tolerance: float) -> float | None:
    """How many times faster linsep is than the fastest peer; None where either never gets there."""
    ours, peer = seconds_to(record, OURS, tolerance), fastest_peer(record, tolerance)
    return peer[1] / ours if ours is not None and peer is not None else None


def lowest(record: Record, entrant: str) -> tuple[float, float]:
    """The lowest excess an entrant came to, and the seconds of its cheapest run that came there."""
    runs = [run for run in record["runs"] if run["entrant"] == entrant]
    least = min(excess(record, run) for run in runs)
    near = [run["seconds"] for run in runs if excess(record, run) <= least * 1.01 + 1e-12]
    return least, min(near)


@dataclass(frozen=True)
class Claim:
    """What linsep certified at one setting, against what the referee knows; relative to F."""

    setting: str
    gap: float
    excess: float
    false: bool


def claims(record: Record) -> list[Claim]:
    """One for each setting of linsep. A claim is false if somebody found a value below its lower bound, or if
    the referee's F is further above that bound than the claimed gap."""
    rows: dict[str, Claim] = {}
    for run in record["runs"]:
        if run["entrant"] == OURS and "relative_gap" in run["says"]:
            gap, bound = run["says"]["relative_gap"], run["says"]["bound"] * record["n"] * record["C"]
            refuted = bound > record["best"] * (1 + ROUNDING)
            short = (run["objective"] - bound) / abs(run["objective"]) > gap * 1.001 + 1e3 * ROUNDING
            claim = Claim(run["setting"], gap, excess(record, run), refuted or short)
            rows.setdefault(claim.setting, claim)
    return list(rows.values())
