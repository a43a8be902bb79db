"""Live verification: a real server beside the preview, and servers that answer something else."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import strategies
from tests.scripted_server import CHUNKED_STREAM, ScriptedServer, chunk, reply
from tests.server.running import RunningServer
from tests.session.support import answer_with, asked, chat, delete, tool, undo, words_of, write
from workbench.core.apis import eventstream
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.text.digests import short
from workbench.io.files.stamps import FileStamp
from workbench.io.network.http_client import NoServerError
from workbench.session.misses.states import MissState, open_misses, state_of
from workbench.session.preview import verify as verifying
from workbench.session.preview.preview import preview
from workbench.session.preview.verify import Claim, Verification, route_url
from workbench.session.session import Session

HELLO = chat()
ANSWER = {"content": "A stub walks into a bar. The barman says: I know that one."}
CALL = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Zürich 🚀"}'},
}
DELAY_MS = 50


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("verify")) as running:
        yield running


@pytest.fixture(scope="module")
def openai_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("openai")
    with RunningServer(folder, arguments=("--profile", "openai")) as running:
        yield running


def text_of(payload: dict[str, Any], response: dict[str, Any]) -> str:
    return new_document(digest(payload), response).text


def claim(url: str, payload: dict[str, Any], response: dict[str, Any], **more: Any) -> Claim:
    return Claim(url, digest(payload), payload, text_of(payload, response), **more)


def save(server: RunningServer, payload: dict[str, Any], response: dict[str, Any]) -> None:
    server.write_fixture(digest(payload), text_of(payload, response).encode())


def verify(claim: Claim, **more: Any) -> Verification:
    return asyncio.run(verifying.verify(claim, **more))


def verified(
    server: RunningServer, payload: dict[str, Any], response: dict[str, Any], **more: Any
) -> Verification:
    """The verification of a fixture that the server has."""
    save(server, payload, response)
    return verify(claim(server.url, payload, response, **more))


# The server that is meant


@pytest.mark.parametrize("stream", [{}, {"stream": True}, {"stream": False}])
def test_the_server_sends_what_is_saved(server: RunningServer, stream: dict[str, Any]) -> None:
    found = verified(server, chat("saved", **stream), ANSWER)
    assert found.holds
    assert (
        found.sentence == f"Verified {short(digest(chat('saved')))}: the server sends exactly this."
    )
    assert (found.envelope.reply.status, found.stream.reply.status) == (200, 200)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ({}, "text/event-stream"),
        ({"stream": True, "alt": "sse"}, "text/event-stream"),
        ({"stream": True, "alt": "json"}, "application/json"),
    ],
)
def test_a_stream_of_gemini_in_each_of_its_forms(
    server: RunningServer, form: dict[str, Any], kind: str
) -> None:
    contents = [{"role": "user", "parts": [{"text": "saved"}]}]
    payload = {"api": "gemini", "model": "gemini-3-pro", "contents": contents, **form}
    asking = view(payload)
    text = new_document(asking.digest, ANSWER).text
    server.write_fixture(asking.digest, text.encode())
    found = verify(Claim(server.url, asking.digest, payload, text))
    assert found.holds
    assert found.stream.reply.headers["content-type"] == kind


@pytest.mark.parametrize(
    "fields", [{"api": "converse"}, {"api": "messages", "platform": "bedrock"}]
)
def test_a_stream_of_bedrock_is_that_of_the_preview(
    server: RunningServer, fields: dict[str, Any]
) -> None:
    messages = [{"role": "user", "content": [{"text": "Hi", "type": "text"}]}]
    payload = {"model": "a.b-v1:0", "messages": messages, "anthropic_version": "x", **fields}
    asking, counts = view(payload), list[int]()
    text = new_document(asking.digest, ANSWER).text
    server.write_fixture(asking.digest, text.encode())
    verification = verify(Claim(server.url, asking.digest, payload, text), on_frames=counts.append)
    assert verification.holds
    assert verification.stream.reply.content_type == "application/vnd.amazon.eventstream"
    assert counts[-1] == len(list(eventstream.frames(verification.stream.reply.body)))


def test_calls_and_text_beyond_ascii(server: RunningServer) -> None:
    payload = chat("weather", tools=[tool()])
    response = {"content": "", "tool_calls": [CALL], "finish_reason": "tool_calls"}
    assert verified(server, payload, response).holds


def test_what_is_lost_in_a_stream_is_sent_as_previewed(server: RunningServer) -> None:
    response = {"content": "lost", "tool_calls": [CALL], "finish_reason": "tool_calls"}
    found = verified(server, chat("lost", tools=[tool()]), response)
    assert found.holds


any_response = strategies.good_responses | strategies.odd_responses | strategies.delivered_responses
some = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@some
@given(any_response, st.uuids())
def test_any_response(server: RunningServer, response: dict[str, Any], unique: object) -> None:
    """Also where the server cannot use the fixture and sends the fallback, as previewed."""
    assert verified(server, chat(str(unique)), response).holds


@some
@given(any_response, st.booleans(), st.uuids())
def test_any_response_as_the_real_api_writes_it(
    openai_server: RunningServer, response: dict[str, Any], include_usage: bool, unique: object
) -> None:
    payload = chat(str(unique), stream_options={"include_usage": include_usage})
    assert verified(openai_server, payload, response, profile="openai").holds


def test_a_server_that_writes_another_profile(openai_server: RunningServer) -> None:
    found = verified(openai_server, chat("profile"), ANSWER)
    assert not found.holds
    assert verified(openai_server, chat("profile"), ANSWER, profile="openai").holds


ERROR = {"error": {"status": 503, "message": "Busy.", "retry_after": 7}}


def test_an_error_that_is_meant(server: RunningServer) -> None:
    found = verified(server, chat("busy"), ERROR)
    assert found.holds
    assert (found.envelope.reply.status, found.stream.reply.status) == (503, 503)
    text = text_of(chat("busy"), {"error": {"status": 503, "message": "Busy."}})
    other = verify(Claim(server.url, digest(chat("busy")), chat("busy"), text))
    assert other.sentence == "The envelope cannot be verified: Retry-After is 7; expected none."
    plain = verify(claim(server.url, chat("busy"), ANSWER))
    assert plain.sentence == "The envelope cannot be verified: the server answers 503."


def test_an_answer_where_an_error_is_meant(server: RunningServer) -> None:
    save(server, chat("fine"), ANSWER)
    found = verify(claim(server.url, chat("fine"), ERROR))
    assert found.sentence == "The envelope cannot be verified: the server answers 200, not 503."


def test_a_closed_connection_that_is_meant(server: RunningServer) -> None:
    found = verified(server, chat("cut"), {**ANSWER, "disconnect_after": 3})
    assert found.holds
    assert (found.envelope.reply.is_cut, found.stream.reply.is_cut) == (True, True)
    save(server, chat("cut"), ANSWER)
    found = verify(claim(server.url, chat("cut"), {**ANSWER, "disconnect_after": 3}))
    assert found.sentence == (
        "The envelope cannot be verified: the server does not close the connection."
    )


def test_no_reply_that_is_meant(server: RunningServer) -> None:
    found = verified(server, chat("gone"), {"disconnect_after": 0})
    assert found.holds
    assert (found.envelope.reply.status, found.stream.reply.status) == (0, 0)
    save(server, chat("gone"), ANSWER)
    found = verify(claim(server.url, chat("gone"), {"disconnect_after": 0}))
    assert found.sentence == "The envelope cannot be verified: the server answers 200, not nothing."
    other = verify(claim(server.url, chat("gone"), {**ANSWER, "disconnect_after": 1}))
    assert not other.holds


def test_a_delay_is_no_reason_to_give_up(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a server takes less than the fixture says is nobody's mistake."""
    monkeypatch.setattr("workbench.session.preview.verify.PATIENCE_SECONDS", 0.2)
    for delay, asked_ms in ("delay_ms", 600), ("chunk_delay_ms", 400):
        save(server, chat(delay), {**ANSWER, delay: asked_ms})
        assert verify(claim(server.url, chat(delay), {**ANSWER, delay: 20_000})).holds


