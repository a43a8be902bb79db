"""The proxy of ``workbench run --intercept``: what it decrypts, and what it passes on."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import socket
import ssl
import statistics
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tests.io.network.proxied import (
    PATIENCE_SECONDS,
    OwnProxy,
    asked,
    certificates,
    connected,
    serving,
    tls_of,
    trusting,
)
from tests.server.running import wait_until
from workbench.core.control_api import CLIENT_HEADER
from workbench.io.network.certificates import Certificates
from workbench.io.network.proxy import Proxy
from workbench.io.network.user_proxy import UserProxy


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server in place of ours, which replies with what it is asked."""
    with serving() as port:
        yield port


@pytest.fixture
def proxy(port: int) -> Iterator[Proxy]:
    with Proxy(server_url=f"http://127.0.0.1:{port}", certificates=certificates()) as proxy:
        yield proxy


def over_tls(
    proxy: Proxy, host: str, authority: str, *, port: int = 443, user: str = ""
) -> contextlib.closing[http.client.HTTPSConnection]:
    """A connection to a host through a proxy."""
    client = http.client.HTTPSConnection(
        "127.0.0.1", proxy.port, timeout=PATIENCE_SECONDS, context=trusting(authority)
    )
    headers = {}
    if user:
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    client.set_tunnel(host, port, headers)
    return contextlib.closing(client)


def replied(client: http.client.HTTPConnection, body: str = "{}") -> dict[str, Any]:
    """What the server at the other end was asked."""
    client.request("POST", "/v1/x?a=b", body, {"Authorization": "Bearer k"})
    answer: dict[str, Any] = json.loads(client.getresponse().read())
    return answer


@pytest.mark.parametrize(
    "host",
    [
        *("api.openai.com", "API.OpenAI.com", "mine.openai.azure.com", "api.groq.com"),
        *("us-east5-aiplatform.googleapis.com", "aiplatform.googleapis.com"),
        "bedrock-runtime.eu-west-1.amazonaws.com",
    ],
)
def test_a_request_to_an_api_comes_to_our_server(proxy: Proxy, host: str) -> None:
    with over_tls(proxy, host, proxy.certificates.authority) as client:
        for body in ("first", "second"):
            request = replied(client, body)
            assert (request["path"], request["body"]) == ("/v1/x?a=b", body)
            assert request["headers"]["Host"] == host
            assert request["headers"]["Authorization"] == "Bearer k"
            assert CLIENT_HEADER not in request["headers"]
    assert not proxy.connected


def test_the_tls_of_another_host_is_not_ended(proxy: Proxy) -> None:
    """Its own certificate is seen at the other end of the tunnel, and ours would be refused."""
    authority = trustme.CA()
    trusted = authority.cert_pem.bytes().decode()
    with (
        serving(tls_of(authority, "localhost")) as other,
        over_tls(proxy, "localhost", trusted, port=other) as client,
    ):
        assert replied(client)["headers"]["Host"] == f"localhost:{other}"


def test_a_name_that_is_no_host_of_an_api_is_refused_inside_of_a_tunnel_to_one(
    proxy: Proxy,
) -> None:
    for target in (proxy.tls_port, None):
        with contextlib.ExitStack() as resources:
            if target is None:
                client = resources.enter_context(connected(proxy))
                client.sendall(b"CONNECT api.openai.com:443 HTTP/1.1\r\n\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 200 ")
            else:
                client = resources.enter_context(socket.create_connection(("127.0.0.1", target)))
            context = trusting(proxy.certificates.authority)
            with pytest.raises(ssl.SSLError):
                context.wrap_socket(client, server_hostname="bank.example")
    assert not proxy.distrusted
    assert not proxy.used


def test_a_name_that_no_host_can_have_is_refused(proxy: Proxy) -> None:
    for name in ("-.openai.azure.com", f"{'a' * 64}.openai.azure.com"):
        with connected(proxy) as client:
            client.sendall(f"CONNECT {name}:443 HTTP/1.1\r\n\r\n".encode())
            assert client.makefile("rb").read().endswith(b"\r\n\r\n")  # and it is closed
    with over_tls(proxy, "api.openai.com", proxy.certificates.authority) as client:
        assert replied(client)["path"] == "/v1/x?a=b"


