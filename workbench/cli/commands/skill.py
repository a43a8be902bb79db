"""``workbench skill``: print the page that explains the work with fixtures to coding agents."""

from __future__ import annotations

import argparse
from importlib.resources import files

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.output import write_data


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # keeps the path whole
    parser.epilog = """\
It is a skill file: save it where the agent looks for skills, as
skills/llm-fixtures/SKILL.md."""


def run(_args: argparse.Namespace) -> int:
    write_data(files("workbench.mcp").joinpath("skill.md").read_bytes())
    return EXIT_OK
