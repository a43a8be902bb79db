"""Answer a new request with a recorded reply."""

from __future__ import annotations

from typing import NamedTuple

from workbench.core.apis.table import api_of, view
from workbench.core.fixture.recorded import error_response, with_call_ids, without
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.replies.answer import answer_with
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import ErrorReply, FixtureError, NotAReplyError
from workbench.core.requests.view import RequestView


class ReplayedReply(NamedTuple):
    """A recorded reply as it is sent.

    Attributes:
        note: parts that were left out, or why the form differs from the requested one; else "".
    """

    reply: HTTPReply
    note: str = ""


def replayed(
    exchange: Exchange, sent: Sent, request: RequestView, profile: ProfileName, created: int
) -> ReplayedReply:
    """The recorded bytes, or the same reply in the form that the request needs: streamed, plain, or
    of another API.

    Args:
        sent: the reply of ``exchange``.
        created: seconds since the epoch.
    """
    is_ok = sent.status == 200
    recorded, api = api_of(exchange.payload), api_of(request.payload)
    writer = api.replies.writer(profile, request)
    is_as_asked = recorded.replies.writer(profile, view(exchange.payload)) == writer and (
        request.stream == exchange.stream or not is_ok
    )
    note = ""
    if sent.is_complete and not is_as_asked and (is_ok or sent.status >= 400):
        try:
            if is_ok:
                response, lost = recorded.replies.read(sent.content_type, sent.body)
                note = without(lost) if lost else ""
            else:
                response = error_response(sent.status, sent.body)
            answer = answer_with(request, with_call_ids(request, response))
            return ReplayedReply(writer.reply(answer, created, stream=request.stream), note)
        except (NotAReplyError, FixtureError) as error:
            note = f"in its recorded form, not in the requested one: {error}"
    reply = as_sent(sent, is_stream=request.stream)
    if sent.status >= 400:
        reply.headers = writer.error_headers(ErrorReply(sent.status, ""))
    return ReplayedReply(reply, note)


def as_sent(sent: Sent, *, is_stream: bool = False) -> HTTPReply:
    """A recorded reply as it was recorded."""
    frames, is_cut = [Frame("body", sent.body)], not sent.is_complete
    return HTTPReply(sent.status, sent.content_type, frames, is_cut=is_cut, is_stream=is_stream)
