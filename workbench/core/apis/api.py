"""What an API is to everything outside ``core.apis``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.replies.http_reply import Profile, ProfileName
from workbench.core.replies.proof import Proof
from workbench.core.requests.view import RequestView


@dataclass(frozen=True, slots=True)
class API:
    """A wire surface that the server speaks and fixtures answer.

    Attributes:
        request: reads a request. Its ``canonical`` form is what the digest is made of.
        profiles: the ways to write its replies: plain, streamed, errors.
        read_reply: reads a reply, from content type and body, as the ``response`` of a fixture.
            Raises NotAReplyError.
        left_out: of such a reply, the keys that ``read_reply`` finds no place for.
        ends_stream: whether a stream, as far as it was received, has its last event.
        prove: compares a stream with the plain reply to the same request.
    """

    request: type[RequestView]
    profiles: Mapping[ProfileName, Profile]
    read_reply: Callable[[str, bytes], dict[str, Any]]
    left_out: Callable[[str, bytes], list[str]]
    ends_stream: Callable[[bytes | bytearray], bool]
    prove: Callable[[bytes, bytes], Proof]

    @property
    def path(self) -> str:
        """After the base URL, which ends in ``/v1``."""
        return self.request.path
