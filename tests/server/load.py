"""Many requests at once over real connections, with as little work on this side as possible."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: chunked", re.I)


def request_of(payload: object, path: str = "/v1/chat/completions", *headers: bytes) -> bytes:
    """The bytes of a POST."""
    body = json.dumps(payload).encode("ascii")
    lines = [
        f"POST {path} HTTP/1.1".encode(),
        b"Host: localhost",
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        *headers,
    ]
    return b"\r\n".join([*lines, b"", body])


class Connection:
    """One that is kept alive."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 24))

    @classmethod
    async def through(cls, port: int, host: str, context: ssl.SSLContext) -> Connection:
        """One over TLS with a host, through a proxy."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        writer.write(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert int(head[9:12]) == 200, head
        await writer.start_tls(context, server_hostname=host)
        return cls(reader, writer)

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """The status and the body of the reply."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        if _CHUNKED.search(head):
            return status, await self._chunks()
        length = _LENGTH.search(head)
        return status, await self._reader.readexactly(int(length[1]) if length else 0)

    async def _chunks(self) -> bytes:
        parts = []
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            parts.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readexactly(2)
        return b"".join(parts)

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):  # over TLS, the other end may not have noticed yet
            await self._writer.wait_closed()


Check = Callable[[Any, int, bytes], None]
Opening = Callable[[int], Awaitable[Connection]]


async def ask_all(
    port: int,
    requests: Iterable[tuple[Any, bytes]],
    *,
    connections: int,
    check: Check,
    opening: Opening = Connection.open,
) -> int:
    """Send every request over so many connections, and give each reply to ``check`` with the key
    its request came with. Returns how many there were.

    Args:
        opening: connects with the port.
    """
    waiting = iter(requests)
    count = 0

    async def client() -> None:
        nonlocal count
        connection = await opening(port)
        try:
            for key, request in waiting:
                check(key, *await connection.ask(request))
                count += 1
        finally:
            await connection.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(client())
    return count


def repeated(requests: list[tuple[Any, bytes]], count: int) -> Iterator[tuple[Any, bytes]]:
    """``requests`` again and again, so many in all."""

    def endless() -> Iterator[tuple[Any, bytes]]:
        while True:
            yield from requests

    return islice(endless(), count)
