"""BagOfWords against scikit-learn's vectorizers, on real and odd texts; its records; what it refuses."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from linsep import BagOfWords, LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.features.letters import BEYOND_TABLES, SPACE, UNICODE, WORD, letters
from linsep.features.texts import Texts
from tests.features import shared
from tests.kernels.test_words import ODD

TEXTS = [*ODD, "Free prize! call now", "call me, please call", "the prize is FREE", "¡Qué día más bonito!"]
COUNTED: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"analyzer": "char", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"lowercase": False},
    {"stop_words": "english", "ngram_range": (1, 2)},
    {"stop_words": ["call", "prize"]},
    {"min_df": 2},
    {"min_df": 0.1, "max_df": 0.2},
    {"binary": True},
]
WEIGHTED: list[dict[str, Any]] = [
    {}, {"sublinear_tf": True}, {"smooth_idf": False}, {"use_idf": False}, {"norm": None}, {"norm": "l1"},
    {"binary": True, "ngram_range": (1, 2)},
]  # fmt: skip


def texts_of(name: str) -> list[str]:
    return {"odd": lambda: TEXTS, "sms": shared.sms, "banking": shared.banking}[name]()


def counts(**options: Any) -> BagOfWords:
    return BagOfWords(use_idf=False, norm=None, **options)


def assert_same(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    assert ours.has_sorted_indices
    theirs.sort_indices()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-14)


@pytest.mark.parametrize("options", COUNTED, ids=str)
@pytest.mark.parametrize("name", ["odd", "sms", "banking"])
def test_counts_of_scikit_learn(name: str, options: dict[str, Any]) -> None:
    texts = texts_of(name)[:1200]
    theirs, ours = CountVectorizer(**options), counts(**options)
    expected = theirs.fit_transform(texts)
    assert_same(ours.fit_transform(texts), expected)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    assert_same(ours.transform(texts), expected)
    assert_same(counts(**options).fit(texts[2:]).transform(texts), theirs.fit(texts[2:]).transform(texts))


@pytest.mark.parametrize("options", WEIGHTED, ids=str)
@pytest.mark.parametrize("name", ["odd", "sms"])
def test_weights_of_scikit_learn(name: str, options: dict[str, Any]) -> None:
    texts = texts_of(name)[:1200]
    theirs, ours = TfidfVectorizer(**options), BagOfWords(**options)
    assert_same(ours.fit_transform(texts), theirs.fit_transform(texts))
    if ours.idf_ is not None:
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-15)
    assert_same(ours.transform(texts[:50]), theirs.transform(texts[:50]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=25), max_size=6), st.sampled_from(COUNTED[:6]))
def test_counts_of_any_texts(texts: list[str], options: dict[str, Any]) -> None:
    texts = [*texts, "some words here"]
    theirs, ours = CountVectorizer(**options), counts(**options)
    assert_same(ours.fit_transform(texts), theirs.fit_transform(texts))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_the_tables_are_python_s_own_answers() -> None:
    tables = letters(UNICODE, True)
    for code in range(UNICODE):
        letter = chr(code)
        assert tables.kinds[code] == WORD * (letter.isalnum() or letter == "_") + SPACE * letter.isspace()
        if letter not in BEYOND_TABLES:
            assert chr(tables.lower[code]) == letter.lower()
            assert letter.lower().lower() == letter.lower()  # so that a text lowered by Python may pass the tables


def test_tables_reach_as_far_as_the_texts() -> None:
    """Also where Python lowers a text: Ⱥ takes two bytes, ⱥ three."""
    for texts, reach in ((["ab"], 128), (["ab", "é"], 0x800), (["é’s"], 0x10000), (["😀 ab"], UNICODE)):
        assert Texts.of(texts).reach == reach
    texts = ["İȺȺ ab", "ΣΣ cd", "ȺȺ"]
    theirs = CountVectorizer().fit(texts)
    assert counts().fit(texts).get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_lone_surrogates_are_no_letters() -> None:
    texts = ["ab\ud800cd", "é ab"]
    assert_same(counts().fit_transform(texts), CountVectorizer().fit_transform(texts))


def test_shortest_word() -> None:
    texts = ["a bc d", "é"]
    theirs = CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
    assert_same(counts(shortest=1).fit_transform(texts), theirs)
    assert counts(shortest=2).fit(texts).get_feature_names_out().tolist() == ["bc"]


def test_most_frequent_features() -> None:
    texts = ["aa bb cc dd", "bb cc cc", "dd", "dd"]
    assert counts(max_features=2).fit(texts).get_feature_names_out().tolist() == ["cc", "dd"]
    assert counts(max_features=3, binary=True).fit(texts).get_feature_names_out().tolist() == ["bb", "cc", "dd"]
    ties = counts(max_features=1).fit(["zz yy xx"])
    assert ties.get_feature_names_out().tolist() == ["xx"]
    sms = texts_of("sms")
    ours = counts(max_features=500).fit_transform(sms)
    theirs = CountVectorizer(max_features=500).fit_transform(sms)
    np.testing.assert_array_equal(np.sort(ours.sum(axis=0).A1), np.sort(theirs.sum(axis=0).A1))


CONTAINERS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "generator": iter,
    "object": lambda t: np.array(t, dtype=object),
    "column": lambda t: np.array(t, dtype=object)[:, None],
    "pandas": pd.Series,
    "pandas frame": lambda t: pd.DataFrame({"t": t}),
    "polars": pl.Series,
    "polars frame": lambda t: pl.DataFrame({"t": t}),
    "arrow": pa.array,
    "large arrow": lambda t: pa.array(t, type=pa.large_string()),
    "slice of arrow": lambda t: pa.array(["x", *t, "y"]).slice(1, len(t)),
    "chunks of arrow": lambda t: pa.chunked_array([t[:3], t[3:]]),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_whatever_holds_the_texts(container: str) -> None:
    expected = BagOfWords().fit_transform(TEXTS)
    assert (BagOfWords().fit_transform(CONTAINERS[container](TEXTS)) != expected).nnz == 0


def test_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{k}é" for k in rng.zipf(1.3, size=60)) for _ in range(2000)]
    for options in ({"ngram_range": (1, 2)}, {"buckets": 999}):
        one, four = BagOfWords(n_jobs=1, **options), BagOfWords(n_jobs=4, **options)
        for a, b in [
            (one.fit_transform(texts), four.fit_transform(texts)),
            (one.transform(texts), four.transform(texts)),
        ]:
            assert a.data.tobytes() == b.data.tobytes()
            assert a.indices.tobytes() == b.indices.tobytes()
        assert json.dumps(plain(one.record())) == json.dumps(plain(four.record()))


def plain(record: Any) -> Any:
    """Arrays as lists, to see that nothing else is in a record that JSON does not have."""
    if isinstance(record, dict):
        return {name: plain(value) for name, value in record.items()}
    if isinstance(record, list):
        return [plain(value) for value in record]
    return record.tolist() if isinstance(record, np.ndarray) else record


@pytest.mark.parametrize("options", [{}, {"buckets": 50}, {"stop_words": ["call"], "dtype": np.float32}], ids=str)
def test_record_and_back(options: dict[str, Any]) -> None:
    bag = BagOfWords(**options).fit(TEXTS)
    json.dumps(plain(bag.record()))
    again = BagOfWords.from_record(bag.record())
    a, b = bag.transform(TEXTS), again.transform(TEXTS)
    assert a.dtype == b.dtype
    assert (a != b).nnz == 0
    assert again.get_feature_names_out().tolist() == bag.get_feature_names_out().tolist()
    assert plain(again.record()) == plain(bag.record())
    assert [again.words_behind(j) for j in range(9)] == [bag.words_behind(j) for j in range(9)]
    assert (pickle.loads(pickle.dumps(bag)).transform(TEXTS) != a).nnz == 0


@pytest.mark.parametrize("buckets", [1, 64, 2**18])
def test_buckets_of_scikit_learn(buckets: int) -> None:
    theirs = HashingVectorizer(n_features=buckets, alternate_sign=False, norm=None, ngram_range=(1, 2))
    bag = counts(buckets=buckets, ngram_range=(1, 2))
    assert_same(bag.fit_transform(TEXTS), theirs.transform(TEXTS))
    assert_same(bag.transform(TEXTS[::-1]), theirs.transform(TEXTS[::-1]))


def test_hashing_is_reversible() -> None:
    texts = ["one two two three", "two four"]
    bag = counts(buckets=3, words_kept=2).fit(texts)
    full = counts(buckets=3).fit(texts)
    behind = {word: (column, count) for column in range(3) for word, count in full.words_behind(column)}
    assert {word: count for word, (_, count) in behind.items()} == {"one": 1, "two": 3, "three": 1, "four": 1}
    for word, (column, _) in behind.items():
        assert full.transform([word]).indices.tolist() == [column]
    collisions = full.buckets_.collisions()
    assert all(len(words) > 1 for words in collisions.values())
    assert sum(map(len, collisions.values())) >= 2  # four words in three buckets
    kept = bag.words_behind(behind["two"][0])
    assert kept[0] == ("two", 3)
    assert len(kept) <= 2
    for column, name in enumerate(full.get_feature_names_out()):
        words = [word for word, _ in full.words_behind(column)]
        assert name == (
            " | ".join(words[:3]) + (f" | {len(words) - 3} more" if len(words) > 3 else "") or f"bucket {column}"
        )
    assert full.vocabulary_ == {word: column for word, (column, _) in behind.items()}


def test_document_frequency_of_a_bucket_counts_a_text_once() -> None:
    bag = BagOfWords(buckets=1).fit(["aa bb", "cc", "dd ee"])
    assert bag.document_frequency_.tolist() == [3]
    np.testing.assert_allclose(bag.idf_, [1.0])


def test_in_a_pipeline() -> None:
    texts, y = ["free prize", "call me", "free free", "me too"] * 5, ["spam", "ham"] * 10
    model = make_pipeline(BagOfWords(), LogisticRegression(alpha=0.01)).fit(texts, y)
    assert model.score(texts, y) == 1.0
    assert clone(model[0]).get_params() == model[0].get_params()


def test_scikit_learn_checks() -> None:
    check_estimator(BagOfWords())


def test_float32_and_empty_transform() -> None:
    bag = BagOfWords(dtype="float32").fit(TEXTS)
    assert bag.transform(TEXTS).dtype == np.float32
    assert bag.transform([]).shape == (0, len(bag.idf_))
    assert bag.transform(["", "unknownword"]).nnz == 0


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"analyzer": "words"}, "unknown analyzer 'words'.*nearest is 'word'"),
        ({"norm": "l3"}, "unknown norm 'l3'"),
        ({"ngram_range": 2}, "ngram_range=2: allowed is a pair"),
        ({"ngram_range": (2, 1)}, "1 <= least <= most"),
        ({"min_df": 0}, "min_df=0: allowed are"),
        ({"max_df": 1.5}, "max_df=1.5: allowed are"),
        ({"max_features": 0}, "max_features=0: allowed is a whole number >= 1"),
        ({"buckets": 0}, "buckets=0: allowed"),
        ({"buckets": 8, "min_df": 2}, "min_df=2 with buckets=8: hashing keeps every word"),
        ({"stop_words": "french"}, "unknown stop_words 'french'"),
        ({"dtype": "int8"}, "unknown dtype 'int8'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"min_df": 9, "max_df": 1}, "raise max_df or lower min_df"),
    ],
)
def test_bad_parameters(options: dict[str, Any], match: str) -> None:
    with pytest.raises((InvalidParameter, InvalidData), match=match):
        BagOfWords(**options).fit(TEXTS)


def test_bad_types() -> None:
    for options in ({"binary": 1}, {"shortest": 2.0}, {"stop_words": [1]}):
        with pytest.raises(InvalidType, match=next(iter(options))):
            BagOfWords(**options).fit(TEXTS)


@pytest.mark.parametrize("given", [["a", None], pd.Series(["a", None]), pl.Series(["a", None]), pa.array(["a", None])])
def test_a_missing_text_is_named_by_its_row(given: Any) -> None:
    with pytest.raises(InvalidType, match=r"row 1 of the texts is (None|nan)"):
        BagOfWords().fit(given)


def test_bad_texts() -> None:
    with pytest.raises(InvalidData, match="Give a list with the text in it"):
        BagOfWords().fit("one text")
    with pytest.raises(InvalidData, match="no texts were given"):
        BagOfWords().fit([])
    with pytest.raises(InvalidData, match="no word of the 2 texts is left"):
        BagOfWords().fit(["a", "!"])
    with pytest.raises(InvalidType, match="row 0 of the texts is 3, a int"):
        BagOfWords().fit(pl.Series([3]))
    with pytest.raises(InvalidType, match="texts are a int"):
        BagOfWords().fit(3)
    with pytest.raises(InvalidData, match="one column"):
        BagOfWords().fit(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(InvalidParameter, match="column=99"):
        BagOfWords().fit(["aa"]).words_behind(99)
