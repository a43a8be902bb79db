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
    """A request refers to an id that is not known here.

    Attributes:
        reason: of the unsupported request, in words that follow its path and a colon.
        reply_id: the id, where it is that of the reply which the request continues; else "".
    """

    def __init__(self, reply: ErrorReply, reason: str, reply_id: str = "") -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.reason = reason
        self.reply_id = reply_id


class References(NamedTuple):
    """How the requests of an API refer to earlier ones.

    Attributes:
        resolve: a request with what it refers to in it, so that it can be read by itself. Its
            argument gives the answers by the ids. Raises UnknownIDError.
        reply_id: the id of a reply, from content type and body. Raises NotAReplyError.
        forwarded: the body to send to another server, which does not know the ids of this one's
            replies. Its arguments are the body, the resolved request, and a function that says
            whether an id is one of these. None: the ids are sent, and clients handle one that is
            not known.
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
    """What decides which of its writers an API takes for a reply.

    Attributes:
        profile: only chat has several.
        request: None for errors of requests that were not read.
        path: of the URL that was asked. It tells other providers which have the API's paths, and
            whose clients read some replies in another way.
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
        ends_stream: whether a stream, as far as it was received, has its last event: clients may
            close it then.
        may_go_on: whether more may follow what ``ends_stream`` takes for the last event.
        finish_reasons: its words for why a reply ends, each with the word of chat; one that chat
            has no word for stands for itself.
        writer_for: chooses what writes a reply; called by ``writer``.
        limits: what a fixture can say and its replies leave out.
        models: how it lists models.
        references: how requests refer to earlier ones; None where they do not.
        framings: the ways in which its streams are cut into frames.
        embeddings: the reply to a request for embeddings, from its body, the path of its URL and
            the profile; raises RequestError. None where no path asks for them.
        version: that the API says it has; "" where no path asks for it.
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
        """What writes a reply. The arguments are those of ``Circumstances``."""
        return self.writer_for(Circumstances(profile, request, path, accept))

    def assemble(self, content_type: str, body: bytes) -> dict[str, Any]:
        """The ``response`` of a reply as the official client has it. Raises as ``read``."""
        return self.read(content_type, body, as_client=True).response

    def refers(self, payload: Payload) -> bool:
        """Whether a request refers to earlier ones."""
        return self.references is not None and bool(self.references.ids(payload))
