"""What a digest depends on is told."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.apis.chat.hashed import compared_with_script, left_out_of_digest
from workbench.core.digest import digest

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


SCRIPT = "the script in the documentation of mock_llm.py"


def test_the_script_gives_the_same_digest_where_no_key_is_absent() -> None:
    payload = {"model": "m", "messages": MESSAGES}
    assert list(compared_with_script(payload, digest(payload))) == []
    for other in ("0" * 64, "f" * 64):
        assert next(compared_with_script(payload, other)).startswith(f"{SCRIPT} gives another")


def test_the_messages_that_the_script_hashes_otherwise_are_named() -> None:
    payload = {"messages": [*MESSAGES, {"role": "assistant"}, {}]}
    said = list(compared_with_script(payload, digest(payload)))
    assert said[0] == f"{SCRIPT} gives another digest, which no server looks up:"
    assert said[2:] == [
        "the script leaves out absent keys, but the server hashes them as null:",
        "  messages[1] has no content",
        "  messages[2] has no role and no content",
    ]
