"""The form of a fixture file as a JSON Schema, for editors: what each key means, what it may be.

It says what the validation rules say of a document's form, as far as a schema can. What takes more
(arguments that fit the tools of the request, names that fit the digest) is said by the rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from workbench.core.delivery import MAX_DELAY_MS
from workbench.core.digest import DIGEST_LENGTH
from workbench.core.fixtures import USAGE_DETAILS, Source
from workbench.core.rules import RULES
from workbench.core.rules.response import FINISH_REASONS

DIALECT: Final = "http://json-schema.org/draft-07/schema#"

_Schema = dict[str, Any]


def fixture_schema() -> _Schema:
    """The schema; what it holds may be changed by the caller."""
    fixture = _object(
        {
            "$schema": {
                "type": "string",
                "description": "The URL or path of this schema, for editors. No server reads it.",
            },
            "request_digest": {
                "type": ["string", "null"],
                "pattern": f"^[0-9a-f]{{{DIGEST_LENGTH}}}$",
                "description": "The digest of the request, which is the file's name. For people: "
                "the server goes by the name alone.",
            },
            "description": {
                "description": "What the fixture is for, in words. Shown in lists and searched.",
            },
            "response": _response(),
            "request": {
                "type": ["object", "null"],
                "description": "The request this fixture answers, as it was sent. With it, the "
                "tools and schemas of the request are checked, and the fixture is found again when "
                "the request has changed.",
            },
            "workbench": {**_object(_own()), "type": ["object", "null"]},
        },
        "A canned answer of the stub server, in a file named <digest>.json. Keys that begin with "
        "_ are for remarks.",
        required=["response"],
    )
    return {"$schema": DIALECT, "title": "Fixture of an LLM stub server", **fixture}


def _object(
    properties: Mapping[str, _Schema], description: str = "", required: list[str] | None = None
) -> _Schema:
    """An object with these keys, and remarks."""
    return {
        **({"description": description} if description else {}),
        "type": "object",
        **({"required": required} if required else {}),
        "properties": dict(properties),
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def _number(description: str, **more: Any) -> _Schema:
    return {"type": "number", "minimum": 0, "description": description, **more}


def _text(description: str) -> _Schema:
    return {"type": ["string", "null"], "description": description}


def _count(description: str, **more: Any) -> _Schema:
    return {"type": ["integer", "null"], "minimum": 0, "description": description, **more}


def _response() -> _Schema:
    says_something = [
        {"required": ["content"], "properties": {"content": {"type": "string"}}},
        {
            "required": ["tool_calls"],
            "properties": {"tool_calls": {"type": "array", "minItems": 1}},
        },
        {"required": ["refusal"], "properties": {"refusal": {"type": "string", "minLength": 1}}},
        {"required": ["error"], "properties": {"error": {"type": "object"}}},
        {
            "required": ["disconnect_after"],
            "properties": {"disconnect_after": {"type": "integer"}},
        },
    ]
    one_failure = {
        "not": {
            "required": ["error", "disconnect_after"],
            "properties": {
                "error": {"type": "object"},
                "disconnect_after": {"type": "integer"},
            },
        }
    }
    return {
        **_object(
            {
                "content": _text("The text of the reply. JSON content is a string of JSON."),
                "tool_calls": {
                    "type": ["array", "null"],
                    "items": _call(),
                    "description": "The calls the reply makes, sent as they are written.",
                },
                "finish_reason": {
                    "enum": [*FINISH_REASONS, None],
                    "description": "Why the reply ends; stop where it is not given. With tool "
                    "calls it is tool_calls.",
                },
                "usage": _usage(),
                "refusal": _text("Why the model does not answer, in its words; with no content."),
                "reasoning": _text("What it thought before, sent as reasoning_content."),
                "error": _error(),
                "disconnect_after": _count(
                    "So many frames of a stream are sent, then the connection is closed; a plain "
                    "reply breaks off before its body. 0 closes it before anything is sent."
                ),
                "delay_ms": _count("The wait before the reply.", maximum=MAX_DELAY_MS),
                "chunk_delay_ms": _count(
                    "The wait before each frame of a stream.", maximum=MAX_DELAY_MS
                ),
            },
            "What is sent: a content, tool calls, a refusal, or a failure. error, disconnect_after "
            "and the delays work with workbench serve, refusal and reasoning with its profile "
            "openai.",
        ),
        "anyOf": says_something,
        "allOf": [one_failure],
    }


def _call() -> _Schema:
    function = _object(
        {
            "name": {
                "type": "string",
                "minLength": 1,
                "description": "One of the tools that the request offers.",
            },
            "arguments": {
                "type": "string",
                "contentMediaType": "application/json",
                "description": "A JSON object, written as a string.",
            },
        },
        "The function that is called.",
        required=["name", "arguments"],
    )
    return _object(
        {
            "index": {
                "type": "integer",
                "minimum": 0,
                "description": "Its place in the list, from 0. Clients that stream need it.",
            },
            "id": {
                "type": "string",
                "minLength": 1,
                "description": "What the result of the call is named by; another for each call.",
            },
            "type": {"const": "function", "description": "The kind of call; there is one."},
            "function": function,
        },
        "One call of a tool.",
        required=["index", "id", "type", "function"],
    )


def _usage() -> _Schema:
    return _object(
        {
            "prompt_tokens": _number("Tokens of the request. Estimated where not given."),
            "completion_tokens": _number("Tokens of the reply. Estimated where not given."),
            **{key: _details() for key in USAGE_DETAILS},
            "total_tokens": {"not": {}, "description": "Always the sum of the others; remove it."},
        },
        "What the reply claims to have cost. Estimated where not given.",
    )


def _details() -> _Schema:
    return {
        "type": ["object", "null"],
        "description": "What they are made up of, as cached_tokens or reasoning_tokens. Sent as it "
        "is written by workbench serve --profile openai.",
    }


def _error() -> _Schema:
    error = _object(
        {
            "status": {
                "type": ["integer", "null"],
                "minimum": 400,
                "maximum": 599,
                "description": "The HTTP status; 500 where it is not given.",
            },
            "message": _text("What went wrong; that of the status where it is not given."),
            "type": _text("The type of the error, as invalid_request_error."),
            "code": _text("The code of the error, as rate_limit_exceeded."),
            "retry_after": {
                **_number("Seconds, for the header Retry-After."),
                "type": ["number", "null"],
            },
        },
        "An error of the API, sent in place of the reply.",
    )
    return {**error, "type": ["object", "null"]}


def _own() -> dict[str, _Schema]:
    return {
        "allow": {
            "type": ["array", "null"],
            "items": {"enum": list(RULES)},
            "description": "Names of the rules that this fixture may break.",
        },
        "source": {
            "enum": [*get_args(Source)],
            "description": "How the fixture came to be.",
        },
    }
