"""The user's proxy from the environment, which our own proxy uses for other hosts."""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from workbench.core.user_error import UserError
from workbench.io.network.ports import PORTS, address

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_VARIABLES: Final = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


class UserProxy(NamedTuple):
    """An HTTP proxy.

    Attributes:
        is_tls: it is reached over TLS.
        credentials: for ``Proxy-Authorization``; "" for none. Never written anywhere.
    """

    host: str
    port: int
    is_tls: bool
    credentials: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self | None:
        """The proxy that clients would use for ``https://`` URLs. Raises UserError for an unusable
        one, without its password.
        """
        variable = next((name for name in _VARIABLES if environment.get(name)), None)
        if variable is None:
            return None
        url = environment[variable]
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            port = parts.port or PORTS.get(parts.scheme, 0)
        except ValueError:
            raise UserError(f"{variable} is not the URL of a proxy") from None
        if parts.scheme.startswith("socks"):
            raise UserError(
                f"{variable} is a SOCKS proxy, which --intercept and --offline do not support; "
                "set it to an HTTP proxy, or unset it"
            )
        if parts.scheme not in PORTS or not parts.hostname:
            raise UserError(f"{variable} is not the URL of an HTTP proxy")
        credentials = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            credentials = base64.b64encode(pair.encode()).decode("ascii")
        return cls(parts.hostname, port, parts.scheme == "https", credentials)


async def connect(host: str, port: int, proxy: UserProxy | None, is_tls: bool) -> Streams:
    """A connection to a host, through a proxy if there is one. Raises OSError."""
    if proxy is None:
        context = ssl.create_default_context() if is_tls else None
        return await asyncio.open_connection(host, port, ssl=context)
    context = ssl.create_default_context() if proxy.is_tls else None
    reader, writer = await asyncio.open_connection(proxy.host, proxy.port, ssl=context)
    try:
        place = address(host, port)
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if proxy.credentials:
            lines.append(f"Proxy-Authorization: Basic {proxy.credentials}")
        writer.write("\r\n".join([*lines, "", ""]).encode("ascii"))
        head = await reader.readuntil(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
        if status is None or status[1] != b"200":
            problem = f"answered with {status[1].decode()}" if status else "is not an HTTP proxy"
            raise OSError(f"the proxy {address(proxy.host, proxy.port)} {problem}")
        if is_tls:
            await writer.start_tls(ssl.create_default_context(), server_hostname=host)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        writer.close()
        raise OSError(f"the proxy {address(proxy.host, proxy.port)} did not answer") from None
    except OSError:
        writer.close()
        raise
    return reader, writer
