"""``workbench preview``: what it prints is what the server sends."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import reference, strategies
from tests.cli.running import Project
from tests.forked import run_forked
from tests.server.running import RunningServer
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.network.http_client import TimedReply, post

PAYLOAD = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
EXCHANGES = reference.exchanges()


@pytest.fixture(scope="module", params=PROFILE_NAMES)
def profile(request: pytest.FixtureRequest) -> ProfileName:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def server(
    profile: ProfileName, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp(profile)
    with RunningServer(folder, environment={"WORKBENCH_PROFILE": profile}) as running:
        yield running


def preview(*arguments: str | Path) -> tuple[int, bytes, str]:
    """Exit code, output and what was said."""
    out, err = io.BytesIO(), io.StringIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(out)), contextlib.redirect_stderr(err):
        code = main(["preview", *map(str, arguments)])
        sys.stdout.flush()
        return code, out.getvalue(), err.getvalue()


def write(path: Path, value: object) -> Path:
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def fixture_file(folder: Path, value: object, payload: dict[str, Any] = PAYLOAD) -> Path:
    return write(folder / f"{digest(payload)}.json", value)


def content(envelope: bytes) -> Any:
    return json.loads(envelope)["choices"][0]["message"]["content"]


def exchange_arguments(exchange: dict[str, Any], folder: Path) -> list[str | Path]:
    request = write(folder / "request.json", exchange["payload"])
    arguments: list[str | Path] = ["--request", request, "--created", "0"]
    if exchange["fixture"] is not None:
        arguments.append(write(folder / f"{exchange['digest']}.json", exchange["fixture"]))
    if exchange["payload"].get("stream"):
        arguments.append("--stream")
    return arguments


def as_reference(body: bytes) -> str:
    """``body`` with its time as the reference data has it."""
    return re.sub(rb'(?<!\\)"created": 0', b'"created":0', body).decode()


def test_the_bytes_of_a_real_process(tmp_path: Path) -> None:
    exchange = next(e for e in EXCHANGES if e["fixture"] and e["payload"].get("stream"))
    ran = run_forked("preview", *exchange_arguments(exchange, tmp_path), folder=tmp_path)
    assert ran.returncode == 0
    assert as_reference(ran.stdout) == exchange["body"]
    assert ran.stderr == b""


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    strategies.payloads,
    strategies.fixtures | st.builds(lambda r: {"response": r}, strategies.delivered_responses),
)
def test_it_is_what_the_server_sends(
    server: RunningServer,
    profile: ProfileName,
    tmp_path: Path,
    payload: dict[str, Any],
    fixture: dict[str, Any],
) -> None:
    # Marked with its fixture, so that no two examples write the same file.
    payload = {**payload, "model": json.dumps([fixture, payload.get("model")])}
    path = server.write_fixture(digest(payload), fixture)
    request = write(tmp_path / "request.json", payload)
    for stream in (False, True):
        sent = ask(server, {**payload, "stream": stream})
        created = re.search(rb'(?<!\\)"created": ?(\d{10})', sent.body)
        arguments = ["--request", request, "--created", created[1].decode() if created else "0"]
        arguments += ["--profile", profile, *(["--stream"] if stream else [])]
        code, shown, said = preview(path, *arguments)
        if code == 0:
            assert shown == sent.body
            assert ("the connection is closed" in said) == sent.is_cut
            assert (f"workbench preview: note: {sent.status} application/json" in said) == (
                sent.status not in (0, 200)
            )
        else:
            assert (code, shown) == (1, b"")
            assert FALLBACK_TEXT[-9:].encode() in sent.body
    path.unlink()


def ask(server: RunningServer, payload: dict[str, Any]) -> TimedReply:
    """What the server sends to the last byte, however it ends."""
    headers = {"Content-Type": "application/json"}
    url = f"{server.url}/v1/chat/completions"
    return asyncio.run(post(url, json.dumps(payload).encode(), headers, patience=20))


@pytest.mark.parametrize(
    ("response", "arguments", "body", "said"),
    [
        (
            {"error": {"status": 429, "retry_after": 20}},
            [],
            b'"message":"Too Many Requests"',
            "workbench preview: note: 429 application/json   Retry-After: 20\n",
        ),
        (
            {"disconnect_after": 0},
            [],
            b"",
            "workbench preview: note: the connection is closed before anything is sent\n",
        ),
        (
            {"content": "abc", "disconnect_after": 2},
            ["--stream"],
            b'"content": "a"',
            "workbench preview: note: then the connection is closed after 2 frames\n",
        ),
        (
            {"content": "abc", "delay_ms": 1500, "chunk_delay_ms": 20},
            ["--stream"],
            b"[DONE]",
            "workbench preview: note: sent after 1,500 ms\n"
            "workbench preview: note: 20 ms before each frame\n",
        ),
        ({"content": "abc", "chunk_delay_ms": 20}, [], b"abc", ""),
    ],
)
def test_what_no_body_says_is_said_beside_it(
    tmp_path: Path, response: dict[str, Any], arguments: list[str], body: bytes, said: str
) -> None:
    path = fixture_file(tmp_path, {"response": response})
    code, shown, notes = preview(path, *arguments)
    assert (code, notes) == (0, said)
    assert body in shown
    assert bool(shown) == bool(body)


def test_a_document_without_a_response_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "answer.json", {"content": "forgot what stands around it"})
    code, body, said = preview(path)
    assert (code, json.loads(body)["choices"][0]["message"]["content"]) == (0, "")
    assert (
        said
        == f'workbench preview: note: {path} has nothing under "response", so the reply is empty '
        f"(to reply to a request: --request {path})\n"
    )
    empty = write(path, {"response": {"content": ""}})
    assert preview(empty)[2] == ""


def test_a_fixture_answers_the_request_it_stores(tmp_path: Path) -> None:
    path = fixture_file(tmp_path, {"response": {"content": "hello"}, "request": PAYLOAD})
    code, body, said = preview(path)
    assert (code, said) == (0, "")
    envelope = json.loads(body)
    assert content(body) == "hello"
    assert envelope["model"] == "gpt-4o"
    assert envelope["id"] == f"chatcmpl-e2e-{digest(PAYLOAD)[:12]}"


def test_a_fixture_without_a_request_answers_an_empty_one(tmp_path: Path) -> None:
    _code, body, _said = preview(fixture_file(tmp_path, {"response": {"content": "hello"}}))
    assert json.loads(body)["model"] == "gpt-4o-mini"
    assert json.loads(body)["id"] == f"chatcmpl-e2e-{digest(PAYLOAD)[:12]}"


def test_a_file_of_another_name_has_the_digest_of_its_request(tmp_path: Path) -> None:
    path = write(tmp_path / "draft.json", {"response": {"content": "a"}, "request": PAYLOAD})
    _code, body, _said = preview(path)
    assert json.loads(body)["id"] == f"chatcmpl-e2e-{digest(PAYLOAD)[:12]}"


def test_a_request_the_server_would_not_answer_so_is_noted(tmp_path: Path) -> None:
    path = fixture_file(tmp_path, {"response": {"content": "hello"}})
    request = write(tmp_path / "request.json", {"model": "other"})
    code, body, said = preview(path, "--request", request)
    assert (code, content(body)) == (0, "hello")
    assert json.loads(body)["id"] == f"chatcmpl-e2e-{digest({'model': 'other'})[:12]}"
    assert said.startswith("workbench preview: note: ")
    assert digest(PAYLOAD)[:12] in said


def test_without_a_fixture_it_is_the_fallback(tmp_path: Path) -> None:
    code, body, _said = preview()
    assert (code, content(body)) == (0, FALLBACK_TEXT)
    _code, body, _said = preview("--request", write(tmp_path / "request.json", PAYLOAD))
    assert content(body) == FALLBACK_TEXT
    assert json.loads(body)["model"] == "gpt-4o"


def test_without_a_fixture_it_is_what_a_directive_says(tmp_path: Path) -> None:
    text = "[[MOCK_LLM_EMIT:aGVsbG8]] [[MOCK_LLM_EMIT:_w]]"
    payload = {"messages": [{"role": "user", "content": text}]}
    code, body, said = preview("--request", write(tmp_path / "request.json", payload))
    assert (code, content(body)) == (0, "hello")
    assert said.startswith("workbench preview: warning: bad MOCK_LLM_EMIT payload")


def test_the_time_is_now_unless_it_is_given(tmp_path: Path) -> None:
    path = fixture_file(tmp_path, {"response": {"content": "a"}})
    assert json.loads(preview(path, "--created", "12")[1])["created"] == 12
    assert json.loads(preview(path)[1])["created"] > 1_700_000_000


@pytest.mark.parametrize(
    ("data", "place", "rule"),
    [
        (b'{\n  "response": {"content": "a" "b"}\n}', ":2:", "invalid-json"),
        (b"[]", ":1:1:", "not-an-object"),
        (b"\xef\xbb\xbf{}", ":1:1:", "not-utf8"),
        (b'{"response":\n {"content": 5}}', ":2:14:", "content-not-string"),
        (b'{"response":\n {"content": "",\n "usage": 5}}', ":3:11:", "usage-shape"),
    ],
)
def test_a_broken_fixture_says_what_and_where(
    tmp_path: Path, data: bytes, place: str, rule: str
) -> None:
    path = fixture_file(tmp_path, data)
    code, body, said = preview(path)
    assert (code, body) == (1, b"")
    assert said.startswith(f"workbench preview: error: {path}{place}")
    assert f" {rule} " in said
    assert said.count("\n") == 1


def test_what_is_nested_too_deeply_is_refused_in_one_line(tmp_path: Path) -> None:
    for depth in range(940, 1000, 4):
        nested = "[" * depth + "]" * depth
        path = fixture_file(tmp_path, f'{{"response": {{"tool_calls": {nested}}}}}'.encode())
        code, body, said = preview(path)
        assert (code == 0) == bool(body)
        assert said.count("\n") == (code != 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json"], "none.json: no such file"),
        (["--request", "none.json"], "none.json: no such file"),
    ],
)
def test_files_that_are_not_there(arguments: list[str], words: str) -> None:
    code, _body, said = preview(*arguments)
    assert code == 2
    assert words in said


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"model": "\\ud800"}'])
def test_a_request_that_is_none(tmp_path: Path, body: bytes) -> None:
    request = write(tmp_path / "request.json", body)
    code, shown, said = preview("--request", request)
    assert (code, shown) == (2, b"")
    assert said.startswith(f"workbench preview: error: {request}: ")
    assert said.count("\n") == 1


def test_standard_input_is_one_thing() -> None:
    said = "workbench preview: error: standard input can be the fixture or the request, not both\n"
    assert preview("-", "--request", "-") == (2, b"", said)


def test_the_request_may_come_from_standard_input(tmp_path: Path) -> None:
    data = json.dumps(PAYLOAD).encode()
    ran = run_forked("preview", "--request", "-", folder=tmp_path, data=data)
    assert json.loads(ran.stdout)["model"] == "gpt-4o"


def test_a_fixture_by_its_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").mkdir()
    for name, text in (("abab" * 16, "one"), ("abac" * 16, "two")):
        write(tmp_path / "fixtures" / f"{name}.json", {"response": {"content": text}})
    by_path = preview(f"fixtures/{'abab' * 16}.json", "--created", "1")
    assert by_path[0] == 0
    for word in ("ababa", "abab" * 16):
        assert preview(word, "--created", "1") == by_path
    for word, problem in (("aba", "aba is too short for a digest"), ("abx", "abx: no such file")):
        code, out, err = preview(word)
        assert (code, out) == (2, b"")
        assert err.startswith(f"workbench preview: error: {problem}")
    assert preview("adad") == (
        2,
        b"",
        "workbench preview: error: no fixture in fixtures begins with adad\n"
        "list the fixtures: workbench list\n",
    )
    write(tmp_path / "adad", {"response": {"content": "a file of this name"}})
    assert b"a file of this name" in preview("adad")[1]


def test_the_profile_is_that_of_the_project(project: Project) -> None:
    file = write(project.folder / f"{'0' * 64}.json", {"response": {"content": "x"}})
    assert "system_fingerprint" not in project.run("preview", file, "--stream").out
    project.settings('profile = "openai"')
    assert "system_fingerprint" in project.run("preview", file, "--stream").out
    given = project.run("preview", file, "--stream", "--profile", "stub")
    assert "system_fingerprint" not in given.out


def test_the_reply_to_one_of_the_first_requests(tmp_path: Path) -> None:
    first = [{"error": {"status": 429, "message": "slow"}}, {"content": "b"}]
    path = write(tmp_path / "a.json", {"first": first, "response": {"content": "z"}})

    def content(*arguments: str) -> tuple[str, str]:
        code, out, said = preview(path, *arguments)
        assert code == 0
        value = json.loads(out)
        text = value["choices"][0]["message"]["content"] if "choices" in value else ""
        return str(text), said

    assert content("--nth", "1") == ("", "workbench preview: note: 429 application/json\n")
    assert content("--nth", "2") == ("b", "")
    assert content("--nth", "3") == content("--nth", "9") == ("z", "")
    replies = "the first 2 requests of a test get other replies; print them with --nth 1"
    note = f"workbench preview: note: {replies}\n"
    assert content() == ("z", note)
    assert preview(path, "--nth", "0")[0] == 2
