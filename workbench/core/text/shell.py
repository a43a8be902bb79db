"""Quotes commands for pasting into a shell: sh, bash, zsh or fish."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from workbench.core.text.inert import unsafe

# At its beginning = is a command in zsh, and % a job in fish.
_PLAIN: Final = re.compile(r"(?![=%])[\w@%+=:,./-]+", re.ASCII)
_BACKSLASHES: Final = re.compile(r"\\+")


def command(words: Iterable[str]) -> str:
    """``words`` as one command line; each reaches the program unchanged."""
    return " ".join(map(quoted, words))


def quoted(word: str) -> str:
    """``word``, quoted if needed. Control characters, which would act on the terminal when pasted,
    are escaped in ``$'...'``, which bash, zsh and ksh read. Other shells run nothing of it.
    """
    if _PLAIN.fullmatch(word):
        return word
    if unsafe().search(word):
        # Not \': a shell that does not read $'...' would end the quotes there.
        text = word.replace("\\", r"\\").replace("'", r"\047")
        return "$'" + unsafe().sub(lambda match: _escapes(match[0]), text) + "'"
    # Backslashes stand outside of the quotes, where fish does not leave them as they are.
    text = _BACKSLASHES.sub(lambda match: f"'{match[0] * 2}'", word.replace("'", "'\"'\"'"))
    return f"'{text}'".replace("''", "") or "''"


def _escapes(character: str) -> str:
    # Lone surrogates represent bytes of a file name that is not UTF-8.
    is_byte = "\udc80" <= character <= "\udcff"
    data = character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in data)
