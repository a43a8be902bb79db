"""How the official client of an API is configured."""

from __future__ import annotations

from typing import NamedTuple


class ClientSettings(NamedTuple):
    """What a client reads from its environment, and how it sends its key.

    Attributes:
        base_variable: the environment variable of the base URL.
        base_path: how the base URL ends: ``/v1``, or "".
        key_prefix: what stands before the key in it.
        key_parameter: the query parameter that may have the key instead, or "".
        headers: that it sends with each request, beside those that describe itself.
    """

    base_variable: str
    base_path: str
    key_variable: str
    key_header: str
    key_prefix: str = ""
    key_parameter: str = ""
    headers: tuple[tuple[str, str], ...] = ()
