"""Credentials in the body of a request: found by the names of its keys, and by how their values
look; and taking them out of what is written down.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote

from workbench.core.json.spans import Path
from workbench.core.secrets.heads import (
    ENDINGS,
    LONGEST_NAME,
    is_credential,
    is_random,
    of_header,
    of_json,
    of_query,
    path_masked,
    words_of,
)

MASK: Final = "…"
"""What is written in place of a credential."""
# Shorter values are placeholders such as "x" or "ollama", which may occur in any text.
SHORTEST: Final = 8

# Of a body fewer: it also has a ``prompt_cache_key``, a ``session`` or the ``signature`` of a
# thought, and no credential.
_BODY_WORDS: Final = frozenset(
    {
        "apikey",
        "auth",
        "authentication",
        "authorization",
        "bearer",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "jwt",
        "passphrase",
        "passwd",
        "password",
        "pwd",
        "secret",
        "secrets",
        "token",
    }
)
_KEYS: Final = "access|account|api|auth|client|encryption|license|master|private|secret|service|"
_BODY_KEY: Final = re.compile(
    rf"(?:{_KEYS}shared|signing|subscription)keys?(?:id)?$|(?:connectionstring|password)$"
)
# A body that has none of these, in lower case, has no such name: a quick look.
_MARKS: Final = (
    *(b"auth", b"bearer", b"connection", b"cookie", b"credential", b"jwt", b"key", b"pass", b"pwd"),
    *(b"secret", b"token", b"headers", b"x-", b"basic ", b"://", b"\\u"),
)
# Tokens of a vocabulary, and places in a list.
_NO_CREDENTIAL: Final = re.compile(
    r"(?:.*_)?(?:bos|eos|mask|max|next|pad|page|prefix|sep|stop|suffix|unk)_?tokens?(?:_?id)?",
    re.IGNORECASE,
)
# Below these, keys are the names that a schema declares.
_DECLARATIONS: Final = ("properties", "patternProperties", "$defs", "definitions")
# A ``key`` alone may be anything; a credential is long and has no blanks.
_LONG_WORD: Final = re.compile(r"\S{16,}")
# The first letters of strings that may contain one, for a quick check: a scheme, JSON.
_FIRST: Final = frozenset("bBtT{[ \t\r\n")
_WITH_SCHEME: Final = re.compile(r"\s*(?:basic|bearer|token)\s+\S{8,}\s*", re.IGNORECASE)


class NamedCredential(NamedTuple):
    """A part of a JSON value that is a credential by its name, or by its form.

    Attributes:
        value: the string or number there.
        shown: what may be written in its place.
    """

    place: Path
    value: Any
    shown: str = MASK


def named_in(root: Any) -> list[NamedCredential]:
    """The credentials of a JSON value, recognised by name, at any depth: everything below a key
    such as ``api_key``, ``authorization`` or ``headers``, the ``value`` of such a ``name``, a
    string that begins with ``Bearer``, and passwords and keys in URLs. Names that a schema declares
    do not count.
    """
    named: list[NamedCredential] = []
    stack: list[tuple[Path, Any]] = [((), root)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            is_schema = bool(place) and place[-1] in _DECLARATIONS
            pair = value.get("name", value.get("key")) if "value" in value else None
            is_pair = isinstance(pair, str) and is_credential(pair)
            for key, part in value.items():
                is_declared = is_schema and isinstance(part, dict)
                is_secret = _is_secret_key(key, part, value) or (is_pair and key == "value")
                if is_secret and not is_declared:
                    named += [
                        NamedCredential((*place, key, *inner), text)
                        for inner, text in _leaves(part)
                    ]
                elif isinstance(part, dict | list):
                    stack.append(((*place, key), part))
                elif isinstance(part, str) and (shown := _shown(part)) != part:
                    named.append(NamedCredential((*place, key), part, shown))
        elif isinstance(value, list):
            for at, part in enumerate(value):
                if isinstance(part, dict | list):
                    stack.append(((*place, at), part))
                elif isinstance(part, str) and (shown := _shown(part)) != part:
                    named.append(NamedCredential((*place, at), part, shown))
    return named


def may_be_named(body: bytes) -> bool:
    """True if a body may contain a credential with a name: a quick check."""
    folded = body.lower()
    return any(mark in folded for mark in _MARKS)


def without(root: Any, named: Iterable[NamedCredential]) -> Any:
    """A JSON value with the credentials replaced. Shares all other parts."""
    return _replaced(root, [(place, shown) for place, _, shown in named])


def of_named(named: Iterable[NamedCredential]) -> Iterator[str]:
    """The strings of credentials in a body, for ``Credentials``."""
    for place, value, shown in named:
        if shown != MASK:
            start, _, query = value.partition("?")
            before = start.partition("://")[2].rpartition("@")[0]
            yield unquote(before.partition(":")[2])
            yield from of_query(query)
        elif _is_certain(place, str(value)):
            yield from of_header(str(value))
            yield from of_json(str(value))


def is_named(credential: NamedCredential) -> bool:
    """True if a credential is certain, because of its key instead of its form only."""
    if credential.shown != MASK or not _is_certain(credential.place, str(credential.value)):
        return False
    return credential.place[-1] == "value" or any(
        isinstance(key, str) and len(key) <= LONGEST_NAME and _kind(key) for key in credential.place
    )


def _is_certain(place: Path, value: str) -> bool:
    """True if a string is a credential, not a harmless neighbour such as a content type among
    headers.
    """
    if _WITH_SCHEME.fullmatch(value) or is_random(value):
        return True
    names = [key for key in place if isinstance(key, str)]
    return names[-1] == "value" or (
        names[-1] != "type" and any(_kind(key) == "name" or is_credential(key) for key in names)
    )


def _replaced(value: Any, new: Sequence[tuple[Path, str]]) -> Any:
    if not new:
        return value
    if not new[0][0]:
        return new[0][1]
    parts: dict[str | int, list[tuple[Path, str]]] = defaultdict(list)
    for place, shown in new:
        parts[place[0]].append((place[1:], shown))
    copy: Any = dict(value) if isinstance(value, Mapping) else list(value)
    for key, inner in parts.items():
        copy[key] = _replaced(copy[key], inner)
    return copy


def _is_secret_key(key: str, part: Any, siblings: Mapping[str, Any]) -> bool:
    """True if the value of a key in a body is a credential."""
    kind = _kind(key) if len(key) <= LONGEST_NAME else ""
    if not kind or part is None or isinstance(part, bool):
        return False
    if kind == "key":
        is_long = isinstance(part, str) and _LONG_WORD.fullmatch(part) is not None
        return is_long and "value" not in siblings
    if kind == "headers" and isinstance(part, list):  # the headers of a table have no colons
        return any(not isinstance(item, str) or ":" in item for item in part)
    return True


@lru_cache(maxsize=4096)
def _kind(key: str) -> Literal["", "key", "headers", "name"]:
    """``name`` for the key of a credential, ``headers`` for a key that may contain some, ``key``
    for an ambiguous key, else "".
    """
    words = words_of(key)
    joined = "".join(words)
    if joined == "key":
        return "key"
    if joined.endswith("headers"):
        return "headers"
    if _NO_CREDENTIAL.fullmatch(key):
        return ""
    is_named = (
        not _BODY_WORDS.isdisjoint(words)
        or joined.endswith(ENDINGS)
        or _BODY_KEY.search(joined) is not None
        or (words[:1] == ["x"] and is_credential(key))
    )
    return "name" if is_named else ""


def _leaves(root: Any) -> Iterator[tuple[Path, Any]]:
    """The strings and the longer numbers of a JSON value."""
    stack: list[tuple[Path, Any]] = [((), root)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            stack += [((*place, key), part) for key, part in value.items()]
        elif isinstance(value, list):
            stack += [((*place, at), part) for at, part in enumerate(value)]
        elif (isinstance(value, str) and value) or (
            isinstance(value, int | float) and len(str(value)) >= SHORTEST
        ):
            yield place, value


def _shown(text: str) -> str:
    """A text as it may be written: itself, if it is not a credential."""
    if len(text) < SHORTEST or (text[0] not in _FIRST and "://" not in text[:20]):
        return text
    if "://" in text[:20]:
        return _url_shown(text)
    if _WITH_SCHEME.fullmatch(text) or next(of_json(text), None) is not None:
        return MASK
    return text


def _url_shown(url: str) -> str:
    """A URL without credentials before its host, its parameters, and a query with a key."""
    start, mark, query = url.partition("?")
    scheme, _, address = start.partition("://")
    # A password may have a slash that was not encoded.
    before, at, host = address.rpartition("@")
    shown = f"{scheme}://{MASK if before else ''}{at}{path_masked(host)}"
    return f"{shown}{mark}{MASK if any(of_query(query)) else query}"
