"""Requests of Converse are read as the chat requests that say the same."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core.apis import converse
from workbench.core.apis.converse import request
from workbench.core.apis.paths import conversation_at
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.equivalence import canonical_form

PATH = "/model/us.amazon.nova-pro-v1:0/converse"
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0"
PIXEL = base64.b64encode(b"\x89PNG").decode()
TOOL = {
    "name": "get_weather",
    "description": "Weather for a city.",
    "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def received(body: Any, path: str = PATH) -> Any:
    match = converse.PATH.search(path)
    assert match is not None
    return request.received(body, match, "")


def chat(**body: Any) -> Any:
    return canonical_form(request.as_chat(received(body)))


def messages(*blocks: Any, role: str = "user") -> Any:
    return chat(messages=[{"role": role, "content": [*blocks]}])["messages"]


@each_case(
    "path, model, stream",
    [
        ("/model/a.b-v1:0/converse", "a.b-v1:0", False),
        ("/bedrock/model/a.b-v1:0/converse-stream", "a.b-v1:0", True),
        (f"/model/{ARN}/converse", ARN, False),
        ("/model/converse/converse", "converse", False),
    ],
)
def test_the_url_says_the_model_and_that_a_stream_is_asked_for(
    path: str, model: str, stream: bool
) -> None:
    asked = received({"messages": []}, path)
    assert view(asked).echoed_model == model
    assert view(asked).stream is stream
    url, body = request.target(asked)
    assert body == {"messages": []}
    assert url.startswith("/model/")
    assert url.count("/") == 3
    assert conversation_at(path) is not None


def test_a_conversation_is_that_of_chat() -> None:
    call: dict[str, Any] = {"toolUseId": "c1", "name": "get_weather", "input": {"city": "Oslo"}}
    result = {"toolUseId": "c1", "content": [{"text": "rain"}], "status": "success"}
    thought = {"reasoningText": {"text": "Hm.", "signature": "s"}}
    said = chat(
        system=[{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        messages=[
            {"role": "user", "content": [{"text": "Rain?"}, {"cachePoint": {"type": "default"}}]},
            {
                "role": "assistant",
                "content": [{"reasoningContent": thought}, {"text": "I look."}, {"toolUse": call}],
            },
            {"role": "user", "content": [{"toolResult": result}, {"text": "And?"}]},
        ],
        toolConfig={
            "tools": [{"toolSpec": TOOL}, {"cachePoint": {"type": "default"}}],
            "toolChoice": {"any": {}},
        },
    )
    function = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
    same = {
        "model": "us.amazon.nova-pro-v1:0",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Rain?"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            {"role": "user", "content": "And?"},
        ],
        "tool_choice": "required",
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "get_weather",
                    "description": "Weather for a city.",
                    "parameters": TOOL["inputSchema"]["json"],  # type: ignore[index]
                },
            }
        ],
    }
    assert said == same
    assert digest(said) == digest(same)


@each_case(
    "block, part",
    [
        (
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ),
        (
            {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k.png"}}}},
            {"type": "image_url", "image_url": {"url": "s3://b/k.png"}},
        ),
        (
            {"document": {"format": "pdf", "name": "Report", "source": {"bytes": "JVBERg=="}}},
            {
                "type": "file",
                "file": {
                    "filename": "Report",
                    "file_data": "data:application/pdf;base64,JVBERg==",
                },
            },
        ),
        (
            {"document": {"format": "txt", "name": "a", "source": {"text": "hi"}}},
            {
                "type": "file",
                "file": {"filename": "a", "file_data": "data:text/plain;base64,aGk="},
            },
        ),
        (
            {"audio": {"format": "mp3", "source": {"bytes": "AAAA"}}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        ),
        ({"video": {"format": "mp4"}}, {"video": {"format": "mp4"}}),
    ],
)
def test_media(block: Any, part: Any) -> None:
    (message,) = messages({"text": "See:"}, block)
    assert message == {"role": "user", "content": [{"type": "text", "text": "See:"}, part]}


@each_case(
    "block",
    [
        {"text": "hi"},
        {"guardContent": {"text": {"text": "hi", "qualifiers": ["query"]}}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "hi"}]}},
        {"document": {"name": "n", "source": {"content": [{"text": "hi"}]}}},
        {"citationsContent": {"content": [{"text": "hi"}], "citations": [{"title": "t"}]}},
    ],
)
def test_texts(block: Any) -> None:
    assert messages(block) == [{"role": "user", "content": "hi"}]


@each_case(
    "content, output",
    [
        ([{"json": {"b": 1, "a": "é"}}], '{"b":1,"a":"é"}'),
        ([{"json": "rain"}], "rain"),
        ([], ""),
        ([{"text": "a"}, {"text": "b"}], [{"type": "text", "text": x} for x in "ab"]),
    ],
)
def test_the_output_of_a_tool(content: Any, output: Any) -> None:
    (message,) = messages({"toolResult": {"toolUseId": "c", "content": content}})
    assert message == {"role": "tool", "tool_call_id": "c", "content": output}


@each_case(
    "choice, expected",
    [
        ({"auto": {}}, "auto"),
        ({"any": {}}, "required"),
        ({"tool": {"name": "f"}}, {"type": "function", "function": {"name": "f"}}),
        (None, None),
    ],
)
def test_the_choice_of_tools(choice: Any, expected: Any) -> None:
    assert chat(messages=[], toolConfig={"toolChoice": choice}).get("tool_choice") == expected


def test_a_schema_of_the_answer() -> None:
    structure = {"jsonSchema": {"schema": '{"type": "object"}', "name": "person"}}
    text_format = {"type": "json_schema", "structure": structure}
    asked = view(received({"messages": [], "outputConfig": {"textFormat": text_format}}))
    assert asked.output_format.schema == {"type": "object"}
    assert asked.output_format.name == "person"


def test_the_fields_of_anthropics_models_are_those_of_messages() -> None:
    fields = {
        "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
        "tools": [{"type": "computer_20250124", "name": "computer"}],
    }
    asked = view(received({"additionalModelRequestFields": fields}))
    assert asked.output_format.schema == {"type": "object"}
    assert [tool.name for tool in asked.tools] == ["computer"]


@each_case(
    "body, reason",
    [
        ({"promptVariables": {"a": {"text": "b"}}}, "stored prompt"),
        (
            {"additionalModelRequestFields": {"mcp_servers": [{"url": "u"}]}},
            "of its additionalModelRequestFields, mcp_servers",
        ),
        (
            {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}},
            "nova_grounding",
        ),
        (
            {"messages": [{"content": [{"toolUse": {"type": "server_tool_use"}}]}]},
            "server_tool_use",
        ),
    ],
)
def test_what_no_fixture_answers(body: Any, reason: str) -> None:
    assert reason in str(request.unsupported(received(body)))


def test_a_built_in_tool_beside_others_is_only_offered() -> None:
    tools = [{"systemTool": {"name": "nova_grounding"}}, {"toolSpec": TOOL}]
    assert request.unsupported(received({"toolConfig": {"tools": tools}})) is None


WORDS = """
    role content text image source bytes toolUse toolResult toolUseId input json tools toolSpec
    document guardContent system messages toolConfig toolChoice tool name outputConfig
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    json_values | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(words, values))
def test_any_body_is_read(body: dict[str, Any]) -> None:
    asked = received(body)
    assert view(asked).digest
    request.unsupported(asked)
