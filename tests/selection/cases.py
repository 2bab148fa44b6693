"""Data of the selection tests, and left-out losses by brute force."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import scale

from linsep.model import Effort, Objective, Training, read_training
from linsep.problem import losses, multiclass
from linsep.selection import Task


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def noisy(n: int = 400, d: int = 8, seed: int = 0):
    """Two classes that overlap, so that the best α lies inside."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    score = X @ random.normal(size=d) * 0.4 + random.logistic(size=n)
    return X, np.where(score > 0.3, "yes", "no")


def task_of(X, y, loss: str = "log", scheme: str = "auto", weights=None, groups=None, intercept: bool = True) -> Task:
    training: Training = read_training(X, y, weights, None, 2)
    given = losses.get(loss)
    found = multiclass.of_classes(multiclass.find(scheme, given), training.n_classes)
    return Task(training, Objective(given, found, 1.0, intercept), Effort(), groups)
