"""Documents that break one rule each, documents that come close, and what mends them.

In a text ``⟦`` stands before the place that is to be found. It is taken out before the check.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.digest import digest

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
OTHER = "5ced4b2efeb83f8b84b8941f01d192a8f5ba6d1c4e9686ad0f8c6f34b03bdbf8"
NAME = f"{DIGEST}.json"
MARK = "⟦"

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 1},
        "unit": {"type": "string", "enum": ["c", "f"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
PLAN = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
    "required": ["steps"],
    "additionalProperties": False,
}


def request(*tools: str, parameters: Any = WEATHER, **more: Any) -> dict[str, Any]:
    """A request that offers ``tools``."""
    offered = [
        {"type": "function", "function": {"name": name, "parameters": parameters}} for name in tools
    ]
    messages = [{"role": "user", "content": "weather in London?"}]
    return {
        "model": "gpt-4o",
        "messages": messages,
        **({"tools": offered} if offered else {}),
        **more,
    }


def asks_json(schema: Any = None, kind: str = "json_schema") -> dict[str, Any]:
    """A request for JSON content."""
    wanted: dict[str, Any] = {"type": kind}
    if schema is not None:
        wanted["json_schema"] = {"name": "Plan", "schema": schema}
    return request(response_format=wanted)


def one_call(arguments: str, name: str = "get_weather") -> str:
    """A fixture with one call; ``arguments`` is text of the document, escapes and all."""
    return (
        '{"response": {"content": "", "tool_calls": [{"index": 0, "id": "a", "type": "function", '
        f'"function": {{"name": {name if name[0] in MARK + chr(34) else json.dumps(name)}, '
        f'"arguments": {arguments}}}}}], "finish_reason": "tool_calls"}}}}'
    )


def content(value: str, more: str = "") -> str:
    """A fixture whose content is ``value``, a text of JSON."""
    return f'{{"response": {{"content": {value}{more}}}}}'


@dataclass(frozen=True)
class Broken:
    """A document that breaks ``rule`` at the mark.

    Attributes:
        says: a part of the message.
        fixed: the document after its fix, or None where none is certain.
    """

    rule: str
    text: str
    says: str
    fixed: str | None = None
    requests: Sequence[dict[str, Any]] = ()
    filename: str | None = NAME

    @property
    def data(self) -> str:
        return self.text.replace(MARK, "")

    @property
    def place(self) -> tuple[int, int]:
        before = self.text.split(MARK)[0]
        return before.count("\n") + 1, len(before.split("\n")[-1]) + 1


@dataclass(frozen=True)
class Fine:
    """A document that comes close to breaking ``rule``."""

    rule: str
    data: str
    requests: Sequence[dict[str, Any]] = ()
    filename: str | None = NAME


def _fails(keys: str) -> str:
    """A fixture of a failure; it may have these keys, which the reference ignores."""
    return f'{{"response": {{{keys}}}, "workbench": {{"allow": ["workbench-only"]}}}}'


_OFFERS = [request("get_weather")]
_CALL = '"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}'
_CALLS = '{"response": {"tool_calls": [{%s}], "finish_reason": "tool_calls"}}'


def _two_calls(first: object, second: object, second_id: str = '"b"') -> str:
    """A fixture with two calls of these indexes."""
    other = _CALL.replace('"a"', second_id)
    return _CALLS % f'"index": {first}, {_CALL}}}, {{"index": {second}, {other}'


def _stores(*messages: object, **more: object) -> str:
    """A fixture that stores a request of these messages."""
    asked = json.dumps({"messages": messages, **more}).replace(json.dumps(MARK)[1:-1], MARK)
    return f'{{"response": {{"content": ""}}, "request": {asked}}}'


_OWN = json.dumps(request("get_weather"))
# In two parts, so that no scanner of this repository takes it for one.
KEY = "sk-" + "q7Wz4Tn9" * 4 + "f3a"
_TELLS_KEY = json.dumps({"messages": [{"content": "Be brief."}, {"content": f"use {KEY}"}]})

BROKEN = [
    Broken("invalid-json", '{"response": {"content": ⟦oops}}', "oops is not a JSON value"),
    Broken("invalid-json", "⟦", "the text ends"),
    Broken(
        "invalid-json",
        '{\n  "description": "x"\n  ⟦"response": {"content": ""}\n}',
        "a comma is missing after line 2",
        '{\n  "description": "x",\n  "response": {"content": ""}\n}',
    ),
    Broken(
        "invalid-json",
        '{"response": {"content": ""⟦,}}',
        "has nothing after it",
        '{"response": {"content": ""}}',
    ),
    Broken(
        "invalid-json",
        '{"response": {"content" ⟦""}}',
        "a colon is missing",
        '{"response": {"content": ""}}',
    ),
    Broken("invalid-json", '{"response": {"content": "a\n⟦"}}'.replace("\n⟦", "⟦\n"), "line break"),
    Broken("invalid-json", '{"response": {"content": ""}, "_n": ⟦NaN}', "NaN is not a JSON value"),
    Broken("invalid-json", '{"_n": ⟦NaN, "_n": 1, "response": {"content": ""}}', "NaN"),
    Broken("invalid-json", '{"_n": [1, ⟦-Infinity], "response": {"content": ""}}', "-Infinity"),
    Broken(
        "invalid-json",
        '{\n⟦<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> branch\n}',
        "merge conflict",
    ),
    Broken("invalid-json", "[" * 300 + MARK + "[" * 99_700, "nested more than 300 deep"),
    Broken("not-utf8", '⟦\ufeff{"response": {"content": ""}}', "mark", content('""')),
    Broken("not-utf8", content('"a⟦\ud800"'), "half of a character"),
    Broken("not-an-object", "⟦[]", "this is a list"),
    Broken("not-an-object", "  \n ⟦null", "this is null"),
    Broken("not-an-object", '{"response": ⟦[]}', "response is a list"),
    Broken("not-an-object", content('"x"', ', "error": ⟦"late"'), "error is a string"),
    Broken("not-an-object", '{"request": ⟦7, "response": {"content": ""}}', "request is a number"),
    Broken(
        "not-an-object", '{"response": {"content": ""}, "workbench": ⟦true}', "workbench is true"
    ),
    Broken("duplicate-key", content('"a"', ',\n⟦"content": "b"'), '"content" stands twice'),
    Broken(
        "duplicate-key",
        one_call(r'"{\"city\": \"é\", ⟦\"city\": \"b\"}"'),
        'call 0: "city" stands twice in the arguments',
    ),
    Broken("content-missing", "⟦{}", "has no response"),
    Broken("content-missing", '{"response": ⟦null}', "has no response"),
    Broken("content-missing", '{"response": ⟦{}}', "content is missing"),
    Broken("content-missing", content("⟦null"), "content is null"),
    Broken("content-missing", '{"response": ⟦{"tool_calls": []}}', "content is missing"),
    Broken("content-not-string", content("⟦12"), "content is a number"),
    Broken("content-not-string", content("⟦[]"), "content is a list"),
    Broken("content-not-string", content("⟦false"), "content is false"),
    Broken("tool-calls-shape", '{"response": {"tool_calls": ⟦"x"}}', "tool_calls is a string"),
    Broken("tool-calls-shape", '{"response": {"tool_calls": ⟦{}}}', "tool_calls is an object"),
    Broken("tool-calls-shape", '{"response": {"tool_calls": [⟦3]}}', "call 0 is a number"),
    Broken(
        "tool-calls-shape",
        _CALLS % (_CALL.replace('"a"', "⟦7")),
        "call 0: id is 7; expected a string",
    ),
    Broken("tool-calls-shape", _CALLS % (_CALL.replace('"a"', '⟦""')), 'id is ""; expected an id'),
    Broken(
        "tool-calls-shape", _CALLS % (_CALL.replace('"f"', '⟦""')), 'name is ""; expected a name'
    ),
    Broken(
        "tool-calls-shape",
        _CALLS.replace("{%s", "⟦{%s") % (_CALL.replace('"id": "a", ', "")),
        "call 0: id is missing",
    ),
    Broken("tool-calls-shape", _CALLS % (_CALL.replace('"function",', '⟦"tool",')), "type is"),
    Broken("tool-calls-shape", _CALLS % '"id": "a", "type": "function", "function": ⟦[]', "a list"),
    Broken("tool-calls-shape", _CALLS % (_CALL.replace('"f"', "⟦null")), "name is null"),
    Broken(
        "tool-calls-shape",
        _CALLS % '"id": "a", "type": "function", "function": ⟦{"name": "f"}',
        "arguments are missing",
    ),
    Broken("tool-calls-shape", _CALLS % ('"index": ⟦"0", ' + _CALL), 'index is "0"; expected 0'),
    Broken("tool-calls-shape", _CALLS % ('"index": ⟦true, ' + _CALL), "index is true"),
    Broken(
        "tool-calls-shape",
        _two_calls(0, "⟦0"),
        "call 1: index 0 is that of call 0",
    ),
    Broken(
        "arguments-not-string",
        one_call('⟦{"city": "Zürich", "days": [1]}'),
        "call 0: arguments are an object",
        one_call(r'"{\"city\": \"Zürich\", \"days\": [1]}"'),
    ),
    Broken("arguments-not-string", one_call("⟦null"), "call 0: arguments are null"),
    Broken("arguments-not-string", one_call('⟦["a"]'), "call 0: arguments are a list"),
    Broken("arguments-invalid-json", one_call('"Lon⟦don"').replace("Lon⟦don", "⟦London"), "London"),
    Broken("arguments-invalid-json", one_call('"⟦"'), "call 0: the arguments are an empty string"),
    Broken(
        "arguments-invalid-json",
        one_call(r'"{\"\u00e9\ud83d\ude80\": 1 ⟦\"b\": 2}"'),
        "call 0: the arguments are not JSON at position 9: a comma is missing",
        one_call(r'"{\"\u00e9\ud83d\ude80\": 1, \"b\": 2}"'),
    ),
    Broken(
        "arguments-invalid-json",
        one_call(r'"{\"a\":\n1⟦,}"'),
        "position 7",
        one_call(r'"{\"a\":\n1}"'),
    ),
    Broken("arguments-invalid-json", one_call(r'"{\"a\": 1⟦"'), "the text ends inside an object"),
    Broken("arguments-not-object", one_call('"⟦[1]"'), "call 0: the arguments are a list"),
    Broken("arguments-not-object", one_call(r'"⟦\"{}\""'), "call 0: the arguments are a string"),
    Broken(
        "arguments-not-finite", one_call(r'"{\"a\": [1, ⟦NaN]}"'), "call 0: NaN is not a JSON value"
    ),
    Broken("arguments-not-finite", one_call(r'"{\"a\": ⟦-Infinity}"'), "call 0: -Infinity"),
    Broken(
        "arguments-schema",
        one_call(r'"{\"city\": \"L\u00f6ndon\", \"days\": ⟦\"two\"}"'),
        'call 0: days: "two" is a string; the schema wants an integer',
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"⟦{\"days\": 2}"'),
        "call 0: city is missing; get_weather requires it",
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"{\"city\": \"L\", ⟦\"zone\": \"k\", \"days\": 2}"'),
        "call 0: get_weather has no zone (it has city, days, unit)",
        one_call(r'"{\"city\": \"L\", \"days\": 2}"'),
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"{\"days\": 1, \"city\": \"L\", ⟦\"dayz\": 2}"'),
        "call 0: get_weather has no dayz",
        one_call(r'"{\"days\": 1, \"city\": \"L\"}"'),
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"{\"city\": \"L\", ⟦\"dayz\": 2}"'),
        "call 0: get_weather has no dayz",
        one_call(r'"{\"city\": \"L\", \"days\": 2}"'),
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"{\"city\": \"L\", \"unit\": ⟦\"k\"}"'),
        'call 0: unit: "k" is none of "c", "f"',
        requests=_OFFERS,
    ),
    Broken(
        "arguments-schema",
        one_call(r'"{\"city\": ⟦null}"')[:-1] + f', "request": {_OWN}}}',
        "call 0: city is null; the schema wants a string",
        filename=None,
    ),
    Broken(
        "tool-not-offered",
        one_call('"{}"', '⟦"get_time"'),
        "call 0: the request does not offer get_time; it offers get_weather",
        requests=_OFFERS,
    ),
    Broken(
        "tool-not-offered",
        one_call('"{}"', '⟦"getWeather"'),
        'did you mean "get_weather"?',
        one_call('"{}"', "get_weather"),
        requests=_OFFERS,
    ),
    Broken(
        "tool-not-offered",
        one_call('"{}"', '⟦"f"'),
        "it offers no tools",
        requests=[request()],
    ),
    Broken(
        "duplicate-call-id",
        _two_calls(0, 1, '⟦"a"'),
        'call 1: id "a" is that of call 0',
    ),
    Broken(
        "response-format-violated",
        content('"⟦Here you are"'),
        "content is not JSON at position 0",
        requests=[asks_json(PLAN)],
    ),
    Broken(
        "response-format-violated",
        content('"⟦"'),
        "content is empty; the request asks for json_schema Plan",
        requests=[asks_json(PLAN)],
    ),
    Broken(
        "response-format-violated",
        content(r'"{\"steps\": [\"é\", ⟦7]}"'),
        "content: steps[1]: 7 is a number; the schema wants a string",
        requests=[asks_json(PLAN)],
    ),
    Broken(
        "response-format-violated",
        content(r'"{\"steps\": [], ⟦\"x\": 1}"'),
        "content: Plan has no x (it has steps)",
        content(r'"{\"steps\": []}"'),
        requests=[asks_json(PLAN)],
    ),
    Broken(
        "response-format-violated",
        content('"⟦[1]"'),
        "content is a list; the request asks for json_object",
        requests=[asks_json(kind="json_object")],
    ),
    Broken(
        "response-format-violated",
        content(r'"{\"a\": ⟦NaN}"'),
        "content: NaN is not a JSON value",
        requests=[asks_json(kind="json_object")],
    ),
    Broken(
        "response-format-violated",
        content(r'"{\"a\": 1⟦,}"'),
        "content is not JSON at position 7",
        content(r'"{\"a\": 1}"'),
        requests=[asks_json(kind="json_object")],
    ),
    Broken("usage-shape", content('""', ', "usage": ⟦null'), "usage is null"),
    Broken("usage-shape", content('""', ', "usage": ⟦[1]'), "usage is a list"),
    Broken("usage-shape", content('""', ', "usage": {"prompt_tokens": ⟦-1}'), "is negative (-1)"),
    Broken("usage-shape", content('""', ', "usage": {"completion_tokens": ⟦"4"}'), "is a string"),
    Broken("usage-shape", content('""', ', "usage": {"prompt_tokens": ⟦true}'), "is true"),
    Broken("usage-shape", content('""', ', "usage": {"prompt_tokens": ⟦null}'), "is null"),
    Broken("usage-shape", content('""', ', "usage": {"prompt_tokens": ⟦1e999}'), "not finite"),
    Broken(
        "usage-shape",
        content('""', ', "usage": {"prompt_tokens": ⟦%s}' % ("9" * 4_300)),
        "prompt_tokens has too many digits",
    ),
    Broken(
        "usage-shape",
        content('""', ', "usage": {"prompt_tokens_details": ⟦5}'),
        "prompt_tokens_details is a number; expected an object",
    ),
    Broken("reply-shape", _fails('"refusal": ⟦["no"]'), "refusal is a list; expected a string"),
    Broken("reply-shape", _fails('"reasoning": ⟦1'), "reasoning is a number; expected a string"),
    Broken("reply-shape", _fails('"error": {"status": ⟦200}'), "error.status is 200; expected 400"),
    Broken("reply-shape", _fails('"error": {"status": ⟦"429"}'), "error.status is a string"),
    Broken("reply-shape", _fails('"error": {"message": ⟦[1]}'), "error.message is a list"),
    Broken("reply-shape", _fails('"error": {"code": ⟦429}'), "error.code is a number"),
    Broken("reply-shape", _fails('"error": {"retry_after": ⟦-1}'), "error.retry_after is -1"),
    Broken("reply-shape", _fails('"error": {"retry_after": ⟦1e999}'), "error.retry_after is inf"),
    Broken("reply-shape", _fails('"error": {}, "disconnect_after": ⟦1'), "beside error"),
    Broken("reply-shape", _fails('"disconnect_after": ⟦-1'), "disconnect_after is -1"),
    Broken("reply-shape", _fails('"disconnect_after": ⟦true'), "disconnect_after is true"),
    Broken("reply-shape", _fails('"disconnect_after": 0, "delay_ms": ⟦1.5'), "delay_ms is 1.5"),
    Broken("reply-shape", _fails('"error": {}, "delay_ms": ⟦600001'), "0 to 600,000"),
    Broken(
        "reply-shape", _fails('"error": {}, "chunk_delay_ms": ⟦"5"'), "chunk_delay_ms is a string"
    ),
    Broken(
        "digest-mismatch",
        f'{{"request_digest": ⟦"{OTHER}", "response": {{"content": ""}}}}',
        "request_digest is 5ced4b2efeb8…; the file is named c62fad60235a…",
        f'{{"request_digest": "{DIGEST}", "response": {{"content": ""}}}}',
    ),
    Broken(
        "digest-mismatch",
        '{"request_digest": ⟦12, "response": {"content": ""}}',
        "request_digest is 12",
        f'{{"request_digest": "{DIGEST}", "response": {{"content": ""}}}}',
    ),
    Broken(
        "request-mismatch",
        f'{{"response": {{"content": ""}}, "request": ⟦{_OWN}}}',
        "the file is named c62fad60235a…",
    ),
    Broken(
        "request-mismatch",
        '{"response": {"content": ""}, "request": ⟦{"model": "\\ud800"}}',
        "has no digest",
    ),
    Broken(
        "unknown-key",
        '{"response": {"content": "", ⟦"finishReason": "stop"}}',
        '"finishReason" is no key of a response; did you mean "finish_reason"?',
        '{"response": {"content": "", "finish_reason": "stop"}}',
    ),
    Broken(
        "unknown-key",
        '{\r\n\t⟦"descripton":"é",\r\n\t"response":{"content":""}\r\n}',
        'did you mean "description"?',
        '{\r\n\t"description":"é",\r\n\t"response":{"content":""}\r\n}',
    ),
    Broken(
        "unknown-key",
        '{⟦"respnse": {"content": "x"}}',
        '"respnse" is no key of a fixture; did you mean "response"?',
        '{"response": {"content": "x"}}',
    ),
    Broken(
        "unknown-key",
        '{"response": {"content": "x"}, ⟦"respnse": {"content": "y"}}',
        '"respnse" is no key of a fixture; did you mean "response"?',
    ),
    Broken(
        "unknown-key", '{"response": {⟦"$schema": "x", "content": "x"}}', "no key of a response"
    ),
    Broken("unknown-key", content('""', ', ⟦"annotations": null'), "no key of a response (it has"),
    Broken("unknown-key", content('""', ', "usage": {⟦"cost": 1}'), "no key of usage"),
    Broken(
        "unknown-key",
        content('"x"', ', "error": {⟦"retryAfter": 1}'),
        'did you mean "retry_after"?',
        content('"x"', ', "error": {"retry_after": 1}'),
    ),
    Broken("unknown-key", _CALLS % ('⟦"x": 0, "index": 0, ' + _CALL), "no key of call 0"),
    Broken(
        "unknown-key",
        one_call('"{}"').replace('"arguments"', '⟦"argument": 1, "arguments"'),
        "no key of the function of call 0",
    ),
    Broken(
        "unknown-key",
        '{"response": {"content": ""}, "workbench": {"allow": ["usage-shape", ⟦"usage_shap"]}}',
        '"usage_shap" is no rule; did you mean "usage-shape"?',
        '{"response": {"content": ""}, "workbench": {"allow": ["usage-shape", "usage-shape"]}}',
    ),
    Broken("unknown-key", '{"response": {"content": ""}, "workbench": {"allow": [⟦4]}}', "4 is no"),
    Broken(
        "unknown-key", '{"response": {"content": ""}, "workbench": {"allow": ⟦"x"}}', "a string"
    ),
    Broken("bad-filename", "⟦" + content('""'), "no request finds", filename="notes.json"),
    Broken("bad-filename", "⟦oops", "no request finds", filename="notes.json"),
    Broken(
        "bad-filename",
        " ⟦" + content('""'),
        "digits are lowercase",
        filename=f"{DIGEST.upper()}.json",
    ),
    Broken(
        "too-large",
        f'⟦{{"response": {{"content": ""}}, "_": [{"1, " * 399_998}1]}}',
        "the file has more than 400,000 values; only that it is a JSON object was checked",
    ),
    Broken(
        "content-lost-when-streaming",
        one_call('"{}"').replace('""', '⟦"hm"', 1),
        "content is lost when this is streamed",
    ),
    Broken(
        "missing-index",
        _CALLS.replace("{%s", '{"index": 0, %s}, ⟦{%s') % (_CALL, _CALL.replace('"a"', '"b"')),
        "call 1 has no index",
        _two_calls(0, 1),
    ),
    Broken(
        "tool-choice-violated",
        '{"response": ⟦{"content": "no"}}',
        "tool_choice is required; expected a tool call",
        requests=[request("get_weather", tool_choice="required")],
    ),
    Broken(
        "tool-choice-violated",
        one_call('"{}"').replace("[{", "⟦[{"),
        "tool_choice is none; expected no tool calls",
        requests=[request("get_weather", tool_choice="none")],
    ),
    Broken(
        "tool-choice-violated",
        one_call('"{}"', '⟦"get_time"'),
        "call 0: tool_choice demands get_weather; expected no get_time",
        requests=[
            request(
                "get_weather",
                "get_time",
                tool_choice={"type": "function", "function": {"name": "get_weather"}},
            )
        ],
    ),
    Broken(
        "tool-choice-violated",
        '{"response": {"content": "no", "tool_calls": ⟦null}}',
        "tool_choice is get_weather; expected a tool call",
        requests=[
            request(
                "get_weather",
                tool_choice={"type": "function", "function": {"name": "get_weather"}},
            )
        ],
    ),
    Broken("finish-reason-unknown", content('""', ', "finish_reason": ⟦"done"'), '"done"'),
    Broken("finish-reason-unknown", content('""', ', "finish_reason": ⟦[]'), "a list"),
    Broken(
        "finish-reason-contradicts",
        one_call('"{}"').replace('"tool_calls"}}', '⟦"stop"}}'),
        "finish_reason is stop beside tool calls",
        one_call('"{}"'),
    ),
    Broken(
        "finish-reason-contradicts",
        one_call('"{}"').replace("[{", "⟦[{").replace(', "finish_reason": "tool_calls"', ""),
        "finish_reason is not given",
        one_call('"{}"'),
    ),
    Broken(
        "finish-reason-contradicts",
        content('""', ', "finish_reason": ⟦"tool_calls"'),
        "there are none",
    ),
    Broken(
        "total-tokens-set",
        content('""', ', "usage": {"prompt_tokens": 1, ⟦"total_tokens": 3}'),
        "total_tokens is ignored",
        content('""', ', "usage": {"prompt_tokens": 1}'),
    ),
    Broken(
        "secret",
        content('""')[:-1] + f', "request": {_TELLS_KEY.replace(KEY, MARK + KEY)}}}',
        "request.messages[1].content holds what looks like an API key (sk-…f3a)",
    ),
    Broken("secret", content(f'"h\\u00e9 \\"⟦{KEY}\\""'), "response.content holds what looks like"),
    Broken(
        "secret",
        content(f'"h\\u00e9 ⟦\\u0073{KEY[1:]}"'),
        "response.content holds what looks like",
    ),
    Broken(
        "secret",
        one_call(f'"{{\\"key\\": \\"⟦{KEY}\\"}}"'),
        "response.tool_calls[0].function.arguments holds what looks like",
    ),
    Broken(
        "secret",
        one_call(f'⟦"{{\\"key\\": \\"\\\\u0073{KEY[1:]}\\"}}"'),
        "response.tool_calls[0].function.arguments holds what looks like",
    ),
    Broken("secret", content('""', f', "_x": {{⟦"{KEY}": 1}}'), "a key of response._x holds"),
    Broken("secret", content('"postgres⟦:\\/\\/app:k7Qz2m@db.example.com"'), "a password in a URL"),
    Broken(
        "will-rot",
        _stores({"role": "system", "content": "\u00e9 It is ⟦Thursday, November 19, 2026."}),
        "request.messages[0].content is volatile: a date, Thursday, November 19, 2026",
    ),
    Broken(
        "will-rot",
        _stores("no message", {"role": "tool", "content": "⟦2026-11-19 at 17:02:33, port :8080"}),
        "request.messages[1].content is volatile: a date, 2026-11-19; a time, 17:02:33",
    ),
    Broken(
        "will-rot",
        _stores({"role": "user", "content": "⟦123e4567-e89b-42d3-a456-426614174000"}),
        "is volatile: a UUID, 123e4567-e89b-42d3-a456-426614174000",
    ),
    Broken(
        "will-rot",
        _stores({"role": "tool", "tool_call_id": "⟦call_Xa81kPzQ0bLmN4rT"}),
        "request.messages[0].tool_call_id is volatile: a call id, call_Xa81kPzQ0bLmN4rT",
    ),
    Broken(
        "will-rot",
        _stores({"role": "assistant", "tool_calls": [{"id": "⟦call_Xa81kPzQ0bLmN4rT"}]}),
        "request.messages[0].tool_calls[0].id is volatile: a call id, call_Xa81kPzQ0bLmN4rT",
    ),
    Broken(
        "will-rot",
        _stores({"role": "user", "content": [{"text": "see ⟦/tmp/tmpab12cd/x.txt"}]}),
        "request.messages[0].content[0].text is volatile: a temporary path, /tmp/tmpab12cd",
    ),
    Broken(
        "will-rot",
        _stores({"role": "user", "content": "http://127.0.0.1:⟦43121/v1"}),
        "is volatile: a port, 43121",
    ),
    Broken(
        "will-rot",
        _stores({"role": "user", "content": "It is now ⟦2026-11-19 17:02, what is open?"}),
        "is volatile: a date, 2026-11-19; a time, 17:02",
    ),
    Broken(
        "will-rot",
        _stores({"role": "system", "content": "⟦17:02:01, 17:02:02, 17:02:03, 17:02:04, 17:02:05"}),
        "a time, 17:02:01; a time, 17:02:02; a time, 17:02:03; 2 more",
    ),
    Broken("workbench-only", content('""', ', ⟦"delay_ms": 20'), "delay_ms works with"),
    Broken("workbench-only", content('""', ', ⟦"error": {"status": 500}'), "error works with"),
    Broken("request-not-stored", " ⟦" + content('""'), "stores no request"),
    Broken(
        "schema-unchecked",
        one_call('⟦"{}"'),
        "call 0: not checked against get_weather: it refers to http://127.0.0.1:1/x",
        requests=[request("get_weather", parameters={"$ref": "http://127.0.0.1:1/x"})],
    ),
    Broken(
        "schema-unchecked",
        content('⟦"{}"'),
        "content: not checked against Plan: the schema is malformed",
        requests=[asks_json({"required": "steps"})],
    ),
]

FINE = [
    Fine("invalid-json", content('"NaN"')),
    Fine("invalid-json", content('"x"', ', "_n": [-1e-7, 0.5E+3, "\\ud83d\\ude80"]')),
    Fine("not-utf8", content('"\ufeff \\ud800"')),
    Fine("not-an-object", content('"x"', ', "error": null')),
    Fine("duplicate-key", content('"x"', ', "_a": [{"a": 1}, {"a": 1}], "Content": 1')),
    Fine("content-missing", content('""')),
    Fine("content-missing", one_call('"{}"').replace('"content": "", ', "")),
    Fine("content-missing", '{"response": {"error": {"status": 500}}}'),
    Fine("content-missing", '{"response": {"disconnect_after": 0}}'),
    Fine("content-missing", '{"response": {"content": null, "refusal": "No."}}'),
    Fine("response-format-violated", content('""', ', "refusal": "No."'), [asks_json(PLAN)]),
    Fine("unknown-key", content('""', ', "refusal": "No.", "reasoning": "Hm."')),
    Fine("unknown-key", content('""', ', "usage": {"prompt_tokens_details": {"x": 1}}')),
    Fine("usage-shape", content('""', ', "usage": {"completion_tokens_details": null}')),
    Fine("content-not-string", content('"[1]"')),
    Fine("content-not-string", one_call('"{}"').replace('""', "null", 1)),
    Fine("tool-calls-shape", content('""', ', "tool_calls": null')),
    Fine("tool-calls-shape", content('""', ', "tool_calls": []')),
    Fine("tool-calls-shape", _CALLS % _CALL),
    Fine("arguments-not-string", one_call('"7"')),
    Fine("arguments-invalid-json", one_call(r'" {\n}\t"')),
    Fine("arguments-not-object", one_call(r'"{\"a\": [1]}"')),
    Fine("arguments-not-finite", one_call(r'"{\"a\": \"NaN\"}"')),
    Fine("arguments-schema", one_call(r'"{\"city\": \"L\", \"days\": 2.0}"'), _OFFERS),
    Fine("arguments-schema", one_call(r'"{\"town\": 1}"')),
    Fine("arguments-schema", one_call(r'"{\"town\": 1}"'), [request("get_weather", parameters={})]),
    Fine("tool-not-offered", one_call('"{}"', "get_weather"), [request("a", "get_weather")]),
    Fine("duplicate-call-id", _two_calls(0, 1, '"A"')),
    Fine("duplicate-call-id", _two_calls(0, 1, '""').replace('"a"', '""')),
    Fine("duplicate-call-id", _two_calls(0, 1, "[]").replace('"a"', "[]")),
    Fine("response-format-violated", content(r'"{\"steps\": [\"a\"]}"'), [asks_json(PLAN)]),
    Fine("response-format-violated", content('"prose"'), [asks_json(kind="text")]),
    Fine("response-format-violated", content('"[1]"'), [asks_json()]),
    Fine("response-format-violated", one_call('"{}"'), [asks_json(PLAN)]),
    Fine("reply-shape", _fails('"error": {"status": 400, "retry_after": 0.5, "code": null}')),
    Fine("reply-shape", _fails('"error": {"status": 599, "message": "", "type": "x"}')),
    Fine("reply-shape", _fails('"disconnect_after": 0, "error": null, "delay_ms": 600000')),
    Fine("reply-shape", _fails('"content": "", "delay_ms": null, "chunk_delay_ms": 0')),
    Fine("usage-shape", content('""', ', "usage": {"prompt_tokens": 0, "completion_tokens": 2.5}')),
    Fine("usage-shape", content('""', ', "usage": {}')),
    Fine("usage-shape", content('""', ', "usage": {"prompt_tokens": 1%s}' % ("0" * 400))),
    Fine("digest-mismatch", f'{{"request_digest": "{DIGEST}", "response": {{"content": ""}}}}'),
    Fine("digest-mismatch", f'{{"request_digest": "{OTHER}"}}', filename=None),
    Fine("digest-mismatch", f'{{"request_digest": "{OTHER}"}}', filename="notes.json"),
    Fine(
        "request-mismatch",
        f'{{"request": {_OWN}}}',
        filename=f"{digest(request('get_weather'))}.json",
    ),
    Fine("unknown-key", content('""', ', "_contnet": 1, "usage": {"_x": 1}')),
    Fine("unknown-key", '{"response": {}, "request": {"any": 1}, "workbench": {"allow": []}}'),
    Fine("unknown-key", '{"$schema": "fixture.schema.json", "response": {"content": "x"}}'),
    Fine("bad-filename", content('""')),
    Fine("bad-filename", content('""'), filename=None),
    Fine("bad-filename", content('""'), filename="draft.txt"),
    Fine("too-large", f'{{"response": {{"content": ""}}, "_": [{"1, " * 399_996}1]}}'),
    Fine("content-lost-when-streaming", one_call('"{}"')),
    Fine("content-lost-when-streaming", content('"x"', ', "tool_calls": []')),
    Fine("missing-index", one_call('"{}"')),
    Fine("tool-choice-violated", content('""'), [request("f", tool_choice="auto")]),
    Fine(
        "tool-choice-violated",
        '{"response": {"error": {"status": 429}}}',
        [request("f", tool_choice="required")],
    ),
    Fine("tool-choice-violated", one_call('"{}"'), [request("f", tool_choice="required")]),
    Fine("finish-reason-unknown", content('""', ', "finish_reason": null')),
    Fine("finish-reason-unknown", content('""', ', "finish_reason": "content_filter"')),
    Fine("finish-reason-contradicts", one_call('"{}"').replace('"tool_calls"}}', '"length"}}')),
    Fine("finish-reason-contradicts", content('""', ', "tool_calls": [], "finish_reason": "stop"')),
    Fine(
        "total-tokens-set",
        content('""', ', "usage": {"prompt_tokens": 1}, "_t": {"total_tokens": 1}'),
    ),
    Fine("secret", content(f'"task{KEY[2:]} sk-... https://a.example:80/@x"')),
    Fine("secret", content('"sk-your-key-here"', ', "_comment": "Bearer <your token>"')),
    Fine(
        "secret",
        content(f'"{KEY}"')[:-1] + ', "workbench": {"allow": ["secret"]}}',
    ),
    Fine("will-rot", _stores({"role": "user", "content": "Which day is Christmas Eve 2026?"})),
    Fine("will-rot", _stores({"role": "user", "content": "a table on 2026-12-24 at 19:30"})),
    Fine("will-rot", _stores({"role": "assistant", "content": "Booked for 24 December 2026."})),
    Fine("will-rot", _stores({"role": "system", "content": "Version 2.11, 8080 items, may be"})),
    Fine("will-rot", _stores({"role": "tool", "tool_call_id": "call_1", "name": "recall_all"})),
    # Not part of the digest.
    Fine("will-rot", _stores({"role": "tool", "tool_call_id": "call_c62fad60_1"})),
    Fine("will-rot", _stores({"role": "tool", "tool_call_id": "call_e2e_c62fad60235a"})),
    Fine("will-rot", _stores({"role": "user", "refusal": "2026-11-19T17:02:33Z"})),
    Fine("will-rot", _stores({"role": "user"}, metadata={"at": "Thursday, November 19, 2026"})),
    Fine("will-rot", content('"Today is Thursday, November 19, 2026."')),
    # These have no digest that could change.
    Fine("will-rot", _stores({"role": "system", "content": "\ud800 2026-11-19"})),
    Fine("will-rot", '{"response": {}, "request": {"messages": "2026-11-19"}}'),
    Fine("will-rot", '{"response": {}, "request": {"messages": 5}}'),
    Fine("will-rot", '{"response": {}, "request": {"messages": [null, [], "2026-11-19"]}}'),
    Fine("workbench-only", content('""', ', "_delay_ms": 1')),
    Fine("request-not-stored", content('""'), [request()]),
    Fine("request-not-stored", f'{{"response": {{"content": ""}}, "request": {_OWN}}}'),
    Fine("schema-unchecked", one_call('"{}"'), _OFFERS),
    Fine(
        "schema-unchecked",
        one_call('"{}"', "other"),
        [request("get_weather", parameters={"$ref": "http://127.0.0.1:1/x"})],
    ),
]
