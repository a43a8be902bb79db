"""The view of a request: what its parts say in a few words."""

from __future__ import annotations

import pytest

from workbench.core.apis.table import view
from workbench.core.requests.messages import FunctionCall


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"city": "Köln", "days": 2}', "f(city=Köln, days=2)"),
        ('{"cities": ["Köln"], "by": {"train": true}}', 'f(cities=["Köln"], by={"train": true})'),
        ("{}", "f()"),
        ("[1]", "f([1])"),
        ('{"city": ', 'f({"city": )'),
        ("", "f()"),
    ],
)
def test_a_call_in_brief_has_its_arguments_as_they_are(arguments: str, expected: str) -> None:
    assert FunctionCall("call_1", "f", arguments).brief == expected


def test_what_was_added_after_an_answer() -> None:
    asked = {"role": "user", "content": "Warm?"}
    called = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "12"}
    assert view({"messages": [asked, called, result]}).added_text == "tool 12"
    assert view({"messages": [asked, called, result, asked]}).added_text == ""
    assert view({"messages": [asked]}).added_text == ""
