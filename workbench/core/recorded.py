"""Replies that came over HTTP as fixtures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from workbench.core import jsonspan, secrets
from workbench.core.collapse import collapse
from workbench.core.credentials import Credentials
from workbench.core.fixtures import FixtureDocument, Source, new_document, storable
from workbench.core.layers import TooManyLayersError, layers
from workbench.core.left_out import left_out
from workbench.core.requests import Payload

# Of a body that is no JSON: the page of a proxy, mostly.
_LONGEST_MESSAGE: Final = 2_000
_MOST_NAMES: Final = 6
_LONGEST_NAME: Final = 40


class SecretError(ValueError):
    """A reply that should not be written down; the text says where, and does not show it."""


def fixture_of(
    payload: Payload,
    digest: str,
    content_type: str,
    body: bytes,
    *,
    source: Source,
    store_request: bool,
    status: int = 200,
    retry_after: str = "",
    credentials: Credentials | None = None,
) -> tuple[FixtureDocument, str]:
    """The fixture that answers ``payload`` as it was answered, and what is to be said of it: ""
    or what it is without: its request, and why; what the reply says and no fixture holds.

    Args:
        status: of HTTP; one of 400 to 599 makes a fixture that answers with this error.
        retry_after: the header of an error.
        credentials: that the request was sent with; it is left out where it repeats one.

    Raises:
        NotAReplyError: the body is no whole reply.
        SecretError: the reply holds what looks like a key.
    """
    lost: list[str] = []
    if 400 <= status <= 599:
        response = error_response(status, body, retry_after)
    else:
        response = collapse(content_type, body)
        lost = left_out(content_type, body)
    if found := _secret_in(response):
        raise SecretError(f"the reply holds {found}")
    request = storable(payload) if store_request else None
    said = []
    if request is not None and (found := _secret_in(request, credentials)):
        request = None
        said.append(f"without its request, which holds {found}")
    if lost:
        said.append(f"without {_some(lost)} of the reply, which no fixture holds")
    document = new_document(digest, response, request=request, source=source)
    return document, ", and ".join(said)


def _some(names: list[str]) -> str:
    """The first few of ``names``, which are somebody else's, and how many more there are."""
    shown = ", ".join(name[:_LONGEST_NAME] for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def error_response(status: int, body: bytes, retry_after: str = "") -> dict[str, Any]:
    """The ``response`` of a fixture that answers with an error as it was answered.

    Args:
        body: OpenAI's ``{"error": {message, type, code}}``, or what others send in its place.
        retry_after: the header, of which seconds are kept.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = {"message": body[:_LONGEST_MESSAGE].decode("utf-8", "replace").strip()}
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        error = {"message": error}
    texts = {
        "message": error.get("message") or error.get("detail"),
        "type": error.get("type"),
        "code": error.get("code"),
    }
    given = {key: str(of) for key, of in texts.items() if isinstance(of, str | int) and of != ""}
    seconds = {"retry_after": int(retry_after)} if retry_after.isdecimal() else {}
    return {"error": {"status": status, **given, **seconds}}


def _secret_in(value: Mapping[str, Any], credentials: Credentials | None = None) -> str:
    """What it is that should not be written down, as it may be shown; "" for nothing."""
    written = jsonspan.dumps(value)
    if credentials is not None and credentials.are_in(written):
        return "the key that was sent"
    try:
        for text in layers(written):
            for found in secrets.find(text):
                return f"{found.kind}, {found.shown}"
    except TooManyLayersError as error:
        return str(error)
    return ""
