"""Commands that are pasted into a shell."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.text import shell
from workbench.core.text.inert import unsafe

VISIBLE = [
    "plain/path.json",
    "a b",
    "it's",
    "'quoted' \\'twice\\'",
    ";touch${IFS}X;",
    "$(touch X) `touch X` \\",
    "\\'; touch X; '\\",
    '\\"; touch X; "',
    "!! !touch ~ *",
    "=touch",
    "%self",
    "-x",
    "",
]
INVISIBLE = ["\x1b]0;title\x07' \\x41", "\u202egnp.exe\u2028", "\n; touch X", "\udcff.log"]
# Where a shell does not read the escapes of these, it must run nothing.
HARMFUL = ["\x07'; touch X; #", "\x07\\'; touch X; #", "\x07' `touch X` $(touch X) #"]
ECHO = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]
SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name} here"))
    for name in ("bash", "dash", "fish", "sh", "zsh")
]


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_hands_on_each_word_as_it_is(name: str) -> None:
    words = [*VISIBLE, *(INVISIBLE if name in ("bash", "zsh") else [])]
    ran = subprocess.run([name, "-c", shell.command([*ECHO, *words])], capture_output=True)
    assert json.loads(ran.stdout) == words


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize("word", HARMFUL)
def test_no_shell_runs_a_part_of_a_word(name: str, word: str, tmp_path: Path) -> None:
    line = shell.command(["echo", word])
    subprocess.run([name, "-c", line], capture_output=True, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@given(st.text())
def test_a_quoted_word_acts_on_no_terminal(word: str) -> None:
    assert not unsafe().search(shell.quoted(word))


@pytest.mark.parametrize("word", ["plain", "--flag", "http://127.0.0.1:7899/v1"])
def test_a_word_that_needs_no_quotes_has_none(word: str) -> None:
    assert shell.quoted(word) == word
