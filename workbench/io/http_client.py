"""All HTTP clients of the package: of the stub server, and of an upstream API.

httpx takes a fifth of a second to load, so that it is loaded with the first request; what runs on
an event loop awaits ``load`` before.
"""

from __future__ import annotations

import asyncio
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from workbench.core.packing import MAX_BODY

if TYPE_CHECKING:
    import ssl

    import httpx

CONNECT_SECONDS: Final = 2.0
PATIENCE_SECONDS: Final = 60.0
UPSTREAM_CONNECT_SECONDS: Final = 10.0
# Models take long; a client that will not wait hangs up itself.
UPSTREAM_SECONDS: Final = 600.0
PORTS: Final = {"http": 80, "https": 443}
_UNPACKED: Final = {"Accept-Encoding": "identity"}


class NoServerError(Exception):
    """Nobody listens there; ``where`` is as the URL names it."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"no server at {where}: {reason}")
        self.where = where


@dataclass(frozen=True, slots=True)
class TimedReply:
    """A reply and when it came, in seconds since its request was begun to be sent.

    Attributes:
        status: 0 if none came.
        headers: by their names in lower case.
        arrivals: after each part of the body that came, how many bytes of it there were, and when.
        problem: why the reply is not whole, "" if it is.
        is_cut: it is not, since the connection broke off.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: tuple[tuple[int, float], ...]
    problem: str = ""
    is_cut: bool = False

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    def arrived(self, size: int) -> float:
        """When the first ``size`` bytes of the body were there; these have to be."""
        return self.arrivals[bisect_left(self.arrivals, (size, 0.0))][1]


async def load() -> None:
    """Load httpx, and what its clients share, without holding up the event loop."""
    await asyncio.to_thread(_trusted)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust; reading them takes as long as many requests."""
    import httpx

    return httpx.create_ssl_context()


def client(timeout: float) -> httpx.Client:
    """A client of a stub server: each request has a connection of its own and uses no proxy.
    Replies are asked for without a content coding; read them with ``iter_raw``, so that one that is
    sent all the same is not unpacked, to whatever size.

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


def upstream_client() -> httpx.Client:
    """A client of an upstream API: it uses the proxies of the environment and follows no redirects.

    Raises:
        ValueError: the environment names a proxy that cannot be used.
    """
    import httpx

    patience = httpx.Timeout(UPSTREAM_SECONDS, connect=UPSTREAM_CONNECT_SECONDS)
    with _usable_proxy():
        return httpx.Client(timeout=patience, verify=_trusted())


def async_upstream_client() -> httpx.AsyncClient:
    """The same for an event loop. Raises ValueError."""
    import httpx

    patience = httpx.Timeout(UPSTREAM_SECONDS, connect=UPSTREAM_CONNECT_SECONDS)
    with _usable_proxy():
        return httpx.AsyncClient(timeout=patience, verify=_trusted())


@contextmanager
def _usable_proxy() -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise ValueError(
            "the environment names a SOCKS proxy, which needs the package socksio"
        ) from None


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
        on_data: gets each part of the body as it comes.
        patience: seconds to wait for the next bytes.

    Raises:
        NoServerError: no connection could be made.
    """
    await load()
    import httpx

    arriving = _Arriving(on_data)
    problem, is_cut = "", False
    try:
        async with async_client(patience) as asking:
            problem = await arriving.read(asking, url, body, headers)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        # UnicodeError: a name that no host can have.
        raise NoServerError(host_and_port(url), "this is not the URL of a server") from None
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NoServerError(host_and_port(url), reason(error)) from None
    except httpx.TimeoutException:
        problem = f"nothing came for {patience:g} s"
    except httpx.TransportError as error:
        broke_off = "the reply broke off" if arriving.status else "no reply"
        problem, is_cut = f"{broke_off}: {reason(error)}", True
    return TimedReply(
        arriving.status,
        arriving.headers,
        bytes(arriving.body),
        tuple(arriving.arrivals),
        problem,
        is_cut,
    )


class _Arriving:
    """What has come of a reply."""

    def __init__(self, on_data: Callable[[bytes], None] | None) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.body = bytearray()
        self.arrivals: list[tuple[int, float]] = []
        self._on_data = on_data

    async def read(
        self, asking: httpx.AsyncClient, url: str, body: bytes, headers: Mapping[str, str]
    ) -> str:
        """Ask, and read to the end; returns why that was given up, "" if it was not."""
        started = time.perf_counter()
        async with asking.stream("POST", url, content=body, headers=headers) as response:
            self.status, self.headers = response.status_code, response.headers
            async for part in response.aiter_raw():
                self.body += part
                self.arrivals.append((len(self.body), time.perf_counter() - started))
                if self._on_data is not None:
                    self._on_data(part)
                if len(self.body) > MAX_BODY:
                    return f"the reply is longer than {MAX_BODY // (1024 * 1024)} MiB"
        return ""


def reason(error: BaseException) -> str:
    """Why a request failed, to stand behind a colon: what the operating system says, if it does."""
    text = str(error).rstrip(".") or type(error).__name__
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OSError) and found.strerror:
            # asyncio words its own; numbers of the resolver are negative.
            number = found.errno or 0
            text = os.strerror(number) if number > 0 else found.strerror
        if isinstance(found, BaseExceptionGroup):  # one error for each address of the host
            found = found.exceptions[0]
        else:
            found = found.__cause__ or found.__context__
    return text[:1].lower() + text[1:]


def host_and_port(url: str) -> str:
    """Host and port as a URL names them; the URL itself if it names none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url
