"""Generated ``response`` objects of fixtures: all that the Responses API can say of one."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests import strategies
from tests.core.apis.responses.asking import call, custom_call

_counts = st.integers(1, 1000)
_calls = st.builds(call, strategies.texts, strategies.texts, strategies.texts) | st.builds(
    custom_call, strategies.texts, strategies.texts
)


def _complete(given: dict[str, Any]) -> dict[str, Any]:
    """With the index of each call and the finish reason that belong to it."""
    calls = [{"index": index, **one} for index, one in enumerate(given.pop("calls"))]
    found = {**given, "tool_calls": calls} if calls else given
    reason = given["finish_reason"] or ("tool_calls" if calls else "stop")
    return {**found, "finish_reason": reason}


responses: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "content": strategies.texts,
        "calls": st.lists(_calls, max_size=3),
        "finish_reason": st.sampled_from(["", "length", "content_filter"]),
        "usage": st.fixed_dictionaries(
            {"prompt_tokens": _counts, "completion_tokens": _counts},
            optional={
                "prompt_tokens_details": st.fixed_dictionaries({"cached_tokens": _counts}),
                "completion_tokens_details": st.fixed_dictionaries({"reasoning_tokens": _counts}),
            },
        ),
    },
    optional={
        "refusal": strategies.texts.filter(bool),
        "reasoning": strategies.texts.filter(bool),
    },
).map(_complete)
