"""Requests as they may be logged, recorded and stored: without the credentials of their clients."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from workbench.core.requests.view import Payload
from workbench.core.secrets.bodies import of_named
from workbench.core.secrets.heads import of_request
from workbench.core.written.credentials import Credentials
from workbench.core.written.named_in_request import split


class WrittenRequest(NamedTuple):
    """A request in a form that may be written to disk.

    Attributes:
        payload: with ``…`` for credentials that are recognised by name; its digest is the same.
        credentials: from the headers, the URL and the body of the request.
        is_secret: True if the rest of it repeats one of them. Then it must not be written, because
            its digest covers the text with the credential.
    """

    payload: Payload
    credentials: Credentials
    is_secret: bool

    @property
    def body(self) -> bytes:
        """The payload as JSON."""
        return json.dumps(self.payload).encode("ascii")


def as_written(
    payload: Payload,
    headers: Iterable[tuple[str, str]],
    query: str = "",
    path: str = "",
    *,
    more: Iterable[str] = (),
    is_hashed: bool = True,
) -> WrittenRequest:
    """A request and its credentials, in a form that may be written to disk. Takes as long as
    reading it.

    Args:
        more: further credentials, such as the upstream's.
        is_hashed: True for an API request, which has a digest; False for another call.
    """
    payload, named = split(payload, is_hashed=is_hashed)
    credentials = Credentials([*of_request(headers, query, path), *of_named(named), *more])
    is_secret = credentials.are_in_body("", json.dumps(payload).encode("ascii"))
    return WrittenRequest(payload, credentials, is_secret)
