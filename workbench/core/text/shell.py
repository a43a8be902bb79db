"""Quotes commands for pasting into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from workbench.core.text.inert import unsafe


def command(words: Iterable[str]) -> str:
    """``words`` as one command line; each reaches the program unchanged."""
    return " ".join(map(quoted, words))


def quoted(word: str) -> str:
    """``word``, quoted if needed. Control characters, which would act on the terminal when pasted,
    are escaped in ``$'...'``, which bash, zsh and ksh read.
    """
    if not unsafe().search(word):
        return shlex.quote(word)
    text = word.replace("\\", r"\\").replace("'", r"\'")
    return "$'" + unsafe().sub(lambda match: _escapes(match[0]), text) + "'"


def _escapes(character: str) -> str:
    # Lone surrogates stand for bytes of a file name that is not UTF-8.
    is_byte = "\udc80" <= character <= "\udcff"
    data = character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in data)
