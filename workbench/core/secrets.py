"""Secrets in text: keys of known makers, tokens and passwords that nobody meant to commit.

Only what has the form of a real one is told, never a placeholder: a warning that is mostly wrong
is soon read by nobody. Each form is looked for by the letters it begins with, and from no place
twice, so that the time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

# Of one text: enough to see what is wrong, and a bound to the work.
MOST_FOUND: Final = 100

_SHOWN_CHARACTERS: Final = 3
# What is random has a run of letters and digits that is longer than the words of a name.
_SHORTEST_RUN: Final = 12
_RUN: Final = re.compile(rf"[A-Za-z0-9]{{{_SHORTEST_RUN},}}")
_FEWEST_DISTINCT: Final = 8

# What people write where a secret stands.
_FAKES: Final = ("1234567", "abcdefg", "example", "placeholder", "redacted")
_FAKE_PASSWORDS: Final = frozenset({"changeme", "pass", "passwd", "password", "pwd", "secret"})
_TEMPLATE_STARTS: Final = tuple("$%{[(*…")


@dataclass(frozen=True, slots=True)
class Secret:
    """A part of a text that should not be written down.

    Attributes:
        kind: what it looks like, with its article: ``an OpenAI API key``.
        start, end: its place in the text.
        shown: what may be shown of it: ``sk-…f3a``.
    """

    kind: str
    start: int
    end: int
    shown: str


@dataclass(frozen=True, slots=True)
class _Form:
    """What secrets of one kind look like.

    Attributes:
        marks: one of these stands in each; JSON writes them as they are.
        pattern: the whole, with a group ``secret`` for what must not be shown.
        is_real: whether a match is no placeholder.
        shown: what may be shown of a match.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    is_real: Callable[[re.Match[str]], bool]
    shown: Callable[[re.Match[str]], str]


def find(text: str) -> list[Secret]:
    """The secrets in ``text``, in the order of their places; they do not overlap, and there are
    no more than ``MOST_FOUND``.
    """
    found: list[Secret] = []
    for secret in islice(_find(text), MOST_FOUND):
        if not any(secret.start < other.end and other.start < secret.end for other in found):
            found.append(secret)
    return sorted(found, key=lambda secret: secret.start)


def _find(text: str) -> Iterator[Secret]:
    """Those of each form; they may overlap with those of a form before."""
    for form in _FORMS:
        if any(mark in text for mark in form.marks):
            for match in filter(form.is_real, form.pattern.finditer(text)):
                yield Secret(form.kind, match.start(), match.end(), form.shown(match))


def may_stand_in(json_text: str) -> bool:
    """Whether a JSON text can hold secrets: a quick look, never wrong where it says no."""
    return any(mark in json_text for mark in _MARKS)


def _is_random(match: re.Match[str]) -> bool:
    """Whether there is a run of letters and digits in it, some of both."""
    return _is_varied(match) and any(
        not run.isalpha() and not run.isdigit() for run in _RUN.findall(match["secret"])
    )


def _is_varied(match: re.Match[str]) -> bool:
    """For kinds that may do without a digit, and whose beginning says enough."""
    text = match["secret"]
    folded = text.casefold()
    return len(set(text)) >= _FEWEST_DISTINCT and not any(fake in folded for fake in _FAKES)


def _has_digit(match: re.Match[str]) -> bool:
    """For kinds made of short runs."""
    return _is_varied(match) and any(map(str.isdigit, match["secret"]))


def _is_password(match: re.Match[str]) -> bool:
    text = match["secret"]
    return (
        text.casefold() not in _FAKE_PASSWORDS
        and text != match["user"]  # a database of one's own: postgres:postgres@
        and len(set(text)) > 1
        and not text.startswith(_TEMPLATE_STARTS)
    )


def _start_and_end(match: re.Match[str]) -> str:
    start = match.string[match.start() : match.start("secret")]
    return f"{start}…{match['secret'][-_SHOWN_CHARACTERS:]}"


