"""Read requests: the body, its JSON, the workbench's headers and time-out headers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from workbench.core.answering.bodies import (
    other_type,
    parse_body,
    require_body,
    require_uncompressed,
)
from workbench.core.answering.errors import RefusedError
from workbench.core.apis.chat.request import EMBEDDINGS
from workbench.core.apis.table import APIS
from workbench.core.control_api import FIRST_HEADER, NODE_HEADER, VERIFY_HEADER
from workbench.core.replies.content_encoding import MAX_BODY
from workbench.core.secrets.heads import of_request, without_keys
from workbench.core.text.wording import mebibytes
from workbench.core.written.credentials import Credentials
from workbench.server.long_work import Turns
from workbench.server.wire.request_state import state_of

# Header names are in lower case.
_FIRST_HEADER: Final = FIRST_HEADER.lower()
_NODE_HEADER: Final = NODE_HEADER.lower()
_VERIFY_HEADER: Final = VERIFY_HEADER.lower()

# Paths that are the same for everybody, and so hold no credential.
_PLAIN: Final = frozenset(
    [EMBEDDINGS, *(api.request.ROUTE for api in APIS if "{" not in api.request.ROUTE)]
)

# ``fetch`` of Node gives up after so many seconds.
MOST_SECONDS: Final = 300.0
# The seconds after which a client gives up. The OpenAI and Anthropic clients for Python always send
# it; the clients for JavaScript and google-genai send it if a request has its own time-out.
_STATED: Final = ("x-stainless-read-timeout", "x-stainless-timeout", "x-server-timeout")
# Every ``fetch`` sends the first; google-genai, which gives up on its own never, the second.
_FETCH: Final = "sec-fetch-mode"
_CLIENT: Final = "x-goog-api-client"
_GEMINI: Final = "google-genai-sdk"


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers, with their names in lower case."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def read_json(request: Request, turns: Turns, default: bytes = b"") -> dict[str, Any]:
    """The JSON object in the body, or in ``default`` if the body is empty. Raises as
    ``read_request``.
    """
    payload, _ = await read_request(request, headers_of(request.scope), turns, default)
    return payload


async def read_request(
    request: Request, headers: Mapping[str, str], turns: Turns, default: bytes = b""
) -> tuple[dict[str, Any], bytes]:
    """The JSON object in the body, or in ``default`` if the body is empty; and the body itself.

    Args:
        turns: the queue for long bodies, which are read in a thread.

    Raises:
        RequestError: there is no such object.
        RefusedError: the body cannot be read.
        ClientDisconnect: as ``read_body``.
    """
    body = await checked_body(request, headers)
    return await turns.of(len(body), parse_body, body or default, other_type(headers)), body


async def checked_body(request: Request, headers: Mapping[str, str]) -> bytes:
    """The whole body of an API request. Raises as ``read_request``."""
    require_uncompressed(headers)
    body = await read_body(request, headers)
    require_body(headers, body)
    return body


async def read_body(request: Request, headers: Mapping[str, str]) -> bytes:
    """The whole body.

    Raises:
        RefusedError: it is too long.
        ClientDisconnect: the client left before its end.
    """
    announced = headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > MAX_BODY:
        raise _too_long()
    body, has_more = bytearray(), True
    # Not request.stream(): to start a generator costs more than to read a body in one part.
    while has_more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect("the connection ended in the middle of the body")
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise _too_long()
        has_more = message.get("more_body", False)
    return bytes(body)


def _too_long() -> RefusedError:
    limit = mebibytes(MAX_BODY)
    return RefusedError(413, "body_too_long", f"the body is longer than {limit}")


def node(headers: Mapping[str, str]) -> str:
    """The part of the application that sends a request, from ``NODE_HEADER``; "" without one."""
    return headers.get(_NODE_HEADER, "")


def is_verification(headers: Mapping[str, str]) -> bool:
    """True if this is a verification by the workbench, not a request of the suite."""
    return headers.get(_VERIFY_HEADER) == "1"


def verified_first(headers: Mapping[str, str]) -> int | None:
    """Which answer of ``first`` a verification is about; None: ``response``."""
    number = headers.get(_FIRST_HEADER, "")
    return int(number) if re.fullmatch("[0-9]{1,9}", number) else None


def patience(headers: Mapping[str, str]) -> float | None:
    """The seconds that the client waits for the beginning of a plain reply; None: not known. Until
    then its reply need not begin, so an error can still have its status. Otherwise many clients
    report a broken connection, and the JavaScript clients and google-genai do not retry after one.

    Args:
        headers: headers of the request, with names in lower case.
    """
    stated = [_seconds(headers[name]) for name in _STATED if name in headers]
    if not stated and _FETCH not in headers and _GEMINI not in headers.get(_CLIENT, ""):
        return None
    return min([MOST_SECONDS, *stated])


def _seconds(text: str) -> float:
    """A number of seconds; infinity for what is none."""
    try:
        seconds = float(text)
    except ValueError:
        return math.inf
    return seconds if seconds > 0 else math.inf


def query(request: Request) -> str:
    """As it was sent. It may contain a key."""
    return str(request.scope["query_string"].decode("latin-1"))


def raw_path(scope: Scope) -> str:
    """The path as it was sent, percent-encoded."""
    return str(scope["raw_path"].decode("ascii", "backslashreplace"))


def credentials_of(scope: Scope) -> Credentials:
    """The credentials in the headers and the URL of a request."""
    return credentials_in(scope["headers"], scope["query_string"], scope["raw_path"])


def credentials_in(
    headers: Iterable[tuple[bytes, bytes]], query_string: bytes, path: bytes
) -> Credentials:
    """The credentials in parts of the scope of a request."""
    decoded = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    query = query_string.decode("latin-1")
    return Credentials(of_request(decoded, query, path.decode("ascii", "backslashreplace")))


def _shown_path(scope: Scope) -> str:
    """The path as it was sent, without credentials."""
    path = raw_path(scope)
    return path if path in _PLAIN else without_keys(credentials_of(scope).path_masked(path))


def path_of(scope: Scope) -> str:
    """The decoded path, without credentials. If a client used another host than the usual one of
    the API, the URL begins with that host.
    """
    return state_of(scope).origin + unquote(_shown_path(scope))


def target(scope: Scope) -> str:
    """``path_of`` for the log: ASCII without blanks, control characters and credentials. A query is
    only indicated.
    """
    path = state_of(scope).origin + _shown_path(scope)
    return f"{path}?..." if scope["query_string"] else path


def request_line(scope: Scope) -> str:
    """``POST /v1/chat/completions HTTP/1.1``"""
    return f"{scope['method']} {target(scope)} HTTP/{scope['http_version']}"


def access_line(scope: Scope, stamp: str, status: int) -> str:
    """``127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/embeddings HTTP/1.1" 200 -``"""
    client = scope["client"][0] if scope["client"] else "-"
    return f'{client} - - [{stamp}] "{request_line(scope)}" {status} -\n'
