"""However a stream is cut, and whatever an upstream makes of the API's form, the reply that is read
is the one that was sent, or it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from workbench.core.apis import eventstream
from workbench.core.apis.api import API
from workbench.core.apis.chat import API as CHAT
from workbench.core.apis.cohere import API as COHERE
from workbench.core.apis.converse import API as CONVERSE
from workbench.core.apis.gemini import API as GEMINI
from workbench.core.apis.messages import API as MESSAGES
from workbench.core.apis.ollama import API as OLLAMA
from workbench.core.apis.responses import API as RESPONSES
from workbench.core.apis.table import APIS, view
from workbench.core.json.values import compact
from workbench.core.replies.answer import find_answer
from workbench.core.replies.response import NotAReplyError

Frames = list[dict[str, Any]]
Draw = Callable[[st.SearchStrategy[Any]], Any]

NAMES = ("get_weather", "search", "f")
arguments = st.dictionaries(texts.filter(bool), st.integers() | texts | st.none(), max_size=3)
calls = st.lists(st.tuples(st.sampled_from(NAMES), arguments), max_size=3)


@st.composite
def cut(draw: Draw, text: str, least: int = 1) -> list[str]:
    """A text in pieces, some of which may be empty."""
    places = st.lists(st.integers(0, len(text)), min_size=least - 1, max_size=4)
    ends = [0, *sorted(draw(places)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


@st.composite
def written(draw: Draw, frames: Frames, *, named: bool, done: bool) -> bytes:
    """Frames as a stream, in one of the ways that events may be written."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    space = draw(st.sampled_from([" ", ""]))
    noise = st.sampled_from(["", ": waiting", f"id: 1{end}retry: 5"])
    blocks = []
    for frame in frames:
        lines = [line] if (line := draw(noise)) else []
        if named and draw(st.booleans()):
            lines.append(f"event: {frame['type']}")
        text = json.dumps(frame, indent=draw(st.sampled_from([None, 1])))
        lines += [f"data:{space}{line}" for line in text.split("\n")]
        blocks.append(end.join(lines) + end * 2)
    last = f"data:{space}[DONE]{end * 2}" if done else ""
    mark: str = draw(st.sampled_from(["", "\ufeff", end]))
    return (mark + "".join(blocks) + last).encode()


kinds = st.sampled_from(["text/event-stream; charset=utf-8", "", "application/json", "text/plain"])


def expected(content: str, made: Any, ids: Sequence[str | None], **more: Any) -> dict[str, Any]:
    listed = [
        {
            "index": index,
            "id": ids[index],
            "type": "function",
            "function": {"name": name, "arguments": compact(value)},
        }
        for index, (name, value) in enumerate(made)
    ]
    return {
        "content": content,
        **({"tool_calls": listed} if listed else {}),
        "finish_reason": "tool_calls" if listed else "stop",
        **{key: text for key, text in more.items() if text},
    }


# Chat


@st.composite
def chat_call(draw: Draw, index: int, name: str, value: Any, style: dict[str, Any]) -> Frames:
    """The pieces of a call, as an upstream of a certain style sends them."""
    pieces: list[Any] = draw(cut(compact(value)))
    if style["whole"] or not (style["index"] or style["id_again"]):
        pieces = ["".join(pieces)]
    if style["object"]:
        pieces = [value]
    names = draw(cut(name, 2)) if style["index"] and style["name"] == "cut" else [name]
    if style["name"] == "again":
        names = [name] * len(pieces)
    if len(names) > len(pieces):  # before any of the arguments
        pieces = [*[""] * (len(names) - len(pieces)), *pieces]
    made = []
    for number, piece in enumerate(pieces):
        part: dict[str, Any] = {"function": {"arguments": piece}}
        if number < len(names) and names[number]:
            part["function"]["name"] = names[number]
        if number == 0 or style["id_again"]:
            part["id"] = f"call_{index}"
        if style["index"]:
            part["index"] = style["number"](index)
        made.append(part)
    return made


styles = st.fixed_dictionaries(
    {
        "index": st.booleans(),
        "number": st.sampled_from([int, lambda _: 0, lambda index: index + 1, str]),
        "id_again": st.booleans(),
        "name": st.sampled_from(["once", "cut", "again"]),
        "whole": st.booleans(),
        "object": st.booleans(),
    }
)


