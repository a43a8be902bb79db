"""What an upstream is, before it is asked. For how it is asked see
``tests/server/misses/test_recording.py``."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys

import pytest

from tests.scripted_server import ScriptedServer
from workbench.core.written.credentials import Credentials
from workbench.io.network.upstream import Upstream, UpstreamError
from workbench.io.network.upstream_url import KEY_VARIABLE, api_url, host_of

NO_URLS = ["", "api.openai.com", "ftp://host/v1", "http://", "http://[::1/v1", "http://h:99999/v1"]


@pytest.mark.parametrize("url", [*NO_URLS, "http://host:0/v1"])
def test_what_is_no_url_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not a URL such as") as caught:
        host_of(url)
    assert repr(url) in str(caught.value)
    with pytest.raises(ValueError, match="is not a URL such as"):
        Upstream(url)


def test_the_host_of_a_url_without_its_path() -> None:
    assert host_of("https://api.openai.com/v1") == "api.openai.com"
    assert host_of("http://127.0.0.1:8000/v1/") == "127.0.0.1:8000"


def test_a_password_in_the_url_is_refused_and_not_shown() -> None:
    with pytest.raises(ValueError, match=f"put the key into {KEY_VARIABLE}") as caught:
        host_of("https://me:hunter2@api.openai.com/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://me:hunter2@api.openai.com:99999/v1?key=hunter2",
        "ftp://host/v1?key=hunter2",
        "me:hunter2@api.openai.com",
        "https://me:hunt?er2@host:0",
        "ftp://host/v1#hunter2",
    ],
)
def test_nothing_secret_of_what_is_no_url_is_shown(url: str) -> None:
    with pytest.raises(ValueError, match="is not a URL such as") as caught:
        host_of(url)
    assert "hunt" not in str(caught.value)
    assert "er2" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk\x00", "sk-ü", "sk\nx: y"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(
        ValueError, match=f"^{KEY_VARIABLE} contains characters that a key cannot have$"
    ):
        Upstream("http://host/v1", key)


def test_the_key_of_the_environment_has_no_blanks_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, " sk-12345 \n")
    upstream = Upstream.from_environment("http://host/v1")
    said = Credentials(upstream.secrets).masked("Incorrect API key: sk-12345.")
    assert said == "Incorrect API key: …."
    asyncio.run(upstream.close())
    monkeypatch.delenv(KEY_VARIABLE)
    upstream = Upstream.from_environment("http://host/v1")
    assert Credentials(upstream.secrets).masked("as it is") == "as it is"
    asyncio.run(upstream.close())


def test_what_stands_for_a_key_where_none_is_needed_is_no_secret() -> None:
    upstream = Upstream("http://host/v1", "x")
    assert Credentials(upstream.secrets).masked("an example") == "an example"
    asyncio.run(upstream.close())


def test_the_secrets_of_an_upstream_are_its_key_and_those_in_its_url() -> None:
    upstream = Upstream("http://host/v1?version=1&key=of-the-base-url", "of-our-own")
    assert {"of-our-own", "of-the-base-url"} <= set(upstream.secrets)
    assert "1" not in upstream.secrets
    asyncio.run(upstream.close())


@pytest.mark.parametrize(
    ("key", "query", "header"), [("", "alt=sse&key=client", None), ("own", "alt=sse", "own")]
)
def test_a_key_in_the_query_is_replaced_too(key: str, query: str, header: str | None) -> None:
    async def asked(url: str) -> None:
        upstream = Upstream(url, key)
        payload = {"api": "gemini", "model": "gemini-3-pro", "stream": True}
        async with upstream.ask(payload, b"{}", {}, "alt=sse&key=client"):
            """The reply does not matter."""
        await upstream.close()

    reply = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
    with ScriptedServer(lambda client, _: client.sendall(reply)) as server:
        asyncio.run(asked(server.url))
    (request,) = server.requests
    first, *headers = request.decode("ascii").split("\r\n")
    path = "/v1beta/models/gemini-3-pro:streamGenerateContent"
    assert first == f"POST {path}?{query} HTTP/1.1"
    sent = [line.partition(": ")[2] for line in headers if line.startswith("x-goog-api-key: ")]
    assert sent == ([] if header is None else [header])


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("/v1", "/chat/completions", "/v1/chat/completions"),
        ("/v1/", "/v1/messages", "/v1/messages"),
        ("/v1beta", "/v1beta/models/g:countTokens", "/v1beta/models/g:countTokens"),
        ("/v1", "/v1beta/models/g:countTokens", "/v1beta/models/g:countTokens"),
        ("/gateway/v2", "/v1/messages", "/gateway/v2/v1/messages"),
        ("?a=b", "/v1/messages", "/v1/messages?a=b"),
    ],
)
def test_the_version_is_that_of_the_api(base: str, path: str, url: str) -> None:
    assert api_url(f"http://host{base}", path) == f"http://host{url}"


@pytest.mark.parametrize(
    ("authorization", "is_key"),
    [
        ("Bearer sk-1", True),
        ("Bearer workbench", False),
        ("AWS4-HMAC-SHA256 Credential=AKIA1/a, SignedHeaders=host, Signature=ab12", False),
    ],
)
def test_a_signature_is_no_key_of_the_upstream(authorization: str, is_key: bool) -> None:
    upstream, headers = Upstream("https://api.example.test"), {"authorization": authorization}
    assert upstream.sends_key(headers, "") is is_key
    assert bool(upstream.about_key(403, headers, "")) is not is_key


@pytest.mark.parametrize(
    "proxy", ["http://me:s3cret-word@[::1", "http://me:s3cret-word/x@h", "ftp://me:s3cret-word@h"]
)
def test_a_proxy_that_is_no_url_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ValueError, match=r"sets a proxy that is not an HTTP URL$"):
        Upstream("https://api.example.test/v1")


def test_a_socks_proxy_without_what_it_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "socksio", None)  # as if it were not installed
    with pytest.raises(ValueError, match=r"sets a SOCKS proxy; install the package socksio"):
        Upstream("http://host/v1")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (b"HTTP/1.1 307 Go\r\nlocation: http://else/\r\n\r\n", "307, a redirect, which is not"),
        (b"", "server disconnected without sending a response$"),
        (None, "connection reset by peer$"),
    ],
)
def test_what_is_no_reply_is_told_in_words(reply: bytes | None, told: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n{}")
        if reply is None:
            connection = writer.get_extra_info("socket")
            at_once = struct.pack("ii", 1, 0)  # closed so, it is reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            writer.transport.abort()
            return
        writer.write(reply)
        await writer.drain()
        writer.close()

    async def asked() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            upstream = Upstream(f"http://127.0.0.1:{port}/v1")
            try:
                async with upstream.ask({}, b"{}", {}):
                    """There is no reply."""
            finally:
                await upstream.close()

    with pytest.raises(UpstreamError, match=told):
        asyncio.run(asked())
