"""Requests that cannot be answered: why, their replies, and how they are logged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from workbench.core.apis.paths import api_at
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.unsupported import UnsupportedRequest, printable, unsupported_reply
from workbench.core.log.lines import NOT_LISTED
from workbench.core.replies.http_reply import Headers, HTTPReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import ErrorReply
from workbench.core.request_body import RequestError


class RefusedError(Exception):
    """A request that gets an error as its reply; ``str`` of it is the message.

    Args:
        is_listed: False for one that a client can do without.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Headers = (),
        *,
        is_listed: bool = True,
    ) -> None:
        super().__init__(message)
        self.is_listed = is_listed
        self.status = status
        self.code = code
        self.headers = headers


def not_listed() -> RefusedError:
    """The error of a request to a path that no API has, which clients can do without."""
    return RefusedError(404, "not_found", NOT_LISTED, is_listed=False)


class UnsupportedError(Exception):
    """A request that no fixture can answer; the text follows its path and a colon."""


class NotRoutedError(Exception):
    """A request to a path, or with a method, that nothing takes.

    Attributes:
        allowed: the methods that its path takes.
        reason: why it is unsupported, if the path does not show it.
    """

    def __init__(self, allowed: tuple[str, ...], reason: str = "") -> None:
        super().__init__(reason)
        self.allowed = allowed
        self.reason = reason


class Refused(NamedTuple):
    """A request that gets an error, which is logged with its ``reason``."""

    reason: str
    reply: HTTPReply


class Unsupported(NamedTuple):
    """A request that gets an error and is listed."""

    request: UnsupportedRequest
    reply: HTTPReply


def failed(
    error: Exception,
    method: str,
    path: str,
    profile: ProfileName,
    *,
    masked: Callable[[str], str] = str,
    is_listed: bool = True,
    note: str = "",
) -> Refused | Unsupported:
    """How to reply to a request that cannot be answered, and how to list it.

    Args:
        error: a RefusedError, RequestError, UnsupportedError, UnknownIDError or NotRoutedError; any
            other exception is an internal error.
        path: decoded, without credentials.
        masked: removes the credentials of the request from text.
        is_listed: False for a path that belongs to no API.
        note: added to the message for the client.
    """
    match error:
        case UnsupportedError():
            request = UnsupportedRequest.of_feature(method, path, masked(str(error)))
            return Unsupported(request, unsupported_reply(request, note))
        case UnknownIDError():
            request = UnsupportedRequest.of_feature(method, path, masked(error.reason))
            return Unsupported(request, _written(path, error.reply, profile))
        case NotRoutedError():
            unsupported = UnsupportedRequest.of(method, path, error.reason) if is_listed else None
            # The path of a model may be followed by what to do with it: ``:embedContent``.
            is_of_api = unsupported is not None and unsupported.api and unsupported.reason
            if unsupported and (error.reason or is_of_api or not error.allowed):
                return Unsupported(unsupported, unsupported_reply(unsupported, note))
            error = _not_routed(method, path, error.allowed)
        case RequestError():
            error = RefusedError(400, error.code, str(error))
        case RefusedError():
            is_listed = is_listed and error.is_listed
        case _:
            error = RefusedError(500, "internal_error", f"{type(error).__name__}: {error}")
    reason, reply = masked(str(error)), error_reply(path, error, profile, note)
    # A status of 500 or above means a miss or an internal error.
    listed = UnsupportedRequest.of(method, path, reason) if error.status < 500 else None
    return Unsupported(listed, reply) if listed and is_listed else Refused(reason, reply)


def error_reply(path: str, error: RefusedError, profile: ProfileName, note: str = "") -> HTTPReply:
    """An error in the shape of the API at ``path``; ``note`` follows its message."""
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    message = f"{error}. {note}" if note else str(error)
    reply = ErrorReply(error.status, message, kind, error.code)
    return _written(path, reply, profile, error.headers)


def _written(
    path: str, error: ErrorReply, profile: ProfileName, headers: Headers = ()
) -> HTTPReply:
    return api_at(path).replies.writer(profile, path=path).error_reply(error, headers)


def _not_routed(method: str, path: str, allowed: tuple[str, ...]) -> RefusedError:
    if not allowed:
        return RefusedError(404, "not_found", f"{printable(path)} does not exist")
    methods = ", ".join(allowed)
    message = f"{printable(path)} takes {methods}, not {method}"
    return RefusedError(405, "method_not_allowed", message, (("Allow", methods),))
