"""``workbench completion``: print a script that completes the command in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from workbench.cli import EXIT_OK, VERBS, module_of
from workbench.cli.output import write_data

_COMMANDS: Final = ("workbench", "llm-fixture-workbench")

# The words before the cursor, then | and the word that is typed.
_BASH: Final = """\
_workbench() {{
    local words="" word=${{COMP_WORDS[COMP_CWORD]}}
    case " ${{COMP_WORDS[*]:1:$((COMP_CWORD-1))}} |$word" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _workbench {commands}
"""

# zsh can run functions that were written for bash.
_ZSH: Final = """\
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
autoload -Uz bashcompinit && bashcompinit
"""

_FISH: Final = """\
function __workbench_after
    set -l words (commandline -opc)
    string match -qr "^$argv[1]\\$" -- "$words[2]"
end
complete -c llm-fixture-workbench -w workbench\
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=list(_WRITERS), help="the shell to complete in")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # keeps the commands whole
    parser.epilog = """\
bash:  workbench completion bash > ~/.local/share/bash-completion/completions/workbench
zsh:   workbench completion zsh > ~/.workbench.zsh, and source it in ~/.zshrc
fish:  workbench completion fish > ~/.config/fish/completions/workbench.fish"""


def run(args: argparse.Namespace) -> int:
    write_data(_WRITERS[args.shell]().encode())
    return EXIT_OK


@dataclass
class _Option:
    """An option, as it is passed to ``argparse``."""

    names: tuple[str, ...]
    help: str
    has_value: bool
    choices: list[str]


@dataclass
class _Arguments:
    """Takes the place of a parser, whose arguments cannot be listed afterwards: ``choices`` are the
    values of arguments without a name.
    """

    options: list[_Option] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, verb: str | None) -> Self:
        """Those of a verb; None for the command without a verb."""
        found = cls()
        found.add_argument("-h", "--help", action="help", help="show this help")
        if verb is None:
            found.add_argument("--version", action="version", help="show the version")
        module_of(verb).configure(cast(argparse.ArgumentParser, found))
        return found

    def add_argument(
        self,
        *names: str,
        help: str = "",
        action: str = "store",
        choices: Iterable[str] = (),
        **_: Any,
    ) -> None:
        if help == argparse.SUPPRESS:
            return
        words = list(choices)
        if names[0].startswith("-"):
            self.options.append(
                _Option(names, help, action in ("append", "extend", "store"), words)
            )
        else:
            self.choices += words

    def add_argument_group(self, *_: Any, **__: Any) -> Self:
        return self

    def add_mutually_exclusive_group(self, **_: Any) -> Self:
        return self


def _bash() -> str:
    """A function that knows the words for each verb, and leaves the rest to file names."""
    cases = [('*" -- "*', ""), ('"  |"[!-]*|"  |"', " ".join(VERBS))]
    for verb in (*VERBS, None):
        start = f" {verb}" if verb else ""
        arguments = _Arguments.of(verb)
        for option in arguments.options:
            if option.choices:
                asked = "|".join(f'"{start}"*" {name} |"*' for name in option.names)
                cases.append((asked, " ".join(option.choices)))
        names = " ".join(name for option in arguments.options for name in option.names)
        cases.append((f'"{start} "*"|-"*', names))
        if arguments.choices:
            cases.append((f'"{start} |"*', " ".join(arguments.choices)))
    lines = "\n".join(f'        {pattern}) words="{words}" ;;' for pattern, words in cases)
    return _BASH.format(cases=lines, commands=" ".join(_COMMANDS))


def _zsh() -> str:
    return _ZSH + _bash()


def _fish() -> str:
    """A ``complete`` command for each word, with its description."""
    lines = [_FISH]
    for verb, what in VERBS.items():
        lines.append(
            f"complete -c workbench -n '__workbench_after \"\"' -f -a {verb} -d {_quoted(what)}"
        )
    for name in (None, *VERBS):
        start = f"complete -c workbench -n '__workbench_after \"{name or '(-.*)?'}\"'"
        arguments = _Arguments.of(name)
        for option in arguments.options:
            names = [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names]
            values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r -F"
            value = values if option.has_value else ""
            lines.append(f"{start} {' '.join(names)}{value} -d {_quoted(option.help)}")
        if arguments.choices:
            lines.append(f"{start} -f -a {_quoted(' '.join(arguments.choices))}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """``text`` as one word of fish."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_WRITERS: Final = {"bash": _bash, "zsh": _zsh, "fish": _fish}
