"""Requests of the Messages API as the chat requests that say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.cases import each_case
from tests.core.apis.messages.sample import DATA
from workbench.core import digest
from workbench.core.apis.messages import PATH
from workbench.core.apis.messages import request as messages
from workbench.core.apis.paths import conversation_at
from workbench.core.apis.table import view
from workbench.core.request_body import RequestError
from workbench.core.requests.equivalence import canonical_form
from workbench.core.requests.view import RequestView

REQUESTS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "requests.jsonl").read_bytes().splitlines()
]
BASH = {"type": "function", "function": {"name": "bash"}}


def chat(body: dict[str, Any]) -> dict[str, Any]:
    return canonical_form(messages.as_chat(body))


def asked(body: dict[str, Any]) -> RequestView:
    return view({**body, "api": "messages"})


def said(reply: dict[str, Any]) -> dict[str, Any]:
    """The chat message of a recorded reply."""
    calls = [
        {
            "id": call["id"],
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in reply["calls"]
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def payload(recorded: dict[str, Any]) -> dict[str, Any]:
    """A recorded request, with the thread that it continues."""
    body: dict[str, Any] = recorded["body"]
    earlier = messages.earlier_id(body)
    if earlier is None:
        return body
    before = next(other for other in REQUESTS if other.get("response_id") == earlier)
    return messages.continuing(body, asked(before["body"]), said(before["reply"]))


@each_case("recorded", REQUESTS)
def test_a_recorded_request_has_the_digest_of_the_chat_request_that_says_the_same(
    recorded: dict[str, Any],
) -> None:
    found = payload(recorded)
    reason = messages.unsupported(found)
    if recorded["digest"] is None:
        assert recorded["unsupported"] in (reason or "")
        return
    assert reason is None
    expected = recorded["chat"]
    if messages.earlier_id(found):
        # The recording leaves out what it inherits.
        expected = {**expected, "tools": chat(REQUESTS[21]["body"])["tools"]}
    if found.get("tools") == [{"type": "bash_20250124", "name": "bash"}]:
        # The recording leaves out tools that the client runs and the API describes.
        expected = {**expected, "tools": [BASH]}
    assert chat(found) == expected
    assert digest.digest(chat(found)) == recorded["digest"]


blocks = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["text", "image", "document", "search_result", "tool_use", "tool_result", "thinking"]
        )
    },
    optional={
        "text": strategies.json_values,
        "source": st.dictionaries(
            st.sampled_from(["type", "data", "url", "content", "media_type"]),
            st.sampled_from(["base64", "text", "url", "content"]) | strategies.json_values,
        ),
        "content": strategies.json_values,
        "input": strategies.json_values,
        "id": strategies.json_values,
        "name": strategies.json_values,
        "tool_use_id": strategies.json_values,
    },
)
contents = st.lists(blocks | strategies.json_values, max_size=3) | strategies.json_values
bodies = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "role": st.sampled_from(["user", "assistant", "system"])
                    | strategies.json_values,
                    "content": contents,
                },
            )
            | strategies.json_values,
            max_size=3,
        )
        | strategies.json_values,
        "system": contents,
        "tools": st.lists(strategies.json_values, max_size=2) | strategies.json_values,
        **dict.fromkeys(
            [
                *("model", "tool_choice", "thread", "output_config", "output_format", "stream"),
                *("earlier", "earlier_tools", "mcp_servers", "container"),
            ],
            strategies.json_values,
        ),
    },
)


@given(bodies)
def test_a_request_of_any_shape_is_read(body: dict[str, Any]) -> None:
    messages.unsupported(body)
    messages.earlier_id(body)
    messages.continuing(body, asked(body), {})
    found = chat(body)
    json.dumps(found)


def test_arguments_too_deep_to_be_hashed_are_an_explained_error() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": deep}
    found = chat({"messages": [{"role": "assistant", "content": [call]}]})
    with pytest.raises(RequestError) as raised:
        digest.digest(found)
    assert raised.value.code == "too_deep"


def test_a_dump_names_the_api_and_has_the_body_of_the_request() -> None:
    body = {"model": "m", "messages": [], "api": "mine"}
    path = PATH.search("/anthropic/v1/messages")
    assert path is not None
    dump = messages.received(body, path, "beta=true")
    assert dump == {"model": "m", "messages": [], "api": "messages"}
    continued = messages.continuing(dump, asked(dump), {"role": "assistant", "content": "Hi"})
    assert messages.target(continued) == ("/v1/messages", {"model": "m", "messages": []})


@pytest.mark.parametrize(
    "path", ["/v1/messages/count_tokens", "/v1/threads/thread_1/messages", "/v1/messages/batches"]
)
def test_other_paths_are_not_of_this_api(path: str) -> None:
    assert conversation_at(path) is None


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("", []),
        ([], []),
        ([{"type": "text", "text": "x-anthropic-billing-header: cc_version=1;"}], []),
        ("Be brief.", ["Be brief."]),
        ([{"type": "text", "text": "Be brief.", "cache_control": {}}], ["Be brief."]),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            [[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]],
        ),
    ],
)
def test_instructions_are_the_first_message(system: Any, expected: list[Any]) -> None:
    found = chat({"system": system, "messages": []})["messages"]
    assert found == [{"role": "system", "content": content} for content in expected]


def test_blocks_are_parts_in_order() -> None:
    content = [
        {"type": "image", "source": {"type": "url", "url": "https://host/a.png"}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk"}},
        {"type": "document", "source": {"type": "url", "url": "https://host/a.pdf"}, "title": "A"},
        {"type": "document", "source": {"type": "file", "file_id": "file_2"}},
        {"type": "document", "source": {"type": "content", "content": "of a document"}},
        {
            "type": "search_result",
            "source": "https://host",
            "title": "T",
            "content": [{"type": "text", "text": "found", "citations": []}],
        },
        {"type": "tool_reference", "tool_name": "f", "cache_control": {"type": "ephemeral"}},
    ]
    [message] = chat({"messages": [{"role": "user", "content": content}]})["messages"]
    assert message["content"] == [
        {"type": "image_url", "image_url": {"url": "https://host/a.png"}},
        {"type": "image_url", "image_url": {"url": "file:file_1"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "file", "file": {"filename": "A", "file_url": "https://host/a.pdf"}},
        {"type": "file", "file": {"file_id": "file_2"}},
        {"type": "text", "text": "of a document"},
        {"type": "text", "text": "found"},
        {"type": "tool_reference", "tool_name": "f"},
    ]


def test_results_between_other_blocks_are_messages_in_order() -> None:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "21 C", "is_error": True}
    text = {"type": "text", "text": "And?"}
    found = chat({"messages": [{"role": "user", "content": [text, result, result, text, text]}]})
    assert [(message["role"], message["content"]) for message in found["messages"]] == [
        ("user", "And?"),
        ("tool", "21 C"),
        ("tool", "21 C"),
        ("user", [text, text]),
    ]


def test_a_message_of_thoughts_alone_is_left_out() -> None:
    thought = {"type": "thinking", "thinking": "Hm", "signature": "s"}
    found = chat({"messages": [{"role": "assistant", "content": [thought]}]})
    assert found["messages"] == []


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto", "disable_parallel_tool_use": True}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        ({"type": "tool", "name": "f"}, {"type": "function", "function": {"name": "f"}}),
        ({"type": "other"}, None),
    ],
)
def test_a_tool_choice(choice: dict[str, Any], expected: Any) -> None:
    assert chat({"messages": [], "tool_choice": choice}).get("tool_choice") == expected


@pytest.mark.parametrize("key", ["output_config", "output_format"])
def test_an_output_format(key: str) -> None:
    given = {"type": "json_schema", "schema": {"type": "object"}}
    found = chat({"messages": [], key: {"format": given} if key == "output_config" else given})
    schema = {"name": "output", "schema": {"type": "object"}}
    assert found["response_format"] == {"type": "json_schema", "json_schema": schema}


FUNCTION = {"name": "f", "input_schema": {}}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


@each_case(
    "body, named",
    [
        ({"tools": [SEARCH]}, "web_search_20250305"),
        ({"tools": [SEARCH, FUNCTION]}, None),
        ({"tools": [SEARCH, {"type": "memory_20250818", "name": "memory"}]}, None),
        ({"tools": [SEARCH, {"type": "custom", **FUNCTION}]}, None),
        (
            {"tools": [SEARCH, FUNCTION], "tool_choice": {"type": "tool", "name": "web_search"}},
            "web_search_20250305",
        ),
        ({"tools": [SEARCH, FUNCTION], "tool_choice": {"type": "tool", "name": "f"}}, None),
        ({"tools": [{"type": "\x1b[2J"}]}, "of an unknown type"),
        ({"mcp_servers": [{"url": "https://host"}]}, "mcp_servers"),
        ({"mcp_servers": []}, None),
        ({"container": "container_1"}, "container"),
        ({"messages": [{"content": [{"type": "server_tool_use"}]}]}, "server_tool_use"),
        ({"messages": [{"content": [{"type": "mcp_tool_result"}]}]}, "mcp_tool_result"),
        ({"messages": [{"content": [{"type": "container_upload"}]}]}, "container_upload"),
        ({"messages": [{"content": [{"type": "tool_use"}, {"type": "tool_result"}]}]}, None),
    ],
)
def test_what_runs_on_the_servers_of_the_provider_is_unsupported(
    body: dict[str, Any], named: str | None
) -> None:
    reason = messages.unsupported(body)
    assert reason is None if named is None else named in (reason or "")


def test_a_thread_is_continued_with_its_instructions_and_tools() -> None:
    turns: list[dict[str, Any]] = [
        {"messages": [{"role": "user", "content": text}]} for text in ("1", "2", "3")
    ]
    first, *rest = turns
    first |= {"system": "Be brief.", "tools": [FUNCTION], "thread": {"type": "create"}}
    assert messages.earlier_id(first) is None
    for body in rest:
        body["thread"] = {"type": "continue", "previous_message_id": "msg_1"}
        assert messages.earlier_id(body) == "msg_1"
        first = messages.continuing(body, asked(first), {"role": "assistant", "content": "A"})
    found = chat(first)
    assert [message["content"] for message in found["messages"]] == [
        "Be brief.",
        "1",
        "A",
        "2",
        "A",
        "3",
    ]
    assert [tool["function"]["name"] for tool in found["tools"]] == ["f"]
