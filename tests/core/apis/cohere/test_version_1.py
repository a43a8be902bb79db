"""Version 1 of Cohere's chat: its requests are read as those of version 2 that say the same, and
its replies are written and read.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.core.apis.cohere import API
from workbench.core.apis.paths import received
from workbench.core.apis.table import api_of, view
from workbench.core.json.values import mapping
from workbench.core.replies.answer import answer_with
from workbench.core.replies.response import ErrorReply, NotAReplyError
from workbench.core.requests.equivalence import form_digests
from workbench.core.requests.view import RequestView

MODEL = "command-r-plus"
ROME, OSLO = ({"name": "f", "parameters": {"city": city}} for city in ("Rome", "Oslo"))
CALLS = {
    "content": "I look.",
    "tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": '{"city": "Rome"}'}},
        {"id": "b", "function": {"name": "f", "arguments": '{"city": "Oslo"}'}},
    ],
}


def request(**body: Any) -> dict[str, Any]:
    payload = received("/v1/chat", "", {"model": MODEL, **body})
    assert payload is not None
    return dict(payload)


def chat(*messages: dict[str, Any]) -> RequestView:
    return view({"model": MODEL, "messages": list(messages)})


def result(call: dict[str, Any], *outputs: Any) -> dict[str, Any]:
    return {"call": call, "outputs": list(outputs)}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(*cities: str, text: str | None = None) -> dict[str, Any]:
    calls = [
        {
            "id": f"id of {city}",
            "type": "function",
            "function": {"name": "f", "arguments": json.dumps({"city": city})},
        }
        for city in cities
    ]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def tool(city: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"id of {city}", "content": content}


HISTORY: list[dict[str, Any]] = [
    {"role": "USER", "message": "Hi"},
    {"role": "Chatbot", "message": "", "tool_calls": [ROME, OSLO]},
]


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ({"message": "Hi"}, [user("Hi")]),
        (
            {
                "preamble": "Be brief.",
                "message": "And now?",
                "chat_history": [
                    {"role": "SYSTEM", "message": "Really."},
                    {"role": "User", "message": "Hi"},
                    {"role": "CHATBOT", "message": "Hello."},
                ],
            },
            [
                {"role": "system", "content": "Be brief."},
                {"role": "system", "content": "Really."},
                user("Hi"),
                {"role": "assistant", "content": "Hello."},
                user("And now?"),
            ],
        ),
        # Results are found by their calls, in any order.
        (
            {
                "message": "",
                "chat_history": HISTORY,
                "tool_results": [result(OSLO, {"output": "rain"}), result(ROME, {"t": 21}, "x")],
            },
            [user("Hi"), assistant("Rome", "Oslo"), tool("Oslo", "rain"), tool("Rome", '{"t":21}')],
        ),
        (
            {
                "message": "And Bern?",
                "chat_history": [
                    *HISTORY,
                    {"role": "TOOL", "tool_results": [result(ROME, {"output": "sun"})]},
                ],
            },
            [user("Hi"), assistant("Rome", "Oslo"), tool("Rome", "sun"), user("And Bern?")],
        ),
        (
            {
                "message": "",
                "chat_history": [HISTORY[0], {**HISTORY[1], "message": "I look."}],
                "tool_results": [result(ROME, {"output": "sun"})],
            },
            [user("Hi"), assistant("Rome", "Oslo", text="I look."), tool("Rome", "sun")],
        ),
        # The calls of a single step are with their results alone.
        (
            {"message": "Hi", "tool_results": [result(ROME, {"output": "sun"})]},
            [user("Hi"), assistant("Rome"), tool("Rome", "sun")],
        ),
    ],
)
def test_a_request_is_the_chat_request_that_says_the_same(
    body: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    own, other = form_digests(view(request(**body))), form_digests(chat(*messages))
    assert own.are_equivalent(other)


def test_documents_are_as_in_version_2() -> None:
    documents = [{"title": "T", "text": "x"}]
    second = {"model": MODEL, "messages": [user("Hi")], "documents": [{"data": documents[0]}]}
    old = view(request(message="Hi", documents=documents))
    new = view(received("/v2/chat", "", second) or {})
    assert old.digest == new.digest


def test_tools_have_a_schema() -> None:
    definitions = {
        "city": {"type": "str", "description": "Where", "required": True},
        "days": {"type": "List[int]"},
        "more": {"type": "Any"},
        "odd": 1,
    }
    tools = [{"name": "f", "description": "d", "parameter_definitions": definitions}]
    asked = view(request(message="Hi", tools=tools))
    assert [(tool.name, tool.description, tool.parameters) for tool in asked.tools] == [
        (
            "f",
            "d",
            {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Where"},
                    "days": {"type": "array"},
                    "more": {},
                    "odd": {},
                },
                "required": ["city"],
            },
        )
    ]


@pytest.mark.parametrize("key", ["connectors", "conversation_id", "search_queries_only"])
def test_what_the_provider_runs_is_not_supported(key: str) -> None:
    assert key in (API.request.unsupported(request(message="Hi", **{key: ["x"]})) or "")
    assert API.request.unsupported(request(message="Hi", **{key: None})) is None


def test_a_request_goes_to_the_path_by_which_it_came() -> None:
    body = {"model": MODEL, "message": "Hi"}
    assert api_of(request()).request.target(request(message="Hi")) == ("/v1/chat", body)


@given(
    st.dictionaries(
        st.sampled_from(["message", "chat_history", "tool_results", "documents", "tools"]),
        json_values | st.lists(st.dictionaries(st.sampled_from(["role", "call"]), json_values)),
    )
)
def test_any_body_is_read(body: dict[str, Any]) -> None:
    asked = view(request(**body))
    assert asked.digest
    assert asked.tools is not None


# Replies


def replies(response: dict[str, Any], **body: Any) -> tuple[bytes, bytes, list[Any]]:
    """A plain reply, and a streamed one with its events."""
    answer = answer_with(view(request(**{"message": "Hi", **body})), response)
    writer = API.replies.writer("stub", answer.request)
    streamed = b"".join(frame.data for frame in writer.frames(answer, 0))
    return (
        writer.envelope(answer, 0),
        streamed,
        [json.loads(line) for line in streamed.splitlines()],
    )


@pytest.mark.parametrize(
    "response",
    [
        {"content": "Hello, you."},
        {"content": "Too", "finish_reason": "length"},
        {"content": "", "tool_calls": CALLS["tool_calls"]},
        CALLS,
    ],
)
def test_a_reply_is_read_as_it_was_written(response: dict[str, Any]) -> None:
    plain, streamed, _ = replies(response)
    for body, kind in ((plain, "application/json"), (streamed, "application/stream+json")):
        read = API.replies.read(kind, body)
        assert read.left_out == []
        assert read.response["content"] == response["content"]
        calls = [mapping(call["function"]) for call in read.response.get("tool_calls", [])]
        assert [json.loads(call["arguments"]) for call in calls] == [
            json.loads(call["function"]["arguments"]) for call in response.get("tool_calls", [])
        ]
        reason = "tool_calls" if calls else response.get("finish_reason", "stop")
        assert read.response["finish_reason"] == reason
        assert read.response["usage"]["prompt_tokens"] == 1


def test_a_reply_repeats_the_conversation() -> None:
    results = [result(ROME, {"output": "sun"})]
    plain, _, events = replies(CALLS, message="", chat_history=HISTORY, tool_results=results)
    history = json.loads(plain)["chat_history"]
    assert history == [
        *HISTORY,
        {"role": "TOOL", "tool_results": results},
        {"role": "CHATBOT", "message": "I look.", "tool_calls": [ROME, OSLO]},
    ]
    assert events[-1]["response"]["chat_history"] == history
    assert [event["is_finished"] for event in events] == [False] * (len(events) - 1) + [True]


def test_a_stream_without_its_end_or_with_an_error_is_no_reply() -> None:
    _, streamed, _ = replies({"content": "Hello, you."})
    cut = b"\n".join(streamed.splitlines()[:-1]) + b"\n"
    answer = answer_with(view(request(message="Hi")), {"content": "Hello, you."})
    writer = API.replies.writer("stub", answer.request)
    (late,) = writer.late_error(ErrorReply(503, "Not now."), answer)
    for body, reason in ((cut, "no stream-end"), (cut + late.data, "Not now")):
        with pytest.raises(NotAReplyError, match=reason):
            API.replies.read("application/stream+json", body)
