"""``workbench schema``."""

from __future__ import annotations

from tests.cli.running import Project
from workbench.core.fixture.editor_schema import fixture_schema


def test_the_schema_of_a_fixture_file(project: Project) -> None:
    ran = project.run("schema")
    assert (ran.code, ran.err) == (0, "")
    assert ran.rows == fixture_schema()


def test_help_says_what_it_is_for(project: Project) -> None:
    assert "your editor completes and checks fixtures" in project.run("schema", "--help").out
