"""The settings of a project as its mocks follow them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.equivalent_requests import conversation
from tests.testing.support import client_of, messages
from workbench.core.digest import digest
from workbench.io.fixture import form_cache
from workbench.testing import Reply
from workbench.testing.plugin.options import Options
from workbench.testing.plugin.project import Project


@pytest.mark.parametrize(("setting", "has_index"), [("", False), ('profile = "stub"', True)])
def test_replies_are_written_in_the_profile_of_the_project(
    tmp_path: Path, setting: str, has_index: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.workbench]\n{setting}\n")
    with (
        Project(tmp_path, Options()).mock("test_a.py::test_b", tmp_path) as mock,
        client_of(mock) as client,
    ):
        mock.respond(Reply.tool_call("f", unchecked=True))
        reply = client.chat.completions.create(model="m", messages=messages("hi"))
        calls = reply.choices[0].message.model_dump()["tool_calls"]
        assert ("index" in calls[0]) == has_index


def test_what_is_known_of_many_fixtures_is_kept_for_the_next_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form_cache, "FEWEST_KEPT", 1)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "fixtures").mkdir()
    stored, asked = conversation("stub"), conversation("openai")
    value = {"request": stored, "response": {"content": "It rains."}}
    (tmp_path / "fixtures" / f"{digest(stored)}.json").write_text(json.dumps(value))
    for _ in range(2):
        mock = Project(tmp_path, Options()).mock("test_a.py::test_b", tmp_path)
        with mock, client_of(mock) as client:
            reply = client.chat.completions.create(**asked)
            assert reply.choices[0].message.content == "It rains."
        assert list((tmp_path / ".workbench" / "cache").glob("forms-*.json"))
