"""``python -m tests.benchmarks.stress_log > FILE``: a log as long as is asked for, of misses among
what a suite and its stub write besides.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from workbench.core.digest import digest
from workbench.core.log.lines import listening_line, miss_lines, served_line

ACCESS = b'127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
_HITS = 4  # for each miss
_WORDS = ["agent", "tool", "answer", "weather", "in", "the", "request", "schema", "of", "document"]


def request(text: str, **more: Any) -> dict[str, Any]:
    """A request that says ``text``."""
    return {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}], **more}


def missed(payload: dict[str, Any]) -> bytes:
    """The lines of a miss."""
    return miss_lines(digest(payload), payload).encode()


def words(size: int, seed: int) -> str:
    """Text of about ``size`` characters."""
    chosen = random.Random(seed).choices(_WORDS, k=size // 6)
    return " ".join(chosen)[:size]


def stress_log(misses: int, *, dump: int = 0, size: int = 0) -> Iterator[bytes]:
    """The log in pieces: ``question 000000`` and so on.

    Args:
        dump: bytes of each request, about; 0 for as short as can be.
        size: bytes of the whole, about; hits, accesses and an application's own lines fill it up.
            0 for misses alone.
    """
    yield listening_line("http://127.0.0.1:7899", "fixtures").encode()
    overhead = len(json.dumps(request("question 000000 ")))
    filling = list(_between(size // misses - dump)) if size else []
    for number in range(misses):
        text = f"question {number:06} {words(max(dump - overhead, 0), number)}"
        yield missed(request(text.rstrip()))
        yield _access(number)
        for piece in filling:
            yield piece
            yield _access(number)


def _access(second: int) -> bytes:
    minutes, seconds = divmod(second, 60)
    return ACCESS.replace(b"10:09:22", b"%02d:%02d:%02d" % (*divmod(minutes % 1440, 60), seconds))


def _between(size: int) -> Iterator[bytes]:
    """What stands between two misses, in a piece for each hit."""
    block = b"".join(
        f"2026-11-20 10:09:22,{n:03} INFO [app.worker-{n % 7}] {words(40 + n % 160, n)}\n".encode()
        for n in range(400)
    )
    lines = (block * (size // _HITS // len(block) + 1))[: size // _HITS]
    for _ in range(_HITS):
        yield lines[: lines.rfind(b"\n") + 1] + served_line("ab" * 32).encode()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.stress_log")
    parser.add_argument("--misses", type=int, default=100_000, metavar="N")
    parser.add_argument("--dump", type=int, default=0, metavar="BYTES", help="of each request")
    parser.add_argument("--size", type=int, default=0, metavar="BYTES", help="of the whole")
    args = parser.parse_args()
    sys.stdout.buffer.writelines(stress_log(args.misses, dump=args.dump, size=args.size))


if __name__ == "__main__":
    main()
