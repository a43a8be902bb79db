"""The team's one tool."""

from __future__ import annotations


def web_search(query: str) -> str:
    """What the web says about ``query``.

    Raises:
        ConnectionError: always, here: there is no web for sample applications.
    """
    raise ConnectionError(f"no web to search for {query!r}")
