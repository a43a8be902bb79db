"""Generated requests and fixtures: real ones, odd ones, and text that has broken readers before."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

# Characters that end lines elsewhere, control terminals, turn text round or need escapes.
TRICKY = "\u2028\u2029\u0085\u202e\u200d\x00\x07\x1b\x7f\x9b\r\n\t\"'\\{}[]<>/é日🚀\ufeff"

texts = st.text(max_size=40) | st.text(alphabet=TRICKY + "ab ", max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)

calls = st.builds(
    lambda index, name, arguments: {
        **index,
        "id": "call_1",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    st.sampled_from([{}, {"index": 0}, {"index": 1}]),
    st.sampled_from(["get_weather", "search"]),
    texts | st.just('{"city": "London"}'),
)
odd_calls = st.lists(
    calls
    | st.fixed_dictionaries(
        {"index": st.integers(0, 1)},
        optional={"function": json_values | st.just({"arguments": 1}) | st.just({"name": "f"})},
    )
    | json_values,
    max_size=3,
)
parts = st.fixed_dictionaries({"type": st.just("text"), "text": texts}) | json_values
messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user", "assistant", "tool"]) | scalars,
        "content": texts | st.lists(parts, max_size=3) | json_values,
        "name": texts | st.none(),
        "tool_call_id": texts,
        "tool_calls": st.lists(calls, max_size=2) | json_values,
        "refusal": json_values,
    },
)
payloads: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["gpt-4o", ""]) | json_values,
        "messages": st.lists(messages | json_values, max_size=4) | json_values,
        "tool_choice": st.sampled_from(["auto", "required"]) | json_values,
        "stream": st.booleans() | json_values,
        "tools": json_values,
        "temperature": st.floats(0, 2),
        "metadata": json_values,
    },
)

tokens = st.integers(0, 10**6) | st.floats(0, 1000) | st.just("12")
good_responses: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "content": texts | st.text(max_size=200),
        "tool_calls": st.none() | st.lists(calls, max_size=3),
        "finish_reason": st.sampled_from(["stop", "length", "tool_calls", "other"]),
        "usage": st.fixed_dictionaries(
            {}, optional={"prompt_tokens": tokens, "completion_tokens": tokens}
        ),
    },
)
odd_responses: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "content": json_values,
        "tool_calls": odd_calls | json_values,
        "finish_reason": json_values,
        "usage": json_values | st.dictionaries(st.just("prompt_tokens"), json_values),
    },
)
# What becomes of a reply on its way; delays short enough to be waited for.
deliveries: st.SearchStrategy[dict[str, Any]] = (
    st.fixed_dictionaries(
        {
            "error": st.fixed_dictionaries(
                {},
                optional={
                    "status": st.integers(400, 599),
                    "message": texts,
                    "type": texts,
                    "code": texts | st.none(),
                    "retry_after": st.integers(0, 9) | st.just(0.5),
                },
            )
        }
    )
    | st.fixed_dictionaries(
        {"disconnect_after": st.integers(0, 8)}, optional={"delay_ms": st.integers(0, 3)}
    )
    | st.fixed_dictionaries(
        {}, optional={"delay_ms": st.integers(0, 3), "chunk_delay_ms": st.integers(0, 2)}
    )
)
delivered_responses = st.builds(lambda one, other: {**one, **other}, good_responses, deliveries)
fixtures: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"response": good_responses | odd_responses},
    optional={
        "description": texts,
        "_comment": texts,
        "first": st.lists(good_responses | odd_responses, max_size=2) | json_values,
    },
)
