"""What a loss is: a function of one margin (`MarginLoss`) or of K scores (`JointLoss`).

A loss declares facts (convex, smooth, ...) as attributes and gives its mathematics as methods. Some methods
are optional; `offers` says which are there, and calling one that is not refuses with a sentence.
A user's own loss derives from one of the two classes and is a few lines of NumPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf
from typing import Any, TypeVar

import numpy as np

from linsep.errors import Refused
from linsep.types import FloatArray, IntArray

Method = TypeVar("Method", bound=Callable[..., Any])


def optional(method: Method) -> Method:
    """Mark a method of a base class as a placeholder that a loss may leave out."""
    method.__dict__["is_placeholder"] = True
    return method


class Loss(ABC):
    """Facts that every loss declares.

    convex       must be declared: the certificate depends on it.
    smooth       the first derivative is continuous.
    name         for a user's own loss by default the name of its class.
    kernel       name of the compiled kernel that computes this loss; None: NumPy computes it.
    probability  whether scores give probabilities of the classes.
    attained     some finite score attains the infimum; if not (log, exponential, softmax), separable data without
                 a penalty have no optimum.
    refusal      why this loss cannot be minimised; None if it can.
    """

    name: str
    convex: bool
    kernel: str | None = None
    smooth: bool = True
    probability: bool = False
    attained: bool = True
    refusal: str | None = None

    def __init_subclass__(cls, **arguments: Any) -> None:
        # Neither is inherited: a subclass that changes value must not run on its parent's kernel.
        super().__init_subclass__(**arguments)
        cls.name = cls.__dict__.get("name", cls.__name__)
        cls.kernel = cls.__dict__.get("kernel")

    def offers(self, method: str) -> bool:
        """Whether this loss has the optional method, such as "d2" or "conjugate"."""
        return not hasattr(getattr(type(self), method), "is_placeholder")

    def _lacks(self, method: str) -> Refused:
        return Refused(f"loss {self.name!r} does not define {method}, which is needed here")

    def _require_convex(self) -> None:
        if not self.convex:
            raise Refused(f"loss {self.name!r} is not convex: Fenchel's equality does not hold for it")


class MarginLoss(Loss):
    """A function l(M) of the margin M = y * score, elementwise: define value and d1, declare convex.

        class Quartic(MarginLoss):
            convex = True
            def value(self, M): return (1 - M) ** 4
            def d1(self, M): return -4 * (1 - M) ** 3

    d2, d2_floor and conjugate are optional. Facts beside those of `Loss`:

    curvature                sup of d2; None if unbounded, unknown, or the loss is not smooth.
    dual_lower, dual_upper   theta = -l'(M) lies between them.
    probability_scale        where probability is True: P(y = +1 | score) = 1 / (1 + exp(-scale * score)).
    joint                    name of the K-score loss that generalises this one.
    """

    curvature: float | None = None
    dual_lower: float = -inf
    dual_upper: float = inf
    probability_scale: float = 1.0
    joint: str | None = None

    @abstractmethod
    def value(self, M: FloatArray) -> FloatArray:
        """l(M)."""

    @abstractmethod
    def d1(self, M: FloatArray) -> FloatArray:
        """l'(M); at a kink any subgradient."""

    @optional
    def d2(self, M: FloatArray) -> FloatArray:
        """l''(M) almost everywhere."""
        raise self._lacks("d2")

    @optional
    def d2_floor(self, M: FloatArray, r: float | FloatArray) -> FloatArray | None:
        """A lower bound of l'' over [M - r, M + r], r >= 0; None where none is known."""
        return None

    @optional
    def conjugate(self, theta: FloatArray) -> FloatArray:
        """l*(-theta), +inf outside the domain."""
        raise self._lacks("conjugate")

    def fenchel(self, M: FloatArray) -> FloatArray:
        """l*(-theta) at theta = -l'(M), by Fenchel's equality -theta M - l(M): needs no conjugate."""
        self._require_convex()
        return self.d1(M) * M - self.value(M)


class JointLoss(Loss):
    """A function l(Z, y) of each row's K scores and class: define value and gradient, declare convex.

    binary           name of the margin loss that takes this one's place for two classes; None if there is none.
    shift_invariant  a common shift of all K scores changes nothing.
    """

    binary: str | None = None
    shift_invariant: bool = False

    @abstractmethod
    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        """l(Z, y), one number a row."""

    @abstractmethod
    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        """The gradient with respect to Z; at a kink any subgradient."""

    @optional
    def hessian_product(self, Z: FloatArray, y: IntArray, V: FloatArray) -> FloatArray:
        """Each row's K x K Hessian times that row of V."""
        raise self._lacks("hessian_product")

    @optional
    def conjugate(self, theta: FloatArray, y: IntArray) -> FloatArray:
        """l*(-theta), +inf outside the domain."""
        raise self._lacks("conjugate")

    def summed_hessian(self, Z: FloatArray, y: IntArray, share: FloatArray) -> FloatArray:
        """The K x K sum over the rows of share times the row's Hessian."""
        unit = np.eye(Z.shape[1])
        columns = [share @ self.hessian_product(Z, y, np.broadcast_to(e, Z.shape)) for e in unit]
        return np.stack(columns, axis=1)

    def hessian_shrinkage(self, radius: float) -> float | None:
        """A factor that no row's Hessian falls below while no score moves by more than the radius; None: unknown."""
        return None

    def project_dual(self, theta: FloatArray, y: IntArray) -> FloatArray:
        """theta brought into the domain of the conjugate; here the whole space."""
        return theta

    def fenchel(self, Z: FloatArray, y: IntArray) -> FloatArray:
        """l*(-theta) at theta = -gradient, by Fenchel's equality -<theta, Z> - l: needs no conjugate."""
        self._require_convex()
        product: FloatArray = np.einsum("nk,nk->n", self.gradient(Z, y), Z)
        return product - self.value(Z, y)
