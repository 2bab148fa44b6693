"""The command: choose what to run, run it with progress, print or write the report."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks import figure, records, report
from benchmarks.datasets import DATASETS
from benchmarks.entrants import ENTRANTS
from benchmarks.objective import describe
from benchmarks.referee import Contest
from benchmarks.small import SMALL, measure
from benchmarks.store import ROOT, cache, load, prepare
from benchmarks.types import Absent, Rules, Task, Workload
from benchmarks.worker import limit_threads
from benchmarks.workloads import QUICK, STAND_IN, WORKLOADS


class Progress:
    """Prints lines with the time since the start and an estimate of the time left."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()

    def say(self, line: str, share: float = 0.0) -> None:
        """`share` is the part done of the workload that is running."""
        elapsed, done = time.monotonic() - self.started, self.done + share
        left = f"about {elapsed / done * (self.total - done) / 60:.0f} min left" if done else "starting"
        print(f"[{elapsed / 60:.1f} min, {self.done}/{self.total} done, {left}] {line}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Linear classifiers under a referee.")
    parser.add_argument("--workloads", nargs="+", metavar="NAME", help="default: all for which there are data")
    parser.add_argument("--entrants", nargs="+", metavar="NAME", help="names or beginnings of names; default: all")
    parser.add_argument("--tolerances", nargs="+", type=float, default=[1e-2, 1e-4, 1e-6], help="relative excesses")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; a cell is the best of them")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds after which a fit is ended")
    parser.add_argument("--threads", type=int, default=2, help="threads for each entrant that can use them")
    parser.add_argument("--quick", action="store_true", help="a few workloads, one round, every second setting, 5 s")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md, .png and .json")
    parser.add_argument("--list", action="store_true", help="list workloads and entrants and stop")
    return parser.parse_args()


def chosen_workloads(options: argparse.Namespace) -> list[str]:
    """Names asked for; by default all, the generated stand-in only where covtype is absent."""
    known = [*WORKLOADS, *SMALL]
    if options.workloads:
        if unknown := set(options.workloads) - set(known):
            raise SystemExit(f"unknown workloads {sorted(unknown)}; known are {', '.join(known)}")
        return list(options.workloads)
    if options.quick:
        return [*QUICK, *SMALL]
    try:
        prepare("covtype", DATASETS["covtype"])
    except Absent:
        return known
    return [name for name in known if name != STAND_IN]


def chosen_entrants(options: argparse.Namespace) -> list[str]:
    if not options.entrants:
        return list(ENTRANTS)
    chosen = [name for name in ENTRANTS if name.lower().startswith(tuple(o.lower() for o in options.entrants))]
    if not chosen:
        raise SystemExit(f"no such entrant; known are {', '.join(ENTRANTS)}")
    return chosen


def run_workload(workload: Workload, names: list[str], rules: Rules, progress: Progress) -> records.Record | None:
    """Hold one contest; None where its data are absent."""
    progress.say(f"== {workload.name}: {workload.title}")
    try:
        folder = prepare(workload.data, DATASETS[workload.data])
    except Absent as reason:
        progress.say(f"skipped: {reason}")
        return None
    data = load(folder)
    n, d, classes, is_sparse = describe(data)
    facts = (n, d, classes, is_sparse, rules.threads)
    task = Task(workload.loss, workload.C, workload.intercept, *facts, l1=workload.l1)
    contest = Contest(task, data, folder, rules, lambda line, share: progress.say(f"{workload.name:20} {line}", share))
    contest.hold(names)
    return records.workload_record(workload, contest)


def run_small(name: str, rules: Rules, progress: Progress) -> records.Record:
    small = SMALL[name]
    repeats = max(3, small.repeats // (10 if rules.quick else 1))
    sides = measure(small, repeats, rules.threads)
    for side, values in sides.items():
        progress.say(f"{name:20} {side:24} {values['best'] * 1e3:9.4f} ms")
    return {**asdict(small), "sides": sides, **records.stamp(rules)}


def main() -> None:
    options = arguments()
    if options.list:
        titles = {w.name: w.title for w in WORKLOADS.values()} | {s.name: s.title for s in SMALL.values()}
        print("workloads:", *(f"  {name:22} {title}" for name, title in titles.items()), sep="\n")
        print("entrants:", *(f"  {name}" for name in ENTRANTS), sep="\n")
        return
    repeats, limit = (1, 5.0) if options.quick else (options.repeats, options.limit)
    rules = Rules(tuple(options.tolerances), repeats, limit, options.threads, options.quick)
    limit_threads(rules.threads)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that workers are ended too
    workloads, names = chosen_workloads(options), chosen_entrants(options)
    progress = Progress(len(workloads))
    fresh: records.Record = {"workloads": {}, "small": {}}
    for name in workloads:
        if name in SMALL:
            fresh["small"][name] = run_small(name, rules, progress)
        elif record := run_workload(WORKLOADS[name], names, rules, progress):
            fresh["workloads"][name] = record
        progress.done += 1
        records.write(cache() / "last.json", fresh)
    print(report.markdown(fresh))
    if options.write:
        write_docs(fresh, ROOT / "docs")


def write_docs(fresh: records.Record, folder: Path) -> None:
    """Merge the new records into the old ones, and make page and figure anew."""
    merged = records.read(folder / "benchmarks.json")
    for kind, order in (("workloads", WORKLOADS), ("small", SMALL)):
        both = {**merged[kind], **fresh[kind]}
        merged[kind] = {name: both[name] for name in order if name in both}
    records.write(folder / "benchmarks.json", merged)
    figure.draw(merged, folder / "benchmarks.png")
    (folder / "benchmarks.md").write_text(report.markdown(merged, "benchmarks.png"))
    print(f"wrote {folder}/benchmarks.md, .png and .json")


if __name__ == "__main__":
    main()
