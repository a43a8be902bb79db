"""The form of a fixture file: every key, what it means and what it may be.

A key is added here, and to the code that reads it. The JSON Schema of ``workbench schema``, the
manual's table, the rules about the form with their guesses at misspelt keys, and the check before a
fixture is served come from these tables. What takes more than one value (arguments that fit the
tools of the request, a name that fits the digest) is a rule of ``core/fixture/rules``.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from workbench.core.json.form import Form, Key, Kind
from workbench.core.text.digests import DIGEST_LENGTH
from workbench.core.text.wording import either

FINISH_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")
# A limit or a filter ended the reply; with the others the model ended it itself.
_CUT_REASONS: Final = ("length", "content_filter")
WHOLE_REASONS: Final = tuple(reason for reason in FINISH_REASONS if reason not in _CUT_REASONS)
Source = Literal["edited", "recorded", "rekeyed", "imported"]
MAX_DELAY_MS: Final = 600_000
# The sum of two counts has to be written, and Python writes no number of more than 4,300 digits.
MOST_TOKENS: Final = 10**4_000

_CALL_SHAPE: Final = "tool-calls-shape"

_ANY: Final = Kind("any", "any value")
_TEXT: Final = Kind("string", "a string")
_NAME: Final = Kind("string", "a string that is not empty", least=1)
_OBJECT: Final = Kind("object", "an object")
_COUNTS: Final = Kind("object", "an object of counts")
_TOKENS: Final = Kind("number", "a number of at least 0 and at most 4,000 digits", most=MOST_TOKENS)
_DELAY: Final = Kind("integer", f"whole milliseconds, 0 to {MAX_DELAY_MS:,}", most=MAX_DELAY_MS)


def _one_of(*choices: str) -> Kind:
    return Kind("string", either(choices), choices=choices)


_FUNCTION: Final = Form(
    title="Function",
    rule=_CALL_SHAPE,
    called="the function of call {}",
    prefix="call {}: ",
    keys=(
        Key("name", _NAME, "One of the tools that the request offers.", missing=_CALL_SHAPE),
        Key(
            "arguments",
            Kind("string", "a string of JSON", keywords={"contentMediaType": "application/json"}),
            "A JSON object, written as a string.",
            wrong="arguments-not-string",
            missing=_CALL_SHAPE,
            is_plural=True,
        ),
    ),
)
_CUSTOM: Final = Form(
    title="Custom",
    rule=_CALL_SHAPE,
    called="the custom of call {}",
    prefix="call {}: ",
    keys=(
        Key("name", _NAME, "One of the custom tools that the request offers.", missing=_CALL_SHAPE),
        Key("input", _TEXT, "The text that the tool is given.", missing=_CALL_SHAPE),
    ),
)


_CALL: Final = Form(
    title="FixtureCall",
    rule=_CALL_SHAPE,
    called="call {}",
    prefix="call {}: ",
    keys=(
        Key(
            "index",
            Kind("integer", "a whole number, 0 or more"),
            "Its place in the list, from 0. Clients that stream need it.",
            missing="missing-index",
        ),
        Key(
            "id",
            _NAME,
            "The id that the result of the call names. Each call has another one.",
            missing=_CALL_SHAPE,
        ),
        Key(
            "type",
            _one_of("function", "custom"),
            "The kind of call: of a function, or of a custom tool.",
            missing=_CALL_SHAPE,
        ),
        Key(
            "function",
            Kind("object", "an object with name and arguments", form=_FUNCTION),
            "The function that is called.",
            never_null=True,
        ),
        Key(
            "custom",
            Kind("object", "an object with name and input", form=_CUSTOM),
            "The custom tool that is called, in place of a function.",
            never_null=True,
        ),
    ),
    chosen_by="type",
)
USAGE_FORM: Final = Form(
    title="Usage",
    rule="usage-shape",
    called="usage",
    prefix="usage.",
    keys=(
        Key("prompt_tokens", _TOKENS, "Tokens of the request.", never_null=True),
        Key("completion_tokens", _TOKENS, "Tokens of the reply.", never_null=True),
        Key(
            "prompt_tokens_details",
            _COUNTS,
            "Parts of the count, for example cached_tokens. workbench serve --profile openai sends "
            "them as they are written.",
        ),
        Key(
            "completion_tokens_details",
            _COUNTS,
            "Parts of the count, for example reasoning_tokens. workbench serve --profile openai "
            "sends them as they are written.",
        ),
        Key(
            "total_tokens",
            Kind("never", "no value"),
            "Always the sum of the others; remove it.",
            wrong="total-tokens-set",
            never_null=True,
        ),
    ),
)
_ERROR: Final = Form(
    title="Error",
    rule="reply-shape",
    called="error",
    prefix="error.",
    keys=(
        Key(
            "status",
            Kind("integer", "400 to 599", least=400, most=599),
            "The HTTP status; 500 where it is not given.",
        ),
        Key("message", _TEXT, "What went wrong. Where it is not given: the words of the status."),
        Key(
            "type",
            _TEXT,
            "The type of the error, for example invalid_request_error. Where it is not given, each "
            "API sends its own for the status.",
        ),
        Key(
            "code",
            _TEXT,
            "The code of the error, for example rate_limit_exceeded. Where neither it nor the type "
            "is given, the OpenAI APIs send their own for the status.",
        ),
        Key(
            "retry_after",
            Kind("number", "seconds, 0 or more"),
            "Seconds, for the header Retry-After.",
        ),
    ),
)

# The reference stub reads these keys of a response.
_REFERENCE_KEYS: Final = (
    Key(
        "content",
        _TEXT,
        "The text of the reply. JSON content is a string of JSON.",
        wrong="content-not-string",
    ),
    Key(
        "tool_calls",
        Kind("array", "a list of calls", form=_CALL),
        "The calls the reply makes, sent as they are written.",
        wrong=_CALL_SHAPE,
    ),
    Key(
        "finish_reason",
        _one_of(*FINISH_REASONS[:4])._replace(choices=(*FINISH_REASONS, "")),
        "Why the reply ends. Where it is empty or not given: tool_calls if there are calls, else "
        "stop. Profile stub then always sends stop.",
        wrong="finish-reason-unknown",
    ),
    Key(
        "usage",
        Kind("object", "an object, or no usage", form=USAGE_FORM),
        "The token counts. Those that are not given are estimated.",
        wrong="usage-shape",
        never_null=True,
    ),
)
# Profile openai alone sends these.
_OPENAI_KEYS: Final = (
    Key("refusal", _TEXT, "Why the model does not answer, in its words. content is then left out."),
    Key("reasoning", _TEXT, "What the model thought before, sent as reasoning_content."),
)
_DELIVERY_KEYS: Final = (
    Key(
        "error",
        Kind("object", "an object", form=_ERROR),
        "An error of the API, sent in place of the reply.",
        wrong="not-an-object",
    ),
    Key(
        "disconnect_after",
        Kind("integer", "a number of frames, 0 or more"),
        "After this many frames of a stream the connection is closed; a plain reply breaks off "
        "before its body. 0 closes it before anything is sent.",
    ),
    Key("delay_ms", _DELAY, "The wait before the reply."),
    Key("chunk_delay_ms", _DELAY, "The wait before each frame of a stream."),
)


def _has(key: str, **value: Any) -> dict[str, Any]:
    return {"required": [key], "properties": {key: value}}


RESPONSE_FORM: Final = Form(
    title="Response",
    rule="reply-shape",
    called="a response",
    keys=(*_REFERENCE_KEYS, *_OPENAI_KEYS, *_DELIVERY_KEYS),
    exclusive=("error", "disconnect_after"),
    keywords={
        # As rule content-missing.
        "anyOf": [
            _has("content", type="string"),
            _has("tool_calls", type="array", minItems=1),
            _has("refusal", type="string", minLength=1),
            _has("error", type="object"),
            _has("disconnect_after", type="integer"),
            _has("finish_reason", enum=[*_CUT_REASONS]),
        ]
    },
)
_OWN: Final = Form(
    title="Workbench",
    rule="unknown-key",
    called="workbench",
    prefix="workbench.",
    keys=(
        Key(
            "allow",
            Kind("array", "a list of rule names"),
            "Names of the rules that this fixture may break.",
        ),
        Key("source", _one_of(*get_args(Source)), "How the fixture came to be."),
    ),
)
FIXTURE_FORM: Final = Form(
    title="Fixture of an LLM stub server",
    rule="not-an-object",
    called="a fixture",
    keys=(
        Key(
            "$schema",
            _TEXT,
            "The URL or path of this schema, for editors. No server reads it.",
            wrong="",
        ),
        Key(
            "request_digest",
            Kind(
                "string",
                f"{DIGEST_LENGTH} hexadecimal digits",
                keywords={"pattern": f"^[0-9a-f]{{{DIGEST_LENGTH}}}$"},
            ),
            "The digest of the request, which begins the file's name. For people: the server goes "
            "by the name alone.",
            wrong="",
        ),
        Key(
            "description",
            _ANY,
            "What the fixture is for. Shown in lists and searched. A new file gets one when it is "
            "saved.",
        ),
        Key(
            "first",
            Kind("array", "a list of responses", form=RESPONSE_FORM),
            "Responses that are sent once each, with the keys of response: the first request of a "
            "test gets the first of them, the next request the second, and every later one "
            "response. The reference stub ignores it.",
            wrong="reply-shape",
        ),
        Key(
            "response",
            Kind("object", "an object", form=RESPONSE_FORM),
            "What is sent: a content, tool calls, a refusal or a failure. Only workbench serve "
            "reads error, disconnect_after and the delays, and only its profile openai sends "
            "refusal and reasoning.",
            missing="content-missing",
        ),
        Key(
            "request",
            _OBJECT,
            "The request this fixture answers, as it was sent. With it, the tools and schemas of "
            "the request are checked, and the fixture is found again when the request has changed.",
        ),
        Key(
            "workbench",
            Kind("object", "an object", form=_OWN),
            "What the workbench keeps beside the reply.",
        ),
    ),
)

# The form of a response as far as the reference stub does not read it.
WORKBENCH_ONLY_FORM: Final = RESPONSE_FORM._replace(keys=(*_OPENAI_KEYS, *_DELIVERY_KEYS))
OPENAI_ONLY: Final = tuple(key.name for key in _OPENAI_KEYS)
# What the model says; a failure sends none of it.
SAID: Final = ("content", "tool_calls", *OPENAI_ONLY)
USAGE_COUNTS: Final = tuple(key.name for key in USAGE_FORM.keys if key.kind is _TOKENS)
USAGE_DETAILS: Final = tuple(key.name for key in USAGE_FORM.keys if key.kind is _COUNTS)
