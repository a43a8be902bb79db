"""Requests to a proxy: their heads, and their bodies."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from typing import Final, NamedTuple

from workbench.io.network.ports import PORTS, short_address

# Anything but printable ASCII has no place in a request line or the name of a header.
_LINE: Final = re.compile(rb"([A-Z]{1,20}) ([!-~]+) HTTP/1\.[01]")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_HOST: Final = rb"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))"
_PLACE: Final = re.compile(_HOST + rb":([0-9]{1,5})")
_URL: Final = re.compile(rb"(https?)://" + _HOST + rb"(?::([0-9]{1,5}))?(/[^#]*|\?[^#]*)?")
# Of one connection: they are not passed on.
_HOP: Final = frozenset(
    (b"connection", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"host", b"upgrade")
)
MAX_HEAD: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_MAX_CHUNK_LINE: Final = 1024


class ProxyError(Exception):
    """A request that the proxy refuses; ``str`` of it is the reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class ProxyRequest(NamedTuple):
    """A request to a proxy.

    Attributes:
        is_tunnel: it requests a connection (``CONNECT``) instead of the reply of the host.
        is_tls: the host is reached over TLS; in a tunnel the client handles TLS.
        user, password: the client's; "" without.
        head: for the host, without headers for the proxy only; b"" for a tunnel.
        length: length of the body; None: it is chunked.
    """

    is_tunnel: bool
    is_tls: bool
    host: str
    port: int
    user: str
    password: str
    head: bytes
    length: int | None

    @property
    def place(self) -> str:
        """Host and port, without a port that is usual."""
        return short_address(self.host, self.port)


async def read_request(reader: asyncio.StreamReader) -> ProxyRequest:
    """The head of a request. Raises ProxyError, and EOFError if there is none."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise ProxyError("431 Request Header Fields Too Large", "the head is too long") from None
    line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    headers = [_header(text) for text in lines]
    matched = _LINE.fullmatch(line)
    if matched is None:
        raise _malformed("the request line")
    method, target = matched.groups()
    user, password = _credentials(headers)
    if method == b"CONNECT":
        place = _PLACE.fullmatch(target)
        if place is None:
            raise _malformed("the place to connect to, which is HOST:PORT")
        host, port = _host(place[1] or place[2]), _port(place[3])
        return ProxyRequest(True, False, host, port, user, password, b"", 0)
    url = _URL.fullmatch(target)
    if url is None:
        raise _malformed("the URL; a proxy needs the whole URL")
    scheme, ipv6, name, port_text, path = url.groups()
    port = _port(port_text) if port_text else PORTS[scheme.decode()]
    path = path or b"/"
    path = path if path.startswith(b"/") else b"/" + path
    authority = target.split(b"/", 3)[2].partition(b"?")[0]
    kept = [b"%b: %b" % header for header in headers if header[0].lower() not in _HOP]
    first = [b"%b %b HTTP/1.1" % (method, path), b"Host: " + authority, b"Connection: close"]
    whole = b"\r\n".join([*first, *kept, b"", b""])
    length, host = _length(headers), _host(ipv6 or name)
    return ProxyRequest(False, scheme == b"https", host, port, user, password, whole, length)


async def send_body(
    length: int | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Pass on the body of a request, and nothing that follows it.

    Raises:
        EOFError: it is not whole.
        OSError: the host takes no more.
    """
    if length is not None:
        await _send(length, reader, writer)
        return
    size = -1
    while size:
        line = await reader.readuntil(b"\r\n")
        if len(line) > _MAX_CHUNK_LINE or not re.match(rb"[0-9A-Fa-f]{1,16}[\r;]", line):
            raise EOFError("not the size of a chunk")
        size = int(re.split(rb"[\r;]", line)[0], 16)
        writer.write(b"%x\r\n" % size)
        if size:
            await _send(size, reader, writer)
            if await reader.readexactly(2) != b"\r\n":
                raise EOFError("a chunk is longer than announced")
            writer.write(b"\r\n")
    while await reader.readuntil(b"\r\n") != b"\r\n":  # trailers, which nobody needs
        pass
    writer.write(b"\r\n")
    await writer.drain()


async def _send(length: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while length:
        data = await reader.readexactly(min(length, _CHUNK))
        length -= len(data)
        writer.write(data)
        await writer.drain()


def _malformed(what: str) -> ProxyError:
    return ProxyError("400 Bad Request", f"cannot read {what}")


def _header(line: bytes) -> tuple[bytes, bytes]:
    matched = _HEADER.fullmatch(line)
    if matched is None:
        raise _malformed("a header")
    return matched[1], matched[2].rstrip()


def _host(name: bytes) -> str:
    return name.decode("ascii").lower().removesuffix(".")


def _port(text: bytes) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise _malformed("the port")
    return port


def _length(headers: list[tuple[bytes, bytes]]) -> int | None:
    """How long the body is, where the headers leave no doubt: two programs that read them in two
    ways would see two requests.
    """
    lengths = [value for name, value in headers if name.lower() == b"content-length"]
    codings = [value.lower() for name, value in headers if name.lower() == b"transfer-encoding"]
    if codings == [b"chunked"] and not lengths:
        return None
    if codings or len(lengths) > 1 or not all(re.fullmatch(rb"[0-9]{1,18}", n) for n in lengths):
        raise _malformed("how long the body is")
    return int(lengths[0]) if lengths else 0


def _credentials(headers: list[tuple[bytes, bytes]]) -> tuple[str, str]:
    """User and password of ``Proxy-Authorization``; empty without."""
    for name, value in headers:
        scheme, _, encoded = value.partition(b" ")
        if name.lower() == b"proxy-authorization" and scheme.lower() == b"basic":
            try:
                decoded = base64.b64decode(encoded.strip(), validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                raise _malformed("Proxy-Authorization") from None
            user, _, password = decoded.partition(":")
            return user, password
    return "", ""
