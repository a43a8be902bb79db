"""Upstreams that do what no upstream should: what the client of a recording server gets, and what
is kept. The upstream is a real socket that says exactly what it is told.
"""

from __future__ import annotations

import gzip
import http.client
import json
import zlib
from collections.abc import Iterator

import pytest

from tests.server.running import Response, wait_until
from tests.server.scripted_upstream import RecordingServer, chunk, head, recording_server
from workbench.core.digest import digest

MEBIBYTE = 1024 * 1024
CHUNK = {"id": "x", "object": "chat.completion.chunk", "created": 1}
EVENTS = [
    *({**CHUNK, "choices": [{"index": 0, "delta": {"content": t}}]} for t in ("A ", "bar")),
    {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
FRAMES = [*(b"data: %s\n\n" % json.dumps(event).encode() for event in EVENTS), b"data: [DONE]\n\n"]
STREAM = b"".join(FRAMES)
MESSAGE = {"role": "assistant", "content": "A bar"}
WHOLE = json.dumps({"choices": [{"message": MESSAGE, "finish_reason": "stop"}]}).encode()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordingServer]:
    with recording_server(tmp_path_factory.mktemp("recording")) as running:
        yield running


def compressed(name: str, parts: list[bytes]) -> list[bytes]:
    """Each part so that it can be read when it arrives."""
    bits = {"gzip": 31, "deflate": 15}[name]
    made = zlib.compressobj(wbits=bits)
    return [*(made.compress(part) + made.flush(zlib.Z_SYNC_FLUSH) for part in parts), made.flush()]


EVENT_STREAM = {"content_type": "text/event-stream", "transfer_encoding": "chunked"}


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_stream_that_is_compressed_unasked_is_relayed_and_kept_readable(
    recording: RecordingServer, encoding: str
) -> None:
    parts = [chunk(part) for part in compressed(encoding, FRAMES) if part]
    reply = recording.tell(
        head(content_encoding=encoding, **EVENT_STREAM), *parts, chunk(b""), stream=True
    )
    assert (reply.status, reply.body) == (200, STREAM)
    assert "content-encoding" not in reply.headers
    assert recording.outcome().body == STREAM
    assert sum(length for _, length in recording.outcome().frames) == len(STREAM)
    wait_until("saved", recording.fixture.exists)
    assert json.loads(recording.fixture.read_bytes())["response"]["content"] == "A bar"


def test_a_whole_reply_that_is_compressed_unasked(recording: RecordingServer) -> None:
    data = gzip.compress(WHOLE)
    reply = recording.tell(head(content_encoding="GZIP", content_length=str(len(data))), data)
    assert (reply.status, reply.body) == (200, WHOLE)
    assert reply.headers["content-length"] == str(len(WHOLE))
    assert recording.outcome().body == WHOLE


def test_codings_on_top_of_each_other_are_refused_unread(recording: RecordingServer) -> None:
    data = gzip.compress(gzip.compress(bytes(8 * MEBIBYTE)))
    reply = recording.tell(head(content_encoding="gzip, gzip"), data)
    assert_failed(
        reply, "its reply is encoded as 'gzip, gzip'; only gzip and deflate are supported"
    )


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "aes128gcm"])
def test_an_encoding_nobody_here_knows_is_refused(
    recording: RecordingServer, encoding: str
) -> None:
    reply = recording.tell(head(content_encoding=encoding, content_length="3"), b"\x1b\x00\x00")
    assert_failed(
        reply, f"its reply is encoded as '{encoding}'; only gzip and deflate are supported"
    )
    assert not recording.fixture.exists()


@pytest.mark.parametrize(
    "status", ["600 What", "999 Never", "301 Moved", "304 Not Modified", "000 None"]
)
def test_a_status_that_is_no_reply_is_refused(recording: RecordingServer, status: str) -> None:
    reply = recording.tell(head(status, content_length="2", location="http://other/"), b"{}")
    assert_failed(reply, "" if status[0] == "0" else f"it answers with status {status[:3]}")


