"""How the replies of an API are read and written. Programs that only read logs do without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from workbench.core.apis.framing import SSE, Framing, framing_of
from workbench.core.json.values import mapping, mappings

if TYPE_CHECKING:
    from workbench.core.apis.ignored import IgnoredOption
    from workbench.core.apis.reading import Reading
    from workbench.core.json.spans import Path
    from workbench.core.replies.answer import Answer
    from workbench.core.replies.http_reply import Writer
    from workbench.core.replies.profile_names import ProfileName
    from workbench.core.replies.response import ErrorReply
    from workbench.core.requests.view import Payload, RequestView


class Limit(NamedTuple):
    """One thing that the replies of an API leave out, and the places where a ``response`` has
    it.
    """

    what: str
    places: Callable[[Mapping[str, Any]], Iterator[Path]]


def _custom_calls(response: Mapping[str, Any]) -> Iterator[Path]:
    for place, call in enumerate(mappings(response.get("tool_calls"))):
        if call.get("type") == "custom":
            yield "tool_calls", place


def _text_beside_refusal(response: Mapping[str, Any]) -> Iterator[Path]:
    if response.get("refusal") and response.get("content"):
        yield ("content",)


def _completion_details(response: Mapping[str, Any]) -> Iterator[Path]:
    if mapping(response.get("usage")).get("completion_tokens_details"):
        yield "usage", "completion_tokens_details"


CUSTOM_CALLS: Final = Limit("calls of custom tools", _custom_calls)
TEXT_BESIDE_REFUSAL: Final = Limit("content beside a refusal", _text_beside_refusal)
COMPLETION_DETAILS: Final = Limit("details of the completion tokens", _completion_details)


class ModelLists(NamedTuple):
    """The JSON in which an API lists models, of which nothing but the name is known; every name is
    a model.

    Attributes:
        several: of a list of names.
        single: of one name.
    """

    several: Callable[[Iterable[str]], dict[str, Any]]
    single: Callable[[str], dict[str, Any]]


def _openai_list(names: Iterable[str]) -> dict[str, Any]:
    return {"object": "list", "data": [_openai_model(name) for name in names]}


def _openai_model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


OPENAI_MODELS: Final = ModelLists(_openai_list, _openai_model)


class UnknownIDError(LookupError):
    """A request refers to an unknown id.

    Attributes:
        reason: the reason of the unsupported request, which follows its path and a colon.
        reply_id: the id if it belongs to the reply that the request continues; else "".
    """

    def __init__(self, reply: ErrorReply, reason: str, reply_id: str = "") -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.reason = reason
        self.reply_id = reply_id


class References(NamedTuple):
    """How the requests of an API refer to earlier ones.

    Attributes:
        resolve: a request with its references replaced by their content. The argument has the
            answers by their ids. Raises UnknownIDError.
        reply_id: the id of a reply, from content type and body. Raises NotAReplyError.
        forwarded: the body to send to another server, which does not have the ids of this server's
            replies. Its arguments are the body, the resolved request, and a function that returns
            True for an id of this server. None: the ids are sent, and clients handle the error for
            an unknown id.
    """

    ids: Callable[[Payload], list[str]]
    resolve: Callable[[Payload, Mapping[str, Answer]], Payload]
    reply_id: Callable[[str, bytes], str]
    forwarded: Callable[[Payload, Payload, Callable[[str], bool]], Payload] | None = None


class Read(Protocol):
    """Reads a reply."""

    def __call__(self, content_type: str, body: bytes, *, as_client: bool = False) -> Reading:
        """A reply as the ``response`` of a fixture that answers the same, and what that leaves out.

        Args:
            as_client: put a stream together only from its pieces, as the official client does:
                the last event of some repeats the whole reply.

        Raises:
            NotAReplyError: it is an error, not a reply of the API, or a stream that broke off.
        """


class Circumstances(NamedTuple):
    """The values by which an API chooses the writer of a reply.

    Attributes:
        profile: only chat has several.
        request: None for errors of requests that were not read.
        path: path of the URL. It identifies other providers which have the API's paths, and whose
            clients parse some replies differently.
        accept: the header ``Accept`` of the request.
    """

    profile: ProfileName
    request: RequestView | None = None
    path: str = ""
    accept: str = ""


class EmbeddingsReply(NamedTuple):
    """A reply with vectors, which are computed as it is written.

    Attributes:
        parts: of the JSON body, each with one vector at most.
        vectors: how many there are.
        ignored: the options of the request that it may not honour.
    """

    parts: Iterator[bytes]
    vectors: int
    ignored: Sequence[IgnoredOption] = ()


class Replies(NamedTuple):
    """How the replies of an API are read and written: by its modules ``read`` and ``write``.

    Attributes:
        ends_stream: True if the received part of a stream contains the last event, after which
            clients may close it.
        may_go_on: True if more events may follow after ``ends_stream`` is true.
        finish_reasons: the API's finish reasons, each with chat's equivalent; a reason without an
            equivalent is mapped to itself.
        writer_for: chooses the writer of a reply; called by ``writer``.
        limits: parts of a fixture that the API's replies leave out.
        models: the format of its list of models.
        references: how requests refer to earlier ones; None if they do not.
        framings: the ways in which its streams are cut into frames.
        embeddings: the reply to a request for embeddings, from its body, the path of its URL and
            the profile; raises RequestError. None if the API has no such path.
        version: version of the API in its reply; "" if the API has no such path.
    """

    read: Read
    ends_stream: Callable[[bytes | bytearray], bool]
    finish_reasons: Mapping[str, str]
    writer_for: Callable[[Circumstances], Writer]
    limits: tuple[Limit, ...] = ()
    models: ModelLists = OPENAI_MODELS
    references: References | None = None
    may_go_on: bool = False
    embeddings: Callable[[Payload, str, ProfileName], EmbeddingsReply] | None = None
    framings: tuple[Framing, ...] = (SSE,)
    version: str = ""

    def framing_of(self, content_type: str, body: bytes) -> Framing | None:
        """How a reply is cut into frames, which may not be there yet; None if it is not a
        stream."""
        return framing_of(content_type, body, self.framings)

    def writer(
        self,
        profile: ProfileName,
        request: RequestView | None = None,
        path: str = "",
        accept: str = "",
    ) -> Writer:
        """The writer of a reply. For the arguments see ``Circumstances``."""
        return self.writer_for(Circumstances(profile, request, path, accept))

    def assemble(self, content_type: str, body: bytes) -> dict[str, Any]:
        """The ``response`` of a reply as the official client has it. Raises as ``read``."""
        return self.read(content_type, body, as_client=True).response

    def refers(self, payload: Payload) -> bool:
        """True if a request refers to earlier ones."""
        return self.references is not None and bool(self.references.ids(payload))
