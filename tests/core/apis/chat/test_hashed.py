"""What a digest depends on is told."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.apis.chat.hashed import left_out_of_digest

MESSAGES: list[Any] = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("payload", "left_out"),
    [
        ({"model": "m", "messages": MESSAGES}, []),
        ({"messages": MESSAGES, "tools": [], "user": "u"}, ["tools, user"]),
        ({}, []),
        ({"messages": []}, []),
        ({"messages": {"a": 1}}, ["messages: an object, which counts as an empty list"]),
        (
            {"messages": [*MESSAGES, 7, {"role": "user", "audio": {}, "refusal": None}]},
            ["messages[1]: a number, which is not a message", "messages[2]: audio, refusal"],
        ),
    ],
)
def test_what_is_left_out(payload: dict[str, Any], left_out: list[str]) -> None:
    assert list(left_out_of_digest(payload)) == left_out
