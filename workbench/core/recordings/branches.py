"""Comparing two recordings exchange by exchange, and replacing a reply in a fork."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from workbench.core.apis.api import API
from workbench.core.apis.table import api_of, view
from workbench.core.json import divergence
from workbench.core.json.divergence import Divergence
from workbench.core.recordings.exchanges import Exchange, Raised, Returned, Sent
from workbench.core.replies.answer import answer_with
from workbench.core.replies.response import NotAReplyError

DifferenceKind = Literal["node", "request", "reply", "only before", "only after"]


class ExchangeDifference(NamedTuple):
    """One exchange in which two recordings differ.

    Attributes:
        kind: what differs; "only" if one of the recordings has no such exchange.
        divergence: the first difference within request or reply.
    """

    position: int
    node: str
    kind: DifferenceKind
    divergence: Divergence | None = None

    def __str__(self) -> str:
        here = f"exchange {self.position} ({self.node or 'no node'})"
        if self.divergence is None:
            return f"{here}: {self.kind}"
        if self.kind == "node":
            return f"{here}: {self.divergence}"
        return f"{here}: {self.kind}: {self.divergence}"


def exchange_differences(
    before: Iterable[Exchange], after: Iterable[Exchange], first: int = 1
) -> Iterator[ExchangeDifference]:
    """The exchanges in which two recordings differ, in order; ``first`` is the position of the
    first of both.
    """
    for position, (old, new) in enumerate(zip_longest(before, after), first):
        if old is None or new is None:
            kind: DifferenceKind = "only after" if old is None else "only before"
            yield ExchangeDifference(position, (old or new).node, kind)
        elif old.node != new.node:
            named = Divergence("node", json.dumps(old.node), json.dumps(new.node))
            yield ExchangeDifference(position, new.node, "node", named)
        elif difference := old.difference(new.request, new.digest):
            yield ExchangeDifference(position, new.node, "request", difference)
        elif difference := divergence.first(reply_value(old), reply_value(new)):
            yield ExchangeDifference(position, new.node, "reply", difference)


def reply_value(exchange: Exchange) -> Any:
    """The reply of an exchange as a JSON value, the same for streams and plain replies."""
    match exchange.outcome:
        case Returned(value):
            return value
        case Raised(kind, message):
            return {"raised": kind, "message": message}
        case Sent() as sent:
            return _response(sent, api_of(exchange.payload))


def _response(sent: Sent, api: API) -> Any:
    if sent.status < 400 and sent.is_complete:
        try:
            response = api.replies.read(sent.content_type, sent.body).response
        except NotAReplyError:
            pass
        else:
            # Computed by the server; streams may leave it out.
            response.pop("usage", None)
            return response
    text = sent.body.decode("utf-8", "backslashreplace")
    return {"status": sent.status, "body": text, "complete": sent.is_complete}


def replaced(exchange: Exchange, response: Mapping[str, Any] | None, value: Any = None) -> Exchange:
    """An exchange with another reply: the first of a fork.

    Args:
        response: for an LLM call, the ``response`` of a fixture.
        value: for another call, what it returns.

    Raises:
        FixtureError: the server could not send ``response``.
    """
    if exchange.digest is None or response is None:
        return replace(exchange, outcome=Returned(value), source="replaced")
    request = view(exchange.payload)
    answer = answer_with(request, response)
    # In this profile nothing of the response is left out.
    writer = api_of(exchange.payload).replies.writer("openai", request)
    sent = writer.reply(answer, 0, stream=exchange.stream)
    outcome = Sent(sent.status, sent.content_type, sent.body, is_complete=not sent.is_cut)
    return replace(exchange, outcome=outcome, source="replaced")
