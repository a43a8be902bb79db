"""Requests of Gemini's generateContent are read as the chat requests that say the same."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.core.apis.gemini.asking import DATA
from tests.strategies import json_values
from workbench.core.apis import gemini
from workbench.core.apis.gemini import request
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.equivalence import canonical_form

SENT = [json.loads(line) for line in (DATA / "requests.jsonl").read_bytes().splitlines()]
PATH = "/v1beta/models/gemini-3-pro:generateContent"
FUNCTION = {"name": "f"}


def received(body: Any, url: str = PATH) -> Any:
    asked = urlsplit(url)
    match = gemini.PATH.search(asked.path)
    assert match is not None
    return request.received(body, match, asked.query)


def chat(**body: Any) -> Any:
    return canonical_form(request.as_chat(received(body)))


# What real clients sent


@each_case("sent", [sent for sent in SENT if "unsupported" not in sent])
def test_what_clients_send(sent: dict[str, Any]) -> None:
    payload = received(sent["body"], sent["path"])
    translated = canonical_form(request.as_chat(payload))
    assert translated == sent["chat"]
    assert digest(translated) == sent["digest"]
    assert request.unsupported(payload) is None
    url, body = request.target(payload)
    assert received(body, url) == payload
    assert (url.partition("/models/")[2], body) == (
        sent["path"].partition("/models/")[2],
        sent["body"],
    )


def test_what_clients_send_and_no_fixture_answers() -> None:
    unsupported = {
        sent["unsupported"]: request.unsupported(received(sent["body"], sent["path"]))
        for sent in SENT
        if "unsupported" in sent
    }
    assert unsupported == {
        "built-in tool googleSearch": "this server does not support the built-in tool googleSearch",
        "responseModalities": "this server does not support responseModalities other than TEXT",
    }


# The URL


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (PATH, {}),
        ("/models/gemini-3-pro:generateContent?alt=sse", {}),
        (
            "/proxy/v1/models/gemini-3-pro:streamGenerateContent?key=k",
            {"stream": True, "alt": "json"},
        ),
        (
            "/v1/models/gemini-3-pro:streamGenerateContent?key=k&alt=sse",
            {"stream": True, "alt": "sse"},
        ),
    ],
)
def test_the_url_says_model_and_form(url: str, said: dict[str, Any]) -> None:
    body = {"contents": [], "model": "models/other", "stream": False, "alt": "json"}
    payload = received(body, url)
    assert payload == {"contents": [], "api": "gemini", "model": "gemini-3-pro", **said}
    asked, left = request.target(payload)
    assert "key" not in asked
    assert left == {"contents": []}
    assert received(left, asked) == payload


def test_a_stream_is_of_events_unless_the_request_says_otherwise() -> None:
    url, _ = request.target({**received({}), "stream": True})
    assert url == "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"


def test_other_methods_are_of_no_request() -> None:
    for method in ("countTokens", "embedContent", "generateContents"):
        assert gemini.PATH.search(f"/v1beta/models/gemini-3-pro:{method}") is None


@pytest.mark.parametrize(
    ("model", "written"), [("../x?y#z", "..%2Fx%3Fy%23z"), ("\ud800", "%ED%A0%80")]
)
def test_a_model_of_a_log_stays_in_its_place_of_the_path(model: str, written: str) -> None:
    url, _ = request.target({"api": "gemini", "model": model})
    assert url == f"/v1beta/models/{written}:generateContent"


# Tools, tool choice, output format


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, "auto"),
        ({"mode": "NONE"}, "none"),
        ({"mode": "ANY"}, "required"),
        ({"mode": "ANY", "allowedFunctionNames": []}, "required"),
        (
            {"mode": "ANY", "allowed_function_names": ["f"]},
            {"type": "function", "function": FUNCTION},
        ),
        (
            {"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [
                        {"type": "function", "function": FUNCTION},
                        {"type": "function", "function": {"name": "g"}},
                    ],
                },
            },
        ),
        ({"mode": "MODE_UNSPECIFIED"}, None),
    ],
)
def test_tool_choices(config: dict[str, Any], expected: Any) -> None:
    asked = chat(toolConfig={"functionCallingConfig": config})
    assert asked.get("tool_choice") == expected


def test_functions_of_all_tools_are_offered() -> None:
    schema = {"type": "OBJECT"}
    tools = [
        {"googleSearch": {}, "functionDeclarations": [{**FUNCTION, "parameters": schema}]},
        {"function_declarations": [{"name": "g", "parameters_json_schema": schema, "x": None}]},
    ]
    read = {"type": "object"}
    assert chat(tools=tools)["tools"] == [
        {"type": "function", "function": {"name": "f", "parameters": read}},
        {"type": "function", "function": {"name": "g", "parameters": read}},
    ]
    assert request.unsupported(received({"tools": tools})) is None


def test_schemas_of_the_openapi_kind_are_read_as_json_schemas() -> None:
    schema = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
    asking = view(
        received(
            {
                "tools": {"functionDeclarations": {"name": "f", "parameters": schema}},
                "generationConfig": {"responseSchema": schema},
            }
        )
    )
    (tool,) = asking.tools
    assert tool.signature == "f(city)"
    assert tool.parameters == asking.output_format.schema
    assert tool.properties == {"city": {"type": "string"}}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, None),
        ({"responseMimeType": "text/plain"}, None),
        ({"response_mime_type": "application/json"}, {"type": "json_object"}),
        # The reply is one of the words, not JSON.
        ({"responseMimeType": "text/x.enum", "responseSchema": {"enum": ["a"]}}, None),
        (
            {"responseSchema": {"type": "OBJECT"}},
            {
                "type": "json_schema",
                "json_schema": {"name": "output", "schema": {"type": "object"}},
            },
        ),
    ],
)
def test_output_formats(config: dict[str, Any], expected: Any) -> None:
    assert chat(generationConfig=config).get("response_format") == expected


# What cannot be answered


@pytest.mark.parametrize(
    ("body", "feature"),
    [
        ({"cachedContent": "cachedContents/1"}, "cachedContent"),
        (
            {"contents": [{"parts": [{"executable_code": {"code": "1"}}]}]},
            "executableCode, a part of a built-in tool",
        ),
        ({"tools": [{"code_execution": {}}]}, "the built-in tool code_execution"),
        ({"tools": [{"a\nb": {}}]}, "the built-in tool of an unknown type"),
    ],
)
def test_what_no_fixture_answers(body: dict[str, Any], feature: str) -> None:
    assert request.unsupported(received(body)) == f"this server does not support {feature}"


def test_requests_for_text_alone_are_answered() -> None:
    config = {"responseModalities": ["TEXT"], "candidateCount": 1}
    body: dict[str, Any] = {"generationConfig": config, "tools": [], "cachedContent": None}
    assert request.unsupported(received(body)) is None


# Any JSON

NAMES = """
    api model stream alt systemInstruction contents parts role text thought inlineData mimeType data
    fileData fileUri functionCall functionResponse id name args response tools functionDeclarations
    parameters parametersJsonSchema description toolConfig functionCallingConfig mode
    allowedFunctionNames generationConfig responseMimeType responseSchema responseModalities
    cachedContent
"""
names = st.sampled_from(NAMES.split())
anything = st.recursive(
    json_values | st.sampled_from(["model", "ANY", "image/png", "f"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(names, anything, max_size=6))
def test_any_object_is_read(payload: dict[str, Any]) -> None:
    translated = canonical_form(request.as_chat(payload))
    assert all(isinstance(message["role"], str) for message in translated["messages"])
    request.unsupported(payload)
    request.target(payload)
