"""Fixture files as accidents leave them: cut, flipped, half merged, nested, in a wrong encoding."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator

from tests.core.fixture.rules.rule_cases import BROKEN, FINE, Broken, Fine
from tests.reference import AGENT_FIXTURES, digests, exchanges

Damage = Callable[[bytes, random.Random], bytes]

_NUMBERS = [
    b"1e999", b"-1e999", b"9" * 400, b"9" * 4_300, b"9" * 5_000, b"1e-400", b"-0", b"1E+2", b"01",
    b"0x1f", b"NaN", b"-Infinity", b"1" + b"0" * 308, b"0.1e0", b"9007199254740993", b"-1",
]  # fmt: skip
_VALUES = [
    b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0000"', b'"x"',
    b"5", b"[[]]", b'[{"a": []}]', b'{"": {"": ""}}', b'"\xe2\x80\xa8"', b'"\xf0\x9f\x9a\x80"',
]  # fmt: skip
_BYTES = [
    b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc0\x80", b"\xf8", b"\x1b[2J",
    b"\r", b"\\", b'"', b"{", b"[", b"]", b"}", b",", b":", b"\xe2\x80\xa8", b"\x85", b"\\u",
    b"\\ud800",
]  # fmt: skip
_ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252"]
_SCALAR = re.compile(rb'-?\d[\d.eE+-]*|true|false|null|"(?:[^"\\]|\\.)*"(?!\s*:)')
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')


def whole_documents() -> list[bytes]:
    """What the damage is done to: the reference's fixtures, and those of the rules' cases."""
    cases: list[Broken | Fine] = [*BROKEN, *FINE]
    return [
        *(path.read_bytes() for path in sorted(AGENT_FIXTURES.iterdir())),
        *(json.dumps(e["fixture"], indent=1).encode() for e in exchanges() if e["fixture"]),
        *(case.data.encode("utf-8", "surrogatepass") for case in cases),
        *(_with_request(row["payload"]) for row in digests()),
    ]


def _with_request(payload: object) -> bytes:
    document = {"response": {"content": "fine"}, "request": payload, "workbench": {"allow": []}}
    return json.dumps(document, indent=2).encode()


def damaged(count: int, seed: int) -> Iterator[bytes]:
    """``count`` documents, each damaged in one to three ways; the same for the same ``seed``."""
    chosen = random.Random(seed)
    documents = whole_documents()
    for _ in range(count):
        data = chosen.choice(documents)
        # Most damage is done once.
        for _ in range(chosen.choice((1, 1, 1, 2, 3))):
            data = chosen.choice(_DAMAGES)(data, chosen)
        yield data


def _cut(data: bytes, chosen: random.Random) -> bytes:
    at = chosen.randrange(len(data) + 1)
    return data[:at] if chosen.random() < 0.7 else data[at:]


def _flip(data: bytes, chosen: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chosen.choice((1, 1, 2, 8))):
        if changed:
            changed[chosen.randrange(len(changed))] ^= 1 << chosen.randrange(8)
    return bytes(changed)


def _insert(data: bytes, chosen: random.Random) -> bytes:
    at = chosen.randrange(len(data) + 1)
    return data[:at] + chosen.choice(_BYTES) * chosen.choice((1, 1, 1, 3)) + data[at:]


def _drop(data: bytes, chosen: random.Random) -> bytes:
    at = chosen.randrange(len(data) + 1)
    return data[:at] + data[at + chosen.choice((1, 1, 2, 10, 50)) :]


def _repeat(data: bytes, chosen: random.Random) -> bytes:
    first, last = sorted(chosen.randrange(len(data) + 1) for _ in range(2))
    return data[:last] + data[first:last] + data[last:]


def _merge(data: bytes, chosen: random.Random) -> bytes:
    """A merge conflict left in the file."""
    lines = data.split(b"\n")
    at = chosen.randrange(len(lines))
    other = [b"<<<<<<< HEAD", lines[at], b"=======", lines[at] + b" ", b">>>>>>> branch"]
    return b"\n".join([*lines[:at], *other, *lines[at + 1 :]])


def _value(data: bytes, chosen: random.Random) -> bytes:
    """Another value in the place of one."""
    places = [match.span() for match in _SCALAR.finditer(data)] or [(0, len(data))]
    start, end = chosen.choice(places)
    return data[:start] + chosen.choice([*_VALUES, *_NUMBERS]) + data[end:]


def _swap(data: bytes, chosen: random.Random) -> bytes:
    """A value of any type in the place of a part, however large."""
    try:
        part = whole = json.loads(data)
    except (ValueError, RecursionError):
        return data
    while isinstance(part, dict | list) and part:
        place = chosen.choice(list(part) if isinstance(part, dict) else range(len(part)))
        if chosen.random() < 0.3 or not isinstance(part[place], dict | list):
            part[place] = chosen.choice([None, True, 5, -1.5, "", "x", [], {}, [[]], {"a": [1]}])
            break
        part = part[place]
    return json.dumps(whole, ensure_ascii=chosen.random() < 0.5).encode("utf-8", "replace")


def _key(data: bytes, chosen: random.Random) -> bytes:
    """Another name for a key, maybe that of the key beside it."""
    places = [match.span(1) for match in _KEY.finditer(data)]
    if not places:
        return data
    start, end = chosen.choice(places)
    first, last = chosen.choice(places)
    others = [b"", b"Content", b"toolCalls", b"error", b"delay_ms", b"disconnect_after", b"_x"]
    return data[:start] + chosen.choice([data[first:last], *others]) + data[end:]


def _nest(data: bytes, chosen: random.Random) -> bytes:
    """A value deep inside lists or objects: about as deep as is read, and much deeper."""
    depth = chosen.choice((10, 290, 299, 300, 301, 500, 900, 990, 1_100, 20_000))
    opened, closed = chosen.choice(((b"[", b"]"), (b'{"a":', b"}")))
    places = [match.span() for match in _SCALAR.finditer(data)] or [(0, len(data))]
    start, end = chosen.choice(places)
    rest = closed * depth if chosen.random() < 0.8 else b""
    return data[:start] + opened * depth + data[start:end] + rest + data[end:]


def _encode(data: bytes, chosen: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chosen.choice(_ENCODINGS), "replace")


def _lines(data: bytes, chosen: random.Random) -> bytes:
    return data.replace(b"\n", chosen.choice((b"\r\n", b"\r", b"", b"\n\n", b"\xe2\x80\xa8")))


_DAMAGES: list[Damage] = [
    _cut, _flip, _insert, _drop, _repeat, _merge, _value, _swap, _swap, _key, _nest, _encode,
    _lines,
]  # fmt: skip
