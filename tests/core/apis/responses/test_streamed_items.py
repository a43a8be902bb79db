"""Streams that say less at their end than in their pieces, or something else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis.responses.read import read
from workbench.core.replies.response import NotAReplyError

STREAM = "text/event-stream"
CALL = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"a":1}'}
BEGUN = {**CALL, "arguments": ""}


def message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "m", "role": "assistant", "content": [part]}


def event(name: str, **data: Any) -> dict[str, Any]:
    return {"type": f"response.{name}", **data}


def item(name: str, given: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return event(f"output_item.{name}", output_index=index, item=given)


def text(name: str, given: str) -> dict[str, Any]:
    key = "delta" if name == "delta" else "text"
    return event(f"output_text.{name}", output_index=0, content_index=0, **{key: given})


def ended(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    response = {"status": "completed", "output": list(output), **more}
    return event("completed", response=response)


def stream(*events: dict[str, Any], done: bool = False) -> bytes:
    data = [json.dumps(one) for one in events] + (["[DONE]"] if done else [])
    return "".join(f"data: {one}\n\n" for one in data).encode()


ADDED = item("added", {**message(""), "content": []})


@each_case(
    "events",
    [
        (ADDED, text("delta", "Hel"), text("delta", "lo"), ended()),
        (item("added", message("")), text("delta", "Hello"), ended()),
        (ADDED, text("done", "Hello"), ended()),
        (
            ADDED,
            event("content_part.done", output_index=0, part=message("Hello")["content"][0]),
            ended(),
        ),
        (item("done", message("Hello")), ended()),
        (ended(message("Hello")),),
        (ended({"type": "message", "content": "Hello"}),),
        (ADDED, text("delta", "Hello"), item("done", message("Hello")), ended(message("Hello"))),
        (item("added", {**message(""), "content": None}), text("delta", "Hello"), ended()),
        (text("delta", "Hel"), text("delta", "lo"), ended()),
        (text("delta", "Hello"), ended(message("Hello"))),
    ],
)
def test_the_text_is_found_wherever_it_stands(events: tuple[Any, ...]) -> None:
    assert read(STREAM, stream(*events)).response["content"] == "Hello"
    assert read(STREAM, stream(*events)).left_out == []


@pytest.mark.parametrize("whole", [[], [item("done", CALL)]])
def test_a_call_in_pieces(whole: list[Any]) -> None:
    pieces = [
        event("function_call_arguments.delta", item_id="fc", delta=piece)
        for piece in ('{"a"', ":1}")
    ]
    found = read(STREAM, stream(item("added", BEGUN), *pieces, *whole, ended())).response
    assert found["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a":1}'}
    assert found["finish_reason"] == "tool_calls"


def arguments(item_id: str, text: str) -> dict[str, Any]:
    return event("function_call_arguments.delta", output_index=0, item_id=item_id, delta=text)


@pytest.mark.parametrize("whole", [False, True])
def test_calls_with_one_number_are_told_apart_by_their_ids(whole: bool) -> None:
    calls = [{**CALL, "id": name, "call_id": f"c-{name}"} for name in ("a", "b")]
    begun = [item("added", {**call, "arguments": ""}) for call in calls]
    pieces = [arguments("a", '{"a"'), arguments("b", '{"a":1}'), arguments("a", ":1}")]
    repeated = [item("done", call) for call in calls] if whole else []
    response = read(STREAM, stream(*begun, *pieces, *repeated, ended())).response
    assert [call["id"] for call in response["tool_calls"]] == ["c-a", "c-b"]
    assert {call["function"]["arguments"] for call in response["tool_calls"]} == {'{"a":1}'}


def test_items_whose_ids_change_are_told_apart_by_their_numbers() -> None:
    pieces = [arguments(name, text) for name, text in (("x1", '{"a"'), ("x2", ":1}"))]
    whole = item("done", {**CALL, "id": "x3"})
    response = read(STREAM, stream(item("added", BEGUN), *pieces, whole, ended())).response
    assert len(response["tool_calls"]) == 1
    assert response["tool_calls"][0]["function"]["arguments"] == '{"a":1}'


def test_a_stream_that_is_done_needs_no_last_event() -> None:
    pieces = (ADDED, text("delta", "Hello"))
    assert read(STREAM, stream(*pieces, done=True)).response["content"] == "Hello"
    with pytest.raises(NotAReplyError, match="the stream broke off"):
        read(STREAM, stream(*pieces))


def test_a_client_reads_only_the_pieces_of_a_stream() -> None:
    begun = item("added", message(""))
    whole = ended(message("Hello"))
    pieces = (begun, text("delta", "Hel"), text("delta", "lo"), text("done", "Hello"), whole)
    assert read(STREAM, stream(*pieces), as_client=True).response["content"] == "Hello"
    with pytest.raises(NotAReplyError, match="differ from its last event"):
        read(STREAM, stream(begun, text("done", "Hello"), whole), as_client=True)


@each_case(
    "events, why",
    [
        ((ADDED, text("delta", "Hel"), ended(message("Hello"))),
         "the pieces of the stream differ from its last event"),
        ((item("done", message("Hello")), ended(message("Hell"))),
         "the pieces of the stream differ from its last event"),
        ((item("done", CALL), ended(message("Hello"))),
         "the pieces of the stream differ from its last event"),
        ((ADDED, text("delta", "Hel"), text("done", "Hello"), ended()),
         "frame 2 differs from the pieces before it"),
        ((event("function_call_arguments.delta", output_index=0, delta="{}"), ended()),
         "frame 0 does not fit those before it"),
        ((ADDED, event("output_text.delta", output_index=0, delta=1), ended()),
         "frame 1: delta is a number, not a string"),
    ],
)  # fmt: skip
def test_what_does_not_agree_is_refused(events: tuple[Any, ...], why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(STREAM, stream(*events))
    assert str(raised.value) == why


@each_case(
    "events, names",
    [
        ((event("more.delta", delta="x"), ended(message("a"))), ["response.more.delta events"]),
        ((event("web_search_call.searching", item_id="ws"), ended(message("a"))), []),
        ((ended(message("a"), cost=1),), ["cost"]),
        ((ended(message("a"), output_text="a"),), []),
        ((ended(message("a"), output_text="b"),), ["output_text"]),
        ((ended({**message("a"), "content": [{"type": "audio"}]}, CALL),), ["audio parts"]),
        ((ended(message("a"), usage={"input_tokens": 1, "cost": 2}),), ["usage.cost"]),
    ],
)
def test_what_else_is_said_is_named(events: tuple[Any, ...], names: list[str]) -> None:
    assert read(STREAM, stream(*events)).left_out == names


@pytest.mark.parametrize("output", [[message("a")], []])
def test_items_that_no_fixture_holds_are_named_though_the_end_has_them_not(
    output: list[dict[str, Any]],
) -> None:
    search = {"type": "web_search_call", "id": "ws"}
    events = [
        item("added", search, 1),
        event("web_search_call.delta", output_index=1, delta="x"),
        item("done", message("a")),
        item("done", search, 1),
    ]
    assert read(STREAM, stream(*events, ended(*output))).left_out == ["web_search_call"]


@pytest.mark.parametrize("output", [None, "a"])
def test_a_response_without_items_is_no_reply(output: Any) -> None:
    body = json.dumps({"status": "completed", "output": output}).encode()
    for kind, given in (
        ("application/json", body),
        (STREAM, stream({"type": "response.completed", "response": json.loads(body)})),
        (STREAM, stream(event("created", response={"output": []}), done=True)),
    ):
        with pytest.raises(NotAReplyError, match="the response has no output"):
            read(kind, given)


def test_arguments_may_be_an_object_and_the_status_missing() -> None:
    body = json.dumps({"output": [{**CALL, "arguments": {"a": 1}}]}).encode()
    found = read("application/json", body).response
    assert found["tool_calls"][0]["function"]["arguments"] == '{"a":1}'