def _key(
    kind: str,
    starts: str,
    body: str,
    is_real: Callable[[re.Match[str]], bool] = _is_random,
    mark: str = "",
) -> _Form:
    """A key that begins with one of ``starts``, which have a ``mark`` in common or are their own;
    what goes on before or behind it is none.
    """
    pattern = rf"(?<![\w-])(?:{starts.replace(' ', '|')})(?P<secret>{body})(?![\w-])"
    marks = (mark,) if mark else tuple(starts.split())
    return _Form(kind, marks, re.compile(pattern, re.A), is_real, _start_and_end)


# The special before the general: of two that overlap the first stands.
_FORMS: Final = (
    _key("an Anthropic API key", "sk-ant-", r"[\w-]{20,}+"),
    _key("an OpenRouter API key", "sk-or-", r"[\w-]{20,}+"),
    _key("an OpenAI API key", "sk-proj- sk-svcacct- sk-admin-", r"[\w-]{20,}+"),
    _key("an API key", "sk-", r"[A-Za-z0-9]{20,}+"),
    _key("a Groq API key", "gsk_", r"[A-Za-z0-9]{32,}+"),
    _key("an xAI API key", "xai-", r"[A-Za-z0-9]{32,}+"),
    _key("a Google API key", "AIza", r"[\w-]{35}", _is_varied),
    _key("a Hugging Face token", "hf_", r"[A-Za-z0-9]{30,}+", _is_varied),
    _key("an AWS access key id", "AKIA", r"[A-Z2-7]{16}", _is_varied),
    _key("an AWS access key id", "ASIA", r"[A-Z2-7]{16}"),
    _key("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,}+"),
    _key("a GitHub token", "github_pat_", r"\w{36,}+"),
    _key("a GitLab token", "glpat-", r"[\w-]{20,}+", _has_digit),
    _key("a Slack token", "xox[abeprs]-", r"[\w-]{20,}+", _has_digit, "xox"),
    _key("a Stripe key", "[rs]k_live_", r"[A-Za-z0-9]{20,}+", mark="k_live_"),
    _Form(
        "a JSON Web Token",
        ("eyJ",),
        re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.(?P<secret>[\w-]{16,}+)", re.A),
        _is_varied,
        lambda match: f"eyJ…{match['secret'][-_SHOWN_CHARACTERS:]}",
    ),
    _Form(
        "a bearer token",
        ("earer ", "EARER "),
        re.compile(r"\b(?i:bearer) {1,4}(?P<secret>[\w.~+/-]{16,}+=*+)", re.A),
        _is_random,
        _start_and_end,
    ),
    _Form(
        "a private key",
        ("PRIVATE KEY-----",),
        # Prose quotes the first line alone. In a text within a text \n is two characters.
        re.compile(
            r"-----BEGIN (?:[A-Z]{1,10} ){0,2}PRIVATE KEY-----"
            r"(?:\s|\\[nr]){1,8}(?P<secret>[A-Za-z0-9+/]{16,}+)"
        ),
        _is_varied,
        lambda match: match[0][: match[0].rindex("-----") + 5],
    ),
    _Form(
        "a password in a URL",
        ("://",),
        re.compile(
            r"://(?P<user>[^\s:/?#@\"'<>]{0,64}):(?P<secret>[^\s/?#@\"'<>]{1,128})"
            r"@(?P<host>[\w.-]{1,100})"
        ),
        _is_password,
        lambda match: f"…@{match['host']}",
    ),
)
_EVERY_MARK: Final = tuple(dict.fromkeys(mark for form in _FORMS for mark in form.marks))
# The fewest to look for, with the escapes that any character, and a slash, may be written as.
_MARKS: Final = (
    *(mark for mark in _EVERY_MARK if not any(m != mark and m in mark for m in _EVERY_MARK)),
    "\\u00",
    "\\/",
)