def test_a_client_that_connects_as_to_the_host_comes_to_our_server(proxy: Proxy) -> None:
    context = trusting(proxy.certificates.authority)
    with (
        socket.create_connection(("127.0.0.1", proxy.tls_port)) as client,
        context.wrap_socket(client, server_hostname="api.openai.com") as connection,
    ):
        connection.sendall(
            b"GET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\nConnection: close\r\n\r\n"
        )
        reply = connection.makefile("rb").read()
        assert b'"Host": "api.openai.com"' in reply


def test_nothing_is_decrypted_without_interception(port: int) -> None:
    nothing = Certificates(lambda _: False)
    with Proxy(
        server_url=f"http://127.0.0.1:{port}", certificates=nothing, is_offline=True
    ) as proxy:
        reply = asked(proxy, b"CONNECT api.openai.com:443 HTTP/1.1\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 403 ")
    assert b"workbench run --offline refuses connections to api.openai.com" in reply
    assert proxy.refused == {"api.openai.com": 1}


def test_it_listens_on_this_machine_alone_and_ends_with_its_context(proxy: Proxy) -> None:
    ports = {proxy.port, proxy.tls_port}
    connections = psutil.Process().net_connections("tcp")
    listening = [each.laddr for each in connections if each.status == psutil.CONN_LISTEN]
    assert {each.ip for each in listening if each.port in ports} == {"127.0.0.1"}
    idle = connected(proxy)
    assert asked(proxy, b"GET / HTTP/1.1\r\n\r\n")  # after which the first is served, too
    proxy.__exit__()
    for each in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", each))
    idle.close()
    proxy.__enter__()  # for the fixture


