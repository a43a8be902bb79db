"""Credentials that an upstream repeats: whatever way they came and are repeated, nothing keeps
them. The client, the server and the upstream are real.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import IncompleteRead
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from tests.server.running import Response, wait_until
from tests.server.scripted_upstream import RecordingServer, chunk, head, recording_server
from workbench.core.digest import digest
from workbench.io.recordings.recording_file import Recording, journals

NOT_RECORDED = "x-workbench-not-recorded"
BASE_KEY = "of-the-base-url-0123456789"
_numbers = count(1)


class Sent(NamedTuple):
    """How a credential is sent."""

    headers: dict[str, str]
    query: str = ""


def basic(secret: str) -> Sent:
    return Sent({"Authorization": "Basic " + base64.b64encode(f"me:{secret}".encode()).decode()})


SOURCES: dict[str, Callable[[str], Sent]] = {
    "authorization": lambda s: Sent({"Authorization": f"Bearer {s}"}),
    "authorization-alone": lambda s: Sent({"Authorization": s}),
    "basic": basic,
    "proxy-authorization": lambda s: Sent({"Proxy-Authorization": f"Bearer {s}"}),
    "api-key": lambda s: Sent({"api-key": s}),
    "x-api-key": lambda s: Sent({"X-Api-Key": s}),
    "x-goog-api-key": lambda s: Sent({"x-goog-api-key": s}),
    "x-auth-token": lambda s: Sent({"X-Auth-Token": s}),
    "cookie": lambda s: Sent({"Cookie": f"theme=dark; sid={s}; a=b"}),
    "query-key": lambda s: Sent({}, f"?alt=sse&key={s}"),
    "query-api_key": lambda s: Sent({}, f"?api_key={s}"),
    "query-api-key": lambda s: Sent({}, f"?api-key={s}&x=1"),
    "query-access_token": lambda s: Sent({}, f"?access_token={s}"),
    "query-token": lambda s: Sent({}, f"?token={quote(s, '')}"),
}


def whole(message: dict[str, Any]) -> list[bytes]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return said(json.dumps({"choices": [choice]}).encode())


def said(body: bytes, status: str = "200 OK", **headers: str) -> list[bytes]:
    return [head(status, content_length=str(len(body)), **headers), body]


def calls(arguments: str) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"content": None, "tool_calls": [call]}


def streamed(deltas: list[dict[str, Any]]) -> list[bytes]:
    """A stream of these deltas."""
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    events = [json.dumps({"id": "x", "choices": [choice]}).encode() for choice in choices]
    frames = [b"data: %s\n\n" % event for event in [*events, b"[DONE]"]]
    kind = {"content_type": "text/event-stream", "transfer_encoding": "chunked"}
    return [head(**kind), *map(chunk, frames), chunk(b"")]


def argument_delta(part: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": part}}]}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


ECHOES: dict[str, Callable[[str], list[bytes]]] = {
    "plain": lambda s: whole({"content": f"your key is {s}."}),
    "escaped": lambda s: said(
        b"".join(whole({"content": "@"})[1:]).replace(b"@", escaped(s).encode())
    ),
    "arguments": lambda s: whole(calls(json.dumps({"key": s}))),
    "escaped in arguments": lambda s: whole(calls(f'{{"key": "{escaped(s)}"}}')),
    "three deep": lambda s: whole(calls(json.dumps({"json": f'{{"key": "{escaped(s)}"}}'}))),
    "base64": lambda s: whole({"content": base64.b64encode(f"k={s};".encode()).decode()}),
    "percent": lambda s: whole({"content": "".join(f"%{ord(c):02X}" for c in s)}),
    "deltas": lambda s: streamed([{"content": part} for part in halves(s)]),
    "deltas of arguments": lambda s: streamed(
        [argument_delta(part) for part in ('{"key": "\\u00', f'{ord(s[0]):02x}{s[1:]}"}}')]
    ),
    "an error": lambda s: said(json.dumps({"error": {"message": s}}).encode(), "401 No"),
    "a content type": lambda s: said(b"{}", content_type=f"application/json; for={s}"),
    "an encoding": lambda s: said(b"{}", content_encoding=s),
    "a stream without an end": lambda s: streamed([{"content": p} for p in halves(s)])[:-2],
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordingServer]:
    folder = tmp_path_factory.mktemp("recording")
    with recording_server(folder, f"?api-version=1&key={BASE_KEY}") as running:
        yield running


@pytest.fixture
def secret() -> str:
    """One that no test has used, and that no pattern knows."""
    return f"Very+{next(_numbers):04}/Secret=Thing"


def kept(recording: RecordingServer, secret: str) -> list[str]:
    """Where a secret, or its second half, is to be found, in any encoding that is tried here."""
    forms = [secret, halves(secret)[1], quote(secret, ""), escaped(secret), escaped(secret)[1:]]
    forms += ["".join(f"%{ord(c):02X}" for c in secret)]
    forms += [base64.b64encode(f"{b}{secret}".encode()).decode()[4:-4] for b in ("", "k=", "me:")]
    files = [path for path in recording.folder.rglob("*") if path.is_file()]
    texts = {str(path): path.read_text() for path in files}
    for name in ("exchanges", "misses", f"misses/{digest(recording.payload)}"):
        texts[name] = recording.server.request("GET", f"/__workbench/{name}").body.decode()
    return [name for name, text in texts.items() if any(form in text for form in forms)]


def told(
    recording: RecordingServer, sent: Sent, parts: list[bytes], text: str = ""
) -> Response | None:
    """The reply; None where it broke off."""
    with suppress(IncompleteRead):
        return recording.tell(
            *parts,
            stream=b"event-stream" in parts[0],
            headers=sent.headers,
            query=sent.query,
            text=text,
        )
    return None


def assert_nothing_kept(recording: RecordingServer, secret: str, before: int) -> None:
    key = digest(recording.payload)
    wait_until("said", lambda: "not recorded" in recording.server.log(before))
    wait_until("noted", lambda: key in exchanges(recording))
    assert kept(recording, secret) == []
    assert not recording.fixture.exists()


def exchanges(recording: RecordingServer) -> str:
    return recording.server.request("GET", "/__workbench/exchanges").body.decode()


@pytest.mark.parametrize("source", SOURCES)
def test_a_reply_that_repeats_a_credential_is_not_kept(
    recording: RecordingServer, secret: str, source: str
) -> None:
    before = recording.server.log_size()
    reply = told(recording, SOURCES[source](secret), ECHOES["plain"](secret))
    assert reply is not None
    assert reply.status == 200
    assert reply.headers[NOT_RECORDED] == "the recording would contain the key of the request"
    assert_nothing_kept(recording, secret, before)


@pytest.mark.parametrize("echo", ECHOES)
def test_whatever_way_it_is_repeated(recording: RecordingServer, secret: str, echo: str) -> None:
    before = recording.server.log_size()
    reply = told(recording, SOURCES["x-api-key"](secret), ECHOES[echo](secret))
    if echo == "an encoding":
        assert reply is not None
        assert reply.status == 502
        assert reply.json()["error"]["message"].endswith(
            ": its reply is encoded as '…'; only gzip and deflate are supported"
        )
        assert kept(recording, secret) == []
    else:
        assert_nothing_kept(recording, secret, before)


def test_the_key_of_the_base_url_is_not_kept_either(recording: RecordingServer) -> None:
    before = recording.server.log_size()
    assert told(recording, Sent({}), ECHOES["escaped in arguments"](BASE_KEY)) is not None
    assert_nothing_kept(recording, BASE_KEY, before)


@pytest.mark.parametrize("source", ["authorization", "cookie", "query-key", "basic"])
def test_a_request_that_repeats_its_credential_is_not_written_down(
    recording: RecordingServer, secret: str, source: str
) -> None:
    before = recording.server.log_size()
    reply = told(recording, SOURCES[source](secret), whole({"content": "yes"}), f"is {secret} ok?")
    assert reply is not None
    assert reply.headers[NOT_RECORDED] == "the request contains its own key"
    log = recording.server.log(before)
    assert f"unknown fixture hash {digest(recording.payload)}" in log
    assert "without its request, which contains the key that was sent" in log
    assert kept(recording, secret) == []
    assert json.loads(recording.fixture.read_bytes())["response"]["content"] == "yes"
    # The same from the fixture.
    again = recording.server.post(
        f"/v1/chat/completions{SOURCES[source](secret).query}",
        recording.payload,
        SOURCES[source](secret).headers,
    )
    assert (again.content, again.headers[NOT_RECORDED]) == ("yes", reply.headers[NOT_RECORDED])
    assert kept(recording, secret) == []


def test_what_concerns_the_clients_own_connection_is_withheld(recording: RecordingServer) -> None:
    given = {
        "Cookie": "sid=very-secret-thing",
        "Proxy-Authorization": "Basic very-secret-thing",
        "Referer": "http://very-secret-thing/",
        "TE": "trailers",
        "Accept-Encoding": "gzip, br",
        "X-Workbench-Node": "planner",
        "X-Mock-LLM-Total-Delay-Ms": "0",
    }
    told(recording, Sent({**given, "X-Kept": "yes"}), whole({"content": "yes"}))
    asked = recording.upstream.requests[-1].partition(b"\r\n\r\n")[0].decode().lower()
    names = {line.partition(":")[0] for line in asked.splitlines()[1:]}
    assert names & {name.lower() for name in given} == {"accept-encoding"}
    assert "accept-encoding: identity\n" in asked.replace("\r", "") + "\n"
    assert "x-kept: yes" in asked
    assert "very-secret-thing" not in asked


def test_others_are_kept_and_their_query_is_passed_on_and_not_logged(
    recording: RecordingServer, secret: str
) -> None:
    before = recording.server.log_size()
    query = f"?api-version=2024-10-21&key={quote(secret, '')}&x=%C3%BC"
    reply = told(recording, Sent({"X-Api-Key": "short"}, query), whole({"content": "a short one"}))
    assert reply is not None
    assert NOT_RECORDED not in reply.headers
    target = recording.upstream.requests[-1].partition(b" HTTP/1.1")[0].decode()
    assert target == f"POST /v1/chat/completions?api-version=1&key={BASE_KEY}&{query[1:]}"
    assert recording.fixture.exists()
    assert '"POST /v1/chat/completions?... HTTP/1.1" 200 -' in recording.server.log(before)
    for path in ("/v1/nothing", "/__workbench/nothing", "/v1/models"):
        recording.server.request("PUT", path + query)
    assert kept(recording, secret) == []
    (run,) = journals(recording.folder / ".workbench" / "runs")
    assert b"a short one" in list(Recording(run).exchanges())[-1].outcome.body  # type: ignore[union-attr]
