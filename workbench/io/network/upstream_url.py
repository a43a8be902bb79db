"""The base URL of an upstream API."""

from __future__ import annotations

import re
import string
from typing import Final
from urllib.parse import quote, unquote, urlsplit

KEY_VARIABLE: Final = "WORKBENCH_UPSTREAM_KEY"


def host_of(base_url: str) -> str:
    """Host and port of a base URL.

    Raises:
        ValueError: it is not the URL of a server, or has a password, which the text does not show.
    """
    try:
        parts = urlsplit(base_url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_url = is_url and not any(character.isspace() for character in base_url)
    except ValueError:  # an invalid address or port
        is_url = False
    if not is_url:
        raise ValueError(f"{_shown(base_url)!r} is not a URL such as https://api.openai.com/v1")
    if parts.username or parts.password:
        raise ValueError(f"put the key into {KEY_VARIABLE}, not into the URL")
    return parts.netloc


def api_url(base_url: str, path: str) -> str:
    """The URL of ``path``, which begins with a slash, under ``base_url``, whose query is kept. A
    version that begins ``path`` is written once, and replaces the ``v1`` of a server for all APIs.
    """
    parts = urlsplit(base_url)
    base = parts.path.rstrip("/")
    version = path.split("/")[1]
    if re.fullmatch(r"v\d+\w*", version):
        base = re.sub(f"/(v1|{version})$", "", base)
    return parts._replace(path=f"{base}{path}", fragment="").geturl()


def with_query(url: str, query: str) -> str:
    """``url`` with ``query`` appended to its own."""
    parts = urlsplit(url)
    added = quote(query, string.punctuation, "latin-1")
    return parts._replace(query="&".join(filter(None, (parts.query, added)))).geturl()


def without_parameter(query: str, name: str) -> str:
    """``query`` without the values of a parameter."""
    parameters = query.split("&")
    return "&".join(part for part in parameters if unquote(part.partition("=")[0]) != name)


def _shown(url: str) -> str:
    """An invalid URL for the message: without a query, and nothing of it if it may have a
    password.
    """
    return "…" if "@" in url else re.split("[?#]", url, maxsplit=1)[0]