def test_a_status_of_its_own_is_passed_on(recording: RecordingServer) -> None:
    reply = recording.tell(head("529 Overloaded", content_length="2", retry_after="3"), b"{}")
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (529, b"{}", "3")


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"HTTP/1.1 2",),
        (b"SSH-2.0-OpenSSH_9.9\r\n",),
        (head(content_length="100"), WHOLE[:10]),
        (head(transfer_encoding="chunked"), chunk(WHOLE[:10])),
        (head(transfer_encoding="chunked"), b"zz\r\n" + WHOLE),
        (head(transfer_encoding="chunked"), b"-5\r\n" + WHOLE),
        (head(content_encoding="gzip", content_length="9"), b"no gzip!!"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",),
    ],
    ids=range(9),
)
def test_a_reply_that_breaks_off_is_an_error(
    recording: RecordingServer, parts: tuple[bytes, ...]
) -> None:
    assert_failed(recording.tell(*parts), f"127.0.0.1:{recording.upstream.port}: ")
    assert not recording.fixture.exists()


@pytest.mark.parametrize("end", [b"", b"zz\r\n", b"5\r\nda"])
def test_a_stream_that_breaks_off_does_so_for_the_client(
    recording: RecordingServer, end: bytes
) -> None:
    with pytest.raises(http.client.IncompleteRead):
        recording.tell(head(**EVENT_STREAM), chunk(FRAMES[0]), end, stream=True)
    wait_until("said", lambda: f"{digest(recording.payload)[:12]} broke off" in log(recording))
    assert recording.outcome().body.startswith(FRAMES[0])
    assert not recording.outcome().is_complete
    assert not recording.fixture.exists()


def test_a_reply_without_an_end_is_left(recording: RecordingServer) -> None:
    piece = chunk(b" " * (1024 * 1024))
    reply = recording.tell(head(transfer_encoding="chunked"), *[piece] * 66)
    assert_failed(reply, "its reply is longer than 64 MiB")


def test_a_whole_reply_that_failed_is_not_recorded(recording: RecordingServer) -> None:
    """Its client got an error: it would stand in the run as a reply of status 200."""
    assert recording.tell(head(content_length=str(len(WHOLE))), WHOLE).status == 200
    before = recording.outcome()
    reply = recording.tell(head(content_length="100"), WHOLE[:10], text="again")
    assert_failed(reply, f"127.0.0.1:{recording.upstream.port}: ")
    assert recording.outcome() == before
    assert recording.server.request("GET", "/__workbench/exchanges").json()[-1]["status"] == 200
    assert '" 502 -' in log(recording)


def test_a_reply_that_is_too_long_when_it_is_unpacked_is_left(recording: RecordingServer) -> None:
    data = gzip.compress(b" " * (65 * MEBIBYTE), 1)
    reply = recording.tell(head(content_encoding="gzip", content_length=str(len(data))), data)
    assert_failed(reply, "its reply is longer than 64 MiB")
    assert not recording.fixture.exists()


def test_headers_need_not_be_ascii(recording: RecordingServer) -> None:
    kind = "application/json; title=Ünïcödé"
    parts = head(content_type=kind, content_length=str(len(WHOLE))), WHOLE
    reply = recording.tell(*parts, headers={"X-Title": "Ünïcödé"})
    assert (reply.status, reply.body) == (200, WHOLE)
    assert reply.headers["content-type"] == kind


@pytest.mark.parametrize("name", ["content_type", "retry_after"])
def test_headers_with_control_characters_are_not_relayed(
    recording: RecordingServer, name: str
) -> None:
    lengths = {"content_length": str(len(WHOLE))}
    reply = recording.tell(head(**lengths, **{name: "a\x1b]0;title\x07"}), WHOLE)
    assert_failed(reply, f"its header {name.replace('_', '-')} has control characters")
    assert not recording.fixture.exists()


def assert_failed(reply: Response, said: str) -> None:
    assert reply.status == 502
    error = reply.json()["error"]
    assert (error["type"], error["code"]) == ("server_error", "upstream_failed")
    assert said in error["message"]


def log(recording: RecordingServer) -> str:
    return recording.server.log()
