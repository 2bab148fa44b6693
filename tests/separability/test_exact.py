"""Integers: conversions, null spaces, the simplex method, signs and lifting, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep.data import as_design
from linsep.separability.cone import Cone
from linsep.separability.exact import Simplex, are_floats, integers, null_space, solve, to_floats
from linsep.separability.modular import full_rank, null_vector
from linsep.separability.pieces import in_pieces, product_sums, residues, whole

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.lists(floats, min_size=3, max_size=3), min_size=1, max_size=4))
def test_rows_are_their_integers_times_a_power_of_two(rows: list[list[float]]) -> None:
    whole, powers = integers(np.array(rows))
    for row, ints, power in zip(rows, whole, powers, strict=True):
        assert [Fraction(v) for v in row] == [Fraction(int(i)) * Fraction(2) ** power for i in ints]


@given(st.lists(floats, min_size=1, max_size=5))
def test_floats_return(values: list[float]) -> None:
    whole = integers(np.array([values]))[0][0]
    if max(abs(v) for v in values) > 1e150 * min((abs(v) for v in values if v), default=1.0):
        return  # what is far smaller than the largest may underflow
    back = to_floats(whole)
    assert integers(back[None])[0][0].tolist() == whole.tolist()


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=5), st.integers(0, 1100))
def test_integers_as_floats_are_rounded_once(values: list[int], shift: int) -> None:
    whole = np.array([v << shift if k % 2 else v for k, v in enumerate(values)], dtype=object)
    size = max(abs(int(v)) for v in whole).bit_length()
    expected = [float(Fraction(int(v), 1 << size)) for v in whole]
    assert to_floats(whole).tolist() == expected
    assert are_floats(whole) is all(Fraction(f) * (1 << size) == int(v) for f, v in zip(expected, whole, strict=True))


matrices = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(matrices)
def test_null_space(rows: list[list[int]]) -> None:
    A = np.array(rows, dtype=object)
    N = null_space(A)
    rank = int(np.linalg.matrix_rank(np.array(rows, dtype=float)))
    assert N.shape[1] == A.shape[1] - rank
    assert not (A @ N).any()
    assert full_rank(A) is bool(rank == A.shape[1])
    vector = null_vector(A)
    assert (vector is not None) is (N.shape[1] == 1 and rank > 0)
    if vector is not None:
        assert not (A @ vector).any()
        assert vector.any()


@given(matrices, st.data())
def test_solve(rows: list[list[int]], data: st.DataObject) -> None:
    A = np.array(rows, dtype=object)
    x = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=A.shape[1], max_size=A.shape[1])), dtype=object)
    found = solve(A, A @ x)
    assert found is not None
    assert (A @ np.array(found, dtype=object)).tolist() == (A @ x).tolist()


@given(st.integers(0, 10**6), st.sampled_from([3, 40, 100, 2000]))
@settings(max_examples=40, deadline=None)
def test_products_by_pieces_are_exact(seed: int, bits: int) -> None:
    rng = np.random.default_rng(seed)
    rows, inner, columns = (int(v) for v in rng.integers(1, 7, 3))

    def numbers(*shape: int) -> np.ndarray:
        whole = [int.from_bytes(rng.bytes(bits // 8 + 1), "big", signed=True) for _ in range(int(np.prod(shape)))]
        return np.array(whole, dtype=object).reshape(shape) * rng.integers(0, 2, shape).astype(object)

    A, B = numbers(rows, inner), numbers(inner, columns)
    sums = product_sums(in_pieces(A), in_pieces(B))
    np.testing.assert_array_equal(whole(sums, (rows, columns)), A @ B)
    prime = 2**31 - 1
    np.testing.assert_array_equal(residues(sums, (rows, columns), prime), A @ B % prime)


def test_null_vector_and_rank_by_panels() -> None:
    """More columns than are eliminated at once, some that depend on others, rows that are all zero."""
    rng = np.random.default_rng(1)
    A = np.vstack([rng.integers(-9, 10, (160, 150)), np.zeros((3, 150), dtype=int)]).astype(object)
    assert full_rank(A)
    A[:, 140] = A[:, 3] - 2 * A[:, 70]
    assert not full_rank(A)
    vector = null_vector(A)
    assert vector is not None
    assert not (A @ vector).any()
    assert sorted(np.flatnonzero(vector)) == [3, 70, 140]


def test_null_vector_of_long_numbers() -> None:
    rng = np.random.default_rng(0)
    A = integers(rng.normal(size=(1, 600)))[0].reshape(24, 25)
    vector = null_vector(A)
    assert vector is not None
    assert not (A @ vector).any()


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=8))
@settings(deadline=None)
def test_simplex_finds_a_mean_or_a_direction(rows: list[list[int]]) -> None:
    A = np.array(rows, dtype=object)
    simplex = Simplex(3)
    simplex.add(A[:2])
    simplex.run(1000)
    simplex.add(A[2:])
    answer = simplex.run(1000)
    if answer:
        weights = simplex.weights()
        assert sum(weights.values()) == 1
        assert len(weights) <= 4
        assert not sum(w * A[i] for i, w in weights.items()).any()
    else:
        assert answer is False
        assert (A @ simplex.direction() > 0).all()


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 1 / 3, -1e9, 1e-9]), min_size=2, max_size=2), min_size=3, max_size=9),
    st.lists(st.integers(-(10**20), 10**20), min_size=6, max_size=6),
)
@settings(deadline=None)
def test_signs_are_exact(rows: list[list[float]], v: list[int]) -> None:
    codes = np.arange(len(rows)) % 3
    cone = Cone(as_design(np.array(rows), 1), codes, 3, True)
    V = np.array(v, dtype=object)
    W = cone.weights(V)
    signs = cone.signs(V)
    for sign, row, own, other in zip(signs, *cone.parts(np.arange(cone.size)), strict=True):
        x = [Fraction(value) for value in rows[row]] + [Fraction(1)]
        margin = sum(value * int(w) for value, w in zip(x, W[:, own] - W[:, other], strict=True))
        assert sign == (margin > 0) - (margin < 0)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 1 / 3, -2.5]), min_size=2, max_size=2), min_size=3, max_size=9),
    st.lists(st.integers(-(10**20), 10**20), min_size=6, max_size=6),
)
@settings(deadline=None)
def test_likely_signs_of_rows_that_rounding_tells_apart(rows: list[list[float]], v: list[int]) -> None:
    cone = Cone(as_design(np.array(rows), 1), np.arange(len(rows)) % 3, 3, True)
    V = np.array(v, dtype=object)
    assert cone.likely_signs(V).tolist() == cone.signs(V).tolist()
