"""Requests to paths that the server does not support: their purpose, and how to change them.

The error, the log, the lists and the reports use the same words. The unsupported paths of an API
with fixtures are beside its declaration, as ``UNSUPPORTED_PATHS``; the others are here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from workbench.core.apis.api import UnsupportedPath
from workbench.core.apis.paths import api_at, conversation_at, plain_at
from workbench.core.apis.table import APIS, BY_NAME, CHAT
from workbench.core.secrets.heads import without_keys
from workbench.core.text.wording import sentence

if TYPE_CHECKING:
    from workbench.core.replies.http_reply import HTTPReply

# Clients retry after 408, 409, 429 and 5xx, and read a 404 as a missing model.
STATUS: Final = 400
CODE: Final = "unsupported_request"

# Longer paths are cut: a path is one column of a list.
MAX_PATH: Final = 200
_METHODS: Final = ("POST", "PUT", "PATCH", "DELETE")
# Browsers request other paths, such as /favicon.ico.
_VERSIONED: Final = r"/(?:v\d+(?:alpha|beta)?\d*|api)/."
# The characters that stay in a path; all others are percent-encoded.
_PATH_CHARACTERS: Final = "/%:@!$&'()*+,;=-._~"

# Of a path with a typing mistake; /v1/rerank and /v1/responses are 0.67, images and messages 0.82.
_ALIKE: Final = 0.84

_OTHER_REQUEST: Final = ("send another request, or stub this call in your test",)
# How to use chat completions instead.
_CHAT: Final = (
    "openai: client.chat.completions.create()",
    'openai-agents: set_default_openai_api("chat_completions")',
    'pydantic-ai: the model "openai-chat:MODEL"',
    "langchain: ChatOpenAI(use_responses_api=False)",
    'litellm: the model "openai/MODEL"',
    "AI SDK: openai.chat(), not openai()",
)
# The paths of APIs that fixtures do not answer; clients read errors in chat's format.
_OF_OTHER_APIS: Final = (
    UnsupportedPath(r"/completions/?$", "this server does not support legacy completions", _CHAT),
    *(
        UnsupportedPath(pattern, f"this server does not support {what}")
        for pattern, what in (
            (r"/audio/", "audio"),
            (r"/images/", "images"),
            (r"/videos(?:/|$)", "videos"),
            (r"/(?:files|uploads)(?:/|$)", "files"),
            (r"/batches(?:/|$)", "batches"),
            (r"/(?:assistants|threads)(?:/|$)", "the Assistants API"),
            (r"/conversations(?:/|$)", "the Conversations API"),
            (r"/vector_stores(?:/|$)", "vector stores"),
            (r"/fine_tuning/", "fine-tuning"),
            (r"/realtime(?:/|$)", "the Realtime API"),
            (r"/rerank$", "reranking"),
        )
    ),
)
_ANY_PATH: Final = UnsupportedPath("", "this server does not support this path")
_ASK_AT: Final = "send it to "


@functools.cache
def _unsupported_paths() -> Sequence[tuple[str | None, UnsupportedPath]]:
    """Each with the name of its API, if fixtures answer others of its requests. The first match
    counts.
    """
    return (
        *((api.name, path) for api in APIS for path in api.request.UNSUPPORTED_PATHS),
        *((None, path) for path in _OF_OTHER_APIS),
    )


class UnsupportedRequest(NamedTuple):
    """A request that the server cannot answer. The path is printable ASCII without blanks, without
    the query and without keys.
    """

    method: str
    path: str
    reason: str

    @classmethod
    def of(cls, method: str, path: str, reason: str = "") -> UnsupportedRequest | None:
        """The unsupported request that no route takes or, with a ``reason``, that is refused; None
        for one that is not sent to an API, such as a browser's for an icon.
        """
        if method not in _METHODS and not (method == "GET" and re.search(_VERSIONED, path)):
            return None
        path = printable(path)
        return cls(method, path, " ".join(reason.split()) or _at(path)[1].reason)

    @classmethod
    def of_feature(cls, method: str, path: str, reason: str) -> UnsupportedRequest:
        """A request to a supported path for something that no fixture can contain."""
        return cls(method, printable(path), reason)

    def __str__(self) -> str:
        return f"{self.line}: {self.reason}"

    @property
    def line(self) -> str:
        """``POST /v1/moderations``"""
        return f"{self.method} {self.path}"

    @property
    def api(self) -> str | None:
        return _at(self.path)[0]

    @property
    def advice(self) -> list[str]:
        """Advice on what to change, one line per client: ``openai: …``."""
        return list(_at(self.path)[1].advice)

    @property
    def message(self) -> str:
        """The message of the error for the client."""
        meant = _meant(self.path)
        question = f" Did you mean {meant}?" if meant else ""
        if self.advice == [f"{_ASK_AT}{meant}"]:
            return f"{self}.{question}"
        if len(self.advice) == 1:
            return f"{self}. {sentence(self.advice[0])}{question}"
        return f"{self}. Instead: {'; '.join(self.advice)}.{question}"


def printable(path: str) -> str:
    """A decoded path in ASCII without blanks and keys, cut if it is long."""
    path = quote(without_keys(path), safe=_PATH_CHARACTERS, errors="backslashreplace")
    return path[:MAX_PATH]


def _at(path: str) -> tuple[str | None, UnsupportedPath]:
    """The API and the message of a path without a route, or of a feature without support."""
    if conversation := conversation_at(path):
        return conversation[0].name, UnsupportedPath("", "", _OTHER_REQUEST)
    if meant := _meant(path):
        misspelt = UnsupportedPath("", _ANY_PATH.reason, (f"{_ASK_AT}{meant}",))
        return api_at(meant).name, misspelt
    return next(filter(_is_at(path), _unsupported_paths()), (None, _ANY_PATH))


def _meant(path: str) -> str:
    """The path of an API that is meant by one that is not: ``/v1/chat/completions`` for
    ``/v1/chat/completion`` and ``/chat/completions/``; "" if none is like it.
    """
    if conversation_at(path):
        return ""
    if with_slash := _without_slash(path):
        return with_slash
    from workbench.core.apis.chat.request import EMBEDDINGS, MODERATIONS

    plain = (EMBEDDINGS, MODERATIONS)
    routes = [*plain, *(api.request.ROUTE for api in APIS if "{" not in api.request.ROUTE)]
    if any(map(_is_at(path), _unsupported_paths())):
        return ""
    from difflib import SequenceMatcher  # such requests are rare

    likeness = {
        route: SequenceMatcher(None, _end_of(path, route), route).ratio() for route in routes
    }
    best = max(routes, key=lambda route: likeness[route])
    is_other_version = _without_digits(_end_of(path, best)) == _without_digits(best)
    return best if likeness[best] >= _ALIKE and not is_other_version else ""


def _without_digits(path: str) -> str:
    return re.sub(r"\d", "", path)


def _without_slash(path: str) -> str:
    """The path of an API that only has a slash too many at its end; "" for any other path."""
    plain = path.rstrip("/")
    if plain == path:
        return ""
    if conversation := conversation_at(plain):
        route = conversation[0].request.ROUTE
        return plain if "{" in route else route
    return plain if plain_at(plain) else ""


def _end_of(path: str, route: str) -> str:
    """As many parts of a path as a route has: it may begin with the path of any base URL."""
    parts = [part for part in path[-MAX_PATH:].split("/") if part]
    return "/" + "/".join(parts[-route.count("/") :])


def _is_at(path: str) -> Callable[[tuple[str | None, UnsupportedPath]], bool]:
    return lambda entry: bool(re.search(entry[1].pattern, path))


def is_of_api(path: str) -> bool:
    """True if a path belongs to an API, even one that fixtures do not answer."""
    return _at(path)[1] is not _ANY_PATH


def unsupported_reply(request: UnsupportedRequest, note: str = "") -> HTTPReply:
    """The error in the format of the path's API; ``note`` follows its message."""
    # Most who read of unsupported requests write no replies.
    from workbench.core.replies.response import ErrorReply

    api = BY_NAME[request.api] if request.api else CHAT
    message = f"{request.message} {note}".rstrip()
    error = ErrorReply(STATUS, message, "invalid_request_error", CODE)
    return api.replies.writer("stub", path=request.path).error_reply(error)
