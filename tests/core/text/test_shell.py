"""Commands that are pasted into a shell."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.text import shell
from workbench.core.text.inert import unsafe

HOSTILE = [
    "plain/path.json",
    "a b",
    "it's",
    ";touch${IFS}X;",
    "$(touch X) `touch X` \\",
    "\x1b]0;title\x07' \\x41",
    "\u202egnp.exe\u2028",
    "\n; touch X",
    "\udcff.log",
    "",
]
ECHO = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]


def test_a_shell_hands_on_each_word_as_it_is() -> None:
    line = shell.command([*ECHO, *HOSTILE])
    ran = subprocess.run(["bash", "-c", line], capture_output=True, check=True, text=True)
    assert json.loads(ran.stdout) == HOSTILE


@given(st.text())
def test_a_quoted_word_acts_on_no_terminal(word: str) -> None:
    assert not unsafe().search(shell.quoted(word))


@pytest.mark.parametrize("word", ["plain", "--flag", "http://127.0.0.1:7899/v1"])
def test_a_word_that_needs_no_quotes_has_none(word: str) -> None:
    assert shell.quoted(word) == word
