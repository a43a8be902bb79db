"""The exit codes of every verb: 0 fine, 1 findings, 2 wrong use. What ``replay`` and ``serve`` end
with where they run is tested with them, since they take the process.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed, tool
from workbench.cli import VERBS
from workbench.core.digest import digest
from workbench.core.fixtures.document import new_document

MISSING = chat("weather in London?", tools=[tool()])
TODAY, YESTERDAY = (chat(f"News of 2026-11-{day}, please.") for day in (20, 19))
BARE = chat("its fixture holds no request")
MISSED, OLD = digest(MISSING), digest(YESTERDAY)
ANSWER = {"content": "x", "finish_reason": "stop"}
CAPTURE = json.dumps({"choices": [{"index": 0, "message": {"content": "x"}}]})


@pytest.fixture
def folder(project: Project) -> Path:
    """A project with a miss, a fixture of another day, one without its request, and a broken one
    in a folder of its own.
    """
    project.fixtures.mkdir()
    project.write_log(missed(MISSING, TODAY, BARE))
    text = new_document(OLD, ANSWER, request=YESTERDAY).text
    (project.fixtures / f"{OLD}.json").write_text(text)
    (project.fixtures / f"{digest(BARE)}.json").write_text(new_document(digest(BARE), ANSWER).text)
    (project.folder / "broken").mkdir()
    (project.folder / "broken" / f"{MISSED}.json").write_text("{broken")
    (project.folder / "request.json").write_text(json.dumps(MISSING))
    (project.folder / "fine.har").write_text(har(200))
    (project.folder / "redirected.har").write_text(har(302))
    return project.folder


def har(status: int) -> str:
    request = {"method": "POST", "url": "https://api/v1/chat/completions"}
    posted = {**request, "postData": {"text": json.dumps(MISSING)}}
    content = {"mimeType": "application/json", "text": CAPTURE}
    entry = {"request": posted, "response": {"status": status, "content": content}}
    return json.dumps({"log": {"entries": [entry]}})


CASES: list[tuple[list[str], int]] = [
    (["misses", "suite.log"], 0),
    (["misses", "suite.log", "--fail"], 1),
    (["misses", "none.log"], 2),
    (["mcp", "--log", "-"], 2),
    (["completion", "bash"], 0),
    (["drift"], 2),
    (["skill"], 0),
    (["manual"], 0),
    (["manual", "none"], 2),
    (["explain", "suite.log", MISSED], 0),
    (["explain", "suite.log", "abc"], 2),
    (["promote", "suite.log", MISSED, "--content", "x"], 0),
    (["promote", "suite.log", MISSED, "--tool-call", "get_weather", "{}"], 1),
    (["promote", "suite.log", MISSED], 2),
    (["rekey", OLD, "suite.log", digest(TODAY)], 0),
    (["rekey", "--all", "suite.log"], 0),
    (["rekey", "--all", "suite.log", "--fixtures", "none"], 0),
    (["rekey", "abc", "suite.log", MISSED], 2),
    (["adopt", "suite.log"], 0),
    (["adopt", "suite.log", "--fixtures", "broken"], 1),
    (["adopt", "none.log"], 2),
    (["ignore", "suite.log", MISSED, "--reason", "wanted"], 0),
    (["ignore", "suite.log", MISSED, "--reason", " "], 2),
    (["validate"], 0),
    (["validate", "broken"], 1),
    (["validate", "none"], 2),
    (["hash", "request.json"], 0),
    (["hash", "suite.log"], 2),
    (["preview", OLD[:8]], 0),
    (["preview", f"broken/{MISSED}.json"], 1),
    (["preview", "none.json"], 2),
    (["schema"], 0),
    (["schema", "--format"], 2),
    (["import", "fine.har"], 0),
    (["import", "redirected.har"], 1),
    (["import", "suite.log"], 2),
    (["import", "fine.har", "--log", "none.log"], 2),
    (["replay", "none.json", "--step", "os:getcwd"], 2),
    (["serve", "--port", "x"], 2),
    (["serve", "--host", "nowhere.invalid"], 2),
    (["--version"], 0),
    (["run"], 2),
    (["wait", "http://127.0.0.1:1", "--timeout", "0"], 1),
    (["wait", "nowhere"], 2),
    (["--nonsense"], 2),
    ([], 2),
]


def test_every_verb_is_here() -> None:
    assert {arguments[0] for arguments, _ in CASES if arguments} >= set(VERBS)


@pytest.mark.parametrize(("arguments", "code"), CASES, ids=lambda case: str(case)[:60])
@pytest.mark.usefixtures("folder")
def test_the_exit_code(project: Project, arguments: list[str], code: int) -> None:
    ran = project.run(*arguments)
    assert ran.code == code
    if code == 2:
        assert ran.out == ""
        verb = f"workbench {arguments[0]}" if arguments and arguments[0] in VERBS else "workbench"
        assert any(line.startswith(f"{verb}: ") for line in ran.err.splitlines())
        assert "Traceback" not in ran.err
