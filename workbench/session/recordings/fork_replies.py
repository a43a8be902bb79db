"""The reply a fork starts with, as text that is edited and parsed."""

from __future__ import annotations

from typing import Any

from workbench.core.apis.api import API
from workbench.core.apis.table import api_of
from workbench.core.fixture.findings import Finding
from workbench.core.fixture.recorded import error_response
from workbench.core.json.spans import line_column
from workbench.core.json.syntax import JSONSyntaxError
from workbench.core.json.text import read_json
from workbench.core.json.values import dumps
from workbench.core.recordings import branches
from workbench.core.recordings.exchanges import Exchange, Returned, Sent
from workbench.core.replies.response import NotAReplyError


class ForkError(ValueError):
    """A text that cannot be the reply of a fork; says why, and where."""


def text_of(exchange: Exchange) -> str:
    """The text to edit: the reply as the ``response`` of a fixture, or the value that another call
    returned.
    """
    outcome = exchange.outcome
    return dumps(
        _response_of(outcome, api_of(exchange.payload)) if exchange.is_chat else _value(outcome),
        indent=2,
    )


def replaced(exchange: Exchange, text: str) -> Exchange:
    """``exchange`` with the reply in ``text``, which is as ``text_of`` gives it.

    Raises:
        ForkError: it is not JSON, or not a reply.
        FixtureError: the server could not send it.
    """
    value = _parsed(text)
    if exchange.is_chat and not isinstance(value, dict):
        raise ForkError("The reply of an LLM call is an object, like response in a fixture.")
    return branches.replaced(exchange, value if exchange.is_chat else None, value)


def misfits(exchange: Exchange, text: str) -> list[Finding]:
    """The errors that a fixture with the reply in ``text`` would have, as the answer to the request
    of an LLM call.
    """
    if not exchange.is_chat:
        return []
    from workbench.core.fixture import rules

    context = rules.Context(requests=(exchange.payload,))
    findings = rules.check(dumps({"response": _parsed(text)}), context)
    return [finding for finding in findings if finding.blocks]


def _response_of(outcome: object, api: API) -> Any:
    """A reply over HTTP as the ``response`` of a fixture; an empty one if there was none."""
    if isinstance(outcome, Sent):
        if outcome.status >= 400:
            return error_response(outcome.status, outcome.body)
        try:
            return api.replies.read(outcome.content_type, outcome.body).response
        except NotAReplyError:
            pass
    return {"content": ""}


def _value(outcome: object) -> Any:
    return outcome.value if isinstance(outcome, Returned) else None


def _parsed(text: str) -> Any:
    try:
        read = read_json(text)
    except JSONSyntaxError as error:
        line, column = line_column(text, error.offset)
        raise ForkError(f"line {line}, column {column}: {error}.") from None
    for word, _, _ in read.oddities.not_finite:
        raise ForkError(f"{word} is not a JSON value.")
    return read.value
