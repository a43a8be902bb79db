"""All HTTP clients of the package: of the stub server, and of an upstream API.

httpx takes a fifth of a second to load, so it is loaded with the first request; code on an event
loop awaits ``load`` first.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from workbench.core.replies.content_encoding import MAX_BODY
from workbench.core.text.wording import mebibytes

if TYPE_CHECKING:
    import ssl

    import httpx

CONNECT_SECONDS: Final = 2.0
PATIENCE_SECONDS: Final = 60.0
UPSTREAM_CONNECT_SECONDS: Final = 10.0
# Models take long; a client that will not wait hangs up itself.
UPSTREAM_SECONDS: Final = 600.0
_UNPACKED: Final = {"Accept-Encoding": "identity"}


class NoServerError(Exception):
    """Nothing listens at ``where``, as the URL names it."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"no server at {where}: {reason}")
        self.where = where


@dataclass(slots=True)
class TimedReply:
    """A reply and its timing.

    Attributes:
        status: 0 without a reply.
        headers: by their names in lower case.
        first_ms, all_ms: when the first and the last part of the body were received, in
            milliseconds since the start of sending the request; 0 without a body.
        problem: why the reply is incomplete, or "".
        is_cut: it is incomplete because the connection broke off.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    first_ms: float = 0.0
    all_ms: float = 0.0
    problem: str = ""
    is_cut: bool = False

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


async def load() -> None:
    """Load httpx, and what its clients share, without holding up the event loop."""
    import asyncio

    await asyncio.to_thread(_trusted)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust; reading them takes as long as many requests."""
    import httpx

    return httpx.create_ssl_context()


def client(timeout: float) -> httpx.Client:
    """A client of a stub server: each request has a connection of its own and uses no proxy. It
    requests replies without compression; read them with ``iter_raw``, so that a reply that is
    compressed anyway is not unpacked to an unlimited size.

    Args:
        timeout: seconds to wait for the next bytes, and for a connection.
    """
    import httpx

    alone = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(
        timeout=timeout, limits=alone, trust_env=False, headers=_UNPACKED, verify=_trusted()
    )


def async_client(timeout: float) -> httpx.AsyncClient:
    """The same for an event loop; a connection is made in ``CONNECT_SECONDS`` or not at all."""
    import httpx

    patience = httpx.Timeout(timeout, connect=CONNECT_SECONDS)
    alone = httpx.Limits(max_keepalive_connections=0)
    return httpx.AsyncClient(
        timeout=patience, limits=alone, trust_env=False, headers=_UNPACKED, verify=_trusted()
    )


def upstream_client() -> httpx.AsyncClient:
    """A client of an upstream API: it uses the proxies of the environment and follows no redirects.

    Raises:
        ValueError: the environment names a proxy that cannot be used.
    """
    import httpx

    patience = httpx.Timeout(UPSTREAM_SECONDS, connect=UPSTREAM_CONNECT_SECONDS)
    try:
        return httpx.AsyncClient(timeout=patience, verify=_trusted())
    except ImportError:
        raise ValueError(
            "the environment sets a SOCKS proxy; install the package socksio to use it"
        ) from None
    except (httpx.InvalidURL, ValueError):  # the messages may contain its password
        raise ValueError("the environment sets a proxy that is not an HTTP URL") from None


async def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    on_data: Callable[[bytes], None] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> TimedReply:
    """POST ``body`` and read the whole reply; cancelling this hangs up.

    Args:
        on_data: receives each part of the body.
        patience: seconds to wait for the next bytes.

    Raises:
        NoServerError: no connection could be made.
    """
    await load()
    import httpx

    reply = TimedReply()
    received = bytearray()
    try:
        async with async_client(patience) as asking:
            started = time.perf_counter()
            async with asking.stream("POST", url, content=body, headers=headers) as response:
                reply.status, reply.headers = response.status_code, response.headers
                async for part in response.aiter_raw():
                    received += part
                    reply.all_ms = (time.perf_counter() - started) * 1000
                    reply.first_ms = reply.first_ms or reply.all_ms
                    if on_data is not None:
                        on_data(part)
                    if len(received) > MAX_BODY:
                        reply.problem = f"the reply is longer than {mebibytes(MAX_BODY)}"
                        break
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        # UnicodeError: a name that no host can have.
        raise NoServerError(host_and_port(url), "this is not the URL of a server") from None
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NoServerError(host_and_port(url), reason(error)) from None
    except httpx.TimeoutException:
        reply.problem = f"no data for {patience:g} s"
    except httpx.TransportError as error:
        broke_off = "the reply broke off" if reply.status else "no reply"
        reply.problem, reply.is_cut = f"{broke_off}: {reason(error)}", True
    reply.body = bytes(received)
    return reply


def reason(error: BaseException) -> str:
    """Why a request failed, as text to follow a colon: the operating system's message if there is
    one.
    """
    import httpx

    text = str(error).rstrip(".") or type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        text = "no reply in time"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            # asyncio words its own; numbers of the resolver are negative.
            number = cause.errno or 0
            text = os.strerror(number) if number > 0 else cause.strerror
        if isinstance(cause, BaseExceptionGroup):  # one error for each address of the host
            cause = cause.exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__
    return text[:1].lower() + text[1:]


def host_and_port(url: str) -> str:
    """Host and port as a URL names them; the URL itself if it names none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url
