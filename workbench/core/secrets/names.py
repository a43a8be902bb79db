"""Which parts of a request are credentials: by the names of headers, parameters and keys, and by
their form; and taking them out of what is written down.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import parse_qsl, unquote

from workbench.core.json.spans import Path

MASK: Final = "…"
"""What is written in place of a credential."""
# Shorter values are placeholders such as "x" or "ollama", which may occur in any text.
SHORTEST: Final = 8
# In a path, what is shorter than this is no key.
_SHORTEST_KEY: Final = 20

# A header or a query parameter whose name has one of these words is a credential.
_WORDS: Final = frozenset(
    {
        "access",
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "bypass",
        "code",
        "cookie",
        "credential",
        "credentials",
        "csrf",
        "jwt",
        "key",
        "licence",
        "license",
        "otp",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "pwd",
        "secret",
        "session",
        "sid",
        "sig",
        "signature",
        "token",
        "xsrf",
    }
)
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
_BODY_KEY: Final = re.compile(rf"(?:{_KEYS}shared|signing|subscription)keys?(?:id)?$|password$")
# A body that has none of these, in lower case, has no such name: a quick look.
_MARKS: Final = (
    *(b"auth", b"bearer", b"cookie", b"credential", b"jwt", b"key", b"pass", b"pwd", b"secret"),
    *(b"token", b"headers", b"x-", b"basic ", b"://", b"\\u"),
)
# Tokens of a vocabulary, and places in a list.
_NO_CREDENTIAL: Final = re.compile(
    r"(?:.*_)?(?:bos|eos|mask|max|next|pad|page|prefix|sep|stop|suffix|unk)_?tokens?(?:_?id)?",
    re.IGNORECASE,
)
# Coding agents name the conversation so in headers, ``X-Claude-Code-Session-Id``, and again in
# the body; it opens nothing. The id is a UUID or has a prefix: that of a login seldom has, and is
# named as one.
_LOGIN_WORDS: Final = "account|admin|auth|csrf|login|oauth|sso|user|web|xsrf"
_ID_NAME: Final = re.compile(
    rf"(?:x-(?:(?!(?:{_LOGIN_WORDS})-)[a-z]+-)*)?session[-_](?:id|affinity)", re.IGNORECASE
)
_ID: Final = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:ses|conv|thread)_[0-9A-Za-z]{16,}"
)
# Below these, keys are the names that a schema declares.
_DECLARATIONS: Final = ("properties", "patternProperties", "$defs", "definitions")
# A ``key`` alone may be anything; a credential is long and has no blanks.
_LONG_WORD: Final = re.compile(r"\S{16,}")
# The first letters of texts that may be one, a quick look: a scheme, JSON.
_FIRST: Final = frozenset("bBtT{[ \t\r\n")
_WITH_SCHEME: Final = re.compile(r"\s*(?:basic|bearer|token)\s+\S{8,}\s*", re.IGNORECASE)
# A header that begins with one of these is a credential, whatever its name.
_SCHEMES: Final = ("basic", "bearer")
# Header names arrive in lower case, so that those of ``X-AccessToken`` are one word.
_ENDINGS: Final = ("accesskey", "apikey", "password", "secret", "token")
# Not of a body, which may have the id of a conversation.
_HEADER_ENDINGS: Final = (*_ENDINGS, "sessid", "sessionid")
_NAME_PARTS: Final = re.compile(r"[a-z0-9]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# A named value in a header, such as that of ``Token token="…"``; in a signature of AWS also the
# names of the headers that it signs.
_PARAMETER: Final = re.compile(r"(?:^|[\s,;])(?!SignedHeaders=)[\w-]+=\"?([^\s,;\"=][^\s,;\"]*)")
# A header of any name whose value is one word with a run of letters and digits mixed, as keys have.
_WORD: Final = re.compile(r"[\w.~+/=-]+")
_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")
# No name of a header, a parameter or a key of settings is longer.
_LONGEST_NAME: Final = 200
# A parameter in a path, also one whose marks are percent-encoded: ``;name=value``.
_IN_PATH: Final = re.compile(r"(?i)(;|%3b|/|&|^)([^/;=&]{1,100}?)(=|%3d)((?:(?!%3b|%26)[^/;&])+)")
# Before the host of a URL in a path. Proxies make one slash of two.
_AUTHORITY: Final = re.compile(r"(?i)//|:/|%2f%2f|%3a%2f")


def of_request(
    headers: Iterable[tuple[str, str]], query: str = "", path: str = ""
) -> Iterator[str]:
    """The values of headers, of keys in a header that is JSON, and of parameters in query and path
    whose names say that they are credentials, and of headers that look like one.
    """
    for name, value in headers:
        yield from _of_json(value)
        if name.lower() == "cookie":
            for cookie in value.split(";"):
                cookie_value = cookie.partition("=")[2].strip().strip('"')
                yield cookie_value
                yield unquote(cookie_value)
        elif _is_conversation_id(name, value):
            continue
        elif _is_credential(name) or value.strip().partition(" ")[0].lower() in _SCHEMES:
            yield from _of_header(value)
        elif _is_random(value.strip()):
            yield value.strip()
    yield from _of_query(query)
    for _, name, _, value in _IN_PATH.findall(path) if "=" in unquote(path) else ():
        yield from (value, unquote(value)) if _is_credential(unquote(name)) else ()
    begin, end = _user_info(path)
    if begin < end:
        user, colon, password = unquote(path[begin:end]).partition(":")
        yield password if colon else user


def _is_conversation_id(name: str, value: str) -> bool:
    """Whether a value is the id of a conversation, not that of a login."""
    return _ID_NAME.fullmatch(name) is not None and _ID.fullmatch(value.strip()) is not None


def _is_random(word: str) -> bool:
    return _WORD.fullmatch(word) is not None and any(
        not run.isalpha() and not run.isdigit() for run in _RUN.findall(word)
    )


def _of_query(query: str) -> Iterator[str]:
    # Servers differ in whether a plus is a blank, and whether a semicolon separates parameters.
    for written in (query, query.replace("+", "%2B"), query.replace(";", "&")):
        for name, value in parse_qsl(written):
            # Some clients encode twice.
            if _is_credential(unquote(name)):
                yield from _of_header(value)


def _is_credential(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _is_credential_name(name)


@lru_cache(maxsize=4096)
def _is_credential_name(name: str) -> bool:
    words = _NAME_PARTS.findall(_CAMEL_CASE.sub("-", name).lower())
    return any(word in _WORDS or word.endswith(_HEADER_ENDINGS) for word in words)


def path_masked(path: str) -> str:
    """``path`` with ``...`` for the values of its parameters: ``/v1/models;key=...``, and for the
    user and the password of a URL: ``//...@host/v1``.
    """
    begin, end = _user_info(path)
    if begin < end:
        path = f"{path[:begin]}...{path[end:]}"

    def masked(match: re.Match[str]) -> str:
        mark, name, sign, value = match.groups()
        is_parameter = mark.lower() in (";", "%3b") or _is_credential(unquote(name))
        return f"{mark}{name}{sign}{'...' if is_parameter else value}"

    return _IN_PATH.sub(masked, path) if "=" in path or "%3" in path else path


def without_keys(path: str) -> str:
    """The path of a URL as it may be logged and shown: as ``path_masked``, and with ``...`` for
    what looks like a key or token.
    """
    may_be_named = any(sign in path for sign in ("=", "%3", "@", "%40"))
    if max(map(len, path.split("/"))) < _SHORTEST_KEY and not may_be_named:
        return path
    # Most paths are short; the patterns of keys take long to load.
    from workbench.core.secrets import scan as secrets

    path = path_masked(path)
    for secret in reversed(secrets.find(path)):
        path = f"{path[: secret.start]}...{path[secret.end :]}"
    return path


def _user_info(path: str) -> tuple[int, int]:
    """Where a user and a password are in a path that has a URL, ``//user:password@host``; equal
    numbers if nowhere. A password may have a slash that was not encoded.
    """
    begin, end = _AUTHORITY.search(path), max(path.rfind("@"), path.rfind("%40"))
    return (begin.end(), end) if begin is not None and begin.end() < end else (0, 0)


def _of_json(text: str) -> Iterator[str]:
    """Of JSON in a header, or in a text of a body. Gateways take their settings so, with the keys
    of several upstreams.
    """
    if not text.lstrip().startswith(("{", "[")):
        return
    with suppress(ValueError, RecursionError):
        for place, value in json_strings(json.loads(text)):
            names = [key for key in place if isinstance(key, str)]
            if any(_is_credential(name) and not _is_conversation_id(name, value) for name in names):
                yield from _of_header(value)


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
    """The credentials of a JSON value whose names say so, at any depth: everything below a key such
    as ``api_key``, ``authorization`` or ``headers``, the ``value`` of such a ``name``, a text that
    begins with ``Bearer``, and passwords and keys in URLs. Names that a schema declares are none.
    """
    named: list[NamedCredential] = []
    stack: list[tuple[Path, Any]] = [((), root)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            is_schema = bool(place) and place[-1] in _DECLARATIONS
            pair = value.get("name", value.get("key")) if "value" in value else None
            is_pair = isinstance(pair, str) and _is_credential(pair)
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
    """Whether a body can have a credential by its name: a quick look."""
    folded = body.lower()
    return any(mark in folded for mark in _MARKS)


def without(root: Any, named: Iterable[NamedCredential]) -> Any:
    """A JSON value with other texts in the places of credentials. Shares all other parts."""
    return _replaced(root, [(place, shown) for place, _, shown in named])


def of_named(named: Iterable[NamedCredential]) -> Iterator[str]:
    """The texts of credentials in a body, for ``Credentials``."""
    for place, value, shown in named:
        if shown != MASK:
            start, _, query = value.partition("?")
            before = start.partition("://")[2].rpartition("@")[0]
            yield unquote(before.partition(":")[2])
            yield from _of_query(query)
        elif _is_certain(place, str(value)):
            yield from _of_header(str(value))
            yield from _of_json(str(value))


def is_named(credential: NamedCredential) -> bool:
    """Whether a credential is certainly one: by its key, not only by its form."""
    if credential.shown != MASK or not _is_certain(credential.place, str(credential.value)):
        return False
    return credential.place[-1] == "value" or any(
        isinstance(key, str) and len(key) <= _LONGEST_NAME and _kind(key)
        for key in credential.place
    )


def _is_certain(place: Path, value: str) -> bool:
    """Whether a text is a credential, and not what else is next to one, such as a content type
    among headers.
    """
    if _WITH_SCHEME.fullmatch(value) or _is_random(value):
        return True
    names = [key for key in place if isinstance(key, str)]
    return names[-1] == "value" or (
        names[-1] != "type" and any(_kind(key) == "name" or _is_credential(key) for key in names)
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
    """Whether what stands below a key of a body is a credential."""
    kind = _kind(key) if len(key) <= _LONGEST_NAME else ""
    if not kind or part is None or isinstance(part, bool):
        return False
    if kind == "key":
        is_long = isinstance(part, str) and _LONG_WORD.fullmatch(part) is not None
        return is_long and "value" not in siblings
    if kind == "headers" and isinstance(part, list):  # those of a table are texts without colons
        return any(not isinstance(item, str) or ":" in item for item in part)
    return True


@lru_cache(maxsize=4096)
def _kind(key: str) -> Literal["", "key", "headers", "name"]:
    """Whether a key of a body is that of a credential, ``headers`` that may hold one, or ``key``,
    which may be anything.
    """
    words = _NAME_PARTS.findall(_CAMEL_CASE.sub("-", key).lower())
    joined = "".join(words)
    if joined == "key":
        return "key"
    if joined.endswith("headers"):
        return "headers"
    if _NO_CREDENTIAL.fullmatch(key):
        return ""
    is_named = (
        not _BODY_WORDS.isdisjoint(words)
        or joined.endswith(_ENDINGS)
        or _BODY_KEY.search(joined) is not None
        or (words[:1] == ["x"] and _is_credential(key))
    )
    return "name" if is_named else ""


def _leaves(root: Any) -> Iterator[tuple[Path, Any]]:
    """The texts and the longer numbers of a JSON value."""
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
    """A text as it may be written: itself, if it is no credential."""
    if len(text) < SHORTEST or (text[0] not in _FIRST and "://" not in text[:20]):
        return text
    if "://" in text[:20]:
        return _url_shown(text)
    if _WITH_SCHEME.fullmatch(text) or next(_of_json(text), None) is not None:
        return MASK
    return text


def _url_shown(url: str) -> str:
    """A URL without what stands before its host, its parameters, and a query with a key."""
    start, mark, query = url.partition("?")
    scheme, _, address = start.partition("://")
    # A password may have a slash that was not encoded.
    before, at, host = address.rpartition("@")
    shown = f"{scheme}://{MASK if before else ''}{at}{path_masked(host)}"
    return f"{shown}{mark}{MASK if any(_of_query(query)) else query}"


def _of_header(value: str) -> Iterator[str]:
    """The value with and without its scheme (``Bearer``), its parameters, and the decoded value of
    ``Basic``.
    """
    value = value.strip()
    scheme, _, key = value.partition(" ")
    key = key.strip()
    yield value
    yield key
    yield from _PARAMETER.findall(key)
    if scheme.lower() == "basic":
        with suppress(binascii.Error, UnicodeDecodeError, ValueError):
            pair = base64.b64decode(key, validate=True).decode("utf-8")
            yield pair
            yield pair.partition(":")[2]


def json_strings(root: Any) -> Iterator[tuple[Path, str]]:
    """Each string of a JSON value with its place. List items with an ``index`` (choices, calls) are
    identified by it.
    """
    stack: list[tuple[Path, Any]] = [((), root)]
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
