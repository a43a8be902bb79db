"""Requests that are none: refused in the API's shape, with the server none the worse for it."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
from pathlib import Path

import openai
import pytest
from openai import OpenAI

from tests.server.running import RunningServer, wait_until
from workbench.core.json.syntax import MAX_DEPTH
from workbench.core.replies.http_reply import json_body

CHAT = "/v1/chat/completions"
ROUTES = [CHAT, "/v1/embeddings"]
JSON = {"Content-Type": "application/json"}
MEBIBYTE = 1024 * 1024

pytestmark = pytest.mark.usefixtures("server_is_none_the_worse")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b"hello", "invalid_json"),
        (b'{"a": "\xff"}', "not_utf8"),
        (b"[]", "not_an_object"),
        (b"null", "not_an_object"),
        (b'{"a": ' + b"9" * 5000 + b"}", "integer_too_long"),
        (b"[" * 100_000, "too_deep"),
        (b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else value,
)
def test_a_body_that_is_no_json_object(
    server: RunningServer, route: str, body: bytes, code: str
) -> None:
    before = server.log_size()
    reply = server.request("POST", route, body, JSON)
    assert reply.status == 400
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["type"]) == (code, "invalid_request_error")
    note, access, end = server.log(before).split("\n")
    assert note == f"[mock-llm] unsupported request POST {route}: {error['message']}"
    assert (access[-5:], end) == ("400 -", "")


def test_each_profile_has_its_own_errors(
    server: RunningServer, openai_server: RunningServer
) -> None:
    plain, real = (
        running.request("POST", CHAT, b"[]", JSON) for running in (server, openai_server)
    )
    assert plain.json() == real.json()
    assert plain.body == json_body(plain.json())
    assert real.body == json.dumps(real.json(), indent=4).encode() + b"\n"
    connection = openai_server.connect()
    connection.putrequest("POST", CHAT)
    connection.putheader("Content-Length", "100")
    connection.putheader("Content-Encoding", "gzip")
    connection.endheaders()
    reply = connection.getresponse()
    assert reply.status == 415
    assert reply.read().startswith(b'{\n    "error": {\n')
    connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/v1/images", openai.BadRequestError), ("/v1/models", openai.APIStatusError)],
)
def test_the_client_understands_a_refusal(
    openai_server: RunningServer, path: str, kind: type[openai.APIStatusError]
) -> None:
    with (
        OpenAI(base_url=openai_server.url, api_key="none", max_retries=0) as client,
        pytest.raises(kind) as caught,
    ):
        client.post(path, cast_to=object, body={})
    assert caught.value.type == "invalid_request_error"
    assert caught.value.code in ("unsupported_request", "method_not_allowed")


@pytest.mark.parametrize(
    ("route", "body"),
    [
        (CHAT, b'{"messages": [{"role": "user", "content": "\\ud800"}]}'),
        ("/v1/embeddings", b'{"input": ["a", "\\ud800"]}'),
    ],
)
def test_half_a_character(server: RunningServer, route: str, body: bytes) -> None:
    reply = server.request("POST", route, body, JSON)
    assert reply.status == 400
    assert reply.json()["error"]["code"] == "lone_surrogate"


def test_a_request_is_nested_as_deeply_as_its_log_is_read(server: RunningServer) -> None:
    for depth, status in ((MAX_DEPTH - 1, 200), (MAX_DEPTH, 400)):
        nested = b"[" * (depth - 1) + b"]" * (depth - 1)
        for route in (CHAT, "/v1/responses"):
            reply = server.request("POST", route, b'{"metadata": ' + nested + b"}", JSON)
            assert reply.status == status
            assert status == 200 or reply.json()["error"]["code"] == "too_deep"


OTHER_TYPES = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=json",
    "application/jsonx",
    "json",
]


@pytest.mark.parametrize(
    "kind",
    [
        *OTHER_TYPES,
        "application/json",
        "APPLICATION/JSON; charset=utf-8",
        "application/vnd.api+json",
        "",
    ],
)
@pytest.mark.parametrize("route", [CHAT, "/v1/embeddings"])
def test_json_is_read_whatever_its_content_type_is(
    server: RunningServer, route: str, kind: str
) -> None:
    body = b'{"input": "a", "messages": []}'
    assert server.request("POST", route, body, {"Content-Type": kind}).status == 200


@pytest.mark.parametrize("kind", OTHER_TYPES)
def test_what_is_not_json_is_refused_by_its_content_type(server: RunningServer, kind: str) -> None:
    reply = server.request("POST", CHAT, b"model=gpt-4o", {"Content-Type": kind})
    assert (reply.status, reply.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert kind.split(";")[0] in reply.json()["error"]["message"]


def test_what_curl_sends_by_itself_is_answered_and_the_log_says_it_once(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as running:
        for path in (CHAT, CHAT, "/v1/embeddings"):
            ran = subprocess.run(
                ["curl", "--silent", "--data", '{"input": "a"}', f"{running.url}{path}"],
                capture_output=True,
                check=True,
            )
            assert json.loads(ran.stdout)["object"] in ("chat.completion", "list")
        said = "read a body as JSON, although its content type is 'application/x-www-form-urlenc"
        assert running.log().count(said) == 1


def test_no_content_type_is_json(server: RunningServer) -> None:
    assert server.request("POST", CHAT, b"{}").status == 200


def test_a_body_in_chunks(server: RunningServer) -> None:
    connection = server.connect()
    pieces = [b'{"model": "m", ', b'"messages"', b": [", b"]}"]
    connection.request("POST", CHAT, iter(pieces), JSON, encode_chunked=True)
    reply = connection.getresponse()
    assert reply.status == 200
    assert b'"model":"m"' in reply.read()
    connection.close()


def test_a_long_body_is_taken(server: RunningServer) -> None:
    text = "x" * (3 * MEBIBYTE)
    reply = server.chat({"messages": [{"role": "user", "content": text}]})
    assert reply.json()["usage"]["prompt_tokens"] == len(text) // 4


def test_a_body_that_is_announced_too_long_is_refused_unread(server: RunningServer) -> None:
    connection = server.connect()
    connection.putrequest("POST", CHAT)
    connection.putheader("Content-Length", str(64 * MEBIBYTE + 1))
    connection.endheaders()
    reply = connection.getresponse()
    assert reply.status == 413
    assert b"64 MiB" in reply.read()
    connection.close()


def test_a_body_that_turns_out_too_long_is_refused_and_listed(server: RunningServer) -> None:
    before = server.log_size()
    connection = server.connect()
    pieces = [b" " * MEBIBYTE] * 65
    connection.request("POST", CHAT, iter(pieces), JSON, encode_chunked=True)
    reply = connection.getresponse()
    assert reply.status == 413
    assert b"body_too_long" in reply.read()
    connection.close()
    assert f"[mock-llm] unsupported request POST {CHAT}: the body is" in server.log(before)


def test_a_client_that_vanishes_while_it_sends_is_logged(server: RunningServer) -> None:
    before = server.log_size()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n")
        client.sendall(b"Content-Length: 100\r\n\r\n{")
    wait_until("a line", lambda: server.log(before))
    assert server.request("GET", "/healthz").status == 200
    line, _ = server.log(before).splitlines()
    assert line.startswith("[mock-llm] POST /v1/chat/completions HTTP/1.1: the connection ended")


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET /\x1b[31m HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ],
)
def test_what_is_no_http_is_refused_and_noted(server: RunningServer, data: bytes) -> None:
    before = server.log_size()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(data)
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")
    wait_until("a note", lambda: "Invalid HTTP request" in server.log(before))
    assert "\x1b" not in server.log(before)


def test_an_upgrade_is_answered_as_if_it_were_none(server: RunningServer) -> None:
    before = server.log_size()
    headers = {"Connection": "Upgrade", "Upgrade": "websocket"}
    assert server.request("GET", "/healthz", headers=headers).status == 200
    note, access, end = server.log(before).split("\n")
    assert note == "[mock-llm] Unsupported upgrade request."
    assert (access[-5:], end) == ("200 -", "")


OFFER = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
)
BODY = b'{"model": "of a client of Java"}'


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY),
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n"
        % (BODY[:5], len(BODY) - 5, BODY[5:]),
    ],
    ids=["length", "chunked"],
)
def test_a_body_that_an_upgrade_offer_loses_is_named(server: RunningServer, rest: bytes) -> None:
    """Java's client offers HTTP/2 with every request to a server it does not know. uvicorn's parser
    ends such a request at its head.
    """
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(OFFER + rest)
        reply = http.client.HTTPResponse(client)
        reply.begin()
        error = json.loads(reply.read())["error"]
    assert (reply.status, error["code"]) == (400, "upgrade_offered")
    assert "HTTP_1_1" in error["message"]


@pytest.mark.parametrize("path", ["/\xff", "/%ff", "/a%0ab", "/%5Bmock-llm%5D%20x"])
def test_strange_paths_stay_on_their_line(server: RunningServer, path: str) -> None:
    before = server.log_size()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode("latin-1"))
        assert client.recv(1000).startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 "))
    wait_until("a line", lambda: server.log(before).endswith("\n"))
    assert server.log(before).isascii()


def test_what_is_not_supported_links_to_the_site_that_the_settings_name(tmp_path: Path) -> None:
    site = {"WORKBENCH_DOCS_URL": "https://docs.example.com/workbench/"}
    with RunningServer(tmp_path, environment=site) as server:
        reply = server.request("POST", "/v1/audio/speech", b"{}", JSON)
    assert reply.status == 400
    message = reply.json()["error"]["message"]
    assert message.endswith("See https://docs.example.com/workbench/apis/")
