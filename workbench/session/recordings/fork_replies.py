"""The reply a fork starts with, as text that is edited and parsed."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.apis.api import API
from workbench.core.apis.table import api_of
from workbench.core.fixture.document import new_document
from workbench.core.fixture.findings import Finding
from workbench.core.fixture.names import file_name
from workbench.core.fixture.recorded import error_response
from workbench.core.json.spans import line_column
from workbench.core.json.syntax import JSONSyntaxError
from workbench.core.json.text import read_json
from workbench.core.json.values import dumps, mapping
from workbench.core.recordings import branches
from workbench.core.recordings.exchanges import Exchange, Returned, Sent
from workbench.core.replies.response import NotAReplyError
from workbench.core.text.wording import listed
from workbench.session.drafts.store import Draft

# The keys of a fixture and of its response that a recording has no place for.
NOT_RECORDED: Final = ("first", "description", "delay_ms", "chunk_delay_ms", "retry_after")


class ForkError(ValueError):
    """Text that cannot be the reply of a fork; the message has the reason and the place."""


def draft_of(exchange: Exchange) -> Draft:
    """The draft to edit: the fixture of an LLM call, else the value that another call returned."""
    outcome = exchange.outcome
    if not exchange.is_chat:
        return Draft("", dumps(_value(outcome), indent=2))
    digest = exchange.digest or ""
    response = _response_of(outcome, api_of(exchange.payload))
    return Draft(digest, new_document(digest, response, request=exchange.payload).text)


def replaced(exchange: Exchange, draft: Draft) -> Exchange:
    """``exchange`` with the reply of a draft, which began as ``draft_of``.

    Raises:
        ForkError: the draft of a value is not JSON, or the draft of an answer contains a part that
            a recording cannot store.
        FixtureError: the draft of an answer is not a fixture, or the server could not send it.
    """
    if exchange.is_chat:
        document = draft.document
        response = document.response
        written = {**document.value, **response, **mapping(response.get("error"))}
        if lost := [key for key in NOT_RECORDED if key in written]:
            raise ForkError(
                f"a recording cannot store {listed(lost)}. Remove it from the document."
            )
        return branches.replaced(exchange, response)
    return branches.replaced(exchange, None, _parsed(draft.text))


def misfits(exchange: Exchange, draft: Draft) -> list[Finding]:
    """The errors that a draft has as the answer to the request of an LLM call."""
    if not exchange.is_chat:
        return []
    from workbench.core.fixture import rules

    context = rules.Context(file_name(draft.name), requests=(exchange.payload,))
    return [finding for finding in rules.check(draft.text, context) if finding.blocks]


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
