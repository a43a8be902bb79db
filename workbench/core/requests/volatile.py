"""The volatile spans of a request: what changes from run to run, such as dates, ids and ports.

They are found and masked to compare requests and to warn, never to compute a digest. Every pattern
is bounded, so that any text is read in linear time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from workbench.core.digest import ID_KEYS
from workbench.core.json.values import sorted_json
from workbench.core.request_body import RequestError
from workbench.core.requests.dates import BEGIN, DATES, END, TIMES
from workbench.core.text.wording import listed

if TYPE_CHECKING:
    from workbench.core.requests.view import RequestView

VolatileKind = Literal[
    "date", "time", "uuid", "id", "call-id", "commit", "temp-path", "port", "epoch"
]
"""A kind of volatile span, as settings name it."""
KINDS: Final[tuple[VolatileKind, ...]] = get_args(VolatileKind)
KIND_NAMES: Final[dict[VolatileKind, str]] = {
    "date": "a date",
    "time": "a time",
    "uuid": "a UUID",
    "id": "an id",
    "call-id": "a call id",
    "commit": "a commit hash",
    "temp-path": "a temporary path",
    "port": "a port",
    "epoch": "a time stamp",
}

_CURES: Final[dict[VolatileKind, str]] = {
    **dict.fromkeys(("date", "time", "epoch"), "freeze the clock"),
    **dict.fromkeys(("uuid", "id", "call-id"), "fix the seed or the ids"),
    "commit": "use a commit that stays the same",
    "temp-path": "use a folder that stays the same",
    "port": "use a port that stays the same",
}

_BARE_UUID: Final = r"[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}"
# Between the name of a value and the value: "id": "x", id=x, id x; in JSON text also escaped.
_QUOTE: Final = r"\\{0,7}[\"']?"
_SEPARATOR: Final = rf"{_QUOTE}(?:\s?[:=#]|\sis)?\s?{_QUOTE}"
_QUOTES: Final = ('"', r"\"", r"\\\"", r"\\\\\\\"")
_SEPARATORS: Final = (
    *(" ", ": ", ":", "="),
    *(f"{quote}:{blank}{end}" for quote in _QUOTES for blank in (" ", "") for end in ("", quote)),
)
_ID_PREFIXES: Final = (
    *("req", "request", "resp", "msg", "run", "thread", "asst", "chatcmpl", "fc", "rs", "trace"),
    *("span", "sess", "evt"),
)
_ID_OWNERS: Final = tuple(
    f"(?i:{name}){between}"
    for name in ("request", "trace", "span", "session", "correlation", "process")
    for between in ("", "[ _-]")
)
_COMMITS: Final = (
    *(f"{name}{re.escape(separator)}" for name in ("[Cc]ommit", "[Rr]ev", "[Rr]evision", "[Ss]ha")
      for separator in _SEPARATORS),
    *("HEAD at ", "HEAD is now at "),
)  # fmt: skip
_PORTS: Final = tuple(f"[Pp]ort{re.escape(separator)}" for separator in _SEPARATORS)


def _after(*before: str) -> str:
    """A pattern of the place after a word that begins with one of ``before``, which each match a
    fixed length.
    """
    places = [rf"(?<=\b{pattern})" for pattern in before]
    return f"(?:{'|'.join(places)})"


_NAME: Final = r"[\w~@%+=-]{1,200}"
_FOLDERS: Final = r"var/folders/[\w+]{1,9}/[\w+]{1,99}/T/"


class _Rule(NamedTuple):
    """The pattern of one kind of span.

    Attributes:
        first: the characters it may begin with; the engine skips all others quickly.
        pattern: matches the span, or has it as the group ``span``.
    """

    kind: VolatileKind
    first: str
    pattern: str


_RULES: Final = (
    _Rule("uuid", "0-9A-Fa-f",
          r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"),
    # Without hyphens a random one is recognised by its version and variant.
    _Rule("uuid", "0-9a-f",
          rf"(?<![0-9A-Fa-f]){_BARE_UUID}(?![0-9A-Fa-f])"),
    _Rule("call-id", "ct",
          rf"{BEGIN}(?:call|toolu|tooluse|chatcmpl-tool)[_-](?=[A-Za-z]{{0,40}}\d)[\w-]{{6,64}}"),
    # A ULID, which begins with its time; the traceparent of https://www.w3.org/TR/trace-context/;
    # <Agent object at 0x7f8b1c2d3e4f>
    _Rule("id", "0",
          rf"{BEGIN}0(?:[0-9A-HJKMNP-TV-Z]{{25}}|[0-9a-hjkmnp-tv-z]{{25}}"
          rf"|0-[0-9a-f]{{32}}-[0-9a-f]{{16}}-[0-9a-f]{{2}}|(?<= at 0)x[0-9a-fA-F]{{6,16}}){END}"),
    # Those of APIs: req_011CSHoEeqs5C35K2UUqR7Fy, chatcmpl-9fYx3kQ2mB7n
    _Rule("id", "_-",
          rf"{_after(*_ID_PREFIXES)}[_-]"
          rf"(?P<span>(?=[A-Za-z]{{0,40}}\d)(?=[0-9]{{0,40}}[A-Za-z])(?!{_BARE_UUID})"
          rf"[A-Za-z0-9]{{10,64}}){END}"),
    # Those that are called so: request id: 7b3f9c2a, "session_id": "4f1", pid 4711
    _Rule("id", "Ii",
          rf"{_after(*_ID_OWNERS)}[Ii][Dd]{_SEPARATOR}"
          rf"(?P<span>(?=[A-Za-z_-]{{0,40}}\d)[A-Za-z0-9_-]{{3,64}}){END}"),
    _Rule("id", "Ii", rf"(?<=\b[Pp])[Ii][Dd]{_SEPARATOR}(?P<span>\d{{2,7}}){END}"),
    _Rule("id", "O_", rf"(?:ObjectId\(|_id){_SEPARATOR}(?P<span>[0-9a-f]{{24}}){END}"),
    # Whole, or abbreviated where git writes it: commit 1a2b3c4, index 83db48f..bf269f4
    _Rule("commit", "0-9a-f",
          r"(?<![\w-])(?=[0-9a-f]{7})(?:(?=[0-9]{0,39}[a-f])(?=[a-f]{0,39}\d)[0-9a-f]{40}"
          rf"|(?<=index )[0-9a-f]{{7,40}}\.\.[0-9a-f]{{7,40}}"
          rf"|{_after(*_COMMITS)}(?=[a-f]{{0,39}}\d)[0-9a-f]{{7,40}})(?![\w-])"),
    _Rule("call-id", "p", rf"{BEGIN}pyd_ai_[0-9a-f]{{32}}{END}"),
    # pytest's paths are temporary up to the folder of the run; the name of the test stays.
    _Rule("temp-path", "/",
          rf"(?<![\w/.])(?:/private)?/(?:{_FOLDERS}|(?:var/)?tmp/)(?:pytest-of-[\w.-]{{1,99}}"
          rf"/pytest-(?:\d{{1,9}}|current)(?:/popen-gw\d{{1,4}})?|{_NAME})"),
    _Rule("temp-path", r"\\", rf"\\Temp\\{{1,4}}(?P<span>{_NAME})"),
    *(_Rule("date", first, pattern) for first, pattern in DATES),
    *(_Rule("time", first, pattern) for first, pattern in TIMES),
    _Rule("port", ":", r"://(?:[\w.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<span>\d{2,5})(?!\d)"),
    _Rule("port", "l10",
          r"(?<![\w.-])(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(?P<span>\d{2,5})(?!\d)"),
    _Rule("port", r"\[", r"\[::1?\]:(?P<span>\d{2,5})(?!\d)"),
    # One that the system chose.
    _Rule("port", "3-6", rf"{_after(*_PORTS)}(?:3[3-9]\d|[45]\d\d|6[0-5]\d)\d\d(?!\.?\d)"),
    # A number is a time if its name suggests it, or if it has the fraction of a time.
    _Rule("epoch", "TtEeUu_",
          r"(?:[Tt]imestamp|[Ee]poch|[Uu]nix[ _]?time|_at|_ts|_time"
          r"|(?<![^\W_])(?:ts|time|expires|exp|updated))"
          rf"{_QUOTE}\s?(?:[:=]|is)\s?"
          r"(?P<span>1[4-9]\d{8}(?:\d{3}|\.\d{1,9})?)(?![\d.]\d)"),
    _Rule("epoch", "1", r"(?<![\d.])1[4-9]\d{8}\.\d{3,9}(?!\d)"),
)  # fmt: skip

# Files in a request: long, and nothing in them is volatile.
_ENCODED: Final = r"data:[\w/.+-]{1,60};base64,[A-Za-z0-9+/=]*"

# The ids by which a request ties results to calls, whatever they look like.
_ID_VALUE: Final = "|".join(rf'(?<="{key}":")(?:[^"\\]|\\.)*' for key in sorted(ID_KEYS))


_REMEMBERED_CHARACTERS: Final = 32_000


class Span(NamedTuple):
    """``text[start:end]`` is volatile."""

    start: int
    end: int
    kind: VolatileKind


@cache
def _compiled() -> re.Pattern[str]:
    """A pattern of which the group that matched, by its number among ``_RULES``, is the span."""
    parts = [_ENCODED]
    for number, rule in enumerate(_RULES):
        group = f"(?P<r{number}>"
        pattern = rule.pattern.replace("(?P<span>", group)
        if pattern == rule.pattern:
            pattern = f"{group}{pattern})"
        # One character is consumed, and the pattern begins before it.
        parts.append(f"[{rule.first}](?<=(?={pattern}).)")
    return re.compile("|".join(parts), re.DOTALL)


def in_words(kinds: Collection[VolatileKind]) -> str:
    """``a date and a time``; "volatile text" for none."""
    return listed([KIND_NAMES[kind] for kind in kinds]) or "volatile text"


def cure(kinds: Collection[VolatileKind]) -> str:
    """How to keep text of these kinds the same in every run: ``freeze the clock in the test``."""
    return f"{listed(list(dict.fromkeys(_CURES[kind] for kind in kinds)))} in the test"


def setting(kinds: Collection[VolatileKind]) -> str:
    """The line of the settings with which fixtures answer requests that differ in these kinds."""
    names = ", ".join(f'"{kind}"' for kind in kinds)
    return f"normalise = [{names}]"


def spans(text: str) -> Iterator[Span]:
    """The volatile spans of ``text`` in their order; they do not overlap."""
    at = 0
    for match in _compiled().finditer(text):
        group = match.lastgroup
        if group is not None and match.start(group) >= at:
            at = match.end(group)
            yield Span(match.start(group), at, _RULES[int(group[1:])].kind)


def masked(text: str) -> str:
    """``text`` with each volatile span replaced by the name of its kind.

    A mask contains a control character, which JSON text always escapes, so no text looks like a
    mask.
    """
    parts = []
    at = 0
    for span in spans(text):
        parts += [text[at : span.start], f"\0{span.kind}\0"]
        at = span.end
    return "".join([*parts, text[at:]])


def masked_message(message: Mapping[str, Any]) -> str:
    """The masked JSON text of a canonical message: equal for messages that differ only in volatile
    spans. The ids of its calls are masked whatever they look like.

    Raises:
        RequestError: it is nested too deeply.
    """
    text = _json(message)
    mask = _masked_again if len(text) <= _REMEMBERED_CHARACTERS else _masked_message
    return mask(text)


def _masked_message(text: str) -> str:
    return masked(re.sub(_ID_VALUE, "", text))


# Many requests begin with the same instructions.
_masked_again = lru_cache(maxsize=256)(_masked_message)


def masked_digest(request: RequestView, masked: Iterable[str]) -> str:
    """A hash that is equal for requests whose messages differ only in volatile spans.

    Model and tool choice count as they are. It is not a digest of the request and names no file.

    Args:
        masked: each of its messages, as ``masked_message`` gives it.

    Raises:
        RequestError: the request is nested too deeply.
    """
    combined = hashlib.blake2b(digest_size=16)
    for part in (*masked, _json(list(request.canonical.settings.values()))):
        combined.update(part.encode("utf-8", "surrogatepass") + b"\n")
    return combined.hexdigest()


def _json(value: object) -> str:
    try:
        return sorted_json(value)
    except RecursionError:
        raise RequestError("too_deep", "the request is nested too deeply") from None
