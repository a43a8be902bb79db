"""``workbench schema``: print the JSON Schema of fixture files."""

from __future__ import annotations

import argparse

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.output import print_json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "With it, editors complete and check fixtures: save it (workbench schema > "
        "fixture.schema.json) and assign it to fixtures/*.json in the settings of the editor."
    )


def run(_args: argparse.Namespace) -> int:
    from workbench.core.fixture.editor_schema import fixture_schema

    print_json(fixture_schema())
    return EXIT_OK