def test_delays_are_waited_for(server: RunningServer) -> None:
    found = verified(server, chat("late"), {**ANSWER, "delay_ms": 60, "chunk_delay_ms": 20})
    assert found.holds
    assert found.stream.reply.first_ms >= 60
    assert found.stream.reply.all_ms >= 60 + 5 * 20


def test_a_draft_that_is_not_saved(server: RunningServer) -> None:
    found = verify(claim(server.url, chat("not saved"), ANSWER, touched=True))
    assert not found.holds
    assert (
        found.sentence == "This draft is not saved yet: the server answers without it. ^s saves it."
    )
    assert found.envelope.difference is not None
    assert found.envelope.difference.actual.startswith(FALLBACK_TEXT[:20])


def test_a_change_that_is_not_saved(server: RunningServer, session: Session) -> None:
    payload = chat("changed")
    save(server, payload, ANSWER)
    stamp = session.store.stamp(digest(payload))
    found = verify(claim(server.url, payload, {"content": "other"}, stamp=stamp, touched=True))
    assert (
        found.sentence == "This draft is not saved yet: the server answers without it. ^s saves it."
    )


@pytest.mark.parametrize("options", [(), ("--strict",)], ids=["fallback", "error"])
def test_a_server_that_reads_another_folder(
    tmp_path: Path, session: Session, options: tuple[str, ...]
) -> None:
    payload = chat("elsewhere")
    path = write(session, digest(payload), text_of(payload, ANSWER))
    stamp = session.store.stamp(path.stem)
    (other := tmp_path / "other").mkdir()
    with RunningServer(other, arguments=options) as server:
        found = verify(claim(server.url, payload, ANSWER, stamp=stamp))
        draft = verify(claim(server.url, payload, ANSWER, touched=True))
    assert draft.sentence.startswith("This draft is not saved yet")
    name = short(digest(payload))
    assert found.sentence == f"This is a miss for the server: it does not see {name}….json."


