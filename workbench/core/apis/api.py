"""The interface of an API to everything outside ``core.apis``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from workbench.core.apis.ignored import IgnoredOption
from workbench.core.json.spans import Path
from workbench.core.json.values import mapping, mappings
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import Profile
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
        resolve: a request with what it refers to in it, so that it can be read alone. It is given
            the answers by the ids. Raises UnknownIDError.
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


class API(NamedTuple):
    """A wire surface that the server speaks and fixtures answer.

    Attributes:
        name: in records and lists.
        profiles: the ways to write its replies: plain, streamed, errors. An API with one way has it
            under both names.
        read_reply: reads a reply, from content type and body, as the ``response`` of a fixture.
            Raises NotAReplyError.
        assemble: as ``read_reply``, but a stream is put together from its pieces alone, as a client
            does: the last event of some repeats the whole reply.
        left_out: the names of what ``read_reply`` finds no place for in such a reply. Raises
            NotAReplyError.
        ends_stream: whether a stream, as far as it was received, has its last event.
        may_go_on: whether more may follow what ``ends_stream`` takes for the last event.
        other_profile: a profile for requests that want their reply in another way, else None.
        ignored: of what a request asks for, the options that replies may not honour.
        limits: what a fixture can say and its replies leave out.
        finish_reasons: its words for why a reply ends, each with the word of chat; one that chat
            has no word for stands for itself.
        references: how requests refer to earlier ones; None where they do not.
    """

    name: str
    profiles: Mapping[ProfileName, Profile]
    read_reply: Callable[[str, bytes], dict[str, Any]]
    assemble: Callable[[str, bytes], dict[str, Any]]
    left_out: Callable[[str, bytes], list[str]]
    ends_stream: Callable[[bytes | bytearray], bool]
    may_go_on: bool = False
    other_profile: Callable[[RequestView], Profile | None] = lambda request: None  # noqa: ARG005
    references: References | None = None
    ignored: Callable[[RequestView], list[IgnoredOption]] = lambda request: []  # noqa: ARG005
    limits: tuple[Limit, ...] = ()
    finish_reasons: Mapping[str, str] = MappingProxyType({})

    def profile(self, name: ProfileName, request: RequestView) -> Profile:
        """The profile that the reply to a request is written in."""
        return self.other_profile(request) or self.profiles[name]

    def refers(self, payload: Payload) -> bool:
        """Whether a request refers to earlier ones."""
        return self.references is not None and bool(self.references.ids(payload))

    @property
    def has_profiles(self) -> bool:
        """Whether the profiles differ."""
        return self.profiles["stub"] is not self.profiles["openai"]
