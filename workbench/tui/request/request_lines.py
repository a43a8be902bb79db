"""A request as sections: the conversation, the offered tools, the JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from textual.content import Content
from textual.geometry import Size

from workbench.core.apis.table import view
from workbench.core.json.values import dumps
from workbench.core.requests.messages import INSTRUCTION_ROLES, Message, Part
from workbench.core.requests.view import Payload, RequestView, Tool
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.tui.lines.json_lines import JsonLine
from workbench.tui.lines.line_layout import Line, OneRow, TextLine, row_starts
from workbench.tui.lines.sections import Section
from workbench.tui.lines.text_lines import indented, safe, size
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import LABEL, MUTED

LONG_URL = 200
# Longer messages start folded, so that they leave room for more; the last one, which is the
# question, only if it would take long to scroll past.
LONG_TEXT, LONG_LAST_TEXT = 4_000, 100_000
BRIEF = 400
# This many earlier messages are not folded.
FEW_MESSAGES = 3
# Before a line of a message; about how many rows are below the messages.
_PAD, _ROWS_BESIDE = "    ", 4
NO_ROOM: Final = Size(0, 0)
_NO_BREAK = "\N{NO-BREAK SPACE}"
# The labels of JSON Schema keywords beside a parameter.
_LIMITS: Final = {
    "const": "only",
    "minimum": "min",
    "exclusiveMinimum": "over",
    "maximum": "max",
    "exclusiveMaximum": "below",
    "multipleOf": "multiple of",
    "minLength": "min length",
    "maxLength": "max length",
    "minItems": "min items",
    "maxItems": "max items",
    "format": "format",
    "pattern": "pattern",
    "default": "default",
}
_UNQUOTED: Final = ("format", "pattern")
_LONGEST_LIMIT = 60
_MOST_ALTERNATIVES = 6

Earlier = tuple[str, int]
"""The digest of a miss that the request continues, and the number of messages they share."""


# Conversation


def conversation(
    payload: Payload, earlier: Earlier | None = None, room: Size = NO_ROOM
) -> Iterator[Section]:
    """The messages, those before the last answer folded as one, and below them tools, tool choice
    and response format.

    Args:
        room: columns and rows for it: earlier messages are shown as far as they fit, and the
            beginning of a long last one.
    """
    request = view(payload)
    instructions, before, shown = _parted(request, room)
    for message in instructions:
        yield _message(request, message, 0)
    if before:
        yield _earlier(request, before, earlier)
    for message in shown[:-1]:
        yield _message(request, message, LONG_TEXT)
    for message in shown[-1:]:
        rows = room.height - len(instructions) - bool(before) - _ROWS_BESIDE
        rows = _left_by(shown[:-1], room.width, rows)
        yield _message(request, message, LONG_LAST_TEXT, Size(room.width, rows))
    if not request.messages:
        yield Section("", Content.styled("No messages.", MUTED), body=_blank)
    first, *others = _demands(payload)
    yield Section("demands", first, body=lambda: others, copied=partial(_demands_json, payload))


def newest(payload: Payload) -> str:
    """The key of the section of `conversation` with which what is new begins; "" for none."""
    request = view(payload)
    new = request.new_messages or request.messages[-1:]
    questions = (message for message in new if message.role not in INSTRUCTION_ROLES)
    first = next(questions, new[0] if new else None)
    return _key(first) if first is not None else ""


def depends_on_room(payload: Payload) -> bool:
    """True if ``conversation`` shows more of a request with more room."""
    request = view(payload)
    _, before, shown = _parted(request, NO_ROOM)
    return bool(before) or any(_length(message) > LONG_LAST_TEXT for message in shown[-1:])


def _parted(request: RequestView, room: Size) -> tuple[list[Message], list[Message], list[Message]]:
    """The instructions at the start of the messages, the earlier messages, and the shown ones: the
    last answer, and all messages after it. Earlier ones are shown as well if they are few or there
    is room.
    """
    messages = request.messages
    begin = next((n for n, m in enumerate(messages) if m.role not in INSTRUCTION_ROLES), 0)
    end = max(len(messages) - max(len(request.new_messages), 1) - 1, begin)
    if end - begin <= FEW_MESSAGES:
        end = begin
    left = _left_by(messages[end:], room.width, room.height - begin - _ROWS_BESIDE)
    while end > begin and (left := left - _rows(messages[end - 1], room.width)) >= 0:
        end -= 1
    return messages[:begin], messages[begin:end], messages[end:]


def _left_by(messages: Iterable[Message], width: int, rows: int) -> int:
    """How many of ``rows`` some messages leave."""
    for message in messages:
        if rows <= 0:
            return 0
        rows -= _rows(message, width)
    return max(rows, 0)


def _rows(message: Message, width: int) -> int:
    """About how many rows a message takes; a folded one takes one."""
    if _length(message) > LONG_TEXT:
        return 1
    texts = [message.text, *(call.arguments for call in message.tool_calls)]
    lines = [f"{_PAD}{line}" for text in texts if text for line in text.split("\n")]
    # Beside them the head, the heads of the calls, and a blank row.
    return 2 + len(message.tool_calls) + sum(len([*row_starts(line, width)]) for line in lines)


def _length(message: Message) -> int:
    return len(message.text) + sum(len(call.arguments) for call in message.tool_calls)


def _blank() -> Iterable[Line]:
    return (TextLine(),)


def _earlier(request: RequestView, messages: Sequence[Message], earlier: Earlier | None) -> Section:
    text = counted(len(messages), "earlier message")
    if earlier is not None and messages[-1].position < earlier[1]:
        text += f", unchanged since {short(earlier[0])}"
    return Section(
        "earlier",
        Content.styled(f"▾ {text}", MUTED),
        folded=lambda: OneRow(Content.styled(f"↑ {text}", MUTED)),
        copied=lambda: dumps([message.raw for message in messages], indent=2),
        is_large=True,
        inside=lambda: (_message(request, message, LONG_TEXT) for message in messages),
    )


def _key(message: Message) -> str:
    return f"message {message.position}"


def _message(request: RequestView, message: Message, limit: int, room: Size = NO_ROOM) -> Section:
    """A message, folded if it is longer than ``limit`` characters: to a line, or to as much of its
    beginning as there is room for.
    """
    head = Content.styled(f"{message.position} ", MUTED)
    head += one_line(message.role, "bold")
    call = request.answered_call(message)
    if name := call.name if call is not None else message.name:
        head += one_line(f"  {name}", MUTED)
    if message.tool_call_id:
        head += one_line(f"  answers {message.tool_call_id}", MUTED)
    length = _length(message)
    has_room = length > limit and room.height > 1 and bool(message.text)
    return Section(
        _key(message),
        head,
        folded=lambda: OneRow(head + _brief(message, length, with_words=not has_room)),
        beginning=lambda: _beginning(message, room) if has_room else (),
        body=lambda: _message_lines(message),
        copied=lambda: _message_text(message),
        is_large=length > limit,
    )


def _brief(message: Message, length: int, *, with_words: bool) -> Content:
    """The line of a folded message: its size, if it is long, and its first words. A message of one
    line cannot be unfolded.
    """
    words = message.text[:BRIEF] or ", ".join(f"calls {call.name}" for call in message.tool_calls)
    long = f"{size(length)}  " if length > BRIEF else ""
    mark = "▸ " if long or message.tool_calls or "\n" in words.strip() else ""
    line = Content.styled(f"  {mark}{long}", MUTED)
    return line + one_line(words.strip()) if with_words else line


def _beginning(message: Message, room: Size) -> Iterator[Line]:
    """The first lines of a long message, and how to see the rest."""
    left = room.height - 1
    for line in message.text[: room.width * left].split("\n")[:left]:
        text = f"{_PAD}{line}"
        starts = [*row_starts(text, room.width)]
        yield safe(text[: starts[left]] if left < len(starts) else text)
        left -= len(starts)
        if left <= 0:
            break
    yield OneRow(Content.styled(f"{_PAD}… Enter unfolds the rest.", MUTED))


def _message_lines(message: Message) -> Iterator[Line]:
    parts = [part for part in message.parts if part.text or part.kind != "text"]
    if not parts and not message.tool_calls:
        yield Content.styled("    (empty)", MUTED)
    for part in parts:
        yield from _part(part)
    for call in message.tool_calls:
        line = Content.styled("    calls ", MUTED) + one_line(call.name, "bold")
        yield line + Content("  ") + one_line(call.id, MUTED)
        yield from indented(call.arguments, 6, JsonLine)
    yield TextLine()


def _message_text(message: Message) -> str:
    """The text of a message; if it has more than text, its JSON."""
    if not message.tool_calls and all(part.kind == "text" for part in message.parts):
        return message.text
    return dumps(message.raw, indent=2)


def _part(part: Part) -> Iterator[Line]:
    if part.kind == "text":
        yield from indented(part.text, 4, JsonLine if _is_like_json(part.text) else TextLine)
        return
    text = part.text
    if len(text) > LONG_URL:
        kind = text[5 : text.find(";")] if text.startswith("data:") and ";" in text else part.kind
        text = f"{kind[:LONG_URL]}, {size(len(text))} (folded; JSON shows it)"
    yield Content("    ") + one_line(text, f"italic {MUTED}")


def _is_like_json(text: str) -> bool:
    """True if text begins and ends like a JSON object or list."""
    text = text.strip()
    return text[:1] + text[-1:] in ("{}", "[]")


def _demands(payload: Payload) -> Iterator[Line]:
    request = view(payload)
    tools = request.tools
    offers = Content(", ").join([_signature(tool) for tool in tools]) if tools else None
    shape = request.output_format
    api = [] if request.api == "chat" else [("API", one_line(request.api))]
    kind = f"{shape.kind} {shape.name}{' (strict)' if shape.strict else ''}".strip()
    yield _labelled(
        *api,
        ("offers", offers or Content.styled("no tools", MUTED)),
        ("tool_choice", one_line(_choice(payload))),
        ("format", one_line(kind)),
    )
    if shape.schema:
        yield from _properties(shape.schema, 10)


def _signature(tool: Tool) -> Content:
    return one_line(tool.name) + one_line(tool.signature.removeprefix(tool.name))


def _choice(payload: Payload) -> str:
    choice = view(payload).tool_choice
    return {"absent": f"none{_NO_BREAK}given", "function": choice.name}.get(
        choice.mode, choice.mode
    )


def _demands_json(payload: Payload) -> str:
    return dumps(view(payload).demands, indent=2)


def _labelled(*pairs: tuple[str, Content]) -> Content:
    """``label  value   label  value``, never broken between a label and its value; a row that
    follows begins with a label or a word, not with blanks.
    """
    parts = [Content.styled(f"{label}{_NO_BREAK * 2}", LABEL) + value for label, value in pairs]
    return Content(f"{_NO_BREAK * 2} ").join(parts)


# Tools


def tools(payload: Payload) -> Iterator[Section]:
    """The offered tools with their parameters."""
    yield Section("", _labelled(("tool_choice", one_line(_choice(payload)))), body=_blank)
    offered = view(payload).tools
    for number, tool in enumerate(offered):
        yield _tool(number, tool)
    if not offered:
        yield Section("", Content.styled("This request offers no tools.", MUTED))


def _tool(number: int, tool: Tool) -> Section:
    name = one_line(tool.name, "bold")
    description = tool.description
    return Section(
        f"tool {number}",
        Content.styled("▾ ", MUTED) + name,
        folded=lambda: Content.styled("▸ ", MUTED) + _signature(tool),
        body=lambda: _tool_lines(tool),
        copied=lambda: dumps(tool.parameters or {}, indent=2),
        is_large=len(description) + 40 * len(tool.properties) > LONG_TEXT,
    )


def _tool_lines(tool: Tool) -> Iterator[Line]:
    if tool.description:
        yield from indented(tool.description, 4)
    yield from _properties(tool.parameters or {}, 4)
    notes = []
    if (tool.parameters or {}).get("additionalProperties") is False:
        notes.append("nothing else allowed")
    if tool.strict:
        notes.append("strict")
    if notes:
        yield Content.styled("    " + " · ".join(notes), MUTED)
    yield TextLine()


def _properties(schema: Mapping[str, Any], indent: int) -> Iterator[Content]:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return
    required = schema.get("required")
    names = [one_line(name) for name in properties]
    width = min(max(name.cell_length for name in names), 24)
    for name, (key, spec) in zip(names, properties.items(), strict=True):
        line = Content(" " * indent) + name.pad_right(max(width - name.cell_length, 0) + 2)
        line += one_line(_type_name(spec), LABEL)
        if isinstance(required, list) and key in required:
            line += Content.styled("  required", MUTED)
        yield line + Content("").join(one_line(f"  {limit}", MUTED) for limit in _limits(spec))


def _limits(spec: object) -> Iterator[str]:
    """The constraints of a schema on a value besides its type: ``min 1``, ``pattern ^a``, ``default
    1``.
    """
    for part in _alternatives(spec):
        for key, words in _LIMITS.items():
            if key in part:
                value = part[key]
                limit = value if isinstance(value, str) and key in _UNQUOTED else dumps(value)
                yield f"{words} {excerpt(limit, _LONGEST_LIMIT)}".replace(" ", _NO_BREAK)


def _alternatives(spec: object) -> list[Mapping[str, Any]]:
    """A schema, and those in its ``anyOf`` or ``oneOf``, of which a value fits one."""
    if not isinstance(spec, Mapping):
        return []
    alternatives = spec.get("anyOf") or spec.get("oneOf")
    parts = alternatives[:_MOST_ALTERNATIVES] if isinstance(alternatives, list) else []
    return [spec, *(part for part in parts if isinstance(part, Mapping))]


def _type_name(spec: object) -> str:
    """A schema in a few words: ``string``, ``list of string``, ``"c" or "f"``."""
    if not isinstance(spec, dict):
        return "anything"
    if isinstance(spec.get("enum"), list):
        return " or ".join(dumps(v) for v in spec["enum"][:_MOST_ALTERNATIVES])
    kind = spec.get("type")
    if kind is None and len(_alternatives(spec)) > 1:
        return " or ".join(map(_type_name, _alternatives(spec)[1:]))
    if kind == "array":
        return f"list of {_type_name(spec.get('items'))}"
    if isinstance(kind, list):
        return " or ".join(str(k) for k in kind)
    return str(kind or spec.get("$ref") or "anything")
