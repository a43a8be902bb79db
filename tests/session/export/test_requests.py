"""Exported requests: run as they are, they ask for the very same digest again."""

from __future__ import annotations

import ast
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given

from tests.reference import digests, exchanges
from tests.server.running import RunningServer
from tests.session.support import chat, full_disk, parse, tool
from tests.strategies import TRICKY, payloads
from workbench.core.digest import digest
from workbench.core.log.events import MissLogged
from workbench.core.request_body import RequestError
from workbench.core.text.digests import short
from workbench.core.text.inert import unsafe
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.export.requests import (
    ExportKind,
    as_curl,
    as_json,
    as_python,
    export,
    request_json,
)
from workbench.session.session import Session

BASE = "http://127.0.0.1:7899/v1"
# What would end a quotation, begin a command, or act on a terminal.
HOSTILE = (
    "it's \"quoted\" '''three''' ''''four'''' \\'\\'\\' \"\"\" `id` $(id) ${HOME} $HOME %s {0}\n"
    "END OF REQUEST\n'END OF REQUEST'\nEOF\n--\n@/etc/passwd\n\\\n\\\\ \\u0027 !! \r\n; rm -rf *"
    + TRICKY
)
PAYLOADS: dict[str, dict[str, Any]] = {
    "plain": chat("weather in London?", tools=[tool()], tool_choice="auto"),
    "hostile": {
        **chat(HOSTILE, **{HOSTILE: HOSTILE}),
        "model": HOSTILE,
        "metadata": {"big": 10**40, "small": 1e-300, "none": None},
    },
    "stream": chat("Привет 日本 🚀", stream=True),
    "large": chat("a line of text\n" * 200_000),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@contextmanager
def session_in(folder: Path, url: str | None = None) -> Iterator[Session]:
    session = Session(FixtureStore(folder / "fixtures"), StateFolder(folder / ".workbench"))
    session.server.url = url
    with closing(session):
        yield session


def exported(folder: Path, payload: dict[str, Any], kind: ExportKind, url: str | None) -> Path:
    """The file that ``payload`` is exported to."""
    before = {*folder.rglob("*")}
    with session_in(folder, url) as session:
        export(session, digest(payload), payload, kind)
    new = {*folder.rglob("*")} - before
    return next(path for path in new if path.parent.name == "exports" and path.is_file())


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
    done = subprocess.run(command, env={**clean, **environment}, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done


def asked(server: RunningServer, before: int) -> list[str]:
    """The digests of the requests the server had no answer for, since ``before``."""
    return [e.digest for e in parse(server.log(before)) if isinstance(e, MissLogged)]


@pytest.mark.parametrize("name", PAYLOADS)
@pytest.mark.parametrize("kind", ["curl", "python"])
def test_a_script_asks_for_the_same_digest(
    tmp_path: Path, server: RunningServer, kind: ExportKind, name: str
) -> None:
    if kind == "curl" and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    payload = PAYLOADS[name]
    script = exported(tmp_path, payload, kind, server.url)
    before = server.log_size()
    done = run([str(script)] if kind == "curl" else [sys.executable, "-W", "error", str(script)])
    assert asked(server, before) == [digest(payload)]
    reply = done.stdout.decode()
    if payload.get("stream"):
        assert reply.endswith("data: [DONE]\n\n")
    else:
        assert json.loads(reply)["model"] == payload["model"]


@pytest.mark.parametrize("kind", ["curl", "python"])
def test_a_script_goes_where_the_environment_says(
    tmp_path: Path, server: RunningServer, kind: ExportKind
) -> None:
    if kind == "curl" and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    payload = PAYLOADS["plain"]
    script = exported(tmp_path, payload, kind, "http://127.0.0.1:1/; touch x")
    before = server.log_size()
    command = ["sh", str(script)] if kind == "curl" else [sys.executable, str(script)]
    run(command, OPENAI_BASE_URL=f"{server.url}/v1/", OPENAI_API_KEY="a key")
    assert asked(server, before) == [digest(payload)]


@pytest.mark.parametrize("kind", ["curl", "python"])
def test_a_script_says_that_nobody_is_there(tmp_path: Path, kind: ExportKind) -> None:
    script = exported(tmp_path, PAYLOADS["plain"], kind, "http://127.0.0.1:1")
    command = ["sh", str(script)] if kind == "curl" else [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
    assert done.stderr


@given(payload=payloads)
def test_every_form_holds_the_request_and_nothing_that_acts(payload: dict[str, Any]) -> None:
    text = request_json(payload)
    assert json.loads(text) == payload
    try:
        name = digest(payload)
    except RequestError:
        name = "0" * 64
    forms = [as_json(payload, name, BASE), as_curl(payload, name, BASE)]
    forms.append(as_python(payload, name, BASE))
    for form in forms:
        assert not unsafe().search(form.replace("\n", ""))
    assert json.loads(forms[0]) == payload
    here = forms[1].partition("<<'END OF REQUEST'\n")[2]
    assert here.count("\nEND OF REQUEST\n") == 1
    assert json.loads(here.removesuffix("END OF REQUEST\n")) == payload
    values = [
        node.value.value
        for node in ast.walk(ast.parse(forms[2]))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    ]
    assert [json.loads(str(value)) for value in values] == [payload]


def test_real_requests_keep_their_digests() -> None:
    cases = [(case["payload"], case["digest"]) for case in digests()]
    cases += [(case["payload"], case["digest"]) for case in exchanges() if case["digest"]]
    for payload, known in cases:
        assert digest(json.loads(request_json(payload))) == known


def test_a_file_says_how_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    payload = PAYLOADS["plain"]
    with session_in(tmp_path / "a b") as session:
        folder = session.state_folder
        forms: dict[ExportKind, tuple[str, str]] = {
            "json": ("json", "."),
            "curl": ("sh", "; sh sends it again."),
            "python": ("py", "; python sends it again."),
        }
        for kind, (suffix, how) in forms.items():
            path = folder.path / "exports" / f"{short(digest(payload))}.{suffix}"
            assert export(session, digest(payload), payload, kind) == f"Wrote '{path}'{how}"
            mode = stat.S_IMODE(path.stat().st_mode)
            assert bool(mode & stat.S_IXUSR) is (kind != "json")
            assert (BASE in path.read_text("utf-8")) is (kind != "json")
        assert (folder.path / ".gitignore").read_text() == "*\n"
        monkeypatch.chdir(folder.path.parent)
        said = export(session, digest(payload), payload, "json")
        assert said == f"Wrote .workbench/exports/{short(digest(payload))}.json."


def test_an_export_is_written_over_the_one_before(tmp_path: Path) -> None:
    first = chat("plan", response_format={"type": "json_object"})
    with session_in(tmp_path) as session:
        for payload in (first, chat("plan")):
            export(session, digest(payload), payload, "json")
    (file,) = (session.state_folder.path / "exports").iterdir()
    assert json.loads(file.read_text("utf-8")) == chat("plan")


def test_a_url_that_would_act_on_a_terminal_is_not_written(tmp_path: Path) -> None:
    for kind in get_args(ExportKind):
        path = exported(tmp_path / kind, PAYLOADS["plain"], kind, "http://127.0.0.1/\x1b[31m")
        assert "\x1b" not in path.read_text("utf-8")


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with session_in(tmp_path) as session:
        folder = session.state_folder
        folder.ensure()
        with full_disk(), pytest.raises(OSError, match="File too large"):
            export(session, "0" * 64, chat("x" * 1000), "curl")
    assert list((folder.path / "exports").iterdir()) == []
