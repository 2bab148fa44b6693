"""What stands behind the columns of hashed words, so that a weight can be read back.

For every bucket that a training text fell into: how many different words fell there (more than one is a collision),
and the words met most often, each with its count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.errors import InvalidFile
from linsep.features.texts import Texts
from linsep.types import IntArray

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Buckets:
    """Words kept, by bucket (rising) and then by count (falling, words of equal count in order).

    count      buckets in all
    words      the words kept
    bucket     (kept,) of each
    counts     (kept,) how often each was met
    used       (m,) the buckets that were met, rising
    different  (m,) how many different words fell into each
    """

    count: int
    words: Texts
    bucket: IntArray
    counts: IntArray
    used: IntArray
    different: IntArray

    @classmethod
    def group(cls, count: int, words: Texts, bucket: IntArray, counts: IntArray, kept: int) -> Buckets:
        """From all words met (in order), their buckets and counts; `kept` words a bucket stay."""
        order = np.lexsort((np.arange(len(bucket)), -counts, bucket))
        used, starts, different = np.unique(bucket[order], return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(starts, different)
        chosen = order[rank < kept]
        return cls(count, select(words, chosen), bucket[chosen], counts[chosen], used, different.astype(np.int64))

    def behind(self, column: int) -> list[tuple[str, int]]:
        """The words behind a column, most frequent first, each with its count."""
        first, last = np.searchsorted(self.bucket, [column, column + 1])
        chosen = np.arange(first, last)
        return list(zip(select(self.words, chosen).strings(), self.counts[chosen].tolist(), strict=True))

    def collisions(self) -> dict[int, list[tuple[str, int]]]:
        """The words of every bucket into which more than one fell."""
        return {int(column): self.behind(int(column)) for column in self.used[self.different > 1]}

    def names(self) -> list[str]:
        """A name for every column: its most frequent words, and how many more there are."""
        names = [f"bucket {j}" for j in range(self.count)]
        words, starts = self.words.strings(), np.searchsorted(self.bucket, self.used)
        ends = np.append(starts[1:], len(words))
        for column, start, end, different in zip(self.used, starts, ends, self.different, strict=True):
            shown = words[start : min(end, start + _SHOWN)]
            more = int(different) - len(shown)
            names[column] = " | ".join(shown) + (f" | {more} more" if more else "")
        return names

    def record(self) -> dict[str, Any]:
        return {
            "count": self.count, "words": self.words.data, "offsets": self.words.offsets, "bucket": self.bucket,
            "counts": self.counts, "used": self.used, "different": self.different,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Buckets:
        words = texts_from(record)
        count, lines = int(record["count"]), ("bucket", "counts", "used", "different")
        bucket, counts, used, different = (np.asarray(record[name], dtype=np.int64) for name in lines)
        fits = bucket.shape == counts.shape == (len(words),) and used.ndim == 1 and used.shape == different.shape
        for places in (bucket, used):
            if not fits or ((places < 0) | (places >= count)).any():
                raise InvalidFile(f"its hashed words do not fit {count:,} buckets")
        return cls(count, words, bucket, counts, used, different)


def select(texts: Texts, chosen: IntArray) -> Texts:
    """Some of the texts."""
    data, offsets = texts.data.tobytes(), texts.offsets
    spans = zip(offsets[chosen].tolist(), offsets[chosen + 1].tolist(), strict=True)
    return Texts.joined(b"".join([data[start:end] for start, end in spans]), np.diff(offsets)[chosen])


def texts_from(record: dict[str, Any]) -> Texts:
    """The words of a record: one array of UTF-8 bytes, and where each word begins."""
    data, offsets = np.asarray(record["words"], dtype=np.uint8), np.asarray(record["offsets"], dtype=np.int64)
    if data.ndim != 1 or offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != len(data):
        raise InvalidFile("its words do not begin and end with their letters")
    if (np.diff(offsets) < 0).any() or ((data[offsets[:-1][np.diff(offsets) > 0]] & 0xC0) == 0x80).any():
        raise InvalidFile("its words do not stand one behind the other")
    data.tobytes().decode("utf-8", "surrogatepass")
    return Texts(data, offsets)
