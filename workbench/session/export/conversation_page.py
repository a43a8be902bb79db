"""Write a conversation as a page of Markdown, for a pull request.

All text is external: it is written as code only, and likely secrets are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from workbench.core.apis.table import view
from workbench.core.digest import digest_of
from workbench.core.fixture.names import file_name
from workbench.core.json.values import dumps
from workbench.core.replies.response import FixtureError
from workbench.core.request_body import RequestError
from workbench.core.requests.messages import FunctionCall
from workbench.core.requests.view import RequestView
from workbench.core.secrets.scan import without_secrets
from workbench.core.text.digests import short
from workbench.core.text.inert import escaped, escaped_lines
from workbench.session.session import Session

_BACKTICKS: Final = re.compile("`+")


class PageEntry(NamedTuple):
    """One message of the conversation.

    Attributes:
        note: its origin; "" for the request.
        parts: the texts, each with its heading.
    """

    role: str
    note: str
    parts: list[tuple[str, str]]


def page(session: Session, digest: str, payload: Mapping[str, Any]) -> str:
    """The page of a conversation up to the answer of a request."""
    title = f"Conversation {short(digest)}, {_shown(view(payload).model)}"
    return as_markdown(title, conversation(session, digest, payload))


def conversation(session: Session, digest: str, payload: Mapping[str, Any]) -> Iterator[PageEntry]:
    """The messages of a request, and the answer its fixture gives."""
    request = view(payload)
    listed = {number: earlier for earlier, number in session.turns.earlier(payload)}
    for number, message in enumerate(request.messages):
        note = f"result of {message.tool_call_id}" if message.tool_call_id else ""
        if message.role == "assistant":
            earlier = listed.get(message.position) or _digest_before(request, number)
            name = None if earlier is None else session.store.name_for(earlier, request)
            if name is not None and session.store.stamp(name) is not None:
                note = f"answer of {file_name(name)}"
        texts = [("" if p.kind == "text" else p.kind, p.text) for p in message.parts]
        yield PageEntry(message.role, note, [*texts, *_calls(message.tool_calls)])
    yield _answer(session, session.store.name_for(digest, request))


def _digest_before(request: RequestView, number: int) -> str | None:
    """The digest of the request that a quoted answer was given to, as far as it was the same in all
    but its messages; None for one that has none.
    """
    canonical = request.canonical
    try:
        return digest_of(canonical._replace(messages=canonical.messages[:number]))
    except RequestError:
        return None


def _answer(session: Session, name: str) -> PageEntry:
    """The answer of the fixture with this name."""
    try:
        reply = session.store.reply(name)
    except FixtureError as error:
        return PageEntry("assistant", f"the fixture {file_name(name)} is broken: {error}", [])
    if reply is None:
        return PageEntry("assistant", "no fixture answers this yet", [])
    content = reply.content if isinstance(reply.content, str) else dumps(reply.content, indent=2)
    texts = [("", content)] if content or not reply.calls else []
    return PageEntry("assistant", f"answer of {file_name(name)}", [*texts, *_calls(reply.calls)])


def _calls(calls: Iterable[FunctionCall]) -> Iterator[tuple[str, str]]:
    for call in calls:
        try:
            arguments = dumps(json.loads(call.arguments), indent=2)
        except (ValueError, RecursionError):
            arguments = call.arguments
        yield f"calls {call.name}  {call.id}", arguments


def as_markdown(title: str, conversation: Iterable[PageEntry]) -> str:
    """A page of Markdown, in which no text from outside is interpreted."""
    lines = [f"## {_code(title)}", ""]
    for message in conversation:
        note = f" {_code(message.note)}" if message.note else ""
        lines += [f"**{_code(message.role)}**{note}", ""]
        for label, text in message.parts:
            lines += [_code(label), ""] if label else []
            fence = _fence(text, 3)
            lines += [f"{fence}text", _block(text), fence, ""]
    return "\n".join(lines)


def _code(text: str) -> str:
    """A text of one line as a code span, which cannot be empty."""
    text = _shown(text) or "-"
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _fence(text: str, least: int) -> str:
    """More backticks than ``text`` has in a row."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    return "`" * max(longest + 1, least)


def _shown(text: str) -> str:
    """A text on one line, without secrets."""
    return escaped(without_secrets(text))


def _block(text: str) -> str:
    """A text of several lines, without secrets."""
    return escaped_lines(without_secrets(text).expandtabs(4))
