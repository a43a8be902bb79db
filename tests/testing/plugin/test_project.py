"""The settings of a project as its mocks follow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.support import client_of, messages
from workbench.testing import Reply
from workbench.testing.plugin.options import Options
from workbench.testing.plugin.project import Project


@pytest.mark.parametrize(("setting", "has_index"), [("", False), ('profile = "stub"', True)])
def test_replies_are_written_in_the_profile_of_the_project(
    tmp_path: Path, setting: str, has_index: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.workbench]\n{setting}\n")
    with Project(tmp_path, Options()).mock("test_a.py::test_b") as mock, client_of(mock) as client:
        mock.respond(Reply.tool_call("f", unchecked=True))
        reply = client.chat.completions.create(model="m", messages=messages("hi"))
        calls = reply.choices[0].message.model_dump()["tool_calls"]
        assert ("index" in calls[0]) == has_index
