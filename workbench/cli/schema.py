"""``workbench schema``: the JSON Schema of a fixture file."""

from __future__ import annotations

import argparse

from workbench.cli import EXIT_OK
from workbench.cli.output import print_json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Editors that know JSON Schema then complete and check fixtures: workbench schema > "
        "fixture.schema.json, and name that file for fixtures/*.json in their settings."
    )


def run(_args: argparse.Namespace) -> int:
    from workbench.core.fixtures.model import fixture_schema

    print_json(fixture_schema())
    return EXIT_OK
