"""What a pasted text is taken for, and where it goes in a draft."""

from __future__ import annotations

import json
from typing import Any

from tests.cases import each_case
from workbench.core.fixture.document import new_document
from workbench.core.replies.response import RESPONSE
from workbench.session.answers.pasted import pasted_as, with_pasted

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ANSWER = {"content": "Rain.", "finish_reason": "stop"}
WITH_CALL = {"content": None, "tool_calls": [CALL], "finish_reason": "tool_calls"}
FIRST = [{"error": {"status": 429}}]
OTHER = {"request_digest": "x", "first": FIRST, "response": WITH_CALL, "request": {"model": "m"}}


@each_case(
    "text, name, before, after",
    [
        ("Rain", "the 4 pasted characters", ANSWER, {"content": "Rain", "finish_reason": "stop"}),
        ("7", "the 1 pasted character", WITH_CALL, {"content": "7", "finish_reason": "stop"}),
        ("\x1b[2J{", "the 5 pasted characters", ANSWER, {**ANSWER, "content": "\x1b[2J{"}),
        (json.dumps(WITH_CALL), "the pasted response", ANSWER, WITH_CALL),
        # A structured answer, which has keys of a response.
        ('{"content": "x"}', "the 16 pasted characters", ANSWER, None),
        ('{"finish_reason": "stop", "x": 1}', "the 33 pasted characters", ANSWER, None),
    ],
)
def test_a_text_or_a_response_is_the_answer(
    text: str, name: str, before: dict[str, Any], after: dict[str, Any] | None
) -> None:
    assert pasted_as(text) == name
    document = new_document("0" * 64, before, request={"model": "gpt-4o", "messages": []})
    pasted = with_pasted(document, text, RESPONSE)
    assert pasted.response == (after or {**before, "content": text})
    assert pasted.request == document.request


def test_a_fixture_gives_all_its_answers_and_nothing_else() -> None:
    text = json.dumps(OTHER)
    assert pasted_as(text) == "the pasted fixture"
    document = new_document("0" * 64, ANSWER, request={"model": "gpt-4o", "messages": []})
    pasted = with_pasted(document, text, RESPONSE)
    assert pasted.response == WITH_CALL
    assert pasted.value["first"] == FIRST
    assert pasted.request == document.request
    assert pasted.value.get("request_digest") == document.value.get("request_digest")
