"""The volatile spans of a request: dates, times, UUIDs, call ids, temporary paths, ports.

They are found and masked to compare requests and to warn, never to compute a digest. Every pattern
is bounded, so that any text is read in linear time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from workbench.core.digest import ID_KEYS, RequestError, sorted_json

if TYPE_CHECKING:
    from workbench.core.requests.view import RequestView

VolatileKind = Literal["date", "time", "uuid", "call-id", "temp-path", "port", "epoch"]
"""A kind of volatile span, as settings name it."""
KINDS: Final[tuple[VolatileKind, ...]] = get_args(VolatileKind)
KIND_NAMES: Final[dict[VolatileKind, str]] = {
    "date": "a date",
    "time": "a time",
    "uuid": "a UUID",
    "call-id": "a call id",
    "temp-path": "a temporary path",
    "port": "a port",
    "epoch": "a time stamp",
}

# A word begins here: not after a letter or digit, or after an escape of JSON text (``\nMonday``).
_BEGIN: Final = r"(?:(?<![^\W_])|(?<=\\[bfnrt]))"
_END: Final = r"(?![^\W_])"

_YEAR: Final = r"(?:19|20|21)\d\d"
_MM: Final = r"(?:0[1-9]|1[0-2])"
_DD: Final = r"(?:0[1-9]|[12]\d|3[01])"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])"
_NTH: Final = rf"{_DAY}(?:st|nd|rd|th)?"
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    rf"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?){_END}"
)
_WEEKDAY: Final = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)" + _END
)
_HOUR: Final = r"(?:[01]\d|2[0-3])"
_CLOCK: Final = rf"{_HOUR}:[0-5]\d"
_SECONDS: Final = r":[0-5]\d(?:[.,]\d{1,9})?"
_HALF: Final = rf" ?(?:[AaPp]\.[Mm]\.|[AaPp][Mm]{_END})"
_ZONE: Final = rf" ?(?:(?:Z|UTC|GMT){_END}|[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d))"

# November 19th, 2026; Nov. 19; November 2026; Nov 19 17:02:33 2026
_MONTH_FIRST: Final = (
    rf"{_MONTH}(?: {{1,2}}{_DAY} {_CLOCK}{_SECONDS}(?: [A-Z]{{3,4}})? {_YEAR}(?!\d)"
    rf"| {_NTH}(?!\d)(?:,? {_YEAR}(?!\d))?|,? {_YEAR}(?!\d))"
)
_NUMBER_FIRST: Final = (
    # 19th of November, 2026; 19 Nov; 19-Nov-2026
    rf"(?<!\d)(?:{_NTH}\.?(?: of)?[ /-]{_MONTH}(?:,?[ /-]{_YEAR}(?!\d))?"
    # 2026-11-19, 2026/11/19, 20261119T170233Z
    rf"|(?<!\d-){_YEAR}-{_MM}-{_DD}(?!-?\d)|(?<!\d/){_YEAR}/{_MM}/{_DD}(?!/?\d)"
    rf"|{_YEAR}{_MM}{_DD}[T_-]{_HOUR}[0-5]\d[0-5]\d(?!\d)Z?"
    # 11/19/2026, 19.11.2026
    rf"|(?<!\d/){_DAY}/{_DAY}/{_YEAR}(?!/?\d)|(?<!\d\.){_DAY}\.{_DAY}\.{_YEAR}(?!\.?\d))"
)
# The weekday after a date: 2026-11-19 (Thursday)
_ITS_WEEKDAY: Final = rf"(?:,? {_WEEKDAY}| \({_WEEKDAY}\))?"
_NAME: Final = r"[\w~@%+=-]{1,200}"
_FOLDERS: Final = r"var/folders/[\w+]{1,9}/[\w+]{1,99}/T/"


class _Rule(NamedTuple):
    """The pattern of one kind of span.

    Attributes:
        first: the characters it may begin with; the engine skips all others quickly.
        pattern: matches the span, which is the group named ``span`` where there is one.
    """

    kind: VolatileKind
    first: str
    pattern: str


_RULES: Final = (
    _Rule("uuid", "0-9A-Fa-f",
          r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"),
    # Without hyphens a random one is recognised by its version and variant.
    _Rule("uuid", "0-9a-f",
          r"(?<![0-9A-Fa-f])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9A-Fa-f])"),
    _Rule("call-id", "ct",
          rf"{_BEGIN}(?:call|toolu|tooluse|chatcmpl-tool)[_-](?=[A-Za-z]{{0,40}}\d)[\w-]{{6,64}}"),
    _Rule("call-id", "p", rf"{_BEGIN}pyd_ai_[0-9a-f]{{32}}{_END}"),
    # pytest's paths are temporary up to the folder of the run; the name of the test stays.
    _Rule("temp-path", "/",
          rf"(?<![\w/.])(?:/private)?/(?:{_FOLDERS}|(?:var/)?tmp/)(?:pytest-of-[\w.-]{{1,99}}"
          rf"/pytest-(?:\d{{1,9}}|current)(?:/popen-gw\d{{1,4}})?|{_NAME})"),
    _Rule("temp-path", r"\\", rf"\\Temp\\{{1,4}}(?P<span>{_NAME})"),
    _Rule("date", "JFMASOND", _BEGIN + _MONTH_FIRST + _ITS_WEEKDAY),
    _Rule("date", "0-9", _NUMBER_FIRST + _ITS_WEEKDAY),
    # Thursday, November 19, 2026
    _Rule("date", "MTWFS", rf"{_BEGIN}{_WEEKDAY},? (?:{_MONTH_FIRST}|{_NUMBER_FIRST})"),
    _Rule("date", "oDd",
          rf"(?:oday(?: is|'s|:)|[Dd]ay(?: of (?:the )?week)?:) (?P<span>{_WEEKDAY})"),
    _Rule("time", "0-9",
          rf"(?<![\d:.])(?:{_CLOCK}(?:{_SECONDS})?(?:{_HALF}|{_ZONE})?"
          rf"|\d:[0-5]\d(?:{_SECONDS}(?:{_HALF}|{_ZONE})?|{_HALF}))(?![\d:])"),
    _Rule("port", ":", r"://(?:[\w.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<span>\d{2,5})(?!\d)"),
    _Rule("port", "l10",
          r"(?<![\w.-])(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(?P<span>\d{2,5})(?!\d)"),
    # A number is a time if its name says so, or if it has the fraction of one.
    _Rule("epoch", "TtEeUu_",
          r"(?:[Tt]imestamp|[Ee]poch|[Uu]nix ?time|_at|_ts)\\{0,3}[\"']?\s?(?:[:=]|is)\s?"
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


def spans(text: str) -> Iterator[Span]:
    """The volatile spans of ``text`` in their order; they do not overlap."""
    at = 0
    for match in _compiled().finditer(text):
        group = match.lastgroup
        if group is not None and match.start(group) >= at:
            at = match.end(group)
            yield Span(match.start(group), at, _RULES[int(group[1:])].kind)


def masked(text: str) -> str:
    """``text`` with the name of its kind instead of each volatile span.

    A mask has a control character that JSON text holds only escaped, so no text looks like one.
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
