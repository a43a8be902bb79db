"""The page about output has the keys of the JSON that commands print."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import served_line
from workbench.io import manual

ANSWERED, OTHER, MISSED = chat("a joke"), chat("the news"), chat("a poem")
COMMANDS = {
    "adopt": ["adopt", "LOG"],
    "doctor": ["doctor"],
    "explain": ["explain", "LOG"],
    "import": ["import", "aimock.json", "--log", "LOG"],
    "list": ["list"],
    "promote": ["promote", digest(MISSED), "LOG", "--content", "x"],
    "prune": ["prune", "--dry-run", "--log", "LOG"],
    "rekey": ["rekey", "--all", "--dry-run", "LOG"],
    "show": ["show", digest(ANSWERED)],
    "validate": ["validate"],
}
AIMOCK = {"fixtures": [{"match": {"userMessage": "poem"}, "response": {"content": "x"}}]}


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    """Two fixtures, of which a log names one, and a miss. The answers have a finding each."""
    made = Project(tmp_path, monkeypatch, capsys)
    made.fixtures.mkdir()
    for request in (ANSWERED, OTHER):
        response = {"content": "x", "finish_reason": "done"}
        text = new_document(digest(request), response, request=request).text
        (made.fixtures / f"{digest(request)}.json").write_text(text)
    made.write_log(served_line(digest(ANSWERED)), missed(MISSED))
    (tmp_path / "aimock.json").write_text(json.dumps(AIMOCK))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return made


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_has_the_keys_that_a_command_prints(project: Project, command: str) -> None:
    words = [str(project.log) if word == "LOG" else word for word in COMMANDS[command]]
    result: Any = project.run(*words, "--format", "json").rows
    printed = result[0] if isinstance(result, list) else result
    page = manual.read("output")
    (row,) = re.findall(rf"^\| `{command}` \| (.+) \|$", page, re.MULTILINE)
    named = {*re.findall(r"\w+", row)}
    if command == "show":  # "one row of `list` with …"
        (listed,) = re.findall(r"^\| `list` \| (.+) \|$", page, re.MULTILINE)
        named |= {*re.findall(r"\w+", listed)}
    assert set(printed) - named == set()
