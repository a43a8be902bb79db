"""The credentials of a request, and finding them in texts in any usual encoding."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from workbench.core.apis import sse
from workbench.core.json.escapes import TooManyLayersError, layers

# Shorter values are placeholders such as "x" or "ollama", which may occur in any text.
SHORTEST: Final = 8
# A request has one or two. If there are more than this, every text counts as containing one.
MOST: Final = 100

HIDDEN: Final = "(not shown: it repeats a credential)"

# The keys and list positions that lead to a part of a JSON value.
Place = tuple[str | int, ...]

# A header or a query parameter whose name has one of these words holds a credential.
_WORDS: Final = frozenset(
    {
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "code",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "key",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "pwd",
        "secret",
        "session",
        "sig",
        "signature",
        "token",
    }
)
# A header that begins with one of these, whatever its name, holds a credential.
_SCHEMES: Final = ("basic", "bearer")
# Header names arrive in lower case, so that those of ``X-AccessToken`` are one word.
_ENDINGS: Final = ("accesskey", "apikey", "password", "secret", "token")
_NAME_PARTS: Final = re.compile(r"[a-z0-9]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# A named value in a header, such as that of ``Token token="…"``.
_PARAMETER: Final = re.compile(r"(?:^|[\s,;])[\w-]+=\"?([^\s,;\"=][^\s,;\"]*)")


class Credentials:
    """Some credentials; values shorter than ``SHORTEST`` do not count."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = {value for value in values if len(value) >= SHORTEST}
        self._is_full = len(self._values) > MOST
        if self._is_full:
            self._values = set()
        self._forms = {form.casefold() for value in self._values for form in _forms(value)}

    def are_in(self, text: str) -> bool:
        """Whether one of them occurs in ``text``: plain, base64, hexadecimal, percent-encoded, or
        JSON-escaped at any depth, in upper or lower case. Also true if that takes too long to find
        out.
        """
        if self._is_full:
            return True
        if not self._forms:
            return False
        try:
            shown = (layer.casefold() for layer in layers(text))
            return any(form in layer for layer in shown for form in self._forms)
        except TooManyLayersError:
            return True

    def are_in_reply(self, content_type: str, body: bytes) -> bool:
        """Whether one of them occurs in an HTTP reply, or in the joined pieces of a stream or of a
        list of parts.
        """
        return any(self.are_in(text) for text in _reply_texts(content_type, body))

    def masked(self, text: str) -> str:
        """``text`` with ``…`` for each of them; ``HIDDEN`` if one remains in another encoding."""
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, "…")
        return HIDDEN if self.are_in(text) else text


def of_request(headers: Iterable[tuple[str, str]], query: str = "") -> Iterator[str]:
    """The values of headers, of keys in a header that is JSON, and of query parameters whose names
    say that they are credentials, and of headers that begin with ``Basic`` or ``Bearer``.
    """
    for name, value in headers:
        if value.lstrip().startswith(("{", "[")):
            yield from _of_json(value)
        if name.lower() == "cookie":
            for cookie in value.split(";"):
                given = cookie.partition("=")[2].strip().strip('"')
                yield given
                yield unquote(given)
        elif _is_credential(name) or value.strip().partition(" ")[0].lower() in _SCHEMES:
            yield from _of_header(value)
    # Servers differ in whether a plus is a blank, and whether a semicolon separates parameters.
    for written in (query, query.replace("+", "%2B"), query.replace(";", "&")):
        for name, value in parse_qsl(written):
            if _is_credential(name):
                yield from _of_header(value)


def _is_credential(name: str) -> bool:
    words = _NAME_PARTS.findall(_CAMEL_CASE.sub("-", name).lower())
    return any(word in _WORDS or word.endswith(_ENDINGS) for word in words)


def _of_json(header: str) -> Iterator[str]:
    """Gateways take their settings so, with the keys of several upstreams."""
    with suppress(ValueError, RecursionError):
        for place, text in _strings(json.loads(header)):
            if any(isinstance(key, str) and _is_credential(key) for key in place):
                yield from _of_header(text)


def _of_header(value: str) -> Iterator[str]:
    """The value with and without its scheme (``Bearer``), its parameters, and the decoded value of
    ``Basic``.
    """
    value = value.strip()
    scheme, _, rest = value.partition(" ")
    rest = rest.strip()
    yield value
    yield rest
    yield from _PARAMETER.findall(rest)
    if scheme.lower() == "basic":
        with suppress(binascii.Error, UnicodeDecodeError, ValueError):
            pair = base64.b64decode(rest, validate=True).decode("utf-8")
            yield pair
            yield pair.partition(":")[2]


def _forms(value: str) -> Iterator[str]:
    """The value, its bytes in hexadecimal, and its base64 at each alignment."""
    yield value
    data = value.encode("utf-8", "surrogatepass")
    yield data.hex()
    for before in range(3):
        # The first and last characters also encode bits of the neighbouring bytes.
        encoded = base64.b64encode(bytes(before) + data).decode("ascii").rstrip("=")
        inner = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield inner
        yield inner.translate(_URL_SAFE)


_URL_SAFE: Final = str.maketrans("+/", "-_")


def _reply_texts(content_type: str, body: bytes) -> Iterator[str]:
    yield content_type
    yield body.decode("utf-8", "replace")
    if b"\0" in body:  # UTF-16 or UTF-32, which JSON readers accept too
        yield body.replace(b"\0", b"").decode("utf-8", "replace")
    strings = list(_all_strings(body))
    yield _joined(strings)
    # The parts of a message stand in a list.
    yield _joined(
        (tuple(key for key in place if isinstance(key, str)), text) for place, text in strings
    )


def _all_strings(body: bytes) -> Iterator[tuple[Place, str]]:
    """Each string of a reply, or of a stream's events, with its place."""
    texts: list[str | bytes] = [body]
    if b"data:" in body:
        texts += [event.data for event in sse.events(body + b"\n\n")]
    for text in texts:
        with suppress(ValueError, RecursionError):
            yield from _strings(json.loads(text))


def _joined(strings: Iterable[tuple[Place, str]]) -> str:
    """The strings, joined if they are at the same place: they are pieces of one text. One text per
    line.
    """
    pieces: dict[Place, list[str]] = defaultdict(list)
    for place, text in strings:
        pieces[place].append(text)
    return "\n".join("".join(texts) for texts in pieces.values())


def _strings(root: Any) -> Iterator[tuple[Place, str]]:
    """Each string of a JSON value with its place. List items with an ``index`` (choices, calls) are
    identified by it.
    """
    stack: list[tuple[Place, Any]] = [((), root)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, dict):
            stack += [((*place, key), part) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            items = [((*place, _index(item, at)), item) for at, item in enumerate(value)]
            stack += reversed(items)


def _index(item: Any, at: int) -> int:
    index = item.get("index") if isinstance(item, dict) else None
    return index if isinstance(index, int) else at
