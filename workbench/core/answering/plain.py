"""The replies to requests that need no fixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import parse_qs, quote

from workbench.core.answering.errors import RefusedError, not_listed
from workbench.core.answering.routes import Plain
from workbench.core.apis.moderations import moderations
from workbench.core.apis.paths import counting_at, received
from workbench.core.apis.replies import EmbeddingsReply
from workbench.core.apis.responses.write import WRITER
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.json.values import string
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Frame, HTTPReply, json_body
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import FixtureError, NeutralReply
from workbench.core.requests.view import Payload
from workbench.core.secrets.heads import without_keys

_NO_CONTENT: Final = HTTPReply(204, "", ())


class PlainLookups(NamedTuple):
    """Data sources of these replies, which may read files.

    Attributes:
        models: the models that stored requests name.
        earlier: the answer for the id of an earlier reply.
        fixture: the reply of the fixture with this name, or None. Raises FixtureError.
    """

    models: Callable[[], list[str]]
    earlier: Callable[[str], Answer | None]
    fixture: Callable[[str], NeutralReply | None]


class PlainRequest(NamedTuple):
    """A request that needs no fixture.

    Attributes:
        query: of its URL, as it was sent.
        payload: the JSON of its body; empty unless ``route.reads_body``.
    """

    route: Plain
    path: str
    query: str
    payload: Payload


def plain_reply(
    request: PlainRequest, profile: ProfileName, created: int, lookups: PlainLookups
) -> HTTPReply | EmbeddingsReply:
    """The reply to a request that needs no fixture.

    Args:
        created: seconds since the epoch.

    Raises:
        RefusedError: the response does not exist, the path has no answer, or a fixture for
            moderations cannot be used.
        RequestError: the body is not valid for this kind of request.
    """
    route, path, query, payload = request
    match route.kind:
        case "embeddings":
            return _embeddings(route, payload, path, profile)
        case "moderations":
            return _moderations(payload, lookups)
        case "tokens":
            return _json_reply(_token_count(path, query, payload))
        case "preflight" | "nothing":
            return _NO_CONTENT
        case "telemetry":
            raise not_listed()
        case "models":
            return _json_reply(route.api.replies.models.several(lookups.models()))
        case "model":
            return _json_reply(route.api.replies.models.single(route.name))
        case "version":
            return _json_reply({"version": route.api.replies.version})
        case "response":
            return _stored_response(route.name, query, created, lookups.earlier)
    return _json_reply({"ok": True})


def whole(reply: HTTPReply | EmbeddingsReply) -> HTTPReply:
    """A reply with its vectors, which are computed now. Slow for many."""
    return _body_reply(b"".join(reply.parts)) if isinstance(reply, EmbeddingsReply) else reply


def _token_count(path: str, query: str, body: Payload) -> dict[str, int] | None:
    """How many tokens a request has, estimated as in the usage of its reply; None if no tokens are
    counted at ``path``.
    """
    counting = counting_at(path)
    if counting is None:
        return None
    count, begin = counting
    end, own_body = count.inner(body)
    payload = received(begin + (end or count.request_end), query, own_body)
    return None if payload is None else {count.key: view(payload).prompt_tokens}


def _embeddings(route: Plain, payload: Payload, path: str, profile: ProfileName) -> EmbeddingsReply:
    """The reply to a request for embeddings to ``path``. Raises RequestError."""
    written_by = route.api.replies.embeddings
    assert written_by is not None, "an API with such a path writes them"
    return written_by(payload, path, profile)


def _moderations(payload: Payload, lookups: PlainLookups) -> HTTPReply:
    """The reply to a moderation request. For each input, the fixture of the chat request whose only
    message is this input may list the flagged categories in its ``content``.

    Raises:
        RequestError: there is no input, one has no digest, or a fixture flags an unknown category.
        RefusedError: a fixture cannot be used.
    """

    def flagged(request: Payload) -> str:
        name = digest(request)
        try:
            reply = lookups.fixture(name)
        except FixtureError as error:
            raise RefusedError(500, "broken_fixture", f"fixture {name}: {error}") from None
        return string(reply.content) if reply else ""

    return _json_reply(moderations(payload, flagged))


def _json_reply(value: object) -> HTTPReply:
    return _body_reply(json_body(value))


def _body_reply(body: bytes) -> HTTPReply:
    """A reply with a body of JSON."""
    return HTTPReply(200, ENVELOPE_TYPE, [Frame("body", body)])


def _stored_response(
    reply_id: str,
    query: str,
    created: int,
    earlier: Callable[[str], Answer | None],
) -> HTTPReply:
    """An earlier reply, retrieved by its id."""
    answer = earlier(reply_id) if reply_id.startswith("resp_") else None
    if answer is None:
        # The message is logged.
        shown = without_keys(quote(reply_id, safe=""))
        raise RefusedError(404, "not_found", f"Response with id '{shown}' not found.")
    stream = parse_qs(query).get("stream", [""])[-1] == "true"
    return WRITER.reply(answer, created, stream=stream)
