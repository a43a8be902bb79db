"""Token counts: where they are asked for, and how they are answered."""

from __future__ import annotations

from typing import Any

from tests.cases import each_case
from workbench.core.apis.token_counts import token_count

TEXT = "How many tokens is this?"


@each_case(
    "path, body, expected",
    [
        (
            "/v1/messages/count_tokens",
            {"messages": [{"role": "user", "content": TEXT}]},
            {"input_tokens": len(TEXT) // 4},
        ),
        (
            "/v1beta/models/gemini-2.5-pro:countTokens",
            {"contents": [{"parts": [{"text": TEXT}]}]},
            {"totalTokens": len(TEXT) // 4},
        ),
        ("/v1/messages", {"messages": [{"role": "user", "content": TEXT}]}, None),
        ("/v1/chat/completions", {"messages": []}, None),
        ("/v1/unknown/count_tokens", {}, None),
    ],
)
def test_tokens_are_counted(
    path: str, body: dict[str, Any], expected: dict[str, int] | None
) -> None:
    assert token_count(path, "", body) == expected
