"""Credentials in the head of a request: found by the names of headers and parameters, and by how
their values look.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from workbench.core.json.spans import Path

# In a path, shorter parts are not keys.
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
# Coding agents name the conversation and its parts so in headers, ``X-Claude-Code-Session-Id``, and
# again in the body; they give no access. The id is a UUID or has a prefix. The id of a login seldom
# has a prefix, and its name shows that it is one.
_LOGIN_WORDS: Final = (
    "access|account|admin|auth|csrf|key|login|oauth|secret|sso|token|user|web|xsrf"
)
_ID_NAME: Final = re.compile(
    rf"(?:x-(?:(?!(?:{_LOGIN_WORDS})-)[a-z]+-)*)?"
    r"(?:session[-_]affinity|(?:agent|conversation|message|prompt|request|session|thread|turn)[-_]id)",
    re.IGNORECASE,
)
_ID: Final = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:ses|conv|thread)_[0-9A-Za-z]{16,}"
)
# A header that begins with one of these is a credential, whatever its name.
_SCHEMES: Final = ("basic", "bearer")
# Header names are in lower case here, so the ending of ``X-AccessToken`` is one word.
ENDINGS: Final = ("accesskey", "apikey", "password", "secret", "token")
# Not of a body, which may have the id of a conversation.
_HEADER_ENDINGS: Final = (*ENDINGS, "sessid", "sessionid")
_NAME_PARTS: Final = re.compile(r"[a-z0-9]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# A named value in a header, such as in ``Token token="…"``; in a signature of AWS also the
# names of the headers that it signs.
_PARAMETER: Final = re.compile(r"(?:^|[\s,;])(?!SignedHeaders=)[\w-]+=\"?([^\s,;\"=][^\s,;\"]*)")
# A header of any name whose value is one word with a run of letters and digits mixed, as keys have.
_WORD: Final = re.compile(r"[\w.~+/=-]+")
_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")
# No name of a header, a parameter or a key of settings is longer.
LONGEST_NAME: Final = 200
# A parameter in a path, also one whose marks are percent-encoded: ``;name=value``.
_IN_PATH: Final = re.compile(r"(?i)(;|%3b|/|&|^)([^/;=&]{1,100}?)(=|%3d)((?:(?!%3b|%26)[^/;&])+)")
# Before the host of a URL in a path. Proxies make one slash of two.
_AUTHORITY: Final = re.compile(r"(?i)//|:/|%2f%2f|%3a%2f")


def of_request(
    headers: Iterable[tuple[str, str]], query: str = "", path: str = ""
) -> Iterator[str]:
    """The credentials in headers, in headers that are JSON, and in parameters of query and path,
    all recognised by name; and headers whose values look like credentials.
    """
    for name, value in headers:
        yield from of_json(value)
        if name.lower() == "cookie":
            for cookie in value.split(";"):
                cookie_value = cookie.partition("=")[2].strip().strip('"')
                yield cookie_value
                yield unquote(cookie_value)
        elif _is_conversation_id(name, value):
            continue
        elif is_credential(name) or value.strip().partition(" ")[0].lower() in _SCHEMES:
            yield from of_header(value)
        elif is_random(value.strip()):
            yield value.strip()
    yield from of_query(query)
    for _, name, _, value in _IN_PATH.findall(path) if "=" in unquote(path) else ():
        yield from (value, unquote(value)) if is_credential(unquote(name)) else ()
    begin, end = _user_info(path)
    if begin < end:
        user, colon, password = unquote(path[begin:end]).partition(":")
        yield password if colon else user


def _is_conversation_id(name: str, value: str) -> bool:
    """True if a value is the id of a conversation, not of a login."""
    return _ID_NAME.fullmatch(name) is not None and _ID.fullmatch(value.strip()) is not None


def is_random(word: str) -> bool:
    return _WORD.fullmatch(word) is not None and any(
        not run.isalpha() and not run.isdigit() for run in _RUN.findall(word)
    )


def of_query(query: str) -> Iterator[str]:
    # For some servers a plus is a blank, and a semicolon separates parameters.
    for written in (query, query.replace("+", "%2B"), query.replace(";", "&")):
        for name, value in parse_qsl(written):
            # Some clients encode twice.
            if is_credential(unquote(name)):
                yield from of_header(value)


def is_credential(name: str) -> bool:
    return len(name) <= LONGEST_NAME and _is_credential_name(name)


@lru_cache(maxsize=4096)
def _is_credential_name(name: str) -> bool:
    return any(word in _WORDS or word.endswith(_HEADER_ENDINGS) for word in words_of(name))


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return _NAME_PARTS.findall(_CAMEL_CASE.sub("-", name).lower())


def path_masked(path: str) -> str:
    """``path`` with ``...`` for the values of its parameters: ``/v1/models;key=...``, and for the
    user and the password of a URL: ``//...@host/v1``.
    """
    begin, end = _user_info(path)
    if begin < end:
        path = f"{path[:begin]}...{path[end:]}"

    def masked(match: re.Match[str]) -> str:
        mark, name, sign, value = match.groups()
        is_parameter = mark.lower() in (";", "%3b") or is_credential(unquote(name))
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


def of_json(text: str) -> Iterator[str]:
    """Credentials of JSON in a header, or in a string of a body. Gateways receive their settings
    there, with the keys of several upstreams.
    """
    if not text.lstrip().startswith(("{", "[")):
        return
    with suppress(ValueError, RecursionError):
        for place, value in json_strings(json.loads(text)):
            names = [key for key in place if isinstance(key, str)]
            if any(is_credential(name) and not _is_conversation_id(name, value) for name in names):
                yield from of_header(value)


def of_header(value: str) -> Iterator[str]:
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
