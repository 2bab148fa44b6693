"""Data of the pictures, and how to find what was drawn."""

from typing import Any

import numpy as np


def apart(size: int = 20, margin: float = 0.15, seed: int = 0) -> tuple[Any, Any]:
    """Two classes, −1 and 1, on both sides of a line through the square; none nearer to it than the margin."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1.0, 1.0, (40 * size, 2))
    distance = X @ np.array([0.8, 0.6]) - 0.1
    return np.vstack([X[distance < -margin][:size], X[distance > margin][:size]]), np.repeat([-1, 1], size)


def mixed(size: int = 30, seed: int = 0) -> tuple[Any, Any]:
    """Two classes that overlap."""
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal((-0.7, -0.4), 1.0, (size, 2)), random.normal((0.7, 0.6), 1.0, (size, 2))])
    return X, np.repeat([-1, 1], size)


def three(size: int = 15, seed: int = 0) -> tuple[Any, Any]:
    """Three clouds."""
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal(c, 0.5, (size, 2)) for c in ((0.0, 2.0), (-1.6, -1.0), (1.8, -0.7))])
    return X, np.repeat(["A", "B", "C"], size)


def line(ax: Any, label: str) -> Any:
    """The data (m, 2) of the line with that label."""
    return next(np.asarray(found.get_xydata()) for found in ax.lines if found.get_label() == label)


def dots(ax: Any, label: str) -> Any:
    """The positions (m, 2) of the scattered points with that label."""
    return next(np.asarray(c.get_offsets()) for c in ax.collections if c.get_label() == label)


def contour_points(ax: Any, level: float) -> Any:
    """The points (m, 2) of the contours at that level."""
    found = []
    for drawn in ax.collections:
        if hasattr(drawn, "levels"):
            for height, path in zip(drawn.levels, drawn.get_paths(), strict=True):
                if np.isclose(height, level):
                    found.append(path.vertices)
    return np.vstack(found)
