"""Blocks side by side: one dense matrix, or sparse rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linsep.data.sparse_rows import side_by_side
from linsep.features.columns import Block, EncodedColumn, Part


def density(parts: Sequence[Part]) -> float:
    """The share of entries that are stored; a dense block stores all."""
    rows, columns = parts[0].values.shape[0], sum(part.values.shape[1] for part in parts)
    stored = sum(part.values.size if isinstance(part.values, np.ndarray) else part.values.nnz for part in parts)
    return float(stored / max(1, rows * columns))


def stack(blocks: Sequence[Block], is_sparse: bool, dtype: Any) -> Block:
    """All columns of all blocks, in order."""
    if is_sparse:
        joined = side_by_side(blocks)
        return replace(joined, data=joined.data.astype(dtype, copy=False))
    rows, columns = blocks[0].shape[0], sum(block.shape[1] for block in blocks)
    dense, at = np.empty((rows, columns), dtype=dtype), 0
    for block in blocks:
        dense[:, at : at + block.shape[1]] = block if isinstance(block, np.ndarray) else block.toarray()
        at += block.shape[1]
    return dense


def names_of(columns: Sequence[EncodedColumn]) -> np.ndarray[Any, Any]:
    """The columns' names; one that repeats gets its number, as names must differ."""
    seen: dict[str, int] = {}
    names = np.empty(len(columns), dtype=object)
    for j, column in enumerate(columns):
        seen[column.name] = seen.get(column.name, 0) + 1
        names[j] = column.name if seen[column.name] == 1 else f"{column.name} #{seen[column.name]}"
    return names
