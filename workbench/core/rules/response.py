"""Rules about the reply: its content, how it ends, what it claims to have cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Literal, get_args

from workbench.core import delivery
from workbench.core.digest import json_type
from workbench.core.fixtures import (
    OPENAI_ONLY_KEYS,
    RESPONSE_KEYS,
    USAGE_COUNTS,
    USAGE_DETAILS,
    WORKBENCH_ONLY_KEYS,
    set_key,
)
from workbench.core.reply import MOST_TOKENS
from workbench.core.rules import fixes
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.subject import CONTENT, RESPONSE, TOOL_CALLS, Subject
from workbench.core.rules.wording import either, shown

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "function_call"]
FINISH_REASONS = get_args(FinishReason)
FINISH = (*RESPONSE, "finish_reason")
USAGE = (*RESPONSE, "usage")


@rule(
    "content-missing",
    "error",
    "the reply says nothing",
    "A reply needs a content, a string, unless it calls tools, refuses (refusal) or is a failure "
    "(error, disconnect_after). The reference server answers with an empty text where it is "
    'missing, which is hardly meant. "" is allowed, if that is the answer.',
)
def content_missing(subject: Subject) -> Iterator[Problem]:
    response = subject.response
    says_something = response.get("content") is not None or response.get("tool_calls")
    if says_something or subject.needs_no_content:
        return
    if not isinstance(subject.value.get("response"), dict):
        if subject.value.get("response") is None:
            message = "the fixture has no response; expected an object with a content"
            yield Problem(message, subject.response_path)
        return
    what, where = (
        ("is null", CONTENT) if "content" in subject.response else ("is missing", RESPONSE)
    )
    yield Problem(f"content {what}; expected a string, or tool_calls", where)


@rule(
    "content-not-string",
    "error",
    "the content is no string",
    "The reference server fails on a number and passes lists on, which no client expects of a "
    "reply. JSON content is a string that holds JSON.",
)
def content_not_string(subject: Subject) -> Iterator[Problem]:
    content = subject.response.get("content")
    if content is not None and not isinstance(content, str):
        yield Problem(f"content is {json_type(content)}; expected a string", CONTENT)


@rule(
    "usage-shape",
    "error",
    "the token counts are no counts",
    "usage is an object with prompt_tokens and completion_tokens, each a number of at least 0, and "
    "maybe with the details of each, an object (profile openai sends it as it is written). "
    "The reference server fails on null. Without usage, or without one of the two, they are "
    "estimated.",
)
def usage_shape(subject: Subject) -> Iterator[Problem]:
    if "usage" not in subject.response:
        return
    usage = subject.response["usage"]
    if not isinstance(usage, dict):
        yield Problem(f"usage is {json_type(usage)}; expected an object, or no usage", USAGE)
        return
    for key in USAGE_DETAILS:
        if not isinstance(usage.get(key, {}), dict | None):
            what = f"{key} is {json_type(usage[key])}; expected an object of counts"
            yield Problem(what, (*USAGE, key))
    for key in USAGE_COUNTS:
        count = usage.get(key, 0)
        if isinstance(count, bool) or not isinstance(count, int | float):
            wrong = f"is {json_type(count)}"
        elif isinstance(count, float) and not math.isfinite(count):
            wrong = "is not finite"
        elif count < 0:
            wrong = f"is negative ({shown(count)})"
        elif count > MOST_TOKENS:
            wrong = "has too many digits"
        else:
            continue
        yield Problem(f"{key} {wrong}; expected a number of at least 0", (*USAGE, key))


@rule(
    "reply-shape",
    "error",
    "a key that says how the reply goes out is not what it must be",
    "refusal and reasoning are texts; error is an object with a status of 400 to 599 and texts; "
    "disconnect_after is a number of "
    "frames, delays are whole milliseconds, and a reply is either an error or cut off. workbench "
    "serve takes a fixture that says anything else for broken; the reference server ignores these "
    "keys.",
)
def reply_shape(subject: Subject) -> Iterator[Problem]:
    for path, message in delivery.problems(subject.response):
        yield Problem(message, (*RESPONSE, *path))


@rule(
    "content-lost-when-streaming",
    "warning",
    "content beside tool calls is not streamed",
    "A streamed reply with tool calls sends the calls alone, so a client that streams never "
    "sees the content and one that does not does. Leave the content empty. Only profile openai "
    "streams both, as the real API does.",
)
def content_lost_when_streaming(subject: Subject) -> Iterator[Problem]:
    if subject.has_calls and subject.response.get("content"):
        yield Problem(
            'content is lost when this is streamed: only the calls arrive; expected ""',
            CONTENT,
        )


@rule(
    "finish-reason-unknown",
    "warning",
    "no API sends this finish_reason",
    "finish_reason goes out as it is written. Clients know stop, length, tool_calls, "
    "content_filter and function_call, and may fail on anything else.",
)
def finish_reason_unknown(subject: Subject) -> Iterator[Problem]:
    reason = subject.response.get("finish_reason")
    if reason is not None and reason not in FINISH_REASONS:
        yield Problem(
            f"finish_reason is {shown(reason)}; expected {either(FINISH_REASONS[:4])}", FINISH
        )


@rule(
    "finish-reason-contradicts",
    "warning",
    "finish_reason and tool_calls do not go together",
    "A reply that calls tools ends with tool_calls; the default, stop, tells an agent that it "
    "is done, and many then ignore the calls. Without calls it must not say that there are any.",
)
def finish_reason_contradicts(subject: Subject) -> Iterator[Problem]:
    reason = subject.response.get("finish_reason")
    if subject.has_calls and reason in (None, "stop"):
        title = "set finish_reason to tool_calls"
        response = set_key(subject.response, "finish_reason", "tool_calls", RESPONSE_KEYS)
        written = "is stop" if reason else "is not given, which means stop,"
        yield Problem(
            f"finish_reason {written} beside tool calls; expected tool_calls",
            FINISH if "finish_reason" in subject.response else TOOL_CALLS,
            fix=partial(fixes.change, subject, title, response, RESPONSE),
        )
    elif reason == "tool_calls" and not subject.has_calls and not subject.is_error_reply:
        yield Problem("finish_reason is tool_calls, and there are none; expected stop", FINISH)


@rule(
    "total-tokens-set",
    "warning",
    "total_tokens is not used",
    "The total is always the sum of the other two, whatever is written here. Remove it.",
)
def total_tokens_set(subject: Subject) -> Iterator[Problem]:
    usage = subject.response.get("usage")
    if isinstance(usage, dict) and "total_tokens" in usage:
        path = (*USAGE, "total_tokens")
        yield Problem(
            "total_tokens is ignored: it is always the sum of the other two",
            path,
            at_key=True,
            fix=partial(fixes.remove, subject, path),
        )


@rule(
    "workbench-only",
    "info",
    "the reference server ignores this key",
    "error, disconnect_after, delay_ms and chunk_delay_ms are honoured by workbench serve, refusal "
    "and reasoning by workbench serve --profile openai. With the reference server the reply goes "
    "out without them.",
)
def workbench_only(subject: Subject) -> Iterator[Problem]:
    for key in WORKBENCH_ONLY_KEYS:
        if key in subject.response:
            switch = " --profile openai" if key in OPENAI_ONLY_KEYS else ""
            yield Problem(
                f"{key} works with workbench serve{switch}; the reference server ignores it",
                (*RESPONSE, key),
                at_key=True,
            )
