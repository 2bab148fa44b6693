"""What a file may ask of the machine that reads it."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """Bounds on one file, all in bytes but the counts.

    file        size of the file itself
    json        size of a JSON member
    unpacked    sum of the members' sizes. A file that says more than `unpacked_floor` must also not say more than
                `ratio` times its own size: what a small file can cost is bounded by the floor
    members     how many there may be
    depth       how deep values may be nested

    JSON costs memory when it is parsed, so more than `json_floor` must not be more than `json_ratio` times what it
    takes in the file. Whatever `write_archive` writes keeps the ratios: what would be packed too well is stored
    as it is.
    """

    file: int = 4096 * MIB - 1
    json: int = 256 * MIB
    unpacked: int = 16_384 * MIB
    unpacked_floor: int = 64 * MIB
    ratio: int = 200
    json_floor: int = MIB
    json_ratio: int = 20
    members: int = 4096
    depth: int = 50


DEFAULT = Limits()
