"""Random samples of rows that keep what is rare.

A uniform sample misses a column that is non-zero in a few rows, and a class that has few. So row i of class y,
which has n_y rows, is kept with probability

    πᵢ = min(1, m (1/n + τᵢ/Στ + 1/K n_y) / 3),    τᵢ = Σⱼ xᵢⱼ² / Σₖ xₖⱼ²   (leverage, were columns orthogonal)

and then counts sᵢ/πᵢ: the sample's objective has the full objective as its mean, and its Hessian approximates
the full one in every direction, not only in the common ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from linsep.problem.problem import Problem
from linsep.types import FloatArray

P = TypeVar("P", bound=Problem)


def nested_samples(problem: P, sizes: list[int], seed: int) -> list[P]:
    """Samples of about the given sizes, each contained in the larger ones."""
    if not sizes:
        return []
    shares = leverages(problem)
    draw = np.random.default_rng(seed).random(problem.design.n)
    samples = []
    for size in sizes:
        kept = np.minimum(size * shares, 1.0)
        chosen = np.flatnonzero(draw < kept)
        sample = problem.rows(chosen)
        own = 1.0 if sample.weights is None else sample.weights
        samples.append(replace(sample, weights=own / kept[chosen]))
    return samples


def leverages(problem: Problem) -> FloatArray:
    """(1/n + τᵢ/Στ + 1/K n_y) / 3 for every row; sums to 1."""
    design = problem.design
    squares = design.column_squares
    tau = design.row_norms(np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0.0))
    total = float(tau.sum())
    tau *= 1.0 / (3.0 * total) if total > 0.0 else 0.0
    codes = (problem.target > 0).astype(np.int64) if len(problem.shape) == 1 else problem.target
    counts = np.bincount(codes)
    tau += (1.0 / (3.0 * design.n) + 1.0 / (3.0 * np.count_nonzero(counts) * np.maximum(counts, 1)))[codes]
    return tau
