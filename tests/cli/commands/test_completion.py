"""``workbench completion``: the scripts, run by bash and, where it is installed, fish. That of zsh
is read by zsh where there is one: its completion runs in an interactive terminal only.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.running import Project
from workbench.cli.main import COMMANDS

SHELLS = ["bash", *filter(shutil.which, ["fish"])]

# What is typed, and what it may become. Nothing: file names, or whatever the command takes.
TYPED = {
    "": [*COMMANDS],
    "mis": ["misses"],
    "--dem": ["--demo"],
    "--log suite.log --fi": ["--fixtures"],
    "misses --run ": ["all", "last"],
    "misses suite.log --run l": ["last"],
    "misses suite.log --fo": ["--format"],
    "promote suite.log 1f --tool": ["--tool-call"],
    "validate --format g": ["github"],
    "validate --explain usage": ["usage-shape"],
    "manual rec": ["recipes", "recording"],
    "completion ": ["bash", "fish", "zsh"],
    "serve --exit": [],  # an option that help does not show either
    "hash --jso": ["--jsonl"],  # of a group
    "misses sui": [],
    "run -- pytest --wa": [],
}

# Bash calls the function with the words and the place of the cursor.
BASH = (
    "COMP_WORDS=(workbench {words}); COMP_CWORD={cursor}; COMPREPLY=(); _shtab_workbench; "
    'echo "${{COMPREPLY[*]}}"'
)


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
    lines = [ran.out, *(asked(shell, typed) for typed in TYPED)]
    done = subprocess.run(
        [shell],
        input="\n".join(lines) + "\n",
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    found = dict(zip(TYPED, map(str.split, done.stdout.splitlines()), strict=True))
    for typed, expected in TYPED.items():
        assert sorted(found[typed]) == sorted(expected), typed


def test_zsh_gets_a_script_of_its_own(project: Project) -> None:
    script = project.run("completion", "zsh").out
    assert script.startswith("#compdef workbench\n")
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_it_completes_the_other_name_of_the_command(project: Project, shell: str) -> None:
    script = project.run("completion", shell).out
    assert "llm-fixture-workbench" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_names_of_files_are_completed(project: Project, shell: str) -> None:
    (project.folder / "suite.log").touch()
    (project.folder / "other.txt").touch()
    script = project.run("completion", shell).out
    done = subprocess.run(
        [shell],
        input=f"{script}\n{asked(shell, 'misses sui')}\n",
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["suite.log"]


def test_help_says_where_the_scripts_belong(project: Project) -> None:
    said = " ".join(project.run("completion", "--help").out.split())
    assert "workbench completion fish > ~/.config/fish/completions/workbench.fish" in said
