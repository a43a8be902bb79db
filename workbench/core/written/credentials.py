"""The credentials of a request, and their search in text in any usual encoding."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from workbench.core.apis.client_settings import PLACEHOLDER_KEY
from workbench.core.json.escapes import TooManyLayersError, layers
from workbench.core.json.spans import Path
from workbench.core.secrets.bodies import MASK, SHORTEST, may_be_named, named_in, of_named, without
from workbench.core.secrets.heads import json_strings, path_masked
from workbench.core.written.reply import json_values

# A request has one or two. If there are more than this, every text counts as containing one.
MOST: Final = 100

HIDDEN: Final = "(not shown: it repeats a credential)"

# Longer words that people set where no key is needed, and that any text may have.
_PLACEHOLDERS: Final = frozenset(
    {
        PLACEHOLDER_KEY,
        "anything",
        "dummy-key",
        "fake-key",
        "lm-studio",
        "mock-key",
        "no-key-needed",
        "not-needed",
        "not-used",
        "placeholder",
        "test-key",
        "whatever",
    }
)


# Recorders' replacements of a credential, between marks: ``**REDACTED**``, ``[Filtered]``.
_HIDING: Final = frozenset({"filtered", "hidden", "masked", "redacted", "removed", "scrubbed"})
_MARKS: Final = "*#<>[](){}"


class Credentials:
    """Some credentials; values shorter than ``SHORTEST`` do not count."""

    def __init__(self, values: Iterable[str]) -> None:
        long_enough = {value for value in values if len(value) >= SHORTEST}
        self._values = {value for value in long_enough if not _is_placeholder(value)}
        self._is_full = len(self._values) > MOST
        if self._is_full:
            self._values = set()
        self._forms = {form.casefold() for value in self._values for form in _forms(value)}

    def with_more(self, values: Iterable[str]) -> Credentials:
        """These and others."""
        return Credentials([*self._values, *values])

    def are_in(self, text: str) -> bool:
        """True if one of them occurs in ``text``: plain, base64, hexadecimal, percent-encoded, or
        JSON-escaped at any depth, in upper or lower case. Also true if the search takes too long.
        """
        if self._is_full:
            return True
        if not self._forms:
            return False
        try:
            shown = (layer.casefold() for layer in layers(text))
            return any(form in layer for layer in shown for form in self._forms)
        except TooManyLayersError:
            return True

    def are_in_spaced(self, text: str) -> bool:
        """The same for text with different white space, whose lines were folded or cut at some
        width.
        """
        squeezed = Credentials("".join(value.split()) for value in self._values)
        return self.are_in(text) or squeezed.are_in("".join(text.split()))

    def are_in_body(self, content_type: str, body: bytes) -> bool:
        """True if one of them occurs in the body of a request or reply, or in the joined pieces of
        a stream or of a list of parts.

        Args:
            content_type: of the body; "" where it is not known.
        """
        is_searched = bool(self._forms) or self._is_full
        return is_searched and any(map(self.are_in, _reply_texts(content_type, body)))

    def masked(self, text: str) -> str:
        """``text`` with ``…`` for each of them; ``HIDDEN`` if one remains in another encoding."""
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, MASK)
        return HIDDEN if self.are_in(text) else text

    def path_masked(self, path: str) -> str:
        """A path with ``...`` for its parameters and for each of them."""
        for value in sorted(self._values, key=len, reverse=True):
            for written in (quote(value, safe=""), quote(value), value):
                path = path.replace(written, "...")
        path = path_masked(path)
        return "/..." if self.are_in(path) else path


NONE: Final = Credentials(())


def _is_placeholder(value: str) -> bool:
    word = value.lower()
    return word in _PLACEHOLDERS or word.strip(_MARKS) in _HIDING


def body_shown(
    body: bytes, credentials: Credentials, *, is_whole: bool = True
) -> tuple[bytes, Credentials]:
    """The body of a request as it may be shown, and its credentials with those that it names. The
    body is empty if it repeats one of them, or if it is not whole and has what may be one.
    """
    if may_be_named(body):
        try:
            value = json.loads(body) if is_whole else None
        except (ValueError, RecursionError):
            value = None
        if value is None:
            return b"", credentials
        if named := named_in(value):
            body = json.dumps(without(value, named)).encode("ascii")
            credentials = credentials.with_more(of_named(named))
    return b"" if credentials.are_in_body("", body) else body, credentials


def _forms(value: str) -> Iterator[str]:
    """The value, its bytes in hexadecimal, and its base64 at each alignment."""
    yield value
    data = value.encode("utf-8", "surrogatepass")
    yield data.hex()
    for before in range(3):
        # The first and last characters also encode bits of the neighbouring bytes.
        encoded = base64.b64encode(bytes(before) + data).decode("ascii").rstrip("=")
        inner = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield inner
        yield inner.translate(_URL_SAFE)


_URL_SAFE: Final = str.maketrans("+/", "-_")


def _reply_texts(content_type: str, body: bytes) -> Iterator[str]:
    yield content_type
    yield body.decode("utf-8", "replace")
    if b"\0" in body:  # UTF-16 or UTF-32, which JSON readers accept too
        yield body.replace(b"\0", b"").decode("utf-8", "replace")
    strings = list(_all_strings(body))
    yield _joined(strings)
    # The parts of a message are in a list.
    yield _joined(
        (tuple(key for key in place if isinstance(key, str)), text) for place, text in strings
    )


def _all_strings(body: bytes) -> Iterator[tuple[Path, str]]:
    """Each string of a reply, or of a stream's events, with its place."""
    for value in json_values(body):
        yield from json_strings(value)


def _joined(strings: Iterable[tuple[Path, str]]) -> str:
    """The strings, joined if they are at the same place: they are pieces of one text. One text per
    line.
    """
    pieces: dict[Path, list[str]] = defaultdict(list)
    for place, text in strings:
        pieces[place].append(text)
    return "\n".join("".join(texts) for texts in pieces.values())
