"""``workbench hash``."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import reference
from tests.forked import run_forked
from workbench.cli.main import main
from workbench.core.digest import canonical, digest

EMPTY_DIGEST = "29f3a7290b8594218d9533ae1b80fb9c2ff0aac64dcf7b7da97fe02b1393df46"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets standard input."""

    def set_input(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return set_input


def command(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    return run_forked("hash", *arguments, folder=Path.cwd(), data=data)


def test_the_digest_alone_of_standard_input(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["-"]):
        given(b"{}")
        assert main(["hash", *arguments]) == 0
        assert capsys.readouterr() == (EMPTY_DIGEST + "\n", "")


def test_the_digest_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    payload = {"model": "m", "messages": [{"role": "user", "content": "Привет\u2028"}]}
    path = tmp_path / "request.json"
    path.write_text(json.dumps(payload, indent=2), encoding="utf-8")
    assert main(["hash", str(path)]) == 0
    assert capsys.readouterr() == (digest(payload) + "\n", "")


def test_a_fixture_is_no_request(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    given(b'{"response": {"content": "x"}, "request": {"model": "m", "messages": []}}')
    assert main(["hash"]) == 0
    said = (
        "workbench hash: warning: stdin: this is a fixture, not a request; the digest of its "
        "request is in the name of its file\n"
    )
    assert capsys.readouterr() == (EMPTY_DIGEST + "\n", said)


@pytest.mark.parametrize(
    ("asked", "api"),
    [
        ({"input": "hi"}, "responses"),
        ({"contents": []}, "gemini"),
        ({"system": "x", "messages": []}, "messages"),
    ],
)
def test_a_request_of_another_api_is_named(
    asked: dict[str, Any], api: str, given: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    given(json.dumps(asked).encode())
    assert main(["hash"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{digest(asked)}\n"
    assert f"this looks like a request of another API; add --api {api}" in err
    given(json.dumps(asked).encode())
    assert main(["hash", "--api", api]) == 0
    assert "another API" not in capsys.readouterr().err
    given(json.dumps(asked).encode())
    assert main(["hash", "--api", "chat"]) == 0
    assert capsys.readouterr().err == ""


def test_every_reference_digest() -> None:
    cases = reference.digests()
    lines = [json.dumps(case["payload"], ensure_ascii=False) for case in cases]
    ran = command("--jsonl", data="\n".join(lines).encode())
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().split() == [case["digest"] for case in cases]
    assert len(cases) == 401


def test_lines_end_at_line_feeds_only(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    payload = {"messages": [{"content": "a\u2028b\u0085c"}]}
    text = json.dumps(payload, ensure_ascii=False)
    given(f"{text}\r\n{text}\n".encode())
    assert main(["hash", "--jsonl"]) == 0
    assert capsys.readouterr().out == f"{digest(payload)}\n" * 2


@pytest.mark.parametrize("tail", [b"", b"\n", b"\n\n", b"\n \r\n"])
def test_an_empty_last_line_is_passed_over(
    given: Any, capsys: pytest.CaptureFixture[str], tail: bytes
) -> None:
    given(b"{}\n{}" + tail)
    assert main(["hash", "--jsonl"]) == 0
    assert capsys.readouterr().out == f"{EMPTY_DIGEST}\n" * 2


BAD_LINES = [
    (b"{", "not JSON"),
    (b"", "empty"),
    (b'{"a": "\xff"}', "not UTF-8"),
    (b"[1]", "a list"),
    (b"null", "null"),
    (b'"x"', "a string"),
    (b'{"model": "\\ud83d"}', "lone surrogate \\ud83d"),
    (b'{"a": ' + b"9" * 5000 + b"}", "too long"),
    (b"[" * 100_000, "too deep"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_line_ends_it_and_is_named(
    given: Any, capsys: pytest.CaptureFixture[str], line: bytes, words: str
) -> None:
    given(b"{}\n{}\n" + line + b"\n{}\n")
    assert main(["hash", "--jsonl"]) == 2
    out, err = capsys.readouterr()
    assert out == f"{EMPTY_DIGEST}\n" * 2
    assert err.startswith("workbench hash: error: stdin, line 3: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("body", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: bytes, words: str
) -> None:
    path = tmp_path / "request.json"
    path.write_bytes(body)
    assert main(["hash", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"workbench hash: error: {path}: ")
    assert words in err


def test_a_bad_line_of_a_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_bytes(b"{}\n[]\n")
    assert main(["hash", "--jsonl", str(path)]) == 2
    assert capsys.readouterr().err.startswith(
        f"workbench hash: error: {path}, line 2: the body is a list"
    )


@pytest.mark.parametrize("more", [[], ["--jsonl"]])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert main(["hash", str(tmp_path / "none"), *more]) == 2
    assert (
        capsys.readouterr().err
        == f"workbench hash: error: {tmp_path}/none: no such file or directory\n"
    )


def test_bad_input_of_a_real_process_is_one_line() -> None:
    ran = command("--jsonl", data=b'{}\n{"model": "\\ud800"}\n')
    assert (ran.returncode, ran.stdout) == (2, f"{EMPTY_DIGEST}\n".encode())
    assert ran.stderr.startswith(
        b"workbench hash: error: stdin, line 2: the request cannot be hashed"
    )
    assert ran.stderr.count(b"\n") == 1


DOUBTS: list[tuple[str, dict[str, Any], str]] = [
    (
        "responses",
        {"model": "m", "input": "News?", "tools": [{"type": "web_search"}]},
        "no fixture answers this request: this server does not support the built-in tool",
    ),
    (
        "responses",
        {"model": "m", "input": "On.", "previous_response_id": "resp_1"},
        "it continues an earlier reply",
    ),
    (
        "messages",
        {"model": "m", "thread": {"type": "continue", "previous_message_id": "msg_1"}},
        "it continues an earlier reply",
    ),
    ("gemini", {"contents": []}, 'it has no "model"'),
]


@pytest.mark.parametrize(("api", "payload", "words"), DOUBTS)
def test_a_digest_that_the_server_does_not_look_for_is_named(
    given: Any, capsys: pytest.CaptureFixture[str], api: str, payload: dict[str, Any], words: str
) -> None:
    sound = json.dumps({"model": "m", "input": "Hi."})
    given(f"{sound}\n{json.dumps(payload)}\n{sound}\n".encode())
    assert main(["hash", "--jsonl", "--api", api]) == 0
    out, err = capsys.readouterr()
    assert [len(line) for line in out.splitlines()] == [64] * 3
    assert err.startswith(f"workbench hash: warning: stdin, line 2: {words}")
    assert err.count("\n") == 1


def test_a_logged_request_holds_what_it_continues(
    given: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    logged = {"model": "m", "input": "On.", "previous_response_id": "resp_1", "earlier": said}
    asked = [*said, {"role": "user", "content": "On."}]
    given(json.dumps({**logged, "api": "responses"}).encode())
    assert main(["hash"]) == 0
    assert capsys.readouterr() == (digest({"model": "m", "messages": asked}) + "\n", "")


def explain(payload: object, given: Any, capsys: pytest.CaptureFixture[str]) -> list[str]:
    given(json.dumps(payload).encode())
    assert main(["hash", "--explain"]) == 0
    return capsys.readouterr().out.splitlines()


def test_an_explanation(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    payload = {
        "model": "m",
        "messages": [{"role": "user", "content": "é", "refusal": None}, {"role": "tool"}],
        "temperature": 1,
        "stream": True,
    }
    assert explain(payload, given, capsys) == [
        digest(payload),
        "",
        "hashed, in UTF-8:",
        f"  {canonical(payload).text}",
        "",
        "left out:",
        "  temperature, stream",
        "  messages[0]: refusal",
        "",
        "the script in the documentation of mock_llm.py gives another digest, "
        "which no server looks up:",
        "  " + ad_hoc_digest(payload),
        "the script leaves out absent keys, but the server hashes them as null:",
        "  messages[1] has no content",
    ]


def ad_hoc_digest(payload: object) -> str:
    """What the script in the reference's documentation prints."""
    script = (
        "import hashlib, json, sys\n"
        "payload = json.load(sys.stdin)\n"
        "canonical = {'model': payload.get('model'), 'messages': ["
        "{k: v for k, v in msg.items() if k in "
        "{'role', 'content', 'name', 'tool_call_id', 'tool_calls'}} "
        "for msg in payload.get('messages', [])], 'tool_choice': payload.get('tool_choice')}\n"
        "blob = json.dumps(canonical, sort_keys=True, separators=(',', ':'), ensure_ascii=False)\n"
        "print(hashlib.sha256(blob.encode('utf-8')).hexdigest())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(payload).encode(),
        check=True,
        capture_output=True,
    )
    return ran.stdout.decode().strip()


def test_an_explanation_where_nothing_is_left_out(
    given: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    payload = {"messages": [{"role": "user", "content": "hi"}]}
    assert explain(payload, given, capsys) == [
        digest(payload),
        "",
        "hashed, in UTF-8:",
        f"  {canonical(payload).text}",
    ]


@pytest.mark.parametrize(
    ("messages", "left_out"),
    [
        (None, []),
        ("text", ["  messages: a string, which counts as an empty list"]),
        ([5], ["  messages[0]: a number, which is not a message"]),
    ],
)
def test_an_explanation_where_the_script_fails(
    given: Any, capsys: pytest.CaptureFixture[str], messages: object, left_out: list[str]
) -> None:
    lines = explain({"messages": messages}, given, capsys)
    assert [line for line in lines if line.startswith("  messages")] == left_out
    assert lines[-1].startswith("the script in the documentation of mock_llm.py fails")


def test_an_explanation_is_inert(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    payload = {
        "messages": [{"role": "user", "content": "\x9b31m\u202e\x7f\u200b\U000e0041"}],
        "\x1b]52;\ud800": 1,
    }
    lines = explain(payload, given, capsys)
    text = "\n".join(lines)
    assert "hashed, in UTF-8 (control characters are shown escaped):" in lines
    assert "\\u009b31m\\u202e\\u007f\\u200b\\udb40\\udc41" in text
    assert "  \\u001b]52;\\ud800" in lines
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in "".join(lines))


def test_lines_cannot_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["hash", "--jsonl", "--explain"])
    assert caught.value.code == 2
    assert "cannot be used with" in capsys.readouterr().err


def test_it_starts_without_the_terminal_application() -> None:
    program = (
        "import sys; from workbench.cli.main import main; main(['hash']);"
        "heavy = ('textual', 'rich', 'pydantic', 'httpx', 'jsonschema', 'uvicorn', 'asyncio',"
        " 'regex', 'watchfiles', 'platformdirs');"
        "print([m for m in heavy if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], input=b"{}", capture_output=True)
    assert ran.stdout.decode() == f"{EMPTY_DIGEST}\n[]\n"
