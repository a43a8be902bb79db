"""A conversation with a tool, as clients write it that were answered in one of the profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.core.replies.profile_names import ProfileName


def conversation(
    profile: ProfileName, *, said: str = "Is it raining?", ids: Sequence[str] = ("call_a",)
) -> dict[str, Any]:
    """The request of its second turn.

    Args:
        ids: of its calls.
    """
    index = {"index": 0} if profile == "stub" else {}
    calls = [
        {
            **index,
            "id": name,
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city":"London"}'},
        }
        for name in ids
    ]
    content = "" if profile == "stub" else None
    return {
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": said},
            {"role": "assistant", "content": content, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": name, "content": "rain"} for name in ids),
        ],
    }