def test_it_is_no_miss(server: RunningServer) -> None:
    before = server.log_size()
    payload = chat("no miss of mine")
    verify(claim(server.url, payload, ANSWER))
    assert "no miss of mine" not in server.log(before)
    assert digest(payload) not in server.log(before)


def test_the_url_may_end_as_clients_want_it(server: RunningServer) -> None:
    save(server, HELLO, ANSWER)
    for end in ("", "/", "/v1", "/v1/"):
        assert verify(claim(server.url + end, HELLO, ANSWER)).holds
    assert (
        route_url("http://h:1/prefix/v1", "/v1/chat/completions")
        == "http://h:1/prefix/v1/chat/completions"
    )


def test_delays_are_seen(tmp_path: Path) -> None:
    environment = {"MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS": str(DELAY_MS)}
    counts: list[int] = []
    with RunningServer(tmp_path, environment=environment) as slow:
        save(slow, HELLO, ANSWER)
        found = verify(claim(slow.url, HELLO, ANSWER), on_frames=counts.append)
    assert found.holds
    # How late a frame is read is the machine's business, how early the server's: the last is sent
    # after five delays.
    assert found.stream.reply.all_ms > 5 * DELAY_MS * 0.9
    assert counts == sorted(counts)
    assert counts[-1] == 7


def test_it_can_be_stopped_while_the_server_waits(tmp_path: Path) -> None:
    with RunningServer(tmp_path, environment={"MOCK_LLM_FORCE_TOTAL_DELAY_MS": "600000"}) as slow:
        asking = verifying.verify(claim(slow.url, HELLO, ANSWER))
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(asking, 0.2))


def test_there_is_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(NoServerError) as caught:
        verify(claim(f"http://127.0.0.1:{port}/v1", HELLO, ANSWER))
    assert caught.value.where == f"127.0.0.1:{port}"


@pytest.mark.parametrize("url", ["nonsense", "http://[", "ftp://x"])
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(NoServerError):
        verify(claim(url, HELLO, ANSWER))


# Servers that answer something else


def scripted(envelope: bytes, stream: bytes) -> ScriptedServer:
    """A server that answers plain requests with one reply, streamed ones with another."""

    def answer(connection: socket.socket, request: bytes) -> None:
        body = json.loads(request.partition(b"\r\n\r\n")[2])
        connection.sendall(stream if body["stream"] else envelope)

    return ScriptedServer(answer)


def frames_of(created: int = 0) -> list[bytes]:
    shown = preview(new_document(digest(HELLO), ANSWER), digest(HELLO), HELLO, created=created)
    return [frame.data for frame in shown.frames]


def envelope_of(created: int = 0) -> bytes:
    document = new_document(digest(HELLO), ANSWER)
    return preview(document, digest(HELLO), HELLO, created=created).envelope


def stream_of(*frames: bytes) -> bytes:
    return CHUNKED_STREAM + b"".join(map(chunk, frames)) + chunk(b"")


