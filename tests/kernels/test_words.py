"""The word kernels against their plain twins, on any number of threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep.features.letters import ASCII, UNICODE, letters
from linsep.features.texts import Texts
from linsep.kernels import _parsing as parsing
from linsep.kernels import reference_words

#: Accents, composed and combining; Greek with final sigma; Turkish; German; digits that are no decimals; spaces that
#: are no blanks; letters whose lower case has more bytes; emoji; a null; scripts without case.
ODD = [
    "Ünïcode CAFÉ naïve", "İstanbul IŞIK ıssız İ", "ΟΔΥΣΣΕΥΣ ΣΟΦΟΣ Σ ΑΣ. ΑΣΒ", "emoji 😀😀 a😀b ab😀cd",
    "e\u0301te\u0301 cafe\u0301", "x² ½½ Ⅷ ٣٤ 中文字 עברית हिन्दी", "a_b __ _a 1 22", "", " ",
    " \t\n  x\u00a0\u2003yy z ",
    "K KK Å ÅÅ ȺȺ", "nul\0nul", "\u1e9e ßß ﬁ ǅa", "it's well-known, isn't it?", "a" * 70 + " " + "b" * 9,
]  # fmt: skip
SIZES = {"word": [(1, 1, 2), (1, 2, 1), (2, 3, 2)], "char": [(1, 1, 2), (2, 4, 2)], "char_wb": [(1, 3, 2), (4, 6, 2)]}
CASES = [(unit, sizes) for unit, group in SIZES.items() for sizes in group]


def read(texts: list[str], unit: str, sizes: tuple[int, int, int], stop: list[str] | None = None):
    """The arguments of every way to count."""
    given = Texts.of(texts).with_lowered()
    tables = letters(UNICODE, True)
    words = Texts.of(stop or [])
    table = parsing.WordTable.of(words.data, words.offsets) if stop else None
    return given.data, given.offsets, parsing.WordReading.of(tables.kinds, tables.lower, unit, sizes, table)


def rows_of(counts: object, n: int, threads: int = 2, dtype: type = np.float64, index: type = np.int32) -> list[dict]:
    indptr = np.empty(n + 1, dtype=np.int64)
    entries = counts.rows(indptr, threads)
    indices, data = np.empty(entries, dtype=index), np.empty(entries, dtype=dtype)
    counts.write(indptr, indices, data, threads)
    pairs = [(indices[a:b], data[a:b]) for a, b in pairwise(indptr)]
    assert all((np.diff(columns) > 0).all() for columns, _ in pairs)
    return [dict(zip(columns.tolist(), values.tolist(), strict=True)) for columns, values in pairs]


def words_of(counts: object, columns: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    documents, total, sizes = (np.empty(columns, dtype=np.int64) for _ in range(3))
    counts.facts(documents, total, sizes)
    spelled = np.empty(sizes.sum(), dtype=np.uint8)
    counts.spell(spelled)
    return Texts.joined(spelled.tobytes(), sizes).strings(), documents, total


@pytest.mark.parametrize(("unit", "sizes"), CASES)
def test_new_words(unit: str, sizes: tuple[int, int, int]) -> None:
    check_new_words([*ODD, *(f"{a} {b}" for a in ODD[:3] for b in ODD)], unit, sizes, 2)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_new_words_of_several_chunks(threads: int) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.zipf(1.3, size=40) if k < 10**6) + " é" for _ in range(1500)]
    assert sum(map(len, texts)) > 3 * 2**16  # the kernel's chunks have this many bytes
    check_new_words(texts, "word", (1, 2, 2), threads)


def check_new_words(texts: list[str], unit: str, sizes: tuple[int, int, int], threads: int) -> None:
    bags = [reference_words.terms(text, unit, sizes) for text in texts]
    for least, most in [(1, len(texts)), (2, len(texts) // 2)]:
        counts = parsing.WordCounts.of_new(*read(texts, unit, sizes), threads)
        columns = counts.sort_words(least, most, threads)
        words, documents, total = words_of(counts, columns)
        expected, rows = reference_words.count_words(bags, least, most)
        assert words == expected
        assert rows_of(counts, len(texts), threads) == rows
        columns_of, counts_of = (np.array([x for row in rows for x in part(row)]) for part in (dict.keys, dict.values))
        assert documents.tolist() == np.bincount(columns_of, minlength=columns).tolist()
        assert total.tolist() == np.bincount(columns_of, weights=counts_of, minlength=columns).tolist()


@pytest.mark.parametrize(("unit", "sizes"), CASES)
def test_known_and_hashed_words(unit: str, sizes: tuple[int, int, int]) -> None:
    bags = [reference_words.terms(text, unit, sizes) for text in ODD]
    known = sorted({term for bag in bags for term in bag})[::2]
    words = Texts.of(known)
    table = parsing.WordTable.of(words.data, words.offsets)
    assert table.size == len(known)
    how = read(ODD, unit, sizes)
    expected = reference_words.count_known_words(bags, known)
    assert rows_of(parsing.WordCounts.of_known(*how, table, 2), len(ODD), dtype=np.float32) == expected
    for buckets in (1, 7, 2**20, 2**31 - 1):  # with marks, and without where there are more columns than bytes
        hashed = parsing.WordCounts.of_hashed(*how, buckets, 2)
        assert rows_of(hashed, len(ODD), index=np.int64) == reference_words.count_hashed_words(bags, buckets)


def test_stop_words_and_kept_columns() -> None:
    texts, stop = ["the cat and the dog", "a dog the cat"], ["the", "and"]
    bags = [reference_words.terms(text, "word", (1, 2, 2), stop=stop) for text in texts]
    counts = parsing.WordCounts.of_new(*read(texts, "word", (1, 2, 2), stop), 2)
    columns = counts.sort_words(1, 2, 1)
    assert words_of(counts, columns)[0] == ["cat", "cat dog", "dog", "dog cat"]
    assert rows_of(counts, 2) == reference_words.count_words(bags, 1, 2)[1]
    counts = parsing.WordCounts.of_new(*read(texts, "word", (1, 2, 2), stop), 2)
    counts.sort_words(1, 2, 1)
    counts.keep(np.array([0, 3]))
    assert words_of(counts, 2)[0] == ["cat", "dog cat"]
    assert rows_of(counts, 2) == [{0: 1.0}, {0: 1.0, 1: 1.0}]


def test_words_to_buckets() -> None:
    counts = parsing.WordCounts.of_new(*read(ODD, "word", (1, 1, 2)), 2)
    columns = counts.sort_words(1, 100, 2)
    buckets = np.empty(columns, dtype=np.int64)
    counts.hash_words(5, buckets)
    words = words_of(counts, columns)[0]
    assert buckets.tolist() == [reference_words.bucket_of(word, 5) for word in words]
    bags = [reference_words.terms(text, "word", (1, 1, 2)) for text in ODD]
    assert rows_of(counts, len(ODD)) == reference_words.count_hashed_words(bags, 5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("how", [(b, s, n) for b in (True, False) for s in (True, False) for n in (0, 1, 2)])
def test_weights(how: tuple[bool, bool, int], index: type, dtype: type) -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    rows = [{int(j): int(row[j]) for j in np.flatnonzero(row)} for row in counts]
    indptr = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    for idf in (None, rng.random(6) + 0.5):
        indices, data = (np.array([x for row in rows for x in part(row)]) for part in (dict.keys, dict.values))
        data = data.astype(dtype)
        parsing.weigh_words(indptr, indices.astype(index), data, idf, how, 2)
        expected = np.concatenate([reference_words.weigh_words(row, idf, *how) for row in rows])
        np.testing.assert_allclose(data, expected, rtol=1e-6 if dtype is np.float32 else 1e-14)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8), st.sampled_from(CASES))
def test_any_text(texts: list[str], case: tuple[str, tuple[int, int, int]]) -> None:
    bags = [reference_words.terms(text, *case) for text in texts]
    counts = parsing.WordCounts.of_new(*read(texts, *case), 2)
    columns = counts.sort_words(1, len(texts), 2)
    words, rows = reference_words.count_words(bags, 1, len(texts))
    assert words_of(counts, columns)[0] == words
    assert rows_of(counts, len(texts)) == rows


@given(st.lists(st.integers(0, 255), max_size=60))
def test_bytes_that_are_no_text_do_no_harm(given: list[int]) -> None:
    tables = letters(UNICODE, True)
    data, offsets = np.array(given, dtype=np.uint8), np.array([0, len(given) // 2, len(given)])
    for unit, sizes in CASES:
        how = parsing.WordReading.of(tables.kinds, tables.lower, unit, sizes, None)
        parsing.WordCounts.of_new(data, offsets, how, 1).sort_words(1, 2, 1)


def test_offsets_of_texts() -> None:
    texts = [*ODD, "", "é", "😀" * 9, "", "a"]
    data = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    out = np.empty(len(texts) + 1, dtype=np.int64)
    parsing.text_offsets(data, np.array([len(text) for text in texts]), out)
    assert out.tolist() == np.append(0, np.cumsum([len(text.encode()) for text in texts])).tolist()


def test_what_would_leave_the_arrays_is_refused() -> None:
    data, offsets, how = read(["ab cd", "ef"], "word", (1, 1, 2))
    for wrong in ([0, 9, 7], [0, 5, 8], [-1, 5, 7], []):
        with pytest.raises(ValueError, match="offsets rise"):
            parsing.WordCounts.of_new(data, np.array(wrong, dtype=np.int64), how, 1)
    counts = parsing.WordCounts.of_new(data, offsets, how, 1)
    counts.sort_words(1, 2, 1)
    with pytest.raises(ValueError, match="columns are those"):
        counts.keep(np.array([3]))
    with pytest.raises(ValueError, match="too small"):
        counts.spell(np.empty(2, dtype=np.uint8))
    with pytest.raises(ValueError, match="twice"):
        parsing.WordTable.of(data[:4], np.array([0, 1, 1, 1]))
    tables = letters(ASCII, True)
    with pytest.raises(ValueError, match="no kernel is named"):
        parsing.WordReading.of(tables.kinds, tables.lower, "sentence", (1, 1, 2), None)
    with pytest.raises(ValueError, match="least <= most"):
        parsing.WordReading.of(tables.kinds, tables.lower, "word", (2, 1, 2), None)
