"""Any body is read or refused: nothing else is raised."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.core.apis import eventstream
from workbench.core.apis.table import BY_NAME
from workbench.core.fixture.recorded import NoFixtureError, fixture_of, read_reply
from workbench.core.replies.response import NotAReplyError

# Keys and values of all APIs, so that readers come far into what is odd.
WORDS = """
    id index type message content role choices delta finish_reason tool_calls function custom name
    arguments input refusal reasoning reasoning_details thinking text usage prompt_tokens output
    status completed output_text function_call call_id response item output_index content_index
    summary part response.completed response.output_item.added response.output_item.done
    response.output_text.delta response.output_text.done response.content_part.added
    response.function_call_arguments.delta message_start content_block_start content_block_delta
    message_delta message_stop content_block tool_use text_delta input_json_delta partial_json
    stop_reason end_turn candidates parts functionCall partialArgs jsonPath stringValue
    willContinue $.a finishReason STOP thought usageMetadata promptFeedback error stop assistant
    done done_reason response eval_count
    messageStart contentBlockStart contentBlockDelta contentBlockIndex messageStop metadata start
    toolUse toolUseId reasoningContent reasoningText stopReason citationsContent
    message-start content-start content-delta content-end tool-plan-delta tool-call-start
    tool-call-delta tool-call-end citation-start message-end tool_plan tool_calls citations
    billed_units tokens input_tokens COMPLETE
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    json_values | words | st.integers(-1, 2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=20,
)


@pytest.mark.parametrize("name", BY_NAME)
@given(
    frames=st.lists(values, max_size=4),
    is_done=st.booleans(),
    kinds=st.lists(words, min_size=4, max_size=4),
)
def test_any_body(name: str, frames: list[Any], is_done: bool, kinds: list[str]) -> None:
    replies = BY_NAME[name].replies
    end = "data: [DONE]\n\n" if is_done else ""
    stream = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + end
    lines = "".join(f"{json.dumps(frame)}\n" for frame in frames)
    bodies = [stream.encode(), lines.encode(), json.dumps(frames).encode()]
    bodies += [json.dumps(frame).encode() for frame in frames[:1]]
    bodies.append(b"".join(eventstream.chunk(json.dumps(frame).encode()) for frame in frames))
    bodies.append(
        b"".join(
            eventstream.event(kind, json.dumps(frame).encode())
            for kind, frame in zip(kinds, frames, strict=False)
        )
    )
    for body in bodies:
        replies.ends_stream(body)
        for read in (replies.read, replies.assemble):
            with suppress(NotAReplyError):
                json.dumps(read("", body))
        for status in (200, 500):
            with suppress(NoFixtureError):
                reply = read_reply({"api": name}, "", body, status=status)
                fixture_of({"api": name}, "0" * 64, reply, source="recorded", store_request=False)
