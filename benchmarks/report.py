"""The report in Markdown, from records only: where linsep stands, every entrant's times, the certificates."""

from __future__ import annotations

from benchmarks.entrants import OURS
from benchmarks.records import Record, claims, entrants, fastest_peer, lowest, ratio, seconds_to
from benchmarks.small import PEER

INTRODUCTION = """# Benchmarks

Written by `python -m benchmarks --write`. Every entrant gets the same arrays, in a process of its own;
the referee evaluates F(w, b) = C Σ loss + ½‖w‖² (+ ‖w‖₁ for L1) at the weights it returns, in float64. A cell is the
seconds of the whole fit with the entrant's cheapest setting that comes within that relative excess of the
best value found by anyone in the run; – means never within the limit. Times of one table are from one
run, entrants in turns, best of several; compare ratios, not seconds. linsep runs at default settings,
only `tol` varies, and its time includes its certificate. LIBLINEAR's time is without the conversion of
the data to its own lists, which favours it. Snap ML penalises its intercept, so where there is one it
stays a little above the optimum.
"""
SMALLEST_EXCESS = 1e-9  # below it the ratio of gap to excess says nothing


def markdown(records: Record, figure: str | None = None) -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    workloads = list(records["workloads"].values())
    if workloads:
        parts += ["## Where linsep stands\n", _summary(workloads)]
    if figure:
        parts.append(f"![seconds against relative excess, one panel a workload]({figure})\n")
    if records["small"]:
        parts += ["## Tiny data, predictions and texts\n", _small(list(records["small"].values()))]
    if any(claims(record) for record in workloads):
        parts += ["## Certified gap over true excess\n", _certificates(workloads)]
    parts += [_workload(record) for record in workloads]
    return "\n".join(parts).rstrip() + "\n"


def _summary(workloads: list[Record]) -> str:
    tolerances = workloads[0]["rules"]["tolerances"]
    rows = [["workload", *(f"to {tolerance:g}" for tolerance in tolerances), "floor", "verdict"]]
    for record in workloads:
        cells = [_against_peer(record, tolerance) for tolerance in tolerances]
        floor = f"{record['floor']:g}×" if record["floor"] else ""
        rows.append([record["title"], *cells, floor, _verdict(record)])
    note = "Times faster than the fastest peer (below 1: slower), with that peer's name.\n"
    return f"{note}\n{table(rows)}"


def _against_peer(record: Record, tolerance: float) -> str:
    ours, peer = seconds_to(record, OURS, tolerance), fastest_peer(record, tolerance)
    if peer is None:
        return "–" if ours is None else "only linsep gets there"
    times = ratio(record, tolerance)
    return f"– ({peer[0]})" if times is None else f"{times:.2f}× ({peer[0]})"


def _verdict(record: Record) -> str:
    """Where linsep loses, at any tolerance; then whether the floor holds at 1e-4 and below."""
    if OURS not in entrants(record):
        return "linsep did not run"
    lost, short = [], []
    for tolerance in record["rules"]["tolerances"]:
        times, peer = ratio(record, tolerance), fastest_peer(record, tolerance)
        if peer and (times is None or times < 1):
            lost.append(f"{tolerance:g}")
        elif times and tolerance <= 1e-4 and times < (record["floor"] or 0):
            short.append(f"{tolerance:g}")
    if lost:
        return f"**loses** at {', '.join(lost)}"
    return f"below the floor at {', '.join(short)}" if short else "ahead"


def _small(rows: list[Record]) -> str:
    lines = [["call", "scikit-learn", "linsep", "times faster", "floor", "F (scikit-learn, linsep)"]]
    for row in rows:
        peer, ours = row["sides"].get(PEER, {}), row["sides"].get(OURS, {})
        times = peer["best"] / ours["best"] if ours else None
        values = ", ".join(f"{side['objective']:.6g}" for side in (peer, ours) if "objective" in side)
        mark = "" if times is None else f"{times:.1f}×" if times >= row["floor"] else f"**{times:.1f}×**"
        lines.append([row["title"], _time(peer["best"]), _time(ours.get("best")), mark, f"{row['floor']:g}×", values])
    return table(lines)


def _certificates(workloads: list[Record]) -> str:
    rows = [["workload", "setting", "certified relative gap", "true excess", "gap / excess"]]
    for record in workloads:
        for claim in claims(record):
            known = claim.excess > SMALLEST_EXCESS
            quotient = f"{claim.gap / claim.excess:.1f}" if known else f"excess < {SMALLEST_EXCESS:g}"
            verdict = "**false**" if claim.false else quotient
            rows.append([record["title"], claim.setting, f"{claim.gap:.1e}", f"{claim.excess:.1e}", verdict])
    return table(rows)


def _workload(record: Record) -> str:
    shape = f"{record['n']:,} × {record['d']:,}"
    if record["nonzeros"]:
        shape += f", {record['nonzeros']:,} non-zeros"
    intercept = "free intercept" if record["intercept"] else "no intercept"
    best = f"F = {record['best']:.10g} by {record['best_by']}" if record["runs"] else "nobody finished"
    if not record["confirmed"]:
        best += " (**not confirmed** by a second library: small excesses may be understated)"
    facts = f"{shape}, {record['dtype']}, {record['classes']} classes, C = {record['C']:g}, {intercept}"
    lines = [
        f"## {record['title'][0].upper()}{record['title'][1:]}\n",
        f"{facts}. Best known {best}, training accuracy {record['accuracy']:.3f}. {record['date']}, "
        f"{record['environment']['cores']} cores, {record['threads']} threads, "
        f"load at the end {record['environment']['load']:g}.\n",
        _times(record),
    ]
    if record["skips"]:
        lines.append("Not run: " + "; ".join(f"{name} ({reason})" for name, reason in record["skips"].items()) + ".\n")
    return "\n".join(lines)


def _times(record: Record) -> str:
    tolerances = record["rules"]["tolerances"]
    best = {t: min((s for e in entrants(record) if (s := seconds_to(record, e, t))), default=None) for t in tolerances}
    rows = [["entrant", *(f"{t:g}" for t in tolerances), "lowest excess (seconds)", "ended"]]
    for name in entrants(record):
        cells = []
        for tolerance in tolerances:
            seconds = seconds_to(record, name, tolerance)
            cells.append(f"**{_time(seconds)}**" if seconds and seconds == best[tolerance] else _time(seconds))
        least, seconds = lowest(record, name)
        rows.append([name, *cells, f"{max(least, 0):.1e} ({_time(seconds)})", record["ended"].get(name, "")])
    rows += [
        [name, *("–" for _ in tolerances), "–", reason]
        for name, reason in record["ended"].items()
        if name not in entrants(record)
    ]
    return table(rows)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.2g} ms" if seconds < 0.01 else f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


def table(rows: list[list[str]]) -> str:
    """A Markdown table; the first row is its head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines) + "\n"
