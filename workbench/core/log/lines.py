"""The lines that our server writes to its log: the reference stub's lines and some more.

The listening line is also parsed here, because it is needed before the parser is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.core.apis.ignored import IGNORED_OPTIONS, IgnoredOption, ignored_text
from workbench.core.secrets.heads import without_keys
from workbench.core.text.inert import escaped

if TYPE_CHECKING:
    from workbench.core.apis.unsupported import UnsupportedRequest
    from workbench.core.requests.view import Payload

MARK = "[mock-llm] "
LISTENING = "listening on "
UNSUPPORTED = "unsupported request "
ASKED_BY = "asked by "
SENT_TO: Final = "sent to "
SUITE_STARTED: Final = "suite started"
SUITE_ENDED: Final = "suite ended with exit code "
REFUSED: Final = "refused "
NOT_LISTED: Final = "no API has this path; the request is not listed"
"""Why a request is refused that neither a fixture nor a change of the suite would answer."""
# The longest name of a test that is kept.
MAX_TEST: Final = 200
# Not percent-encoded in the names of tests; never a blank, a quote or a percent sign.
_TEST_CHARACTERS: Final = "/:[]()=,.@+-"
# Compiled on first use.
_LISTENING = rb"listening on (\S+)(?: \(fixtures: (.*)\))?"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
# Scheme, loopback host and port, followed by the end of the URL or by a path.
_PORT = r"(?:6553[0-5]|655[0-2]\d|65[0-4]\d\d|6[0-4]\d{3}|[1-5]\d{4}|\d{1,4})"
_LOOPBACK = rf"https?://(?:localhost|127(?:\.{_BYTE}){{3}}|\[::1\])(?::{_PORT})?(?![^/?#])"


class Listening(NamedTuple):
    """A server started: the first line of a suite run.

    Attributes:
        url: scheme, host and port of the server; "" if that is not on this machine.
        fixtures: the folder it reads, as it names it, or "".
    """

    url: str
    fixtures: str


def miss_lines(digest: str, payload: Payload) -> str:
    """The two lines of a miss, to be written in one call."""
    import json  # not needed to search for such lines

    # The reference stub sorts the keys of a chat request. Those of another API keep their order:
    # in Gemini's, the result of a function is an object, and its digest depends on the order.
    is_chat = "api" not in payload
    dump = json.dumps(payload, sort_keys=is_chat, ensure_ascii=False)
    return f"{MARK}unknown fixture hash {digest}\n{MARK}request: {dump}\n"


def hidden_miss_lines(digest: str) -> str:
    """The lines of a miss whose request repeats a credential of the client."""
    note = note_line(
        f"the request of {digest} is not shown, because it repeats a credential that was sent "
        "with it. Send another key or another text"
    )
    return f"{MARK}unknown fixture hash {digest}\n{note}"


def served_line(digest: str, *, equivalent_to: str = "") -> str:
    """The line of a hit: the digest of the fixture, and the digest of the request if it differs."""
    request = f" (equivalent to {equivalent_to})" if equivalent_to else ""
    return f"{MARK}served fixture {digest}{request}\n"


def masked_line(digest: str, request: str, kinds: Sequence[str]) -> str:
    """The second line of a hit with the fixture of another request, which differs only in these
    kinds of text.
    """
    return f"[workbench] served fixture {digest} for {request} after masking {', '.join(kinds)}\n"


def not_normalised_line(request: str) -> str:
    return note_line(
        f"the request of {request} is too long to mask, so fixtures of requests that differ "
        "only in volatile text were not looked for"
    )


def not_offered_line(digest: str, tools: Sequence[str]) -> str:
    """The line of a reply with calls of tools that its request does not offer; "" for none."""
    return note_line(not_offered_text(digest, ", ".join(tools))) if tools else ""


def not_offered_text(digest: str, tools: str) -> str:
    """The text of that line.

    Args:
        tools: their names, with commas between them.
    """
    return f"the fixture of {digest} calls {tools}, which the request does not offer"


def read_not_offered(text: bytes) -> tuple[str, str] | None:
    """Parse the text after the mark: the digest and the names of the tools; None if it is not such
    a line.
    """
    pattern = not_offered_text("([0-9a-f]{64})", "(.+)").encode()
    match = re.fullmatch(pattern, text)
    return None if match is None else (match[1].decode(), match[2].decode("utf-8", "replace"))


def load_failed_line(path: str, error: str) -> str:
    return f"{MARK}failed to load fixture {path}: {' '.join(error.split())}\n"


def unsupported_line(request: UnsupportedRequest) -> str:
    return f"{MARK}{UNSUPPORTED}{request}\n"


def test_name(name: str) -> str:
    """The name of a test as it may be logged and shown: one line, no keys, not too long."""
    return escaped(without_keys(name[: 2 * MAX_TEST]))[:MAX_TEST]


def asked_line(test: str, key: str) -> str:
    """The line with the test that sent a request; ``key`` is the digest or the text of an
    unsupported request. "" without a test.
    """
    from urllib.parse import quote  # needed here alone

    return f"{MARK}{ASKED_BY}{quote(test, safe=_TEST_CHARACTERS)} {key}\n" if test else ""


def sent_to_line(origin: str, digest: str) -> str:
    """The line with the host of an API that a request was sent to; "" for its own host."""
    return f"{MARK}{SENT_TO}{origin} {digest}\n" if origin else ""


def listening_line(url: str, fixtures: str) -> str:
    return f"{MARK}{LISTENING}{url} (fixtures: {fixtures})\n"


def suite_started_line() -> str:
    """The line of ``workbench run`` that its suite begins."""
    return f"{MARK}{SUITE_STARTED}\n"


def suite_ended_line(code: int) -> str:
    """The line of ``workbench run`` that its suite ended, with the exit code of its last run."""
    return f"{MARK}{SUITE_ENDED}{code}\n"


def read_listening(text: bytes) -> Listening | None:
    """Parse the text after the mark; None if it is not a listening line."""
    match = re.match(_LISTENING, text)
    if match is None:
        return None
    url, fixtures = match.groups(b"")
    # Logs are untrusted: other URLs in a log are not shown, copied or requested.
    here = re.match(_LOOPBACK, url.decode("utf-8", "replace"), re.ASCII)
    return Listening(here[0] if here else "", fixtures.decode("utf-8", "replace"))


def ignored_line(option: IgnoredOption) -> str:
    return note_line(ignored_text(option))


def read_ignored(text: bytes) -> IgnoredOption | None:
    """Parse the text after the mark; None if it is not such a note."""
    options = [option for option in IGNORED_OPTIONS if text == ignored_text(option).encode()]
    return options[0] if options else None


def read_as_json_line(kind: str) -> str:
    """A body was read as JSON although its content type is another one."""
    return note_line(
        f"read a body as JSON, although its content type is {kind!a}; "
        "real APIs need application/json (curl: --json, or --header 'Content-Type: "
        "application/json')"
    )


def note_line(text: str) -> str:
    """Any other line of our server; line breaks become spaces."""
    return f"{MARK}{' '.join(text.split())}\n"