def test_the_key_of_the_authority_is_never_on_a_disk(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []
    unlink = os.unlink

    def unlink_read(path: str) -> None:
        written.append(Path(path).read_bytes())
        unlink(path)

    monkeypatch.setattr(os, "unlink", unlink_read)
    with over_tls(proxy, "api.openai.com", proxy.certificates.authority) as client:
        replied(client)
    authority = x509.load_pem_x509_certificate(proxy.certificates.authority.encode())
    # Of the host, which the ssl module reads from a file alone.
    keys = [load_pem_private_key(text, None).public_key() for text in written]
    assert len(keys) == 1
    assert keys[0] != authority.public_key()


@pytest.mark.parametrize(
    "line",
    [
        *("CONNECT api.openai.com", "CONNECT :443", "CONNECT api.openai.com:0"),
        *("CONNECT api.openai.com:99999", "CONNECT a b:443", "CONNECT http://a:443"),
        *("CONNECT user@api.openai.com:443", "CONNECT api.openai.com\t:443"),
        *("connect api.openai.com:443", "GET /v1/models", "GET ftp://a/", "GET https://u:p@a/"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused(proxy: Proxy, line: str) -> None:
    reply = asked(proxy, f"{line} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 400 Bad Request\r\n")


@pytest.mark.parametrize("request_bytes", [b"\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n"])
def test_what_is_no_request_is_refused(proxy: Proxy, request_bytes: bytes) -> None:
    assert asked(proxy, request_bytes).startswith(b"HTTP/1.1 400 ")


def test_a_head_without_end_is_refused(proxy: Proxy) -> None:
    head = b"CONNECT api.openai.com:443 HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n"
    assert asked(proxy, head).startswith(b"HTTP/1.1 431 ")


HEAD = "POST https://api.groq.com/v1/x HTTP/1.1\r\nHost: api.groq.com\r\n"


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n",
        *("Content-Length: +3\r\n", "Content-Length: 3, 3\r\n", "Transfer-Encoding: gzip\r\n"),
        *("Transfer-Encoding: xchunked\r\n", "Content-Length : 3\r\n", "A: b\r\n c\r\n"),
        "A: b\nTransfer-Encoding: chunked\r\n",
    ],
)
def test_a_request_whose_end_is_in_doubt_is_refused(proxy: Proxy, headers: str) -> None:
    assert asked(proxy, f"{HEAD}{headers}\r\nabc".encode()).startswith(b"HTTP/1.1 400 ")


def test_what_follows_a_request_in_the_clear_is_not_passed_on(proxy: Proxy) -> None:
    """The next one may be for another host, with another key."""
    second = "POST https://other.example/ HTTP/1.1\r\nAuthorization: k\r\n\r\n"
    reply = asked(proxy, f"{HEAD}Content-Length: 3\r\n\r\nabc{second}".encode())
    assert reply.count(b"HTTP/1.1 200 ") == 1
    request = json.loads(reply.partition(b"\r\n\r\n")[2])
    assert request["body"] == "abc"
    assert request["headers"]["Connection"] == "close"


def test_a_request_in_the_clear_comes_to_our_server(proxy: Proxy) -> None:
    head = f"{HEAD}Proxy-Authorization: Basic Z3cwOg==\r\nProxy-Connection: keep-alive\r\nA: ü\r\n"
    chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
    reply = asked(proxy, (head + chunked).encode())
    request = json.loads(reply.partition(b"\r\n\r\n")[2])
    assert (request["path"], request["body"]) == ("/v1/x", "abcde")
    assert request["headers"].pop("A")
    assert request["headers"] == {
        "Host": "api.groq.com",
        "Connection": "close",
        CLIENT_HEADER: "gw0",
        "Transfer-Encoding": "chunked",
    }


def test_a_request_in_the_clear_for_another_host_is_sent_over_tls(
    proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    with serving(tls_of(authority, "localhost")) as other:
        request = f"POST https://localhost:{other}/x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        reply = asked(proxy, request.encode())
        assert reply.startswith(b"HTTP/1.1 502 ")  # its certificate is not known
        assert b"certificate verify failed" in reply
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        reply = asked(proxy, request.encode())
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["body"] == "abc"


def test_the_name_of_a_process_is_in_its_first_request(proxy: Proxy) -> None:
    authority = proxy.certificates.authority
    with over_tls(proxy, "api.openai.com", authority, user="gw 1:") as client:
        assert replied(client)["headers"][CLIENT_HEADER] == "gw%201"
        assert CLIENT_HEADER not in replied(client)["headers"]


def test_a_client_that_does_not_trust_us_is_counted(proxy: Proxy) -> None:
    other = trustme.CA().cert_pem.bytes().decode()
    with (
        over_tls(proxy, "api.openai.com", other) as client,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        replied(client)
    wait_until("it was counted", lambda: proxy.distrusted)
    assert proxy.distrusted == {"api.openai.com": 1}


def test_a_client_that_leaves_without_a_request_is_counted(
    proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    """As some do that check a certificate only after the handshake."""
    for is_reset in (False, True):
        with over_tls(proxy, "api.openai.com", proxy.certificates.authority) as client:
            client.connect()
            if is_reset:
                linger = struct.pack("ii", 1, 0)
                client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    wait_until("both have left", lambda: proxy.unused.total() == 2)
    assert (proxy.unused, proxy.distrusted) == ({"api.openai.com": 2}, {})
    assert not caplog.records


def test_a_tunnel_that_is_closed_on_one_side_is_closed_on_both(proxy: Proxy) -> None:
    for closes in ("client", "host"):
        with socket.create_server(("127.0.0.1", 0)) as listener, connected(proxy) as client:
            place = f"127.0.0.1:{listener.getsockname()[1]}"
            client.sendall(f"CONNECT {place} HTTP/1.1\r\n\r\n".encode())
            assert client.recv(100).endswith(b"\r\n\r\n")
            host, _ = listener.accept()
            with host:
                host.settimeout(PATIENCE_SECONDS)
                ends, other = (client, host) if closes == "client" else (host, client)
                ends.sendall(b"last")
                ends.shutdown(socket.SHUT_WR)
                assert other.recv(100) == b"last"
                assert other.recv(100) == b""
                assert ends.recv(100) == b""


def test_small_writes_are_sent_at_once(proxy: Proxy) -> None:
    seconds = []
    with over_tls(proxy, "api.openai.com", proxy.certificates.authority) as client:
        for _ in range(15):
            begin = time.perf_counter()
            client.putrequest("POST", "/")
            client.putheader("Content-Length", "2")
            client.endheaders()
            client.send(b"{}")
            client.getresponse().read()
            seconds.append(time.perf_counter() - begin)
    assert statistics.median(seconds) < 0.035  # a delayed acknowledgement takes 40 ms


# The proxy of the user


def test_other_hosts_are_asked_through_the_proxy_of_the_user(port: int) -> None:
    authority = trustme.CA()
    with (
        serving(tls_of(authority, "pypi.example")) as other,
        OwnProxy(other, "me:se cret") as own,
    ):
        url = f"http://me:se%20cret@127.0.0.1:{own.port}"
        with Proxy(
            server_url=f"http://127.0.0.1:{port}",
            certificates=certificates(),
            user_proxy=UserProxy.of({"HTTPS_PROXY": url}),
            password="pass",
        ) as proxy:
            trusted = authority.cert_pem.bytes().decode()
            with over_tls(proxy, "pypi.example", trusted, user="workbench:pass") as client:
                assert replied(client)["headers"]["Host"] == "pypi.example"
            # Not for hosts of APIs, nor for anybody else who is on this machine.
            ours = proxy.certificates.authority
            with over_tls(proxy, "api.openai.com", ours, user="gw0:pass") as client:
                assert replied(client)["headers"][CLIENT_HEADER] == "gw0"
            for user in ("", "workbench:", "workbench:wrong", "workbench:ü"):
                with (
                    over_tls(proxy, "pypi.example", trusted, user=user) as client,
                    pytest.raises(OSError, match="407"),
                ):
                    replied(client)
    assert [head.split()[1] for head in own.heads] == ["pypi.example:443"]
    assert "Proxy-Authorization: Basic bWU6c2UgY3JldA==" in own.heads[0]
    assert proxy.connected == {"pypi.example": 1}


@pytest.mark.parametrize("listens", [True, False])
def test_a_proxy_of_the_user_that_fails_is_named_without_its_password(
    port: int, listens: bool
) -> None:
    with OwnProxy(port, "me:other") as own:
        pass
    with OwnProxy(port, "me:other") if listens else contextlib.nullcontext(own) as own:
        url = f"http://me:secret@127.0.0.1:{own.port}"
        with Proxy(
            server_url=f"http://127.0.0.1:{port}",
            certificates=certificates(),
            user_proxy=UserProxy.of({"https_proxy": url}),
        ) as proxy:
            reply = asked(proxy, b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 502 ")
    assert b"a.example:443" in reply
    assert (b"answered with 407" in reply) is listens
    assert b"secret" not in reply


# Without other machines


def test_offline_refuses_every_host_that_is_not_this_machine(port: int) -> None:
    with Proxy(
        server_url=f"http://127.0.0.1:{port}", certificates=certificates(), is_offline=True
    ) as proxy:
        for request in (
            "CONNECT example.com:443",
            "CONNECT 10.0.0.1:8080",
            "GET http://example.com/",
            "GET https://[2001:db8::1]:8443/",
            "CONNECT 224.0.0.1:443",
            "CONNECT localhost.example.com:443",
        ):
            reply = asked(proxy, f"{request} HTTP/1.1\r\n\r\n".encode())
            assert reply.startswith(b"HTTP/1.1 403 "), request
        for request in (f"GET http://localhost:{port}/", f"GET http://127.0.0.1:{port}/"):
            reply = asked(proxy, f"{request} HTTP/1.1\r\n\r\n".encode())
            assert reply.startswith(b"HTTP/1.1 200 "), request
        with over_tls(proxy, "api.openai.com", proxy.certificates.authority) as client:
            assert replied(client)["path"] == "/v1/x?a=b"
    assert not proxy.connected
    assert proxy.refused == {
        "example.com": 2,
        "10.0.0.1:8080": 1,
        "[2001:db8::1]:8443": 1,
        "224.0.0.1": 1,
        "localhost.example.com": 1,
    }
