"""What a picture of the gallery is, and data that show the point of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from linsep.types import FloatArray


@dataclass(frozen=True)
class Picture:
    """A file, the function that draws it, what it shows, and how it is made here."""

    name: str
    function: str
    shows: str
    draw: Callable[[], Any]

    @property
    def file(self) -> str:
        return self.name + ".png"


def blobs(centres: Any, spread: float, size: int, seed: int) -> tuple[FloatArray, Any]:
    """Normal clouds, one a class; two classes are −1 and 1, more are letters."""
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal(centre, spread, (size, len(centre))) for centre in centres])
    labels = np.array([-1, 1]) if len(centres) == 2 else np.array(list("ABCDEFGH"))[: len(centres)]
    return X, np.repeat(labels, size)


def apart(margin: float, size: int, seed: int) -> tuple[FloatArray, Any]:
    """Two classes in a square, on both sides of a slanted line, none nearer to it than the margin; sorted by class."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1.0, 1.0, (40 * size, 2))
    distance = X @ np.array([0.8, 0.6]) - 0.1
    sides = [X[distance < -margin][:size], X[distance > margin][:size]]
    return np.vstack(sides), np.repeat([-1, 1], size)


def wheel(size: int, seed: int) -> tuple[FloatArray, Any]:
    """Three long clouds like the blades of a wheel: the lines between pairs do not meet in a point."""
    random = np.random.default_rng(seed)
    clouds = []
    for angle in np.pi / 2 + 2 * np.pi * np.arange(3) / 3:
        along = np.array([np.cos(angle - 1.0), np.sin(angle - 1.0)])
        across = np.array([-along[1], along[0]])
        centre = 1.7 * np.array([np.cos(angle), np.sin(angle)])
        place = random.uniform(-1.0, 1.0, (size, 2)) * [1.8, 0.25]
        clouds.append(centre + place[:, :1] * along + place[:, 1:] * across)
    return np.vstack(clouds), np.repeat(["A", "B", "C"], size)


def scaled_cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), y