def against(
    envelope: bytes | None = None, stream: bytes | None = None, **more: Any
) -> Verification:
    """The verification of ``ANSWER`` against these replies; as previewed where not given."""
    whole = reply(envelope_of()) if envelope is None else envelope
    streamed = stream_of(*frames_of()) if stream is None else stream
    with scripted(whole, streamed) as other:
        return verify(claim(other.url, HELLO, ANSWER, **more))


def test_the_time_alone_may_differ() -> None:
    """Also from frame to frame, as a server writes them that looks at its clock for each."""
    frames = [frames_of(1_800_000_000 + n)[n] for n in range(7)]
    assert against(reply(envelope_of(1_700_000_000)), stream_of(*frames)).holds


@pytest.mark.parametrize("created", ["-1", "true", '"0"', "1.0", "9" * 30, "null"])
def test_a_time_that_is_none_differs(created: str) -> None:
    body = envelope_of().replace(b'"created":0', b'"created":' + created.encode())
    assert not against(reply(body)).envelope.holds


def test_one_byte_of_one_frame() -> None:
    frames = frames_of()
    frames[3] = frames[3].replace(b"The barman", b"the barman")
    found = against(stream=stream_of(*frames))
    assert (found.envelope.holds, found.stream.holds, found.holds) == (True, False, False)
    difference = found.stream.difference
    assert difference is not None
    assert b"".join(frames)[difference.byte :].startswith(b"the barman")
    assert difference.expected.startswith("The barman")
    assert difference.actual.startswith("the barman")


def saved_claim(**more: Any) -> dict[str, Any]:
    """What makes a claim one about a saved file."""
    return {"stamp": FileStamp(1, 1, 1), **more}


def test_what_differs_is_named() -> None:
    frames = frames_of()
    frames[3] = frames[3].replace(b"The", b"the")
    found = against(stream=stream_of(*frames), **saved_claim())
    assert found.sentence == "The server sends something else: the stream differs."
    body = reply(envelope_of().replace(b"stub", b"Stub"))
    found = against(body, **saved_claim())
    assert found.sentence == "The server sends something else: the envelope differs."
    found = against(body, stream_of(*frames), **saved_claim())
    assert found.sentence == "The server sends something else: the envelope and the stream differ."


def test_another_reply_in_place_of_the_stream() -> None:
    response = {"error": {"status": 503, "message": "Busy."}}
    shown = preview(new_document(digest(HELLO), response), digest(HELLO), HELLO).envelope
    busy = [
        reply(body, status="503 Service Unavailable")
        for body in (shown, shown.replace(b"Busy", b"Gone"))
    ]
    with scripted(*busy) as other:
        found = verify(claim(other.url, HELLO, response, **saved_claim()))
    assert found.sentence == "The server sends something else: the stream differs."


@pytest.mark.parametrize(
    "change",
    [
        lambda frames: frames[:-1],
        lambda frames: [*frames, b": bye\n\n"],
        lambda frames: [*frames[:2], frames[2][:30]],
        lambda _: [],
        lambda _: [b"data: {}\n\n"] * 1000,
    ],
    ids=["too few", "too many", "broken off", "none", "without end"],
)
def test_a_stream_of_other_frames(change: Callable[[list[bytes]], list[bytes]]) -> None:
    found = against(stream=stream_of(*change(frames_of())))
    assert (found.envelope.holds, found.stream.holds) == (True, False)


@pytest.mark.parametrize(
    ("kind", "status", "problem"),
    [
        ("text/html", "200 OK", "the content type is text/html, not application/json"),
        ("application/json", "503 Service Unavailable", "the server answers 503"),
        ("application/json", "404 Not Found", "the server answers 404"),
    ],
)
def test_a_reply_of_another_kind(kind: str, status: str, problem: str) -> None:
    other = reply(b"<html>no</html>", kind, status)
    found = against(other, other)
    assert found.envelope.problem == problem
    assert found.sentence == f"The envelope cannot be verified: {problem}."


def test_a_stream_that_is_none() -> None:
    found = against(stream=reply(envelope_of()))
    assert found.sentence == (
        "The stream cannot be verified: the content type is application/json, "
        "not text/event-stream."
    )


