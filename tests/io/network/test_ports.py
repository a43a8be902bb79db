"""Sockets listen where they should, or it is said why not."""

from __future__ import annotations

import socket
import urllib.parse
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from workbench.io.network.ports import PortTakenError, base_url, listen


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def taken_port(stack: ExitStack) -> int:
    other = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    return int(other.getsockname()[1])


def connects(url: str) -> bool:
    parts = urllib.parse.urlsplit(url)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 0), timeout=5):
        return True


def test_listens_at_once(stack: ExitStack) -> None:
    listener, taken = listen("127.0.0.1", 0)
    stack.enter_context(listener)
    assert not taken
    assert base_url(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    assert connects(base_url(listener))


def test_connections_send_each_part_at_once(stack: ExitStack) -> None:
    """The body of a reply does not wait until the client acknowledged the head."""
    listener, _ = listen("127.0.0.1", 0)
    stack.enter_context(listener)
    stack.enter_context(socket.create_connection(listener.getsockname()))
    accepted, _ = listener.accept()
    stack.enter_context(accepted)
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_given_port_that_is_taken_is_an_error(stack: ExitStack) -> None:
    port = taken_port(stack)
    with pytest.raises(PortTakenError, match=rf"^127\.0\.0\.1:{port} is in use$"):
        listen("127.0.0.1", port)


def test_the_default_port_where_it_is_free(stack: ExitStack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    listener, taken = listen("127.0.0.1", None, default=port)
    stack.enter_context(listener)
    assert (listener.getsockname()[1], taken) == (port, False)


def test_one_of_the_next_where_it_is_taken(stack: ExitStack) -> None:
    port = taken_port(stack)
    listener, taken = listen("127.0.0.1", None, default=port)
    stack.enter_context(listener)
    assert taken
    assert listener.getsockname()[1] != port
    assert connects(base_url(listener))


def test_any_port_where_there_is_no_next(stack: ExitStack) -> None:
    with suppress(OSError):  # where somebody has it already: as good
        stack.enter_context(socket.create_server(("127.0.0.1", 65535)))
    listener, taken = listen("127.0.0.1", None, default=65535)
    stack.enter_context(listener)
    assert taken
    assert listener.getsockname()[1] < 65535


def test_a_port_just_left_can_be_had_again(stack: ExitStack) -> None:
    listener, _ = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
    served, _ = listener.accept()
    served.close()  # this side closes first, so that its address waits
    listener.close()
    client.recv(1)
    again, _ = listen("127.0.0.1", port)
    again.close()


def test_ipv6(stack: ExitStack) -> None:
    listener, _ = listen("::1", 0)
    stack.enter_context(listener)
    assert base_url(listener) == f"http://[::1]:{listener.getsockname()[1]}"
    assert connects(base_url(listener))
    with pytest.raises(PortTakenError, match=r"^\[::1\]:\d+ is in use$"):
        listen("::1", listener.getsockname()[1])


@pytest.mark.parametrize(("host", "client"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]")])
def test_clients_are_not_sent_to_every_address(host: str, client: str, stack: ExitStack) -> None:
    listener, _ = listen(host, 0)
    stack.enter_context(listener)
    assert base_url(listener) == f"http://{client}:{listener.getsockname()[1]}"
    assert connects(base_url(listener))


def test_localhost_is_the_address_clients_try_first(stack: ExitStack) -> None:
    listener, _ = listen("localhost", 0)
    stack.enter_context(listener)
    assert listener.getsockname()[0] == "127.0.0.1"


def test_an_address_that_is_not_ours_is_an_os_error() -> None:
    with pytest.raises(OSError, match=r"192\.0\.2\.1"):
        listen("192.0.2.1", 0)


def test_a_host_without_an_address_is_an_os_error() -> None:
    with pytest.raises(OSError):  # noqa: PT011  (the resolver's words differ)
        listen("no-such-host.invalid", 0)


@pytest.mark.parametrize("host", ["a..b", "x" * 300])
def test_what_is_no_name_of_a_host_is_an_os_error(host: str) -> None:
    with pytest.raises(OSError, match="not a host name"):
        listen(host, 0)
