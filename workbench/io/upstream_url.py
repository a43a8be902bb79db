"""The address of an upstream, as clients are given it, and where its key is."""

from __future__ import annotations

import re
import string
from typing import Final
from urllib.parse import quote, urlsplit

KEY_VARIABLE: Final = "WORKBENCH_UPSTREAM_KEY"


def host_of(base_url: str) -> str:
    """Host and port, as the URL names them.

    Raises:
        ValueError: it is no URL of a server, or holds a password; the text shows none.
    """
    try:
        parts = urlsplit(base_url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_url = is_url and not any(character.isspace() for character in base_url)
    except ValueError:  # brackets that hold no address, a port that is none
        is_url = False
    if not is_url:
        raise ValueError(f"{_shown(base_url)!r} is no URL such as https://api.openai.com/v1")
    if parts.username or parts.password:
        raise ValueError(f"a key goes into {KEY_VARIABLE}, not into the URL")
    return parts.netloc


def api_url(base_url: str, path: str) -> str:
    """The URL of ``path``, which begins with a slash, under ``base_url``; its query is kept."""
    parts = urlsplit(base_url)
    return parts._replace(path=f"{parts.path.rstrip('/')}{path}", fragment="").geturl()


def with_query(url: str, query: str) -> str:
    """``url`` with ``query`` behind its own."""
    parts = urlsplit(url)
    given = quote(query, string.punctuation, "latin-1")
    return parts._replace(query="&".join(filter(None, (parts.query, given)))).geturl()


def _shown(url: str) -> str:
    """``url`` without a query, and nothing of one that may hold a user and a password: it is not
    well formed.
    """
    return "…" if "@" in url else re.split("[?#]", url, maxsplit=1)[0]