def test_a_stream_that_breaks_off() -> None:
    found = against(stream=CHUNKED_STREAM + chunk(frames_of()[0]))
    assert found.stream.problem.startswith("the reply broke off: peer closed connection")
    assert not found.holds


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"null", b"[]", b"{", b"\xff", b'{"choices": []}', b'{"choices": [{"message": 1}]}'),
        b"[" * 100_000,
    ],
)
def test_nonsense_is_told_not_raised(body: bytes) -> None:
    found = against(reply(body), stream_of(b"data: " + body + b"\n\n"))
    assert not found.envelope.holds
    assert not found.stream.holds


# What the session remembers


def verified_in(session: Session, payload: dict[str, Any] = HELLO, **more: Any) -> Verification:
    """A verification that holds, of the draft as the session has it."""
    found = digest(payload)
    draft = session.drafting.open(found)
    shown = preview(draft.document, found, payload)
    streamed = stream_of(*(frame.data for frame in shown.frames))
    with scripted(reply(shown.envelope), streamed) as other:
        stamp = session.store.stamp(found)
        asked_for = Claim(other.url, found, payload, draft.text, stamp, draft.touched)
        return verify(asked_for._replace(**more))


def test_a_saved_miss_becomes_verified(session: Session) -> None:
    (found,) = asked(session, HELLO)
    answer_with(session, found, "an answer")
    session.save(found)
    assert words_of(session, [found]) == ["saved"]
    session.miss_fixtures.take_verification(verified_in(session))
    state = state_of(session, found)
    assert (state.word, state.is_verified, state.is_done) == ("saved", True, True)
    assert open_misses(session) == []
    # The watcher tells of the save itself a little later.
    session.take_files([f"{found}.json"])
    assert state_of(session, found).is_verified


def test_a_change_of_the_file_ends_it(session: Session) -> None:
    (found,) = asked(session, HELLO)
    write(session, found, text_of(HELLO, ANSWER))
    session.miss_fixtures.take_verification(verified_in(session))
    assert state_of(session, found).is_verified
    write(session, found, text_of(HELLO, {"content": "changed"}))
    assert state_of(session, found).word == "elsewhere"
    assert not state_of(session, found).is_verified


def test_undo_and_deleting_end_it(session: Session) -> None:
    (found,) = asked(session, HELLO)
    answer_with(session, found, "an answer")
    session.save(found)
    session.miss_fixtures.take_verification(verified_in(session))
    undo(session)
    assert words_of(session, [found]) == ["draft"]
    session.save(found)
    session.miss_fixtures.take_verification(verified_in(session))
    delete(session, found)
    assert not state_of(session, found).is_verified


def test_a_file_that_changed_while_it_was_verified_is_not(session: Session) -> None:
    (found,) = asked(session, HELLO)
    write(session, found, text_of(HELLO, ANSWER))
    outcome = verified_in(session)
    write(session, found, text_of(HELLO, {"content": "changed"}))
    session.miss_fixtures.take_verification(outcome)
    assert state_of(session, found).word == "elsewhere"
    assert not state_of(session, found).is_verified


def test_what_no_file_holds_is_not_verified(session: Session) -> None:
    (found,) = asked(session, HELLO)
    outcome = verified_in(session)
    assert outcome.holds
    session.miss_fixtures.take_verification(outcome)
    assert state_of(session, found) == MissState("missing")


def test_a_verification_that_fails_takes_the_one_before_back(session: Session) -> None:
    (found,) = asked(session, HELLO)
    write(session, found, text_of(HELLO, ANSWER))
    session.miss_fixtures.take_verification(verified_in(session))
    stamp = session.store.stamp(found)
    session.miss_fixtures.take_verification(against(reply(b"{}"), stamp=stamp))
    assert state_of(session, found).word == "elsewhere"
    assert not state_of(session, found).is_verified


@pytest.mark.parametrize("at", [("first", 0), ("first", 1), ("response",)])
def test_each_answer_of_a_sequence_is_verified_and_taken_from_nobody(
    server: RunningServer, at: tuple[str | int, ...]
) -> None:
    payload = chat(f"in turn, {at}")
    value = {
        "first": [{"error": {"status": 429, "retry_after": 3}}, {"content": "b"}],
        "response": {"content": "z"},
    }
    text = json.dumps(value)
    server.write_fixture(digest(payload), text.encode())
    found = verify(Claim(server.url, digest(payload), payload, text, at=at))
    assert found.holds
    assert server.chat(payload).status == 429
