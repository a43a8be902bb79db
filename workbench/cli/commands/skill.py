"""``workbench skill``: print the page that explains the work with fixtures to coding agents."""

from __future__ import annotations

import argparse
from importlib.resources import files
from typing import Final

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import write_data

HELP: Final = CommandHelp(
    page="agents",
    examples={
        "workbench skill": "print the skill file",
        "workbench skill > .claude/skills/llm-fixtures/SKILL.md": "save it where Claude Code looks "
        "for "
        "skills",
    },
)


def configure(_parser: argparse.ArgumentParser) -> None:
    """It has no options of its own."""


def run(_args: argparse.Namespace) -> int:
    write_data(files("workbench.mcp").joinpath("skill.md").read_bytes())
    return EXIT_OK
