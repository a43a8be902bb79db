"""Find the one small change that makes text valid JSON, if there is only one.

A change adds, removes or replaces one character, or rewrites Python or JavaScript text that has
only one meaning as JSON. A change is certain if no other change of the same size gives another
accepted value: an extra quote may also be a quote without its backslash. Some changes are only used
for this comparison: ``1 2`` may be 12, but that is never offered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise, starmap
from typing import Final, NamedTuple

from workbench.core.json import edits as jsonedit
from workbench.core.json.spans import STRING, Edit
from workbench.core.json.syntax import JSONSyntaxError, quotes
from workbench.core.json.text import JSONText, read_json
from workbench.core.json.values import dumps, same

# The limit of one search: the number of characters parsed.
_MOST_CHARACTERS: Final = 10_000_000
# In a longer text too few changes could be tried, and to find them alone takes seconds.
LONGEST_TEXT: Final = 1_000_000

_NAMES: Final = {
    ",": "comma",
    ":": "colon",
    '"': "quote",
    "{": "brace {",
    "}": "brace }",
    "[": "bracket [",
    "]": "bracket ]",
}
_BRACKETS: Final = "{}[]"
_TOKEN: Final = re.compile(rf'{STRING}|[{{}}\[\],:]|[^\s"{{}}\[\],:]+')

_BEGIN, _END = "begin", "end"
_STRING_KIND, _WORD_KIND = '"', "word"
_BEGINS_VALUE: Final = frozenset({_STRING_KIND, _WORD_KIND, "{", "["})
# The characters that may follow each kind of token.
_FOLLOWING: Final = {
    _BEGIN: _BEGINS_VALUE,
    "{": frozenset({_STRING_KIND, "}"}),
    "[": _BEGINS_VALUE | {"]"},
    ",": _BEGINS_VALUE,
    ":": _BEGINS_VALUE,
    _WORD_KIND: frozenset({",", "}", "]", _END}),
    "}": frozenset({",", "}", "]", _END}),
    "]": frozenset({",", "}", "]", _END}),
    _STRING_KIND: frozenset({",", ":", "}", "]", _END}),
}

# Words and strings of Python and JavaScript.
_PYTHON: Final = {"True": "true", "False": "false", "None": "null"}
_FOREIGN: Final = re.compile(
    rf"(?s)(?P<string>{STRING})|'(?P<single>(?:[^'\\]|\\.)*+)'|(?P<cut>'.*)"
    r"|(?P<key>(?<=[{,\s])[A-Za-z_$][\w$]*(?=\s*:))|\b(?P<word>True|False|None)\b"
)


class Repair(NamedTuple):
    """A change of text; without ``is_offered`` it is only used for comparison."""

    title: str
    edits: tuple[Edit, ...]
    is_offered: bool = True


def sure_repair(
    text: str, accepts: Callable[[JSONText], bool], *, knows_end: bool = False
) -> Repair | None:
    """The change that makes ``text`` accepted JSON, if no other change of its size does.

    Args:
        accepts: returns True if JSON text may be the intended one.
        knows_end: True if ``accepts`` also detects a missing end. Else text that only ends too
            early is left as it is.
    """
    if len(text) > LONGEST_TEXT:
        return None
    try:
        read_json(text)
    except JSONSyntaxError as error:
        if error.is_cut and not knows_end:
            return None
    else:
        return None
    left = _MOST_CHARACTERS
    for changes in (_small_changes(text), _translations(text)):
        repair: Repair | None = None
        value = None
        for change in changes:
            left -= len(text)
            if left < 0:
                return None
            read = _read(jsonedit.apply(text, change.edits))
            if read is None or not accepts(read):
                continue
            if repair is not None and not same(read.value, value):
                return None
            if repair is None or (change.is_offered and not repair.is_offered):
                repair, value = change, read.value
        if repair is not None:
            return repair if repair.is_offered else None
    return None


def _read(text: str) -> JSONText | None:
    """A JSON text without mistakes; None for any other text."""
    try:
        read = read_json(text)
    except JSONSyntaxError:
        return None
    return None if read.suspicious else read


def _small_changes(text: str) -> Iterator[Repair]:
    """The changes of one character that may make text valid JSON."""
    places = quotes(text)
    # Strings have two quotes each: only a change of one makes an odd number even.
    return _quote_changes(text, places) if len(places) % 2 else _other_changes(text)


def _add(at: int, new: str) -> Repair:
    return Repair(f"add the {_NAMES[new]}", (Edit(at, at, new),))


def _remove(at: int, char: str) -> Repair:
    """Remove a character. Removing a part of a value, or a space, is only used for comparison."""
    is_offered = char in _NAMES
    title = f"remove the {_NAMES.get(char, 'character')}"
    return Repair(title, (Edit(at, at + 1, ""),), is_offered)


def _quote_changes(text: str, places: list[int]) -> Iterator[Repair]:
    for at in places:
        yield _remove(at, '"')
        yield Repair("escape the quote", (Edit(at, at, "\\"),))
    for match in re.finditer(r'\\"', text):
        yield Repair("remove the backslash", (Edit(match.start(), match.start() + 1, ""),))
    # A quote is next to the end of the text, or to a separator of values; so are spaces.
    before = ""
    for at in range(len(text) + 1):
        after = text[at : at + 1]
        if before in "{[,:" or after in ",:]}" or after.isspace():
            yield _add(at, '"')
        before = before if after.isspace() else after


class _Token(NamedTuple):
    kind: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    tokens = [_Token(_BEGIN, 0, 0)]
    for match in _TOKEN.finditer(text):
        first = match[0][0]
        kind = first if first in _NAMES else _WORD_KIND
        tokens.append(_Token(kind, match.start(), match.end()))
    tokens.append(_Token(_END, len(text), len(text)))
    return tokens


def _other_changes(text: str) -> Iterator[Repair]:
    """The changes except for quotes. A token either may follow the previous one or not, so most
    places need not be tried.
    """
    tokens = _tokens(text)
    pairs = list(starmap(_may_follow, pairwise(tokens)))
    wrong = [index for index, fits in enumerate(pairs) if not fits]
    if len(wrong) > 2:
        return
    counts = Counter(token.kind for token in tokens)
    surplus = {
        "{": counts["{"] - counts["}"],
        "[": counts["["] - counts["]"],
    }
    for index in range(len(pairs)):
        if all(abs(index - bad) <= 1 for bad in wrong):
            yield from _changes_at(text, tokens, index, wrong, surplus)


def _may_follow(first: _Token, second: _Token) -> bool:
    return second.kind in _FOLLOWING[first.kind]


def _changes_at(
    text: str, tokens: list[_Token], index: int, wrong: list[int], surplus: dict[str, int]
) -> Iterator[Repair]:
    """The changes between the token at ``index`` and the next one, and of the next one."""
    here, there = tokens[index], tokens[index + 1]
    is_wrong_here = all(bad == index for bad in wrong)
    if is_wrong_here:
        for new in ",:{}[]":
            token = _Token(new, 0, 0)
            is_even = new not in _BRACKETS or _balances(surplus, new, 1)
            if is_even and _may_follow(here, token) and _may_follow(token, there):
                yield _add(here.end, new)
        if there.start - here.end == 1:  # 1 2 may be 12
            yield _remove(here.end, " ")
    if index + 2 == len(tokens) or there.end - there.start != 1:
        return
    # The next token itself, with what is beside it.
    after, char = tokens[index + 2], text[there.start]
    if all(bad in (index, index + 1) for bad in wrong):
        if _may_follow(here, after) and (char not in _BRACKETS or _balances(surplus, char, -1)):
            yield _remove(there.start, char)
        for new in _REPLACED.get(char, ""):
            token = _Token(new, 0, 0)
            if _may_follow(here, token) and _may_follow(token, after):
                edit = Edit(there.start, there.end, new)
                yield Repair(f"replace {char} by {new}", (edit,))


_REPLACED: Final = {"}": "]", "]": "}", "{": "[", "[": "{", ",": ":", ":": ","}


def _balances(surplus: dict[str, int], bracket: str, change: int) -> bool:
    """True if adding (1) or removing (-1) a bracket balances the brackets."""
    kind = "{" if bracket in "{}" else "["
    after = surplus[kind] + (change if bracket == kind else -change)
    return after == 0 and all(count == 0 for other, count in surplus.items() if other != kind)


def _translations(text: str) -> Iterator[Repair]:
    """A text of Python or JavaScript as JSON: its quotes, bare keys, True, False and None."""
    edits: list[Edit] = []
    kinds: list[str] = []
    for match in _FOREIGN.finditer(text):
        kind = match.lastgroup
        if kind == "single":
            edits.append(Edit(*match.span(), _double_quoted(match["single"])))
            kinds.append("write double quotes")
        elif kind == "key":
            edits.append(Edit(*match.span(), dumps(match["key"])))
            kinds.append("quote the keys")
        elif kind == "word":
            edits.append(Edit(*match.span(), _PYTHON[match["word"]]))
            kinds.append(f"write {_PYTHON[match['word']]}")
    if edits:
        names = list(dict.fromkeys(kinds))
        yield Repair(names[0] if len(names) == 1 else "write it as JSON", tuple(edits))


def _double_quoted(inside: str) -> str:
    """A string in double quotes, from the text between its single quotes."""
    plain = inside.replace("\\'", "'")
    return '"' + re.sub(r'(?s)\\.|"', lambda m: m[0] if len(m[0]) > 1 else '\\"', plain) + '"'
