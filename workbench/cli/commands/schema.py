"""``workbench schema``: print the JSON Schema of fixture files."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_json

HELP: Final = CommandHelp(
    page="install",
    examples={
        "workbench schema > fixture.schema.json": "save the schema; then assign it to "
        "fixtures/*.json in your editor's settings",
        "workbench schema | grep -A 2 retry_after": "look up one key",
    },
    about="With the schema, your editor completes and checks fixtures.",
)


def configure(_parser: argparse.ArgumentParser) -> None:
    """It has no options of its own."""


def run(_args: argparse.Namespace) -> int:
    from workbench.core.fixture.editor_schema import fixture_schema

    print_json(fixture_schema())
    return EXIT_OK
