"""A referee for linear classifiers: who reaches a given accuracy of the objective soonest.

Run `python -m benchmarks` from the project's root, in an environment with linsep and, for the
competition, the extra `bench` (`pip install .[bench]`); an entrant that is not installed is skipped with
that reason. `--list` shows the workloads and entrants, `--workloads` and `--entrants` choose among them,
`--quick` takes a few minutes, and `--write` puts the page, the figure and the record of all runs into
`docs/` (workloads that were not run keep their old record).

A workload (`workloads.py`) is a data set (`datasets.py`; generated text in `text.py`) with an objective.
An entrant (`entrants/`) is one small class with a reason to skip, a ladder of settings from loose to
tight, and a fit. The referee (`referee.py`) runs each in a process of its own (`worker.py`), evaluates
the objective itself (`objective.py`) and keeps every run (`records.py`); page and figure are made from
those records alone (`report.py`, `figure.py`). Tiny fits and predictions are timed separately
(`small.py`). Real data are looked for in the folder LINSEP_DATA, else in `../shared/data`; prepared
arrays are cached in the system's temporary folder.
"""
