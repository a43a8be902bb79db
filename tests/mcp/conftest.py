"""A project for each test."""

from tests.cli.conftest import project

__all__ = ["project"]
