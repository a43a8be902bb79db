"""What a workflow of GitHub would take for commands."""

from __future__ import annotations

import pytest

from workbench.io.github_workflow import without_commands


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\u003a:error::x"),
        (" \t\xa0::set-output name=a::b", " \t\xa0" r"\u003a:set-output name=a::b"),
        ("text ##[error]x", r"text \u0023#[error]x"),
        ("###[group]", r"#\u0023#[group]"),
        ("a\n::x::\nb", "a\n" r"\u003a:x::" "\nb"),
        ("tests/test_a.py::test_b # [x]", "tests/test_a.py::test_b # [x]"),
    ],
)
def test_a_command_is_escaped_in_a_workflow_alone(
    text: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert without_commands(text) == shown
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert without_commands(text) == text
