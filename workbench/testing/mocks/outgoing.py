"""A reply on its way out: the same for a socket and for a transport without one."""

from __future__ import annotations

import time
from dataclasses import dataclass

from workbench.core.apis.chat import request, wire
from workbench.core.apis.chat.request import Payload
from workbench.core.apis.chat.wire import ENVELOPE_TYPE, Frame, HTTPReply, Profile
from workbench.core.replies.answer import Answer
from workbench.core.replies.delivery import MAX_DELAY_MS


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What goes out, and when.

    Attributes:
        delay: seconds until the first byte; None for a reply that never comes.
        pause: seconds before each paced frame.
        is_refused: whether there is to be no connection, where that is still to be had.
    """

    reply: HTTPReply
    delay: float | None = 0.0
    pause: float = 0.0
    is_refused: bool = False


def outgoing(
    answer: Answer, payload: Payload, profile: Profile, *, is_refused: bool = False
) -> Outgoing:
    """How ``answer`` goes out in reply to ``payload``."""
    stream = request.asks_stream(payload)
    reply = wire.http_reply(profile, answer, int(time.time()), stream=stream)
    delivery = answer.reply.delivery
    delay = None if delivery.delay_ms >= MAX_DELAY_MS else delivery.delay_ms / 1000
    return Outgoing(reply, delay, delivery.chunk_delay_ms / 1000, is_refused)


def plain(value: object) -> Outgoing:
    """A JSON body."""
    return whole(200, wire.json_body(value))


def refusal(status: int, code: str, message: str) -> Outgoing:
    """An error of our own, in the shape of the API."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return whole(status, wire.error_body(message, code=code, kind=kind))


def whole(status: int, body: bytes) -> Outgoing:
    """A body that is JSON."""
    return Outgoing(HTTPReply(status, ENVELOPE_TYPE, [Frame("body", body)]))
