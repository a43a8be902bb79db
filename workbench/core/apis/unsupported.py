"""Requests to paths that this server does not speak: what they ask for, and what to switch to.

One table says it for the error, the log, the lists and the reports. An API that is spoken one day
leaves the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote

from workbench.core.apis.paths import without_keys

# How the API of a path writes its errors.
ErrorShape = Literal["openai", "anthropic", "gemini"]

# Of the error. Clients ask again after 408, 409, 429 and 5xx; they take a 404 for a missing model.
STATUS: Final = 400
CODE: Final = "unsupported_request"

# Longer ones are cut: a path is one column of a list.
MAX_PATH: Final = 200
_METHODS: Final = ("POST", "PUT", "PATCH", "DELETE")
# Others are asked for by browsers: /favicon.ico.
_VERSIONED: Final = r"/(?:v\d+(?:alpha|beta)?\d*|api)/."
# What a path may hold; the rest of it is percent-encoded.
_PATH_CHARACTERS: Final = "/%:@!$&'()*+,;=-._~"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Paths of an API that this server does not speak.

    Attributes:
        path: a pattern, found anywhere in the path of a request: base URLs have paths of their own.
        reason: what is missing.
        api: of the APIs that fixtures can answer, the one that is asked; None for any other.
        switches: what to do about it: a client, or "" for any, and what to change in its use.
    """

    path: str
    reason: str
    switches: tuple[tuple[str, str], ...] = ()
    api: str | None = None
    shape: ErrorShape = "openai"


_BASE_URL: Final = (
    ("", "the base URL of a client ends in /v1, once: OPENAI_BASE_URL=http://HOST:PORT/v1"),
)
_STUB: Final = (("", "stub this call in the suite, or send it to another server"),)
# How to ask by chat completions instead.
_CHAT: Final = (
    ("openai", "client.chat.completions.create()"),
    ("openai-agents", 'set_default_openai_api("chat_completions")'),
    ("pydantic-ai", 'the model "openai-chat:MODEL"'),
    ("langchain", "ChatOpenAI(use_responses_api=False)"),
    ("litellm", 'the model "openai/MODEL"'),
    ("AI SDK", "openai.chat(), not openai()"),
)
# The first that is found counts.
_ENDPOINTS: Final = (
    Endpoint(
        r"/chat/completions/?$",
        "chat completions are at /v1/chat/completions",
        (*_BASE_URL, ("AzureOpenAI", 'OpenAI(base_url="http://HOST:PORT/v1")')),
        "chat",
    ),
    Endpoint(r"/embeddings/?$", "embeddings are at /v1/embeddings", _BASE_URL),
    Endpoint(
        r"/responses(?:/|$)", "the Responses API is not spoken by this server", _CHAT, "responses"
    ),
    Endpoint(
        r"/v1/messages(?:/|$)",
        "the Anthropic Messages API is not spoken by this server",
        _CHAT,
        "messages",
        "anthropic",
    ),
    Endpoint(
        r"/v1(?:alpha|beta)\d*/|/interactions(?:/|$)"
        r"|(?i::(?:stream|batch|async)*(?:generate|embed|count|predict)\w*$)",
        "the Gemini API is not spoken by this server",
        _CHAT,
        "gemini",
        "gemini",
    ),
    Endpoint(r"/completions/?$", "legacy completions are not spoken by this server", _CHAT),
    Endpoint(
        r"/api/(?:chat|generate|embed|embeddings|tags|show|ps|pull|version)$",
        "the Ollama API is not spoken by this server",
        _CHAT,
    ),
    *(
        Endpoint(path, f"{what} not spoken by this server", _STUB)
        for path, what in (
            (r"/audio/", "audio is"),
            (r"/images/", "images are"),
            (r"/videos(?:/|$)", "videos are"),
            (r"/moderations$", "moderations are"),
            (r"/(?:files|uploads)(?:/|$)", "files are"),
            (r"/batches(?:/|$)", "batches are"),
            (r"/(?:assistants|threads)(?:/|$)", "the Assistants API is"),
            (r"/conversations(?:/|$)", "the Conversations API is"),
            (r"/vector_stores(?:/|$)", "vector stores are"),
            (r"/fine_tuning/", "fine-tuning is"),
            (r"/realtime(?:/|$)", "the Realtime API is"),
            (r"/rerank$", "reranking is"),
        )
    ),
)
_OTHER: Final = Endpoint("", "not spoken by this server", _STUB)


@dataclass(frozen=True, slots=True)
class UnsupportedRequest:
    """A request that this server cannot answer.

    Attributes:
        path: printable ASCII without blanks, without the query and without keys.
        reason: what is missing, as the log says it.
    """

    method: str
    path: str
    reason: str

    @classmethod
    def of(cls, method: str, path: str) -> UnsupportedRequest | None:
        """What is unsupported in a request that no route takes; None for one that nobody sends to
        an API: a browser's for an icon, say.

        Args:
            path: of its URL, encoded or not.
        """
        if method not in _METHODS and not (method == "GET" and re.search(_VERSIONED, path)):
            return None
        path = quote(without_keys(path), safe=_PATH_CHARACTERS, errors="backslashreplace")[
            :MAX_PATH
        ]
        return cls(method, path, endpoint(path).reason)

    def __str__(self) -> str:
        return f"{self.line}: {self.reason}"

    @property
    def line(self) -> str:
        """``POST /v1/responses``"""
        return f"{self.method} {self.path}"

    @property
    def api(self) -> str | None:
        return endpoint(self.path).api

    @property
    def advice(self) -> list[str]:
        """What to do about it, a line for each client: ``openai: …``."""
        return [
            f"{client}: {switch}" if client else switch
            for client, switch in endpoint(self.path).switches
        ]

    @property
    def message(self) -> str:
        """All of it in a sentence or two, for the client that asked."""
        return f"{self}. Instead: {'; '.join(self.advice)}."


def endpoint(path: str) -> Endpoint:
    """What is known of a path that no route takes."""
    return next((known for known in _ENDPOINTS if re.search(known.path, path)), _OTHER)
