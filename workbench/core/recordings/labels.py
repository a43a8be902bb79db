"""One line for an exchange in a list: its request and its reply."""

from __future__ import annotations

import json
from typing import Any, Final

from workbench.core.apis.table import view
from workbench.core.recordings.branches import reply_value
from workbench.core.recordings.exchanges import Exchange, Raised, Sent
from workbench.core.replies.response import calls

_MOST: Final = 400


def reply_line(exchange: Exchange) -> str:
    """The reply: tool calls, the beginning of the text, an error, or the value of another call."""
    outcome = exchange.outcome
    if isinstance(outcome, Raised):
        return f"{outcome.kind}: {outcome.message}"[:_MOST]
    if not isinstance(outcome, Sent):
        return json_line(outcome.value)
    response = reply_value(exchange)
    if "status" in response:
        text = f"{outcome.status} {response['body']}"
        return (text if outcome.is_complete else f"broke off: {text}")[:_MOST]
    content = response.get("content")
    text = content if isinstance(content, str) else json_line(content)
    return (", ".join(call.brief for call in calls(response)) or text)[:_MOST]


def request_line(exchange: Exchange) -> str:
    """The request: the last user text of an LLM call, or the arguments of another call."""
    if exchange.is_chat and isinstance(exchange.request, dict):
        return view(exchange.request).last_user_text[:_MOST]
    return json_line(exchange.request)


def json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_MOST]
