"""The form of a fixture file: every key with its meaning and its allowed values.

A key is added here, and to the code that reads it. The JSON Schema of ``workbench schema``, the
manual's table, the rules about the form (which also suggest corrections for misspelt keys) and the
check before a fixture is served are generated from these tables. Conditions on more than one value
(arguments that fit the request's tools, a name that fits the digest) are rules of
``core/fixture/rules``.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from workbench.core.json.form import Form, Key, Kind
from workbench.core.text.digests import DIGEST_LENGTH
from workbench.core.text.wording import either

FINISH_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")
# A limit or a filter ended the reply; for all other reasons the model ended it.
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
        Key("name", _NAME, "A tool that the request offers.", missing=_CALL_SHAPE),
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
        Key("name", _NAME, "A custom tool that the request offers.", missing=_CALL_SHAPE),
        Key("input", _TEXT, "The text for the tool.", missing=_CALL_SHAPE),
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
            "Position in the list, from 0. Clients need it to read a stream.",
            missing="missing-index",
        ),
        Key(
            "id",
            _NAME,
            "ID that the tool result refers to; unique per call.",
            missing=_CALL_SHAPE,
        ),
        Key(
            "type",
            _one_of("function", "custom"),
            "A call of a function or of a custom tool.",
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
            "Parts of the count, such as cached_tokens. Profile openai sends them unchanged.",
        ),
        Key(
            "completion_tokens_details",
            _COUNTS,
            "Parts of the count, such as reasoning_tokens. Profile openai sends them unchanged.",
        ),
        Key(
            "total_tokens",
            Kind("never", "no value"),
            "Leave it out: it is always the sum of the other two.",
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
            "HTTP status. Default: 500.",
        ),
        Key("message", _TEXT, "What went wrong. Default: the name of the status."),
        Key(
            "type",
            _TEXT,
            "Type of the error, such as invalid_request_error. Default: the type that the API "
            "sends with this status.",
        ),
        Key(
            "code",
            _TEXT,
            "Code of the error, such as rate_limit_exceeded. Default, if there is no type either: "
            "the code that the OpenAI APIs send with this status.",
        ),
        Key(
            "retry_after",
            Kind("number", "seconds, 0 or more"),
            "Send the header Retry-After with this number of seconds.",
        ),
    ),
)

# The reference stub reads these keys of a response.
_REFERENCE_KEYS: Final = (
    Key(
        "content",
        _TEXT,
        "The text of the reply. Write JSON content as a string of JSON.",
        wrong="content-not-string",
    ),
    Key(
        "tool_calls",
        Kind("array", "a list of calls", form=_CALL),
        "The tool calls of the reply, sent unchanged.",
        wrong=_CALL_SHAPE,
    ),
    Key(
        "finish_reason",
        _one_of(*FINISH_REASONS[:4])._replace(choices=(*FINISH_REASONS, "")),
        "Why the reply ends. Default: tool_calls if there are calls, else stop. With profile stub "
        "the default is always stop.",
        wrong="finish-reason-unknown",
    ),
    Key(
        "usage",
        Kind("object", "an object, or no usage", form=USAGE_FORM),
        "Token counts. Counts that you leave out are estimated.",
        wrong="usage-shape",
        never_null=True,
    ),
)
# Profile openai alone sends these.
_OPENAI_KEYS: Final = (
    Key(
        "refusal",
        _TEXT,
        "The model's refusal, in its words. The content is then left out.",
    ),
    Key("reasoning", _TEXT, "The model's reasoning; sent as reasoning_content."),
)
_DELIVERY_KEYS: Final = (
    Key(
        "error",
        Kind("object", "an object", form=_ERROR),
        "Send this error of the API instead of a reply.",
        wrong="not-an-object",
    ),
    Key(
        "disconnect_after",
        Kind("integer", "a number of frames, 0 or more"),
        "Close the connection after this many frames of a stream (0: before any data). A reply "
        "without a stream then has headers but no body.",
    ),
    Key("delay_ms", _DELAY, "Wait this long before the reply."),
    Key("chunk_delay_ms", _DELAY, "Wait this long before each frame of a stream."),
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
            "Rules that this fixture may break.",
        ),
        Key("source", _one_of(*get_args(Source)), "How the fixture was made."),
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
            "URL or path of this schema, for editors. Servers ignore it.",
            wrong="",
        ),
        Key(
            "request_digest",
            Kind(
                "string",
                f"{DIGEST_LENGTH} hexadecimal digits",
                keywords={"pattern": f"^[0-9a-f]{{{DIGEST_LENGTH}}}$"},
            ),
            "The digest of the request, for readers. The server uses only the name of the file, "
            "which begins with the digest.",
            wrong="",
        ),
        Key(
            "description",
            _ANY,
            "What the fixture is for. Lists show it and search it. A new file gets one when it is "
            "saved.",
        ),
        Key(
            "first",
            Kind("array", "a list of responses", form=RESPONSE_FORM),
            "Responses that are sent once each. The first request of a test gets the first one, "
            "the next request the second one. Every later request gets response. The reference "
            "stub ignores this key.",
            wrong="reply-shape",
        ),
        Key(
            "response",
            Kind("object", "an object", form=RESPONSE_FORM),
            "The reply: content, tool calls, a refusal or a failure. The reference stub ignores "
            "error, disconnect_after and the delays. Only profile openai sends refusal and "
            "reasoning.",
            missing="content-missing",
        ),
        Key(
            "request",
            _OBJECT,
            "The request that this fixture answers. The answer is checked against its tools and "
            "schemas, and the fixture can be found when the request has changed.",
        ),
        Key(
            "workbench",
            Kind("object", "an object", form=_OWN),
            "Information for workbench, which no client gets.",
        ),
    ),
)

# The form of a response as far as the reference stub does not read it.
WORKBENCH_ONLY_FORM: Final = RESPONSE_FORM._replace(keys=(*_OPENAI_KEYS, *_DELIVERY_KEYS))
OPENAI_ONLY: Final = tuple(key.name for key in _OPENAI_KEYS)
# The keys of the model's answer; a failure sends none of them.
ANSWER_KEYS: Final = ("content", "tool_calls", *OPENAI_ONLY)
USAGE_COUNTS: Final = tuple(key.name for key in USAGE_FORM.keys if key.kind is _TOKENS)
USAGE_DETAILS: Final = tuple(key.name for key in USAGE_FORM.keys if key.kind is _COUNTS)
