"""Problems that share their rows: value, slope, and lower bounds on the optimum of each.

W (d + 1, m) holds a column a score, the intercepts last. "A problem" is a column (`Margins`) or all of them
together (`Joint`); numbers a problem come as arrays (problems,).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, log2
from typing import Any

import numpy as np

from linsep.certify.independent.losses import Joint, Margins
from linsep.certify.independent.penalised import Bounds, depth, penalised_bounds
from linsep.certify.independent.penalty import Penalty
from linsep.certify.independent.rows import Block, Rows

Array = np.ndarray[Any, Any]

_EPS = float(np.finfo(np.float64).eps)
_UNKNOWNS = 2000  # up to which a Hessian is formed
_STEPS, _DOWNHILL = 6, 30  # of Newton, to find a dual point of our own: whole ones, and parts that lower P
_HALVINGS = 20  # of a step
_ITERATIONS = 1000  # of conjugate gradients in each
_FAR = 1e6  # mean² over variance above which a column is taken off its mean
_ENTRIES = 2**24  # of rows that are written out for that


@dataclass(frozen=True, eq=False)
class Problems:
    """rows of X (None: all), the share sᵢ/S of each, the loss, α, and whether the intercept is free.

    penalty  where it is not the ridge α/2 ‖w‖²; offset (n, m): known parts of the scores
    """

    rows: Rows
    chosen: Array | None
    shares: Array
    loss: Margins | Joint
    alpha: float
    free: bool
    penalty: Penalty | None = None
    offset: Array | None = None

    @property
    def unit(self) -> float:
        """What sums over n rows and d columns lose, relative to the sum of the absolute terms."""
        return _EPS * (8.0 + log2(len(self.shares) + 1.0) + log2(self.rows.d + 1.0))

    @property
    def attained(self) -> bool:
        """There is an optimum for certain: the loss has its least value at some score, or all weights are held back."""
        loose = self.alpha == 0.0 if self.penalty is None else np.logical_or(*self.penalty.sides).any()
        return not loose or self.loss.name not in ("log", "exponential", "softmax")

    def scores(self, W: Array) -> Array:
        """[X 1] W, and the offset."""
        Z = self.products(W)
        return Z if self.offset is None else Z + self.offset

    def products(self, W: Array) -> Array:
        """[X 1] W."""
        Z = np.empty((len(self.shares), W.shape[1]))
        for block in self.rows.blocks(self.chosen):
            Z[block.where] = block.scores(W[:-1])
        Z += W[-1]
        return Z

    def adjoint(self, R: Array, each: Callable[[Array], Array] | None = None) -> Array:
        """[X 1]ᵀ diag(s/S) R, for X with a function of every entry in its place."""
        weighed = np.where(self.shares[:, None] > 0.0, self.shares[:, None] * R, 0.0)
        out = np.zeros((self.rows.d + 1, R.shape[1]))
        for block in self.rows.blocks(self.chosen):
            changed = block if each is None else block.each(each)
            out[:-1] += changed.adjoint(weighed[block.where], self.rows.d)
        out[-1] = weighed.sum(axis=0)
        return out

    def mean(self, values: Array) -> Array:
        """The weighted mean over the rows; rows of weight 0 count nothing, even if infinite."""
        return np.asarray(self.shares @ np.where(self.shares[:, None] > 0.0, values, 0.0))

    def inner(self, A: Array, B: Array) -> Array:
        """⟨A, B⟩ for every problem."""
        return self.loss.fold((A * B).sum(axis=0))

    def primal(self, W: Array, Z: Array) -> Array:
        """P of every problem."""
        if self.penalty is not None:
            return self.mean(self.loss.value(Z)) + self.loss.fold(self.penalty.terms(W[:-1]).sum(axis=0))
        return self.mean(self.loss.value(Z)) + 0.5 * self.alpha * self.inner(W[:-1], W[:-1])

    def gradient(self, W: Array, Z: Array) -> Array:
        """∇P, or of all subgradients the one nearest to 0."""
        G = -self.adjoint(self.loss.slope(Z))
        G[:-1] += self.alpha * W[:-1] if self.penalty is None else self.penalty.subgradient(W[:-1], G[:-1])
        if not self.free:
            G[-1] = 0.0
        return G

    def noise(self, W: Array, Z: Array) -> Array:
        """What rounding of the scores by δ = unit·(|X||W| + |b| + 1) can do to P."""
        delta = np.empty_like(Z)
        for block in self.rows.blocks(self.chosen):
            delta[block.where] = block.each(np.abs).scores(np.abs(W[:-1]))
        delta += np.abs(W[-1]) + 1.0
        delta *= self.unit
        return self.mean(self.loss.change(Z, delta))

    def dual(self, R: Array, P: Array) -> Bounds:
        """Fenchel's bound at R, less the charge for the intercept and for rounding; P ≥ the optimum."""
        if self.penalty is not None:
            return penalised_bounds(self, self.penalty, R, P)
        values = self.loss.conjugate(R) + self.known(R)
        V = self.adjoint(R)
        sizes = self.adjoint(np.abs(R), np.abs)  # what the sums in V add up
        charge = np.zeros_like(P)
        if self.free:
            charge, change = self.loss.settle(V[-1], P, self.shares)
            charge = charge - self.mean(self.known(change))
            V[:-1] -= self.adjoint(change)[:-1]
        w = V[:-1] / self.alpha
        quadratic = 0.5 * self.inner(V[:-1], w)
        magnitude = self.mean(np.abs(values)) + 2.0 * self.inner(np.abs(w), sizes[:-1])
        allowance = self.unit * (magnitude + quadratic + np.abs(P))
        allowance = allowance + self.unit**2 * self.inner(sizes[:-1], sizes[:-1]) / (2.0 * self.alpha)
        bound = -self.mean(values) - quadratic - charge - allowance
        if self.free:
            allowance = allowance + np.minimum(charge, self.unit * (1.0 + np.abs(P)))
        proved = np.isfinite(bound)  # not where multipliers lie outside the domain: nothing is rounding there
        return Bounds(np.where(proved, bound, -inf), np.where(proved, allowance, 0.0))

    def known(self, R: Array) -> Array:
        """⟨R, o⟩ for every row and problem."""
        if self.offset is None:
            return np.zeros((len(R), 1))
        products = R * self.offset
        return products if isinstance(self.loss, Margins) else products.sum(axis=1, keepdims=True)

    def own_bound(self, W: Array, P: Array, enough: Array) -> Bounds:
        """The bound of a smooth loss near W, by Newton steps until it is `enough` or gets no better.

        Where ℓ″ jumps, as that of the hinges does, whole steps may go to and fro for ever, and steps that only go
        downhill stay behind where many rows are near the jump: first the ones, then the others.
        """
        best = Bounds(np.full_like(P, -inf), np.zeros_like(P))
        for downhill in (False, True):
            best = self._bound_by_steps(W, P, enough, best, downhill)
            if (best.value >= enough - best.allowance).all():
                break
        return best

    def _bound_by_steps(self, W: Array, P: Array, enough: Array, best: Bounds, downhill: bool) -> Bounds:
        Z, value = self.scores(W), P
        with np.errstate(over="ignore", invalid="ignore"):  # a step far too long proves nothing
            for _ in range(_DOWNHILL if downhill else _STEPS):
                step, U = self._newton(W, Z, best.value < enough - best.allowance)
                R = self.loss.slope(Z) - self.loss.curve(Z, U)
                found = self.dual(self.loss.repair(R, self.shares, self.free), P)
                better = (found.value > best.value).any()
                best = best.best(found)
                if (best.value >= enough - best.allowance).all():
                    break
                t: Array | float = 1.0
                if downhill:
                    before = value
                    t, value = self._downhill(W, step, Z, U, before)
                    better |= (value < before - best.allowance).any()
                if not better:
                    break
                W, Z = W + t * step, Z + t * U
        return best

    def _downhill(self, W: Array, step: Array, Z: Array, U: Array, value: Array) -> tuple[Array, Array]:
        """For every score how much of the step lowers P, a power of 1/2 or 0; and P there."""
        t = np.ones_like(value)
        for _ in range(_HALVINGS):
            wide = np.repeat(t, self.loss.columns)
            lower = self.primal(W + wide * step, Z + wide * U)
            worse = ~(lower <= value)
            if not worse.any():
                break
            t = np.where(worse, 0.5 * t, t)
        t, lower = np.where(worse, 0.0, t), np.where(worse, value, lower)
        return np.repeat(t, self.loss.columns), lower

    def _newton(self, W: Array, Z: Array, wanted: Array) -> tuple[Array, Array]:
        """A Newton step for every problem that wants one, and its scores."""
        G = np.where(np.repeat(wanted, self.loss.columns), self.gradient(W, Z), 0.0)
        step = self._conjugate_gradients(Z, -G) if self.unknowns > _UNKNOWNS else -self.solve(Z, G)
        return step, self.products(step)

    @property
    def unknowns(self) -> int:
        """Of one problem."""
        return (self.rows.d + 1) * self.loss.columns

    def solve(self, Z: Array, G: Array) -> Array:
        """∇²P⁺ G, problem by problem."""
        out, centred = np.empty_like(G), self.centred(G)
        for j in range(G.shape[1] // self.loss.columns):
            part = self.part(j)
            if not G[part].any():
                out[part] = 0.0
                continue
            out[part] = solve(self.hessian(Z, j), centred[part].ravel()).reshape(G[part].shape)
        out[-1] -= self.means @ out[:-1]
        return out

    @cached_property
    def means(self) -> Array:
        """Of the columns, taken off where an intercept makes up for it: far from 0 they are all but constant."""
        return self.adjoint(np.ones((len(self.shares), 1)))[:-1, 0] * float(self.free)

    def off_means(self, W: Array) -> tuple[Problems, Array]:
        """The same problems, and weights, with columns that lie far from 0 taken off their means, if there are any.

        Only b changes, to b + ⟨x̄, w⟩. The sums over such a column are a large multiple of Σ sᵢRᵢ = 0, all rounding.
        """
        if not self.free or len(self.shares) * self.rows.d > _ENTRIES:
            return self, W
        squares = self.adjoint(np.ones((len(self.shares), 1)), np.square)[:-1, 0]
        far = self.means**2 > _FAR * (squares - self.means**2)
        if not far.any():
            return self, W
        shift = np.where(far, self.means, 0.0)
        return replace(self, rows=self.rows.less(shift)), np.vstack([W[:-1], W[-1:] + shift @ W[:-1]])

    def centred(self, G: Array) -> Array:
        """The gradient in terms of w and b + ⟨x̄, w⟩."""
        return np.vstack([G[:-1] - np.outer(self.means, G[-1]), G[-1:]])

    def scores_of(self, j: int) -> slice:
        """The scores of problem j."""
        return slice(j * self.loss.columns, (j + 1) * self.loss.columns)

    def only(self, j: int) -> Problems:
        """Problem j by itself."""
        if isinstance(self.loss, Joint):
            return self
        offset = None if self.offset is None else self.offset[:, [j]]
        return replace(self, loss=replace(self.loss, signs=self.loss.signs[:, [j]]), offset=offset)

    def depth(self, R: Array, j: int, P: float, loose: Array) -> float:
        """P − D of problem j at multipliers R, without the loose weights' terms (penalised.py)."""
        assert self.penalty is not None
        return depth(self, self.penalty, R, j, P, loose)

    def part(self, j: int) -> tuple[slice, slice]:
        """The weights of problem j within W."""
        k = self.loss.columns
        return np.s_[:, j * k : (j + 1) * k]

    def hessian(self, Z: Array, j: int, rho: float = 0.0) -> Array:
        """Of problem j, over w and b + ⟨x̄, w⟩: below ∇²P wherever no score moves by more than ρ."""
        d, k = self.rows.d, self.loss.columns
        H = np.zeros((d + 1, k, d + 1, k))
        for block in self.rows.blocks(self.chosen, width=max(d + 1, k * k)):
            weighed = self.shares[block.where][:, None, None] * self.loss.hessian(Z, j, block.where, rho)
            (self._add_products if self.rows.few else self._add_rows)(H, block, weighed)
        for a in range(k):
            for b in range(a, k):
                if self.rows.few:
                    H[:, a, :-1, b] -= np.outer(H[:, a, -1, b], self.means)
                    H[:-1, a, :, b] -= np.outer(self.means, H[-1, a, :, b])
                H[:, b, :, a] = H[:, a, :, b]
            H[np.arange(d), a, np.arange(d), a] += self.alpha if self.penalty is None else self.penalty.c[:, 0]
        return H.reshape((d + 1) * k, (d + 1) * k)

    def _add_rows(self, H: Array, block: Block, weighed: Array) -> None:
        """The rows' share of the Hessian, a ≤ b only, over w and b + ⟨x̄, w⟩."""
        A = self.with_ones(block)
        for a in range(H.shape[1]):
            for b in range(a, H.shape[1]):
                H[:, a, :, b] += A.T @ (weighed[:, a, b][:, None] * A)

    def _add_products(self, H: Array, block: Block, weighed: Array) -> None:
        """The same entry by entry, over w and b: where most entries are 0, no mean is far from it."""
        row, first, second, value = block.products()
        for a in range(H.shape[1]):
            for b in range(a, H.shape[1]):
                c = weighed[:, a, b]
                np.add.at(H[:, a, :, b], (first, second), c[row] * value)
                if self.free:
                    sums = block.adjoint(c[:, None], self.rows.d)[:, 0]
                    H[:-1, a, -1, b] += sums
                    H[-1, a, :-1, b] += sums
                    H[-1, a, -1, b] += c.sum()

    def with_ones(self, block: Block) -> Array:
        """The block's rows of [X − x̄ 1], or [X 0] without an intercept."""
        A = block.with_ones(self.rows.d)
        A[:, :-1] -= self.means
        A[:, -1] *= self.free
        return A

    def _conjugate_gradients(self, Z: Array, target: Array) -> Array:
        """∇²P p = target, preconditioned by about the diagonal of ∇²P."""
        weights = np.abs(self.loss.slope(Z)) + self.mean(np.ones_like(Z))
        diagonal = self.adjoint(weights, np.square)
        diagonal[:-1] += self.alpha
        p, r = np.zeros_like(target), target.copy()
        z = r / diagonal
        q, rz = z, self.inner(r, z)
        first = rz
        for _ in range(_ITERATIONS):
            Hq = self.adjoint(self.loss.curve(Z, self.products(q)))
            Hq[:-1] += self.alpha * q[:-1]
            if not self.free:
                Hq[-1] = 0.0
            curvature = self.inner(q, Hq)
            going = (curvature > 0.0) & (rz > 1e-14 * first)
            if not going.any():
                break
            t = np.where(going, rz / np.where(going, curvature, 1.0), 0.0)
            p, r = p + t * q, r - t * Hq
            z = r / diagonal
            after = self.inner(r, z)
            q = z + after / np.where(rz > 0.0, rz, 1.0) * q
            rz = after
        return p


def solve(H: Array, g: Array) -> Array:
    """H⁺ g. Where the diagonal is 0 the row is: an intercept that is not free, a column without entries."""
    out, curved = np.zeros_like(g), np.flatnonzero(H.diagonal() > 0.0)
    if not len(curved):
        return out
    H, g = (H, g) if len(curved) == len(H) else (H[np.ix_(curved, curved)], g[curved])
    scale = np.sqrt(H.diagonal())
    scaled = H / np.outer(scale, scale)
    if definite(scaled):
        out[curved] = np.linalg.solve(scaled, g / scale) / scale
    else:
        root = pseudo_root(H)
        out[curved] = root @ (root.T @ g)
    return out


def definite(H: Array) -> bool:
    """Whether H, of unit diagonal, is positive definite beyond rounding, which leaves a pivot of 0 with either sign."""
    try:
        return bool(np.linalg.cholesky(H).diagonal().min() > np.sqrt(8.0 * _EPS * len(H)))
    except np.linalg.LinAlgError:
        return False


def pseudo_root(H: Array) -> Array:
    """B with H⁺ = B Bᵀ; its columns are as many as the rank. Columns of any scale are fine."""
    diagonal = np.sqrt(np.maximum(H.diagonal(), 0.0))
    scale = np.where(diagonal > 0.0, diagonal, 1.0)
    values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
    kept = values > max(_EPS * len(H) * float(values[-1]), np.finfo(np.float64).tiny)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])
