"""Logs as accidents leave them: lines cut, glued, lost, repeated, shuffled, with odd bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from tests import reference
from workbench.core.digest import digest
from workbench.core.log.reader import LogParser
from workbench.core.misses.index import MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.io.logs.spool import Spool

Damage = Callable[[list[bytes], random.Random], None]

_MOST_LINES = 40
_HASH_LINE = re.compile(rb"^\[mock-llm\] unknown fixture hash ([0-9a-f]{64})$", re.M)
_BYTES = [
    b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1b[31m", b"\x1b]0;x\x07", b"\r", b"\x85",
    b"\xe2\x80\xa8", b"\n", b"[mock-llm] ", b"[mock-llm] request: {", b'"', b"}", b"9" * 5000,
    b"[" * 2000,
]  # fmt: skip
_PREFIXES = [b"mock-llm-1  | ", b"2026-11-20T10:09:22.123Z ", b"\x1b[36mstub |\x1b[0m ", b"  "]


def damaged(count: int, seed: int) -> Iterator[bytes]:
    """``count`` logs, each a part of the reference's damaged in one to four ways; the same for the
    same ``seed``.
    """
    chosen = random.Random(seed)
    lines = reference.LOG.read_bytes().splitlines(keepends=True)
    for _ in range(count):
        start = chosen.randrange(len(lines))
        log = lines[start : start + chosen.randint(1, _MOST_LINES)]
        for _ in range(chosen.randint(1, 4)):
            chosen.choice(_DAMAGES)(log, chosen)
            log = [line for line in log if line]
        yield b"".join(log)


def _place(log: list[bytes], chosen: random.Random) -> int:
    return chosen.randrange(len(log)) if log else 0


def _cut(log: list[bytes], chosen: random.Random) -> None:
    """A line breaks off, with or without its end: the next is glued to it then."""
    if log:
        at = _place(log, chosen)
        end = b"\n" if chosen.random() < 0.5 else b""
        log[at] = log[at][: chosen.randrange(len(log[at]))] + end


def _insert(log: list[bytes], chosen: random.Random) -> None:
    if log:
        at = _place(log, chosen)
        place = chosen.randrange(len(log[at]))
        log[at] = log[at][:place] + chosen.choice(_BYTES) + log[at][place:]


def _flip(log: list[bytes], chosen: random.Random) -> None:
    if log:
        at = _place(log, chosen)
        line = bytearray(log[at])
        line[chosen.randrange(len(line))] ^= 1 << chosen.randrange(8)
        log[at] = bytes(line)


def _lose(log: list[bytes], chosen: random.Random) -> None:
    del log[_place(log, chosen) : _place(log, chosen) + 2]


def _repeat(log: list[bytes], chosen: random.Random) -> None:
    at = _place(log, chosen)
    log[at:at] = log[at : at + 3]


def _shuffle(log: list[bytes], chosen: random.Random) -> None:
    at = _place(log, chosen)
    part = log[at : at + 8]
    chosen.shuffle(part)
    log[at : at + 8] = part


def _dress(log: list[bytes], chosen: random.Random) -> None:
    prefix = chosen.choice(_PREFIXES)
    log[:] = [prefix + line for line in log]


def _line_ends(log: list[bytes], _: random.Random) -> None:
    log[:] = [line.removesuffix(b"\n") + b"\r\n" for line in log]


_DAMAGES: list[Damage] = [
    _cut, _cut, _insert, _insert, _flip, _lose, _repeat, _shuffle, _dress, _line_ends,
]  # fmt: skip


def read_all(logs: Iterator[bytes], seed: int) -> int:
    """Read each log, in slices, and look at what would be listed: each hash line that is whole, and
    no request under another digest than its own. Returns how many misses were listed.
    """
    chosen = random.Random(seed)
    listed = 0
    spool = Spool()
    try:
        for data in logs:
            intake, index, parser = LogIntake(spool), MissIndex(spool), LogParser()
            at = 0
            while at < len(data):
                size = chosen.choice((1, 7, 100, 5000))
                index.apply(intake.read(parser.feed(data[at : at + size])))
                at += size
            index.apply(intake.read(parser.close()))
            whole = {match[1].decode() for match in _HASH_LINE.finditer(data)}
            assert whole <= index.misses.keys(), data
            for known in index.misses:
                for payload in index.payloads(known):
                    assert digest(payload) == known, data
            listed += len(index.misses)
    finally:
        spool.close()
    return listed
