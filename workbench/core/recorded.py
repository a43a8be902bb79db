"""Replies that came over HTTP as fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core import jsonspan, secrets
from workbench.core.collapse import collapse
from workbench.core.fixtures import FixtureDocument, Source, new_document, storable
from workbench.core.layers import TooManyLayersError, layers
from workbench.core.requests import Payload


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
) -> tuple[FixtureDocument, str]:
    """The fixture that answers ``payload`` as it was answered, and what is to be said of it: ""
    or that it is without its request, and why.

    Raises:
        NotAReplyError: the body is no whole reply.
        SecretError: the reply holds what looks like a key.
    """
    response = collapse(content_type, body)
    if found := _secret_in(response):
        raise SecretError(f"the reply holds {found}")
    request = storable(payload) if store_request else None
    said = ""
    if request is not None and (found := _secret_in(request)):
        request, said = None, f"without its request, which holds {found}"
    return new_document(digest, response, request=request, source=source), said


def _secret_in(value: Mapping[str, Any]) -> str:
    """What it is that should not be written down, as it may be shown; "" for nothing."""
    try:
        for text in layers(jsonspan.dumps(value)):
            for found in secrets.find(text):
                return f"{found.kind}, {found.shown}"
    except TooManyLayersError as error:
        return str(error)
    return ""
