"""``workbench completion``: print a script that completes the command in a shell."""

from __future__ import annotations

import argparse
from typing import Any, Final

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.main import COMMANDS, module_of
from workbench.cli.output import write_data

# The name of the distribution is a command, too.
_ALSO: Final = "llm-fixture-workbench"
# Additions to the script of shtab: the other name and, for bash, names of files.
_ADDED: Final = {
    "bash": f"complete -o default -F _shtab_workbench workbench {_ALSO}\n",
    "zsh": "",
    "fish": f"complete -c {_ALSO} -w workbench\n",
}


HELP: Final = CommandHelp(
    page="install",
    examples={
        "workbench completion bash > ~/.local/share/bash-completion/completions/workbench": "bash",
        "workbench completion zsh > ~/.workbench.zsh": "zsh; then source the file in ~/.zshrc, "
        "after compinit",
        "workbench completion fish > ~/.config/fish/completions/workbench.fish": "fish",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=list(_ADDED), help="shell to complete in")


def run(args: argparse.Namespace) -> int:
    import shtab

    script = shtab.complete(_whole_parser(), shell=args.shell)
    write_data(f"{script}\n{_ADDED[args.shell]}".encode())
    return EXIT_OK


class _FileParser(argparse.ArgumentParser):
    """A parser whose values, where they are not from a list, may be names of files."""

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        import shtab

        action = super().add_argument(*names, **options)
        if action.choices is None and action.nargs not in (0, argparse.REMAINDER):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        return action


def _whole_parser() -> argparse.ArgumentParser:
    """One parser of all commands; ``workbench`` itself makes only the called command's parser."""
    parser = _FileParser(prog="workbench")
    parser.add_argument("--version", action="version", help="show the version")
    module_of(None).configure(parser)
    commands = parser.add_subparsers()
    for command, what in COMMANDS.items():
        module_of(command).configure(commands.add_parser(command, help=what))
    return parser
