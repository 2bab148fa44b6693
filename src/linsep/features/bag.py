"""Texts → a sparse matrix of counts or tf-idf weights of their words or character runs.

    tf(t, d)   how often term t is in document d; 1 if `binary`; 1 + ln tf if `sublinear_tf`
    idf(t)     ln((n + s) / (df(t) + s)) + 1,   s = 1 if `smooth_idf`, else 0
    x_dt     = tf · idf, each row then divided by its norm

The terms, the counts and the weights are those of scikit-learn's CountVectorizer, TfidfVectorizer and (with `buckets`)
HashingVectorizer without signs; a kernel reads the UTF-8 of all texts on several threads.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.errors import InvalidData, InvalidFile, InvalidParameter
from linsep.features import counting
from linsep.features.buckets import Buckets, texts_from
from linsep.features.fitted import check_fitted
from linsep.features.texts import Texts, read_texts
from linsep.features.word_settings import WordSettings, check, document_limits
from linsep.kernels import _parsing as parsing
from linsep.types import FloatArray, IntArray


class Bag:
    """`BagOfWords` without scikit-learn and SciPy, which take longer to import than most texts to read."""

    n_documents_: int
    idf_: FloatArray | None
    document_frequency_: IntArray
    words_: Texts | None
    buckets_: Buckets | None

    def __init__(
        self,
        *,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        shortest: int = 2,
        stop_words: Any = None,
        min_df: Any = 1,
        max_df: Any = 1.0,
        max_features: int | None = None,
        buckets: int | None = None,
        words_kept: int = 10,
        binary: bool = False,
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        norm: str | None = "l2",
        dtype: Any = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.shortest = shortest
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.buckets = buckets
        self.words_kept = words_kept
        self.binary = binary
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words of the texts and their document frequencies; y is not used."""
        self._learn(read_texts(X), check(self))
        return self

    def fit_rows(self, X: Any) -> SparseRows:
        """The same as fit, then rows, with one reading of the texts."""
        settings = check(self)
        return self._weighed(self._learn(read_texts(X), settings), settings)

    def rows(self, X: Any) -> SparseRows:
        """One row a text, (n, columns), float64 or float32; words that were not met in training are left out."""
        check_fitted(self, "n_documents_")
        settings = check(self)
        texts, how = counting.reading(read_texts(X), settings, self.lowercase)
        given = (texts.data, texts.offsets, how)
        if self.buckets_ is not None:
            counts = parsing.WordCounts.of_hashed(*given, self.buckets_.count, settings.threads)
        else:
            counts = parsing.WordCounts.of_known(*given, self._table(), settings.threads)
        return self._weighed(counting.rows(counts, len(texts), settings), settings)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The words of the columns; for buckets their most frequent words."""
        check_fitted(self, "n_documents_")
        names = self.buckets_.names() if self.buckets_ is not None else self._words().strings()
        return np.array(names, dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Word → column; for buckets, of the words kept."""
        check_fitted(self, "n_documents_")
        if self.buckets_ is not None:
            return dict(zip(self.buckets_.words.strings(), self.buckets_.bucket.tolist(), strict=True))
        return {word: column for column, word in enumerate(self._words().strings())}

    def words_behind(self, column: int) -> list[tuple[str, int]]:
        """The words behind a column with their counts in training, most frequent first (of a bucket, those kept)."""
        check_fitted(self, "n_documents_")
        columns = len(self.document_frequency_)
        if not 0 <= column < columns:
            raise InvalidParameter(f"column={column!r}: allowed is 0, …, {columns - 1}")
        if self.buckets_ is not None:
            return self.buckets_.behind(column)
        start, end = self._words().offsets[column : column + 2]
        return [(bytes(self._words().data[start:end]).decode("utf-8", "surrogatepass"), int(self.counts_[column]))]

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(signature(cls).parameters)

    def settings(self) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self.setting_names()}

    def record(self) -> dict[str, Any]:
        """Settings and what was learnt as plain values and arrays: the vocabulary is one array of UTF-8 bytes."""
        check_fitted(self, "n_documents_")
        settings = {**self.settings(), "dtype": np.dtype(self.dtype).name, "n_jobs": None}
        settings = {name: v.item() if isinstance(v, np.generic) else v for name, v in settings.items()}
        settings["ngram_range"] = [int(n) for n in self.ngram_range]
        if not isinstance(self.stop_words, str | None):
            settings["stop_words"] = sorted(self.stop_words)
        learnt: dict[str, Any] = {"documents": self.n_documents_, "document_frequency": self.document_frequency_}
        if self.buckets_ is not None:
            learnt["buckets"] = self.buckets_.record()
        else:
            words = self._words()
            learnt |= {"words": words.data, "offsets": words.offsets, "counts": self.counts_}
        return {"settings": settings, **learnt, **({} if self.idf_ is None else {"idf": self.idf_})}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """The bag that `record` described, ready to transform."""
        settings = dict(record["settings"])
        bag = cls(**(settings | {"ngram_range": tuple(settings["ngram_range"]), "dtype": np.dtype(settings["dtype"])}))
        check(bag)
        bag.n_documents_ = int(record["documents"])
        bag.document_frequency_ = np.asarray(record["document_frequency"], dtype=np.int64)
        bag.idf_ = np.asarray(record["idf"], dtype=np.float64) if "idf" in record else None
        hashed = "buckets" in record
        bag.buckets_ = Buckets.from_record(record["buckets"]) if hashed else None
        bag.words_ = None if hashed else texts_from(record)
        if not hashed:
            bag.counts_ = np.asarray(record["counts"], dtype=np.int64)
        bag._check_lengths()
        return bag

    def _check_lengths(self) -> None:
        """A number a column wherever the kernels read one, so that a forged file fails here."""
        columns = self.buckets_.count if self.buckets_ is not None else len(self._words())
        sizes = {self.document_frequency_.shape, (columns,) if self.buckets_ is not None else self.counts_.shape}
        sizes |= set() if self.idf_ is None else {self.idf_.shape}
        if sizes != {(columns,)} or (self.idf_ is None) == self.use_idf:
            raise InvalidFile(f"the numbers of its words do not fit {columns:,} columns")
        if self.buckets_ is not None and self.buckets_.count != self.buckets:
            raise InvalidFile(f"its words are in {self.buckets_.count:,} buckets where its settings say {self.buckets}")

    def _learn(self, texts: Texts, settings: WordSettings) -> counting.Rows:
        if not len(texts):
            raise InvalidData("no texts were given; at least one is needed")
        limits = document_limits(self.min_df, self.max_df, len(texts))
        texts, how = counting.reading(texts, settings, self.lowercase)
        counts = parsing.WordCounts.of_new(texts.data, texts.offsets, how, settings.threads)
        columns = counts.sort_words(*limits, settings.threads)
        if not columns:
            raise InvalidData(
                f"no word of the {len(texts)} texts is left: they are empty, hold only stop words or words shorter "
                f"than {self.shortest}, or min_df={self.min_df!r} and max_df={self.max_df!r} leave out all "
                "(an empty vocabulary)"
            )
        self.n_documents_, self.__dict__["_known"] = len(texts), None
        rows = self._hashed(counts, columns, settings) if self.buckets else self._listed(counts, columns, settings)
        df = self.document_frequency_
        self.idf_ = counting.inverse_document_frequency(df, len(texts), self.smooth_idf) if self.use_idf else None
        return rows

    def _listed(self, counts: parsing.WordCounts, columns: int, settings: WordSettings) -> counting.Rows:
        found = counting.found(counts, columns)
        if self.max_features is not None and columns > self.max_features:
            weights = found.documents if self.binary else found.total
            counts.keep(counting.most_frequent(weights, self.max_features))
            found = counting.found(counts, self.max_features)
        self.words_, self.buckets_ = found.words, None
        self.document_frequency_, self.counts_ = found.documents, found.total
        return counting.rows(counts, self.n_documents_, settings)

    def _hashed(self, counts: parsing.WordCounts, columns: int, settings: WordSettings) -> counting.Rows:
        assert self.buckets is not None
        found, bucket = counting.found(counts, columns), np.empty(columns, dtype=np.int64)
        counts.hash_words(self.buckets, bucket)
        self.words_ = None
        self.buckets_ = Buckets.group(self.buckets, found.words, bucket, found.total, self.words_kept)
        rows = counting.rows(counts, self.n_documents_, settings)
        self.document_frequency_ = rows.documents(self.buckets)
        return rows

    def _weighed(self, rows: counting.Rows, settings: WordSettings) -> SparseRows:
        rows.weigh(self.idf_, self.binary, self.sublinear_tf, settings)
        return rows.finished(len(self.document_frequency_))

    def _words(self) -> Texts:
        assert self.words_ is not None
        return self.words_

    def _table(self) -> parsing.WordTable:
        """The words by number; made when it is first needed."""
        known: parsing.WordTable | None = self.__dict__.get("_known")
        if known is None:
            known = self.__dict__["_known"] = counting.table(self._words())
        return known
