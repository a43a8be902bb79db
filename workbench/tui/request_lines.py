"""A request as lines to read: the conversation, the offered tools, the JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from textual.content import Content

from workbench.core import requests
from workbench.core.jsonspan import dumps
from workbench.core.requests import Message, Part, Payload, Tool
from workbench.tui.inert import inert, one_line
from workbench.tui.styles import LABEL, MUTED

SHOWN_CHARACTERS = 1_000_000
LONG_URL = 200

ROLE_STYLES = {
    "system": "bold $text-secondary",
    "developer": "bold $text-secondary",
    "user": "bold $text-primary",
    "assistant": "bold $text-success",
    "tool": "bold $text-accent",
}


def conversation(payload: Payload) -> list[Content]:
    """Who said what, and below it what was offered and asked for."""
    lines: list[Content] = []
    for message in requests.messages(payload):
        lines += _message(message)
    if not lines:
        lines = [Content.styled("No messages.", MUTED), Content("")]
    return [*lines, *_demands(payload)]


def _message(message: Message) -> Iterator[Content]:
    head = Content.styled(f"{message.index} ", MUTED)
    head += one_line(message.role, ROLE_STYLES.get(message.role, "bold"))
    if message.name:
        head += one_line(f"  {message.name}", MUTED)
    if message.tool_call_id:
        head += Content.styled("  answers ", MUTED) + one_line(message.tool_call_id, MUTED)
    yield head
    for part in message.parts:
        yield from _part(part)
    for call in message.tool_calls:
        line = Content.styled("    calls ", MUTED) + one_line(call.name, "bold")
        yield line + Content("  ") + one_line(call.id, MUTED)
        yield from _indented(call.arguments, 6)
    yield Content("")


def _part(part: Part) -> Iterator[Content]:
    if part.kind == "text":
        yield from _indented(part.text, 4)
        return
    text = part.text
    if len(text) > LONG_URL:
        kind = text[5 : text.find(";")] if text.startswith("data:") and ";" in text else part.kind
        text = f"{kind}, {size(len(text))} (folded; JSON shows it)"
    yield Content("    ") + one_line(text, f"italic {MUTED}")


def _indented(text: str, indent: int) -> Iterator[Content]:
    shown = text[:SHOWN_CHARACTERS]
    for line in shown.split("\n"):
        yield Content(" " * indent) + inert(line)
    if len(shown) < len(text):
        yield Content.styled(f"{' ' * indent}Shown to 1 MB of {size(len(text))}.", MUTED)


def _demands(payload: Payload) -> Iterator[Content]:
    tools = requests.tools(payload)
    offers = Content(", ").join([one_line(t.signature) for t in tools]) if tools else None
    choice = requests.tool_choice(payload)
    wanted = {"absent": "none given", "function": choice.name}.get(choice.mode, choice.mode)
    shape = requests.response_format(payload)
    kind = f"{shape.kind} {shape.name}{' (strict)' if shape.strict else ''}".strip()
    yield _labelled(
        ("offers", offers or Content.styled("no tools", MUTED)),
        ("tool_choice", one_line(wanted)),
        ("format", one_line(kind)),
    )
    if shape.schema:
        yield from _properties(shape.schema, 10)


def _labelled(*pairs: tuple[str, Content]) -> Content:
    parts = [Content.styled(f"{label}  ", LABEL) + value for label, value in pairs]
    return Content("   ").join(parts)


def tools(payload: Payload) -> list[Content]:
    """What was offered: each tool with its parameters."""
    choice = requests.tool_choice(payload)
    wanted = {"absent": "none given", "function": choice.name}.get(choice.mode, choice.mode)
    lines = [_labelled(("tool_choice", one_line(wanted))), Content("")]
    offered = requests.tools(payload)
    for tool in offered:
        lines += [*_tool(tool), Content("")]
    if not offered:
        lines.append(Content.styled("This request offers no tools.", MUTED))
    return lines


def _tool(tool: Tool) -> Iterator[Content]:
    yield Content.styled("▾ ", MUTED) + one_line(tool.name, "bold $text-accent")
    if tool.description:
        yield from _indented(tool.description, 4)
    yield from _properties(tool.parameters or {}, 4)
    notes = []
    if (tool.parameters or {}).get("additionalProperties") is False:
        notes.append("nothing else allowed")
    if tool.strict:
        notes.append("strict")
    if notes:
        yield Content.styled("    " + " · ".join(notes), MUTED)


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
        if isinstance(spec, dict) and "default" in spec:
            line += one_line(f"  default {dumps(spec['default'])}", MUTED)
        yield line


def _type_name(spec: object) -> str:
    """``string``, ``list of string``, ``"c" or "f"``: a schema in a word or two."""
    if not isinstance(spec, dict):
        return "anything"
    if isinstance(spec.get("enum"), list):
        return " or ".join(dumps(v) for v in spec["enum"][:6])
    kind = spec.get("type")
    if kind == "array":
        return f"list of {_type_name(spec.get('items'))}"
    if isinstance(kind, list):
        return " or ".join(str(k) for k in kind)
    return str(kind or spec.get("$ref") or "anything")


def as_json(payload: Payload) -> list[Content]:
    """The request as it was received, laid out."""
    text = json.dumps(payload, indent=2, ensure_ascii=False)
    shown = text[:SHOWN_CHARACTERS]
    lines = [inert(line) for line in shown.split("\n")]
    if len(shown) < len(text):
        lines.append(Content.styled(f"Shown to 1 MB of {size(len(text))}.", MUTED))
    return lines


def size(characters: int) -> str:
    """A size in words: ``512 B``, ``4.2 KB``, ``3.9 MB``."""
    if characters < 1000:
        return f"{characters} B"
    if characters < 1_000_000:
        return f"{characters / 1000:.1f} KB"
    return f"{characters / 1_000_000:.1f} MB"


VIEWS: Sequence[tuple[str, Callable[[Payload], list[Content]]]] = (
    ("Conversation", conversation),
    ("Tools", tools),
    ("JSON", as_json),
)
