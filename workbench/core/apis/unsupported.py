"""Requests to paths that the server does not support: what they ask for, and what to change.

One table for the error, the log, the lists and the reports. An API that becomes supported leaves
the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from workbench.core.apis.chat import request as chat
from workbench.core.apis.gemini import request as gemini
from workbench.core.apis.responses import request as responses
from workbench.core.apis.table import BY_NAME, CHAT, EMBEDDINGS, find
from workbench.core.secrets.paths import without_keys

if TYPE_CHECKING:
    from workbench.core.replies.http_reply import HTTPReply

# Clients retry after 408, 409, 429 and 5xx, and read a 404 as a missing model.
STATUS: Final = 400
CODE: Final = "unsupported_request"

# Longer paths are cut: a path is one column of a list.
MAX_PATH: Final = 200
_METHODS: Final = ("POST", "PUT", "PATCH", "DELETE")
# Browsers ask for other paths, as /favicon.ico.
_VERSIONED: Final = r"/(?:v\d+(?:alpha|beta)?\d*|api)/."
# The characters that stay in a path; all others are percent-encoded.
_PATH_CHARACTERS: Final = "/%:@!$&'()*+,;=-._~"


class Endpoint(NamedTuple):
    """Paths of an API that the server does not support.

    Attributes:
        path: a pattern, found anywhere in the path of a request: base URLs have paths of their own.
        advice: what to change, a line for each client: ``openai: …``.
        api: the API that is asked, if it is one that fixtures could answer; else None, and clients
            read errors as those of chat.
    """

    path: str
    reason: str
    advice: tuple[str, ...] = ()
    api: str | None = None


_SLASH: Final = ("have the client ask for the path without the slash at its end",)
_STUB: Final = ("stub this call in the suite, or send it to another server",)
_OTHER_REQUEST: Final = ("have the client send another request, or stub this call in the suite",)
# How to use chat completions instead.
_CHAT: Final = (
    "openai: client.chat.completions.create()",
    'openai-agents: set_default_openai_api("chat_completions")',
    'pydantic-ai: the model "openai-chat:MODEL"',
    "langchain: ChatOpenAI(use_responses_api=False)",
    'litellm: the model "openai/MODEL"',
    "AI SDK: openai.chat(), not openai()",
)
# The first match counts.
_ENDPOINTS: Final = (
    Endpoint(
        r"/chat/completions/$",
        f"chat completions are at {chat.ROUTE}",
        _SLASH,
        chat.NAME,
    ),
    Endpoint(rf"{EMBEDDINGS}/$", f"embeddings are at /v1{EMBEDDINGS}", _SLASH),
    Endpoint(
        r"^(?!.*/threads/).*/messages/",
        "of the Messages API, this server supports only /v1/messages and its count_tokens",
        _STUB,
        "messages",
    ),
    Endpoint(
        rf"^(?!.*{gemini.PATH.pattern}).*(?:/v1(?:alpha|beta)\d*/|/interactions(?:/|$)"
        r"|(?i::(?:stream|batch|async)*(?:generate|embed|count|predict)\w*$))",
        "of the Gemini API, this server supports only generateContent and countTokens",
        _STUB,
        gemini.NAME,
    ),
    Endpoint(
        r"/responses/",
        "this server does not support this part of the Responses API",
        _STUB,
        responses.NAME,
    ),
    Endpoint(r"/completions/?$", "this server does not support legacy completions", _CHAT),
    Endpoint(
        r"/api/(?:chat|generate|embed|embeddings|tags|show|ps|pull|version)$",
        "this server does not support the Ollama API",
        _CHAT,
    ),
    *(
        Endpoint(path, f"this server does not support {what}", _STUB)
        for path, what in (
            (r"/audio/", "audio"),
            (r"/images/", "images"),
            (r"/videos(?:/|$)", "videos"),
            (r"/moderations$", "moderations"),
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
_OTHER: Final = Endpoint("", "this server does not support this path", _STUB)


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
        for one that nobody sends to an API, such as a browser's for an icon.
        """
        if method not in _METHODS and not (method == "GET" and re.search(_VERSIONED, path)):
            return None
        path = printable(path)
        return cls(method, path, " ".join(reason.split()) or endpoint(path).reason)

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
        return endpoint(self.path).api

    @property
    def advice(self) -> list[str]:
        """What to change, a line for each client: ``openai: …``."""
        return list(endpoint(self.path).advice)

    @property
    def message(self) -> str:
        """The message of the error, for the client that asked."""
        return f"{self}. Instead: {'; '.join(self.advice)}."


def printable(path: str) -> str:
    """A decoded path in ASCII without blanks and keys, cut if it is long."""
    path = quote(without_keys(path), safe=_PATH_CHARACTERS, errors="backslashreplace")
    return path[:MAX_PATH]


def endpoint(path: str) -> Endpoint:
    """The entry of the table for a path that no route takes, or one whose API does not give what
    was asked for.
    """
    if asked := find(path):
        return Endpoint("", "", _OTHER_REQUEST, asked[0].name)
    for entry in _ENDPOINTS:
        if re.search(entry.path, path):
            return entry
    return _OTHER


def unsupported_reply(request: UnsupportedRequest) -> HTTPReply:
    """The error that is sent, in the shape of the API that was asked."""
    # Most who read of unsupported requests write no replies.
    from workbench.core.replies.response import ErrorReply

    api = BY_NAME[request.api] if request.api else CHAT
    error = ErrorReply(STATUS, request.message, "invalid_request_error", CODE)
    return api.replies.writer("stub").error_reply(error)
