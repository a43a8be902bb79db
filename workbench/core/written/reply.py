"""Replies as they may be recorded: without credentials that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from workbench.core.apis.framing import EVENTSTREAM, FRAMINGS, framing_of
from workbench.core.apis.recognition import CHOSEN_KEYS
from workbench.core.secrets.bodies import SHORTEST, is_named, may_be_named, named_in


def reply_without_credentials(body: bytes) -> bytes:
    """The body of a reply, JSON or a stream of it, with a ``*`` for each byte of a credential that
    is recognised by name, such as an ``api_key`` or the ``headers`` of a tool. Frames keep their
    sizes.
    """
    framing = framing_of("", body)
    if not (may_be_named(body) or framing is EVENTSTREAM):  # which may have it in base64
        return body
    named = sorted(_named(body), key=len, reverse=True)

    def masked(text: bytes) -> bytes:
        for value in named:
            for form in _forms(value):
                text = text.replace(form, b"*" * len(form))
        return text

    return framing.changed(body, masked) if framing else masked(body)


def json_values(body: bytes) -> Iterator[Any]:
    """The JSON value that a reply is, and those in the frames of a stream."""
    texts: list[str | bytes] = [body]
    for framing in FRAMINGS:
        texts += framing.texts(body)
    for text in texts:
        with suppress(ValueError, RecursionError):
            yield json.loads(text)


def _named(body: bytes) -> set[str]:
    return {
        credential.value
        for root in json_values(body)
        for credential in named_in(root)
        if isinstance(credential.value, str) and len(credential.value) >= SHORTEST
        if is_named(credential) and CHOSEN_KEYS.isdisjoint(credential.place)
    }


def _forms(value: str) -> set[bytes]:
    """A text as JSON may have it."""
    written = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    forms = {form for text in written for form in (text, text.replace("/", "\\/"))}
    return {form.encode("utf-8", "surrogatepass") for form in forms}
