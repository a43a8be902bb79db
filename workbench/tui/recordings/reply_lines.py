"""The reply of an exchange as sections: its content, and its bytes as sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final

from textual.content import Content

from workbench.core.apis.api import API
from workbench.core.apis.framing import Framing
from workbench.core.apis.table import api_of
from workbench.core.json.values import dumps
from workbench.core.recordings.exchanges import Exchange, Raised, Returned, Sent
from workbench.core.replies.fixture_form import USAGE_COUNTS, USAGE_DETAILS
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import read_call
from workbench.tui.lines.json_lines import JsonLine, as_json, json_lines
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.sections import Section
from workbench.tui.lines.text_lines import COPIES_ALL, capped, indented, safe, size
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, WARNING

# More of a frame is only copied.
FRAME_CHARACTERS: Final = 2_000


def what_it_says(exchange: Exchange, parsed: object) -> Iterator[Section]:
    """The reply, and what the application made of it.

    Args:
        parsed: what the application made of it; None if that is not known.
    """
    match exchange.outcome:
        case Returned(value):
            yield _value("value", "gave back", value)
        case Raised(kind, message):
            text = f"{kind}: {message}"
            yield Section("raised", one_line(text, ERROR), copied=lambda: text)
        case Sent():
            yield from _sent(exchange.outcome, api_of(exchange.payload))
    if parsed is not None:
        yield Section("", TextLine())
        yield _value("parsed", "the application made of it", parsed)


def _sent(sent: Sent, api: API) -> Iterator[Section]:
    if not sent.is_complete:
        yield Section("", Content.styled("It broke off here.", WARNING))
    try:
        response = api.replies.read(sent.content_type, sent.body).response
    except NotAReplyError as error:
        style = ERROR if sent.status >= 400 else WARNING
        yield Section("", one_line(f"status {sent.status}: {error}", style))
        yield from _body(sent)
        return
    if reasoning := response.get("reasoning"):
        yield _answer_part("reasoning", reasoning)
    name = "refusal" if response.get("refusal") else "content"
    content = response[name]
    if content or not response.get("tool_calls"):
        yield _answer_part(name, content)
    for number, call in enumerate(response.get("tool_calls", ())):
        yield _call(number, call)
    yield Section("", _facts(response))


def _answer_part(name: str, content: object) -> Section:
    return _text(name, content) if isinstance(content, str) else _value(name, name, content)


def _text(name: str, text: str) -> Section:
    head = Content.styled(name, LABEL)
    body = indented(text, 4) if text else [Content.styled("    (empty)", MUTED)]
    return Section(name, head, body=lambda: [*body, TextLine()], copied=lambda: text)


def _call(number: int, call: Mapping[str, Any]) -> Section:
    function = read_call(call)
    head = Content.styled("calls ", LABEL) + one_line(function.name, "bold")
    head += one_line(f"  {function.id}", MUTED)
    arguments = function.arguments
    return Section(
        f"call {number}",
        head,
        body=lambda: [*_arguments(arguments), TextLine()],
        copied=lambda: arguments,
    )


def _arguments(arguments: str) -> Iterable[Line]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return indented(arguments, 4)
    return _lines(value)


def _facts(response: Mapping[str, Any]) -> Content:
    line = Content.styled("finish  ", LABEL) + one_line(str(response.get("finish_reason")))
    usage = response.get("usage") or {}
    details = (usage.get(key) or {} for key in USAGE_DETAILS)
    counts = {key: usage[key] for key in USAGE_COUNTS if key in usage}
    for key, count in chain(counts.items(), *(detail.items() for detail in details)):
        if key in counts or count:  # most details are 0, and left out
            line += one_line(f"   {key.removesuffix('_tokens')} ", LABEL)
            line += one_line(f"{count:,}" if isinstance(count, int) else str(count))
    return line


def _value(key: str, name: str, value: object) -> Section:
    head = Content.styled(name, LABEL)
    if isinstance(value, str):
        return Section(key, head, body=lambda: indented(value, 4), copied=lambda: value)
    return Section(key, head, body=lambda: _lines(value), copied=lambda: dumps(value, indent=2))


def _lines(value: object) -> Iterable[Line]:
    pad = " " * 4
    return capped((safe(pad + line, JsonLine) for line in json_lines(value)), pad)


# As it was sent


def as_sent(exchange: Exchange) -> Iterator[Section]:
    """The bytes; of a stream frame by frame, with the times they were sent at."""
    replies = api_of(exchange.payload).replies
    match exchange.outcome:
        case Sent() as sent if framing := replies.framing_of(sent.content_type, sent.body):
            yield from _frames(sent, framing)
        case Sent() as sent:
            yield from _body(sent)
        case Returned(value):
            yield _value("value", "value", value)
        case Raised():
            yield from what_it_says(exchange, None)


def _frames(sent: Sent, framing: Framing) -> Iterator[Section]:
    untimed = ((None, len(frame)) for frame in framing.frames(sent.body))
    start = 0
    for number, (at, length) in enumerate(sent.frames or untimed):
        part = sent.body[start : start + length]
        data = framing.shown(part)
        start += length
        time = f"{at:>8.1f} ms" if at is not None else " " * 11
        head = Content.styled(f"{number:>4} {time}  {size(length):>8}  ", MUTED)
        text = data.strip().removeprefix("data:").strip()
        yield Section(
            f"frame {number}",
            head + one_line(text[:FRAME_CHARACTERS]),
            body=partial(_rest_of_frame, text),
            copied=lambda data=data: data,  # type: ignore[misc]  # bound now
        )
    if not sent.is_complete:
        yield Section("", Content.styled("… the connection was closed here", WARNING))


def _rest_of_frame(text: str) -> Iterator[Line]:
    """That a frame is shown in part, if it is."""
    hidden = text[FRAME_CHARACTERS:]
    if hidden:
        note = f"{' ' * 5}… {len(hidden):,} more characters. {COPIES_ALL}"
        yield OneRow(Content.styled(note, MUTED), lambda: hidden)


def _body(sent: Sent) -> Iterator[Section]:
    text = sent.body.decode("utf-8", "backslashreplace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        yield from as_json(value)
    elif text:
        body = list(indented(text, 0))
        yield Section("body", body[0], body=lambda: body[1:], copied=lambda: text)
    else:
        yield Section("", Content.styled("(no body)", MUTED))