@given(st.data(), texts, texts, calls, styles, kinds, st.booleans())
def test_chat(
    data: st.DataObject,
    content: str,
    reasoning: str,
    made: Any,
    style: dict[str, Any],
    kind: str,
    has_reason: bool,
) -> None:
    draw = data.draw
    deltas: Frames = [{"role": "assistant", "content": draw(st.sampled_from(["", None]))}]
    spelling = draw(st.sampled_from(["reasoning_content", "reasoning", "reasoning_details"]))
    for piece in draw(cut(reasoning)):
        details = [{"type": "reasoning.text", "text": piece, "index": 0}]
        deltas.append({spelling: details if spelling == "reasoning_details" else piece})
    in_parts = draw(st.booleans())
    for piece in draw(cut(content)):
        deltas.append({"content": [{"type": "text", "text": piece}] if in_parts else piece})
    for index, (name, value) in enumerate(made):
        for part in draw(chat_call(index, name, value, style)):
            deltas.append({"tool_calls": [part]})
    frames = [
        {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    if has_reason:
        reason = "tool_calls" if made else "stop"
        last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": reason}
        frames.append({"id": "c", "choices": [last]})
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    counted: dict[str, Any] = {"choices": [], "usage": {**usage, "total_tokens": 7}}
    frames.append(counted)
    stream = draw(written(frames, named=False, done=not has_reason or draw(st.booleans())))
    ids = [f"call_{index}" for index in range(len(made))]
    wanted = {**expected(content, made, ids, reasoning=reasoning), "usage": usage}
    found = CHAT.replies.read(kind, stream).response
    for call in [*found.get("tool_calls", []), *wanted.get("tool_calls", [])]:
        # Pieces may have more blanks, and objects none.
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    assert found == wanted
    assert CHAT.replies.read(kind, stream).left_out == []


# The other APIs


@given(st.data(), texts, texts, calls, kinds)
def test_messages(data: st.DataObject, content: str, reasoning: str, made: Any, kind: str) -> None:
    draw = data.draw
    usage = {"input_tokens": 3, "output_tokens": 1}
    frames: Frames = [{"type": "message_start", "message": {"content": [], "usage": usage}}]
    blocks: list[tuple[dict[str, Any], str, str, str]] = [
        ({"type": "thinking", "thinking": ""}, "thinking_delta", "thinking", reasoning),
        ({"type": "text", "text": ""}, "text_delta", "text", content),
    ]
    for index, (name, value) in enumerate(made):
        begun = {"type": "tool_use", "id": f"t{index}", "name": name, "input": {}}
        blocks.append((begun, "input_json_delta", "partial_json", json.dumps(value)))
    for index, (begun, delta, key, text) in enumerate(blocks):
        first, *pieces = draw(cut(text, 2))
        if key == "partial_json":
            pieces = [first, *pieces]
        else:
            begun = {**begun, key: first}
        frames.append({"type": "content_block_start", "index": index, "content_block": begun})
        frames += [
            {"type": "content_block_delta", "index": index, "delta": {"type": delta, key: piece}}
            for piece in pieces
        ]
        frames.append({"type": "content_block_stop", "index": index})
        frames.append({"type": "ping"})
    reason = {"stop_reason": "tool_use" if made else "end_turn", "stop_sequence": None}
    frames.append({"type": "message_delta", "delta": reason, "usage": {"output_tokens": 4}})
    frames.append({"type": "message_stop"})
    stream = draw(written(frames, named=True, done=draw(st.booleans())))
    wanted = expected(content, made, [f"t{n}" for n in range(len(made))], reasoning=reasoning)
    wanted["usage"] = {"prompt_tokens": 3, "completion_tokens": 4}
    assert MESSAGES.replies.read(kind, stream).response == wanted
    assert MESSAGES.replies.read(kind, stream).left_out == []


@given(st.data(), texts, calls, kinds, st.sampled_from(["all", "last", "items", "done"]))
def test_responses(data: st.DataObject, content: str, made: Any, kind: str, repeats: str) -> None:
    """The pieces alone, or the whole once more: at the end, for each item, or both."""
    draw = data.draw
    frames: Frames = [{"type": "response.created", "response": {"status": "in_progress"}}]
    part = {"type": "output_text", "text": content, "annotations": []}
    items: Frames = [{"type": "message", "id": "m", "role": "assistant", "content": [part]}]
    items += [
        {
            "type": "function_call",
            "id": f"fc_{index}",
            "call_id": f"call_{index}",
            "name": name,
            "arguments": compact(value),
        }
        for index, (name, value) in enumerate(made)
    ]
    for index, item in enumerate(items):
        at = {"output_index": index, "item_id": item["id"]}
        is_message = item["type"] == "message"
        begun = {**item, "content": []} if is_message else {**item, "arguments": ""}
        frames.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        if is_message:
            at["content_index"] = 0
            if draw(st.booleans()):
                begun_part = {**part, "text": ""}
                frames.append({"type": "response.content_part.added", **at, "part": begun_part})
        text = content if is_message else item["arguments"]
        event = "response.output_text" if is_message else "response.function_call_arguments"
        pieces = draw(cut(text))
        frames += [{"type": f"{event}.delta", **at, "delta": piece} for piece in pieces]
        if repeats in ("all", "items"):
            frames.append(
                {"type": f"{event}.done", **at, "text" if is_message else "arguments": text}
            )
            done = {"type": "response.output_item.done", "output_index": index, "item": item}
            frames.append(done)
    output = items if repeats in ("all", "last") else []
    if repeats != "done":
        ended = {"status": "completed", "output": output}
        frames.append({"type": "response.completed", "response": ended})
    stream = draw(written(frames, named=True, done=True))
    ids = [f"call_{n}" for n in range(len(made))]
    assert RESPONSES.replies.read(kind, stream).response == expected(content, made, ids)
    assert RESPONSES.replies.read(kind, stream).left_out == []


named_arguments = st.dictionaries(
    st.sampled_from(["city", "days", "a b", "né"]), st.integers() | texts | st.none(), max_size=3
)
gemini_calls = st.lists(st.tuples(st.sampled_from(NAMES), named_arguments), max_size=3)


@st.composite
def gemini_call(draw: Draw, name: str, value: dict[str, Any]) -> Frames:
    """The pieces of a call, with the arguments in pieces."""
    pieces: Frames = [{"name": name, "willContinue": True}]
    for key, item in value.items():
        path = draw(st.sampled_from([f"$.{key}", f"$['{key}']", f'$["{key}"]']))
        kind = {str: "stringValue", int: "numberValue"}.get(type(item), "nullValue")
        cuts = draw(cut(item)) if isinstance(item, str) else [item]
        for number, piece in enumerate(cuts):
            goes_on = number + 1 < len(cuts)
            part = {"jsonPath": path, kind: piece, "willContinue": goes_on}
            pieces.append({"partialArgs": [part], "willContinue": True})
    return [*pieces, {}]


@given(st.data(), texts, gemini_calls, kinds, st.booleans())
def test_gemini(data: st.DataObject, content: str, made: Any, kind: str, is_array: bool) -> None:
    draw = data.draw
    parts: Frames = [{"text": piece} for piece in draw(cut(content))]
    for name, value in made:
        whole = [{"name": name, "args": value}]
        pieces = draw(gemini_call(name, value) | st.just(whole))
        parts += [{"functionCall": piece} for piece in pieces]
    frames: Frames = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    frames.append({"candidates": [{"content": {}, "finishReason": "STOP"}]})
    stream = json.dumps(frames).encode()
    if not is_array:
        stream = draw(written(frames, named=False, done=False))
    assert GEMINI.replies.read(kind, stream).response == expected(content, made, [None] * len(made))
    assert GEMINI.replies.read(kind, stream).left_out == []


@given(st.data(), texts, texts, calls, kinds)
def test_cohere(data: st.DataObject, content: str, reasoning: str, made: Any, kind: str) -> None:
    draw = data.draw
    begun = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": []}
    frames: Frames = [{"type": "message-start", "id": "m", "delta": {"message": begun}}]

    def add(event: str, index: int | None = None, **message: Any) -> None:
        at = {} if index is None else {"index": index}
        frames.append({"type": event, **at, **({"delta": {"message": message}} if message else {})})

    blocks = [("thinking", reasoning)] if made else [("thinking", reasoning), ("text", content)]
    for index, (key, text) in enumerate(blocks):
        first, *pieces = draw(cut(text, 2))
        add("content-start", index, content={"type": key, key: first})
        for piece in pieces:
            add("content-delta", index, content={key: piece})
        add("content-end", index)
    for piece in draw(cut(content)) if made else ():
        add("tool-plan-delta", tool_plan=piece)
    for index, (name, value) in enumerate(made):
        first, *pieces = draw(cut(compact(value), 2))
        function = {"name": name, "arguments": first}
        add("tool-call-start", index, tool_calls={"id": f"c{index}", "function": function})
        for piece in pieces:
            add("tool-call-delta", index, tool_calls={"function": {"arguments": piece}})
        add("tool-call-end", index)
    reason = "TOOL_CALL" if made else "COMPLETE"
    frames.append({"type": "message-end", "delta": {"finish_reason": reason}})
    stream = draw(written(frames, named=True, done=draw(st.booleans())))
    wanted = expected(content, made, [f"c{n}" for n in range(len(made))], reasoning=reasoning)
    assert COHERE.replies.read(kind, stream).response == wanted
    assert COHERE.replies.read(kind, stream).left_out == []


@given(st.data(), texts, texts, calls, kinds, st.booleans())
def test_ollama(
    data: st.DataObject, content: str, reasoning: str, made: Any, kind: str, is_generate: bool
) -> None:
    draw = data.draw

    def said(**message: Any) -> dict[str, Any]:
        return {"done": False, **(message if is_generate else {"message": message})}

    text = "response" if is_generate else "content"
    frames = [said(thinking=piece) for piece in draw(cut(reasoning))]
    frames += [said(**{text: piece}) for piece in draw(cut(content))]
    listed = [{"function": {"name": name, "arguments": value}} for name, value in made]
    place = draw(st.integers(0, len(listed)))
    frames += [said(tool_calls=some) for some in (listed[:place], listed[place:]) if some]
    frames.append({"done": True, "done_reason": "stop", "eval_count": 4})
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    stream = end.join(json.dumps(frame) for frame in frames) + draw(st.sampled_from(["", end]))
    reading = OLLAMA.replies.read(kind.replace("event-stream", "plain"), stream.encode())
    wanted = expected(content, made, [None] * len(made), reasoning=reasoning)
    assert reading.response == {**wanted, "usage": {"completion_tokens": 4}}
    assert reading.left_out == []


@given(st.data(), texts, texts, calls, kinds)
def test_converse(data: st.DataObject, content: str, reasoning: str, made: Any, kind: str) -> None:
    draw = data.draw
    frames: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]

    def add(index: int, *deltas: dict[str, Any]) -> None:
        at = {"contentBlockIndex": index}
        frames.extend(("contentBlockDelta", {**at, "delta": delta}) for delta in deltas)
        frames.append(("contentBlockStop", at))

    add(0, *({"reasoningContent": {"text": piece}} for piece in draw(cut(reasoning))))
    add(1, *({"text": piece} for piece in draw(cut(content))))
    for index, (name, value) in enumerate(made):
        start = {"toolUse": {"toolUseId": f"c{index}", "name": name}}
        frames.append(("contentBlockStart", {"contentBlockIndex": index + 2, "start": start}))
        pieces = draw(cut(compact(value)))
        add(index + 2, *({"toolUse": {"input": piece}} for piece in pieces))
    frames.append(("messageStop", {"stopReason": "tool_use" if made else "end_turn"}))
    frames.append(("metadata", {"usage": {"inputTokens": 3, "outputTokens": 4}}))
    padding = draw(st.sampled_from([{}, {"p": "abc"}]))
    stream = b"".join(
        eventstream.event(name, json.dumps({**frame, **padding}).encode()) for name, frame in frames
    )
    wanted = expected(content, made, [f"c{n}" for n in range(len(made))], reasoning=reasoning)
    wanted["usage"] = {"prompt_tokens": 3, "completion_tokens": 4}
    assert CONVERSE.replies.read(kind, stream).response == wanted
    assert CONVERSE.replies.read(kind, stream).left_out == []


@pytest.mark.parametrize(
    ("api", "more"),
    [
        *((api, {}) for api in APIS),
        (MESSAGES, {"platform": "bedrock"}),
    ],
    ids=lambda value: value.name if isinstance(value, API) else value.get("platform", ""),
)
@given(at=st.integers(0))
def test_a_stream_that_is_cut_anywhere_is_whole_or_refused(
    api: API, more: dict[str, str], at: int
) -> None:
    response = {"content": "Let me look.", "finish_reason": "stop", "reasoning": "Hm."}
    request = view({"api": api.name, "stream_options": {"include_usage": True}, **more})
    answer = find_answer(request, "0" * 64, lambda _: {"response": response})
    whole = api.replies.writer("openai", request).reply(answer, 0, stream=True)
    reply = api.replies.read(whole.content_type, whole.body).response
    try:
        cut = whole.body[: at % len(whole.body)]
        found = api.replies.read(whole.content_type, cut).response
    except NotAReplyError:
        return
    # What is counted comes behind the end of the answer.
    assert {**found, "usage": None} == {**reply, "usage": None}
