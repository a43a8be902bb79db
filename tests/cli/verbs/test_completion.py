"""``workbench completion``: the scripts, run by the shells that are installed; bash always is."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.running import Project
from workbench.cli import VERBS

SHELLS = ["bash", *filter(shutil.which, ("zsh", "fish"))]

# What is typed, and what it may become. Nothing: file names, or whatever the command takes.
TYPED = {
    "": [*VERBS],
    "mis": ["misses"],
    "--dem": ["--demo"],
    "--log suite.log --fi": ["--fixtures"],
    "misses --run ": ["all", "last"],
    "misses suite.log --run l": ["last"],
    "misses suite.log --fo": ["--format"],
    "promote suite.log 1f --tool": ["--tool-call"],
    "validate --format g": ["github"],
    "validate --explain usage": ["usage-shape"],
    "manual rec": ["recording"],
    "completion ": ["bash", "fish", "zsh"],
    "serve --exit": [],  # an option that help does not show either
    "hash --jso": ["--jsonl"],  # of a group
    "misses sui": [],
    "run -- pytest --wa": [],
}

# Bash, and zsh as bash, call the function with the words and the place of the cursor.
BASH = 'COMP_WORDS=(workbench {words}); COMP_CWORD={cursor}; _workbench; echo "${{COMPREPLY[*]}}"'


def asked(shell: str, typed: str) -> str:
    """The command of a shell that prints what ``typed`` may become."""
    if shell == "fish":
        return f"echo (complete -C 'workbench {typed}' | string replace -r '\\t.*' '')"
    words = typed.split(" ")
    return BASH.format(words=" ".join(word or "''" for word in words), cursor=len(words))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_words(project: Project, shell: str) -> None:
    ran = project.run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    before = "setopt ksh_arrays sh_word_split\n" if shell == "zsh" else ""
    lines = [ran.out, before, *(asked(shell, typed) for typed in TYPED)]
    done = subprocess.run(
        [shell, "-f"] if shell == "zsh" else [shell],
        input="\n".join(lines) + "\n",
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    found = dict(zip(TYPED, map(str.split, done.stdout.splitlines()), strict=True))
    for typed, wanted in TYPED.items():
        begun = typed.split(" ")[-1]  # zsh itself leaves out what does not begin so
        assert sorted(word for word in found[typed] if word.startswith(begun)) == sorted(wanted)


@pytest.mark.parametrize("shell", SHELLS)
def test_it_completes_the_other_name_of_the_command(project: Project, shell: str) -> None:
    script = project.run("completion", shell).out
    assert "llm-fixture-workbench" in script


def test_fish_asks_for_the_values_of_an_option_that_takes_several(project: Project) -> None:
    start = "complete -c workbench -n '__workbench_after \"validate\"'"
    assert f"{start} -l log -r -F" in project.run("completion", "fish").out


def test_help_says_where_the_scripts_belong(project: Project) -> None:
    said = " ".join(project.run("completion", "--help").out.split())
    assert "workbench completion fish > ~/.config/fish/completions/workbench.fish" in said
